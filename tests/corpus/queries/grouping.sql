-- name: group_by_column
SELECT a, count(*) AS n FROM t1 GROUP BY a

-- name: group_by_two
SELECT a, b, count(*) AS n, max(c) AS c FROM t1 GROUP BY a, b

-- name: group_by_expression
SELECT a % 2 AS parity, sum(b) AS s FROM t1 GROUP BY a % 2

-- name: group_by_expression_inside_expression
SELECT (a % 2) + 1 AS x, count(*) AS n FROM t1 GROUP BY a % 2

-- name: group_by_ordinal
SELECT a, sum(b) AS s FROM t1 GROUP BY 1

-- name: group_by_two_ordinals
SELECT c, a, count(b) AS n FROM t1 GROUP BY 2, 1

-- name: group_by_alias
SELECT coalesce(a, -1) AS k, count(*) AS n FROM t1 GROUP BY k

-- name: group_by_alias_hidden_by_column
SELECT b AS a, count(*) AS n FROM t1 GROUP BY a, b

-- name: group_by_all
SELECT a, c, count(*) AS n FROM t1 GROUP BY ALL

-- name: group_by_all_expression
SELECT a + 1 AS x, upper(c) AS y, sum(b) AS s FROM t1 GROUP BY ALL

-- name: group_by_all_without_keys
SELECT count(*) AS n, max(a) AS m FROM t1 GROUP BY ALL

-- name: group_by_constant
SELECT 'k' AS k, count(*) AS n FROM t1 GROUP BY 'k'

-- name: group_by_nothing_selected
SELECT count(*) AS n FROM t1 GROUP BY a

-- name: group_by_without_aggregates
SELECT a, c FROM t1 GROUP BY a, c

-- name: group_by_unselected_key
SELECT sum(b) AS s FROM t1 GROUP BY a, c

-- name: group_by_null_and_zero
SELECT coalesce(b, 0) AS k, count(*) AS n, count(b) AS m FROM t1 GROUP BY coalesce(b, 0)

-- name: group_by_nan_and_zero
SELECT x, count(*) AS n FROM nums GROUP BY x

-- name: group_by_float
SELECT f, count(*) AS n FROM nums GROUP BY f

-- name: group_by_decimal
SELECT p, count(*) AS n FROM nums GROUP BY p

-- name: group_by_string
SELECT s, count(*) AS n FROM texts GROUP BY s

-- name: group_by_boolean
SELECT active, count(*) AS n, sum(salary) AS s FROM emp GROUP BY active

-- name: group_by_predicate
SELECT a > 1 AS big, count(*) AS n FROM t1 GROUP BY a > 1

-- name: group_by_case
SELECT CASE WHEN a IS NULL THEN 'none' WHEN a < 3 THEN 'low' ELSE 'high' END AS k, count(*) AS n FROM t1 GROUP BY CASE WHEN a IS NULL THEN 'none' WHEN a < 3 THEN 'low' ELSE 'high' END

-- name: group_by_date_part
SELECT year(sold_on) AS y, month(sold_on) AS m, count(*) AS n FROM sale GROUP BY year(sold_on), month(sold_on)

-- name: group_by_trunc
SELECT date_trunc('MONTH', sold_at) AS m, sum(qty) AS q FROM sale GROUP BY date_trunc('MONTH', sold_at)

-- name: group_by_array
SELECT arr, count(*) AS n FROM nested GROUP BY arr

-- name: group_by_struct
SELECT st, count(*) AS n FROM nested GROUP BY st

-- name: group_by_struct_field
SELECT st.x AS x, count(*) AS n FROM nested GROUP BY st.x

-- name: group_by_qualified
SELECT t1.a AS a, count(*) AS n FROM t1 GROUP BY t1.a

-- name: group_by_qualified_and_not
SELECT a, count(*) AS n FROM t1 GROUP BY t1.a

-- name: group_by_case_insensitive
SELECT A AS a, Count(*) AS n FROM T1 GROUP BY a

-- name: group_empty_table
SELECT a, count(*) AS n FROM nothing GROUP BY a

-- name: group_global_empty
SELECT count(*) AS n, sum(a) AS s, max(c) AS m FROM nothing

-- name: group_global_empty_having
SELECT count(*) AS n FROM nothing HAVING count(*) > 0

-- name: group_global_filter_all
SELECT sum(b) AS s FROM t1 WHERE a > 1000

-- name: having_simple
SELECT a, count(*) AS n FROM t1 GROUP BY a HAVING count(*) > 1

-- name: having_alias
SELECT a, count(*) AS n FROM t1 GROUP BY a HAVING n > 1

-- name: having_other_aggregate
SELECT a FROM t1 GROUP BY a HAVING sum(b) > 15

-- name: having_key
SELECT a, sum(b) AS s FROM t1 GROUP BY a HAVING a > 1

-- name: having_key_and_aggregate
SELECT a, sum(b) AS s FROM t1 GROUP BY a HAVING a IS NULL OR max(b) >= 20

-- name: having_null_is_not_true
SELECT a, sum(b) AS s FROM t1 GROUP BY a HAVING sum(b) < 100

-- name: having_global
SELECT sum(b) AS s FROM t1 HAVING count(*) = 10

-- name: having_global_false
SELECT sum(b) AS s FROM t1 HAVING count(*) = 11

-- name: having_expression_of_key
SELECT a % 2 AS p, count(*) AS n FROM t1 GROUP BY a % 2 HAVING a % 2 = 1

-- name: having_without_group
SELECT 1 AS one FROM t1 HAVING max(a) > 3

-- name: distinct_column
SELECT DISTINCT a FROM t1

-- name: distinct_two
SELECT DISTINCT a, b FROM t1

-- name: distinct_star
SELECT DISTINCT * FROM t1

-- name: distinct_expression
SELECT DISTINCT a % 2 AS p FROM t1

-- name: distinct_nan
SELECT DISTINCT x FROM nums

-- name: distinct_over_group
SELECT DISTINCT count(*) AS n FROM t1 GROUP BY a

-- name: distinct_struct
SELECT DISTINCT st FROM nested

-- name: distinct_of_join
SELECT DISTINCT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a

-- name: select_all_keyword
SELECT ALL a FROM t1

-- name: rollup_two
SELECT a, b, count(*) AS n FROM t1 GROUP BY ROLLUP (a, b)

-- name: rollup_with
SELECT a, c, sum(b) AS s FROM t1 GROUP BY a, c WITH ROLLUP

-- name: rollup_grouping
SELECT a, b, grouping(a) AS ga, grouping(b) AS gb, count(*) AS n FROM t1 GROUP BY ROLLUP (a, b)

-- name: rollup_grouping_id
SELECT a, b, grouping_id() AS g, sum(b) AS s FROM t1 GROUP BY ROLLUP (a, b)

-- name: rollup_composite
SELECT a, b, c, count(*) AS n FROM t1 GROUP BY ROLLUP ((a, b), c)

-- name: rollup_expression
SELECT a % 2 AS p, count(*) AS n FROM t1 GROUP BY ROLLUP (a % 2)

-- name: rollup_having_grouping
SELECT a, b, sum(b) AS s FROM t1 GROUP BY ROLLUP (a, b) HAVING grouping(b) = 1

-- name: rollup_partial
SELECT a, b, c, count(*) AS n FROM t1 GROUP BY a, ROLLUP (b, c)

-- name: rollup_empty_table
SELECT a, count(*) AS n FROM nothing GROUP BY ROLLUP (a)

-- name: rollup_aggregate_of_key
SELECT a, sum(a) AS s, count(a) AS n FROM t1 GROUP BY ROLLUP (a)

-- name: rollup_order
SELECT region, name, sum(budget) AS s FROM dept GROUP BY ROLLUP (region, name) ORDER BY region, name

-- name: cube_two
SELECT a, b, count(*) AS n FROM t1 GROUP BY CUBE (a, b)

-- name: cube_with
SELECT a, c, count(*) AS n FROM t1 GROUP BY a, c WITH CUBE

-- name: cube_grouping_id
SELECT grouping_id(a, c) AS g, a, c, max(b) AS m FROM t1 GROUP BY CUBE (a, c)

-- name: cube_three
SELECT region, name, id, count(*) AS n FROM dept GROUP BY CUBE (region, name, id)

-- name: cube_distinct_aggregate
SELECT a, c, count(DISTINCT b) AS n FROM t1 GROUP BY CUBE (a, c)

-- name: grouping_sets_basic
SELECT a, b, sum(b) AS s FROM t1 GROUP BY GROUPING SETS ((a, b), (a), ())

-- name: grouping_sets_old_syntax
SELECT a, b, count(*) AS n FROM t1 GROUP BY a, b GROUPING SETS ((a), (b))

-- name: grouping_sets_duplicate_sets
SELECT a, count(*) AS n FROM t1 GROUP BY GROUPING SETS ((a), (a))

-- name: grouping_sets_single_names
SELECT a, c, count(*) AS n FROM t1 GROUP BY GROUPING SETS (a, c)

-- name: grouping_sets_empty_table
SELECT a, count(*) AS n FROM nothing GROUP BY GROUPING SETS ((a), ())

-- name: grouping_sets_only_empty_set
SELECT count(*) AS n FROM t1 GROUP BY GROUPING SETS (())

-- name: grouping_sets_grouping_in_case
SELECT CASE WHEN grouping(a) = 1 THEN 'all' ELSE CAST(a AS STRING) END AS k, count(*) AS n FROM t1 GROUP BY GROUPING SETS ((a), ())

-- name: grouping_sets_combined
SELECT a, b, c, count(*) AS n FROM t1 GROUP BY a, GROUPING SETS ((b), (c))

-- name: grouping_sets_nested
SELECT a, c, count(*) AS n FROM t1 GROUP BY GROUPING SETS (ROLLUP (a, c), (c))

-- name: grouping_two_cubes
SELECT a, c, count(*) AS n FROM t1 GROUP BY CUBE (a), ROLLUP (c)

-- name: grouping_order_by_grouping
SELECT a, count(*) AS n FROM t1 GROUP BY ROLLUP (a) ORDER BY grouping(a), a

-- name: grouping_window_over_rollup
SELECT a, sum(b) AS s, rank() OVER (PARTITION BY grouping(a) ORDER BY sum(b) DESC) AS r FROM t1 GROUP BY ROLLUP (a)

-- name: group_by_map
SELECT m, count(*) AS n FROM nested GROUP BY m

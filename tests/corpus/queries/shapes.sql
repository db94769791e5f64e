-- name: values_inline
SELECT x, y FROM VALUES (1, 'a'), (2, NULL) AS v(x, y)

-- name: values_statement
VALUES (1, 2), (3, 4)

-- name: values_widening
SELECT x FROM VALUES (1), (2.5), (NULL) AS v(x)

-- name: values_expressions
SELECT x FROM VALUES (1 + 1), (abs(-3)) AS v(x)

-- name: values_default_names
SELECT col1, col2 FROM VALUES (1, 'a'), (2, 'b')

-- name: values_join
SELECT t1.a AS a, v.y AS y FROM t1 JOIN VALUES (1, 'one'), (2, 'two') AS v(x, y) ON t1.a = v.x

-- name: values_nested
SELECT x.a AS a FROM VALUES (named_struct('a', 1)) AS v(x)

-- name: select_without_from
SELECT 1 AS one, 'x' AS x, NULL AS n

-- name: select_without_from_where
SELECT 1 AS one WHERE 1 = 2

-- name: table_statement
TABLE t3

-- name: from_first
FROM t1 SELECT a, b WHERE a > 1

-- name: range_function
SELECT id FROM range(5)

-- name: range_function_step
SELECT id * 2 AS x FROM range(1, 10, 3)

-- name: pivot_sum
SELECT * FROM (SELECT a, b FROM t1) PIVOT (sum(b) FOR a IN (1 AS one, 2 AS two, 9 AS nine))

-- name: pivot_by_group
SELECT * FROM (SELECT c, a, b FROM t1) PIVOT (max(b) FOR a IN (1 AS x1, 2 AS x2))

-- name: pivot_two_aggregates
SELECT * FROM (SELECT c, a, b FROM t1) PIVOT (sum(b) AS s, count(b) AS n FOR a IN (1, 2))

-- name: pivot_two_columns
SELECT * FROM (SELECT a, b, c FROM t1) PIVOT (count(*) AS n FOR (a, c) IN ((1, 'a') AS p, (2, 'a') AS q))

-- name: pivot_count
SELECT * FROM (SELECT dept_id, active, id FROM emp) PIVOT (count(id) FOR active IN (true AS yes, false AS no))

-- name: pivot_in_subquery
SELECT yes + no AS n FROM (SELECT * FROM (SELECT active, id FROM emp) PIVOT (count(id) FOR active IN (true AS yes, false AS no))) x

-- name: unpivot
SELECT * FROM t1 UNPIVOT (v FOR k IN (a, b))

-- name: unpivot_include_nulls
SELECT * FROM t1 UNPIVOT INCLUDE NULLS (v FOR k IN (a, b))

-- name: unpivot_aliases
SELECT c, k, v FROM t1 UNPIVOT (v FOR k IN (a AS first, b AS second)) AS u

-- name: unpivot_several_values
SELECT * FROM t1 UNPIVOT ((v, w) FOR k IN ((a, b) AS x, (b, a) AS y))

-- name: unpivot_aggregated
SELECT k, sum(v) AS s FROM t1 UNPIVOT (v FOR k IN (a, b)) GROUP BY k

-- name: lateral_view_explode
SELECT id, x FROM nested LATERAL VIEW explode(arr) e AS x

-- name: lateral_view_outer
SELECT id, x FROM nested LATERAL VIEW OUTER explode(arr) e AS x

-- name: lateral_view_default_column
SELECT id, e.col AS x FROM nested LATERAL VIEW explode(arr) e

-- name: lateral_view_map
SELECT id, k, v FROM nested LATERAL VIEW explode(m) e AS k, v

-- name: lateral_view_posexplode
SELECT id, p, x FROM nested LATERAL VIEW posexplode(arr) e AS p, x

-- name: lateral_view_posexplode_outer
SELECT id, p, x FROM nested LATERAL VIEW posexplode_outer(arr) e AS p, x

-- name: lateral_view_two
SELECT id, x, s FROM nested LATERAL VIEW explode(arr) e AS x LATERAL VIEW explode(strs) f AS s

-- name: lateral_view_chained
SELECT id, y FROM nested LATERAL VIEW explode(array(arr, arr)) e AS x LATERAL VIEW explode(x) f AS y

-- name: lateral_view_inline
SELECT id, sku, n FROM nested LATERAL VIEW inline(items) e AS sku, n

-- name: lateral_view_inline_outer
SELECT id, sku, n FROM nested LATERAL VIEW OUTER inline(items) e AS sku, n

-- name: lateral_view_stack
SELECT a, k, v FROM t1 LATERAL VIEW stack(2, 'a', a, 'b', b) s AS k, v

-- name: lateral_view_filtered
SELECT id, x FROM nested LATERAL VIEW explode(arr) e AS x WHERE x > 2

-- name: lateral_view_grouped
SELECT x, count(*) AS n FROM nested LATERAL VIEW explode(arr) e AS x GROUP BY x

-- name: lateral_view_of_expression
SELECT t3.a AS a, x FROM t3 LATERAL VIEW explode(sequence(1, coalesce(t3.a, 1))) e AS x WHERE t3.a < 4

-- name: explode_in_select
SELECT id, explode(arr) AS x FROM nested

-- name: explode_outer_in_select
SELECT id, explode_outer(strs) AS s FROM nested

-- name: explode_map_in_select
SELECT id, explode(m) AS (k, v) FROM nested

-- name: posexplode_in_select
SELECT id, posexplode(strs) AS (p, s) FROM nested

-- name: inline_in_select
SELECT id, inline(items) AS (sku, n) FROM nested

-- name: stack_in_select
SELECT stack(2, 1, 'a', 2, 'b') AS (x, y)

-- name: explode_table_function
SELECT x FROM explode(array(1, NULL, 3)) AS e(x)

-- name: explode_lateral_table_function
SELECT n.id AS id, e.x AS x FROM nested n, LATERAL explode(n.arr) AS e(x)

-- name: explode_left_lateral
SELECT n.id AS id, e.x AS x FROM nested n LEFT JOIN LATERAL explode(n.arr) AS e(x) ON true

-- name: inline_table_function
SELECT a, b FROM inline(array(struct(1 AS a, 'x' AS b), struct(2 AS a, 'y' AS b)))

-- name: stack_table_function
SELECT x, y FROM stack(2, 1, 2, 3, 4) AS s(x, y)

-- name: explode_in_subquery
SELECT sum(x) AS s FROM (SELECT explode(arr) AS x FROM nested) e

-- name: explode_split
SELECT id, explode(split(t, ' ')) AS w FROM texts

-- name: where_constant_false
SELECT a FROM t1 WHERE false

-- name: where_constant_null
SELECT a FROM t1 WHERE CAST(NULL AS BOOLEAN)

-- name: where_boolean_column
SELECT id FROM emp WHERE active

-- name: where_not_boolean_column
SELECT id FROM emp WHERE NOT active

-- name: where_three_valued
SELECT a, b FROM t1 WHERE NOT (a > 1 AND b > 10)

-- name: where_is_true
SELECT id FROM emp WHERE active IS TRUE

-- name: where_is_not_true
SELECT id FROM emp WHERE active IS NOT TRUE

-- name: where_is_unknown
SELECT id FROM emp WHERE active IS UNKNOWN

-- name: tablesample_all
SELECT a FROM t1 TABLESAMPLE (100 PERCENT)

-- name: hint_broadcast
SELECT /*+ BROADCAST(t2) */ t1.a AS a, t2.d AS d FROM t1 JOIN t2 ON t1.a = t2.a

-- name: explode_two_in_select
SELECT id, explode(arr) AS x, explode(strs) AS y FROM nested

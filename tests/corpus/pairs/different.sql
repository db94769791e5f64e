-- name: filter_constant
SELECT a FROM t1 WHERE a = 1
-- versus
SELECT a FROM t1 WHERE a = 2

-- name: filter_column
SELECT a FROM t1 WHERE a = 1
-- versus
SELECT a FROM t1 WHERE b = 10

-- name: filter_or_and
SELECT a FROM t1 WHERE a = 1 AND b = 10
-- versus
SELECT a FROM t1 WHERE a = 1 OR b = 10

-- name: filter_less_or_equal
SELECT a FROM t1 WHERE a < 2
-- versus
SELECT a FROM t1 WHERE a <= 2

-- name: filter_greater_less
SELECT a FROM t1 WHERE a < b
-- versus
SELECT a FROM t1 WHERE a > b

-- name: filter_not_equal
SELECT a FROM t1 WHERE a <> 1
-- versus
SELECT a FROM t1 WHERE NOT a <=> 1

-- name: filter_null_safe
SELECT a FROM t1 WHERE a = b
-- versus
SELECT a FROM t1 WHERE a <=> b

-- name: filter_is_null
SELECT b FROM t1 WHERE a IS NULL
-- versus
SELECT b FROM t1 WHERE a IS NOT NULL

-- name: filter_none
SELECT a FROM t1
-- versus
SELECT a FROM t1 WHERE a = a

-- name: filter_between_ends
SELECT a FROM t1 WHERE a BETWEEN 1 AND 4
-- versus
SELECT a FROM t1 WHERE a > 1 AND a < 4

-- name: filter_precedence
SELECT a, b FROM t1 WHERE a = 1 OR a = 2 AND b = 20
-- versus
SELECT a, b FROM t1 WHERE (a = 1 OR a = 2) AND b = 20

-- name: filter_not_scope
SELECT a FROM t1 WHERE NOT a = 1 AND b = 10
-- versus
SELECT a FROM t1 WHERE NOT (a = 1 AND b = 10)

-- name: filter_not_in_null
SELECT a FROM t1 WHERE a NOT IN (1, 2)
-- versus
SELECT a FROM t1 WHERE a NOT IN (1, 2, NULL)

-- name: filter_in_lists
SELECT a FROM t1 WHERE a IN (1, 2)
-- versus
SELECT a FROM t1 WHERE a IN (1, 3)

-- name: filter_is_true
SELECT id FROM emp WHERE NOT active
-- versus
SELECT id FROM emp WHERE active IS NOT TRUE

-- name: filter_like_case
SELECT id FROM texts WHERE s LIKE 'hello'
-- versus
SELECT id FROM texts WHERE s ILIKE 'hello'

-- name: filter_like_underscore
SELECT id FROM texts WHERE s LIKE '%b_c'
-- versus
SELECT id FROM texts WHERE s LIKE '%b\\_d'

-- name: filter_like_wildcards
SELECT id FROM texts WHERE s LIKE 'h%'
-- versus
SELECT id FROM texts WHERE s LIKE '%h%'

-- name: filter_like_any_all
SELECT id FROM texts WHERE s LIKE ANY ('h%', '%o')
-- versus
SELECT id FROM texts WHERE s LIKE ALL ('h%', '%x')

-- name: filter_string_case
SELECT id FROM texts WHERE s = 'hello'
-- versus
SELECT id FROM texts WHERE s = 'HELLO'

-- name: filter_string_space
SELECT id FROM texts WHERE t = ' '
-- versus
SELECT id FROM texts WHERE s = ' pad '

-- name: filter_unicode_forms
SELECT id FROM texts WHERE s = 'é'
-- versus
SELECT id FROM texts WHERE s = 'é'

-- name: filter_date_bound
SELECT id FROM moments WHERE d <= DATE '2000-01-31'
-- versus
SELECT id FROM moments WHERE d < DATE '2000-01-31'

-- name: filter_timestamp_date
SELECT id FROM moments WHERE ts <= TIMESTAMP '2024-02-29 00:00:00'
-- versus
SELECT id FROM moments WHERE CAST(ts AS DATE) <= DATE '2024-02-29'

-- name: filter_nan
SELECT id FROM nums WHERE x > 1e308
-- versus
SELECT id FROM nums WHERE x > 1e308 AND NOT isnan(x)

-- name: filter_decimal_scale
SELECT id FROM nums WHERE p > 1.2
-- versus
SELECT id FROM nums WHERE p > 1.3

-- name: filter_integer_division
SELECT k FROM uniq WHERE k / 2 = 1
-- versus
SELECT k FROM uniq WHERE k DIV 2 = 1

-- name: filter_modulo
SELECT k FROM uniq WHERE k % 2 = 0
-- versus
SELECT k FROM uniq WHERE k % 2 = 1

-- name: filter_before_after_limit
SELECT k FROM (SELECT k FROM uniq ORDER BY k LIMIT 2) x WHERE k > 1
-- versus
SELECT k FROM (SELECT k FROM uniq WHERE k > 1 ORDER BY k LIMIT 2) x

-- name: filter_before_after_window
SELECT id, n FROM (SELECT id, active, row_number() OVER (ORDER BY id) AS n FROM emp) x WHERE active
-- versus
SELECT id, row_number() OVER (ORDER BY id) AS n FROM emp WHERE active

-- name: filter_case_else
SELECT a FROM t1 WHERE CASE WHEN a > 1 THEN b > 10 ELSE true END
-- versus
SELECT a FROM t1 WHERE CASE WHEN a > 1 THEN b > 10 ELSE false END

-- name: filter_coalesce
SELECT a FROM t1 WHERE coalesce(b, 0) < 15
-- versus
SELECT a FROM t1 WHERE b < 15

-- name: select_column
SELECT a AS x FROM t1
-- versus
SELECT b AS x FROM t1

-- name: select_swapped
SELECT a AS x, b AS y FROM t1
-- versus
SELECT b AS x, a AS y FROM t1

-- name: select_sign
SELECT a - b AS x FROM t1
-- versus
SELECT b - a AS x FROM t1

-- name: select_distinct
SELECT a FROM t1
-- versus
SELECT DISTINCT a FROM t1

-- name: select_distinct_wider
SELECT a FROM (SELECT DISTINCT a FROM t1) x
-- versus
SELECT a FROM (SELECT DISTINCT a, b FROM t1) x

-- name: select_literal
SELECT 1 AS x FROM t1
-- versus
SELECT 2 AS x FROM t1

-- name: select_literal_type
SELECT a / 2 AS x FROM t1
-- versus
SELECT a DIV 2 AS x FROM t1

-- name: select_string_number
SELECT '1' AS x
-- versus
SELECT 1 AS x

-- name: select_null_empty
SELECT coalesce(c, '') AS x FROM t1
-- versus
SELECT c AS x FROM t1

-- name: select_precedence
SELECT a + b * 2 AS x FROM t1
-- versus
SELECT (a + b) * 2 AS x FROM t1

-- name: select_minus_association
SELECT a - b - 1 AS x FROM t1
-- versus
SELECT a - (b - 1) AS x FROM t1

-- name: select_case_order
SELECT CASE WHEN a > 1 THEN 'x' WHEN a > 2 THEN 'y' END AS x FROM t1
-- versus
SELECT CASE WHEN a > 2 THEN 'y' WHEN a > 1 THEN 'x' END AS x FROM t1

-- name: select_case_else
SELECT CASE WHEN a = 1 THEN 1 END AS x FROM t1
-- versus
SELECT CASE WHEN a = 1 THEN 1 ELSE 0 END AS x FROM t1

-- name: select_case_null
SELECT CASE a WHEN NULL THEN 1 ELSE 0 END AS x FROM t1
-- versus
SELECT CASE WHEN a IS NULL THEN 1 ELSE 0 END AS x FROM t1

-- name: select_coalesce_order
SELECT coalesce(a, b) AS x FROM t1
-- versus
SELECT coalesce(b, a) AS x FROM t1

-- name: select_nvl_nullif
SELECT nvl(a, 1) AS x FROM t1
-- versus
SELECT nullif(a, 1) AS x FROM t1

-- name: select_greatest_least
SELECT greatest(a, b) AS x FROM t1
-- versus
SELECT least(a, b) AS x FROM t1

-- name: select_round_floor
SELECT id, round(q, 1) AS x FROM nums
-- versus
SELECT id, floor(q) AS x FROM nums

-- name: select_round_bround
SELECT round(2.5) AS x
-- versus
SELECT bround(2.5) AS x

-- name: select_round_digits
SELECT id, round(q, 1) AS x FROM nums
-- versus
SELECT id, round(q, 2) AS x FROM nums

-- name: select_cast_scale
SELECT CAST(q AS DECIMAL(12,1)) AS x FROM nums
-- versus
SELECT CAST(q AS DECIMAL(12,3)) AS x FROM nums

-- name: select_cast_int_round
SELECT CAST(p AS INT) AS x FROM nums
-- versus
SELECT round(p) AS x FROM nums

-- name: select_decimal_double
SELECT 0.1 + 0.2 AS x
-- versus
SELECT 0.1D + 0.2D AS x

-- name: select_mod_pmod
SELECT -7 % 3 AS x
-- versus
SELECT pmod(-7, 3) AS x

-- name: select_concat_ws
SELECT concat(s, t) AS x FROM texts
-- versus
SELECT concat_ws('', s, t) AS x FROM texts

-- name: select_concat_order
SELECT s || t AS x FROM texts
-- versus
SELECT t || s AS x FROM texts

-- name: select_upper_initcap
SELECT upper(s) AS x FROM texts
-- versus
SELECT initcap(s) AS x FROM texts

-- name: select_length_octets
SELECT length(s) AS x FROM texts
-- versus
SELECT octet_length(s) AS x FROM texts

-- name: select_substring_start
SELECT substring(s, 1, 2) AS x FROM texts
-- versus
SELECT substring(s, 2, 2) AS x FROM texts

-- name: select_substring_length
SELECT substring(s, 1, 2) AS x FROM texts
-- versus
SELECT substring(s, 1, 3) AS x FROM texts

-- name: select_trim_side
SELECT ltrim(s) AS x FROM texts
-- versus
SELECT rtrim(s) AS x FROM texts

-- name: select_trim_characters
SELECT trim(BOTH 'h' FROM s) AS x FROM texts
-- versus
SELECT trim(LEADING 'o' FROM s) AS x FROM texts

-- name: select_regexp_replace
SELECT regexp_replace(s, 'l', '') AS x FROM texts
-- versus
SELECT regexp_replace(s, 'll', '') AS x FROM texts

-- name: select_replace_escape
SELECT 'a\\b' AS x
-- versus
SELECT 'a\b' AS x

-- name: select_raw_string
SELECT r'a\nb' AS x
-- versus
SELECT 'a\nb' AS x

-- name: select_quote_doubling
SELECT 'it''s' AS x
-- versus
SELECT 'it' 's' AS x

-- name: select_boolean_is_null
SELECT a > 1 AS x FROM t1
-- versus
SELECT coalesce(a > 1, false) AS x FROM t1

-- name: select_and_or
SELECT a > 1 AND b > 10 AS x FROM t1
-- versus
SELECT a > 1 OR b > 10 AS x FROM t1

-- name: select_distinct_from
SELECT a <> b AS x FROM t1
-- versus
SELECT a IS DISTINCT FROM b AS x FROM t1

-- name: select_date_plus
SELECT d + 1 AS x FROM moments WHERE id < 9
-- versus
SELECT d + INTERVAL 1 MONTH AS x FROM moments WHERE id < 9

-- name: select_add_months_days
SELECT add_months(d, 1) AS x FROM moments WHERE id < 9
-- versus
SELECT date_add(d, 30) AS x FROM moments WHERE id < 9

-- name: select_datediff_order
SELECT datediff(d, DATE '2000-01-01') AS x FROM moments
-- versus
SELECT datediff(DATE '2000-01-01', d) AS x FROM moments

-- name: select_month_quarter
SELECT month(d) AS x FROM moments
-- versus
SELECT quarter(d) AS x FROM moments

-- name: select_dayofweek_weekday
SELECT dayofweek(d) AS x FROM moments
-- versus
SELECT weekday(d) AS x FROM moments

-- name: select_trunc_unit
SELECT date_trunc('MONTH', ts) AS x FROM moments
-- versus
SELECT date_trunc('DAY', ts) AS x FROM moments

-- name: select_extract_part
SELECT extract(YEAR FROM d) AS x FROM moments
-- versus
SELECT extract(YEAROFWEEK FROM d) AS x FROM moments

-- name: select_interval_sign
SELECT d + INTERVAL 1 DAY AS x FROM moments WHERE id < 9
-- versus
SELECT d - INTERVAL 1 DAY AS x FROM moments WHERE id < 9

-- name: select_array_index
SELECT get(arr, 0) AS x FROM nested
-- versus
SELECT get(arr, 1) AS x FROM nested

-- name: select_index_base
SELECT try_element_at(arr, 1) AS x FROM nested
-- versus
SELECT get(arr, 1) AS x FROM nested

-- name: select_map_key
SELECT m['x'] AS x FROM nested
-- versus
SELECT m['y'] AS x FROM nested

-- name: select_struct_field
SELECT CAST(st.x AS STRING) AS v FROM nested
-- versus
SELECT st.y AS v FROM nested

-- name: select_lambda_body
SELECT transform(arr, x -> x + 1) AS x FROM nested
-- versus
SELECT transform(arr, x -> x * 2) AS x FROM nested

-- name: select_lambda_index
SELECT transform(arr, (x, i) -> x) AS x FROM nested
-- versus
SELECT transform(arr, (x, i) -> i) AS x FROM nested

-- name: select_lambda_capture
SELECT transform(arr, x -> id) AS x FROM nested
-- versus
SELECT transform(arr, id -> id) AS x FROM nested

-- name: select_filter_transform
SELECT filter(arr, x -> x > 1) AS x FROM nested WHERE id = 1
-- versus
SELECT filter(arr, x -> x >= 1) AS x FROM nested WHERE id = 1

-- name: select_exists_forall
SELECT exists(arr, x -> x > 2) AS x FROM nested
-- versus
SELECT forall(arr, x -> x > 2) AS x FROM nested

-- name: select_array_order
SELECT array(1, 2) AS x
-- versus
SELECT array(2, 1) AS x

-- name: select_sort_array
SELECT sort_array(arr) AS x FROM nested
-- versus
SELECT array_sort(arr) AS x FROM nested

-- name: select_struct_order
SELECT struct(a, b) AS x FROM t1
-- versus
SELECT struct(b, a) AS x FROM t1

-- name: select_lateral_alias
SELECT a + 1 AS b, b AS y FROM t1
-- versus
SELECT a + 1 AS b, a + 1 AS y FROM t1

-- name: select_star_except
SELECT * FROM (SELECT a AS x, b AS y FROM t1) t
-- versus
SELECT * FROM (SELECT b AS x, a AS y FROM t1) t

-- name: join_inner_left
SELECT t1.a AS a, t2.d AS d FROM t1 JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a

-- name: join_left_right
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a AS a, t2.d AS d FROM t1 RIGHT JOIN t2 ON t1.a = t2.a

-- name: join_left_full
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a AS a, t2.d AS d FROM t1 FULL JOIN t2 ON t1.a = t2.a

-- name: join_semi_inner
SELECT t1.a AS a FROM t1 LEFT SEMI JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a

-- name: join_semi_anti
SELECT t1.a AS a FROM t1 LEFT SEMI JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a AS a FROM t1 LEFT ANTI JOIN t2 ON t1.a = t2.a

-- name: join_null_safe
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a <=> t2.a

-- name: join_null_safe_second_key
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b = t2.b
-- versus
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b <=> t2.b

-- name: join_null_safe_anti
SELECT t1.a AS a FROM t1 LEFT ANTI JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a AS a FROM t1 LEFT ANTI JOIN t2 ON t1.a <=> t2.a

-- name: join_null_safe_full
SELECT t1.c AS c, t2.d AS d FROM t1 FULL JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.c AS c, t2.d AS d FROM t1 FULL JOIN t2 ON t1.a <=> t2.a

-- name: join_key
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.b = t2.b

-- name: join_key_pairs
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.b AND t1.b = t2.a
-- versus
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b = t2.b

-- name: join_more_keys
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b = t2.b

-- name: join_residual
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b < t2.b
-- versus
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b > t2.b

-- name: join_non_equi
SELECT t1.b AS b FROM t1 JOIN t2 ON t1.b < t2.b
-- versus
SELECT t1.b AS b FROM t1 JOIN t2 ON t1.b <= t2.b

-- name: join_on_where_left
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a AND t2.b = 10
-- versus
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE t2.b = 10

-- name: join_on_left_side_where
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a AND t1.b = 10
-- versus
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE t1.b = 10

-- name: join_full_where
SELECT t1.a AS a, t2.d AS d FROM t1 FULL JOIN t2 ON t1.a = t2.a AND t1.b = 10
-- versus
SELECT t1.a AS a, t2.d AS d FROM t1 FULL JOIN t2 ON t1.a = t2.a WHERE t1.b = 10

-- name: join_condition_is_null
SELECT t1.a AS a FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE t2.a IS NULL
-- versus
SELECT t1.a AS a FROM t1 LEFT JOIN t2 ON t1.a = t2.a AND t2.a IS NULL

-- name: join_cross_inner
SELECT t3.a AS a FROM t3 CROSS JOIN uniq
-- versus
SELECT t3.a AS a FROM t3 JOIN uniq ON t3.a = uniq.k

-- name: join_output_side
SELECT t1.b AS b FROM t1 JOIN t2 ON t1.a = t2.a
-- versus
SELECT t2.b AS b FROM t1 JOIN t2 ON t1.a = t2.a

-- name: join_self_side
SELECT e.name AS name FROM emp e JOIN emp m ON e.manager_id = m.id
-- versus
SELECT m.name AS name FROM emp e JOIN emp m ON e.manager_id = m.id

-- name: join_self_direction
SELECT e.id AS id FROM emp e JOIN emp m ON e.manager_id = m.id
-- versus
SELECT e.id AS id FROM emp e JOIN emp m ON m.manager_id = e.id

-- name: join_using_natural
SELECT a, c, d FROM t1 JOIN t2 USING (a)
-- versus
SELECT a, c, d FROM t1 NATURAL JOIN t2

-- name: join_using_column_side
SELECT a FROM t1 FULL JOIN t3 USING (a)
-- versus
SELECT t1.a AS a FROM t1 FULL JOIN t3 USING (a)

-- name: join_using_right_side
SELECT t1.a AS a FROM t1 RIGHT JOIN t3 USING (a)
-- versus
SELECT a FROM t1 RIGHT JOIN t3 USING (a)

-- name: join_table
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a AS a FROM t1 JOIN t3 ON t1.a = t3.a

-- name: join_order_of_outer
SELECT t1.a AS a, t3.e AS e FROM t1 LEFT JOIN t2 ON t1.a = t2.a JOIN t3 ON t2.a = t3.a
-- versus
SELECT t1.a AS a, t3.e AS e FROM t1 LEFT JOIN (t2 JOIN t3 ON t2.a = t3.a) ON t1.a = t2.a

-- name: join_three_chain_or_star
SELECT t3.a AS a, t1.c AS c FROM t3 LEFT JOIN t2 ON t3.a = t2.a LEFT JOIN t1 ON t3.e = t1.b
-- versus
SELECT t3.a AS a, t1.c AS c FROM t3 LEFT JOIN t2 ON t3.a = t2.a LEFT JOIN t1 ON t2.b = t1.b

-- name: join_distinct_first
SELECT t1.a AS a FROM t1 JOIN (SELECT DISTINCT a FROM t2) x ON t1.a = x.a
-- versus
SELECT t1.a AS a FROM t1 JOIN t2 x ON t1.a = x.a

-- name: join_lateral_left
SELECT u.k AS k, l.b AS b FROM uniq u, LATERAL (SELECT b FROM t1 WHERE t1.a = u.k AND b > 10) l
-- versus
SELECT u.k AS k, l.b AS b FROM uniq u LEFT JOIN LATERAL (SELECT b FROM t1 WHERE t1.a = u.k AND b > 10) l ON true

-- name: join_lateral_view_outer
SELECT id, x FROM nested LATERAL VIEW explode(arr) e AS x
-- versus
SELECT id, x FROM nested LATERAL VIEW OUTER explode(arr) e AS x

-- name: join_decimal_double
SELECT x.id AS i, y.id AS j FROM nums x JOIN nums y ON x.p = y.q
-- versus
SELECT x.id AS i, y.id AS j FROM nums x JOIN nums y ON x.p = y.p

-- name: join_or_and
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a OR t1.b = t2.b
-- versus
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b = t2.b

-- name: group_count_column
SELECT a, count(*) AS n FROM t1 GROUP BY a
-- versus
SELECT a, count(b) AS n FROM t1 GROUP BY a

-- name: group_count_distinct
SELECT a, count(b) AS n FROM t1 GROUP BY a
-- versus
SELECT a, count(DISTINCT b) AS n FROM t1 GROUP BY a

-- name: group_count_distinct_columns
SELECT count(DISTINCT a) AS n FROM t1
-- versus
SELECT count(DISTINCT a, b) AS n FROM t1

-- name: group_sum_distinct
SELECT sum(b) AS s FROM t1
-- versus
SELECT sum(DISTINCT b) AS s FROM t1

-- name: group_sum_max
SELECT a, sum(b) AS s FROM t1 GROUP BY a
-- versus
SELECT a, max(b) AS s FROM t1 GROUP BY a

-- name: group_min_max
SELECT a, min(b) AS s FROM t1 GROUP BY a
-- versus
SELECT a, max(b) AS s FROM t1 GROUP BY a

-- name: group_avg_median
SELECT avg(b) AS s FROM t1
-- versus
SELECT median(b) AS s FROM t1

-- name: group_var
SELECT var_pop(k) AS s FROM uniq
-- versus
SELECT var_samp(k) AS s FROM uniq

-- name: group_key
SELECT count(*) AS n FROM t1 GROUP BY a
-- versus
SELECT count(*) AS n FROM t1 GROUP BY b

-- name: group_more_keys
SELECT count(*) AS n FROM t1 GROUP BY a
-- versus
SELECT count(*) AS n FROM t1 GROUP BY a, b

-- name: group_global
SELECT count(*) AS n FROM nothing
-- versus
SELECT count(*) AS n FROM nothing GROUP BY a

-- name: group_global_rows
SELECT sum(b) AS s FROM t1
-- versus
SELECT sum(b) AS s FROM t1 GROUP BY a

-- name: group_key_expression
SELECT count(*) AS n FROM t1 GROUP BY a % 2
-- versus
SELECT count(*) AS n FROM t1 GROUP BY a % 3

-- name: group_filter
SELECT count(*) FILTER (WHERE a > 1) AS n FROM t1
-- versus
SELECT count(*) AS n FROM t1 WHERE b > 1

-- name: group_filter_or_where
SELECT c, count(*) FILTER (WHERE a > 1) AS n FROM t1 GROUP BY c
-- versus
SELECT c, count(*) AS n FROM t1 WHERE a > 1 GROUP BY c

-- name: group_filter_condition
SELECT sum(b) FILTER (WHERE a > 1) AS n FROM t1
-- versus
SELECT sum(b) FILTER (WHERE a >= 1) AS n FROM t1

-- name: group_filter_which
SELECT sum(a) FILTER (WHERE b > 10) AS x, sum(b) AS y FROM t1
-- versus
SELECT sum(a) AS x, sum(b) FILTER (WHERE b > 10) AS y FROM t1

-- name: group_having
SELECT a, count(*) AS n FROM t1 GROUP BY a HAVING count(*) > 1
-- versus
SELECT a, count(*) AS n FROM t1 GROUP BY a HAVING count(*) >= 1

-- name: group_having_where
SELECT a, sum(b) AS s FROM t1 GROUP BY a HAVING sum(b) > 15
-- versus
SELECT a, sum(b) AS s FROM t1 WHERE b > 15 GROUP BY a

-- name: group_having_column
SELECT a FROM t1 GROUP BY a HAVING max(b) > 10
-- versus
SELECT a FROM t1 GROUP BY a HAVING min(b) > 10

-- name: group_rollup_cube
SELECT a, b, count(*) AS n FROM t1 GROUP BY ROLLUP (a, b)
-- versus
SELECT a, b, count(*) AS n FROM t1 GROUP BY CUBE (a, b)

-- name: group_rollup_order
SELECT a, b, count(*) AS n FROM t1 GROUP BY ROLLUP (a, b)
-- versus
SELECT a, b, count(*) AS n FROM t1 GROUP BY ROLLUP (b, a)

-- name: group_rollup_plain
SELECT a, b, count(*) AS n FROM t1 GROUP BY a, b
-- versus
SELECT a, b, count(*) AS n FROM t1 GROUP BY ROLLUP (a, b)

-- name: group_sets
SELECT a, b, count(*) AS n FROM t1 GROUP BY GROUPING SETS ((a), (b))
-- versus
SELECT a, b, count(*) AS n FROM t1 GROUP BY GROUPING SETS ((a, b), ())

-- name: group_sets_duplicate
SELECT a, count(*) AS n FROM t1 GROUP BY GROUPING SETS ((a), (a))
-- versus
SELECT a, count(*) AS n FROM t1 GROUP BY GROUPING SETS ((a))

-- name: group_sets_composite
SELECT a, b, count(*) AS n FROM t1 GROUP BY ROLLUP ((a, b))
-- versus
SELECT a, b, count(*) AS n FROM t1 GROUP BY ROLLUP (a, b)

-- name: group_sets_empty_set
SELECT count(*) AS n FROM nothing GROUP BY GROUPING SETS (())
-- versus
SELECT count(*) AS n FROM nothing GROUP BY ROLLUP (a)

-- name: group_grouping_column
SELECT grouping(a) AS g, count(*) AS n FROM t1 GROUP BY ROLLUP (a, b)
-- versus
SELECT grouping(b) AS g, count(*) AS n FROM t1 GROUP BY ROLLUP (a, b)

-- name: group_grouping_id
SELECT grouping_id() AS g, count(*) AS n FROM t1 GROUP BY CUBE (a, c)
-- versus
SELECT grouping(c) AS g, count(*) AS n FROM t1 GROUP BY CUBE (a, c)

-- name: group_sum_of_sum
SELECT sum(n) AS s FROM (SELECT count(*) AS n FROM t1 GROUP BY a) x
-- versus
SELECT max(n) AS s FROM (SELECT count(*) AS n FROM t1 GROUP BY a) x

-- name: group_avg_of_avg
SELECT avg(v) AS s FROM (SELECT avg(b) AS v FROM t1 GROUP BY a) x
-- versus
SELECT avg(b) AS s FROM t1

-- name: group_collect
SELECT sort_array(collect_list(b)) AS l FROM t1
-- versus
SELECT sort_array(collect_set(b)) AS l FROM t1

-- name: group_bool
SELECT bool_and(a > 1) AS x FROM t1
-- versus
SELECT bool_or(a > 1) AS x FROM t1

-- name: group_count_if
SELECT count_if(a > 1) AS n FROM t1
-- versus
SELECT count(a > 1) AS n FROM t1

-- name: group_max_by
SELECT max_by(id, salary) AS x FROM emp
-- versus
SELECT min_by(id, salary) AS x FROM emp

-- name: group_case_inside
SELECT sum(CASE WHEN a > 1 THEN b END) AS s FROM t1
-- versus
SELECT sum(CASE WHEN a > 2 THEN b END) AS s FROM t1

-- name: group_count_case
SELECT count(CASE WHEN a > 1 THEN 1 END) AS n FROM t1
-- versus
SELECT count(CASE WHEN a > 1 THEN 1 ELSE 0 END) AS n FROM t1

-- name: group_sum_coalesce
SELECT coalesce(sum(a), 0) AS s FROM nothing
-- versus
SELECT sum(coalesce(a, 0)) AS s FROM nothing

-- name: group_percentile
SELECT percentile(b, 0.5) AS p FROM t1
-- versus
SELECT percentile(b, 0.25) AS p FROM t1

-- name: group_percentile_kind
SELECT CAST(percentile_cont(0.3) WITHIN GROUP (ORDER BY k) AS DOUBLE) AS p FROM uniq
-- versus
SELECT CAST(percentile_disc(0.3) WITHIN GROUP (ORDER BY k) AS DOUBLE) AS p FROM uniq

-- name: group_listagg_order
SELECT listagg(v, ',') WITHIN GROUP (ORDER BY v) AS l FROM uniq
-- versus
SELECT listagg(v, ',') WITHIN GROUP (ORDER BY v DESC) AS l FROM uniq

-- name: group_nan
SELECT max(x) AS m FROM nums
-- versus
SELECT max(nanvl(x, 0)) AS m FROM nums

-- name: group_distinct_then_count
SELECT count(*) AS n FROM (SELECT DISTINCT a FROM t1) x
-- versus
SELECT count(DISTINCT a) AS n FROM t1

-- name: set_union_all
SELECT a FROM t1 UNION SELECT a FROM t2
-- versus
SELECT a FROM t1 UNION ALL SELECT a FROM t2

-- name: set_union_mixed
SELECT a FROM t1 UNION ALL SELECT a FROM t2 UNION SELECT a FROM t3
-- versus
SELECT a FROM t1 UNION SELECT a FROM t2 UNION ALL SELECT a FROM t3

-- name: set_union_column_order
SELECT a, b FROM t1 UNION ALL SELECT a, b FROM t2
-- versus
SELECT a, b FROM t1 UNION ALL SELECT b AS a, a AS b FROM t2

-- name: set_intersect_all
SELECT a, b FROM t1 INTERSECT SELECT a, b FROM t1
-- versus
SELECT a, b FROM t1 INTERSECT ALL SELECT a, b FROM t1

-- name: set_except_all
SELECT a FROM t1 EXCEPT SELECT a FROM t3
-- versus
SELECT a FROM t1 EXCEPT ALL SELECT a FROM t3

-- name: set_except_direction
SELECT a FROM t1 EXCEPT SELECT a FROM t2
-- versus
SELECT a FROM t2 EXCEPT SELECT a FROM t1

-- name: set_intersect_except
SELECT a FROM t1 INTERSECT SELECT a FROM t2
-- versus
SELECT a FROM t1 EXCEPT SELECT a FROM t2

-- name: set_except_anti
SELECT a FROM t1 EXCEPT SELECT a FROM t2
-- versus
SELECT a FROM t1 LEFT ANTI JOIN t2 ON t1.a = t2.a

-- name: set_intersect_semi
SELECT a FROM t1 INTERSECT SELECT a FROM t2
-- versus
SELECT a FROM t1 LEFT SEMI JOIN t2 ON t1.a = t2.a

-- name: set_precedence
SELECT a FROM t1 UNION SELECT a FROM t2 INTERSECT SELECT a FROM t3
-- versus
(SELECT a FROM t1 UNION SELECT a FROM t2) INTERSECT SELECT a FROM t3

-- name: set_except_association
SELECT a FROM t1 EXCEPT SELECT a FROM t2 EXCEPT SELECT a FROM t3
-- versus
SELECT a FROM t1 EXCEPT (SELECT a FROM t2 EXCEPT SELECT a FROM t3)

-- name: set_limit_scope
SELECT k FROM uniq UNION ALL (SELECT k FROM uniq ORDER BY k LIMIT 1)
-- versus
(SELECT k FROM uniq UNION ALL SELECT k FROM uniq) ORDER BY k LIMIT 1

-- name: set_table
SELECT a FROM t1 UNION SELECT a FROM t2
-- versus
SELECT a FROM t1 UNION SELECT a FROM t3

-- name: set_twice
SELECT a FROM t1 UNION ALL SELECT a FROM t1
-- versus
SELECT a FROM t1

-- name: sub_in_not_in
SELECT k FROM uniq WHERE k IN (SELECT a FROM t1)
-- versus
SELECT k FROM uniq WHERE k NOT IN (SELECT a FROM t1 WHERE a > 2)

-- name: sub_not_in_not_exists
SELECT k FROM uniq WHERE k NOT IN (SELECT a FROM t3)
-- versus
SELECT k FROM uniq WHERE NOT EXISTS (SELECT 1 FROM t3 WHERE t3.a = k)

-- name: sub_not_in_null_left
SELECT a FROM t1 WHERE a NOT IN (SELECT k FROM uniq WHERE k > 2)
-- versus
SELECT a FROM t1 WHERE NOT EXISTS (SELECT 1 FROM uniq WHERE k > 2 AND k = a)

-- name: sub_not_in_empty
SELECT a FROM t1 WHERE a NOT IN (SELECT a FROM nothing)
-- versus
SELECT a FROM t1 WHERE a NOT IN (SELECT a FROM allnull)

-- name: sub_not_in_filtered
SELECT k FROM uniq WHERE k NOT IN (SELECT a FROM t3)
-- versus
SELECT k FROM uniq WHERE k NOT IN (SELECT a FROM t3 WHERE a IS NOT NULL)

-- name: sub_not_in_correlated
SELECT a, b FROM t1 WHERE b NOT IN (SELECT b FROM t2 WHERE t2.a = t1.a)
-- versus
SELECT a, b FROM t1 WHERE b NOT IN (SELECT b FROM t2 WHERE b IS NOT NULL)

-- name: sub_exists_not
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)
-- versus
SELECT a FROM t1 WHERE NOT EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)

-- name: sub_exists_correlation
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)
-- versus
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.b = t1.b)

-- name: sub_exists_uncorrelated
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)
-- versus
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t2.a)

-- name: sub_exists_name_capture
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM uniq WHERE k = a)
-- versus
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t3 WHERE a = a)

-- name: sub_exists_aggregate
SELECT a FROM t1 WHERE EXISTS (SELECT max(b) FROM t2 WHERE t2.a = t1.a)
-- versus
SELECT a FROM t1 WHERE EXISTS (SELECT max(b) FROM t2 WHERE t2.a = t1.a GROUP BY t2.a)

-- name: sub_exists_and_or
SELECT a FROM t1 WHERE a = 4 OR EXISTS (SELECT 1 FROM t3 WHERE t3.a = t1.a)
-- versus
SELECT a FROM t1 WHERE a = 3 AND EXISTS (SELECT 1 FROM t3 WHERE t3.a = t1.a)

-- name: sub_count_bug
SELECT k, (SELECT count(*) FROM t3 WHERE t3.a = k) AS n FROM uniq
-- versus
SELECT k, (SELECT count(*) FROM t3 WHERE t3.a = k GROUP BY t3.a) AS n FROM uniq

-- name: sub_count_sum
SELECT k, (SELECT count(e) FROM t3 WHERE t3.a = k) AS n FROM uniq
-- versus
SELECT k, (SELECT sum(1) FROM t3 WHERE t3.a = k) AS n FROM uniq

-- name: sub_count_having
SELECT k, (SELECT count(*) FROM t3 WHERE t3.a = k) AS n FROM uniq
-- versus
SELECT k, (SELECT count(*) FROM t3 WHERE t3.a = k HAVING count(*) > 1) AS n FROM uniq

-- name: sub_scalar_function
SELECT k, (SELECT max(e) FROM t3 WHERE t3.a = k) AS n FROM uniq
-- versus
SELECT k, (SELECT min(e) FROM t3 WHERE t3.a <= k) AS n FROM uniq

-- name: sub_scalar_correlated
SELECT k, (SELECT max(a) FROM t3) AS n FROM uniq
-- versus
SELECT k, (SELECT max(a) FROM t3 WHERE t3.a <= k) AS n FROM uniq

-- name: sub_scalar_empty_inner_join
SELECT k, (SELECT max(e) FROM t3 WHERE t3.a = k) AS n FROM uniq
-- versus
SELECT k, max(e) AS n FROM uniq JOIN t3 ON t3.a = k GROUP BY k

-- name: sub_scalar_compare
SELECT id FROM emp WHERE salary > (SELECT avg(salary) FROM emp)
-- versus
SELECT id FROM emp e WHERE salary > (SELECT avg(salary) FROM emp i WHERE i.dept_id = e.dept_id)

-- name: sub_in_columns
SELECT a FROM t1 WHERE (a, b) IN (SELECT a, b FROM t2)
-- versus
SELECT a FROM t1 WHERE a IN (SELECT a FROM t2) AND b IN (SELECT b FROM t2)

-- name: sub_nested
SELECT a FROM t1 WHERE a IN (SELECT a FROM t2 WHERE b IN (SELECT b FROM t2 WHERE d = 'y'))
-- versus
SELECT a FROM t1 WHERE a IN (SELECT a FROM t2 WHERE b IN (SELECT b FROM t2 WHERE d = 'x'))

-- name: sub_limit
SELECT a FROM t1 WHERE a IN (SELECT k FROM uniq ORDER BY k LIMIT 2)
-- versus
SELECT a FROM t1 WHERE a IN (SELECT k FROM uniq ORDER BY k DESC LIMIT 2)

-- name: sub_cte_shadow
WITH t1 AS (SELECT k AS a FROM uniq) SELECT a FROM t1
-- versus
WITH x AS (SELECT k AS a FROM uniq) SELECT a FROM t1

-- name: sub_cte_inner_shadow
WITH x AS (SELECT 1 AS v) SELECT v FROM (WITH x AS (SELECT 2 AS v) SELECT v FROM x) y
-- versus
WITH x AS (SELECT 1 AS v) SELECT v FROM (WITH z AS (SELECT 2 AS v) SELECT v FROM x) y

-- name: sub_cte_columns
WITH x(p, q) AS (SELECT a, b FROM t1) SELECT p FROM x
-- versus
WITH x(q, p) AS (SELECT a, b FROM t1) SELECT p FROM x

-- name: win_rank_dense
SELECT id, rank() OVER (ORDER BY salary) AS r FROM emp
-- versus
SELECT id, dense_rank() OVER (ORDER BY salary) AS r FROM emp

-- name: win_rank_row_number
SELECT id, rank() OVER (ORDER BY dept_id) AS r FROM emp
-- versus
SELECT id, row_number() OVER (ORDER BY dept_id, id) AS r FROM emp

-- name: win_desc
SELECT id, rank() OVER (ORDER BY salary) AS r FROM emp
-- versus
SELECT id, rank() OVER (ORDER BY salary DESC) AS r FROM emp

-- name: win_nulls
SELECT id, rank() OVER (ORDER BY salary NULLS FIRST) AS r FROM emp
-- versus
SELECT id, rank() OVER (ORDER BY salary NULLS LAST) AS r FROM emp

-- name: win_partition
SELECT id, count(*) OVER (PARTITION BY dept_id) AS r FROM emp
-- versus
SELECT id, count(*) OVER (PARTITION BY active) AS r FROM emp

-- name: win_no_partition
SELECT id, rank() OVER (PARTITION BY dept_id ORDER BY salary) AS r FROM emp
-- versus
SELECT id, rank() OVER (ORDER BY salary) AS r FROM emp

-- name: win_order_makes_running
SELECT id, sum(salary) OVER (PARTITION BY dept_id) AS s FROM emp
-- versus
SELECT id, sum(salary) OVER (PARTITION BY dept_id ORDER BY id) AS s FROM emp

-- name: win_rows_range
SELECT a, b, c, count(*) OVER (ORDER BY a RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM t1
-- versus
SELECT a, b, c, count(*) OVER (ORDER BY a, b, c ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: win_frame_size
SELECT id, sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) AS s FROM emp
-- versus
SELECT id, sum(id) OVER (ORDER BY id ROWS 2 PRECEDING) AS s FROM emp

-- name: win_frame_side
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM emp
-- versus
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS s FROM emp

-- name: win_frame_default_last
SELECT id, last_value(id) OVER (ORDER BY id) AS s FROM emp
-- versus
SELECT id, last_value(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS s FROM emp

-- name: win_first_last
SELECT id, first_value(id) OVER (PARTITION BY dept_id ORDER BY id) AS s FROM emp
-- versus
SELECT id, last_value(id) OVER (PARTITION BY dept_id ORDER BY id) AS s FROM emp

-- name: win_ignore_nulls
SELECT id, last_value(bonus) OVER (ORDER BY id) AS s FROM emp
-- versus
SELECT id, last_value(bonus) IGNORE NULLS OVER (ORDER BY id) AS s FROM emp

-- name: win_lag_lead
SELECT id, lag(id) OVER (ORDER BY id) AS s FROM emp
-- versus
SELECT id, lead(id) OVER (ORDER BY id) AS s FROM emp

-- name: win_lag_offset
SELECT id, lag(id, 1) OVER (ORDER BY id) AS s FROM emp
-- versus
SELECT id, lag(id, 2) OVER (ORDER BY id) AS s FROM emp

-- name: win_lag_default
SELECT id, lag(id, 1) OVER (ORDER BY id) AS s FROM emp
-- versus
SELECT id, lag(id, 1, 0) OVER (ORDER BY id) AS s FROM emp

-- name: win_ntile
SELECT id, ntile(2) OVER (ORDER BY id) AS s FROM emp
-- versus
SELECT id, ntile(3) OVER (ORDER BY id) AS s FROM emp

-- name: win_nth
SELECT id, nth_value(id, 1) OVER (ORDER BY id) AS s FROM emp
-- versus
SELECT id, nth_value(id, 2) OVER (ORDER BY id) AS s FROM emp

-- name: win_percent
SELECT id, percent_rank() OVER (ORDER BY salary) AS s FROM emp
-- versus
SELECT id, cume_dist() OVER (ORDER BY salary) AS s FROM emp

-- name: win_range_distance
SELECT k, count(*) OVER (ORDER BY k RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM uniq
-- versus
SELECT k, count(*) OVER (ORDER BY k RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS s FROM uniq

-- name: win_filter
SELECT id, count(*) OVER (PARTITION BY dept_id) AS s FROM emp
-- versus
SELECT id, count(*) FILTER (WHERE active) OVER (PARTITION BY dept_id) AS s FROM emp

-- name: win_qualify
SELECT id FROM emp QUALIFY row_number() OVER (PARTITION BY dept_id ORDER BY id) = 1
-- versus
SELECT id FROM emp QUALIFY row_number() OVER (PARTITION BY dept_id ORDER BY id DESC) = 1

-- name: win_qualify_where
SELECT id FROM emp WHERE active QUALIFY row_number() OVER (PARTITION BY dept_id ORDER BY id) = 1
-- versus
SELECT id FROM (SELECT id, active, row_number() OVER (PARTITION BY dept_id ORDER BY id DESC) AS n FROM emp) x WHERE n = 1 AND active

-- name: win_second_key
SELECT id, rank() OVER (ORDER BY dept_id, salary) AS r FROM emp
-- versus
SELECT id, rank() OVER (ORDER BY dept_id) AS r FROM emp

-- name: win_over_group
SELECT dept_id, rank() OVER (ORDER BY sum(salary)) AS r FROM emp GROUP BY dept_id
-- versus
SELECT dept_id, rank() OVER (ORDER BY count(*)) AS r FROM emp GROUP BY dept_id

-- name: top_limit
SELECT k FROM uniq ORDER BY k LIMIT 2
-- versus
SELECT k FROM uniq ORDER BY k LIMIT 3

-- name: top_direction
SELECT k FROM uniq ORDER BY k LIMIT 2
-- versus
SELECT k FROM uniq ORDER BY k DESC LIMIT 2

-- name: top_nulls
SELECT id FROM emp ORDER BY salary, id LIMIT 2
-- versus
SELECT id FROM emp ORDER BY salary NULLS LAST, id LIMIT 2

-- name: top_desc_nulls
SELECT id FROM emp ORDER BY hired DESC, id LIMIT 2
-- versus
SELECT id FROM emp ORDER BY hired DESC NULLS FIRST, id LIMIT 2

-- name: top_second_key
SELECT id FROM emp ORDER BY dept_id DESC, salary, id LIMIT 3
-- versus
SELECT id FROM emp ORDER BY dept_id DESC, salary DESC, id LIMIT 3

-- name: top_key_order
SELECT id FROM emp ORDER BY dept_id, salary, id LIMIT 3
-- versus
SELECT id FROM emp ORDER BY salary, dept_id, id LIMIT 3

-- name: top_offset
SELECT k FROM uniq ORDER BY k LIMIT 2
-- versus
SELECT k FROM uniq ORDER BY k LIMIT 2 OFFSET 1

-- name: top_offset_only
SELECT k FROM uniq ORDER BY k OFFSET 2
-- versus
SELECT k FROM uniq ORDER BY k LIMIT 2

-- name: top_of_distinct
SELECT DISTINCT a FROM (SELECT a, b FROM t1 ORDER BY a DESC, b, c LIMIT 3) x
-- versus
SELECT DISTINCT a FROM t1 ORDER BY a DESC LIMIT 3

-- name: top_before_aggregate
SELECT sum(k) AS s FROM (SELECT k FROM uniq ORDER BY k LIMIT 2) x
-- versus
SELECT sum(k) AS s FROM (SELECT k FROM uniq ORDER BY k) x LIMIT 2

-- name: top_before_join
SELECT t1.a AS a FROM (SELECT a FROM t1 ORDER BY a, b, c LIMIT 4) t1 JOIN t2 ON t1.a <=> t2.a
-- versus
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a <=> t2.a ORDER BY t1.a LIMIT 4

-- name: top_expression
SELECT k FROM uniq ORDER BY k % 3, k LIMIT 2
-- versus
SELECT k FROM uniq ORDER BY k % 2, k LIMIT 2

-- name: values_rows
SELECT x FROM VALUES (1), (2) AS v(x)
-- versus
SELECT x FROM VALUES (1), (3) AS v(x)

-- name: values_duplicates
SELECT x FROM VALUES (1), (1) AS v(x)
-- versus
SELECT x FROM VALUES (1) AS v(x)

-- name: values_null
SELECT x FROM VALUES (1), (NULL) AS v(x)
-- versus
SELECT x FROM VALUES (1), (0) AS v(x)

-- name: values_type
SELECT x FROM VALUES (1), (2) AS v(x)
-- versus
SELECT x FROM VALUES (1.0), (2) AS v(x)

-- name: pivot_values
SELECT one FROM (SELECT a, b FROM t1) PIVOT (sum(b) FOR a IN (1 AS one))
-- versus
SELECT one FROM (SELECT a, b FROM t1) PIVOT (sum(b) FOR a IN (2 AS one))

-- name: pivot_aggregate
SELECT one FROM (SELECT a, b FROM t1) PIVOT (sum(b) FOR a IN (1 AS one))
-- versus
SELECT one FROM (SELECT a, b FROM t1) PIVOT (count(b) FOR a IN (1 AS one))

-- name: unpivot_nulls
SELECT k, v FROM t1 UNPIVOT (v FOR k IN (a, b))
-- versus
SELECT k, v FROM t1 UNPIVOT INCLUDE NULLS (v FOR k IN (a, b))

-- name: unpivot_columns
SELECT k, v FROM t1 UNPIVOT (v FOR k IN (a, b))
-- versus
SELECT k, v FROM t1 UNPIVOT (v FOR k IN (a))

-- name: unpivot_labels
SELECT k, v FROM t1 UNPIVOT (v FOR k IN (a, b))
-- versus
SELECT k, v FROM t1 UNPIVOT (v FOR k IN (a AS b, b AS a))

-- name: explode_outer
SELECT id, explode(arr) AS x FROM nested
-- versus
SELECT id, explode_outer(arr) AS x FROM nested

-- name: explode_column
SELECT CAST(x AS STRING) AS x FROM nested LATERAL VIEW explode(arr) e AS x
-- versus
SELECT x FROM nested LATERAL VIEW explode(strs) e AS x

-- name: explode_position
SELECT id, p FROM nested LATERAL VIEW posexplode(arr) e AS p, x
-- versus
SELECT id, x AS p FROM nested LATERAL VIEW posexplode(arr) e AS p, x

-- name: source_table
SELECT a FROM t1
-- versus
SELECT a FROM t2

-- name: source_empty
SELECT a, b, c FROM t1
-- versus
SELECT a, b, c FROM nothing

-- name: source_type
SELECT count(*) AS n FROM emp
-- versus
SELECT count(*) AS n FROM dept

-- name: alias_table
SELECT t1.a AS x FROM t1
-- versus
SELECT p.a AS x FROM t1 AS p

-- name: alias_table_without_as
SELECT p.a AS x FROM t1 AS p
-- versus
SELECT q.a AS x FROM t1 q

-- name: alias_unqualified
SELECT a, b FROM t1
-- versus
SELECT t1.a, t1.b FROM t1

-- name: alias_column_without_as
SELECT a AS x FROM t1
-- versus
SELECT a x FROM t1

-- name: alias_self_join
SELECT x.a AS a FROM t1 x JOIN t1 y ON x.a = y.b
-- versus
SELECT l.a AS a FROM t1 l JOIN t1 r ON l.a = r.b

-- name: alias_derived
SELECT p.a AS a FROM (SELECT a FROM t1) p
-- versus
SELECT q.a AS a FROM (SELECT a FROM t1) q

-- name: alias_derived_none
SELECT a FROM (SELECT a FROM t1) p
-- versus
SELECT a FROM (SELECT a FROM t1)

-- name: alias_inner_column
SELECT p AS v FROM (SELECT a AS p FROM t1) x
-- versus
SELECT q AS v FROM (SELECT a AS q FROM t1) x

-- name: alias_column_list
SELECT p AS v FROM t1 AS x(p, q, r)
-- versus
SELECT a AS v FROM t1 AS x

-- name: alias_subquery_column_list
SELECT p AS v FROM (SELECT a, b FROM t1) AS x(p, q)
-- versus
SELECT a AS v FROM (SELECT a, b FROM t1) AS x

-- name: alias_cte_name
WITH x AS (SELECT a FROM t1) SELECT a FROM x
-- versus
WITH other AS (SELECT a FROM t1) SELECT a FROM other

-- name: alias_cte_columns
WITH x(p) AS (SELECT a FROM t1) SELECT p AS a FROM x
-- versus
WITH x AS (SELECT a FROM t1) SELECT a FROM x

-- name: alias_exists
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)
-- versus
SELECT o.a FROM t1 o WHERE EXISTS (SELECT 1 FROM t2 i WHERE i.a = o.a)

-- name: alias_lambda
SELECT transform(arr, x -> x + 1) AS t FROM nested
-- versus
SELECT transform(arr, y -> y + 1) AS t FROM nested

-- name: alias_lambda_two
SELECT transform(arr, (x, i) -> x * i) AS t FROM nested
-- versus
SELECT transform(arr, (v, n) -> v * n) AS t FROM nested

-- name: alias_lambda_nested
SELECT transform(array(arr), x -> transform(x, y -> y + 1)) AS t FROM nested
-- versus
SELECT transform(array(arr), p -> transform(p, q -> q + 1)) AS t FROM nested

-- name: alias_window
SELECT sum(id) OVER w AS s FROM emp WINDOW w AS (ORDER BY id)
-- versus
SELECT sum(id) OVER v AS s FROM emp WINDOW v AS (ORDER BY id)

-- name: alias_window_inline
SELECT sum(id) OVER w AS s FROM emp WINDOW w AS (ORDER BY id)
-- versus
SELECT sum(id) OVER (ORDER BY id) AS s FROM emp

-- name: alias_lateral_view
SELECT id, x AS v FROM nested LATERAL VIEW explode(arr) e AS x
-- versus
SELECT id, y AS v FROM nested LATERAL VIEW explode(arr) f AS y

-- name: alias_lateral
SELECT u.k, l.m FROM uniq u, LATERAL (SELECT max(b) AS m FROM t1 WHERE t1.a = u.k) l
-- versus
SELECT v.k, z.m FROM uniq v, LATERAL (SELECT max(b) AS m FROM t1 WHERE t1.a = v.k) z

-- name: alias_unused_cte
WITH x AS (SELECT b FROM t2) SELECT a FROM t1
-- versus
SELECT a FROM t1

-- name: alias_case_of_output_source
SELECT a AS v FROM (SELECT a AS Foo, a FROM t1) x
-- versus
SELECT a AS v FROM (SELECT a AS bar, a FROM t1) x

-- name: alias_pivot_source
SELECT one FROM (SELECT a, b FROM t1) p PIVOT (sum(b) FOR a IN (1 AS one))
-- versus
SELECT one FROM (SELECT a, b FROM t1) PIVOT (sum(b) FOR a IN (1 AS one))

-- name: case_keywords
SELECT a FROM t1 WHERE a = 1
-- versus
select a from t1 where a = 1

-- name: case_names
SELECT a FROM t1
-- versus
SELECT A AS a FROM T1

-- name: case_function
SELECT upper(c) AS x FROM t1
-- versus
SELECT UPPER(c) AS x FROM t1

-- name: case_aggregate
SELECT count(*) AS n, sum(b) AS s FROM t1
-- versus
SELECT COUNT(*) AS n, Sum(b) AS s FROM t1

-- name: case_alias_use
SELECT x AS v FROM (SELECT a AS x FROM t1)
-- versus
SELECT X AS v FROM (SELECT a AS x FROM t1)

-- name: case_qualifier
SELECT p.a FROM t1 p
-- versus
SELECT P.a FROM t1 p

-- name: case_cte
WITH x AS (SELECT a FROM t1) SELECT a FROM x
-- versus
WITH x AS (SELECT a FROM t1) SELECT a FROM X

-- name: case_struct_field
SELECT st.x AS v FROM nested
-- versus
SELECT st.X AS v FROM nested

-- name: case_cast_type
SELECT CAST(a AS bigint) AS x FROM t1
-- versus
SELECT CAST(a AS BIGINT) AS x FROM t1

-- name: case_null_true
SELECT null AS x, true AS y
-- versus
SELECT NULL AS x, TRUE AS y

-- name: case_date_literal
SELECT id FROM moments WHERE d > date '2000-01-01'
-- versus
SELECT id FROM moments WHERE d > DATE '2000-01-01'

-- name: case_interval
SELECT d + interval 1 day AS x FROM moments WHERE id < 9
-- versus
SELECT d + INTERVAL 1 DAY AS x FROM moments WHERE id < 9

-- name: case_window_frame
SELECT sum(id) OVER (ORDER BY id rows between 1 preceding and current row) AS s FROM emp
-- versus
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM emp

-- name: case_exponent
SELECT 1e2 AS x
-- versus
SELECT 1E2 AS x

-- name: space_lines
SELECT a, b FROM t1 WHERE a = 1
-- versus
SELECT a,
       b
FROM t1
WHERE a   =   1

-- name: space_tight
SELECT a + b AS x FROM t1 WHERE a = 1
-- versus
SELECT a+b AS x FROM t1 WHERE a=1

-- name: space_parentheses
SELECT count(*) AS n FROM t1
-- versus
SELECT count( * ) AS n FROM t1

-- name: space_in_list
SELECT a FROM t1 WHERE a IN (1, 2)
-- versus
SELECT a FROM t1 WHERE a IN(1,2)

-- name: space_qualified
SELECT t1.a FROM t1
-- versus
SELECT t1 . a FROM t1

-- name: space_tabs
SELECT a FROM t1
-- versus
SELECT	a	FROM	t1

-- name: comment_line
SELECT a FROM t1
-- versus
SELECT a -- the key
FROM t1

-- name: comment_block
SELECT a FROM t1 WHERE b = 10
-- versus
SELECT /* one */ a FROM /* two */ t1 WHERE /* three */ b = 10

-- name: comment_leading
SELECT a FROM t1
-- versus
/* a view */ SELECT a FROM t1

-- name: comment_trailing
SELECT a FROM t1
-- versus
SELECT a FROM t1 -- done

-- name: comment_nested
SELECT a FROM t1
-- versus
SELECT a /* x /* y */ z */ FROM t1

-- name: comment_with_sql
SELECT a FROM t1 WHERE a = 1
-- versus
SELECT a FROM t1 WHERE a = 1 /* AND b = 2 */

-- name: comment_with_quote
SELECT a FROM t1
-- versus
SELECT a FROM t1 -- don't

-- name: comment_in_cte
WITH x AS (SELECT a FROM t1) SELECT a FROM x
-- versus
WITH x AS ( -- first
  SELECT a FROM t1
) SELECT a FROM x

-- name: parentheses_expression
SELECT a + b AS x FROM t1
-- versus
SELECT (a + b) AS x FROM t1

-- name: parentheses_operands
SELECT a + b AS x FROM t1
-- versus
SELECT ((a) + (b)) AS x FROM t1

-- name: parentheses_product
SELECT a + b * 2 AS x FROM t1
-- versus
SELECT a + (b * 2) AS x FROM t1

-- name: parentheses_left
SELECT a - b - 1 AS x FROM t1
-- versus
SELECT (a - b) - 1 AS x FROM t1

-- name: parentheses_where
SELECT a FROM t1 WHERE a = 1 AND b = 10
-- versus
SELECT a FROM t1 WHERE ((a = 1) AND (b = 10))

-- name: parentheses_and_or
SELECT a FROM t1 WHERE a = 1 OR a = 2 AND b = 10
-- versus
SELECT a FROM t1 WHERE a = 1 OR (a = 2 AND b = 10)

-- name: parentheses_not
SELECT a FROM t1 WHERE NOT a = 1
-- versus
SELECT a FROM t1 WHERE NOT (a = 1)

-- name: parentheses_query
SELECT a FROM t1
-- versus
(SELECT a FROM t1)

-- name: parentheses_union
SELECT a FROM t1 UNION ALL SELECT a FROM t2
-- versus
(SELECT a FROM t1) UNION ALL (SELECT a FROM t2)

-- name: parentheses_set_precedence
SELECT a FROM t1 UNION SELECT a FROM t2 INTERSECT SELECT a FROM t3
-- versus
SELECT a FROM t1 UNION (SELECT a FROM t2 INTERSECT SELECT a FROM t3)

-- name: parentheses_derived
SELECT a FROM (SELECT a FROM t1) x
-- versus
SELECT a FROM ((SELECT a FROM t1)) x

-- name: parentheses_join_on
SELECT t1.a FROM t1 JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a FROM t1 JOIN t2 ON (t1.a = t2.a)

-- name: parentheses_join_left
SELECT t1.a, t3.e FROM t1 JOIN t2 ON t1.a = t2.a JOIN t3 ON t1.a = t3.a
-- versus
SELECT t1.a, t3.e FROM (t1 JOIN t2 ON t1.a = t2.a) JOIN t3 ON t1.a = t3.a

-- name: parentheses_case
SELECT CASE WHEN a = 1 THEN 2 END AS x FROM t1
-- versus
SELECT CASE WHEN (a = 1) THEN (2) END AS x FROM t1

-- name: parentheses_argument
SELECT upper(c) AS x FROM t1
-- versus
SELECT upper((c)) AS x FROM t1

-- name: parentheses_group_key
SELECT a, count(*) AS n FROM t1 GROUP BY a
-- versus
SELECT a, count(*) AS n FROM t1 GROUP BY (a)

-- name: quote_column
SELECT a FROM t1
-- versus
SELECT `a` FROM `t1`

-- name: quote_alias
SELECT a AS x FROM t1
-- versus
SELECT a AS `x` FROM t1

-- name: quote_qualified
SELECT p.a FROM t1 p
-- versus
SELECT `p`.`a` FROM t1 AS `p`

-- name: quote_cte
WITH x AS (SELECT a FROM t1) SELECT a FROM x
-- versus
WITH `x` AS (SELECT a FROM t1) SELECT a FROM `x`

-- name: quote_string_double
SELECT a FROM t1 WHERE c = 'a'
-- versus
SELECT a FROM t1 WHERE c = "a"

-- name: quote_string_escape
SELECT 'it''s' AS x
-- versus
SELECT 'it\'s' AS x

-- name: quote_string_adjacent
SELECT 'ab' AS x
-- versus
SELECT 'a' 'b' AS x

-- name: quote_string_raw
SELECT 'ab' AS x
-- versus
SELECT r'ab' AS x

-- name: quote_string_unicode
SELECT 'é' AS x
-- versus
SELECT '\u00e9' AS x

-- name: quote_struct_field
SELECT st.x AS v FROM nested
-- versus
SELECT st.`x` AS v FROM nested

-- name: spelling_not_equal
SELECT a FROM t1 WHERE a <> 1
-- versus
SELECT a FROM t1 WHERE a != 1

-- name: spelling_equal
SELECT a FROM t1 WHERE a = 1
-- versus
SELECT a FROM t1 WHERE a == 1

-- name: spelling_inner_join
SELECT t1.a FROM t1 JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a FROM t1 INNER JOIN t2 ON t1.a = t2.a

-- name: spelling_left_outer
SELECT t1.a FROM t1 LEFT JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a FROM t1 LEFT OUTER JOIN t2 ON t1.a = t2.a

-- name: spelling_full_outer
SELECT t1.a FROM t1 FULL JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a FROM t1 FULL OUTER JOIN t2 ON t1.a = t2.a

-- name: spelling_semi
SELECT a FROM t1 LEFT SEMI JOIN t2 USING (a)
-- versus
SELECT a FROM t1 SEMI JOIN t2 USING (a)

-- name: spelling_anti
SELECT t1.a FROM t1 LEFT ANTI JOIN t2 ON t1.a = t2.a
-- versus
SELECT t1.a FROM t1 ANTI JOIN t2 ON t1.a = t2.a

-- name: spelling_minus
SELECT a FROM t1 EXCEPT SELECT a FROM t2
-- versus
SELECT a FROM t1 MINUS SELECT a FROM t2

-- name: spelling_union_distinct
SELECT a FROM t1 UNION SELECT a FROM t2
-- versus
SELECT a FROM t1 UNION DISTINCT SELECT a FROM t2

-- name: spelling_select_all
SELECT a FROM t1
-- versus
SELECT ALL a FROM t1

-- name: spelling_order_asc
SELECT k FROM uniq ORDER BY k LIMIT 2
-- versus
SELECT k FROM uniq ORDER BY k ASC LIMIT 2

-- name: spelling_order_nulls
SELECT id FROM emp ORDER BY salary, id LIMIT 2
-- versus
SELECT id FROM emp ORDER BY salary ASC NULLS FIRST, id ASC NULLS FIRST LIMIT 2

-- name: spelling_order_desc_nulls
SELECT id FROM emp ORDER BY salary DESC, id LIMIT 2
-- versus
SELECT id FROM emp ORDER BY salary DESC NULLS LAST, id LIMIT 2

-- name: spelling_cast_colons
SELECT CAST(a AS BIGINT) AS x FROM t1
-- versus
SELECT a::BIGINT AS x FROM t1

-- name: spelling_integer_type
SELECT CAST(e AS INT) AS x FROM t3
-- versus
SELECT CAST(e AS INTEGER) AS x FROM t3

-- name: spelling_bigint_type
SELECT CAST(a AS BIGINT) AS x FROM t1
-- versus
SELECT CAST(a AS LONG) AS x FROM t1

-- name: spelling_decimal_type
SELECT CAST(a AS DECIMAL(5,0)) AS x FROM t1
-- versus
SELECT CAST(a AS DECIMAL(5)) AS x FROM t1

-- name: spelling_numeric_type
SELECT CAST(a AS DECIMAL(5,2)) AS x FROM t1
-- versus
SELECT CAST(a AS NUMERIC(5,2)) AS x FROM t1

-- name: spelling_string_type
SELECT CAST(a AS STRING) AS x FROM t1
-- versus
SELECT string(a) AS x FROM t1

-- name: spelling_between
SELECT a FROM t1 WHERE a BETWEEN 1 AND 3
-- versus
SELECT a FROM t1 WHERE a >= 1 AND a <= 3

-- name: spelling_not_between
SELECT a FROM t1 WHERE a NOT BETWEEN 1 AND 3
-- versus
SELECT a FROM t1 WHERE NOT (a BETWEEN 1 AND 3)

-- name: spelling_not_in
SELECT a FROM t1 WHERE a NOT IN (1, 2)
-- versus
SELECT a FROM t1 WHERE NOT (a IN (1, 2))

-- name: spelling_not_like
SELECT id FROM texts WHERE s NOT LIKE 'h%'
-- versus
SELECT id FROM texts WHERE NOT (s LIKE 'h%')

-- name: spelling_is_not_null
SELECT a FROM t1 WHERE a IS NOT NULL
-- versus
SELECT a FROM t1 WHERE NOT (a IS NULL)

-- name: spelling_not_exists
SELECT a FROM t1 WHERE NOT EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)
-- versus
SELECT a FROM t1 WHERE NOT (EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a))

-- name: spelling_exists_list
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)
-- versus
SELECT a FROM t1 WHERE EXISTS (SELECT * FROM t2 WHERE t2.a = t1.a)

-- name: spelling_if_case
SELECT if(a > 1, 'x', 'y') AS x FROM t1
-- versus
SELECT CASE WHEN a > 1 THEN 'x' ELSE 'y' END AS x FROM t1

-- name: spelling_case_else_null
SELECT CASE WHEN a > 1 THEN b END AS x FROM t1
-- versus
SELECT CASE WHEN a > 1 THEN b ELSE NULL END AS x FROM t1

-- name: spelling_case_simple
SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END AS x FROM t1
-- versus
SELECT CASE WHEN a = 1 THEN 'x' ELSE 'y' END AS x FROM t1

-- name: spelling_rollup
SELECT a, c, count(*) AS n FROM t1 GROUP BY ROLLUP (a, c)
-- versus
SELECT a, c, count(*) AS n FROM t1 GROUP BY a, c WITH ROLLUP

-- name: spelling_cube
SELECT a, c, count(*) AS n FROM t1 GROUP BY CUBE (a, c)
-- versus
SELECT a, c, count(*) AS n FROM t1 GROUP BY a, c WITH CUBE

-- name: spelling_rollup_sets
SELECT a, c, count(*) AS n FROM t1 GROUP BY ROLLUP (a, c)
-- versus
SELECT a, c, count(*) AS n FROM t1 GROUP BY GROUPING SETS ((a, c), (a), ())

-- name: spelling_sets_old
SELECT a, c, count(*) AS n FROM t1 GROUP BY GROUPING SETS ((a), (c))
-- versus
SELECT a, c, count(*) AS n FROM t1 GROUP BY a, c GROUPING SETS ((a), (c))

-- name: spelling_group_ordinal
SELECT a, sum(b) AS s FROM t1 GROUP BY a
-- versus
SELECT a, sum(b) AS s FROM t1 GROUP BY 1

-- name: spelling_group_alias
SELECT a % 2 AS p, sum(b) AS s FROM t1 GROUP BY a % 2
-- versus
SELECT a % 2 AS p, sum(b) AS s FROM t1 GROUP BY p

-- name: spelling_group_all
SELECT a, sum(b) AS s FROM t1 GROUP BY a
-- versus
SELECT a, sum(b) AS s FROM t1 GROUP BY ALL

-- name: spelling_having_alias
SELECT a, sum(b) AS s FROM t1 GROUP BY a HAVING sum(b) > 20
-- versus
SELECT a, sum(b) AS s FROM t1 GROUP BY a HAVING s > 20

-- name: spelling_order_ordinal
SELECT id FROM emp ORDER BY id LIMIT 3
-- versus
SELECT id FROM emp ORDER BY 1 LIMIT 3

-- name: spelling_lateral_alias
SELECT a + 1 AS x, (a + 1) * 2 AS y FROM t1
-- versus
SELECT a + 1 AS x, x * 2 AS y FROM t1

-- name: spelling_star
SELECT a, b, c FROM t1
-- versus
SELECT * FROM t1

-- name: spelling_qualified_star
SELECT t1.a, t1.b, t1.c FROM t1
-- versus
SELECT t1.* FROM t1

-- name: spelling_star_except
SELECT a, c FROM t1
-- versus
SELECT * EXCEPT (b) FROM t1

-- name: spelling_comma_join
SELECT t1.a FROM t1, t2 WHERE t1.a = t2.a
-- versus
SELECT t1.a FROM t1 CROSS JOIN t2 WHERE t1.a = t2.a

-- name: spelling_using
SELECT t1.a, t2.d FROM t1 JOIN t2 ON t1.a = t2.a
-- versus
SELECT a, d FROM t1 JOIN t2 USING (a)

-- name: spelling_natural
SELECT a, b, c, d FROM t1 JOIN t2 USING (a, b)
-- versus
SELECT a, b, c, d FROM t1 NATURAL JOIN t2

-- name: spelling_rows_short
SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) AS s FROM emp
-- versus
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM emp

-- name: spelling_default_frame
SELECT sum(id) OVER (ORDER BY dept_id) AS s FROM emp
-- versus
SELECT sum(id) OVER (ORDER BY dept_id RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM emp

-- name: spelling_whole_partition
SELECT sum(id) OVER (PARTITION BY dept_id) AS s FROM emp
-- versus
SELECT sum(id) OVER (PARTITION BY dept_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS s FROM emp

-- name: spelling_respect_nulls
SELECT lag(id) OVER (ORDER BY id) AS s FROM emp
-- versus
SELECT lag(id) RESPECT NULLS OVER (ORDER BY id) AS s FROM emp

-- name: spelling_lag_default
SELECT lag(id) OVER (ORDER BY id) AS s FROM emp
-- versus
SELECT lag(id, 1, NULL) OVER (ORDER BY id) AS s FROM emp

-- name: spelling_qualify
SELECT id FROM emp QUALIFY row_number() OVER (ORDER BY id) = 1
-- versus
SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM emp) x WHERE n = 1

-- name: spelling_pipe
SELECT a, b FROM t1 WHERE a = 1
-- versus
FROM t1 |> WHERE a = 1 |> SELECT a, b

-- name: spelling_from_first
SELECT a FROM t1 WHERE a = 1
-- versus
FROM t1 SELECT a WHERE a = 1

-- name: spelling_table
SELECT * FROM t3
-- versus
TABLE t3

-- name: spelling_interval
SELECT d + INTERVAL 2 DAYS AS x FROM moments WHERE id < 9
-- versus
SELECT d + INTERVAL '2' DAY AS x FROM moments WHERE id < 9

-- name: spelling_substring
SELECT substring(s, 2, 3) AS x FROM texts
-- versus
SELECT substring(s FROM 2 FOR 3) AS x FROM texts

-- name: spelling_trim
SELECT trim(s) AS x FROM texts
-- versus
SELECT trim(BOTH FROM s) AS x FROM texts

-- name: spelling_rlike
SELECT id FROM texts WHERE s RLIKE '^h'
-- versus
SELECT id FROM texts WHERE s REGEXP '^h'

-- name: spelling_values_names
SELECT x FROM VALUES (1), (2) AS v(x)
-- versus
SELECT col1 AS x FROM VALUES (1), (2)

-- name: spelling_limit_all
SELECT k FROM uniq
-- versus
SELECT k FROM uniq LIMIT ALL

-- name: spelling_is_distinct
SELECT a <=> b AS x FROM t1
-- versus
SELECT a IS NOT DISTINCT FROM b AS x FROM t1

-- name: cte_for_subquery
SELECT a FROM (SELECT a FROM t1 WHERE b = 10) x
-- versus
WITH x AS (SELECT a FROM t1 WHERE b = 10) SELECT a FROM x

-- name: cte_for_two_subqueries
SELECT x.a FROM (SELECT a FROM t1) x JOIN (SELECT a FROM t2) y ON x.a = y.a
-- versus
WITH x AS (SELECT a FROM t1), y AS (SELECT a FROM t2) SELECT x.a FROM x JOIN y ON x.a = y.a

-- name: cte_chain_for_nesting
SELECT a FROM (SELECT a FROM (SELECT a, b FROM t1 WHERE b > 5) p WHERE a > 1) q
-- versus
WITH p AS (SELECT a, b FROM t1 WHERE b > 5), q AS (SELECT a FROM p WHERE a > 1) SELECT a FROM q

-- name: cte_nested_for_chain
WITH x AS (SELECT a FROM t1), y AS (SELECT a + 1 AS b FROM x) SELECT b FROM y
-- versus
WITH y AS (WITH x AS (SELECT a FROM t1) SELECT a + 1 AS b FROM x) SELECT b FROM y

-- name: cte_twice_for_copies
WITH x AS (SELECT a, sum(b) AS s FROM t1 GROUP BY a) SELECT p.a FROM x p JOIN x q ON p.s = q.s
-- versus
SELECT p.a FROM (SELECT a, sum(b) AS s FROM t1 GROUP BY a) p JOIN (SELECT a, sum(b) AS s FROM t1 GROUP BY a) q ON p.s = q.s

-- name: cte_in_exists
WITH x AS (SELECT a FROM t2) SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM x WHERE x.a = t1.a)
-- versus
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM (SELECT a FROM t2) x WHERE x.a = t1.a)

-- name: cte_in_scalar
WITH x AS (SELECT max(k) AS m FROM uniq) SELECT a FROM t1 WHERE a = (SELECT m FROM x)
-- versus
SELECT a FROM t1 WHERE a = (SELECT max(k) AS m FROM uniq)

-- name: cte_order
WITH x AS (SELECT a FROM t1), y AS (SELECT a FROM t2) SELECT x.a FROM x, y WHERE x.a = y.a
-- versus
WITH y AS (SELECT a FROM t2), x AS (SELECT a FROM t1) SELECT x.a FROM x, y WHERE x.a = y.a

-- name: cte_around_union
SELECT a FROM t1 UNION ALL SELECT a FROM t2
-- versus
WITH x AS (SELECT a FROM t1 UNION ALL SELECT a FROM t2) SELECT a FROM x

-- name: derived_identity
SELECT a FROM t1
-- versus
SELECT a FROM (SELECT * FROM t1) x

-- name: derived_identity_twice
SELECT a FROM t1 WHERE b = 10
-- versus
SELECT a FROM (SELECT a FROM (SELECT a, b FROM t1) x WHERE b = 10) y

-- name: order_dropped
SELECT a FROM t1
-- versus
SELECT a FROM t1 ORDER BY a

-- name: order_dropped_in_subquery
SELECT count(*) AS n FROM t1
-- versus
SELECT count(*) AS n FROM (SELECT a FROM t1 ORDER BY a DESC) x

-- name: filter_two_levels
SELECT a FROM t1 WHERE a = 1 AND b = 10
-- versus
SELECT a FROM (SELECT a, b FROM t1 WHERE a = 1) x WHERE b = 10

-- name: filter_on_inner_join
SELECT t1.a FROM t1 JOIN t2 ON t1.a = t2.a WHERE t1.b = 10
-- versus
SELECT t1.a FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b = 10

-- name: filter_comma_join
SELECT t1.a FROM t1, t2 WHERE t1.a = t2.a AND t1.b = 10
-- versus
SELECT t1.a FROM t1 JOIN t2 ON t1.a = t2.a WHERE t1.b = 10

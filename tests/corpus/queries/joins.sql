-- name: join_inner
SELECT t1.a AS a, t1.b AS b, t2.d AS d FROM t1 JOIN t2 ON t1.a = t2.a

-- name: join_inner_keyword
SELECT t1.a AS a, t2.b AS b FROM t1 INNER JOIN t2 ON t1.a = t2.a AND t1.b = t2.b

-- name: join_comma
SELECT t1.a AS a, t2.d AS d FROM t1, t2 WHERE t1.a = t2.a

-- name: join_comma_three
SELECT t1.a AS a, t2.d AS d, t3.e AS e FROM t1, t2, t3 WHERE t1.a = t2.a AND t2.a = t3.a

-- name: join_comma_without_condition
SELECT x.x AS x, u.k AS k FROM single x, uniq u

-- name: join_comma_mixed_with_join
SELECT t1.a AS a, t2.d AS d, t3.e AS e FROM t1, t2 LEFT JOIN t3 ON t2.a = t3.a WHERE t1.a = t2.a

-- name: join_cross
SELECT t3.a AS a, u.k AS k FROM t3 CROSS JOIN uniq u

-- name: join_cross_with_filter
SELECT t3.a AS a, u.v AS v FROM t3 CROSS JOIN uniq u WHERE t3.a = u.k

-- name: join_without_on
SELECT t3.e AS e, u.k AS k FROM t3 JOIN uniq u

-- name: join_left
SELECT t1.a AS a, t1.c AS c, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a

-- name: join_left_outer_residual
SELECT t1.a AS a, t1.b AS b, t2.b AS b2 FROM t1 LEFT OUTER JOIN t2 ON t1.a = t2.a AND t1.b < t2.b

-- name: join_left_condition_on_left_only
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a AND t1.b = 10

-- name: join_left_condition_on_right_only
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a AND t2.d = 'y'

-- name: join_left_filter_on_right
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE t2.d = 'y'

-- name: join_left_filter_is_null
SELECT t1.a AS a, t1.c AS c FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE t2.a IS NULL

-- name: join_left_filter_keeps_nulls
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE coalesce(t2.d, 'none') <> 'y'

-- name: join_right
SELECT t1.c AS c, t2.a AS a, t2.d AS d FROM t1 RIGHT JOIN t2 ON t1.a = t2.a

-- name: join_right_outer_non_equi
SELECT t1.b AS b1, t2.b AS b2 FROM t1 RIGHT OUTER JOIN t2 ON t1.b > t2.b

-- name: join_full
SELECT t1.a AS a1, t2.a AS a2, t1.c AS c, t2.d AS d FROM t1 FULL JOIN t2 ON t1.a = t2.a

-- name: join_full_outer_residual
SELECT t1.a AS a1, t2.a AS a2, t1.b AS b1, t2.b AS b2 FROM t1 FULL OUTER JOIN t2 ON t1.a = t2.a AND t1.b <= t2.b

-- name: join_full_non_equi
SELECT t3.a AS a1, u.k AS k FROM t3 FULL JOIN uniq u ON t3.a < u.k - 2

-- name: join_full_on_false
SELECT t3.a AS a, u.k AS k FROM t3 FULL JOIN uniq u ON false

-- name: join_full_null_safe
SELECT t1.a AS a1, t2.a AS a2 FROM t1 FULL JOIN t2 ON t1.a <=> t2.a

-- name: join_left_on_true
SELECT t3.a AS a, x.x AS x FROM t3 LEFT JOIN single x ON true

-- name: join_left_on_null
SELECT t3.a AS a, x.x AS x FROM t3 LEFT JOIN single x ON CAST(NULL AS BOOLEAN)

-- name: join_left_semi
SELECT a, b, c FROM t1 LEFT SEMI JOIN t2 ON t1.a = t2.a

-- name: join_semi_keyword
SELECT a, b FROM t1 SEMI JOIN t2 ON t1.a = t2.a AND t1.b = t2.b

-- name: join_left_semi_non_equi
SELECT a, e FROM t3 LEFT SEMI JOIN uniq u ON t3.a > u.k

-- name: join_left_semi_null_safe
SELECT a, c FROM t1 LEFT SEMI JOIN t2 ON t1.a <=> t2.a

-- name: join_left_anti
SELECT a, b, c FROM t1 LEFT ANTI JOIN t2 ON t1.a = t2.a

-- name: join_anti_keyword
SELECT a, b FROM t1 ANTI JOIN t3 ON t1.a = t3.a

-- name: join_left_anti_residual
SELECT a, b FROM t1 LEFT ANTI JOIN t2 ON t1.a = t2.a AND t1.b < t2.b

-- name: join_left_anti_without_equality
SELECT k FROM uniq LEFT ANTI JOIN t3 ON uniq.k < t3.a

-- name: join_semi_using
SELECT a, b, c FROM t1 LEFT SEMI JOIN t2 USING (a, b)

-- name: join_anti_using
SELECT a, c FROM t1 LEFT ANTI JOIN t2 USING (a)

-- name: join_using
SELECT a, t1.b AS b, d FROM t1 JOIN t2 USING (a)

-- name: join_using_two
SELECT a, b, c, d FROM t1 JOIN t2 USING (a, b)

-- name: join_using_star
SELECT * FROM t1 JOIN t3 USING (a)

-- name: join_using_left_star
SELECT * FROM t1 LEFT JOIN t3 USING (a)

-- name: join_using_right
SELECT a, c, e FROM t1 RIGHT JOIN t3 USING (a)

-- name: join_using_full
SELECT a, c, e FROM t1 FULL JOIN t3 USING (a)

-- name: join_using_full_sides
SELECT a, t1.a AS left_a, t3.a AS right_a FROM t1 FULL JOIN t3 USING (a)

-- name: join_using_chain
SELECT a, c, d, e FROM t1 JOIN t2 USING (a) JOIN t3 USING (a)

-- name: join_using_full_chain
SELECT a, d, e FROM t2 FULL JOIN t3 USING (a) FULL JOIN (SELECT k AS a FROM uniq) u USING (a)

-- name: join_natural
SELECT * FROM t1 NATURAL JOIN t2

-- name: join_natural_left
SELECT a, b, c, d FROM t1 NATURAL LEFT JOIN t2

-- name: join_natural_full
SELECT a, e, c FROM t3 NATURAL FULL OUTER JOIN t1

-- name: join_natural_no_common_columns
SELECT * FROM t3 NATURAL JOIN single

-- name: join_null_safe
SELECT t1.a AS a, t1.c AS c, t2.d AS d FROM t1 JOIN t2 ON t1.a <=> t2.a

-- name: join_null_safe_and_plain
SELECT t1.a AS a, t2.d AS d FROM t1 JOIN t2 ON t1.a <=> t2.a AND t1.b = t2.b

-- name: join_null_safe_left
SELECT t1.a AS a, t2.d AS d FROM t1 LEFT JOIN t2 ON t1.a <=> t2.a AND t1.b <=> t2.b

-- name: join_non_equi
SELECT t1.b AS b1, t2.b AS b2 FROM t1 JOIN t2 ON t1.b < t2.b

-- name: join_between
SELECT u.k AS k, t3.e AS e FROM uniq u JOIN t3 ON u.k BETWEEN t3.a - 1 AND t3.a + 1

-- name: join_inequality
SELECT x.k AS k1, y.k AS k2 FROM uniq x JOIN uniq y ON x.k <> y.k AND x.v = y.v

-- name: join_or_condition
SELECT t1.a AS a, t3.e AS e FROM t1 JOIN t3 ON t1.a = t3.a OR t1.b = t3.e

-- name: join_or_with_common_part
SELECT t1.a AS a, t2.d AS d FROM t1 JOIN t2 ON (t1.a = t2.a AND t1.b = 10) OR (t1.a = t2.a AND t2.b = 20)

-- name: join_expression_keys
SELECT t1.a AS a, u.v AS v FROM t1 JOIN uniq u ON t1.a + 1 = u.k

-- name: join_keys_of_different_types
SELECT t3.e AS e, t1.b AS b FROM t3 JOIN t1 ON t3.e = t1.b

-- name: join_int_with_string
SELECT u.k AS k, w.s AS s FROM uniq u JOIN (SELECT '2' AS s UNION ALL SELECT '4') w ON u.k = w.s

-- name: join_decimal_with_int
SELECT n.id AS id, n.p AS p FROM nums n JOIN (SELECT 0 AS z) z ON n.p = z.z

-- name: join_decimals_of_two_scales
SELECT x.id AS i, y.id AS j FROM nums x JOIN nums y ON x.p = y.q

-- name: join_on_nan
SELECT x.id AS i, y.id AS j FROM nums x JOIN nums y ON x.x = y.x

-- name: join_on_float_and_double
SELECT x.id AS i, y.id AS j FROM nums x JOIN nums y ON x.x = y.f

-- name: join_on_string_with_unicode
SELECT x.id AS i, y.id AS j FROM texts x JOIN texts y ON x.s = y.t OR lower(x.s) = lower(y.s)

-- name: join_on_date
SELECT m.id AS i, s.id AS j FROM moments m JOIN sale s ON m.d = s.sold_on

-- name: join_date_with_timestamp
SELECT x.id AS i, y.id AS j FROM moments x JOIN moments y ON x.d = y.ts

-- name: join_self
SELECT e.name AS name, m.name AS manager FROM emp e JOIN emp m ON e.manager_id = m.id

-- name: join_self_left_three_levels
SELECT e.id AS id, m.name AS boss, g.name AS grand FROM emp e LEFT JOIN emp m ON e.manager_id = m.id LEFT JOIN emp g ON m.manager_id = g.id

-- name: join_self_same_column_twice
SELECT x.a AS a1, y.a AS a2 FROM t1 x, t1 y WHERE x.a = y.a AND x.b < y.b

-- name: join_self_duplicates_multiply
SELECT x.a AS a, x.b AS b FROM t1 x JOIN t1 y ON x.a = y.a AND x.b = y.b AND x.c = y.c

-- name: join_empty_right
SELECT t1.a AS a, n.b AS b FROM t1 JOIN nothing n ON t1.a = n.a

-- name: join_left_empty_right
SELECT t1.a AS a, n.b AS b FROM t1 LEFT JOIN nothing n ON t1.a = n.a

-- name: join_full_empty_left
SELECT n.a AS a, t3.e AS e FROM nothing n FULL JOIN t3 ON n.a = t3.a

-- name: join_anti_empty
SELECT a FROM t1 LEFT ANTI JOIN nothing n ON t1.a = n.a

-- name: join_all_null_keys
SELECT x.a AS a FROM allnull x JOIN allnull y ON x.a = y.a

-- name: join_all_null_keys_null_safe
SELECT x.a AS a, y.s AS s FROM allnull x JOIN allnull y ON x.a <=> y.a

-- name: join_parenthesized
SELECT t1.a AS a, t2.d AS d, t3.e AS e FROM t1 LEFT JOIN (t2 JOIN t3 ON t2.a = t3.a) ON t1.a = t2.a

-- name: join_subqueries
SELECT x.a AS a, y.n AS n FROM (SELECT DISTINCT a FROM t1) x JOIN (SELECT a, count(*) AS n FROM t2 GROUP BY a) y ON x.a = y.a

-- name: join_five_tables
SELECT e.name AS name, d.name AS dept, s.product AS product, m.name AS manager, u.v AS v FROM emp e JOIN dept d ON e.dept_id = d.id LEFT JOIN sale s ON s.emp_id = e.id LEFT JOIN emp m ON e.manager_id = m.id LEFT JOIN uniq u ON u.k = e.id

-- name: join_left_then_inner
SELECT t1.a AS a, t3.e AS e FROM t1 LEFT JOIN t2 ON t1.a = t2.a JOIN t3 ON t2.a = t3.a

-- name: join_inner_then_full
SELECT t1.a AS a, t3.a AS a3, t3.e AS e FROM t1 JOIN t2 ON t1.a = t2.a FULL JOIN t3 ON t1.a = t3.a

-- name: join_aggregated
SELECT d.name AS name, count(e.id) AS n, sum(e.salary) AS total FROM dept d LEFT JOIN emp e ON e.dept_id = d.id GROUP BY d.name

-- name: join_lateral
SELECT t1.a AS a, l.m AS m FROM t1, LATERAL (SELECT max(t2.b) AS m FROM t2 WHERE t2.a = t1.a) l

-- name: join_lateral_rows
SELECT u.k AS k, l.b AS b FROM uniq u JOIN LATERAL (SELECT t1.b FROM t1 WHERE t1.a = u.k) l

-- name: join_lateral_left
SELECT u.k AS k, l.b AS b FROM uniq u LEFT JOIN LATERAL (SELECT t1.b FROM t1 WHERE t1.a = u.k AND t1.b > 10) l ON true

-- name: join_lateral_top
SELECT d.id AS id, l.name AS name FROM dept d, LATERAL (SELECT e.name FROM emp e WHERE e.dept_id = d.id ORDER BY e.salary DESC, e.id LIMIT 1) l

-- name: join_lateral_expression
SELECT t3.a AS a, l.twice AS twice FROM t3, LATERAL (SELECT t3.a * 2 AS twice) l

-- name: join_lateral_chained
SELECT u.k AS k, y.z AS z FROM uniq u, LATERAL (SELECT u.k + 1 AS y) x, LATERAL (SELECT x.y * 10 AS z) y

-- name: join_on_with_in_list
SELECT t1.a AS a, t2.d AS d FROM t1 JOIN t2 ON t1.a = t2.a AND t2.d IN ('x', 'y')

-- name: join_left_on_exists
SELECT t1.a AS a, t2.d AS d FROM t1 JOIN t2 ON t1.a = t2.a AND EXISTS (SELECT 1 FROM t3 WHERE t3.a = t1.a)

-- name: join_on_like
SELECT x.id AS i, y.id AS j FROM texts x JOIN texts y ON x.s LIKE concat(y.s, '%')

-- name: join_on_case
SELECT t1.a AS a, t2.d AS d FROM t1 JOIN t2 ON CASE WHEN t1.b > 10 THEN t1.a = t2.a ELSE t1.b = t2.b END

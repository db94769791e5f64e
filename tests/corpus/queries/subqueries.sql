-- name: sub_in
SELECT a, b FROM t1 WHERE a IN (SELECT a FROM t2)

-- name: sub_in_nulls_on_the_right
SELECT k FROM uniq WHERE k IN (SELECT a FROM t3)

-- name: sub_in_two_columns
SELECT a, b FROM t1 WHERE (a, b) IN (SELECT a, b FROM t2)

-- name: sub_in_expression
SELECT a FROM t1 WHERE a + 1 IN (SELECT k FROM uniq)

-- name: sub_in_empty
SELECT a FROM t1 WHERE a IN (SELECT a FROM nothing)

-- name: sub_in_correlated
SELECT a, b FROM t1 WHERE b IN (SELECT b FROM t2 WHERE t2.a = t1.a)

-- name: sub_in_widening
SELECT b FROM t1 WHERE b IN (SELECT e FROM t3)

-- name: sub_in_aggregate
SELECT a FROM t1 WHERE a IN (SELECT max(a) FROM t3 WHERE a < 7)

-- name: sub_in_group_having
SELECT a, c FROM t1 WHERE a IN (SELECT a FROM t2 GROUP BY a HAVING count(*) > 1)

-- name: sub_in_distinct_limit
SELECT a FROM t1 WHERE a IN (SELECT k FROM uniq ORDER BY k LIMIT 2)

-- name: sub_in_union
SELECT a FROM t1 WHERE a IN (SELECT a FROM t2 UNION SELECT a FROM t3)

-- name: sub_not_in
SELECT k FROM uniq WHERE k NOT IN (SELECT a FROM t3 WHERE a IS NOT NULL)

-- name: sub_not_in_with_null
SELECT k FROM uniq WHERE k NOT IN (SELECT a FROM t3)

-- name: sub_not_in_null_on_the_left
SELECT a FROM t1 WHERE a NOT IN (SELECT k FROM uniq WHERE k > 2)

-- name: sub_not_in_empty
SELECT a FROM t1 WHERE a NOT IN (SELECT a FROM nothing)

-- name: sub_not_in_correlated
SELECT a, b FROM t1 WHERE b NOT IN (SELECT b FROM t2 WHERE t2.a = t1.a)

-- name: sub_not_in_correlated_without_nulls
SELECT a, b FROM t1 WHERE b NOT IN (SELECT b FROM t2 WHERE t2.a = t1.a AND t2.b IS NOT NULL)

-- name: sub_not_in_two_columns
SELECT k, v FROM uniq WHERE (k, v) NOT IN (SELECT a, d FROM t2 WHERE a IS NOT NULL AND d IS NOT NULL)

-- name: sub_not_in_two_columns_with_nulls
SELECT k, v FROM uniq WHERE (k, v) NOT IN (SELECT a, d FROM t2)

-- name: sub_not_outside_in
SELECT a FROM t1 WHERE NOT (a IN (SELECT a FROM t2 WHERE a IS NOT NULL))

-- name: sub_in_list_and_subquery
SELECT a FROM t1 WHERE a IN (1, 2) AND a IN (SELECT a FROM t3)

-- name: sub_exists
SELECT a, c FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)

-- name: sub_exists_star
SELECT a FROM t1 WHERE EXISTS (SELECT * FROM t2 WHERE t2.a = t1.a AND t2.b > t1.b)

-- name: sub_exists_uncorrelated
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE a = 6)

-- name: sub_exists_uncorrelated_empty
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM nothing)

-- name: sub_exists_non_equi
SELECT k FROM uniq WHERE EXISTS (SELECT 1 FROM t3 WHERE t3.a < uniq.k)

-- name: sub_exists_null_safe
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a <=> t1.a)

-- name: sub_exists_aggregate_always_true
SELECT a FROM t1 WHERE EXISTS (SELECT max(b) FROM t2 WHERE t2.a = t1.a)

-- name: sub_exists_group_having
SELECT a FROM t1 WHERE EXISTS (SELECT t2.a FROM t2 WHERE t2.a = t1.a GROUP BY t2.a HAVING count(*) > 1)

-- name: sub_exists_join
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 JOIN t3 ON t2.a = t3.a WHERE t2.a = t1.a)

-- name: sub_exists_limit
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a LIMIT 1)

-- name: sub_not_exists
SELECT a, c FROM t1 WHERE NOT EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)

-- name: sub_not_exists_uncorrelated
SELECT a FROM t1 WHERE NOT EXISTS (SELECT 1 FROM nothing)

-- name: sub_exists_and_not_exists
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a) AND NOT EXISTS (SELECT 1 FROM t3 WHERE t3.a = t1.a)

-- name: sub_exists_under_or
SELECT a, b FROM t1 WHERE a = 4 OR EXISTS (SELECT 1 FROM t3 WHERE t3.a = t1.a)

-- name: sub_in_under_or
SELECT a, b FROM t1 WHERE b = 40 OR a IN (SELECT a FROM t3)

-- name: sub_two_under_or
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t3 WHERE t3.a = t1.a) OR a IN (SELECT a FROM t2 WHERE d = 'y')

-- name: sub_not_in_under_or
SELECT k FROM uniq WHERE k = 1 OR k NOT IN (SELECT a FROM t3 WHERE a IS NOT NULL)

-- name: sub_exists_in_select
SELECT a, EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a) AS has FROM t1

-- name: sub_not_exists_in_select
SELECT k, NOT EXISTS (SELECT 1 FROM t3 WHERE t3.a = uniq.k) AS lacks FROM uniq

-- name: sub_in_in_select
SELECT k, k IN (SELECT a FROM t1 WHERE a IS NOT NULL) AS found FROM uniq

-- name: sub_in_in_select_three_valued
SELECT a, a IN (SELECT a FROM t3) AS found FROM t1

-- name: sub_exists_in_case
SELECT a, CASE WHEN EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a) THEN 'yes' ELSE 'no' END AS x FROM t1

-- name: sub_in_in_case_where
SELECT a FROM t1 WHERE CASE WHEN b > 10 THEN a IN (SELECT a FROM t2) ELSE false END

-- name: sub_scalar_uncorrelated
SELECT a, (SELECT max(b) FROM t2) AS m FROM t1

-- name: sub_scalar_in_where
SELECT a, b FROM t1 WHERE b = (SELECT max(b) FROM t1)

-- name: sub_scalar_empty_is_null
SELECT k, (SELECT a FROM nothing) AS n FROM uniq

-- name: sub_scalar_in_arithmetic
SELECT a + (SELECT min(k) FROM uniq) AS x FROM t1

-- name: sub_scalar_without_aggregate
SELECT k, (SELECT x FROM single) AS x FROM uniq

-- name: sub_scalar_limit_one
SELECT k, (SELECT v FROM uniq ORDER BY k DESC LIMIT 1) AS last FROM uniq

-- name: sub_scalar_correlated
SELECT a, (SELECT max(t2.b) FROM t2 WHERE t2.a = t1.a) AS m FROM t1

-- name: sub_scalar_correlated_count
SELECT a, (SELECT count(*) FROM t2 WHERE t2.a = t1.a) AS n FROM t1

-- name: sub_scalar_correlated_count_column
SELECT a, (SELECT count(t2.b) FROM t2 WHERE t2.a = t1.a) AS n FROM t1

-- name: sub_scalar_count_plus_one
SELECT a, (SELECT count(*) + 1 FROM t2 WHERE t2.a = t1.a) AS n FROM t1

-- name: sub_scalar_count_compared
SELECT a FROM t1 WHERE (SELECT count(*) FROM t2 WHERE t2.a = t1.a) = 0

-- name: sub_scalar_coalesce_inside
SELECT a, (SELECT coalesce(sum(t2.b), -1) FROM t2 WHERE t2.a = t1.a) AS s FROM t1

-- name: sub_scalar_having_count_bug
SELECT a, (SELECT count(*) FROM t2 WHERE t2.a = t1.a HAVING count(*) > 1) AS n FROM t1

-- name: sub_scalar_correlated_where
SELECT a, b FROM t1 WHERE b >= (SELECT avg(t2.b) FROM t2 WHERE t2.a = t1.a)

-- name: sub_scalar_self
SELECT id, salary FROM emp e WHERE salary > (SELECT avg(salary) FROM emp i WHERE i.dept_id = e.dept_id)

-- name: sub_scalar_max_self
SELECT id FROM emp e WHERE salary = (SELECT max(salary) FROM emp i WHERE i.dept_id = e.dept_id)

-- name: sub_scalar_two_keys
SELECT a, b, (SELECT count(*) FROM t2 WHERE t2.a = t1.a AND t2.b = t1.b) AS n FROM t1

-- name: sub_scalar_null_safe
SELECT a, (SELECT count(*) FROM t2 WHERE t2.a <=> t1.a) AS n FROM t1

-- name: sub_scalar_unique_without_aggregate
SELECT a, (SELECT first(v) FROM uniq WHERE uniq.k = t1.a) AS v FROM t1

-- name: sub_scalar_grouped_by_key
SELECT a, (SELECT sum(t2.b) FROM t2 WHERE t2.a = t1.a GROUP BY t2.a) AS s FROM t1

-- name: sub_scalar_expression_of_outer
SELECT a, (SELECT max(t2.b) FROM t2 WHERE t2.a = t1.a + 1) AS m FROM t1

-- name: sub_scalar_non_equi
SELECT k, (SELECT count(*) FROM t3 WHERE t3.a < uniq.k) AS n FROM uniq

-- name: sub_scalar_in_case
SELECT a, CASE WHEN (SELECT count(*) FROM t2 WHERE t2.a = t1.a) > 1 THEN 'many' ELSE 'few' END AS x FROM t1

-- name: sub_scalar_in_function
SELECT k, coalesce((SELECT max(t3.e) FROM t3 WHERE t3.a = uniq.k), 0) AS e FROM uniq

-- name: sub_scalar_in_having
SELECT a, sum(b) AS s FROM t1 GROUP BY a HAVING sum(b) > (SELECT avg(b) FROM t2)

-- name: sub_scalar_correlated_in_having
SELECT a, count(*) AS n FROM t1 GROUP BY a HAVING count(*) >= (SELECT count(*) FROM t2 WHERE t2.a = t1.a)

-- name: sub_exists_in_having
SELECT a, count(*) AS n FROM t1 GROUP BY a HAVING EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)

-- name: sub_in_in_having
SELECT a, max(b) AS m FROM t1 GROUP BY a HAVING max(b) IN (SELECT b FROM t2)

-- name: sub_scalar_in_group_by_select
SELECT a, count(*) AS n, (SELECT max(k) FROM uniq) AS m FROM t1 GROUP BY a

-- name: sub_in_aggregate_argument
SELECT sum((SELECT max(k) FROM uniq) + a) AS s FROM t1

-- name: sub_correlated_in_aggregate_argument
SELECT sum(CASE WHEN EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a) THEN 1 ELSE 0 END) AS n FROM t1

-- name: sub_in_join_on
SELECT t1.a AS a, t3.e AS e FROM t1 JOIN t3 ON t1.a = t3.a AND t3.e > (SELECT min(b) FROM t2)

-- name: sub_in_subquery_in_join_on
SELECT t1.a AS a, t2.d AS d FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b IN (SELECT b FROM t2 WHERE d = 'x')

-- name: sub_in_order_by
SELECT k FROM uniq ORDER BY (SELECT max(k) FROM uniq) - k LIMIT 2

-- name: sub_nested_two_deep
SELECT a FROM t1 WHERE a IN (SELECT a FROM t2 WHERE b IN (SELECT b FROM t2 WHERE d = 'y'))

-- name: sub_nested_correlated_each_level
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a AND EXISTS (SELECT 1 FROM t3 WHERE t3.a = t2.a))

-- name: sub_nested_scalar_in_exists
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a AND t2.b < (SELECT max(b) FROM t2))

-- name: sub_nested_scalar_correlated_to_middle
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a AND t2.b = (SELECT max(x.b) FROM t2 x WHERE x.a = t2.a))

-- name: sub_in_scalar_in_select
SELECT a, (SELECT count(*) FROM t2 WHERE t2.a IN (SELECT a FROM t3)) AS n FROM t1

-- name: sub_from_derived
SELECT s.a AS a, s.n AS n FROM (SELECT a, count(*) AS n FROM t1 GROUP BY a) s WHERE s.n > 1

-- name: sub_from_derived_without_alias
SELECT a FROM (SELECT a FROM t1 WHERE a > 2)

-- name: sub_from_nested
SELECT x FROM (SELECT y + 1 AS x FROM (SELECT a * 2 AS y FROM t1) p) q

-- name: sub_alias_columns
SELECT s.p AS p, s.q AS q FROM (SELECT a, b FROM t1) AS s(p, q)

-- name: sub_shadowing_names
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 AS t1 WHERE t1.a = 6)

-- name: sub_inner_name_wins
SELECT k FROM uniq WHERE EXISTS (SELECT 1 FROM t1 WHERE a = 4 AND b = k * 10)

-- name: sub_unqualified_outer
SELECT k, v FROM uniq WHERE EXISTS (SELECT 1 FROM t3 WHERE a = k)

-- name: sub_scalar_of_union
SELECT (SELECT max(v) FROM (SELECT a AS v FROM t1 UNION ALL SELECT k FROM uniq) u) AS m

-- name: sub_not_in_values
SELECT k FROM uniq WHERE k NOT IN (SELECT * FROM VALUES (1), (2) AS v(x))

-- name: sub_two_scalars
SELECT k, (SELECT count(*) FROM t1 WHERE t1.a = k) AS n1, (SELECT count(*) FROM t2 WHERE t2.a = k) AS n2 FROM uniq

-- name: sub_scalar_boolean
SELECT k FROM uniq WHERE (SELECT max(a) > 3 FROM t1)

-- name: sub_in_negative_case
SELECT a FROM t1 WHERE (a IN (SELECT a FROM t3)) IS NULL

-- name: sub_exists_is_false
SELECT k FROM uniq WHERE (EXISTS (SELECT 1 FROM t3 WHERE t3.a = k)) = false

-- name: sub_correlated_over_window
SELECT k, (SELECT max(r) FROM (SELECT a, row_number() OVER (ORDER BY b, c) AS r FROM t1 WHERE a = 2) w) AS r FROM uniq

-- name: sub_correlated_lateral_alias
SELECT u.k AS k, (SELECT max(x.b) FROM t1 AS x WHERE x.a = u.k) AS m FROM uniq AS u

-- name: sub_scalar_without_aggregate_correlated
SELECT a, (SELECT v FROM uniq WHERE uniq.k = t1.a) AS v FROM t1

-- name: sub_exists_in_group_by
SELECT count(*) AS n FROM t1 GROUP BY EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)

-- name: sub_exists_full_join_inside
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 FULL JOIN t3 ON t2.a = t3.a WHERE t2.b = t1.b)

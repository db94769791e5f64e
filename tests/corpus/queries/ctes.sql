-- name: cte_simple
WITH x AS (SELECT a, b FROM t1 WHERE a IS NOT NULL) SELECT a, b FROM x

-- name: cte_column_list
WITH x(p, q) AS (SELECT a, b FROM t1) SELECT p, q FROM x

-- name: cte_two
WITH x AS (SELECT a FROM t1), y AS (SELECT a FROM t2) SELECT x.a AS a FROM x JOIN y ON x.a = y.a

-- name: cte_uses_earlier
WITH x AS (SELECT a, count(*) AS n FROM t1 GROUP BY a), y AS (SELECT max(n) AS m FROM x) SELECT x.a AS a FROM x, y WHERE x.n = y.m

-- name: cte_shared
WITH x AS (SELECT a, sum(b) AS s FROM t1 GROUP BY a) SELECT l.a AS a, r.s AS s FROM x l JOIN x r ON l.a = r.a

-- name: cte_shared_in_subquery
WITH x AS (SELECT a, sum(b) AS s FROM t1 GROUP BY a) SELECT a FROM x WHERE s = (SELECT max(s) FROM x)

-- name: cte_shadows_table
WITH t1 AS (SELECT k AS a FROM uniq) SELECT a FROM t1

-- name: cte_shadows_table_and_reads_it
WITH t1 AS (SELECT a, b FROM t1 WHERE b > 10) SELECT a, b FROM t1

-- name: cte_nested
WITH x AS (WITH y AS (SELECT a FROM t1 WHERE a > 1) SELECT a + 1 AS b FROM y) SELECT b FROM x

-- name: cte_nested_shadowing
WITH x AS (SELECT 1 AS v), y AS (WITH x AS (SELECT 2 AS v) SELECT v FROM x) SELECT x.v AS outer_v, y.v AS inner_v FROM x, y

-- name: cte_in_subquery
SELECT a FROM (WITH x AS (SELECT a FROM t1) SELECT a FROM x WHERE a > 2) s

-- name: cte_in_scalar_subquery
SELECT (WITH x AS (SELECT max(a) AS m FROM t1) SELECT m FROM x) AS m

-- name: cte_in_exists
SELECT a FROM t1 WHERE EXISTS (WITH x AS (SELECT a AS z FROM t2) SELECT 1 FROM x WHERE x.z = t1.a)

-- name: cte_outer_seen_in_subquery
WITH x AS (SELECT a FROM t2) SELECT a FROM t1 WHERE a IN (SELECT a FROM x)

-- name: cte_with_union
WITH x AS (SELECT a FROM t1 UNION SELECT a FROM t2) SELECT count(*) AS n FROM x

-- name: cte_before_union
WITH x AS (SELECT a FROM t1) SELECT a FROM x UNION ALL SELECT a FROM x WHERE a = 1

-- name: cte_unused
WITH x AS (SELECT a FROM t1), unused AS (SELECT b FROM t2) SELECT a FROM x

-- name: cte_alias_of_cte
WITH x AS (SELECT a, b FROM t1) SELECT y.a AS a FROM x AS y WHERE y.b = 10

-- name: cte_case_insensitive
WITH Xy AS (SELECT A FROM T1) SELECT xY.a AS a FROM XY

-- name: cte_with_order_limit
WITH x AS (SELECT a, b FROM t1 ORDER BY b DESC, a LIMIT 3) SELECT a, b FROM x

-- name: cte_chain_of_four
WITH a1 AS (SELECT k FROM uniq), a2 AS (SELECT k + 1 AS k FROM a1), a3 AS (SELECT k * 2 AS k FROM a2), a4 AS (SELECT k FROM a3 WHERE k > 6) SELECT k FROM a4

-- name: cte_values
WITH v(x, y) AS (VALUES (1, 'a'), (2, NULL)) SELECT x, y FROM v

-- name: cte_recursive
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT n FROM r

-- name: cte_recursive_over_table
WITH RECURSIVE r(id, level) AS (SELECT id, 0 FROM emp WHERE manager_id IS NULL UNION ALL SELECT e.id, r.level + 1 FROM emp e JOIN r ON e.manager_id = r.id) SELECT id, level FROM r

-- name: cte_self_join_with_filter
WITH x AS (SELECT a, b FROM t1) SELECT p.a AS a, q.b AS b FROM x p LEFT JOIN x q ON p.a = q.a AND q.b > 10

-- name: cte_used_three_times
WITH x AS (SELECT a FROM t1 WHERE a IS NOT NULL) SELECT count(*) AS n FROM x WHERE a IN (SELECT a FROM x WHERE a > 1) AND EXISTS (SELECT 1 FROM x y WHERE y.a = x.a)

-- name: cte_column_list_over_star
WITH x(p, q, r) AS (SELECT * FROM t1) SELECT r, p FROM x

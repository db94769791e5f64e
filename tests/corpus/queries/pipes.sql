-- name: pipe_where_select
FROM t1 |> WHERE a = 1 |> SELECT a, b

-- name: pipe_extend
FROM t1 |> EXTEND a + 1 AS x |> SELECT a, x

-- name: pipe_set
FROM t1 |> SET b = 0

-- name: pipe_drop
FROM t1 |> DROP b

-- name: pipe_aggregate
FROM t1 |> AGGREGATE sum(b) AS s GROUP BY a

-- name: pipe_aggregate_global
FROM t1 |> AGGREGATE count(*) AS n

-- name: pipe_aggregate_then_where
FROM t1 |> AGGREGATE count(*) AS n GROUP BY a |> WHERE n > 1

-- name: pipe_join
FROM t1 |> JOIN t2 USING (a) |> SELECT a, d

-- name: pipe_left_join
FROM t1 |> LEFT JOIN t3 ON t1.a = t3.a |> SELECT t1.a AS a, t3.e AS e

-- name: pipe_order_limit
FROM t1 |> ORDER BY a DESC, b, c |> LIMIT 3

-- name: pipe_offset
FROM uniq |> ORDER BY k |> LIMIT 2 OFFSET 1

-- name: pipe_union
FROM t1 |> SELECT a |> UNION ALL (SELECT a FROM t2)

-- name: pipe_except
FROM t1 |> SELECT a |> EXCEPT (SELECT a FROM t2)

-- name: pipe_as
FROM t1 |> AS x |> WHERE x.a > 2 |> SELECT x.a AS a

-- name: pipe_pivot
FROM t1 |> SELECT a, b |> PIVOT (sum(b) FOR a IN (1 AS one, 2 AS two))

-- name: pipe_window
FROM uniq |> EXTEND row_number() OVER (ORDER BY k DESC) AS r

-- name: pipe_after_select
SELECT a, b FROM t1 |> WHERE b = 10

-- name: pipe_in_subquery
SELECT count(*) AS n FROM (FROM t1 |> WHERE a > 1)

-- name: pipe_distinct
FROM t1 |> SELECT DISTINCT a

-- name: pipe_where_twice
FROM t1 |> WHERE a > 1 |> EXTEND a * 2 AS z |> WHERE z < 10

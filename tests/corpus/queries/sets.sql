-- name: union_all
SELECT a FROM t1 UNION ALL SELECT a FROM t2

-- name: union_distinct
SELECT a, b FROM t1 UNION SELECT a, b FROM t2

-- name: union_distinct_keyword
SELECT a FROM t1 UNION DISTINCT SELECT a FROM t3

-- name: union_three
SELECT a FROM t1 UNION ALL SELECT a FROM t2 UNION ALL SELECT a FROM t3

-- name: union_mixed
SELECT a FROM t1 UNION ALL SELECT a FROM t2 UNION SELECT a FROM t3

-- name: union_mixed_other_way
SELECT a FROM t1 UNION SELECT a FROM t2 UNION ALL SELECT a FROM t3

-- name: union_names_from_first
SELECT a AS first_name, b FROM t1 UNION ALL SELECT b, a FROM t2

-- name: union_widening
SELECT a AS v FROM t1 UNION ALL SELECT e FROM t3

-- name: union_widening_decimal
SELECT p AS v FROM nums UNION ALL SELECT q FROM nums

-- name: union_int_and_decimal
SELECT a AS v FROM t1 UNION ALL SELECT p FROM nums

-- name: union_int_and_double
SELECT a AS v FROM t1 UNION SELECT x FROM nums

-- name: union_null_column
SELECT a, c FROM t1 UNION ALL SELECT a, NULL FROM t2

-- name: union_date_and_timestamp
SELECT d AS v FROM moments UNION ALL SELECT ts FROM moments

-- name: union_nan
SELECT x FROM nums UNION SELECT x FROM nums

-- name: union_self
SELECT a, b FROM t1 UNION ALL SELECT a, b FROM t1

-- name: union_literals
SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 2

-- name: union_with_empty
SELECT a, b, c FROM t1 UNION ALL SELECT a, b, c FROM nothing

-- name: union_arrays
SELECT arr FROM nested UNION SELECT array(1, 2, 3)

-- name: union_in_subquery
SELECT v, count(*) AS n FROM (SELECT a AS v FROM t1 UNION ALL SELECT a FROM t2) u GROUP BY v

-- name: union_of_aggregates
SELECT 't1' AS t, count(*) AS n FROM t1 UNION ALL SELECT 't2', count(*) FROM t2

-- name: union_parentheses
(SELECT a FROM t1) UNION ALL ((SELECT a FROM t2) INTERSECT (SELECT a FROM t3))

-- name: intersect_binds_tighter
SELECT a FROM t1 UNION ALL SELECT a FROM t2 INTERSECT SELECT a FROM t3

-- name: intersect
SELECT a FROM t1 INTERSECT SELECT a FROM t2

-- name: intersect_all
SELECT a FROM t1 INTERSECT ALL SELECT a FROM t2

-- name: intersect_all_two_columns
SELECT a, b FROM t1 INTERSECT ALL SELECT a, b FROM t2

-- name: intersect_distinct
SELECT a, b FROM t1 INTERSECT DISTINCT SELECT a, b FROM t2

-- name: intersect_nan
SELECT x FROM nums WHERE id < 5 INTERSECT SELECT x FROM nums WHERE id > 3

-- name: intersect_zero
SELECT x FROM nums WHERE id = 2 INTERSECT SELECT x FROM nums WHERE id = 3

-- name: except
SELECT a FROM t1 EXCEPT SELECT a FROM t2

-- name: except_all
SELECT a FROM t1 EXCEPT ALL SELECT a FROM t2

-- name: except_all_self
SELECT a, b FROM t1 EXCEPT ALL SELECT a, b FROM t1

-- name: except_distinct
SELECT a, b FROM t1 EXCEPT DISTINCT SELECT a, b FROM t2

-- name: minus
SELECT a FROM t2 MINUS SELECT a FROM t1

-- name: minus_all
SELECT a FROM t2 MINUS ALL SELECT a FROM t1

-- name: except_widening
SELECT a AS v FROM t1 EXCEPT SELECT e FROM t3

-- name: except_chain
SELECT a FROM t1 EXCEPT SELECT a FROM t2 EXCEPT SELECT a FROM t3

-- name: except_parentheses
SELECT a FROM t1 EXCEPT (SELECT a FROM t2 EXCEPT SELECT a FROM t3)

-- name: except_null_rows
SELECT a, s FROM allnull EXCEPT SELECT a, c FROM t1

-- name: set_order_limit
SELECT a FROM t1 UNION SELECT a FROM t2 ORDER BY a DESC NULLS FIRST LIMIT 3

-- name: set_order_by_ordinal
SELECT a, b FROM t1 INTERSECT SELECT a, b FROM t2 ORDER BY 2, 1

-- name: set_limit_inside
(SELECT a FROM t1 ORDER BY a NULLS LAST, b LIMIT 2) UNION ALL (SELECT a FROM t2 ORDER BY a NULLS LAST, b, d LIMIT 1)

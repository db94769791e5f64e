-- name: order_simple
SELECT a, b FROM t1 ORDER BY a, b

-- name: order_desc_nulls
SELECT a FROM t1 ORDER BY a DESC NULLS FIRST

-- name: order_ordinal
SELECT b, a FROM t1 ORDER BY 2, 1

-- name: order_alias
SELECT a + coalesce(b, 0) AS s FROM t1 ORDER BY s

-- name: order_unselected
SELECT name FROM emp ORDER BY salary DESC, id

-- name: order_expression
SELECT k FROM uniq ORDER BY -k

-- name: order_by_all
SELECT a, b FROM t1 ORDER BY ALL

-- name: order_aggregate
SELECT a FROM t1 GROUP BY a ORDER BY count(*) DESC, a

-- name: limit_total
SELECT id, salary FROM emp ORDER BY salary DESC, id LIMIT 3

-- name: limit_nulls_first_default
SELECT id FROM emp ORDER BY salary, id LIMIT 2

-- name: limit_nulls_last
SELECT id FROM emp ORDER BY salary NULLS LAST, id LIMIT 2

-- name: limit_desc_default_nulls_last
SELECT id FROM emp ORDER BY hired DESC, id LIMIT 3

-- name: limit_desc_nulls_first
SELECT id FROM emp ORDER BY hired DESC NULLS FIRST, id LIMIT 3

-- name: limit_ties
-- ties: yes
SELECT id, salary FROM emp ORDER BY salary LIMIT 4

-- name: limit_without_order
-- ties: yes
SELECT a, b FROM t1 LIMIT 3

-- name: limit_zero
SELECT a FROM t1 ORDER BY a LIMIT 0

-- name: limit_more_than_rows
SELECT k FROM uniq ORDER BY k LIMIT 100

-- name: limit_all
SELECT k FROM uniq ORDER BY k LIMIT ALL

-- name: limit_expression
SELECT k FROM uniq ORDER BY k LIMIT 1 + 1

-- name: limit_offset
SELECT k FROM uniq ORDER BY k LIMIT 2 OFFSET 1

-- name: offset_only
SELECT k FROM uniq ORDER BY k OFFSET 3

-- name: offset_beyond
SELECT k FROM uniq ORDER BY k OFFSET 30

-- name: limit_offset_ties
-- ties: yes
SELECT a, b, c FROM t1 ORDER BY b LIMIT 3 OFFSET 2

-- name: limit_duplicate_rows
SELECT a, b, c FROM t1 ORDER BY a DESC, b, c LIMIT 4

-- name: limit_on_nan
SELECT id, x FROM nums ORDER BY x DESC, id LIMIT 3

-- name: limit_on_negative_zero
SELECT id FROM nums ORDER BY x, id LIMIT 4

-- name: limit_on_strings
SELECT id, s FROM texts ORDER BY s, id LIMIT 5

-- name: limit_on_strings_desc
SELECT id, s FROM texts ORDER BY s DESC, id LIMIT 4

-- name: limit_on_struct
SELECT id FROM nested ORDER BY st, id LIMIT 3

-- name: limit_on_array
SELECT id FROM nested ORDER BY arr DESC, id LIMIT 3

-- name: limit_in_subquery
SELECT sum(salary) AS s FROM (SELECT salary FROM emp ORDER BY salary DESC, id LIMIT 3) x

-- name: limit_of_group
SELECT dept_id, count(*) AS n FROM emp GROUP BY dept_id ORDER BY n DESC, dept_id LIMIT 2

-- name: limit_of_distinct
SELECT DISTINCT a FROM t1 ORDER BY a LIMIT 2

-- name: limit_of_join
SELECT e.id AS id, d.name AS name FROM emp e LEFT JOIN dept d ON e.dept_id = d.id ORDER BY d.name, e.id LIMIT 4

-- name: limit_nested
SELECT id FROM (SELECT id FROM emp ORDER BY id DESC LIMIT 5) x ORDER BY id LIMIT 2

-- name: limit_of_window
SELECT id, sum(salary) OVER (ORDER BY id) AS s FROM emp ORDER BY id LIMIT 3

-- name: order_in_subquery_is_dropped
SELECT count(*) AS n FROM (SELECT a FROM t1 ORDER BY a) x

-- name: sort_by
SELECT k FROM uniq SORT BY k

-- name: distribute_by
SELECT a FROM t1 DISTRIBUTE BY a

-- name: cluster_by
SELECT a FROM t1 CLUSTER BY a

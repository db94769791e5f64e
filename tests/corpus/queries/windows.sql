-- name: win_row_number
SELECT id, row_number() OVER (ORDER BY id) AS n FROM emp

-- name: win_row_number_partition
SELECT id, dept_id, row_number() OVER (PARTITION BY dept_id ORDER BY salary DESC, id) AS n FROM emp

-- name: win_row_number_ties
-- ties: yes
SELECT id, row_number() OVER (PARTITION BY dept_id ORDER BY salary) AS n FROM emp

-- name: win_rank
SELECT id, rank() OVER (ORDER BY salary DESC) AS r FROM emp

-- name: win_dense_rank
SELECT id, dense_rank() OVER (PARTITION BY dept_id ORDER BY salary) AS r FROM emp

-- name: win_percent_rank
SELECT id, percent_rank() OVER (ORDER BY salary) AS r, cume_dist() OVER (ORDER BY salary) AS c FROM emp

-- name: win_ntile
SELECT id, ntile(3) OVER (ORDER BY id) AS n FROM emp

-- name: win_ntile_partition
SELECT id, ntile(2) OVER (PARTITION BY dept_id ORDER BY id) AS n FROM emp

-- name: win_lag_lead
SELECT id, lag(salary) OVER (ORDER BY id) AS p, lead(salary) OVER (ORDER BY id) AS n FROM emp

-- name: win_lag_offset_default
SELECT id, lag(id, 2, -1) OVER (ORDER BY id) AS p, lead(id, 3, 99) OVER (PARTITION BY dept_id ORDER BY id) AS n FROM emp

-- name: win_lag_ignore_nulls
SELECT id, lag(bonus) IGNORE NULLS OVER (ORDER BY id) AS p FROM emp

-- name: win_lead_respect_nulls
SELECT id, lead(bonus) RESPECT NULLS OVER (ORDER BY id) AS n FROM emp

-- name: win_lag_ties
-- ties: yes
SELECT a, lag(b) OVER (ORDER BY a) AS p FROM t1

-- name: win_first_last
SELECT id, first_value(name) OVER (PARTITION BY dept_id ORDER BY id) AS f, last_value(name) OVER (PARTITION BY dept_id ORDER BY id) AS l FROM emp

-- name: win_last_whole_partition
SELECT id, last_value(id) OVER (PARTITION BY dept_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS l FROM emp

-- name: win_first_ignore_nulls
SELECT id, first_value(bonus) IGNORE NULLS OVER (ORDER BY id DESC) AS f, last_value(bonus, true) OVER (ORDER BY id) AS l FROM emp

-- name: win_nth_value
SELECT id, nth_value(id, 2) OVER (PARTITION BY dept_id ORDER BY id) AS n FROM emp

-- name: win_nth_value_ignore_nulls
SELECT id, nth_value(bonus, 2) IGNORE NULLS OVER (ORDER BY id) AS n FROM emp

-- name: win_sum_running
SELECT id, sum(salary) OVER (ORDER BY id) AS s FROM emp

-- name: win_sum_running_peers
SELECT id, sum(salary) OVER (ORDER BY hired) AS s FROM emp

-- name: win_sum_partition
SELECT id, sum(salary) OVER (PARTITION BY dept_id) AS s, count(*) OVER (PARTITION BY dept_id) AS n FROM emp

-- name: win_whole_table
SELECT id, sum(salary) OVER () AS s, max(hired) OVER () AS h FROM emp

-- name: win_rows_preceding
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS s FROM emp

-- name: win_rows_short_form
SELECT id, sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) AS s FROM emp

-- name: win_rows_following
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS s FROM emp

-- name: win_rows_around
SELECT id, avg(salary) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s FROM emp

-- name: win_rows_to_end
SELECT id, count(bonus) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS s FROM emp

-- name: win_rows_ties
-- ties: yes
SELECT a, sum(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: win_range_number
SELECT k, count(*) OVER (ORDER BY k RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS n FROM uniq

-- name: win_range_nulls
SELECT a, b, sum(b) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: win_range_desc
SELECT a, b, count(*) OVER (ORDER BY a DESC RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: win_range_date
SELECT id, count(*) OVER (ORDER BY sold_on RANGE BETWEEN INTERVAL '31' DAY PRECEDING AND CURRENT ROW) AS n FROM sale

-- name: win_range_timestamp
SELECT id, count(*) OVER (ORDER BY sold_at RANGE BETWEEN INTERVAL '2' HOUR PRECEDING AND CURRENT ROW) AS n FROM sale

-- name: win_range_unbounded_to_current
SELECT a, sum(b) OVER (ORDER BY a RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: win_range_current_to_unbounded
SELECT a, count(*) OVER (ORDER BY a RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS s FROM t1

-- name: win_range_current_only
SELECT a, count(*) OVER (ORDER BY a RANGE BETWEEN CURRENT ROW AND CURRENT ROW) AS s FROM t1

-- name: win_range_decimal
SELECT id, count(*) OVER (ORDER BY p RANGE BETWEEN 1.5 PRECEDING AND CURRENT ROW) AS n FROM nums

-- name: win_nulls_last
SELECT id, rank() OVER (ORDER BY salary NULLS LAST) AS r FROM emp

-- name: win_desc_nulls_first
SELECT id, rank() OVER (ORDER BY salary DESC NULLS FIRST) AS r FROM emp

-- name: win_order_by_two
SELECT id, rank() OVER (ORDER BY dept_id, salary DESC) AS r FROM emp

-- name: win_order_by_nan
SELECT id, rank() OVER (ORDER BY x) AS r FROM nums

-- name: win_partition_nan
SELECT id, count(*) OVER (PARTITION BY x) AS n FROM nums

-- name: win_partition_null
SELECT a, count(*) OVER (PARTITION BY a) AS n FROM t1

-- name: win_partition_expression
SELECT id, sum(id) OVER (PARTITION BY id % 3 ORDER BY id) AS s FROM emp

-- name: win_named
SELECT id, sum(id) OVER w AS s, count(*) OVER w AS n FROM emp WINDOW w AS (PARTITION BY dept_id ORDER BY id)

-- name: win_named_two
SELECT id, rank() OVER w1 AS r, rank() OVER w2 AS q FROM emp WINDOW w1 AS (ORDER BY salary), w2 AS (ORDER BY hired)

-- name: win_named_with_frame
SELECT id, sum(id) OVER w AS s FROM emp WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)

-- name: win_named_parenthesized
SELECT id, max(id) OVER (w) AS m FROM emp WINDOW w AS (PARTITION BY dept_id)

-- name: win_in_expression
SELECT id, salary - avg(salary) OVER (PARTITION BY dept_id) AS diff FROM emp

-- name: win_ratio
SELECT id, salary / sum(salary) OVER (PARTITION BY dept_id) AS share FROM emp WHERE dept_id IN (10, 20)

-- name: win_case
SELECT id, CASE WHEN row_number() OVER (PARTITION BY dept_id ORDER BY id) = 1 THEN 'first' ELSE 'next' END AS x FROM emp

-- name: win_over_group
SELECT dept_id, sum(salary) AS s, rank() OVER (ORDER BY sum(salary) DESC) AS r FROM emp GROUP BY dept_id

-- name: win_sum_of_sum
SELECT dept_id, sum(salary) AS s, sum(sum(salary)) OVER () AS total FROM emp GROUP BY dept_id

-- name: win_over_group_partition
SELECT product, emp_id, sum(qty) AS q, sum(sum(qty)) OVER (PARTITION BY product) AS t FROM sale GROUP BY product, emp_id

-- name: win_filter_subquery
SELECT id, n FROM (SELECT id, row_number() OVER (PARTITION BY dept_id ORDER BY id) AS n FROM emp) x WHERE n = 1

-- name: win_over_window
SELECT id, sum(n) OVER (ORDER BY id) AS s FROM (SELECT id, row_number() OVER (PARTITION BY dept_id ORDER BY id) AS n FROM emp) x

-- name: win_distinct
SELECT DISTINCT dept_id, count(*) OVER (PARTITION BY dept_id) AS n FROM emp

-- name: win_over_distinct_rows
SELECT a, b, row_number() OVER (ORDER BY a, b) AS n FROM (SELECT DISTINCT a, b FROM t1) x

-- name: win_agg_filter
SELECT id, count(*) FILTER (WHERE active) OVER (PARTITION BY dept_id) AS n FROM emp

-- name: win_min_max_string
SELECT id, min(name) OVER (PARTITION BY dept_id) AS lo, max(name) OVER (PARTITION BY dept_id) AS hi FROM emp

-- name: win_collect_list
SELECT id, collect_list(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS l FROM emp

-- name: win_stddev
SELECT k, stddev_pop(k) OVER (ORDER BY k) AS s FROM uniq

-- name: win_empty
SELECT a, row_number() OVER (ORDER BY b) AS n FROM nothing

-- name: win_lag_in_expression
SELECT k, k - lag(k, 1, 0) OVER (ORDER BY k) AS step FROM uniq

-- name: win_two_orders
SELECT k, row_number() OVER (ORDER BY k) AS up, row_number() OVER (ORDER BY k DESC) AS down FROM uniq

-- name: win_over_join
SELECT d.name AS dept, e.id AS id, rank() OVER (PARTITION BY d.name ORDER BY e.salary DESC) AS r FROM emp e JOIN dept d ON e.dept_id = d.id

-- name: win_over_union
SELECT v, count(*) OVER (PARTITION BY v) AS n FROM (SELECT a AS v FROM t1 UNION ALL SELECT a FROM t2) u

-- name: win_date_diff
SELECT id, datediff(sold_on, lag(sold_on) OVER (ORDER BY sold_on, id)) AS gap FROM sale

-- name: win_sum_decimal
SELECT id, sum(price) OVER (PARTITION BY product ORDER BY id) AS s, avg(price) OVER (PARTITION BY product) AS v FROM sale

-- name: win_order_limit
SELECT id, rank() OVER (ORDER BY salary DESC) AS r FROM emp ORDER BY r, id LIMIT 4

-- name: qualify_row_number
SELECT id, dept_id FROM emp QUALIFY row_number() OVER (PARTITION BY dept_id ORDER BY id) = 1

-- name: qualify_alias
SELECT id, rank() OVER (ORDER BY salary DESC) AS r FROM emp QUALIFY r <= 3

-- name: qualify_with_where
SELECT id FROM emp WHERE active QUALIFY count(*) OVER (PARTITION BY dept_id) > 1

-- name: qualify_with_group
SELECT dept_id, count(*) AS n FROM emp GROUP BY dept_id QUALIFY rank() OVER (ORDER BY n DESC) = 1

-- name: qualify_named_window
SELECT id FROM emp QUALIFY row_number() OVER w = 2 WINDOW w AS (PARTITION BY dept_id ORDER BY id)

-- name: win_nested_window
SELECT id, sum(row_number() OVER (ORDER BY id)) OVER (ORDER BY dept_id) AS s FROM emp

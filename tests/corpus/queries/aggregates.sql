-- name: agg_counts
SELECT count(*) AS n, count(1) AS one, count(a) AS a, count(b) AS b, count(a, b) AS ab FROM t1

-- name: agg_count_distinct
SELECT count(DISTINCT a) AS a, count(DISTINCT a, b) AS ab FROM t1

-- name: agg_distinct_by_group
SELECT c, count(DISTINCT a) AS n, sum(DISTINCT b) AS s FROM t1 GROUP BY c

-- name: agg_distinct_and_plain
SELECT count(a) AS n, count(DISTINCT a) AS d, sum(b) AS s, sum(DISTINCT b) AS sd FROM t1

-- name: agg_distinct_two_columns_separately
SELECT count(DISTINCT a) AS a, count(DISTINCT b) AS b, count(DISTINCT c) AS c FROM t1

-- name: agg_avg_distinct
SELECT a, avg(DISTINCT b) AS x FROM t1 GROUP BY a

-- name: agg_min_max_distinct
SELECT min(DISTINCT b) AS lo, max(DISTINCT b) AS hi FROM t1

-- name: agg_sum_types
SELECT sum(b) AS b, sum(s) AS s, sum(p) AS p, sum(q) AS q FROM nums

-- name: agg_sum_bigint
SELECT sum(l) AS l FROM nums WHERE id IN (1, 2, 3, 7)

-- name: agg_sum_all_null
SELECT sum(a) AS s, avg(a) AS v, min(a) AS lo, count(a) AS n FROM allnull

-- name: agg_avg_types
SELECT avg(b) AS b, avg(s) AS s, avg(p) AS p, avg(q) AS q FROM nums

-- name: agg_avg_decimal_by_group
SELECT dept_id, avg(salary) AS x FROM emp GROUP BY dept_id

-- name: agg_sum_double_nan
SELECT sum(x) AS s, avg(x) AS v FROM nums WHERE id IN (1, 4)

-- name: agg_min_max_nan
SELECT min(x) AS lo, max(x) AS hi FROM nums

-- name: agg_min_max_by_type
SELECT min(p) AS p, max(q) AS q, min(r) AS r, max(l) AS l, min(b) AS b FROM nums

-- name: agg_min_max_string
SELECT min(s) AS lo, max(s) AS hi FROM texts

-- name: agg_min_max_date
SELECT min(d) AS d0, max(d) AS d1, min(ts) AS t0, max(n) AS n1 FROM moments

-- name: agg_min_max_boolean
SELECT min(active) AS lo, max(active) AS hi FROM emp

-- name: agg_min_struct
SELECT min(st) AS lo, max(st) AS hi FROM nested

-- name: agg_filter
SELECT count(*) FILTER (WHERE a > 1) AS n, sum(b) FILTER (WHERE c = 'a') AS s FROM t1

-- name: agg_filter_by_group
SELECT a, count(*) AS n, count(*) FILTER (WHERE b >= 20) AS m FROM t1 GROUP BY a

-- name: agg_filter_nothing
SELECT sum(b) FILTER (WHERE a > 100) AS s, count(*) FILTER (WHERE a > 100) AS n FROM t1

-- name: agg_filter_null_condition
SELECT count(*) FILTER (WHERE a > 1) AS n, count(*) FILTER (WHERE NOT a > 1) AS m FROM t1

-- name: agg_filter_distinct
SELECT count(DISTINCT a) FILTER (WHERE b = 10) AS n FROM t1

-- name: agg_filter_two_distinct
SELECT count(DISTINCT a) FILTER (WHERE b = 10) AS n, count(DISTINCT a) FILTER (WHERE b = 20) AS m FROM t1

-- name: agg_of_expression
SELECT sum(a * b) AS s, max(a + b) AS m, sum(coalesce(b, 0)) AS c FROM t1

-- name: agg_expression_of_aggregates
SELECT sum(b) / count(b) AS mean, max(b) - min(b) AS spread FROM t1

-- name: agg_expression_by_group
SELECT a, sum(b) * 2 + count(*) AS x FROM t1 GROUP BY a

-- name: agg_sum_case
SELECT sum(CASE WHEN c = 'a' THEN 1 ELSE 0 END) AS n, sum(CASE WHEN c = 'a' THEN b END) AS s FROM t1

-- name: agg_same_twice
SELECT sum(b) AS x, sum(b) AS y, sum(b) + 1 AS z FROM t1

-- name: agg_count_if
SELECT count_if(a > 1) AS n, count_if(b IS NULL) AS m FROM t1

-- name: agg_bool
SELECT bool_and(a > 0) AS every_a, bool_or(b > 30) AS some_b, every(b > 0) AS e, some(a = 5) AS s, any(a = 9) AS x FROM t1

-- name: agg_bits
SELECT bit_and(b) AS x, bit_or(b) AS y, bit_xor(b) AS z FROM t1

-- name: agg_max_by
SELECT max_by(name, salary) AS rich, min_by(id, hired) AS old FROM emp WHERE id IN (1, 2, 3, 11)

-- name: agg_max_by_group
SELECT dept_id, max_by(id, struct(salary, id)) AS x FROM emp GROUP BY dept_id

-- name: agg_collect_sorted
SELECT a, sort_array(collect_list(b)) AS l, sort_array(collect_set(c)) AS s FROM t1 GROUP BY a

-- name: agg_collect_empty
SELECT collect_list(a) AS l, collect_set(c) AS s FROM nothing

-- name: agg_collect_unordered
-- ties: yes
SELECT a, collect_list(b) AS l FROM t1 GROUP BY a

-- name: agg_first_unordered
-- ties: yes
SELECT c, first(a) AS f, last(b) AS l FROM t1 GROUP BY c

-- name: agg_any_value_unordered
-- ties: yes
SELECT a, any_value(c) AS v FROM t1 GROUP BY a

-- name: agg_first_of_constant
SELECT a, first(c) AS f, last(c) AS l, any_value(c) AS v FROM t1 WHERE a = 2 GROUP BY a

-- name: agg_array_agg_sorted
SELECT sort_array(array_agg(a)) AS l FROM t1

-- name: agg_variance
SELECT var_pop(b) AS vp, var_samp(b) AS vs FROM t1 WHERE b IN (10, 20)

-- name: agg_stddev
SELECT a, stddev_samp(b) AS s, stddev_pop(b) AS p, stddev(b) AS d FROM t1 GROUP BY a

-- name: agg_corr
SELECT corr(k, k * 2) AS c, covar_pop(k, k) AS cp, covar_samp(k, k) AS cs FROM uniq

-- name: agg_percentile
SELECT percentile(b, 0.5) AS m, median(b) AS d, percentile_approx(b, 0.5) AS a FROM t1

-- name: agg_percentile_within_group
SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY b) AS c, percentile_disc(0.5) WITHIN GROUP (ORDER BY b DESC) AS d FROM t1

-- name: agg_listagg
SELECT a, listagg(c, ',') WITHIN GROUP (ORDER BY c) AS l FROM t1 GROUP BY a

-- name: agg_mode
SELECT mode() WITHIN GROUP (ORDER BY c) AS m FROM t1

-- name: agg_approx_count_distinct
SELECT approx_count_distinct(a) AS n FROM t1

-- name: agg_histogram_of_counts
SELECT n, count(*) AS groups FROM (SELECT a, count(*) AS n FROM t1 GROUP BY a) x GROUP BY n

-- name: agg_three_levels
SELECT max(m) AS m FROM (SELECT n, max(a) AS m FROM (SELECT a, count(*) AS n FROM t1 GROUP BY a) x GROUP BY n) y

-- name: agg_of_empty_subquery
SELECT count(*) AS n, max(a) AS m FROM (SELECT a FROM t1 WHERE false) x

-- name: agg_regr
SELECT regr_count(k, k) AS n, regr_slope(k, k) AS s FROM uniq

-- name: agg_try_sum
SELECT try_sum(l) AS s, try_avg(p) AS v FROM nums

-- name: agg_product_by_exp
SELECT a, count(*) * sum(b) AS x FROM t1 GROUP BY a HAVING count(*) * sum(b) > 10

-- name: agg_decimal_product
SELECT emp_id, sum(qty * price * (1 - coalesce(discount, 0))) AS revenue FROM sale GROUP BY emp_id

-- name: agg_avg_of_decimal_expression
SELECT product, avg(price * (1 - discount)) AS x, sum(price) / count(*) AS y FROM sale GROUP BY product

-- name: agg_mixed_types_in_sum
SELECT sum(qty + price) AS x, sum(qty * 1.5) AS y, sum(qty / 2) AS z FROM sale

-- name: agg_count_star_over_join
SELECT count(*) AS n FROM t1 JOIN t2 ON t1.a <=> t2.a

-- name: agg_map_from_groups
SELECT map_from_arrays(collect_list(k), collect_list(v)) AS m FROM (SELECT k, v FROM uniq WHERE k = 1) x

-- name: agg_max_of_nested_case
SELECT max(CASE WHEN a = 1 THEN CASE WHEN b > 10 THEN 'hi' ELSE 'lo' END END) AS x FROM t1

-- name: agg_skewness
SELECT kurtosis(k) AS k, skewness(k) AS s FROM uniq

-- Who buys, where, how much more than last year, and who brings it back.

-- name: people
-- Q4, Q30, Q81
SELECT c_customer_sk, c_customer_id, c_first_name, c_last_name, c_birth_country, ca_state, ca_city, ca_county,
       cd_gender, cd_marital_status, cd_education_status, cd_dep_count
FROM customer
LEFT JOIN customer_address ON c_current_addr_sk = ca_address_sk
LEFT JOIN customer_demographics ON c_current_cdemo_sk = cd_demo_sk

-- name: store_years
-- Q4, Q11, Q74
SELECT ss_customer_sk AS customer_sk, 's' AS sale_type, d_year,
       sum((ss_ext_list_price - ss_ext_wholesale_cost - ss_ext_discount_amt + ss_ext_sales_price) / 2) AS year_total,
       count(*) AS purchases
FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk
GROUP BY ss_customer_sk, d_year

-- name: catalog_years
SELECT cs_bill_customer_sk AS customer_sk, 'c' AS sale_type, d_year,
       sum((cs_ext_list_price - cs_ext_wholesale_cost - cs_ext_discount_amt + cs_ext_sales_price) / 2) AS year_total,
       count(*) AS purchases
FROM catalog_sales JOIN date_dim ON cs_sold_date_sk = d_date_sk
GROUP BY cs_bill_customer_sk, d_year

-- name: web_years
SELECT ws_bill_customer_sk AS customer_sk, 'w' AS sale_type, d_year,
       sum((ws_ext_list_price - ws_ext_wholesale_cost - ws_ext_discount_amt + ws_ext_sales_price) / 2) AS year_total,
       count(*) AS purchases
FROM web_sales JOIN date_dim ON ws_sold_date_sk = d_date_sk
GROUP BY ws_bill_customer_sk, d_year

-- name: years
SELECT * FROM store_years UNION ALL SELECT * FROM catalog_years UNION ALL SELECT * FROM web_years

-- name: growth
-- Q4, Q11, Q74
SELECT now.customer_sk, now.sale_type, now.d_year, before.year_total AS before_total, now.year_total,
       CASE WHEN before.year_total > 0 THEN now.year_total / before.year_total END AS ratio
FROM years AS now JOIN years AS before
  ON now.customer_sk = before.customer_sk AND now.sale_type = before.sale_type AND now.d_year = before.d_year + 1

-- name: web_gains
-- Q11: grew more on the web than in the store
SELECT w.customer_sk, w.d_year, w.ratio AS web_ratio, s.ratio AS store_ratio
FROM growth AS w JOIN growth AS s ON w.customer_sk = s.customer_sk AND w.d_year = s.d_year
WHERE w.sale_type = 'w' AND s.sale_type = 's' AND w.ratio > s.ratio

-- name: best_web_gains
SELECT c_customer_id, c_first_name, c_last_name, d_year, web_ratio
FROM web_gains JOIN people ON customer_sk = c_customer_sk
ORDER BY web_ratio DESC, c_customer_id, d_year
LIMIT 10

-- name: lifetime
SELECT customer_sk, sum(year_total) AS total, max(year_total) AS best_year, sum(purchases) AS purchases
FROM years
WHERE customer_sk IS NOT NULL
GROUP BY customer_sk

-- name: best_customers
-- Q23: at least half of what the best one spends
SELECT customer_sk, total FROM lifetime WHERE total > 0.5 * (SELECT max(total) FROM lifetime)

-- name: store_visitors
-- Q38, Q87
SELECT DISTINCT c_last_name, c_first_name, d_year
FROM store_sales JOIN people ON ss_customer_sk = c_customer_sk JOIN date_dim ON ss_sold_date_sk = d_date_sk

-- name: catalog_visitors
SELECT DISTINCT c_last_name, c_first_name, d_year
FROM catalog_sales JOIN people ON cs_bill_customer_sk = c_customer_sk JOIN date_dim ON cs_sold_date_sk = d_date_sk

-- name: web_visitors
SELECT DISTINCT c_last_name, c_first_name, d_year
FROM web_sales JOIN people ON ws_bill_customer_sk = c_customer_sk JOIN date_dim ON ws_sold_date_sk = d_date_sk

-- name: everywhere
-- Q38
SELECT * FROM store_visitors INTERSECT SELECT * FROM catalog_visitors INTERSECT SELECT * FROM web_visitors

-- name: store_only
-- Q87
SELECT * FROM store_visitors EXCEPT SELECT * FROM catalog_visitors EXCEPT SELECT * FROM web_visitors

-- name: visit_counts
SELECT y.d_year, count(e.d_year) AS pairs, count(DISTINCT e.c_last_name) AS families_everywhere,
       count(DISTINCT s.c_last_name) AS families_in_stores
FROM (SELECT DISTINCT d_year FROM date_dim) AS y
LEFT JOIN everywhere AS e ON e.d_year = y.d_year
LEFT JOIN store_only AS s ON s.d_year = y.d_year
GROUP BY y.d_year

-- name: returned
-- Q1, Q30, Q81
SELECT sr_customer_sk AS customer_sk, sr_store_sk AS store_sk, d_year, sum(sr_return_amt) AS total_return
FROM store_returns JOIN date_dim ON sr_returned_date_sk = d_date_sk
GROUP BY sr_customer_sk, sr_store_sk, d_year

-- name: usual_return
SELECT store_sk, d_year, avg(total_return) * 1.2 AS limit_of_store, count(*) AS customers
FROM returned
GROUP BY store_sk, d_year

-- name: heavy_returners
-- Q1
SELECT r.customer_sk, r.store_sk, r.d_year, r.total_return, u.limit_of_store
FROM returned AS r JOIN usual_return AS u ON r.store_sk = u.store_sk AND r.d_year = u.d_year
WHERE r.total_return > u.limit_of_store

-- name: top_returners
SELECT c_customer_id, store_sk, d_year, total_return
FROM heavy_returners JOIN people ON customer_sk = c_customer_sk
ORDER BY total_return DESC, c_customer_id, store_sk, d_year
LIMIT 5

-- name: loyal_to_stores
-- Q10, Q35, Q69: in the store, not on the web, and no heavy returner
SELECT c_customer_sk, ca_state, cd_gender, cd_marital_status, cd_dep_count
FROM people
WHERE EXISTS (SELECT 1 FROM store_years WHERE store_years.customer_sk = c_customer_sk)
  AND NOT EXISTS (SELECT 1 FROM web_years WHERE web_years.customer_sk = c_customer_sk AND web_years.d_year > 2000)
  AND c_customer_sk NOT IN (SELECT customer_sk FROM heavy_returners WHERE customer_sk IS NOT NULL)

-- name: segments
SELECT ca_state, cd_gender, count(*) AS people, sum(cd_dep_count) AS dependents, max(cd_dep_count) AS most,
       avg(cd_dep_count) AS usual
FROM loyal_to_stores
GROUP BY GROUPING SETS ((ca_state, cd_gender), (ca_state), ())

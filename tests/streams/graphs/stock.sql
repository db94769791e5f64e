-- Items: what lies in the warehouses, what they bring in, how they rank and what their prices were.

-- name: stock_days
-- Q21, Q22, Q37, Q39, Q82
SELECT inv_item_sk AS item_sk, inv_warehouse_sk AS warehouse_sk, d_date, d_year, d_moy, d_week_seq,
       inv_quantity_on_hand AS on_hand
FROM inventory JOIN date_dim ON inv_date_sk = d_date_sk

-- name: stock_months
-- Q39
SELECT warehouse_sk, item_sk, d_year, d_moy, avg(on_hand) AS mean, stddev_samp(on_hand) AS deviation, count(*) AS days
FROM stock_days
GROUP BY warehouse_sk, item_sk, d_year, d_moy

-- name: unsteady
SELECT warehouse_sk, item_sk, d_year, d_moy, mean, deviation
FROM stock_months
WHERE mean > 0 AND deviation > mean

-- name: unsteady_twice
SELECT one.warehouse_sk, one.item_sk, one.d_year, one.d_moy, one.mean, next.mean AS next_mean
FROM unsteady AS one JOIN unsteady AS next
  ON one.warehouse_sk = next.warehouse_sk AND one.item_sk = next.item_sk AND one.d_year = next.d_year
WHERE next.d_moy = one.d_moy + 1

-- name: stock_turn
-- Q21
SELECT w_warehouse_name, i_item_id,
       sum(CASE WHEN d_date < DATE '2000-03-11' THEN on_hand ELSE 0 END) AS before,
       sum(CASE WHEN d_date >= DATE '2000-03-11' THEN on_hand ELSE 0 END) AS after
FROM stock_days JOIN warehouse ON warehouse_sk = w_warehouse_sk JOIN item ON item_sk = i_item_sk
GROUP BY w_warehouse_name, i_item_id

-- name: emptied
SELECT w_warehouse_name, i_item_id, before, after
FROM stock_turn
WHERE before > 0 AND after * 2 < before
ORDER BY before DESC, w_warehouse_name, i_item_id
LIMIT 5

-- name: stock_levels
-- Q22
SELECT i_product_name, i_brand, i_class, i_category, avg(on_hand) AS qoh
FROM stock_days JOIN item ON item_sk = i_item_sk
GROUP BY ROLLUP (i_product_name, i_brand, i_class, i_category)

-- name: in_stock
-- Q37, Q82
SELECT DISTINCT item_sk FROM stock_days WHERE on_hand BETWEEN 100 AND 500

-- name: item_days
SELECT i_item_sk AS item_sk, d_date, sum(ss_sales_price) AS store_sales, sum(ss_net_profit) AS profit,
       sum(ss_ext_sales_price) AS revenue
FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk JOIN item ON ss_item_sk = i_item_sk
GROUP BY i_item_sk, d_date

-- name: web_days
SELECT ws_item_sk AS item_sk, d_date, sum(ws_sales_price) AS web_sales
FROM web_sales JOIN date_dim ON ws_sold_date_sk = d_date_sk
WHERE ws_item_sk IS NOT NULL
GROUP BY ws_item_sk, d_date

-- name: store_running
-- Q51
SELECT item_sk, d_date,
       sum(store_sales) OVER (PARTITION BY item_sk ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
FROM item_days

-- name: web_running
SELECT item_sk, d_date,
       sum(web_sales) OVER (PARTITION BY item_sk ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
FROM web_days

-- name: both_running
SELECT coalesce(w.item_sk, s.item_sk) AS item_sk, coalesce(w.d_date, s.d_date) AS d_date, w.total AS web, s.total AS store
FROM web_running AS w FULL JOIN store_running AS s ON w.item_sk = s.item_sk AND w.d_date = s.d_date

-- name: web_ahead
SELECT item_sk, d_date, web_most, store_most
FROM (
  SELECT item_sk, d_date,
         max(web) OVER (PARTITION BY item_sk ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS web_most,
         max(store) OVER (PARTITION BY item_sk ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS store_most
  FROM both_running
) AS running
WHERE web_most > store_most
ORDER BY item_sk, d_date
LIMIT 25

-- name: item_revenue
-- Q12, Q20, Q98
SELECT item_sk, i_item_id, i_category, i_class, i_brand, i_current_price, sum(revenue) AS revenue, sum(profit) AS profit
FROM item_days JOIN item ON item_sk = i_item_sk
GROUP BY item_sk, i_item_id, i_category, i_class, i_brand, i_current_price

-- name: class_share
SELECT i_item_id, i_category, i_class, item_sk, revenue,
       sum(revenue) OVER (PARTITION BY i_class) AS class_revenue,
       rank() OVER (PARTITION BY i_category ORDER BY revenue DESC) AS place
FROM item_revenue

-- name: leaders_in_stock
-- Q67
SELECT i_category, i_class, i_item_id, revenue, place
FROM class_share
WHERE place <= 3 AND item_sk IN (SELECT item_sk FROM in_stock)

-- name: margins
-- Q36, Q70
SELECT i_category, i_class, grouping(i_category) + grouping(i_class) AS level, sum(profit) AS profit, sum(revenue) AS revenue
FROM item_revenue
GROUP BY ROLLUP (i_category, i_class)

-- name: margin_places
SELECT i_category, i_class, level, profit,
       rank() OVER (PARTITION BY level, CASE WHEN level = 0 THEN i_category END ORDER BY profit) AS place
FROM margins

-- name: worst_margins
SELECT i_category, i_class, level, profit, place
FROM margin_places
ORDER BY level DESC, place, i_category, i_class
LIMIT 12

-- name: dearer_than_usual
-- Q6
SELECT i_item_sk, i_category, i_current_price
FROM item AS i
WHERE i_current_price > 1.2 * (SELECT avg(j.i_current_price) FROM item AS j WHERE j.i_category = i.i_category)

-- name: dear_and_waiting
SELECT d.i_category, d.i_item_sk, d.i_current_price, m.d_year, m.d_moy, m.mean
FROM dearer_than_usual AS d JOIN stock_months AS m ON d.i_item_sk = m.item_sk
LEFT ANTI JOIN unsteady AS u ON u.item_sk = m.item_sk AND u.d_year = m.d_year AND u.d_moy = m.d_moy

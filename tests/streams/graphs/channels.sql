-- Three channels side by side: what was sold and given back, by day, week, month and brand.

-- name: store_lines
-- Q2, Q33, Q75
SELECT 'store' AS channel, ss_item_sk AS item_sk, ss_store_sk AS place_sk, ss_ticket_number AS order_number,
       d_date, d_week_seq, d_year, d_moy, d_day_name, ss_quantity AS quantity, ss_ext_sales_price AS amount,
       ss_net_profit AS profit
FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk

-- name: catalog_lines
SELECT 'catalog' AS channel, cs_item_sk AS item_sk, cs_call_center_sk AS place_sk, cs_order_number AS order_number,
       d_date, d_week_seq, d_year, d_moy, d_day_name, cs_quantity AS quantity, cs_ext_sales_price AS amount,
       cs_net_profit AS profit
FROM catalog_sales JOIN date_dim ON cs_sold_date_sk = d_date_sk

-- name: web_lines
SELECT 'web' AS channel, ws_item_sk AS item_sk, ws_web_page_sk AS place_sk, ws_order_number AS order_number,
       d_date, d_week_seq, d_year, d_moy, d_day_name, ws_quantity AS quantity, ws_ext_sales_price AS amount,
       ws_net_profit AS profit
FROM web_sales JOIN date_dim ON ws_sold_date_sk = d_date_sk

-- name: all_lines
SELECT * FROM store_lines
UNION ALL
SELECT * FROM catalog_lines
UNION ALL
SELECT * FROM web_lines

-- name: store_back
-- Q5, Q77
SELECT 'store' AS channel, sr_item_sk AS item_sk, sr_ticket_number AS order_number, d_year, sr_store_sk AS place_sk,
       sr_return_quantity AS quantity, sr_return_amt AS amount, sr_net_loss AS loss
FROM store_returns JOIN date_dim ON sr_returned_date_sk = d_date_sk

-- name: catalog_back
SELECT 'catalog' AS channel, cr_item_sk AS item_sk, cr_order_number AS order_number, d_year,
       cr_call_center_sk AS place_sk, cr_return_quantity AS quantity, cr_return_amount AS amount, cr_net_loss AS loss
FROM catalog_returns JOIN date_dim ON cr_returned_date_sk = d_date_sk

-- name: web_back
SELECT 'web' AS channel, wr_item_sk AS item_sk, wr_order_number AS order_number, d_year, wr_web_page_sk AS place_sk,
       wr_return_quantity AS quantity, wr_return_amt AS amount, wr_net_loss AS loss
FROM web_returns JOIN date_dim ON wr_returned_date_sk = d_date_sk

-- name: all_back
SELECT * FROM store_back UNION ALL SELECT * FROM catalog_back UNION ALL SELECT * FROM web_back

-- name: daily_sales
SELECT channel, d_date, d_week_seq, d_year, d_day_name, sum(amount) AS amount, count(*) AS lines
FROM all_lines
GROUP BY channel, d_date, d_week_seq, d_year, d_day_name

-- name: weekly_sales
-- Q2, Q59
SELECT channel, d_week_seq, min(d_date) AS first_day, sum(amount) AS amount,
       sum(CASE WHEN d_day_name = 'Sunday' THEN amount END) AS sunday,
       sum(CASE WHEN d_day_name = 'Monday' THEN amount END) AS monday,
       sum(CASE WHEN d_day_name = 'Saturday' THEN amount END) AS saturday
FROM daily_sales
GROUP BY channel, d_week_seq

-- name: weeks_against_last_year
SELECT now.channel, now.d_week_seq, now.amount, before.amount AS amount_before, now.sunday, before.sunday AS sunday_before
FROM weekly_sales AS now LEFT JOIN weekly_sales AS before
  ON now.channel = before.channel AND now.d_week_seq = before.d_week_seq + 53

-- name: best_weeks
SELECT channel, d_week_seq, amount, amount_before
FROM weeks_against_last_year
WHERE amount > 0
ORDER BY amount DESC, channel, d_week_seq
LIMIT 10

-- name: monthly_items
SELECT channel, item_sk, d_year, d_moy, sum(quantity) AS quantity, sum(amount) AS amount, count(*) AS lines
FROM all_lines
GROUP BY channel, item_sk, d_year, d_moy

-- name: monthly_brands
-- Q33, Q56, Q60, Q71
SELECT i_category, i_brand, channel, d_year, d_moy, sum(amount) AS amount, max(quantity) AS most
FROM monthly_items JOIN item ON item_sk = i_item_sk
GROUP BY i_category, i_brand, channel, d_year, d_moy

-- name: brand_deviations
-- Q53, Q63, Q89
SELECT i_category, i_brand, channel, d_year, d_moy, amount,
       avg(amount) OVER (PARTITION BY i_category, i_brand, channel, d_year) AS usual,
       rank() OVER (PARTITION BY i_category, i_brand, channel ORDER BY d_year, d_moy) AS place
FROM monthly_brands

-- name: odd_months
SELECT i_category, i_brand, channel, d_year, d_moy, amount, usual
FROM brand_deviations
WHERE usual > 0 AND abs(amount - usual) > 0.1 * usual
ORDER BY amount - usual, i_category, i_brand, channel, d_year, d_moy
LIMIT 20

-- name: places_sold
SELECT channel, place_sk, d_year, sum(amount) AS sales, sum(profit) AS profit FROM all_lines GROUP BY channel, place_sk, d_year

-- name: places_back
SELECT channel, place_sk, d_year, sum(amount) AS returns, sum(loss) AS loss FROM all_back GROUP BY channel, place_sk, d_year

-- name: channel_balance
-- Q77
SELECT coalesce(s.channel, b.channel) AS channel, coalesce(s.place_sk, b.place_sk) AS place_sk,
       coalesce(s.d_year, b.d_year) AS d_year, s.sales, b.returns,
       coalesce(s.profit, 0) - coalesce(b.loss, 0) AS profit
FROM places_sold AS s FULL JOIN places_back AS b
  ON s.channel = b.channel AND s.place_sk <=> b.place_sk AND s.d_year = b.d_year

-- name: channel_report
-- Q5, Q77, Q80
SELECT channel, d_year, grouping_id(channel, d_year) AS level, sum(sales) AS sales, sum(returns) AS returns,
       sum(profit) AS profit
FROM channel_balance
GROUP BY ROLLUP (channel, d_year)

-- name: net_items
-- Q75
SELECT l.channel, l.d_year, l.item_sk,
       sum(coalesce(l.quantity, 0) - coalesce(b.quantity, 0)) AS quantity,
       sum(coalesce(l.amount, 0) - coalesce(b.amount, 0)) AS amount
FROM all_lines AS l LEFT JOIN all_back AS b
  ON l.channel = b.channel AND l.order_number = b.order_number AND l.item_sk = b.item_sk
GROUP BY l.channel, l.d_year, l.item_sk

-- name: shrinking_items
-- Q75
SELECT now.channel, now.item_sk, now.d_year, before.quantity AS before_quantity, now.quantity,
       now.quantity - before.quantity AS difference
FROM net_items AS now JOIN net_items AS before
  ON now.channel = before.channel AND now.item_sk = before.item_sk AND now.d_year = before.d_year + 1
WHERE now.quantity < before.quantity
ORDER BY difference, now.channel, now.item_sk, now.d_year
LIMIT 15

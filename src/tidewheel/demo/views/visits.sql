-- How far did each visitor get on each day? Clicks can arrive late and twice, and most visitors are anonymous.
SELECT
  CAST(k_time AS DATE) AS day,
  k_visitor AS visitor,
  max(k_customer) AS customer_id,
  min(k_time) AS arrived,
  max(k_time) AS left_at,
  count(*) AS clicks,
  count(DISTINCT k_product) AS products_seen,
  max(CASE WHEN k_page = 'product' THEN 1 ELSE 0 END) AS saw_product,
  max(CASE WHEN k_page = 'cart' THEN 1 ELSE 0 END) AS filled_cart,
  max(CASE WHEN k_page = 'checkout' THEN 1 ELSE 0 END) AS reached_checkout,
  max(CASE WHEN k_page = 'paid' THEN 1 ELSE 0 END) AS paid
FROM clicks
GROUP BY CAST(k_time AS DATE), k_visitor

-- What was sold, to whom, when, and for how much? One row per order line that was really bought,
-- with the product as it is listed today and the coupon as it was meant.
SELECT
  l_order AS order_id,
  l_line AS line,
  o_day AS day,
  o_customer AS customer_id,
  o_channel AS channel,
  upper(trim(o_coupon)) AS coupon,
  l_product AS product_id,
  p_name AS product,
  p_category AS category,
  l_quantity AS quantity,
  CAST(l_quantity * l_price * (1 - l_discount) AS DECIMAL(12,2)) AS amount
FROM order_lines
JOIN orders ON o_id = l_order
JOIN products ON p_id = l_product
WHERE l_quantity > 0

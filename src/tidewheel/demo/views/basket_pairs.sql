-- Which products are bought together, in at least 20 orders? Good for "others also bought".
WITH items AS (
  SELECT DISTINCT order_id, product_id, product
  FROM sales
)
SELECT
  a.product_id AS first_id,
  b.product_id AS second_id,
  a.product AS first_product,
  b.product AS second_product,
  count(*) AS orders
FROM items AS a
JOIN items AS b ON b.order_id = a.order_id AND b.product_id > a.product_id
GROUP BY a.product_id, b.product_id, a.product, b.product
HAVING count(*) >= 20

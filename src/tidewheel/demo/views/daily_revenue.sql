-- How much did we sell on each day, in how many orders, and how large was the average basket?
SELECT
  day,
  count(DISTINCT order_id) AS orders,
  count(DISTINCT customer_id) AS buyers,
  sum(quantity) AS units,
  sum(amount) AS revenue,
  CAST(sum(amount) / NULLIF(count(DISTINCT order_id), 0) AS DECIMAL(12,2)) AS average_basket
FROM sales
GROUP BY day

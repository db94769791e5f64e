-- What is each customer worth to us so far? Those who never bought are here too, with nothing.
SELECT
  c_id AS customer_id,
  c_name AS customer,
  c_city AS city,
  c_country AS country,
  c_joined AS joined,
  count(DISTINCT order_id) AS orders,
  COALESCE(sum(amount), 0) AS lifetime_value,
  min(day) AS first_day,
  max(day) AS last_day
FROM customers
LEFT JOIN sales ON customer_id = c_id
GROUP BY c_id, c_name, c_city, c_country, c_joined

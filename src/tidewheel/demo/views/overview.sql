-- How is the shop doing? One row per day: money, visitors, new customers, returns, open orders, and what was unusual.
WITH newcomers AS (
  SELECT first_day AS day, count(*) AS new_buyers
  FROM customer_value
  WHERE first_day IS NOT NULL
  GROUP BY first_day
), back AS (
  SELECT r_day AS day, sum(r_quantity) AS units_returned
  FROM returns
  GROUP BY r_day
), waiting AS (
  SELECT o_day AS day, count(*) AS orders_to_ship
  FROM orders
  WHERE o_status = 'placed'
  GROUP BY o_day
)
SELECT
  d.day,
  d.revenue,
  d.orders,
  d.average_basket,
  f.visitors,
  f.percent_converted,
  COALESCE(n.new_buyers, 0) AS new_buyers,
  COALESCE(b.units_returned, 0) AS units_returned,
  COALESCE(w.orders_to_ship, 0) AS orders_to_ship,
  COALESCE(a.direction, 'usual') AS revenue_was,
  a.percent_off
FROM daily_revenue AS d
LEFT JOIN click_funnel AS f ON f.day = d.day
LEFT JOIN newcomers AS n ON n.day = d.day
LEFT JOIN back AS b ON b.day = d.day
LEFT JOIN waiting AS w ON w.day = d.day
LEFT JOIN revenue_anomalies AS a ON a.day = d.day

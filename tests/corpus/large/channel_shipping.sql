-- Weight and cost of what is shipped by channel and month, with shares of totals: sums of DOUBLE.
WITH stg_products AS (
  SELECT product_id, coalesce(category, 'none') AS category, coalesce(weight, CAST(0 AS DOUBLE)) AS weight, unit_cost
  FROM products
),
stg_orders AS (
  SELECT order_id, account_id, ordered_on, coalesce(channel, 'none') AS channel
  FROM orders
  WHERE status IN ('paid', 'open') AND ordered_on IS NOT NULL
),
shipped_lines AS (
  SELECT o.order_id, o.account_id, o.channel, o.ordered_on, p.category, i.quantity, i.quantity * p.weight AS weight
  FROM order_items i
  JOIN stg_orders o ON o.order_id = i.order_id
  JOIN stg_products p ON p.product_id = i.product_id
  WHERE i.quantity IS NOT NULL
),
parcels AS (
  SELECT order_id, channel, ordered_on, account_id, sum(weight) AS weight, sum(quantity) AS pieces
  FROM shipped_lines
  GROUP BY order_id, channel, ordered_on, account_id
),
parcel_classes AS (
  SELECT p.*, CASE WHEN pieces <= 5 THEN 'small' WHEN pieces <= 12 THEN 'medium' ELSE 'large' END AS parcel_class
  FROM parcels p
),
rates AS (
  SELECT parcel_class, rate, handling
  FROM (VALUES ('small', 3, 1), ('medium', 5, 2), ('large', 9, 4)) AS r(parcel_class, rate, handling)
),
costed AS (
  SELECT p.order_id, p.channel, p.ordered_on, p.account_id, p.weight, p.pieces, p.parcel_class,
    r.rate * p.pieces + r.handling AS cost
  FROM parcel_classes p
  JOIN rates r ON r.parcel_class = p.parcel_class
),
monthly AS (
  SELECT channel, trunc(ordered_on, 'MM') AS month_start, sum(weight) AS weight, sum(cost) AS cost, count(*) AS parcels
  FROM costed
  GROUP BY channel, trunc(ordered_on, 'MM')
),
month_totals AS (
  SELECT month_start, sum(weight) AS weight, sum(cost) AS cost FROM monthly GROUP BY month_start
),
channel_totals AS (
  SELECT channel, sum(weight) AS weight, sum(cost) AS cost FROM monthly GROUP BY channel
),
country_weight AS (
  SELECT c.channel, a.country, sum(c.weight) AS weight
  FROM costed c
  LEFT JOIN accounts a ON a.account_id = c.account_id
  GROUP BY c.channel, a.country
),
countries_by_channel AS (
  SELECT channel, count(*) AS countries, max(weight) AS most_weight FROM country_weight GROUP BY channel
),
heavy_categories AS (
  SELECT channel, category, sum(quantity) AS pieces
  FROM shipped_lines
  GROUP BY channel, category
  HAVING sum(quantity) >= 5
),
heavy_counts AS (
  SELECT channel, count(*) AS heavy, max(category) AS last_category FROM heavy_categories GROUP BY channel
)
SELECT
  m.channel,
  m.month_start,
  m.weight,
  m.cost,
  m.parcels,
  t.weight AS month_weight,
  t.cost AS month_cost,
  c.weight AS channel_weight,
  m.cost * 1000 div greatest(t.cost, 1) AS per_mille_of_month,
  n.countries,
  n.most_weight,
  coalesce(h.heavy, 0) AS heavy,
  h.last_category,
  (SELECT sum(cost) FROM monthly) AS whole_cost,
  sum(m.cost) OVER (PARTITION BY m.channel ORDER BY m.month_start) AS cost_to_date
FROM monthly m
JOIN month_totals t ON t.month_start = m.month_start
JOIN channel_totals c ON c.channel = m.channel
LEFT JOIN countries_by_channel n ON n.channel = m.channel
LEFT JOIN heavy_counts h ON h.channel = m.channel

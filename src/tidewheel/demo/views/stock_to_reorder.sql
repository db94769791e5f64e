-- What must we order now? Products that last week's sales would use up before a new delivery could arrive.
WITH calendar AS (
  SELECT max(day) AS today
  FROM daily_revenue
), recent AS (
  SELECT product_id, sum(quantity) AS sold_last_week
  FROM sales
  CROSS JOIN calendar
  WHERE day > date_sub(today, 7)
  GROUP BY product_id
)
SELECT
  h.product_id,
  h.product,
  h.category,
  h.on_hand,
  r.sold_last_week,
  p_lead_days AS lead_days,
  CAST(7.0 * h.on_hand / NULLIF(r.sold_last_week, 0) AS DECIMAL(9,1)) AS days_left,
  4 * r.sold_last_week - h.on_hand AS suggested_units,
  CAST((4 * r.sold_last_week - h.on_hand) * p_cost AS DECIMAL(14,2)) AS suggested_cost
FROM stock_on_hand AS h
JOIN recent AS r ON r.product_id = h.product_id
JOIN products ON p_id = h.product_id
WHERE 7 * h.on_hand < r.sold_last_week * p_lead_days

-- Which share of what we sell comes back, by category, and what does it cost us?
WITH sold AS (
  SELECT category, sum(quantity) AS units_sold, sum(amount) AS revenue
  FROM sales
  GROUP BY category
), returned AS (
  SELECT
    category,
    sum(r_quantity) AS units_returned,
    sum(CASE WHEN r_reason = 'broken' THEN r_quantity ELSE 0 END) AS units_broken,
    sum(CAST(amount * r_quantity / NULLIF(quantity, 0) AS DECIMAL(12,2))) AS refunds
  FROM returns
  JOIN sales ON order_id = r_order AND line = r_line
  GROUP BY category
)
SELECT
  sold.category,
  units_sold,
  COALESCE(units_returned, 0) AS units_returned,
  COALESCE(units_broken, 0) AS units_broken,
  COALESCE(refunds, 0) AS refunds,
  CAST(100 * CAST(COALESCE(units_returned, 0) AS DECIMAL(18,0)) / NULLIF(units_sold, 0) AS DECIMAL(6,2)) AS percent_returned,
  CAST(100 * COALESCE(refunds, 0) / NULLIF(revenue, 0) AS DECIMAL(6,2)) AS percent_refunded
FROM sold
LEFT JOIN returned ON returned.category = sold.category

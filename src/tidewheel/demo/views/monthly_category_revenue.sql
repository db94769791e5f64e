-- tidewheel: {tags: [finance]}
-- What does each category bring in per month, and which share of the month is that?
WITH months AS (
  SELECT trunc(day, 'MM') AS month, category, sum(quantity) AS units, sum(amount) AS revenue
  FROM sales
  GROUP BY trunc(day, 'MM'), category
)
SELECT
  month,
  category,
  units,
  revenue,
  CAST(100 * revenue / NULLIF(sum(revenue) OVER (PARTITION BY month), 0) AS DECIMAL(6,2)) AS percent_of_month
FROM months

-- tidewheel: {tags: [finance]}
-- On which days was revenue far from the average of the seven days before, and in which direction?
WITH compared AS (
  SELECT
    day,
    revenue,
    avg(revenue) OVER (ORDER BY day ROWS BETWEEN 7 PRECEDING AND 1 PRECEDING) AS usual,
    count(*) OVER (ORDER BY day ROWS BETWEEN 7 PRECEDING AND 1 PRECEDING) AS days_known
  FROM daily_revenue
)
SELECT
  day,
  revenue,
  CAST(usual AS DECIMAL(14,2)) AS usual_revenue,
  CAST(100 * (revenue - usual) / NULLIF(usual, 0) AS DECIMAL(9,1)) AS percent_off,
  CASE WHEN revenue > usual THEN 'high' ELSE 'low' END AS direction
FROM compared
WHERE days_known = 7 AND abs(revenue - usual) > 0.35 * usual

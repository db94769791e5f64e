-- Where do we lose visitors of the web shop, by day, and what is a visit worth?
WITH steps AS (
  SELECT
    day,
    count(*) AS visitors,
    sum(saw_product) AS saw_product,
    sum(filled_cart) AS filled_cart,
    sum(reached_checkout) AS reached_checkout,
    sum(paid) AS paid
  FROM visits
  GROUP BY day
), web AS (
  SELECT day, sum(amount) AS web_revenue
  FROM sales
  WHERE channel = 'web'
  GROUP BY day
)
SELECT
  steps.day,
  visitors,
  saw_product,
  filled_cart,
  reached_checkout,
  paid,
  CAST(100 * CAST(paid AS DECIMAL(18,0)) / NULLIF(visitors, 0) AS DECIMAL(6,2)) AS percent_converted,
  CAST(COALESCE(web_revenue, 0) / NULLIF(visitors, 0) AS DECIMAL(12,2)) AS revenue_per_visitor
FROM steps
LEFT JOIN web ON web.day = steps.day

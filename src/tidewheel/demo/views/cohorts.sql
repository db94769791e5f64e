-- Do customers come back? Of those who first bought in a month: how many buy again 0, 1, 2 ... months later?
WITH activity AS (
  SELECT
    trunc(v.first_day, 'MM') AS cohort,
    12 * (year(s.day) - year(v.first_day)) + month(s.day) - month(v.first_day) AS months_later,
    count(DISTINCT s.customer_id) AS buyers,
    sum(s.amount) AS revenue
  FROM sales AS s
  JOIN customer_value AS v ON v.customer_id = s.customer_id
  GROUP BY
    trunc(v.first_day, 'MM'),
    12 * (year(s.day) - year(v.first_day)) + month(s.day) - month(v.first_day)
), sizes AS (
  SELECT trunc(first_day, 'MM') AS cohort, count(*) AS customers
  FROM customer_value
  WHERE first_day IS NOT NULL
  GROUP BY trunc(first_day, 'MM')
)
SELECT
  a.cohort,
  a.months_later,
  z.customers,
  a.buyers,
  CAST(100 * CAST(a.buyers AS DECIMAL(18,0)) / NULLIF(z.customers, 0) AS DECIMAL(6,2)) AS percent_active,
  a.revenue
FROM activity AS a
JOIN sizes AS z ON z.cohort = a.cohort

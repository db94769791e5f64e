-- Who are our best customers, who is slipping away, who is new? Fifths are taken within each country.
WITH fifths AS (
  SELECT
    customer_id,
    customer,
    country,
    orders,
    lifetime_value,
    first_day,
    last_day,
    ntile(5) OVER (PARTITION BY country ORDER BY lifetime_value DESC, customer_id) AS fifth
  FROM customer_value
  WHERE orders > 0
)
SELECT
  customer_id,
  customer,
  country,
  fifth,
  CASE
    WHEN fifth <= 2 AND last_day < date_sub(today, 30) THEN 'slipping away'
    WHEN fifth = 1 THEN 'champion'
    WHEN first_day >= date_sub(today, 30) THEN 'newcomer'
    WHEN last_day < date_sub(today, 60) THEN 'gone'
    ELSE 'regular'
  END AS segment,
  orders,
  lifetime_value,
  last_day
FROM fifths
CROSS JOIN (SELECT max(day) AS today FROM daily_revenue) AS calendar

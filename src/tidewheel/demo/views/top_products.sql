-- Which five products of each category bring in the most? Equal revenue ranks by product number.
WITH totals AS (
  SELECT category, product_id, product, sum(quantity) AS units, sum(amount) AS revenue
  FROM sales
  GROUP BY category, product_id, product
), ranked AS (
  SELECT
    category,
    row_number() OVER (PARTITION BY category ORDER BY revenue DESC, product_id) AS place,
    product_id,
    product,
    units,
    revenue
  FROM totals
)
SELECT category, place, product_id, product, units, revenue
FROM ranked
WHERE place <= 5

-- Products against their category, their predecessors and the whole shop: one base that is joined five times.
WITH lines AS (
  SELECT
    i.order_id,
    i.line_no,
    i.product_id,
    o.ordered_on,
    o.channel,
    i.quantity,
    i.quantity * i.unit_price AS revenue
  FROM order_items i
  JOIN orders o ON o.order_id = i.order_id
  WHERE o.status <> 'cancelled'
),
priced AS (
  SELECT
    l.order_id,
    l.line_no,
    l.product_id,
    p.category,
    l.ordered_on,
    l.channel,
    l.quantity,
    l.revenue,
    l.revenue - l.quantity * p.unit_cost AS margin,
    l.quantity * p.weight AS kilograms
  FROM lines l
  JOIN products p ON p.product_id = l.product_id
),
product_weeks AS (
  SELECT
    p.product_id,
    p.category,
    c.week_start,
    sum(p.quantity) AS units,
    sum(p.revenue) AS revenue,
    sum(p.margin) AS margin,
    sum(p.kilograms) AS kilograms
  FROM priced p
  JOIN calendar c ON c.day = p.ordered_on
  GROUP BY p.product_id, p.category, c.week_start
),
base AS (
  SELECT product_id, category, sum(units) AS units, sum(revenue) AS revenue, sum(margin) AS margin,
    sum(kilograms) AS kilograms, count(*) AS weeks
  FROM product_weeks
  GROUP BY product_id, category
),
ranked AS (
  SELECT
    b.*,
    row_number() OVER (ORDER BY revenue DESC, product_id) AS place,
    row_number() OVER (PARTITION BY category ORDER BY revenue DESC, product_id) AS place_in_category
  FROM base b
),
category_best AS (
  SELECT category, product_id AS best_product, revenue AS best_revenue FROM ranked WHERE place_in_category = 1
),
category_totals AS (
  SELECT category, sum(units) AS units, sum(revenue) AS revenue, sum(margin) AS margin, count(*) AS products
  FROM base
  GROUP BY category
),
channel_totals AS (
  SELECT product_id, channel, sum(revenue) AS revenue FROM priced GROUP BY product_id, channel
),
main_channel AS (
  SELECT product_id, channel
  FROM (
    SELECT product_id, channel, row_number() OVER (PARTITION BY product_id ORDER BY revenue DESC, channel) AS place
    FROM channel_totals
  ) AS c
  WHERE place = 1
),
first_sales AS (
  SELECT product_id, min(ordered_on) AS first_sold, max(ordered_on) AS last_sold FROM priced GROUP BY product_id
),
best_weeks AS (
  SELECT product_id, week_start AS best_week, units AS best_units
  FROM (
    SELECT w.*, row_number() OVER (PARTITION BY product_id ORDER BY units DESC, week_start) AS place
    FROM product_weeks w
  ) AS x
  WHERE place = 1
),
neighbours AS (
  SELECT
    r.product_id,
    above.product_id AS above_product,
    above.revenue - r.revenue AS to_above,
    below.product_id AS below_product,
    r.revenue - below.revenue AS to_below,
    leader.revenue - r.revenue AS to_leader,
    second.revenue AS second_revenue
  FROM ranked r
  LEFT JOIN ranked above ON above.place = r.place - 1
  LEFT JOIN ranked below ON below.place = r.place + 1
  LEFT JOIN ranked leader ON leader.place = 1
  LEFT JOIN ranked second ON second.category = r.category AND second.place_in_category = 2
),
whole AS (
  SELECT sum(revenue) AS revenue, sum(margin) AS margin, sum(kilograms) AS kilograms, count(*) AS products FROM base
)
SELECT
  p.product_id,
  p.product_name,
  p.category,
  coalesce(r.units, 0) AS units,
  coalesce(r.revenue, 0) AS revenue,
  coalesce(r.margin, 0) AS margin,
  coalesce(r.kilograms, CAST(0 AS DOUBLE)) AS kilograms,
  r.place,
  r.place_in_category,
  n.above_product,
  n.to_above,
  n.below_product,
  n.to_below,
  n.to_leader,
  n.second_revenue,
  b.best_product,
  b.best_revenue,
  t.revenue AS category_revenue,
  t.products AS category_products,
  m.channel AS main_channel,
  f.first_sold,
  f.last_sold,
  w.best_week,
  w.best_units,
  x.revenue AS whole_revenue,
  x.kilograms AS whole_kilograms
FROM products p
LEFT JOIN ranked r ON r.product_id = p.product_id
LEFT JOIN neighbours n ON n.product_id = p.product_id
LEFT JOIN category_best b ON b.category = p.category
LEFT JOIN category_totals t ON t.category = p.category
LEFT JOIN main_channel m ON m.product_id = p.product_id
LEFT JOIN first_sales f ON f.product_id = p.product_id
LEFT JOIN best_weeks w ON w.product_id = p.product_id
CROSS JOIN whole x

-- Paid orders attributed to the touches before them: first, last, linear and by position, against what they cost.
WITH stg_touches AS (
  SELECT user_id, campaign, medium, touched_on, coalesce(cost, 0) AS cost
  FROM touches
  WHERE user_id IS NOT NULL AND touched_on IS NOT NULL
),
touch_days AS (
  SELECT user_id, campaign, medium, touched_on, sum(cost) AS cost, count(*) AS copies
  FROM stg_touches
  GROUP BY user_id, campaign, medium, touched_on
),
item_totals AS (
  SELECT order_id, sum(quantity * unit_price) AS amount
  FROM order_items
  GROUP BY order_id
),
paid_orders AS (
  SELECT o.order_id, o.user_id, o.ordered_on, i.amount
  FROM orders o
  JOIN item_totals i ON i.order_id = o.order_id
  WHERE o.status = 'paid' AND o.user_id IS NOT NULL
),
paths AS (
  SELECT o.order_id, o.user_id, o.ordered_on, o.amount, t.campaign, t.medium, t.touched_on
  FROM paid_orders o
  JOIN touch_days t
    ON t.user_id = o.user_id AND t.touched_on <= o.ordered_on AND t.touched_on > date_sub(o.ordered_on, 30)
),
placed AS (
  SELECT
    p.*,
    row_number() OVER (PARTITION BY order_id ORDER BY touched_on, campaign, medium) AS place,
    count(*) OVER (PARTITION BY order_id) AS path_length
  FROM paths p
),
first_touch AS (
  SELECT order_id, campaign, medium, amount AS credit FROM placed WHERE place = 1
),
last_touch AS (
  SELECT order_id, campaign, medium, amount AS credit FROM placed WHERE place = path_length
),
linear AS (
  SELECT order_id, campaign, medium, CAST(amount / path_length AS DECIMAL(18, 4)) AS credit FROM placed
),
by_position AS (
  SELECT
    order_id,
    campaign,
    medium,
    CAST(
      CASE
        WHEN path_length = 1 THEN amount
        WHEN path_length = 2 THEN amount * 0.5
        WHEN place IN (1, path_length) THEN amount * 0.4
        ELSE amount * 0.2 / (path_length - 2)
      END AS DECIMAL(18, 4)
    ) AS credit
  FROM placed
),
credits AS (
  SELECT campaign, medium, 'first' AS model, CAST(credit AS DECIMAL(18, 4)) AS credit FROM first_touch
  UNION ALL
  SELECT campaign, medium, 'last' AS model, CAST(credit AS DECIMAL(18, 4)) AS credit FROM last_touch
  UNION ALL
  SELECT campaign, medium, 'linear' AS model, credit FROM linear
  UNION ALL
  SELECT campaign, medium, 'position' AS model, credit FROM by_position
),
credit_totals AS (
  SELECT campaign, medium, model, sum(credit) AS credit, count(*) AS touch_count
  FROM credits
  GROUP BY campaign, medium, model
),
costs AS (
  SELECT campaign, medium, sum(cost) AS cost, sum(copies) AS touch_count, count(DISTINCT user_id) AS people
  FROM touch_days
  GROUP BY campaign, medium
),
models AS (
  SELECT model FROM (VALUES ('first'), ('last'), ('linear'), ('position')) AS m(model)
),
grid AS (
  SELECT c.campaign, c.medium, c.cost, c.touch_count, c.people, m.model
  FROM costs c
  CROSS JOIN models m
),
joined AS (
  SELECT
    g.campaign,
    g.medium,
    g.model,
    g.cost,
    g.touch_count,
    g.people,
    coalesce(t.credit, 0) AS credit,
    coalesce(t.touch_count, 0) AS credited_touches
  FROM grid g
  LEFT JOIN credit_totals t ON t.campaign = g.campaign AND t.medium = g.medium AND t.model = g.model
),
ranked AS (
  SELECT
    j.*,
    rank() OVER (PARTITION BY model ORDER BY credit DESC) AS place,
    sum(credit) OVER (PARTITION BY model) AS model_credit
  FROM joined j
),
unattributed AS (
  SELECT count(*) AS order_count, coalesce(sum(p.amount), 0) AS amount
  FROM paid_orders p
  WHERE NOT EXISTS (SELECT 1 FROM paths x WHERE x.order_id = p.order_id)
)
SELECT
  r.campaign,
  r.medium,
  r.model,
  r.cost,
  r.touch_count,
  r.people,
  r.credit,
  r.credited_touches,
  r.credit - r.cost AS margin,
  r.place,
  r.model_credit,
  u.order_count AS unattributed_orders,
  u.amount AS unattributed_amount
FROM ranked r
CROSS JOIN unattributed u

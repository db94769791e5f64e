-- Copies and contradictions removed source by source before anything is counted: every staging step keeps one row.
WITH raw_events AS (
  SELECT
    user_id, event_type, event_day, minute_of_day, coalesce(value, 0) AS value,
    row_number() OVER (PARTITION BY user_id, event_type, event_day ORDER BY minute_of_day, coalesce(value, 0)) AS copy_no
  FROM events
  WHERE user_id IS NOT NULL
),
one_event AS (
  SELECT user_id, event_type, event_day, value FROM raw_events WHERE copy_no = 1
),
raw_touches AS (
  SELECT
    user_id, campaign, medium, touched_on, coalesce(cost, 0) AS cost,
    row_number() OVER (PARTITION BY user_id, campaign ORDER BY touched_on, medium, coalesce(cost, 0)) AS copy_no
  FROM touches
  WHERE user_id IS NOT NULL
),
one_touch AS (
  SELECT user_id, campaign, medium, touched_on, cost FROM raw_touches WHERE copy_no = 1
),
raw_payments AS (
  SELECT
    order_id, amount, status, paid_on,
    row_number() OVER (PARTITION BY order_id ORDER BY paid_on DESC, payment_id DESC) AS copy_no
  FROM payments
  WHERE order_id IS NOT NULL
),
last_payment AS (
  SELECT order_id, amount, status, paid_on FROM raw_payments WHERE copy_no = 1
),
raw_orders AS (
  SELECT
    order_id, user_id, account_id, ordered_on, status,
    row_number() OVER (PARTITION BY user_id, ordered_on ORDER BY order_id DESC) AS copy_no
  FROM orders
  WHERE user_id IS NOT NULL
),
one_order AS (
  SELECT order_id, user_id, account_id, ordered_on, status FROM raw_orders WHERE copy_no = 1
),
paid_orders AS (
  SELECT o.order_id, o.user_id, o.account_id, o.ordered_on, p.amount, p.paid_on
  FROM one_order o
  JOIN last_payment p ON p.order_id = o.order_id
  WHERE p.status = 'settled' AND o.status <> 'cancelled'
),
event_days AS (
  SELECT user_id, event_day, count(*) AS types, sum(value) AS value FROM one_event GROUP BY user_id, event_day
),
touch_before_order AS (
  SELECT order_id, campaign, medium
  FROM (
    SELECT
      o.order_id, t.campaign, t.medium,
      row_number() OVER (PARTITION BY o.order_id ORDER BY t.touched_on DESC, t.campaign) AS place
    FROM paid_orders o
    JOIN one_touch t ON t.user_id = o.user_id AND t.touched_on <= o.ordered_on
  ) AS x
  WHERE place = 1
),
event_before_order AS (
  SELECT o.order_id, max(d.event_day) AS last_event_day, sum(d.types) AS types, sum(d.value) AS value
  FROM paid_orders o
  JOIN event_days d ON d.user_id = o.user_id AND d.event_day <= o.ordered_on
  GROUP BY o.order_id
),
orders_described AS (
  SELECT
    o.order_id,
    o.user_id,
    o.account_id,
    o.ordered_on,
    o.amount,
    datediff(o.paid_on, o.ordered_on) AS days_to_pay,
    coalesce(t.campaign, 'none') AS campaign,
    coalesce(t.medium, 'direct') AS medium,
    datediff(o.ordered_on, e.last_event_day) AS days_since_event,
    coalesce(e.types, 0) AS types,
    coalesce(e.value, 0) AS value
  FROM paid_orders o
  LEFT JOIN touch_before_order t ON t.order_id = o.order_id
  LEFT JOIN event_before_order e ON e.order_id = o.order_id
),
campaign_orders AS (
  SELECT campaign, medium, count(*) AS orders, sum(amount) AS amount, sum(types) AS types, max(days_since_event) AS longest
  FROM orders_described
  GROUP BY campaign, medium
),
campaign_reach AS (
  SELECT campaign, medium, count(*) AS people, sum(cost) AS cost FROM one_touch GROUP BY campaign, medium
),
both_sides AS (
  SELECT
    coalesce(o.campaign, r.campaign) AS campaign,
    coalesce(o.medium, r.medium) AS medium,
    coalesce(o.orders, 0) AS orders,
    coalesce(o.amount, 0) AS amount,
    coalesce(o.types, 0) AS types,
    o.longest,
    coalesce(r.people, 0) AS people,
    coalesce(r.cost, 0) AS cost
  FROM campaign_orders o
  FULL OUTER JOIN campaign_reach r ON r.campaign = o.campaign AND r.medium = o.medium
)
SELECT
  campaign,
  medium,
  orders,
  amount,
  types,
  longest,
  people,
  cost,
  orders * 1000 div greatest(people, 1) AS orders_per_mille,
  rank() OVER (ORDER BY amount DESC) AS place
FROM both_sides

-- Ten kinds of things that happen, brought to one form, put in order for each account, and condensed by day.
WITH e_visit AS (
  SELECT user_id, event_day AS day, 'visit' AS kind, count(*) AS n, CAST(0 AS DECIMAL(12, 2)) AS amount
  FROM events WHERE event_type = 'visit' GROUP BY user_id, event_day
),
e_view AS (
  SELECT user_id, event_day AS day, 'view' AS kind, count(*) AS n, CAST(0 AS DECIMAL(12, 2)) AS amount
  FROM events WHERE event_type IN ('view', 'search') GROUP BY user_id, event_day
),
e_cart AS (
  SELECT user_id, event_day AS day, 'cart' AS kind, count(*) AS n, CAST(sum(value) AS DECIMAL(12, 2)) AS amount
  FROM events WHERE event_type = 'cart' GROUP BY user_id, event_day
),
e_purchase AS (
  SELECT user_id, event_day AS day, 'purchase' AS kind, count(*) AS n, CAST(sum(value) AS DECIMAL(12, 2)) AS amount
  FROM events WHERE event_type = 'purchase' GROUP BY user_id, event_day
),
e_signup AS (
  SELECT user_id, signed_up_on AS day, 'signup' AS kind, CAST(1 AS BIGINT) AS n, CAST(0 AS DECIMAL(12, 2)) AS amount
  FROM users WHERE signed_up_on IS NOT NULL
),
order_amounts AS (
  SELECT order_id, sum(quantity * unit_price) AS amount FROM order_items GROUP BY order_id
),
e_order AS (
  SELECT o.user_id, o.ordered_on AS day, 'order' AS kind, count(*) AS n, CAST(sum(a.amount) AS DECIMAL(12, 2)) AS amount
  FROM orders o
  LEFT JOIN order_amounts a ON a.order_id = o.order_id
  GROUP BY o.user_id, o.ordered_on
),
e_payment AS (
  SELECT o.user_id, p.paid_on AS day, 'payment' AS kind, count(*) AS n, CAST(sum(p.amount) AS DECIMAL(12, 2)) AS amount
  FROM payments p
  JOIN orders o ON o.order_id = p.order_id
  WHERE p.status = 'settled'
  GROUP BY o.user_id, p.paid_on
),
e_touch AS (
  SELECT user_id, touched_on AS day, 'touch' AS kind, count(*) AS n, CAST(sum(cost) AS DECIMAL(12, 2)) AS amount
  FROM touches GROUP BY user_id, touched_on
),
e_opened AS (
  SELECT user_id, opened_on AS day, 'ticket' AS kind, count(*) AS n, CAST(0 AS DECIMAL(12, 2)) AS amount
  FROM tickets GROUP BY user_id, opened_on
),
e_closed AS (
  SELECT user_id, closed_on AS day, 'closed' AS kind, count(*) AS n, CAST(0 AS DECIMAL(12, 2)) AS amount
  FROM tickets WHERE closed_on IS NOT NULL GROUP BY user_id, closed_on
),
all_events AS (
  SELECT user_id, day, kind, n, amount FROM e_visit
  UNION ALL SELECT user_id, day, kind, n, amount FROM e_view
  UNION ALL SELECT user_id, day, kind, n, amount FROM e_cart
  UNION ALL SELECT user_id, day, kind, n, amount FROM e_purchase
  UNION ALL SELECT user_id, day, kind, n, amount FROM e_signup
  UNION ALL SELECT user_id, day, kind, n, amount FROM e_order
  UNION ALL SELECT user_id, day, kind, n, amount FROM e_payment
  UNION ALL SELECT user_id, day, kind, n, amount FROM e_touch
  UNION ALL SELECT user_id, day, kind, n, amount FROM e_opened
  UNION ALL SELECT user_id, day, kind, n, amount FROM e_closed
),
known AS (
  SELECT user_id, day, kind, n, coalesce(amount, 0) AS amount
  FROM all_events
  WHERE user_id IS NOT NULL AND day IS NOT NULL
),
with_account AS (
  SELECT k.user_id, k.day, k.kind, k.n, k.amount, u.account_id
  FROM known k
  JOIN users u ON u.user_id = k.user_id
),
ordered AS (
  SELECT
    w.*,
    row_number() OVER (PARTITION BY user_id ORDER BY day, kind) AS place,
    lag(kind) OVER (PARTITION BY user_id ORDER BY day, kind) AS kind_before,
    lag(day) OVER (PARTITION BY user_id ORDER BY day, kind) AS day_before
  FROM with_account w
),
transitions AS (
  SELECT coalesce(kind_before, 'start') AS from_kind, kind AS to_kind, count(*) AS n, sum(datediff(day, day_before)) AS days
  FROM ordered
  GROUP BY coalesce(kind_before, 'start'), kind
),
transition_totals AS (
  SELECT from_kind, sum(n) AS n FROM transitions GROUP BY from_kind
),
likely AS (
  SELECT t.from_kind, t.to_kind, t.n * 1000 div x.n AS per_mille
  FROM transitions t
  JOIN transition_totals x ON x.from_kind = t.from_kind
),
most_likely AS (
  SELECT from_kind, to_kind, per_mille
  FROM (
    SELECT l.*, row_number() OVER (PARTITION BY from_kind ORDER BY per_mille DESC, to_kind) AS place FROM likely l
  ) AS x
  WHERE place = 1
),
expected AS (
  SELECT o.user_id, count_if(o.kind = m.to_kind) AS hits, count(*) AS steps
  FROM ordered o
  LEFT JOIN most_likely m ON m.from_kind = coalesce(o.kind_before, 'start')
  GROUP BY o.user_id
),
by_account_day AS (
  SELECT
    account_id,
    day,
    count(DISTINCT user_id) AS user_count,
    sum(n) AS n,
    sum(amount) AS amount,
    max(kind) AS last_kind,
    count_if(kind = 'order') AS orders,
    count_if(kind = 'ticket') AS tickets
  FROM with_account
  WHERE account_id IS NOT NULL
  GROUP BY account_id, day
),
account_hits AS (
  SELECT u.account_id, sum(e.hits) AS hits, sum(e.steps) AS steps
  FROM expected e
  JOIN users u ON u.user_id = e.user_id
  GROUP BY u.account_id
),
gaps AS (
  SELECT b.*, datediff(day, lag(day) OVER (PARTITION BY account_id ORDER BY day)) AS gap FROM by_account_day b
),
phases AS (
  SELECT
    g.*,
    sum(CASE WHEN gap > 7 THEN 1 ELSE 0 END) OVER (PARTITION BY account_id ORDER BY day) AS phase
  FROM gaps g
)
SELECT
  p.account_id,
  a.account_name,
  p.phase,
  min(p.day) AS phase_from,
  max(p.day) AS phase_to,
  sum(p.n) AS n,
  sum(p.amount) AS amount,
  max(p.user_count) AS most_users,
  sum(p.orders) AS orders,
  sum(p.tickets) AS tickets,
  max(h.hits) AS hits,
  max(h.steps) AS steps
FROM phases p
LEFT JOIN accounts a ON a.account_id = p.account_id
LEFT JOIN account_hits h ON h.account_id = p.account_id
GROUP BY p.account_id, a.account_name, p.phase

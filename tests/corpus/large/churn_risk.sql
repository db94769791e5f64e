-- Accounts that may leave: signals from use, support, payments and plans, each a filter of its own, summed to a risk.
WITH stg_accounts AS (
  SELECT account_id, account_name, coalesce(segment, 'none') AS segment, country, created_on FROM accounts
),
latest_subscription AS (
  SELECT account_id, subscription_id, plan_id, seats, status, ended_on
  FROM (
    SELECT
      s.*,
      row_number() OVER (PARTITION BY account_id ORDER BY started_on DESC, subscription_id DESC) AS place
    FROM subscriptions s
    WHERE account_id IS NOT NULL
  ) AS x
  WHERE place = 1
),
customers AS (
  SELECT a.account_id, a.account_name, a.segment, a.country, s.plan_id, s.seats, s.status, s.ended_on
  FROM stg_accounts a
  JOIN latest_subscription s ON s.account_id = a.account_id
),
active_customers AS (
  SELECT * FROM customers WHERE status <> 'cancelled'
),
account_users AS (
  SELECT account_id, count(*) AS user_count, count_if(is_active) AS active_count
  FROM users
  WHERE account_id IS NOT NULL
  GROUP BY account_id
),
user_events AS (
  SELECT u.account_id, e.event_day, count(*) AS event_count, sum(coalesce(e.value, 0)) AS value
  FROM events e
  JOIN users u ON u.user_id = e.user_id
  GROUP BY u.account_id, e.event_day
),
early_use AS (
  SELECT account_id, sum(event_count) AS events_early
  FROM user_events
  WHERE event_day < DATE '2024-01-11'
  GROUP BY account_id
),
late_use AS (
  SELECT account_id, sum(event_count) AS events_late
  FROM user_events
  WHERE event_day >= DATE '2024-01-11'
  GROUP BY account_id
),
falling_use AS (
  SELECT e.account_id, e.events_early, coalesce(l.events_late, 0) AS events_late
  FROM early_use e
  LEFT JOIN late_use l ON l.account_id = e.account_id
  WHERE coalesce(l.events_late, 0) < e.events_early
),
many_tickets AS (
  SELECT account_id, count(*) AS ticket_count, min(priority) AS worst_priority
  FROM tickets
  GROUP BY account_id
  HAVING count(*) >= 2
),
bad_scores AS (
  SELECT account_id, sum(score) AS score_sum, count(score) AS score_count
  FROM tickets
  WHERE score IS NOT NULL
  GROUP BY account_id
  HAVING sum(score) < 3 * count(score)
),
open_tickets AS (
  SELECT DISTINCT account_id FROM tickets WHERE closed_on IS NULL AND account_id IS NOT NULL
),
failed_payments AS (
  SELECT o.account_id, count(*) AS failures
  FROM payments p
  JOIN orders o ON o.order_id = p.order_id
  WHERE p.status = 'failed'
  GROUP BY o.account_id
),
never_ordered AS (
  SELECT account_id
  FROM stg_accounts
  WHERE account_id NOT IN (SELECT account_id FROM orders WHERE account_id IS NOT NULL)
),
no_admin AS (
  SELECT c.account_id
  FROM customers c
  WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.account_id = c.account_id AND u.role = 'admin' AND u.is_active)
),
has_invites AS (
  SELECT c.account_id
  FROM customers c
  WHERE EXISTS (
    SELECT 1 FROM users u JOIN events e ON e.user_id = u.user_id
    WHERE u.account_id = c.account_id AND e.event_type IN ('invite', 'export', 'login')
  )
),
over_seats AS (
  SELECT c.account_id
  FROM customers c
  JOIN account_users u ON u.account_id = c.account_id
  WHERE u.user_count > c.seats
),
cheap_plans AS (
  SELECT plan_id, plan_code, tier FROM plans WHERE tier = 1
),
signals AS (
  SELECT account_id, 'falling use' AS signal, 30 AS points FROM falling_use
  UNION ALL
  SELECT account_id, 'many tickets' AS signal, 15 AS points FROM many_tickets
  UNION ALL
  SELECT account_id, 'bad scores' AS signal, 20 AS points FROM bad_scores
  UNION ALL
  SELECT account_id, 'open tickets' AS signal, 5 AS points FROM open_tickets
  UNION ALL
  SELECT account_id, 'failed payments' AS signal, CAST(10 * least(failures, 3) AS INT) AS points FROM failed_payments
  UNION ALL
  SELECT account_id, 'never ordered' AS signal, 10 AS points FROM never_ordered
  UNION ALL
  SELECT account_id, 'no admin' AS signal, 10 AS points FROM no_admin
  UNION ALL
  SELECT account_id, 'invites' AS signal, -20 AS points FROM has_invites
  UNION ALL
  SELECT account_id, 'over seats' AS signal, -10 AS points FROM over_seats
),
risks AS (
  SELECT account_id, sum(points) AS risk, count(*) AS signal_count, max(signal) AS last_signal
  FROM signals
  GROUP BY account_id
),
ranked AS (
  SELECT
    c.account_id,
    c.account_name,
    c.segment,
    c.country,
    c.seats,
    coalesce(r.risk, 0) AS risk,
    coalesce(r.signal_count, 0) AS signal_count,
    dense_rank() OVER (PARTITION BY c.segment ORDER BY coalesce(r.risk, 0) DESC) AS place,
    CASE WHEN p.plan_id IS NULL THEN 0 ELSE 1 END AS is_cheap
  FROM active_customers c
  LEFT JOIN risks r ON r.account_id = c.account_id
  LEFT JOIN cheap_plans p ON p.plan_id = c.plan_id
),
segment_risk AS (
  SELECT segment, max(risk) AS worst, sum(risk) AS total, count(*) AS accounts FROM ranked GROUP BY segment
)
SELECT
  r.account_id,
  r.account_name,
  r.segment,
  r.country,
  r.risk,
  r.signal_count,
  r.place,
  r.is_cheap,
  CASE WHEN r.risk >= 50 THEN 'high' WHEN r.risk >= 20 THEN 'middle' ELSE 'low' END AS risk_class,
  s.worst AS worst_in_segment,
  s.total AS total_in_segment,
  u.active_count
FROM ranked r
JOIN segment_risk s ON s.segment = r.segment
LEFT JOIN account_users u ON u.account_id = r.account_id

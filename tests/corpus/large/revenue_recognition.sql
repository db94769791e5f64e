-- Payments spread over the days of a subscription: what is earned, what is deferred, by week, against what was paid.
WITH settled AS (
  SELECT p.payment_id, p.order_id, p.paid_on, p.amount
  FROM payments p
  WHERE p.status = 'settled' AND p.paid_on IS NOT NULL AND p.amount > 0
),
refunded AS (
  SELECT order_id, sum(amount) AS refund
  FROM payments
  WHERE status = 'refunded'
  GROUP BY order_id
),
paid_by_order AS (
  SELECT order_id, sum(amount) AS paid, min(paid_on) AS first_paid
  FROM settled
  GROUP BY order_id
),
net_by_order AS (
  SELECT s.order_id, s.first_paid, greatest(s.paid - coalesce(r.refund, 0), 0) AS net
  FROM paid_by_order s
  LEFT JOIN refunded r ON r.order_id = s.order_id
),
paid_by_account AS (
  SELECT o.account_id, n.first_paid AS paid_on, sum(n.net) AS net
  FROM net_by_order n
  JOIN orders o ON o.order_id = n.order_id
  WHERE o.account_id IS NOT NULL
  GROUP BY o.account_id, n.first_paid
),
terms AS (
  SELECT
    subscription_id,
    account_id,
    plan_id,
    started_on,
    coalesce(ended_on, date_add(started_on, 28)) AS ended_on
  FROM subscriptions
  WHERE started_on IS NOT NULL AND account_id IS NOT NULL
),
valid_terms AS (
  SELECT t.*, datediff(t.ended_on, t.started_on) AS days
  FROM terms t
  WHERE t.ended_on > t.started_on
),
main_term AS (
  SELECT subscription_id, account_id, plan_id, started_on, ended_on, days
  FROM (
    SELECT v.*, row_number() OVER (PARTITION BY account_id ORDER BY days DESC, subscription_id) AS place
    FROM valid_terms v
  ) AS x
  WHERE place = 1
),
contracts AS (
  SELECT m.subscription_id, m.account_id, m.plan_id, m.started_on, m.ended_on, m.days, sum(p.net) AS contract_value
  FROM main_term m
  JOIN paid_by_account p ON p.account_id = m.account_id
  GROUP BY m.subscription_id, m.account_id, m.plan_id, m.started_on, m.ended_on, m.days
),
schedule AS (
  SELECT
    c.subscription_id,
    c.account_id,
    d.week_start,
    count(*) AS earned_days,
    max(c.days) AS days,
    max(c.contract_value) AS contract_value
  FROM contracts c
  JOIN calendar d ON d.day >= c.started_on AND d.day < c.ended_on
  GROUP BY c.subscription_id, c.account_id, d.week_start
),
recognized AS (
  SELECT
    subscription_id,
    account_id,
    week_start,
    earned_days,
    CAST(contract_value * earned_days / days AS DECIMAL(18, 4)) AS earned,
    contract_value
  FROM schedule
),
to_date AS (
  SELECT
    r.*,
    sum(earned) OVER (PARTITION BY subscription_id ORDER BY week_start) AS earned_to_date,
    sum(earned_days) OVER (PARTITION BY subscription_id ORDER BY week_start) AS days_to_date
  FROM recognized r
),
deferred AS (
  SELECT t.*, greatest(t.contract_value - t.earned_to_date, 0) AS deferred
  FROM to_date t
),
weekly AS (
  SELECT
    week_start,
    sum(earned) AS earned,
    sum(deferred) AS deferred,
    count(*) AS contracts,
    max(days_to_date) AS longest
  FROM deferred
  GROUP BY week_start
),
weekly_paid AS (
  SELECT c.week_start, sum(p.net) AS paid, count(DISTINCT p.account_id) AS payers
  FROM paid_by_account p
  JOIN calendar c ON c.day = p.paid_on
  GROUP BY c.week_start
),
weeks AS (
  SELECT week_start, count(*) AS days, count_if(is_workday) AS workdays FROM calendar GROUP BY week_start
),
report AS (
  SELECT
    w.week_start,
    w.workdays,
    coalesce(r.earned, 0) AS earned,
    coalesce(r.deferred, 0) AS deferred,
    coalesce(r.contracts, 0) AS contracts,
    coalesce(r.longest, 0) AS longest,
    coalesce(p.paid, 0) AS paid,
    coalesce(p.payers, 0) AS payers
  FROM weeks w
  LEFT JOIN weekly r ON r.week_start = w.week_start
  LEFT JOIN weekly_paid p ON p.week_start = w.week_start
)
SELECT
  week_start,
  workdays,
  earned,
  deferred,
  contracts,
  longest,
  paid,
  payers,
  deferred - lag(deferred) OVER (ORDER BY week_start) AS deferred_change,
  sum(paid - earned) OVER (ORDER BY week_start) AS paid_ahead,
  (SELECT sum(contract_value) FROM contracts) AS all_contracts
FROM report

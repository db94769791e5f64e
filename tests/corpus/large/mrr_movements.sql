-- Monthly recurring revenue by account: new, expansion, contraction, churn and return, with a bridge by month.
WITH stg_subs AS (
  SELECT
    subscription_id,
    account_id,
    plan_id,
    coalesce(seats, 1) AS seats,
    started_on,
    ended_on,
    coalesce(status, 'active') AS status
  FROM subscriptions
  WHERE account_id IS NOT NULL AND started_on IS NOT NULL
),
paying AS (
  SELECT * FROM stg_subs WHERE status IN ('active', 'cancelled')
),
current_price AS (
  SELECT plan_id, monthly_price
  FROM (
    SELECT plan_id, monthly_price, row_number() OVER (PARTITION BY plan_id ORDER BY valid_from DESC) AS place
    FROM plan_prices
  ) AS p
  WHERE place = 1
),
plan_tiers AS (
  SELECT p.plan_id, p.plan_code, coalesce(p.tier, 0) AS tier, coalesce(c.monthly_price, 0) AS monthly_price
  FROM plans p
  LEFT JOIN current_price c ON c.plan_id = p.plan_id
),
months AS (
  SELECT month_start, min(day) AS first_day, max(day) AS last_day FROM calendar GROUP BY month_start
),
sub_months AS (
  SELECT m.month_start, s.account_id, s.subscription_id, s.plan_id, s.seats
  FROM months m
  JOIN paying s ON s.started_on <= m.last_day AND (s.ended_on IS NULL OR s.ended_on > m.last_day)
),
sub_revenue AS (
  SELECT
    s.month_start,
    s.account_id,
    s.subscription_id,
    t.tier,
    t.monthly_price + s.seats * 2 AS mrr
  FROM sub_months s
  JOIN plan_tiers t ON t.plan_id = s.plan_id
),
account_months AS (
  SELECT month_start, account_id, sum(mrr) AS mrr, max(tier) AS tier, count(*) AS subs
  FROM sub_revenue
  GROUP BY month_start, account_id
),
first_months AS (
  SELECT account_id, min(month_start) AS first_month, max(month_start) AS last_month
  FROM account_months
  GROUP BY account_id
),
grid AS (
  SELECT m.month_start, f.account_id, f.first_month
  FROM months m
  JOIN first_months f ON m.month_start >= f.first_month
),
dense AS (
  SELECT
    g.month_start,
    g.account_id,
    g.first_month,
    coalesce(a.mrr, 0) AS mrr,
    coalesce(a.tier, 0) AS tier
  FROM grid g
  LEFT JOIN account_months a ON a.month_start = g.month_start AND a.account_id = g.account_id
),
with_before AS (
  SELECT
    d.*,
    lag(mrr) OVER (PARTITION BY account_id ORDER BY month_start) AS mrr_before,
    lag(tier) OVER (PARTITION BY account_id ORDER BY month_start) AS tier_before
  FROM dense d
),
movements AS (
  SELECT
    month_start,
    account_id,
    mrr,
    tier,
    coalesce(mrr_before, 0) AS mrr_before,
    CASE
      WHEN month_start = first_month THEN 'new'
      WHEN mrr > 0 AND mrr_before = 0 THEN 'return'
      WHEN mrr = 0 AND mrr_before > 0 THEN 'churn'
      WHEN mrr > mrr_before THEN 'expansion'
      WHEN mrr < mrr_before THEN 'contraction'
      ELSE 'none'
    END AS movement
  FROM with_before
),
new_mrr AS (
  SELECT month_start, sum(mrr) AS amount, count(*) AS accounts FROM movements WHERE movement = 'new' GROUP BY month_start
),
returned AS (
  SELECT month_start, sum(mrr) AS amount, count(*) AS accounts
  FROM movements
  WHERE movement = 'return'
  GROUP BY month_start
),
churned AS (
  SELECT month_start, sum(mrr_before) AS amount, count(*) AS accounts
  FROM movements
  WHERE movement = 'churn'
  GROUP BY month_start
),
expanded AS (
  SELECT month_start, sum(mrr - mrr_before) AS amount FROM movements WHERE movement = 'expansion' GROUP BY month_start
),
contracted AS (
  SELECT month_start, sum(mrr_before - mrr) AS amount FROM movements WHERE movement = 'contraction' GROUP BY month_start
),
closing AS (
  SELECT month_start, sum(mrr) AS mrr, count_if(mrr > 0) AS accounts FROM movements GROUP BY month_start
),
largest AS (
  SELECT month_start, account_id AS largest_account
  FROM (
    SELECT month_start, account_id, row_number() OVER (PARTITION BY month_start ORDER BY mrr DESC, account_id) AS place
    FROM movements
    WHERE mrr > 0
  ) AS l
  WHERE place = 1
),
bridge AS (
  SELECT
    m.month_start,
    coalesce(c.mrr, 0) AS mrr,
    coalesce(c.accounts, 0) AS accounts,
    coalesce(n.amount, 0) AS new_amount,
    coalesce(n.accounts, 0) AS new_accounts,
    coalesce(r.amount, 0) AS returned_amount,
    coalesce(x.amount, 0) AS churned_amount,
    coalesce(x.accounts, 0) AS churned_accounts,
    coalesce(e.amount, 0) AS expanded_amount,
    coalesce(k.amount, 0) AS contracted_amount,
    l.largest_account
  FROM months m
  LEFT JOIN closing c ON c.month_start = m.month_start
  LEFT JOIN new_mrr n ON n.month_start = m.month_start
  LEFT JOIN returned r ON r.month_start = m.month_start
  LEFT JOIN churned x ON x.month_start = m.month_start
  LEFT JOIN expanded e ON e.month_start = m.month_start
  LEFT JOIN contracted k ON k.month_start = m.month_start
  LEFT JOIN largest l ON l.month_start = m.month_start
)
SELECT
  b.month_start,
  b.mrr,
  b.accounts,
  b.new_amount,
  b.new_accounts,
  b.returned_amount,
  b.churned_amount,
  b.churned_accounts,
  b.expanded_amount,
  b.contracted_amount,
  b.new_amount + b.returned_amount + b.expanded_amount - b.churned_amount - b.contracted_amount AS net_new,
  b.mrr - lag(b.mrr) OVER (ORDER BY b.month_start) AS mrr_change,
  a.account_name AS largest_account_name
FROM bridge b
LEFT JOIN accounts a ON a.account_id = b.largest_account

-- Subscriptions billed by the price that held on each first of a month: as-of joins over slowly changing prices.
WITH prices AS (
  SELECT
    plan_id,
    valid_from,
    coalesce(valid_to, DATE '2099-01-01') AS valid_to,
    coalesce(monthly_price, 0) AS monthly_price
  FROM plan_prices
),
priced AS (
  SELECT
    p.*,
    row_number() OVER (PARTITION BY plan_id ORDER BY valid_from) AS version,
    lag(monthly_price) OVER (PARTITION BY plan_id ORDER BY valid_from) AS price_before,
    lead(valid_from) OVER (PARTITION BY plan_id ORDER BY valid_from) AS next_from
  FROM prices p
),
ranges AS (
  SELECT
    plan_id,
    version,
    monthly_price,
    price_before,
    valid_from,
    CASE WHEN next_from IS NOT NULL AND next_from < valid_to THEN next_from ELSE valid_to END AS valid_until
  FROM priced
),
subs AS (
  SELECT
    subscription_id,
    account_id,
    plan_id,
    coalesce(seats, 1) AS seats,
    started_on,
    coalesce(ended_on, DATE '2099-01-01') AS ended_on
  FROM subscriptions
  WHERE status <> 'trial' AND started_on IS NOT NULL
),
months AS (
  SELECT DISTINCT month_start FROM calendar
),
billable AS (
  SELECT s.subscription_id, s.account_id, s.plan_id, s.seats, m.month_start
  FROM subs s
  JOIN months m ON m.month_start >= trunc(s.started_on, 'MM') AND m.month_start < s.ended_on
),
with_price AS (
  SELECT b.*, r.version, r.monthly_price, r.price_before
  FROM billable b
  JOIN ranges r ON r.plan_id = b.plan_id AND r.valid_from <= b.month_start AND b.month_start < r.valid_until
),
start_price AS (
  SELECT s.subscription_id, r.monthly_price AS price_at_start
  FROM subs s
  JOIN ranges r ON r.plan_id = s.plan_id AND r.valid_from <= s.started_on AND s.started_on < r.valid_until
),
without_price AS (
  SELECT b.subscription_id, b.month_start
  FROM billable b
  LEFT ANTI JOIN with_price w ON w.subscription_id = b.subscription_id AND w.month_start = b.month_start
),
charges AS (
  SELECT
    w.subscription_id,
    w.account_id,
    w.plan_id,
    w.month_start,
    w.version,
    w.monthly_price + greatest(w.seats - coalesce(p.included_seats, 0), 0) * 4 AS amount,
    CASE WHEN w.price_before IS NOT NULL AND w.monthly_price > w.price_before THEN 1 ELSE 0 END AS was_raised
  FROM with_price w
  LEFT JOIN plans p ON p.plan_id = w.plan_id
),
invoices AS (
  SELECT
    account_id,
    month_start,
    sum(amount) AS amount,
    count(*) AS lines,
    max(was_raised) AS was_raised
  FROM charges
  GROUP BY account_id, month_start
),
missing AS (
  SELECT b.account_id, count(*) AS missing_months
  FROM without_price x
  JOIN billable b ON b.subscription_id = x.subscription_id AND b.month_start = x.month_start
  GROUP BY b.account_id
),
savings AS (
  SELECT c.account_id, sum(greatest(c.amount - coalesce(s.price_at_start, c.amount), 0)) AS above_start
  FROM charges c
  LEFT JOIN start_price s ON s.subscription_id = c.subscription_id
  GROUP BY c.account_id
),
running AS (
  SELECT
    i.*,
    sum(amount) OVER (PARTITION BY account_id ORDER BY month_start) AS amount_to_date,
    amount - lag(amount, 1, CAST(0 AS DECIMAL(25, 2))) OVER (PARTITION BY account_id ORDER BY month_start) AS change
  FROM invoices i
)
SELECT
  r.account_id,
  a.account_name,
  a.segment,
  r.month_start,
  r.amount,
  r.lines,
  r.was_raised,
  r.amount_to_date,
  r.change,
  coalesce(m.missing_months, 0) AS missing_months,
  coalesce(s.above_start, 0) AS above_start
FROM running r
LEFT JOIN accounts a ON a.account_id = r.account_id
LEFT JOIN missing m ON m.account_id = r.account_id
LEFT JOIN savings s ON s.account_id = r.account_id

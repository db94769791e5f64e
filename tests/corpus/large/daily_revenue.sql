-- Revenue by day on a spine of all days, with moving sums and a comparison to the week before.
WITH stg_orders AS (
  SELECT order_id, account_id, ordered_on, coalesce(channel, 'unknown') AS channel, coalesce(status, 'open') AS status
  FROM orders
),
stg_items AS (
  SELECT
    order_id,
    line_no,
    product_id,
    quantity * unit_price AS gross,
    quantity * unit_price * coalesce(discount_pct, 0) / 100 AS discount
  FROM order_items
  WHERE quantity > 0
),
stg_payments AS (
  SELECT payment_id, order_id, paid_on, amount
  FROM payments
  WHERE status = 'settled'
),
valid_orders AS (
  SELECT order_id, account_id, ordered_on, channel
  FROM stg_orders
  WHERE status <> 'cancelled'
),
order_totals AS (
  SELECT order_id, sum(gross) AS gross, sum(discount) AS discount, count(*) AS line_count
  FROM stg_items
  GROUP BY order_id
),
enriched AS (
  SELECT
    o.order_id,
    o.account_id,
    o.ordered_on,
    o.channel,
    coalesce(t.gross, 0) AS gross,
    coalesce(t.discount, 0) AS discount,
    coalesce(t.line_count, 0) AS line_count
  FROM valid_orders o
  LEFT JOIN order_totals t ON t.order_id = o.order_id
),
spine AS (
  SELECT day, day_no, week_start, is_workday
  FROM calendar
),
orders_by_day AS (
  SELECT
    ordered_on AS day,
    count(*) AS order_count,
    count(DISTINCT account_id) AS account_count,
    sum(gross) AS gross,
    sum(discount) AS discount,
    sum(CASE WHEN channel = 'web' THEN gross ELSE 0 END) AS web_gross
  FROM enriched
  GROUP BY ordered_on
),
payments_by_day AS (
  SELECT paid_on AS day, sum(amount) AS paid, count(*) AS payment_count
  FROM stg_payments
  GROUP BY paid_on
),
first_orders AS (
  SELECT account_id, min(ordered_on) AS first_day
  FROM valid_orders
  WHERE account_id IS NOT NULL
  GROUP BY account_id
),
new_accounts_by_day AS (
  SELECT first_day AS day, count(*) AS new_accounts
  FROM first_orders
  GROUP BY first_day
),
filled AS (
  SELECT
    s.day,
    s.day_no,
    s.week_start,
    s.is_workday,
    coalesce(o.order_count, 0) AS order_count,
    coalesce(o.account_count, 0) AS account_count,
    coalesce(o.gross, 0) AS gross,
    coalesce(o.discount, 0) AS discount,
    coalesce(o.web_gross, 0) AS web_gross,
    coalesce(p.paid, 0) AS paid,
    coalesce(p.payment_count, 0) AS payment_count,
    coalesce(n.new_accounts, 0) AS new_accounts
  FROM spine s
  LEFT JOIN orders_by_day o ON o.day = s.day
  LEFT JOIN payments_by_day p ON p.day = s.day
  LEFT JOIN new_accounts_by_day n ON n.day = s.day
),
moving AS (
  SELECT
    f.*,
    sum(gross) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS gross_7_days,
    sum(paid) OVER (ORDER BY day) AS paid_to_date,
    sum(new_accounts) OVER (ORDER BY day) AS accounts_to_date
  FROM filled f
),
compared AS (
  SELECT
    m.day,
    m.week_start,
    m.is_workday,
    m.order_count,
    m.account_count,
    m.gross,
    m.discount,
    m.web_gross,
    m.paid,
    m.new_accounts,
    m.gross_7_days,
    m.paid_to_date,
    m.accounts_to_date,
    before.gross_7_days AS gross_7_days_before
  FROM moving m
  LEFT JOIN moving before ON before.day = date_sub(m.day, 7)
)
SELECT
  day,
  week_start,
  is_workday,
  order_count,
  account_count,
  gross,
  gross - discount AS net,
  web_gross,
  paid,
  new_accounts,
  gross_7_days,
  gross_7_days - coalesce(gross_7_days_before, 0) AS change_to_week_before,
  paid_to_date,
  accounts_to_date,
  CASE WHEN gross = 0 THEN 'none' WHEN gross_7_days > coalesce(gross_7_days_before, 0) THEN 'up' ELSE 'down' END AS trend
FROM compared

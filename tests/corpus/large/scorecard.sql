-- The weekly scorecard of the whole company: each team brings its staging and its figures, one page shows them all.
WITH weeks AS (
  SELECT week_start, count_if(is_workday) AS workdays, max(day) AS last_day FROM calendar GROUP BY week_start
),
days AS (
  SELECT day, week_start FROM calendar
),
-- sales
s_orders AS (
  SELECT order_id, account_id, user_id, ordered_on, coalesce(channel, 'none') AS channel, coalesce(status, 'open') AS status
  FROM orders
  WHERE ordered_on IS NOT NULL
),
s_items AS (
  SELECT order_id, sum(quantity * unit_price) AS gross, sum(quantity) AS units FROM order_items GROUP BY order_id
),
s_orders_weekly AS (
  SELECT o.order_id, o.account_id, o.channel, o.status, d.week_start, coalesce(i.gross, 0) AS gross, coalesce(i.units, 0) AS units
  FROM s_orders o
  JOIN days d ON d.day = o.ordered_on
  LEFT JOIN s_items i ON i.order_id = o.order_id
),
s_valid AS (
  SELECT * FROM s_orders_weekly WHERE status <> 'cancelled'
),
s_totals AS (
  SELECT week_start, count(*) AS orders, sum(gross) AS gross, sum(units) AS units, count(DISTINCT account_id) AS buyers
  FROM s_valid
  GROUP BY week_start
),
s_cancelled AS (
  SELECT week_start, count(*) AS cancelled FROM s_orders_weekly WHERE status = 'cancelled' GROUP BY week_start
),
s_channels AS (
  SELECT week_start, channel, sum(gross) AS gross FROM s_valid GROUP BY week_start, channel
),
s_best_channel AS (
  SELECT week_start, channel
  FROM (
    SELECT c.*, row_number() OVER (PARTITION BY week_start ORDER BY gross DESC, channel) AS place FROM s_channels c
  ) AS x
  WHERE place = 1
),
s_first AS (
  SELECT account_id, min(week_start) AS first_week FROM s_valid WHERE account_id IS NOT NULL GROUP BY account_id
),
s_new AS (
  SELECT first_week AS week_start, count(*) AS new_buyers FROM s_first GROUP BY first_week
),
s_repeat AS (
  SELECT v.week_start, count(*) AS repeat_orders, sum(v.gross) AS repeat_gross
  FROM s_valid v
  JOIN s_first f ON f.account_id = v.account_id AND v.week_start > f.first_week
  GROUP BY v.week_start
),
-- finance
f_payments AS (
  SELECT p.payment_id, p.order_id, coalesce(p.amount, 0) AS amount, coalesce(p.status, 'failed') AS status, d.week_start
  FROM payments p
  JOIN days d ON d.day = p.paid_on
),
f_settled AS (
  SELECT week_start, sum(amount) AS settled, count(*) AS payments FROM f_payments WHERE status = 'settled' GROUP BY week_start
),
f_failed AS (
  SELECT week_start, count(*) AS failed FROM f_payments WHERE status = 'failed' GROUP BY week_start
),
f_refunded AS (
  SELECT week_start, sum(amount) AS refunded FROM f_payments WHERE status = 'refunded' GROUP BY week_start
),
f_paid_orders AS (
  SELECT order_id, sum(amount) AS paid, min(week_start) AS paid_week FROM f_payments WHERE status = 'settled' GROUP BY order_id
),
f_open AS (
  SELECT v.week_start, sum(v.gross - coalesce(p.paid, 0)) AS open_amount
  FROM s_valid v
  LEFT JOIN f_paid_orders p ON p.order_id = v.order_id
  WHERE v.gross > coalesce(p.paid, 0)
  GROUP BY v.week_start
),
f_unmatched AS (
  SELECT p.week_start, count(*) AS unmatched
  FROM f_payments p
  WHERE NOT EXISTS (SELECT 1 FROM s_orders o WHERE o.order_id = p.order_id)
  GROUP BY p.week_start
),
-- product
p_events AS (
  SELECT DISTINCT user_id, event_type, event_day, minute_of_day FROM events WHERE user_id IS NOT NULL
),
p_week_events AS (
  SELECT e.user_id, e.event_type, d.week_start, count(*) AS n
  FROM p_events e
  JOIN days d ON d.day = e.event_day
  GROUP BY e.user_id, e.event_type, d.week_start
),
p_active AS (
  SELECT week_start, count(DISTINCT user_id) AS active_users, sum(n) AS events FROM p_week_events GROUP BY week_start
),
p_user_weeks AS (
  SELECT user_id, week_start, sum(n) AS n, count(*) AS types FROM p_week_events GROUP BY user_id, week_start
),
p_with_before AS (
  SELECT u.*, lag(week_start) OVER (PARTITION BY user_id ORDER BY week_start) AS week_before FROM p_user_weeks u
),
p_returning AS (
  SELECT week_start, count(*) AS returning_users
  FROM p_with_before
  WHERE week_before = date_sub(week_start, 7)
  GROUP BY week_start
),
p_power AS (
  SELECT week_start, count(*) AS power_users FROM p_user_weeks WHERE types >= 3 GROUP BY week_start
),
p_top_type AS (
  SELECT week_start, event_type
  FROM (
    SELECT week_start, event_type, row_number() OVER (PARTITION BY week_start ORDER BY sum(n) DESC, event_type) AS place
    FROM p_week_events
    GROUP BY week_start, event_type
  ) AS x
  WHERE place = 1
),
-- support
t_tickets AS (
  SELECT ticket_id, account_id, opened_on, closed_on, coalesce(priority, 4) AS priority, score FROM tickets
),
t_opened AS (
  SELECT d.week_start, count(*) AS opened, count_if(t.priority = 1) AS urgent
  FROM t_tickets t
  JOIN days d ON d.day = t.opened_on
  GROUP BY d.week_start
),
t_closed AS (
  SELECT d.week_start, count(*) AS closed, sum(datediff(t.closed_on, t.opened_on)) AS days_open, sum(t.score) AS score
  FROM t_tickets t
  JOIN days d ON d.day = t.closed_on
  GROUP BY d.week_start
),
t_flow AS (
  SELECT w.week_start, coalesce(o.opened, 0) AS opened, coalesce(o.urgent, 0) AS urgent, coalesce(c.closed, 0) AS closed,
    coalesce(c.days_open, 0) AS days_open, c.score
  FROM weeks w
  LEFT JOIN t_opened o ON o.week_start = w.week_start
  LEFT JOIN t_closed c ON c.week_start = w.week_start
),
t_backlog AS (
  SELECT f.*, sum(opened - closed) OVER (ORDER BY week_start) AS backlog FROM t_flow f
),
-- marketing
m_touches AS (
  SELECT t.user_id, t.campaign, t.medium, d.week_start, sum(coalesce(t.cost, 0)) AS cost, count(*) AS n
  FROM touches t
  JOIN days d ON d.day = t.touched_on
  GROUP BY t.user_id, t.campaign, t.medium, d.week_start
),
m_weekly AS (
  SELECT week_start, sum(cost) AS cost, sum(n) AS touches, count(DISTINCT user_id) AS people FROM m_touches GROUP BY week_start
),
m_buyers AS (
  SELECT DISTINCT o.user_id, d.week_start
  FROM s_orders o
  JOIN days d ON d.day = o.ordered_on
  WHERE o.status = 'paid' AND o.user_id IS NOT NULL
),
m_converted AS (
  SELECT t.week_start, count(DISTINCT t.user_id) AS converted
  FROM m_touches t
  WHERE EXISTS (SELECT 1 FROM m_buyers b WHERE b.user_id = t.user_id AND b.week_start >= t.week_start)
  GROUP BY t.week_start
),
m_expensive AS (
  SELECT campaign, sum(cost) AS cost FROM m_touches GROUP BY campaign HAVING sum(cost) > 20
),
m_expensive_weeks AS (
  SELECT t.week_start, count(DISTINCT t.campaign) AS expensive_campaigns
  FROM m_touches t
  JOIN m_expensive e ON e.campaign = t.campaign
  GROUP BY t.week_start
),
-- stock
k_moves AS (
  SELECT m.product_id, d.week_start, sum(CASE WHEN m.kind = 'issue' THEN -m.quantity ELSE m.quantity END) AS delta
  FROM stock_moves m
  JOIN days d ON d.day = m.moved_on
  WHERE m.product_id IS NOT NULL
  GROUP BY m.product_id, d.week_start
),
k_balance AS (
  SELECT k.*, sum(delta) OVER (PARTITION BY product_id ORDER BY week_start) AS balance FROM k_moves k
),
k_value AS (
  SELECT b.week_start, sum(b.balance * p.unit_cost) AS moved_value, count_if(b.balance <= 0) AS empty_products
  FROM k_balance b
  JOIN products p ON p.product_id = b.product_id
  GROUP BY b.week_start
),
-- subscriptions
u_subs AS (
  SELECT subscription_id, account_id, plan_id, coalesce(seats, 1) AS seats, started_on, coalesce(ended_on, DATE '2099-01-01') AS ended_on
  FROM subscriptions
  WHERE started_on IS NOT NULL AND status <> 'trial'
),
u_live AS (
  SELECT w.week_start, s.subscription_id, s.account_id, s.plan_id, s.seats
  FROM weeks w
  JOIN u_subs s ON s.started_on <= w.last_day AND s.ended_on > w.last_day
),
u_priced AS (
  SELECT l.week_start, l.subscription_id, l.account_id, l.seats, p.monthly_price
  FROM u_live l
  JOIN plan_prices p
    ON p.plan_id = l.plan_id AND p.valid_from <= l.week_start AND (p.valid_to IS NULL OR l.week_start < p.valid_to)
),
u_weekly AS (
  SELECT week_start, count(*) AS subs, count(DISTINCT account_id) AS subscribers, sum(seats) AS seats,
    sum(coalesce(monthly_price, 0)) AS mrr
  FROM u_priced
  GROUP BY week_start
),
u_lost AS (
  SELECT d.week_start, count(*) AS lost FROM u_subs s JOIN days d ON d.day = s.ended_on GROUP BY d.week_start
),
-- one page
page AS (
  SELECT
    w.week_start,
    w.workdays,
    coalesce(st.orders, 0) AS orders,
    coalesce(st.gross, 0) AS gross,
    coalesce(st.buyers, 0) AS buyers,
    coalesce(sc.cancelled, 0) AS cancelled,
    sb.channel AS best_channel,
    coalesce(sn.new_buyers, 0) AS new_buyers,
    coalesce(sr.repeat_gross, 0) AS repeat_gross,
    coalesce(fs.settled, 0) AS settled,
    coalesce(ff.failed, 0) AS failed,
    coalesce(fr.refunded, 0) AS refunded,
    coalesce(fo.open_amount, 0) AS open_amount,
    coalesce(fu.unmatched, 0) AS unmatched,
    coalesce(pa.active_users, 0) AS active_users,
    coalesce(pr.returning_users, 0) AS returning_users,
    coalesce(pp.power_users, 0) AS power_users,
    pt.event_type AS top_event,
    tb.backlog,
    tb.urgent,
    coalesce(mw.cost, 0) AS marketing_cost,
    coalesce(mc.converted, 0) AS converted,
    coalesce(me.expensive_campaigns, 0) AS expensive_campaigns,
    coalesce(kv.moved_value, 0) AS moved_value,
    coalesce(kv.empty_products, 0) AS empty_products,
    coalesce(uw.subs, 0) AS subs,
    coalesce(uw.mrr, 0) AS mrr,
    coalesce(ul.lost, 0) AS lost
  FROM weeks w
  LEFT JOIN s_totals st ON st.week_start = w.week_start
  LEFT JOIN s_cancelled sc ON sc.week_start = w.week_start
  LEFT JOIN s_best_channel sb ON sb.week_start = w.week_start
  LEFT JOIN s_new sn ON sn.week_start = w.week_start
  LEFT JOIN s_repeat sr ON sr.week_start = w.week_start
  LEFT JOIN f_settled fs ON fs.week_start = w.week_start
  LEFT JOIN f_failed ff ON ff.week_start = w.week_start
  LEFT JOIN f_refunded fr ON fr.week_start = w.week_start
  LEFT JOIN f_open fo ON fo.week_start = w.week_start
  LEFT JOIN f_unmatched fu ON fu.week_start = w.week_start
  LEFT JOIN p_active pa ON pa.week_start = w.week_start
  LEFT JOIN p_returning pr ON pr.week_start = w.week_start
  LEFT JOIN p_power pp ON pp.week_start = w.week_start
  LEFT JOIN p_top_type pt ON pt.week_start = w.week_start
  JOIN t_backlog tb ON tb.week_start = w.week_start
  LEFT JOIN m_weekly mw ON mw.week_start = w.week_start
  LEFT JOIN m_converted mc ON mc.week_start = w.week_start
  LEFT JOIN m_expensive_weeks me ON me.week_start = w.week_start
  LEFT JOIN k_value kv ON kv.week_start = w.week_start
  LEFT JOIN u_weekly uw ON uw.week_start = w.week_start
  LEFT JOIN u_lost ul ON ul.week_start = w.week_start
),
page_before AS (
  SELECT date_add(week_start, 7) AS week_start, gross, settled, active_users, mrr, backlog FROM page
),
changes AS (
  SELECT
    p.*,
    p.gross - coalesce(b.gross, 0) AS gross_change,
    p.active_users - coalesce(b.active_users, 0) AS active_change,
    p.mrr - coalesce(b.mrr, 0) AS mrr_change,
    p.backlog - coalesce(b.backlog, 0) AS backlog_change
  FROM page p
  LEFT JOIN page_before b ON b.week_start = p.week_start
),
marks AS (
  SELECT
    c.*,
    CASE WHEN gross_change > 0 THEN 1 ELSE 0 END
      + CASE WHEN active_change > 0 THEN 1 ELSE 0 END
      + CASE WHEN mrr_change > 0 THEN 1 ELSE 0 END
      + CASE WHEN backlog_change < 0 THEN 1 ELSE 0 END AS mark
  FROM changes c
)
SELECT
  m.*,
  rank() OVER (ORDER BY m.mark DESC, m.gross DESC) AS place,
  CAST(m.gross * 1000 / greatest((SELECT sum(gross) FROM s_totals), 1) AS INT) AS per_mille_of_gross,
  (SELECT max(backlog) FROM t_backlog) AS largest_backlog,
  sum(m.settled - m.refunded) OVER (ORDER BY m.week_start) AS cash_to_date
FROM marks m

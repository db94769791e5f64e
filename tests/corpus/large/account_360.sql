-- All that is known of an account in one row: twenty joins of aggregates, each over staging CTEs of its own.
WITH stg_accounts AS (
  SELECT account_id, account_name, coalesce(segment, 'none') AS segment, country, parent_id, created_on FROM accounts
),
stg_users AS (
  SELECT user_id, account_id, coalesce(role, 'viewer') AS role, signed_up_on, coalesce(is_active, false) AS is_active
  FROM users
  WHERE account_id IS NOT NULL
),
stg_orders AS (
  SELECT order_id, account_id, user_id, ordered_on, coalesce(channel, 'none') AS channel, coalesce(status, 'open') AS status
  FROM orders
  WHERE account_id IS NOT NULL
),
stg_items AS (
  SELECT order_id, line_no, product_id, quantity, unit_price, coalesce(discount_pct, 0) AS discount_pct
  FROM order_items
  WHERE quantity > 0
),
stg_payments AS (
  SELECT payment_id, order_id, paid_on, coalesce(amount, 0) AS amount, method, coalesce(status, 'failed') AS status
  FROM payments
),
stg_tickets AS (
  SELECT ticket_id, account_id, opened_on, closed_on, coalesce(priority, 4) AS priority, score
  FROM tickets
  WHERE account_id IS NOT NULL
),
stg_subs AS (
  SELECT subscription_id, account_id, plan_id, coalesce(seats, 1) AS seats, started_on, ended_on, status
  FROM subscriptions
  WHERE account_id IS NOT NULL
),
stg_events AS (
  SELECT DISTINCT user_id, event_type, event_day, minute_of_day FROM events WHERE user_id IS NOT NULL
),
stg_touches AS (
  SELECT user_id, campaign, medium, touched_on, coalesce(cost, 0) AS cost FROM touches
),
items_priced AS (
  SELECT
    i.order_id,
    i.product_id,
    i.quantity,
    i.quantity * i.unit_price AS gross,
    CAST(i.quantity * i.unit_price * (100 - i.discount_pct) / 100 AS DECIMAL(18, 2)) AS net
  FROM stg_items i
),
items_costed AS (
  SELECT i.order_id, i.product_id, i.quantity, i.gross, i.net, i.net - i.quantity * coalesce(p.unit_cost, 0) AS margin,
    coalesce(p.category, 'none') AS category
  FROM items_priced i
  LEFT JOIN products p ON p.product_id = i.product_id
),
order_totals AS (
  SELECT order_id, sum(gross) AS gross, sum(net) AS net, sum(margin) AS margin, count(*) AS line_count
  FROM items_costed
  GROUP BY order_id
),
order_payments AS (
  SELECT
    order_id,
    sum(CASE WHEN status = 'settled' THEN amount ELSE 0 END) AS paid,
    sum(CASE WHEN status = 'refunded' THEN amount ELSE 0 END) AS refunded,
    count_if(status = 'failed') AS failures
  FROM stg_payments
  GROUP BY order_id
),
orders_full AS (
  SELECT
    o.order_id,
    o.account_id,
    o.user_id,
    o.ordered_on,
    o.channel,
    o.status,
    coalesce(t.gross, 0) AS gross,
    coalesce(t.net, 0) AS net,
    coalesce(t.margin, 0) AS margin,
    coalesce(p.paid, 0) AS paid,
    coalesce(p.refunded, 0) AS refunded,
    coalesce(p.failures, 0) AS failures
  FROM stg_orders o
  LEFT JOIN order_totals t ON t.order_id = o.order_id
  LEFT JOIN order_payments p ON p.order_id = o.order_id
),
orders_valid AS (
  SELECT * FROM orders_full WHERE status <> 'cancelled'
),
orders_ranked AS (
  SELECT
    o.*,
    row_number() OVER (PARTITION BY account_id ORDER BY ordered_on, order_id) AS order_no,
    row_number() OVER (PARTITION BY account_id ORDER BY ordered_on DESC, order_id DESC) AS order_no_back
  FROM orders_valid o
),
a_users AS (
  SELECT account_id, count(*) AS users, count_if(is_active) AS active_users, count_if(role = 'admin') AS admins
  FROM stg_users
  GROUP BY account_id
),
a_orders AS (
  SELECT account_id, count(*) AS orders, sum(net) AS net, sum(margin) AS margin, max(net) AS largest_order
  FROM orders_valid
  GROUP BY account_id
),
a_cancelled AS (
  SELECT account_id, count(*) AS cancelled FROM orders_full WHERE status = 'cancelled' GROUP BY account_id
),
a_first_order AS (
  SELECT account_id, ordered_on AS first_order_on, net AS first_net FROM orders_ranked WHERE order_no = 1
),
a_last_order AS (
  SELECT account_id, ordered_on AS last_order_on, net AS last_net, channel AS last_channel
  FROM orders_ranked
  WHERE order_no_back = 1
),
a_payments AS (
  SELECT account_id, sum(paid) AS paid, sum(refunded) AS refunded, sum(failures) AS failures
  FROM orders_valid
  GROUP BY account_id
),
a_open AS (
  SELECT account_id, sum(net - paid) AS open_amount FROM orders_valid WHERE net > paid GROUP BY account_id
),
a_channels AS (
  SELECT account_id, count(DISTINCT channel) AS channels FROM orders_valid GROUP BY account_id
),
category_net AS (
  SELECT o.account_id, i.category, sum(i.net) AS net, sum(i.quantity) AS units
  FROM items_costed i
  JOIN orders_valid o ON o.order_id = i.order_id
  GROUP BY o.account_id, i.category
),
a_category AS (
  SELECT account_id, category AS main_category, net AS main_category_net
  FROM (
    SELECT c.*, row_number() OVER (PARTITION BY account_id ORDER BY net DESC, category) AS place FROM category_net c
  ) AS x
  WHERE place = 1
),
a_products AS (
  SELECT o.account_id, count(DISTINCT i.product_id) AS products, sum(i.quantity) AS units
  FROM items_costed i
  JOIN orders_valid o ON o.order_id = i.order_id
  GROUP BY o.account_id
),
a_tickets AS (
  SELECT account_id, count(*) AS tickets, count_if(closed_on IS NULL) AS open_tickets, sum(datediff(closed_on, opened_on)) AS ticket_days
  FROM stg_tickets
  GROUP BY account_id
),
a_urgent AS (
  SELECT account_id, count(*) AS urgent FROM stg_tickets WHERE priority = 1 GROUP BY account_id
),
a_scores AS (
  SELECT account_id, sum(score) AS score_sum, count(score) AS scores FROM stg_tickets GROUP BY account_id
  HAVING count(score) > 0
),
a_subs AS (
  SELECT account_id, count(*) AS subs, sum(seats) AS seats FROM stg_subs WHERE status <> 'cancelled' GROUP BY account_id
),
sub_latest AS (
  SELECT account_id, plan_id, started_on
  FROM (
    SELECT s.*, row_number() OVER (PARTITION BY account_id ORDER BY started_on DESC, subscription_id) AS place
    FROM stg_subs s
  ) AS x
  WHERE place = 1
),
a_plan AS (
  SELECT s.account_id, p.plan_code, p.tier, s.started_on AS plan_since
  FROM sub_latest s
  LEFT JOIN plans p ON p.plan_id = s.plan_id
),
user_event_days AS (
  SELECT user_id, event_day, count(*) AS events FROM stg_events GROUP BY user_id, event_day
),
a_events AS (
  SELECT u.account_id, sum(e.events) AS events, count(DISTINCT e.event_day) AS active_days
  FROM user_event_days e
  JOIN stg_users u ON u.user_id = e.user_id
  GROUP BY u.account_id
),
a_purchases AS (
  SELECT u.account_id, count(*) AS purchase_events
  FROM stg_events e
  JOIN stg_users u ON u.user_id = e.user_id
  WHERE e.event_type = 'purchase'
  GROUP BY u.account_id
),
a_touches AS (
  SELECT u.account_id, count(*) AS touches, sum(t.cost) AS touch_cost, count(DISTINCT t.campaign) AS campaigns
  FROM stg_touches t
  JOIN stg_users u ON u.user_id = t.user_id
  GROUP BY u.account_id
),
a_children AS (
  SELECT parent_id AS account_id, count(*) AS children FROM stg_accounts WHERE parent_id IS NOT NULL GROUP BY parent_id
),
a_parent AS (
  SELECT c.account_id, p.account_name AS parent_name, p.segment AS parent_segment
  FROM stg_accounts c
  JOIN stg_accounts p ON p.account_id = c.parent_id
),
segment_totals AS (
  SELECT a.segment, sum(o.net) AS segment_net, count(*) AS segment_accounts
  FROM stg_accounts a
  LEFT JOIN a_orders o ON o.account_id = a.account_id
  GROUP BY a.segment
),
wide AS (
  SELECT
    a.account_id,
    a.account_name,
    a.segment,
    a.country,
    coalesce(u.users, 0) AS users,
    coalesce(u.active_users, 0) AS active_users,
    coalesce(o.orders, 0) AS orders,
    coalesce(o.net, 0) AS net,
    coalesce(o.margin, 0) AS margin,
    o.largest_order,
    coalesce(x.cancelled, 0) AS cancelled,
    f.first_order_on,
    f.first_net,
    l.last_order_on,
    l.last_channel,
    coalesce(p.paid, 0) AS paid,
    coalesce(p.refunded, 0) AS refunded,
    coalesce(p.failures, 0) AS failures,
    coalesce(q.open_amount, 0) AS open_amount,
    coalesce(ch.channels, 0) AS channels,
    c.main_category,
    c.main_category_net,
    coalesce(pr.products, 0) AS products,
    coalesce(t.tickets, 0) AS tickets,
    coalesce(t.open_tickets, 0) AS open_tickets,
    coalesce(ur.urgent, 0) AS urgent,
    sc.score_sum,
    sc.scores,
    coalesce(s.subs, 0) AS subs,
    coalesce(s.seats, 0) AS seats,
    pl.plan_code,
    pl.tier,
    coalesce(e.events, 0) AS events,
    coalesce(e.active_days, 0) AS active_days,
    coalesce(pe.purchase_events, 0) AS purchase_events,
    coalesce(tc.touches, 0) AS touches,
    coalesce(tc.touch_cost, 0) AS touch_cost,
    coalesce(k.children, 0) AS children,
    pa.parent_name,
    st.segment_net,
    st.segment_accounts
  FROM stg_accounts a
  LEFT JOIN a_users u ON u.account_id = a.account_id
  LEFT JOIN a_orders o ON o.account_id = a.account_id
  LEFT JOIN a_cancelled x ON x.account_id = a.account_id
  LEFT JOIN a_first_order f ON f.account_id = a.account_id
  LEFT JOIN a_last_order l ON l.account_id = a.account_id
  LEFT JOIN a_payments p ON p.account_id = a.account_id
  LEFT JOIN a_open q ON q.account_id = a.account_id
  LEFT JOIN a_channels ch ON ch.account_id = a.account_id
  LEFT JOIN a_category c ON c.account_id = a.account_id
  LEFT JOIN a_products pr ON pr.account_id = a.account_id
  LEFT JOIN a_tickets t ON t.account_id = a.account_id
  LEFT JOIN a_urgent ur ON ur.account_id = a.account_id
  LEFT JOIN a_scores sc ON sc.account_id = a.account_id
  LEFT JOIN a_subs s ON s.account_id = a.account_id
  LEFT JOIN a_plan pl ON pl.account_id = a.account_id
  LEFT JOIN a_events e ON e.account_id = a.account_id
  LEFT JOIN a_purchases pe ON pe.account_id = a.account_id
  LEFT JOIN a_touches tc ON tc.account_id = a.account_id
  LEFT JOIN a_children k ON k.account_id = a.account_id
  LEFT JOIN a_parent pa ON pa.account_id = a.account_id
  LEFT JOIN segment_totals st ON st.segment = a.segment
),
health AS (
  SELECT
    w.*,
    least(active_users * 10, 30) + least(active_days * 3, 30) + CASE WHEN open_tickets = 0 THEN 20 ELSE 0 END
      - failures * 5 - urgent * 5 AS health_score
  FROM wide w
)
SELECT
  h.*,
  CASE WHEN health_score >= 60 THEN 'good' WHEN health_score >= 30 THEN 'fair' ELSE 'poor' END AS health_class,
  rank() OVER (PARTITION BY segment ORDER BY net DESC) AS place_in_segment
FROM health h

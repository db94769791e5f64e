-- How far each visitor gets, step by step, within a week, and how steps convert by country and medium.
WITH base AS (
  SELECT
    user_id,
    event_type,
    datediff(event_day, DATE '2024-01-01') * 1440 + minute_of_day AS minute_no,
    value
  FROM events
  WHERE user_id IS NOT NULL AND event_day IS NOT NULL AND minute_of_day IS NOT NULL
),
visits AS (
  SELECT user_id, min(minute_no) AS visit_at FROM base WHERE event_type = 'visit' GROUP BY user_id
),
views AS (
  SELECT b.user_id, min(b.minute_no) AS view_at
  FROM base b
  JOIN visits v ON v.user_id = b.user_id
  WHERE b.event_type IN ('view', 'search') AND b.minute_no >= v.visit_at AND b.minute_no < v.visit_at + 10080
  GROUP BY b.user_id
),
carts AS (
  SELECT b.user_id, min(b.minute_no) AS cart_at
  FROM base b
  JOIN views v ON v.user_id = b.user_id
  WHERE b.event_type = 'cart' AND b.minute_no >= v.view_at AND b.minute_no < v.view_at + 10080
  GROUP BY b.user_id
),
checkouts AS (
  SELECT b.user_id, min(b.minute_no) AS checkout_at
  FROM base b
  JOIN carts c ON c.user_id = b.user_id
  WHERE b.event_type = 'checkout' AND b.minute_no >= c.cart_at AND b.minute_no < c.cart_at + 10080
  GROUP BY b.user_id
),
purchases AS (
  SELECT b.user_id, min(b.minute_no) AS purchase_at, sum(coalesce(b.value, 0)) AS purchase_value
  FROM base b
  JOIN checkouts c ON c.user_id = b.user_id
  WHERE b.event_type = 'purchase' AND b.minute_no >= c.checkout_at
  GROUP BY b.user_id
),
first_touch AS (
  SELECT user_id, medium
  FROM (
    SELECT
      user_id, medium, row_number() OVER (PARTITION BY user_id ORDER BY touched_on, campaign, medium, cost) AS touch_no
    FROM touches
    WHERE touched_on IS NOT NULL
  ) AS t
  WHERE touch_no = 1
),
user_country AS (
  SELECT u.user_id, coalesce(a.country, '??') AS country
  FROM users u
  LEFT JOIN accounts a ON a.account_id = u.account_id
),
progress AS (
  SELECT
    v.user_id,
    v.visit_at,
    w.view_at,
    c.cart_at,
    k.checkout_at,
    p.purchase_at,
    coalesce(p.purchase_value, 0) AS purchase_value
  FROM visits v
  LEFT JOIN views w ON w.user_id = v.user_id
  LEFT JOIN carts c ON c.user_id = v.user_id
  LEFT JOIN checkouts k ON k.user_id = v.user_id
  LEFT JOIN purchases p ON p.user_id = v.user_id
),
described AS (
  SELECT p.*, coalesce(u.country, '??') AS country, coalesce(f.medium, 'direct') AS medium
  FROM progress p
  LEFT JOIN user_country u ON u.user_id = p.user_id
  LEFT JOIN first_touch f ON f.user_id = p.user_id
),
furthest AS (
  SELECT
    d.*,
    CASE
      WHEN purchase_at IS NOT NULL THEN 5
      WHEN checkout_at IS NOT NULL THEN 4
      WHEN cart_at IS NOT NULL THEN 3
      WHEN view_at IS NOT NULL THEN 2
      ELSE 1
    END AS step
  FROM described d
),
steps AS (
  SELECT step FROM (VALUES (1), (2), (3), (4), (5)) AS s(step)
),
mediums AS (
  SELECT DISTINCT country, medium FROM furthest
),
grid AS (
  SELECT m.country, m.medium, s.step FROM mediums m CROSS JOIN steps s
),
reached AS (
  SELECT g.country, g.medium, g.step, count(f.user_id) AS user_count, sum(f.purchase_value) AS step_value
  FROM grid g
  LEFT JOIN furthest f ON f.country = g.country AND f.medium = g.medium AND f.step >= g.step
  GROUP BY g.country, g.medium, g.step
),
compared AS (
  SELECT
    r.*,
    first_value(user_count) OVER (PARTITION BY country, medium ORDER BY step) AS entered,
    lag(user_count) OVER (PARTITION BY country, medium ORDER BY step) AS user_count_before
  FROM reached r
),
totals AS (
  SELECT step, sum(user_count) AS all_users FROM reached GROUP BY step
)
SELECT
  c.country,
  c.medium,
  c.step,
  c.user_count,
  coalesce(c.step_value, 0) AS step_value,
  c.user_count * 1000 div greatest(c.entered, 1) AS of_entered,
  c.user_count * 1000 div greatest(coalesce(c.user_count_before, c.entered), 1) AS of_step_before,
  t.all_users,
  (SELECT count(*) FROM visits) AS visitor_count
FROM compared c
JOIN totals t ON t.step = c.step

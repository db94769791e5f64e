-- Users by the week in which they first did something, and how many of them come back in the weeks after.
WITH stg_users AS (
  SELECT user_id, account_id, role, signed_up_on
  FROM users
  WHERE signed_up_on IS NOT NULL
),
stg_accounts AS (
  SELECT account_id, coalesce(segment, 'none') AS segment, coalesce(country, '??') AS country
  FROM accounts
),
weeks AS (
  SELECT DISTINCT week_start
  FROM calendar
),
numbered_weeks AS (
  SELECT week_start, row_number() OVER (ORDER BY week_start) AS week_no
  FROM weeks
),
days AS (
  SELECT c.day, c.week_start, w.week_no
  FROM calendar c
  JOIN numbered_weeks w ON w.week_start = c.week_start
),
event_activity AS (
  SELECT user_id, event_day AS day, count(*) AS actions
  FROM events
  WHERE event_type <> 'signup'
  GROUP BY user_id, event_day
),
order_activity AS (
  SELECT user_id, ordered_on AS day, count(*) AS actions
  FROM orders
  WHERE status = 'paid'
  GROUP BY user_id, ordered_on
),
ticket_activity AS (
  SELECT user_id, opened_on AS day, count(*) AS actions
  FROM tickets
  GROUP BY user_id, opened_on
),
all_activity AS (
  SELECT user_id, day, actions, 'event' AS kind FROM event_activity
  UNION ALL
  SELECT user_id, day, actions, 'order' AS kind FROM order_activity
  UNION ALL
  SELECT user_id, day, actions, 'ticket' AS kind FROM ticket_activity
),
activity_by_week AS (
  SELECT a.user_id, d.week_no, sum(a.actions) AS actions, count(DISTINCT a.kind) AS kinds
  FROM all_activity a
  JOIN days d ON d.day = a.day
  WHERE a.user_id IS NOT NULL
  GROUP BY a.user_id, d.week_no
),
first_weeks AS (
  SELECT user_id, min(week_no) AS cohort_week
  FROM activity_by_week
  GROUP BY user_id
),
cohort_users AS (
  SELECT f.user_id, f.cohort_week, coalesce(a.segment, 'none') AS segment
  FROM first_weeks f
  LEFT JOIN stg_users u ON u.user_id = f.user_id
  LEFT JOIN stg_accounts a ON a.account_id = u.account_id
),
cohort_sizes AS (
  SELECT cohort_week, segment, count(*) AS size
  FROM cohort_users
  GROUP BY cohort_week, segment
),
retained AS (
  SELECT
    c.cohort_week,
    c.segment,
    w.week_no - c.cohort_week AS weeks_since,
    count(DISTINCT c.user_id) AS active_users,
    sum(w.actions) AS actions
  FROM cohort_users c
  JOIN activity_by_week w ON w.user_id = c.user_id
  GROUP BY c.cohort_week, c.segment, w.week_no - c.cohort_week
),
grid AS (
  SELECT s.cohort_week, s.segment, s.size, w.week_no - s.cohort_week AS weeks_since
  FROM cohort_sizes s
  JOIN numbered_weeks w ON w.week_no >= s.cohort_week
),
filled AS (
  SELECT
    g.cohort_week,
    g.segment,
    g.size,
    g.weeks_since,
    coalesce(r.active_users, 0) AS active_users,
    coalesce(r.actions, 0) AS actions
  FROM grid g
  LEFT JOIN retained r
    ON r.cohort_week = g.cohort_week AND r.segment = g.segment AND r.weeks_since = g.weeks_since
),
with_change AS (
  SELECT
    f.*,
    lag(active_users, 1, 0) OVER (PARTITION BY cohort_week, segment ORDER BY weeks_since) AS active_before,
    max(active_users) OVER (PARTITION BY cohort_week, segment) AS most_active
  FROM filled f
)
SELECT
  cohort_week,
  segment,
  weeks_since,
  size,
  active_users,
  active_users * 1000 div size AS per_mille,
  active_users - active_before AS change,
  actions,
  most_active
FROM with_change

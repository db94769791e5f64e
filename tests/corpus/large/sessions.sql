-- Events cut into sessions where an hour passes, sessions scored, and users by their best session.
WITH clean_events AS (
  SELECT DISTINCT user_id, event_type, event_day, minute_of_day, coalesce(value, 0) AS value
  FROM events
  WHERE user_id IS NOT NULL AND event_day IS NOT NULL
),
timed AS (
  SELECT
    user_id,
    event_type,
    event_day,
    datediff(event_day, DATE '2024-01-01') * 1440 + coalesce(minute_of_day, 0) AS minute_no,
    value
  FROM clean_events
),
numbered AS (
  SELECT
    t.*,
    row_number() OVER (PARTITION BY user_id ORDER BY minute_no, event_type, value) AS event_no
  FROM timed t
),
with_previous AS (
  SELECT
    n.*,
    lag(minute_no) OVER (PARTITION BY user_id ORDER BY event_no) AS previous_minute
  FROM numbered n
),
starts AS (
  SELECT
    p.*,
    CASE WHEN previous_minute IS NULL OR minute_no - previous_minute > 60 THEN 1 ELSE 0 END AS is_start
  FROM with_previous p
),
with_session AS (
  SELECT
    s.*,
    sum(is_start) OVER (PARTITION BY user_id ORDER BY event_no ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
      AS session_no
  FROM starts s
),
session_totals AS (
  SELECT
    user_id,
    session_no,
    min(event_day) AS session_day,
    min(minute_no) AS first_minute,
    max(minute_no) AS last_minute,
    count(*) AS event_count,
    count(DISTINCT event_type) AS type_count,
    sum(value) AS session_value
  FROM with_session
  GROUP BY user_id, session_no
),
entry_events AS (
  SELECT user_id, session_no, event_type AS entry_type
  FROM (
    SELECT user_id, session_no, event_type, row_number() OVER (PARTITION BY user_id, session_no ORDER BY event_no) AS place
    FROM with_session
  ) AS e
  WHERE place = 1
),
exit_events AS (
  SELECT user_id, session_no, event_type AS exit_type
  FROM (
    SELECT
      user_id, session_no, event_type, row_number() OVER (PARTITION BY user_id, session_no ORDER BY event_no DESC) AS place
    FROM with_session
  ) AS e
  WHERE place = 1
),
conversions AS (
  SELECT user_id, session_no, count(*) AS purchases
  FROM with_session
  WHERE event_type IN ('purchase', 'checkout')
  GROUP BY user_id, session_no
),
sessions_full AS (
  SELECT
    t.user_id,
    t.session_no,
    t.session_day,
    t.last_minute - t.first_minute AS minutes,
    t.event_count,
    t.type_count,
    t.session_value,
    e.entry_type,
    x.exit_type,
    coalesce(c.purchases, 0) AS purchases
  FROM session_totals t
  JOIN entry_events e ON e.user_id = t.user_id AND e.session_no = t.session_no
  JOIN exit_events x ON x.user_id = t.user_id AND x.session_no = t.session_no
  LEFT JOIN conversions c ON c.user_id = t.user_id AND c.session_no = t.session_no
),
scored AS (
  SELECT
    s.*,
    CASE
      WHEN purchases > 0 THEN 100
      WHEN type_count >= 3 THEN 50
      WHEN event_count > 1 THEN 20
      ELSE 1
    END + least(minutes, 30) AS score
  FROM sessions_full s
),
best AS (
  SELECT user_id, session_no, score
  FROM (
    SELECT user_id, session_no, score, row_number() OVER (PARTITION BY user_id ORDER BY score DESC, session_no) AS place
    FROM scored
  ) AS b
  WHERE place = 1
),
user_sessions AS (
  SELECT user_id, count(*) AS session_count, sum(session_value) AS total_value, max(score) AS best_score
  FROM scored
  GROUP BY user_id
),
user_names AS (
  SELECT u.user_id, u.role, a.account_name, a.country
  FROM users u
  LEFT JOIN accounts a ON a.account_id = u.account_id
)
SELECT
  s.user_id,
  s.session_no,
  n.role,
  n.account_name,
  n.country,
  s.session_day,
  s.minutes,
  s.event_count,
  s.entry_type,
  s.exit_type,
  s.purchases,
  s.score,
  s.score - t.best_score AS behind_best,
  CASE WHEN b.session_no IS NULL THEN 0 ELSE 1 END AS is_best,
  t.session_count,
  rank() OVER (PARTITION BY n.country ORDER BY s.score DESC) AS place_in_country
FROM scored s
JOIN user_sessions t ON t.user_id = s.user_id
LEFT JOIN best b ON b.user_id = s.user_id AND b.session_no = s.session_no
LEFT JOIN user_names n ON n.user_id = s.user_id

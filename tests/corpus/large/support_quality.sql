-- Support by account and week: backlog, time to close, streaks of bad weeks: windows over windows.
WITH stg AS (
  SELECT
    ticket_id,
    account_id,
    user_id,
    opened_on,
    closed_on,
    coalesce(priority, 4) AS priority,
    score,
    datediff(closed_on, opened_on) AS days_open
  FROM tickets
  WHERE opened_on IS NOT NULL
),
numbered AS (
  SELECT
    s.*,
    row_number() OVER (PARTITION BY account_id ORDER BY opened_on, ticket_id) AS ticket_no,
    lag(opened_on) OVER (PARTITION BY account_id ORDER BY opened_on, ticket_id) AS opened_before
  FROM stg s
),
spaced AS (
  SELECT n.*, datediff(opened_on, opened_before) AS days_between FROM numbered n
),
bursts AS (
  SELECT
    s.*,
    sum(CASE WHEN days_between IS NULL OR days_between > 10 THEN 1 ELSE 0 END)
      OVER (PARTITION BY account_id ORDER BY ticket_no) AS burst_no
  FROM spaced s
),
burst_sizes AS (
  SELECT b.*, count(*) OVER (PARTITION BY account_id, burst_no) AS burst_size FROM bursts b
),
burst_ranks AS (
  SELECT
    b.*,
    dense_rank() OVER (PARTITION BY account_id ORDER BY burst_size DESC, burst_no) AS burst_place,
    max(days_open) OVER (PARTITION BY account_id, burst_no) AS slowest
  FROM burst_sizes b
),
largest_bursts AS (
  SELECT account_id, min(opened_on) AS burst_from, max(opened_on) AS burst_to, max(burst_size) AS burst_size,
    max(slowest) AS slowest
  FROM burst_ranks
  WHERE burst_place = 1
  GROUP BY account_id
),
opened AS (
  SELECT c.week_start, s.account_id, count(*) AS opened, min(s.priority) AS worst
  FROM stg s
  JOIN calendar c ON c.day = s.opened_on
  GROUP BY c.week_start, s.account_id
),
closed AS (
  SELECT c.week_start, s.account_id, count(*) AS closed, sum(s.days_open) AS days_open, sum(s.score) AS score
  FROM stg s
  JOIN calendar c ON c.day = s.closed_on
  GROUP BY c.week_start, s.account_id
),
flows AS (
  SELECT
    coalesce(o.week_start, c.week_start) AS week_start,
    coalesce(o.account_id, c.account_id) AS account_id,
    coalesce(o.opened, 0) AS opened,
    coalesce(c.closed, 0) AS closed,
    coalesce(c.days_open, 0) AS days_open,
    c.score
  FROM opened o
  FULL JOIN closed c ON c.week_start = o.week_start AND c.account_id = o.account_id
),
backlog AS (
  SELECT f.*, sum(opened - closed) OVER (PARTITION BY account_id ORDER BY week_start) AS backlog FROM flows f
),
weekly AS (
  SELECT
    week_start,
    sum(opened) AS opened,
    sum(closed) AS closed,
    sum(days_open) AS days_open,
    sum(score) AS score,
    max(backlog) AS largest_backlog
  FROM backlog
  GROUP BY week_start
),
trend AS (
  SELECT
    w.*,
    sum(opened - closed) OVER (ORDER BY week_start) AS open_tickets,
    sum(closed) OVER (ORDER BY week_start ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS closed_3_weeks
  FROM weekly w
),
judged AS (
  SELECT
    t.*,
    CASE WHEN open_tickets > lag(open_tickets, 1, 0L) OVER (ORDER BY week_start) THEN 1 ELSE 0 END AS is_bad
  FROM trend t
),
streaks AS (
  SELECT j.*, sum(1 - is_bad) OVER (ORDER BY week_start) AS streak_no FROM judged j
),
streak_places AS (
  SELECT s.*, sum(is_bad) OVER (PARTITION BY streak_no ORDER BY week_start) AS bad_weeks FROM streaks s
)
SELECT
  b.account_id,
  b.week_start,
  b.opened,
  b.closed,
  b.backlog,
  b.score,
  l.burst_from,
  l.burst_to,
  l.burst_size,
  l.slowest,
  p.open_tickets,
  p.closed_3_weeks,
  p.bad_weeks,
  rank() OVER (PARTITION BY b.week_start ORDER BY b.backlog DESC) AS place_by_backlog
FROM backlog b
JOIN streak_places p ON p.week_start = b.week_start
LEFT JOIN largest_bursts l ON l.account_id = b.account_id

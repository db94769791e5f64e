-- Stock by product and week: what came, what went, what is there, how long it lasts, what has to be ordered.
WITH moves AS (
  SELECT
    product_id,
    moved_on,
    kind,
    CASE WHEN kind IN ('receipt', 'return') THEN quantity WHEN kind = 'issue' THEN -quantity ELSE 0 END AS delta,
    CASE WHEN kind = 'correction' THEN quantity % 5 - 2 ELSE 0 END AS correction
  FROM stock_moves
  WHERE product_id IS NOT NULL AND moved_on IS NOT NULL AND quantity IS NOT NULL
),
sold AS (
  SELECT i.product_id, o.ordered_on AS moved_on, 'sale' AS kind, -sum(i.quantity) AS delta, 0 AS correction
  FROM order_items i
  JOIN orders o ON o.order_id = i.order_id
  WHERE o.status <> 'cancelled' AND i.product_id IS NOT NULL AND i.quantity IS NOT NULL
  GROUP BY i.product_id, o.ordered_on
),
all_moves AS (
  SELECT product_id, moved_on, kind, delta, correction FROM moves
  UNION ALL
  SELECT product_id, moved_on, kind, delta, correction FROM sold
),
weeks AS (
  SELECT DISTINCT week_start FROM calendar
),
opening AS (
  SELECT product_id, sum(delta + correction) AS opening_stock
  FROM all_moves
  WHERE moved_on < (SELECT min(day) FROM calendar)
  GROUP BY product_id
),
moves_by_week AS (
  SELECT
    m.product_id,
    c.week_start,
    sum(CASE WHEN m.delta > 0 THEN m.delta ELSE 0 END) AS came,
    sum(CASE WHEN m.delta < 0 THEN -m.delta ELSE 0 END) AS went,
    sum(m.correction) AS corrected,
    count(DISTINCT m.kind) AS kinds
  FROM all_moves m
  JOIN calendar c ON c.day = m.moved_on
  GROUP BY m.product_id, c.week_start
),
grid AS (
  SELECT p.product_id, p.category, p.unit_cost, w.week_start
  FROM products p
  CROSS JOIN weeks w
),
filled AS (
  SELECT
    g.product_id,
    g.category,
    g.unit_cost,
    g.week_start,
    coalesce(m.came, 0) AS came,
    coalesce(m.went, 0) AS went,
    coalesce(m.corrected, 0) AS corrected
  FROM grid g
  LEFT JOIN moves_by_week m ON m.product_id = g.product_id AND m.week_start = g.week_start
),
balances AS (
  SELECT
    f.*,
    coalesce(o.opening_stock, 0)
      + sum(f.came - f.went + f.corrected) OVER (PARTITION BY f.product_id ORDER BY f.week_start) AS closing
  FROM filled f
  LEFT JOIN opening o ON o.product_id = f.product_id
),
demand AS (
  SELECT
    b.*,
    sum(went) OVER (PARTITION BY product_id ORDER BY week_start ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS went_4_weeks
  FROM balances b
),
cover AS (
  SELECT
    d.*,
    CASE WHEN went_4_weeks = 0 THEN NULL ELSE greatest(closing, 0) * 4 div went_4_weeks END AS weeks_of_cover
  FROM demand d
),
states AS (
  SELECT
    c.*,
    CASE
      WHEN closing < 0 THEN 'short'
      WHEN closing = 0 THEN 'out'
      WHEN weeks_of_cover < 2 THEN 'low'
      WHEN weeks_of_cover > 12 OR weeks_of_cover IS NULL THEN 'too much'
      ELSE 'fine'
    END AS state
  FROM cover c
),
state_changes AS (
  SELECT s.*, lag(state) OVER (PARTITION BY product_id ORDER BY week_start) AS state_before
  FROM states s
),
streaks AS (
  SELECT
    c.*,
    sum(CASE WHEN state = state_before THEN 0 ELSE 1 END) OVER (PARTITION BY product_id ORDER BY week_start) AS streak_no
  FROM state_changes c
),
streak_lengths AS (
  SELECT product_id, streak_no, count(*) AS weeks, min(week_start) AS since
  FROM streaks
  GROUP BY product_id, streak_no
),
by_category AS (
  SELECT category, week_start, sum(closing * unit_cost) AS stock_value, count_if(state IN ('short', 'out')) AS missing
  FROM states
  GROUP BY category, week_start
)
SELECT
  s.product_id,
  s.week_start,
  s.category,
  s.came,
  s.went,
  s.corrected,
  s.closing,
  s.weeks_of_cover,
  s.state,
  l.weeks AS weeks_in_streak,
  l.since AS streak_since,
  s.closing * s.unit_cost AS stock_value,
  b.stock_value AS category_value,
  b.missing AS category_missing
FROM streaks s
JOIN streak_lengths l ON l.product_id = s.product_id AND l.streak_no = s.streak_no
LEFT JOIN by_category b ON b.category = s.category AND b.week_start = s.week_start

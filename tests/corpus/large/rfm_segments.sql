-- Accounts by how recently, how often and for how much they bought, in segments, with the moves between halves.
WITH latest_day AS (
  SELECT max(ordered_on) AS as_of FROM orders WHERE status = 'paid'
),
order_amounts AS (
  SELECT order_id, sum(quantity * unit_price) AS amount, sum(quantity) AS units
  FROM order_items
  GROUP BY order_id
),
paid AS (
  SELECT o.order_id, o.account_id, o.ordered_on, coalesce(a.amount, 0) AS amount, coalesce(a.units, 0) AS units
  FROM orders o
  LEFT JOIN order_amounts a ON a.order_id = o.order_id
  WHERE o.status = 'paid' AND o.account_id IS NOT NULL
),
refunds AS (
  SELECT order_id, sum(amount) AS refunded FROM payments WHERE status = 'refunded' GROUP BY order_id
),
net_orders AS (
  SELECT p.order_id, p.account_id, p.ordered_on, p.units, greatest(p.amount - coalesce(r.refunded, 0), 0) AS net
  FROM paid p
  LEFT JOIN refunds r ON r.order_id = p.order_id
),
per_account AS (
  SELECT
    account_id, max(ordered_on) AS last_order, count(*) AS frequency, sum(net) AS monetary, sum(units) AS units
  FROM net_orders
  GROUP BY account_id
),
recency AS (
  SELECT p.*, datediff(d.as_of, p.last_order) AS days_since
  FROM per_account p
  CROSS JOIN latest_day d
),
quartiles AS (
  SELECT
    r.*,
    ntile(4) OVER (ORDER BY days_since DESC, account_id) AS r_score,
    ntile(4) OVER (ORDER BY frequency, account_id) AS f_score,
    ntile(4) OVER (ORDER BY monetary, account_id) AS m_score
  FROM recency r
),
segmented AS (
  SELECT
    q.*,
    CASE
      WHEN r_score >= 3 AND f_score >= 3 AND m_score >= 3 THEN 'champion'
      WHEN r_score >= 3 AND f_score <= 2 THEN 'new'
      WHEN r_score <= 2 AND f_score >= 3 THEN 'at risk'
      WHEN m_score = 4 THEN 'big spender'
      ELSE 'other'
    END AS rfm_segment
  FROM quartiles q
),
first_half AS (
  SELECT account_id, count(*) AS orders_first, sum(net) AS net_first
  FROM net_orders
  WHERE ordered_on < DATE '2024-02-01'
  GROUP BY account_id
),
second_half AS (
  SELECT account_id, count(*) AS orders_second, sum(net) AS net_second
  FROM net_orders
  WHERE ordered_on >= DATE '2024-02-01'
  GROUP BY account_id
),
favourite AS (
  SELECT account_id, category
  FROM (
    SELECT
      n.account_id,
      p.category,
      row_number() OVER (PARTITION BY n.account_id ORDER BY sum(i.quantity) DESC, p.category) AS place
    FROM net_orders n
    JOIN order_items i ON i.order_id = n.order_id
    JOIN products p ON p.product_id = i.product_id
    GROUP BY n.account_id, p.category
  ) AS f
  WHERE place = 1
),
segment_totals AS (
  SELECT rfm_segment, count(*) AS accounts, sum(monetary) AS monetary
  FROM segmented
  GROUP BY rfm_segment
),
large_segments AS (
  SELECT rfm_segment FROM segmented GROUP BY rfm_segment HAVING count(*) > 1
)
SELECT
  a.account_id,
  a.account_name,
  a.segment,
  coalesce(s.rfm_segment, 'never') AS rfm_segment,
  s.days_since,
  coalesce(s.frequency, 0) AS frequency,
  coalesce(s.monetary, 0) AS monetary,
  s.r_score * 100 + s.f_score * 10 + s.m_score AS rfm,
  f.category AS favourite_category,
  coalesce(h2.net_second, 0) - coalesce(h1.net_first, 0) AS change,
  t.accounts AS accounts_in_segment,
  CASE WHEN t.monetary > 0 THEN CAST(s.monetary * 1000 / t.monetary AS INT) ELSE 0 END AS per_mille_of_segment,
  CASE WHEN l.rfm_segment IS NULL THEN 0 ELSE 1 END AS is_large_segment
FROM accounts a
LEFT JOIN segmented s ON s.account_id = a.account_id
LEFT JOIN first_half h1 ON h1.account_id = a.account_id
LEFT JOIN second_half h2 ON h2.account_id = a.account_id
LEFT JOIN favourite f ON f.account_id = a.account_id
LEFT JOIN segment_totals t ON t.rfm_segment = s.rfm_segment
LEFT JOIN large_segments l ON l.rfm_segment = s.rfm_segment

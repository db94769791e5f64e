-- How many of each product are on the shelf, and what are they worth? The sum of all movements since opening;
-- less than none means that customers are waiting.
SELECT
  p_id AS product_id,
  p_name AS product,
  p_category AS category,
  COALESCE(sum(m_quantity), 0) AS on_hand,
  CAST(COALESCE(sum(m_quantity), 0) * p_cost AS DECIMAL(14,2)) AS value_at_cost,
  CAST(COALESCE(sum(m_quantity), 0) * p_price AS DECIMAL(14,2)) AS value_at_price,
  max(CASE WHEN m_kind = 'delivery' THEN m_day END) AS last_delivery,
  COALESCE(-sum(CASE WHEN m_kind = 'loss' THEN m_quantity END), 0) AS lost_units
FROM products
LEFT JOIN stock_movements ON m_product = p_id
GROUP BY p_id, p_name, p_category, p_cost, p_price

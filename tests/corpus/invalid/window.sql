-- name: window_in_where
-- error: WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE
SELECT a FROM t1 WHERE row_number() OVER (ORDER BY a) = 1

-- name: window_in_having
-- error: WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE
SELECT a FROM t1 GROUP BY a HAVING rank() OVER (ORDER BY a) = 1

-- name: window_in_group_by
-- error: UNSUPPORTED_EXPR_FOR_OPERATOR
SELECT count(*) AS n FROM t1 GROUP BY row_number() OVER (ORDER BY a)

-- name: window_in_join
-- error: UNSUPPORTED_EXPR_FOR_OPERATOR
SELECT t1.a AS a FROM t1 JOIN t2 ON row_number() OVER (ORDER BY t1.a) = t2.a

-- name: window_function_without_over
-- error: WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE
SELECT row_number() AS n FROM t1

-- name: window_rank_without_order
-- error: WINDOW_FUNCTION_FRAME_NOT_ORDERED
SELECT rank() OVER (PARTITION BY a) AS r FROM t1

-- name: window_row_number_without_order
-- error: WINDOW_FUNCTION_FRAME_NOT_ORDERED
SELECT row_number() OVER () AS r FROM t1

-- name: window_over_scalar_function
-- error: UNSUPPORTED_EXPR_FOR_WINDOW
SELECT upper(c) OVER (ORDER BY a) AS x FROM t1

-- name: window_frame_starts_at_end
-- error: DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND
SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) AS s FROM t1

-- name: window_range_two_orders
-- error: DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER
SELECT sum(a) OVER (ORDER BY a, b RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: window_range_without_order
-- error: DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER
SELECT sum(a) OVER (RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: window_range_on_string
-- error: DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE
SELECT sum(a) OVER (ORDER BY c RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: window_lag_with_frame
-- error: _LEGACY_ERROR_TEMP_1035
SELECT lag(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: window_rank_with_frame
-- error: _LEGACY_ERROR_TEMP_1036
SELECT rank() OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: window_distinct_aggregate
-- error: DISTINCT_WINDOW_FUNCTION_UNSUPPORTED
SELECT count(DISTINCT a) OVER (PARTITION BY b) AS n FROM t1

-- name: window_ntile_zero
-- error: DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE
SELECT ntile(0) OVER (ORDER BY a) AS n FROM t1

-- name: window_ntile_of_column
-- error: DATATYPE_MISMATCH.NON_FOLDABLE_INPUT
SELECT ntile(b) OVER (ORDER BY a) AS n FROM t1

-- name: window_nth_value_zero
-- error: DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE
SELECT nth_value(a, 0) OVER (ORDER BY a) AS n FROM t1

-- name: window_order_by_map
-- error: DATATYPE_MISMATCH.INVALID_ORDERING_TYPE
SELECT row_number() OVER (ORDER BY m) AS n FROM nested

-- name: window_defined_twice
-- error: INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION
SELECT sum(a) OVER w AS s FROM t1 WINDOW w AS (ORDER BY a), w AS (ORDER BY b)

-- name: qualify_without_window
-- error: QUALIFY_REQUIRES_WINDOW_FUNCTION
SELECT a FROM t1 QUALIFY a = 1

-- name: set_union_width
-- error: NUM_COLUMNS_MISMATCH
SELECT a FROM t1 UNION ALL SELECT a, b FROM t2

-- name: set_intersect_width
-- error: NUM_COLUMNS_MISMATCH
SELECT a, b FROM t1 INTERSECT SELECT a FROM t2

-- name: set_except_width
-- error: NUM_COLUMNS_MISMATCH
SELECT * FROM t1 EXCEPT SELECT a FROM t2

-- name: set_union_types
-- error: INCOMPATIBLE_COLUMN_TYPE
SELECT a FROM t1 UNION ALL SELECT arr FROM nested

-- name: set_union_boolean_int
-- error: INCOMPATIBLE_COLUMN_TYPE
SELECT active FROM emp UNION ALL SELECT a FROM t1

-- name: set_union_struct_int
-- error: INCOMPATIBLE_COLUMN_TYPE
SELECT st FROM nested UNION ALL SELECT a FROM t1

-- name: set_union_distinct_map
-- error: UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE
SELECT m FROM nested UNION SELECT m FROM nested

-- name: set_intersect_map
-- error: UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE
SELECT m FROM nested INTERSECT SELECT m FROM nested

-- name: set_order_by_right_name
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a FROM t1 UNION ALL SELECT k AS kk FROM uniq ORDER BY kk

-- name: set_order_ordinal_too_big
-- error: ORDER_BY_POS_OUT_OF_RANGE
SELECT a FROM t1 UNION ALL SELECT k FROM uniq ORDER BY 2

-- name: distinct_map
-- error: UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE
SELECT DISTINCT m FROM nested

-- name: distinct_order_by_unselected
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT DISTINCT a FROM t1 ORDER BY b

-- name: order_ordinal_zero
-- error: ORDER_BY_POS_OUT_OF_RANGE
SELECT a FROM t1 ORDER BY 0

-- name: order_ordinal_too_big
-- error: ORDER_BY_POS_OUT_OF_RANGE
SELECT a FROM t1 ORDER BY 2

-- name: order_by_map
-- error: DATATYPE_MISMATCH.INVALID_ORDERING_TYPE
SELECT id FROM nested ORDER BY m

-- name: limit_negative
-- error: INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE
SELECT a FROM t1 LIMIT -1

-- name: limit_of_column
-- error: INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE
SELECT a FROM t1 LIMIT a

-- name: limit_of_string
-- error: INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE
SELECT a FROM t1 LIMIT 'x'

-- name: limit_null
-- error: INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL
SELECT a FROM t1 LIMIT CAST(NULL AS INT)

-- name: offset_negative
-- error: INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE
SELECT a FROM t1 ORDER BY a LIMIT 1 OFFSET -1

-- name: values_width
-- error: INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH
SELECT x FROM VALUES (1, 2), (3) AS v(x, y)

-- name: values_types
-- error: INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE
SELECT x FROM VALUES (1), (array(1)) AS v(x)

-- name: values_column_reference
-- error: UNRESOLVED_COLUMN.WITHOUT_SUGGESTION
SELECT x FROM VALUES (a) AS v(x)

-- name: values_alias_width
-- error: INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH
SELECT x FROM VALUES (1, 2) AS v(x)

-- name: pivot_without_aggregate
-- error: _LEGACY_ERROR_TEMP_1006
SELECT * FROM (SELECT a, b FROM t1) PIVOT (b FOR a IN (1, 2))

-- name: pivot_value_type
-- error: PIVOT_VALUE_DATA_TYPE_MISMATCH
SELECT * FROM (SELECT a, b FROM t1) PIVOT (sum(b) FOR a IN (array(1)))

-- name: unpivot_types
-- error: UNPIVOT_VALUE_DATA_TYPE_MISMATCH
SELECT * FROM nested UNPIVOT (v FOR k IN (id, arr))

-- name: generator_nested
-- error: UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS
SELECT explode(explode(array(arr))) AS x FROM nested

-- name: generator_in_where
-- error: UNSUPPORTED_GENERATOR.OUTSIDE_SELECT
SELECT id FROM nested WHERE explode(arr) = 1

-- name: generator_in_expression
-- error: UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS
SELECT explode(arr) + 1 AS x FROM nested

-- name: generator_of_int
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT explode(id) AS x FROM nested

-- name: generator_too_many_names
-- error: UDTF_ALIAS_NUMBER_MISMATCH
SELECT explode(arr) AS (x, y) FROM nested

-- name: natural_and_on
-- error: PARSE_SYNTAX_ERROR
SELECT * FROM t1 NATURAL JOIN t2 ON t1.a = t2.a

-- name: join_condition_not_boolean
-- error: JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a + t2.a

-- name: type_filter_int
-- error: DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN
SELECT a FROM t1 WHERE a

-- name: type_filter_string
-- error: DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN
SELECT a FROM t1 WHERE c

-- name: type_filter_null
-- error: DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN
SELECT a FROM t1 WHERE NULL

-- name: type_case_condition_int
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT CASE WHEN a THEN 1 ELSE 2 END AS x FROM t1

-- name: type_if_condition
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT if(a, 1, 2) AS x FROM t1

-- name: type_case_branches
-- error: DATATYPE_MISMATCH.DATA_DIFF_TYPES
SELECT CASE WHEN a = 1 THEN 1 ELSE array(1) END AS x FROM t1

-- name: type_case_branches_boolean_int
-- error: DATATYPE_MISMATCH.DATA_DIFF_TYPES
SELECT CASE WHEN a = 1 THEN true ELSE 1 END AS x FROM t1

-- name: type_coalesce
-- error: DATATYPE_MISMATCH.DATA_DIFF_TYPES
SELECT coalesce(a, array(1)) AS x FROM t1

-- name: type_and_int
-- error: DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE
SELECT a AND b AS x FROM t1

-- name: type_not_int
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT NOT a AS x FROM t1

-- name: type_add_boolean
-- error: DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES
SELECT active + 1 AS x FROM emp

-- name: type_add_dates
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT sold_on + sold_on AS x FROM sale

-- name: type_add_array
-- error: DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES
SELECT arr + 1 AS x FROM nested

-- name: type_multiply_date
-- error: DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES
SELECT sold_on * 2 AS x FROM sale

-- name: type_compare_array_int
-- error: DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES
SELECT id FROM nested WHERE arr = 1

-- name: type_compare_boolean_int
-- error: DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES
SELECT id FROM emp WHERE active = 1

-- name: type_compare_date_int
-- error: DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES
SELECT id FROM sale WHERE sold_on = 20240101

-- name: type_compare_map
-- error: DATATYPE_MISMATCH.INVALID_ORDERING_TYPE
SELECT id FROM nested WHERE m = m

-- name: type_in_mixed
-- error: DATATYPE_MISMATCH.DATA_DIFF_TYPES
SELECT a FROM t1 WHERE a IN (1, array(2))

-- name: type_between_mixed
-- error: DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES
SELECT a FROM t1 WHERE a BETWEEN 1 AND array(2)

-- name: type_sum_of_string_array
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT sum(strs) AS s FROM nested

-- name: type_sum_of_date
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT sum(sold_on) AS s FROM sale

-- name: type_sum_of_boolean
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT sum(active) AS s FROM emp

-- name: type_max_of_map
-- error: DATATYPE_MISMATCH.INVALID_ORDERING_TYPE
SELECT max(m) AS x FROM nested

-- name: type_abs_of_date
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT abs(sold_on) AS x FROM sale

-- name: type_upper_of_array
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT upper(arr) AS x FROM nested

-- name: type_year_of_int
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT year(a) AS x FROM t1

-- name: type_cast_array_to_int
-- error: DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION
SELECT CAST(arr AS INT) AS x FROM nested

-- name: type_cast_int_to_date
-- error: DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION
SELECT CAST(a AS DATE) AS x FROM t1

-- name: type_cast_boolean_to_date
-- error: DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION
SELECT CAST(active AS DATE) AS x FROM emp

-- name: type_cast_unknown_type
-- error: UNSUPPORTED_DATATYPE
SELECT CAST(a AS WHATEVER) AS x FROM t1

-- name: type_decimal_precision
-- error: DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION
SELECT CAST(a AS DECIMAL(39,2)) AS x FROM t1

-- name: type_decimal_scale
-- error: DECIMAL_SCALE_EXCEEDS_PRECISION
SELECT CAST(a AS DECIMAL(3,5)) AS x FROM t1

-- name: type_array_mixed
-- error: DATATYPE_MISMATCH.DATA_DIFF_TYPES
SELECT array(1, array(2)) AS x

-- name: type_map_odd
-- error: WRONG_NUM_ARGS.WITHOUT_SUGGESTION
SELECT map(1, 2, 3) AS x

-- name: type_map_key_is_map
-- error: DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE
SELECT map(map(1, 2), 3) AS x

-- name: type_index_of_int
-- error: INVALID_EXTRACT_BASE_FIELD_TYPE
SELECT a[0] AS x FROM t1

-- name: type_index_with_string
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT arr['x'] AS x FROM nested

-- name: type_lambda_of_int
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT transform(a, x -> x) AS x FROM t1

-- name: type_lambda_arity
-- error: INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH
SELECT transform(arr, (x, y, z) -> x) AS t FROM nested

-- name: type_lambda_not_boolean
-- error: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE
SELECT filter(arr, x -> x + 1) AS t FROM nested

-- name: type_lambda_outside_function
-- error: INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION
SELECT upper(x -> x) AS t FROM texts

-- name: type_struct_compare
-- error: DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES
SELECT id FROM nested WHERE st = 1

-- name: arity_too_few
-- error: WRONG_NUM_ARGS.WITHOUT_SUGGESTION
SELECT substring(c) AS x FROM t1

-- name: arity_too_many
-- error: WRONG_NUM_ARGS.WITHOUT_SUGGESTION
SELECT upper(c, c) AS x FROM t1

-- name: arity_count_nothing
-- error: WRONG_NUM_ARGS.WITH_SUGGESTION
SELECT count() AS n FROM t1

-- name: arity_coalesce_nothing
-- error: WRONG_NUM_ARGS.WITHOUT_SUGGESTION
SELECT coalesce() AS x FROM t1

-- name: arity_sum_two
-- error: WRONG_NUM_ARGS.WITHOUT_SUGGESTION
SELECT sum(a, b) AS x FROM t1

-- name: arity_lag_four
-- error: INVALID_PARAMETER_VALUE.BOOLEAN
SELECT lag(a, 1, 2, 3) OVER (ORDER BY a) AS x FROM t1

-- name: arity_row_number_argument
-- error: WRONG_NUM_ARGS.WITHOUT_SUGGESTION
SELECT row_number(a) OVER (ORDER BY a) AS x FROM t1

-- name: arity_if_two
-- error: WRONG_NUM_ARGS.WITHOUT_SUGGESTION
SELECT if(a > 1, 2) AS x FROM t1

-- name: arity_percentile_of_string
-- error: DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE
SELECT percentile(b, 1.5) AS x FROM t1

-- name: literal_bad_date
-- error: INVALID_TYPED_LITERAL
SELECT DATE '2024-13-45' AS d

-- name: literal_bad_timestamp
-- error: INVALID_TYPED_LITERAL
SELECT TIMESTAMP 'yesterday noon' AS t

-- name: literal_bad_interval
-- error: INVALID_TYPED_LITERAL
SELECT INTERVAL '1 fortnight' AS i

-- name: literal_too_big_byte
-- error: INVALID_NUMERIC_LITERAL_RANGE
SELECT 1000Y AS x

-- name: literal_too_big_decimal
-- error: DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION
SELECT 123456789012345678901234567890123456789 AS x

-- name: literal_bad_binary
-- error: INVALID_TYPED_LITERAL
SELECT X'GG' AS x

-- name: extract_unknown_part
-- error: INVALID_EXTRACT_FIELD
SELECT extract(FORTNIGHT FROM sold_on) AS x FROM sale

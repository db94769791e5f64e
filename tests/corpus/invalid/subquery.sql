-- name: subquery_scalar_two_columns
-- error: INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN
SELECT (SELECT a, b FROM t1 LIMIT 1) AS x

-- name: subquery_in_two_columns
-- error: DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH
SELECT a FROM t1 WHERE a IN (SELECT a, b FROM t2)

-- name: subquery_in_too_few_columns
-- error: DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH
SELECT a FROM t1 WHERE (a, b) IN (SELECT a FROM t2)

-- name: subquery_in_type_mismatch
-- error: DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH
SELECT a FROM t1 WHERE a IN (SELECT arr FROM nested)

-- name: subquery_scalar_outer_in_select
-- error: UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.CORRELATED_REFERENCE
SELECT k, (SELECT max(t3.e) + uniq.k FROM t3 WHERE t3.a = uniq.k) AS x FROM uniq

-- name: subquery_scalar_of_group_key
-- error: SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION
SELECT a, (SELECT max(v) FROM uniq WHERE uniq.k = t1.a) AS v, count(*) AS n FROM t1 GROUP BY a

-- name: subquery_correlated_not_in_group_by
-- error: SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION
SELECT count(*) AS n, (SELECT max(v) FROM uniq WHERE uniq.k = t1.a) AS v FROM t1

-- name: subquery_correlated_two_levels_up
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE EXISTS (SELECT 1 FROM t3 WHERE t3.a = t1.a))

-- name: subquery_correlated_two_levels_up_scalar
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a, (SELECT max(b) FROM t2 WHERE t2.b = (SELECT max(e) FROM t3 WHERE t3.a = t1.a)) AS x FROM t1

-- name: subquery_correlated_in_derived_table
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM (SELECT a FROM t2 WHERE t2.z = t1.a) x)

-- name: subquery_aggregate_of_outer_column
-- error: INVALID_WHERE_CONDITION
SELECT a FROM t1 GROUP BY a HAVING EXISTS (SELECT 1 FROM t2 WHERE t2.b = sum(t1.b) + count(t2.a))

-- name: subquery_correlated_in_join_on_left
-- error: UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_SCALAR_SUBQUERY
SELECT t1.a AS a FROM t1 LEFT JOIN t2 ON (SELECT max(e) FROM t3 WHERE t3.a = t1.a AND t3.e = t2.b) > 1

-- name: subquery_lateral_without_keyword
-- error: UNRESOLVED_COLUMN.WITHOUT_SUGGESTION
SELECT * FROM t1 JOIN (SELECT t1.a AS z) x ON true

-- name: subquery_in_values
-- error: UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.SCALAR_SUBQUERY_IN_VALUES
SELECT x FROM VALUES ((SELECT max(a) FROM t1)) AS v(x)

-- name: subquery_in_limit
-- error: INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE
SELECT a FROM t1 LIMIT (SELECT max(a) FROM t1)

-- name: subquery_any_is_not_supported
-- error: PARSE_SYNTAX_ERROR
SELECT a FROM t1 WHERE a > ANY (SELECT a FROM t2)

-- name: subquery_not_in_scalar_arithmetic
-- error: PARSE_SYNTAX_ERROR
SELECT 1 + EXISTS (SELECT 1 FROM t2) AS x FROM t1

-- name: subquery_empty_parentheses
-- error: INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE
SELECT a FROM t1 WHERE a IN ()

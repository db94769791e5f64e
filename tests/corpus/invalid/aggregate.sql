-- name: aggregate_in_where
-- error: INVALID_WHERE_CONDITION
SELECT a FROM t1 WHERE sum(b) > 1

-- name: aggregate_in_where_count
-- error: INVALID_WHERE_CONDITION
SELECT a FROM t1 WHERE count(*) > 1

-- name: aggregate_in_join_on
-- error: UNSUPPORTED_EXPR_FOR_OPERATOR
SELECT t1.a AS a FROM t1 JOIN t2 ON sum(t1.a) = t2.a

-- name: aggregate_in_group_by
-- error: GROUP_BY_AGGREGATE
SELECT count(*) AS n FROM t1 GROUP BY sum(a)

-- name: aggregate_nested
-- error: NESTED_AGGREGATE_FUNCTION
SELECT sum(count(*)) AS s FROM t1

-- name: aggregate_nested_by_group
-- error: NESTED_AGGREGATE_FUNCTION
SELECT a, max(sum(b)) AS s FROM t1 GROUP BY a

-- name: aggregate_ungrouped_column
-- error: MISSING_AGGREGATION
SELECT a, b, count(*) AS n FROM t1 GROUP BY a

-- name: aggregate_ungrouped_without_group
-- error: MISSING_GROUP_BY
SELECT a, count(*) AS n FROM t1

-- name: aggregate_ungrouped_in_expression
-- error: MISSING_AGGREGATION
SELECT a + b AS x, count(*) AS n FROM t1 GROUP BY a

-- name: aggregate_ungrouped_star
-- error: MISSING_AGGREGATION
SELECT * FROM t1 GROUP BY a

-- name: aggregate_ungrouped_in_having
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a FROM t1 GROUP BY a HAVING b > 1

-- name: aggregate_ungrouped_in_order
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a FROM t1 GROUP BY a ORDER BY b

-- name: aggregate_ungrouped_other_expression
-- error: MISSING_AGGREGATION
SELECT a + 1 AS x FROM t1 GROUP BY a + 2

-- name: aggregate_ungrouped_in_window
-- error: MISSING_AGGREGATION
SELECT a, rank() OVER (ORDER BY b) AS r FROM t1 GROUP BY a

-- name: aggregate_having_without_group
-- error: MISSING_GROUP_BY
SELECT a FROM t1 HAVING a > 1

-- name: aggregate_group_ordinal_zero
-- error: GROUP_BY_POS_OUT_OF_RANGE
SELECT a FROM t1 GROUP BY 0

-- name: aggregate_group_ordinal_too_big
-- error: GROUP_BY_POS_OUT_OF_RANGE
SELECT a, count(*) AS n FROM t1 GROUP BY 3

-- name: aggregate_group_ordinal_is_aggregate
-- error: GROUP_BY_POS_AGGREGATE
SELECT a, count(*) AS n FROM t1 GROUP BY 2

-- name: aggregate_group_alias_of_aggregate
-- error: GROUP_BY_AGGREGATE
SELECT a, count(*) AS n FROM t1 GROUP BY a, n

-- name: aggregate_grouping_without_grouping_sets
-- error: UNSUPPORTED_GROUPING_EXPRESSION
SELECT a, grouping(a) AS g FROM t1 GROUP BY a

-- name: aggregate_grouping_of_other_column
-- error: GROUPING_COLUMN_MISMATCH
SELECT a, grouping(b) AS g FROM t1 GROUP BY ROLLUP (a)

-- name: aggregate_grouping_id_mismatch
-- error: GROUPING_ID_COLUMN_MISMATCH
SELECT a, grouping_id(b) AS g FROM t1 GROUP BY CUBE (a, c)

-- name: aggregate_grouping_in_where
-- error: UNSUPPORTED_GROUPING_EXPRESSION
SELECT a FROM t1 WHERE grouping(a) = 1 GROUP BY ROLLUP (a)

-- name: aggregate_filter_not_boolean
-- error: INVALID_AGGREGATE_FILTER.NOT_BOOLEAN
SELECT sum(a) FILTER (WHERE b) AS s FROM t1

-- name: aggregate_filter_on_scalar
-- error: INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX
SELECT upper(c) FILTER (WHERE a = 1) AS x FROM t1

-- name: aggregate_filter_with_aggregate
-- error: INVALID_AGGREGATE_FILTER.CONTAINS_AGGREGATE
SELECT sum(a) FILTER (WHERE sum(b) > 1) AS s FROM t1

-- name: aggregate_distinct_on_scalar
-- error: INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX
SELECT upper(DISTINCT c) AS x FROM t1

-- name: aggregate_group_by_all_mixed
-- error: MISSING_AGGREGATION
SELECT a + count(*) AS x, b FROM t1 GROUP BY ALL

-- name: aggregate_generator_inside
-- error: UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS
SELECT sum(explode(arr)) AS s FROM nested

-- name: aggregate_in_lateral_view
-- error: UNSUPPORTED_EXPR_FOR_OPERATOR
SELECT x FROM nested LATERAL VIEW explode(array(sum(id))) e AS x

-- name: aggregate_in_values
-- error: INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE
SELECT x FROM VALUES (sum(1)) AS v(x)

-- name: aggregate_qualify_counts_again
-- error: MISSING_GROUP_BY
SELECT dept_id, count(*) AS n FROM emp GROUP BY dept_id QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1

-- name: column_unknown
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT z FROM t1

-- name: column_unknown_qualified
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT t1.z AS z FROM t1

-- name: column_unknown_in_where
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a FROM t1 WHERE z = 1

-- name: column_unknown_in_group
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT count(*) AS n FROM t1 GROUP BY z

-- name: column_unknown_in_having
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a FROM t1 GROUP BY a HAVING z > 1

-- name: column_unknown_in_order
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a FROM t1 ORDER BY z

-- name: column_unknown_in_join
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT t1.a AS a FROM t1 JOIN t2 ON t1.a = t2.z

-- name: column_unknown_in_function
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT upper(z) AS x FROM t1

-- name: column_unknown_in_window
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT row_number() OVER (ORDER BY z) AS n FROM t1

-- name: column_unknown_in_subquery
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = zz)

-- name: column_from_other_subquery
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT x.a AS a FROM (SELECT a FROM t1) x JOIN (SELECT a FROM t2 WHERE t2.a = x.a) y ON true

-- name: column_of_hidden_table
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT t1.a AS a FROM t1 AS x

-- name: column_hidden_by_subquery
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT b FROM (SELECT a FROM t1) x

-- name: column_without_from
-- error: UNRESOLVED_COLUMN.WITHOUT_SUGGESTION
SELECT a

-- name: column_alias_in_where
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT a AS foo FROM t1 WHERE foo = 1

-- name: column_alias_in_join
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT t1.a AS foo FROM t1 JOIN t2 ON foo = t2.a

-- name: column_of_cte_renamed
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
WITH x(p) AS (SELECT a FROM t1) SELECT a FROM x

-- name: column_of_semi_join_right_side
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT t2.d AS d FROM t1 LEFT SEMI JOIN t2 ON t1.a = t2.a

-- name: column_of_anti_join_right_side
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT d FROM t1 LEFT ANTI JOIN t2 ON t1.a = t2.a

-- name: column_except_unknown
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT * EXCEPT (zz) FROM t1

-- name: column_except_twice
-- error: EXCEPT_OVERLAPPING_COLUMNS
SELECT * EXCEPT (a, a) FROM t1

-- name: column_unknown_in_pivot
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT * FROM t1 PIVOT (sum(b) FOR zz IN (1, 2))

-- name: column_unknown_in_unpivot
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT * FROM t1 UNPIVOT (v FOR k IN (a, zz))

-- name: column_unknown_in_lateral_view
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT x FROM nested LATERAL VIEW explode(zz) e AS x

-- name: column_comma_join_is_not_lateral
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT s.m AS m FROM t1, (SELECT max(b) AS m FROM t2 WHERE t2.a = t1.a) s

-- name: column_used_before_its_join
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT t1.a AS a FROM t1 JOIN t2 ON t2.a = t3.a JOIN t3 ON true

-- name: ambiguous_column
-- error: AMBIGUOUS_REFERENCE
SELECT a FROM t1 JOIN t2 ON t1.a = t2.a

-- name: ambiguous_in_where
-- error: AMBIGUOUS_REFERENCE
SELECT t1.c AS c FROM t1, t2 WHERE a = 1

-- name: ambiguous_in_order
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT t1.c AS c FROM t1, t2 ORDER BY b

-- name: ambiguous_in_group
-- error: AMBIGUOUS_REFERENCE
SELECT count(*) AS n FROM t1, t2 GROUP BY b

-- name: ambiguous_self_join
-- error: AMBIGUOUS_REFERENCE
SELECT id FROM emp e, emp m WHERE e.id = m.id

-- name: ambiguous_from_subquery
-- error: AMBIGUOUS_REFERENCE
SELECT v FROM (SELECT a AS v, b AS v FROM t1) x

-- name: ambiguous_same_alias_twice
-- error: AMBIGUOUS_REFERENCE
SELECT x.a AS a FROM t1 x, t2 x

-- name: ambiguous_lateral_alias
-- error: AMBIGUOUS_LATERAL_COLUMN_ALIAS
SELECT a AS q, b AS q, q + 1 AS z FROM t1

-- name: table_unknown
-- error: TABLE_OR_VIEW_NOT_FOUND
SELECT a FROM missing

-- name: table_unknown_in_join
-- error: TABLE_OR_VIEW_NOT_FOUND
SELECT t1.a AS a FROM t1 JOIN missing m ON t1.a = m.a

-- name: table_unknown_in_subquery
-- error: TABLE_OR_VIEW_NOT_FOUND
SELECT a FROM t1 WHERE a IN (SELECT a FROM missing)

-- name: table_unknown_qualified
-- error: TABLE_OR_VIEW_NOT_FOUND
SELECT a FROM nowhere.t1

-- name: table_cte_out_of_scope
-- error: TABLE_OR_VIEW_NOT_FOUND
SELECT a FROM (WITH x AS (SELECT a FROM t1) SELECT a FROM x) y JOIN x ON true

-- name: table_cte_forward_reference
-- error: TABLE_OR_VIEW_NOT_FOUND
WITH x AS (SELECT a FROM y), y AS (SELECT a FROM t1) SELECT a FROM x

-- name: star_unknown_table
-- error: CANNOT_RESOLVE_STAR_EXPAND
SELECT zz.* FROM t1

-- name: function_unknown
-- error: UNRESOLVED_ROUTINE
SELECT no_such_function(a) AS x FROM t1

-- name: function_unknown_table_function
-- error: UNRESOLVABLE_TABLE_VALUED_FUNCTION
SELECT * FROM no_such_table_function(1)

-- name: window_unknown_name
-- error: MISSING_WINDOW_SPECIFICATION
SELECT sum(a) OVER w AS s FROM t1

-- name: using_column_missing
-- error: UNRESOLVED_USING_COLUMN_FOR_JOIN
SELECT a FROM t1 JOIN t2 USING (c)

-- name: using_column_missing_on_both
-- error: UNRESOLVED_USING_COLUMN_FOR_JOIN
SELECT t1.a AS a FROM t1 JOIN t2 USING (zz)

-- name: struct_field_unknown
-- error: FIELD_NOT_FOUND
SELECT st.zz AS z FROM nested

-- name: struct_field_of_non_struct
-- error: INVALID_EXTRACT_BASE_FIELD_TYPE
SELECT t.a.b AS x FROM t1 t

-- name: cte_duplicate_name
-- error: DUPLICATED_CTE_NAMES
WITH x AS (SELECT 1 AS v), x AS (SELECT 2 AS v) SELECT v FROM x

-- name: cte_too_few_columns
-- error: ASSIGNMENT_ARITY_MISMATCH
WITH x(p) AS (SELECT a, b FROM t1) SELECT p FROM x

-- name: cte_too_many_columns
-- error: ASSIGNMENT_ARITY_MISMATCH
WITH x(p, q, r) AS (SELECT a, b FROM t1) SELECT p FROM x

-- name: alias_too_few_columns
-- error: ASSIGNMENT_ARITY_MISMATCH
SELECT p FROM t1 AS x(p, q)

-- name: lambda_unknown_variable
-- error: UNRESOLVED_COLUMN.WITH_SUGGESTION
SELECT transform(arr, x -> y + 1) AS t FROM nested

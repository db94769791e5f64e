-- name: name_star
SELECT * FROM t1

-- name: name_qualified_star
SELECT t1.* FROM t1 JOIN t3 ON t1.a = t3.a

-- name: name_star_and_column
SELECT *, a + 1 AS more FROM t1

-- name: name_star_of_alias
SELECT x.* FROM t1 AS x

-- name: name_star_except
SELECT * EXCEPT (b) FROM t1

-- name: name_star_except_two
SELECT * EXCEPT (a, c) FROM t1

-- name: name_qualified_star_except
SELECT t1.* EXCEPT (a), t3.e AS e FROM t1 JOIN t3 ON t1.a = t3.a

-- name: name_star_except_struct_field
SELECT * EXCEPT (st.x, arr, strs, m, items) FROM nested

-- name: name_table_alias
SELECT x.a AS a FROM t1 x

-- name: name_table_alias_columns
SELECT p, q FROM t1 AS x(p, q, r)

-- name: name_alias_columns_star
SELECT * FROM t3 AS x(p, q)

-- name: name_alias_without_as
SELECT a one, b two FROM t1

-- name: name_quoted
SELECT `a` AS `x y`, `t1`.`b` AS `select` FROM `t1`

-- name: name_quoted_table_alias
SELECT `my t`.a AS a FROM t1 AS `my t`

-- name: name_backtick_in_name
SELECT a AS `a``b` FROM t1

-- name: name_case
SELECT T1.A AS a, t1.B AS b FROM T1

-- name: name_output_case_kept
SELECT a AS MixedCase FROM t1

-- name: name_lateral_alias
SELECT a AS x, x + 1 AS y FROM t1

-- name: name_lateral_alias_chain
SELECT a + 1 AS x, x * 2 AS y, y - x AS z FROM t1

-- name: name_lateral_alias_column_wins
SELECT a + 100 AS b, b + 1 AS c2 FROM t1

-- name: name_lateral_alias_of_aggregate
SELECT a, sum(b) AS s, s + 1 AS t FROM t1 GROUP BY a

-- name: name_lateral_alias_of_window
SELECT k, row_number() OVER (ORDER BY k) AS r, r * 10 AS t FROM uniq

-- name: name_lateral_alias_in_case
SELECT coalesce(a, 0) AS x, CASE WHEN x > 2 THEN 'big' ELSE 'small' END AS y FROM t1

-- name: name_where_sees_column_not_alias
SELECT a + 10 AS b FROM t1 WHERE b = 10

-- name: name_order_sees_alias_first
SELECT -a AS a FROM t1 ORDER BY a LIMIT 3

-- name: name_group_sees_column_first
SELECT c AS a, count(*) AS n FROM t1 GROUP BY a, c

-- name: name_having_sees_alias
SELECT a, sum(b) AS total FROM t1 GROUP BY a HAVING total > 20

-- name: name_same_names_in_join
SELECT x.id AS id, y.id AS id2, x.name AS name, y.name AS name2 FROM emp x JOIN dept y ON x.dept_id = y.id

-- name: name_subquery_alias_hides_table
SELECT t1.z AS z FROM (SELECT a AS z FROM t1) AS t1

-- name: name_keyword_as_column
SELECT a AS date, b AS year FROM t1

-- name: name_keyword_as_alias
SELECT values.a AS a FROM t1 AS values

-- name: name_unicode
SELECT a AS `größe`, b AS `数` FROM t1

-- name: name_number_start
SELECT a AS 1st FROM t1

-- name: name_identifier_clause
SELECT identifier('a') AS x FROM identifier('t1')

-- name: name_comment
SELECT a /* the first */ AS a, b -- the second
  FROM t1 /* nothing
  more */ WHERE a = 1

-- name: name_nested_comment
SELECT a AS a /* outer /* inner */ still */ FROM t1

-- name: name_many_parentheses
SELECT ((a)) AS a FROM ((SELECT a FROM t1)) AS x WHERE (((a = 1)))

-- name: name_view_column_struct_like_table
SELECT nested.id AS id, nested.st.x AS x FROM nested

-- name: name_count_as_column
SELECT count(*) AS count FROM t1

-- name: name_using_qualified_sides
SELECT t1.a AS la, t2.a AS ra, a FROM t1 LEFT JOIN t2 USING (a)

-- name: syntax_missing_from_name
-- error: UNRESOLVED_COLUMN.WITHOUT_SUGGESTION
SELECT a FROM

-- name: syntax_trailing_comma
-- error: TRAILING_COMMA_IN_SELECT
SELECT a, b, FROM t1

-- name: syntax_missing_parenthesis
-- error: PARSE_SYNTAX_ERROR
SELECT (a FROM t1

-- name: syntax_two_statements
-- error: PARSE_SYNTAX_ERROR
SELECT a FROM t1; SELECT b FROM t1

-- name: syntax_reserved_order
-- error: PARSE_SYNTAX_ERROR
SELECT a FROM t1 ORDER a

-- name: syntax_where_twice
-- error: PARSE_SYNTAX_ERROR
SELECT a FROM t1 WHERE a = 1 WHERE b = 2

-- name: syntax_group_before_where
-- error: PARSE_SYNTAX_ERROR
SELECT a FROM t1 GROUP BY a WHERE a = 1

-- name: syntax_unclosed_string
-- error: PARSE_SYNTAX_ERROR
SELECT 'abc AS x

-- name: syntax_unclosed_comment
-- error: UNCLOSED_BRACKETED_COMMENT
SELECT a /* no end FROM t1

-- name: syntax_nested_on_order
-- error: PARSE_SYNTAX_ERROR
SELECT t1.a AS a FROM t1 LEFT JOIN t2 LEFT JOIN t3 ON t2.a = t3.a ON t1.a = t2.a

-- name: syntax_fetch_first
-- error: PARSE_SYNTAX_ERROR
SELECT a FROM t1 FETCH FIRST 2 ROWS ONLY

-- name: syntax_groups_frame
-- error: PARSE_SYNTAX_ERROR
SELECT sum(b) OVER (ORDER BY a GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t1

-- name: syntax_limit_before_order
-- error: PARSE_SYNTAX_ERROR
SELECT a FROM t1 LIMIT 1 ORDER BY a

-- name: sc_arithmetic
SELECT a + b AS s, a - b AS d, a * b AS m, -a AS n, +a AS p FROM t1

-- name: sc_division
SELECT a / 2 AS q, a DIV 2 AS i, a % 2 AS r, b / nullif(a - 1, 0) AS z FROM t1

-- name: sc_mod_negative
SELECT -7 % 3 AS a, mod(7, -3) AS b, pmod(-7, 3) AS c, -7 DIV 2 AS d

-- name: sc_integer_types
SELECT b + s AS x, b * l AS y FROM nums WHERE id IN (1, 2, 3, 6, 7)

-- name: sc_literal_types
SELECT 1Y AS b, 2S AS s, 3 AS i, 4L AS l, 1.5 AS p, 2.5BD AS q, 1e2 AS x, 1.5D AS d, 1.5F AS f

-- name: sc_big_literals
SELECT 2147483647 AS i, 2147483648 AS l, 9223372036854775808 AS p

-- name: sc_decimal_add
SELECT id, p + q AS s, p - q AS d FROM nums

-- name: sc_decimal_multiply
SELECT id, p * q AS m, p * p AS s FROM nums WHERE id <> 5

-- name: sc_decimal_divide
SELECT id, p / 3 AS a, q / nullif(p, 0) AS b FROM nums

-- name: sc_decimal_mod
SELECT id, q % nullif(p, 0) AS m, q DIV nullif(p, 0) AS i FROM nums

-- name: sc_decimal_with_int
SELECT id, p + 1 AS a, p * 2 AS b, 1 - p AS c, l + p AS d FROM nums WHERE id IN (1, 2, 3, 6, 7)

-- name: sc_decimal_with_double
SELECT id, p + x AS a, p * 0.5D AS b FROM nums

-- name: sc_decimal_literals
SELECT 1.10 + 2.205 AS a, 1.0 / 3.0 AS b, 10.5 * 2 AS c, 0.1 + 0.2 AS d

-- name: sc_decimal_compare
SELECT id FROM nums WHERE p = q OR p > 1.2

-- name: sc_decimal_cast
SELECT id, CAST(q AS DECIMAL(10,1)) AS a, CAST(p AS INT) AS b, CAST(p AS STRING) AS c FROM nums

-- name: sc_decimal_round
SELECT id, round(q, 2) AS a, round(p) AS b, floor(q) AS c, ceil(q) AS d, bround(q, 1) AS e FROM nums

-- name: sc_decimal_precision_loss
SELECT CAST(1 AS DECIMAL(38,10)) / CAST(3 AS DECIMAL(38,10)) AS d, CAST(1.5 AS DECIMAL(38,18)) * CAST(2 AS DECIMAL(38,18)) AS m

-- name: sc_decimal_union_case
SELECT id, CASE WHEN id < 5 THEN p ELSE q END AS v, coalesce(p, q, 0) AS c FROM nums

-- name: sc_double_special
SELECT id, x + 1 AS a, x = x AS e, x > 1 AS g, isnan(x) AS n FROM nums

-- name: sc_double_zero
SELECT id FROM nums WHERE x = 0

-- name: sc_nan_greater
SELECT id FROM nums WHERE x > 1e308

-- name: sc_nanvl
SELECT id, nanvl(x, 0) AS v, nullif(x, 0) AS z FROM nums

-- name: sc_math
SELECT abs(-3) AS a, sign(-2.5) AS s, sqrt(16) AS r, power(2, 10) AS p, exp(0) AS e, ln(1) AS l, log10(100) AS t, greatest(1, 3, 2) AS g, least(1, NULL, 0) AS m

-- name: sc_rounding
SELECT round(2.5) AS a, round(-2.5) AS b, round(3.14159, 2) AS c, bround(2.5) AS d, floor(-1.5) AS e, ceil(-1.5) AS f, round(125, -1) AS g

-- name: sc_bits
SELECT 5 & 3 AS a, 5 | 3 AS o, 5 ^ 3 AS x, ~5 AS n, shiftleft(1, 4) AS l, 1 << 2 AS s

-- name: sc_comparison
SELECT a, a = 1 AS eq, a <> 1 AS ne, a != 1 AS n2, a < 2 AS lt, a >= 2 AS ge, a <=> NULL AS ns FROM t1

-- name: sc_null_logic
SELECT NULL AND false AS a, NULL AND true AS b, NULL OR true AS c, NULL OR false AS d, NOT CAST(NULL AS BOOLEAN) AS e

-- name: sc_is_null
SELECT a IS NULL AS n, b IS NOT NULL AS m, isnull(c) AS i, isnotnull(c) AS j FROM t1

-- name: sc_is_distinct
SELECT a IS DISTINCT FROM b AS d, a IS NOT DISTINCT FROM b AS s FROM t1

-- name: sc_between
SELECT a FROM t1 WHERE a BETWEEN 2 AND 4

-- name: sc_not_between
SELECT a, b FROM t1 WHERE b NOT BETWEEN a AND 20

-- name: sc_in_list
SELECT a FROM t1 WHERE a IN (1, 2, 9)

-- name: sc_in_list_null
SELECT a, a IN (1, NULL) AS x FROM t1

-- name: sc_not_in_list
SELECT a FROM t1 WHERE a NOT IN (1, 2)

-- name: sc_not_in_list_null
SELECT a FROM t1 WHERE a NOT IN (1, NULL)

-- name: sc_in_mixed_types
SELECT a FROM t1 WHERE a IN (1, 2.0, 3L)

-- name: sc_case_simple
SELECT a, CASE a WHEN 1 THEN 'one' WHEN 2 THEN 'two' END AS w FROM t1

-- name: sc_case_searched
SELECT a, CASE WHEN a > 2 THEN 'big' WHEN a <= 2 THEN 'small' ELSE 'none' END AS w FROM t1

-- name: sc_case_null_branch
SELECT CASE WHEN a > 2 THEN NULL ELSE a END AS w FROM t1

-- name: sc_case_mixed_types
SELECT CASE WHEN a > 2 THEN a ELSE 0.5 END AS w FROM t1

-- name: sc_case_simple_null_never_matches
SELECT a, CASE a WHEN NULL THEN 'null' ELSE 'other' END AS w FROM t1

-- name: sc_if_functions
SELECT if(a > 2, 'x', 'y') AS i, nvl(a, -1) AS n, nvl2(a, 1, 0) AS n2, ifnull(b, 0) AS f, nullif(a, 2) AS z, decode(a, 1, 'one', 'other') AS d FROM t1

-- name: sc_coalesce
SELECT coalesce(a, b, 0) AS x, coalesce(c, 'none') AS y, zeroifnull(a) AS z FROM t1

-- name: sc_greatest_nulls
SELECT greatest(a, b) AS g, least(a, b, 3) AS l FROM t1

-- name: sc_cast_numbers
SELECT CAST(1.9 AS INT) AS a, CAST('12' AS INT) AS b, CAST(3 AS STRING) AS c, CAST('1.25' AS DECIMAL(5,1)) AS d, CAST(1 AS BOOLEAN) AS e, CAST(true AS INT) AS f

-- name: sc_cast_double_colon
SELECT a::STRING AS s, '5'::INT + 1 AS i FROM t1

-- name: sc_cast_column
SELECT id, CAST(x AS STRING) AS s, CAST(f AS DOUBLE) AS d FROM nums WHERE id IN (1, 3, 6, 7)

-- name: sc_try_cast
SELECT id, try_cast(t AS INT) AS i, try_cast(t AS DECIMAL(5,2)) AS d FROM texts

-- name: sc_try_arithmetic
SELECT try_divide(a, 0) AS d, try_add(2147483647, 1) AS s, try_subtract(a, b) AS m, try_multiply(a, b) AS p FROM t1

-- name: sc_implicit_cast_string
SELECT '3' + 1 AS a, '2' * 1.5 AS b, 1 = '1' AS c

-- name: sc_implicit_cast_concat
SELECT concat(a, '-', b) AS c, a || '/' || c AS d FROM t1

-- name: sc_implicit_cast_compare
SELECT k FROM uniq WHERE k > '2'

-- name: sc_string_functions
SELECT id, length(s) AS n, upper(s) AS u, lower(s) AS l, reverse(s) AS r, octet_length(s) AS o FROM texts

-- name: sc_substring
SELECT id, substring(s, 2, 2) AS a, substr(s, -2) AS b, left(s, 2) AS c, right(s, 1) AS d, substring(s FROM 2 FOR 1) AS e FROM texts

-- name: sc_trim
SELECT id, trim(s) AS a, ltrim(s) AS b, rtrim(s) AS c, trim(BOTH 'h' FROM s) AS d, trim(LEADING 'h' FROM s) AS e, trim(TRAILING 'o' FROM s) AS f, btrim(s, 'ho') AS g FROM texts

-- name: sc_pad
SELECT id, lpad(s, 6, '*') AS a, rpad(s, 3, '-') AS b, repeat(t, 2) AS c, space(2) AS d FROM texts

-- name: sc_position
SELECT id, position('l' IN s) AS a, instr(s, 'l') AS b, locate('l', s, 4) AS c FROM texts

-- name: sc_replace
SELECT id, replace(s, 'l', 'L') AS a, translate(s, 'abc', '123') AS b, overlay(s PLACING '#' FROM 2) AS c FROM texts

-- name: sc_split
SELECT id, split(t, ' ') AS a, split_part(t, ' ', 1) AS b, substring_index(t, ' ', 1) AS c FROM texts

-- name: sc_like
SELECT id FROM texts WHERE s LIKE 'h%'

-- name: sc_like_underscore
SELECT id FROM texts WHERE s LIKE '_ello'

-- name: sc_like_escape
SELECT id FROM texts WHERE s LIKE 'a\\%b\\_c'

-- name: sc_like_custom_escape
SELECT id FROM texts WHERE s LIKE 'a#%b#_c' ESCAPE '#'

-- name: sc_not_like
SELECT id FROM texts WHERE s NOT LIKE '%e%'

-- name: sc_ilike
SELECT id FROM texts WHERE s ILIKE 'HELLO'

-- name: sc_like_any
SELECT id FROM texts WHERE s LIKE ANY ('h%', 'z%')

-- name: sc_like_all
SELECT id FROM texts WHERE s LIKE ALL ('%e%', '%l%')

-- name: sc_not_like_any
SELECT id FROM texts WHERE s NOT LIKE ANY ('%e%', '%l%')

-- name: sc_rlike
SELECT id FROM texts WHERE s RLIKE '^[a-h]'

-- name: sc_regexp
SELECT id, regexp_replace(s, '[aeiou]', '') AS a, regexp_extract(t, '([A-Z])', 1) AS b, regexp_count(s, 'l') AS c FROM texts

-- name: sc_contains
SELECT id, contains(s, 'l') AS a, startswith(s, 'h') AS b, endswith(s, 'o') AS c FROM texts

-- name: sc_string_order
SELECT x.id AS i, y.id AS j FROM texts x JOIN texts y ON x.s < y.s WHERE x.id IN (4, 5, 10, 11)

-- name: sc_string_escapes
SELECT 'it''s' AS a, 'it\'s' AS b, "double" AS c, 'tab\tnew\n' AS d, r'raw\n' AS e, 'a' 'b' AS f, '\u00e9' AS g, 'back\\slash' AS h

-- name: sc_string_unicode
SELECT id FROM texts WHERE s = '日本語' OR t = 'ß' OR s = '😀x'

-- name: sc_ascii
SELECT ascii('a') AS a, char(66) AS b, initcap('hello world') AS c, hex(255) AS d, md5('a') AS e, crc32('a') AS f

-- name: sc_concat_ws
SELECT id, concat_ws('-', s, t) AS a, concat(s, t) AS b FROM texts

-- name: sc_format
SELECT format_number(1234.5, 2) AS a, printf('%d-%s', 3, 'x') AS b, format_string('%05d', 42) AS c

-- name: sc_hash
SELECT hash(1, 'a') AS a, xxhash64(1, 'a') AS b

-- name: sc_binary
SELECT X'1F2a' AS b, hex(CAST('é' AS BINARY)) AS h, length(X'1F2a') AS n, base64(CAST('abc' AS BINARY)) AS s

-- name: sc_boolean_compare
SELECT true > false AS a, active = true AS b FROM emp

-- name: sc_boolean_select
SELECT a > 1 AND b < 20 OR c IS NULL AS x FROM t1

-- name: sc_operator_precedence
SELECT 1 + 2 * 3 - 4 / 2 AS a, NOT 1 = 2 AS b, 1 = 1 AND NOT 2 = 3 OR false AS c, - 2 * 3 AS d

-- name: sc_json
SELECT get_json_object('{"a": {"b": 7}}', '$.a.b') AS a, from_json('{"x": 1}', 'x INT').x AS b, to_json(named_struct('p', 1)) AS c

-- name: sc_typeof
SELECT typeof(a + 1) AS t, typeof(a / 2) AS d FROM t1 LIMIT 1

-- name: sc_constant_columns
SELECT 1 AS x, a FROM t1

-- name: sc_same_column_twice
SELECT a AS x, a AS y, a + a AS z FROM t1

-- name: sc_nested_functions
SELECT upper(substring(coalesce(c, 'zz'), 1, 1)) AS x, length(concat(c, c)) + abs(-a) AS y FROM t1

-- name: sc_error_guarded_by_case
SELECT a, CASE WHEN a = 0 OR a IS NULL THEN 0 ELSE 10 / a END AS x FROM t1

-- name: sc_width_bucket
SELECT k, width_bucket(k, 0, 10, 5) AS w FROM uniq

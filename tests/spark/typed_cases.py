"""Expressions in our text over the columns of `typed.KINDS`: what views are made of."""

from __future__ import annotations

_SCALARS = """
1; 2147483648; 99999999999999999999; -5; 1.50; 0.01; 0.0; 100.; 1L; 1S; 1Y; 1.5D; 1.5F; 15BD; NULL; TRUE; 'a'; X'00'
DATE '2020-01-01'; TIMESTAMP '2020-01-01 00:00:00'; TIMESTAMP_NTZ '2020-01-01 00:00:00'; INTERVAL '1' DAY
INTERVAL '1-2' YEAR TO MONTH; INTERVAL '1' HOUR; INTERVAL '1 02:03:04.5' DAY TO SECOND; INTERVAL '3' WEEK; (c3 + 1)
(c3 + 1L); (c3 + 1.5); (c3 + 1.5D); (c1 + c2); (c1 + 1Y); (c1 + 1); (c2 * c3); (c4 - 1); (c5 + 1); (c5 * c5); (c7 + 1)
(c7 - 1L); (c7 * 2); (c7 * -2); (c7 * 1000); (c7 / 3); (c7 % 3); (1 - c7); (1 / c7); (c7 * c3); (c7 * c4); (c7 + c1)
(c7 - c2); (c7 + c8); (c8 * c8); (c8 * 2); (c8 / 3); (c8 / c8); (c8 % c7); (c7 * 1.50); (c7 * 0.01)
((c7 * (1 - c7)) * (1 + c7)); ((c7 * 100) / c7); (c23 + c9); (c23 * c23); (c23 / c9); (c7 + c6); (c7 * c5); (c7 + 1Y)
(c7 + 1S); (c7 * 99999999999); (c9 div 3); (c3 div 2); (c3 div c4); (c7 div c3); (c3 % 2); (c3 % c4); (c4 % 10L)
mod(c3, 3); mod(c7, 3); pmod(c3, 3); pmod(c7, c9); (c3 / 2); (c4 / c4); (c5 / c5); (c6 / 2); (c3 / 2.0); (c10 + 1)
(c10 * c6); (c10 + 1.5); (c10 / 2); negative(c3); negative(c7); negative(c10); positive(c7); abs(c3); abs(c7); abs(c6)
abs(c10); bit_not(c3); bit_not(c1); (c3 & 1); (c3 | c4); (c1 ^ c2); shiftleft(c3, 2); shiftright(c4, 2); (c3 = 1)
(c3 = c4); (c3 = c7); (c3 <> 1.5); (c10 = 'a'); (c10 = 1); (c10 < c12); (c12 = c13); (c12 >= '2020-01-01')
(c13 < DATE '2020-01-01'); (c12 <= c14); (c0 = TRUE); (c7 > c6); (c7 <= 1); (c15 = c15); (c18 = c18); (c20 < c21)
(c3 <=> NULL); (c10 <=> c10); (c0 and c0 and c0); (c0 or c0); not(c0); isnull(c3); isnotnull(c18); in(c3, 1, 2, 3)
in(c3, 1.5, 2); in(c10, 'a', 'b'); in(c12, '2020-01-01', DATE '2020-01-02'); in(c7, 1, 2); in(c10, 1, 2)
CASE WHEN c0 THEN 1 ELSE 2 END; CASE WHEN c0 THEN 1 END; CASE WHEN c0 THEN 1 ELSE 2.5 END
CASE WHEN c0 THEN c7 ELSE 0 END; CASE WHEN c0 THEN c7 WHEN c0 THEN c8 ELSE c3 END; CASE WHEN c0 THEN c10 ELSE 1 END
CASE WHEN c0 THEN NULL ELSE c12 END; CASE WHEN c0 THEN c12 ELSE c13 END; CASE WHEN c0 THEN c5 ELSE c7 END
CASE WHEN c0 THEN c23 ELSE c9 END; CASE WHEN c0 THEN NULL END; CASE WHEN c0 THEN c15 ELSE array(1L) END
CASE WHEN c0 THEN c12 ELSE '2020-01-01' END; coalesce(c3, 0); coalesce(c7, 0); coalesce(c7, 0.0); coalesce(c8, c4)
coalesce(c10, 'x'); coalesce(c3, c4, c7, c6); coalesce(c12, c13); coalesce(NULL, c3); coalesce(c23, c3)
coalesce(c10, 1); nvl(c3, 0); nvl(c7, 0); ifnull(c7, c9); nvl2(c3, c7, 0); nvl2(c10, 1, 2L); nullif(c3, 0)
nullif(c7, 0); nullif(c10, ''); nullif(c3, c7); if(c0, 1, 2); if(c0, c7, 0); if(c0, c10, NULL); greatest(c3, c4)
greatest(c7, 1); least(c7, c8); least(c12, c13); greatest(c5, c3); nanvl(c6, 0); nanvl(c5, c6); zeroifnull(c7)
nullifzero(c3); equal_null(c3, c4); CAST(c3 AS BIGINT); CAST(c10 AS DECIMAL(12,3)); CAST(c10 AS DATE)
CAST(c3 AS STRING); CAST(c12 AS TIMESTAMP); TRY_CAST(c10 AS INT); CAST(c15 AS ARRAY<STRING>)
CAST(NULL AS STRUCT<a: INT>); CAST(c3 AS DECIMAL); CAST(c20 AS INTERVAL DAY TO SECOND); CAST(c10 AS VARCHAR(10))
CAST(c10 AS CHAR(3)); CAST(c3 AS TINYINT); upper(c10); lower(c10); initcap(c10); trim(c10); ltrim(c10); rtrim(c10)
btrim(c10, 'x'); ltrim('x', c10); length(c10); length(c11); char_length(c10); octet_length(c10); ascii(c10)
replace(c10, 'a', 'b'); replace(c10, 'a'); split(c10, ','); split(c10, ',', 2); instr(c10, 'a'); locate('a', c10)
locate('a', c10, 3); position('a', c10); left(c10, 2); right(c10, 2); substring(c10, 1, 2); substring(c10, 2)
substr(c10, 1, 2); substring(c11, 1, 2); substring(c3, 1, 2); substring_index(c10, '.', 2); like(c10, 'a%')
like(c10, 'a!%', '!'); ilike(c10, 'a%'); rlike(c10, 'a.*'); regexp_like(c10, 'a'); regexp_replace(c10, 'a', 'b')
regexp_extract(c10, 'a', 0); regexp_extract_all(c10, 'a', 0); regexp_count(c10, 'a'); regexp_instr(c10, 'a')
regexp_substr(c10, 'a'); repeat(c10, 3); concat(c10, c10); concat(c10, c3); (c10 || c10); (c10 || c3 || 'x')
concat(c11, c11); concat(c15, c15); concat(c15, array(1L)); concat_ws(',', c10, c16); lpad(c10, 5, '0'); rpad(c10, 5)
lpad(c3, 5, '0'); reverse(c10); reverse(c15); translate(c10, 'a', 'b'); space(3); chr(65); levenshtein(c10, c10)
soundex(c10); format_string('%d', c3); base64(c11); unbase64(c10); hex(c3); unhex(c10); md5(c11); sha1(c11)
sha2(c11, 256); crc32(c11); hash(c3, c10); xxhash64(c3); split_part(c10, ',', 1); find_in_set('a', c10)
encode(c10, 'utf-8'); decode(c11, 'utf-8'); contains(c10, 'a'); startswith(c10, 'a'); endswith(c10, 'a'); bin(c4)
conv(c10, 10, 16); get_json_object(c10, '$.a'); overlay(c10, 'x', 2); typeof(c3); quote(c10); luhn_check(c10)
sqrt(c3); sqrt(c7); exp(c6); ln(c6); log(c6); log(2, c6); log10(c3); log2(c6); power(c3, 2); pow(c7, 2); sin(c6)
cos(c6); atan2(c6, c6); degrees(c6); radians(c6); cbrt(c6); pi(); e(); sign(c3); sign(c7); signum(c20); factorial(c3)
round(c7); round(c7, 1); round(c7, 5); round(c7, -1); round(c7, -10); round(c8, 2); round(c8, 0); round(c3, -1)
round(c6, 2); round(c5); round(c4); bround(c7, 1); bround(c6, 2); round(c9, 1); round(c23, 4); round(c23)
round((c7 * c7), 2); ceil(c7); ceil(c6); ceil(c3); ceil(c4); ceil(c9); ceil(c8); floor(c7); floor(c5); floor(c1)
ceiling(c23); floor(c7, 1); ceil(c8, 3); width_bucket(c6, 0, 10, 5); isnan(c6); bit_count(c3); bit_get(c3, 1)
hypot(c6, c6); expm1(c6); log1p(c6); (c12 + 1); (c12 - 1); (1 + c12); (c12 + INTERVAL '1' DAY)
(c12 - INTERVAL '1' MONTH); (c12 + INTERVAL '1' HOUR); (c13 + INTERVAL '1' DAY); (c13 - INTERVAL '1' YEAR)
(c14 + INTERVAL '2' HOUR); (c12 - c12); (c13 - c13); (c13 - c12); (c12 - '2020-01-01'); (c20 * 2); (2 * c22)
(c21 / 3); (c20 + c21); (c22 - c22); negative(c20); (c20 div INTERVAL '1' DAY); ((c12 - c12) + INTERVAL '1' DAY)
(INTERVAL '1' DAY * c3); abs(c21); (DATE '2020-01-01' + INTERVAL '90' DAY); year(c12); year(c13); year(c10)
month(c12); day(c12); dayofmonth(c13); quarter(c12); dayofweek(c12); weekday(c12); dayofyear(c14); weekofyear(c12)
hour(c13); minute(c13); second(c13); hour(c14); hour(c12); last_day(c12); dayname(c12); date_add(c12, 3)
date_sub(c12, c3); date_add(c13, 1); datediff(c12, c13); date_diff(c12, c12); add_months(c12, 3)
datediff(DAY, c12, c13); timestampdiff(MONTH, c13, c13); months_between(c12, c13); next_day(c12, 'MON')
trunc(c12, 'MM'); date_trunc('month', c13); date_trunc('month', c12); date_trunc('hour', c14)
date_format(c12, 'yyyy'); to_date(c10); to_date(c10, 'yyyy'); to_date(c13); to_timestamp(c10)
to_timestamp(c10, 'yyyy'); to_timestamp(c12); unix_timestamp(c13); unix_timestamp(); from_unixtime(c4)
make_date(2020, 1, 1); make_timestamp(2020, 1, 1, 0, 0, 0); timestamp_seconds(c4); timestamp_millis(c4)
unix_seconds(c13); unix_date(c12); date_from_unix_date(c3); from_utc_timestamp(c13, 'UTC'); current_date()
current_timestamp(); now(); localtimestamp(); extract(YEAR, c12); extract(MONTH, c13); extract(SECOND, c13)
extract(DAY, c12); extract(HOUR, c13); extract(DOW, c12); extract(WEEK, c12); date_part('year', c12)
date_part('second', c13); array(1, 2); array(1, 2.5); array(c10, 'a'); array(); map('a', 1); map('a', 1, 'b', 2.5)
named_struct('x', c3, 'y', c7); get_field(c18, 'a'); get_field(c18, 'B'); get_field(c25, 'v'); get_item(c15, 0)
get_item(c15, c4); get_item(c17, 'a'); get_item(c24, 0); get_item(get_item(c24, 0), 1); element_at(c15, 1)
element_at(c17, 'a'); get(c15, 0); size(c15); size(c17); cardinality(c15); array_size(c15); array_contains(c15, 1)
array_contains(c16, 'a'); array_position(c15, 1); array_remove(c15, 1); array_append(c15, 1); array_prepend(c16, 'x')
array_union(c15, c15); array_except(c15, c15); array_intersect(c16, c16); arrays_overlap(c15, c15)
array_distinct(c15); array_compact(c15); array_max(c15); array_min(c16); array_join(c16, ','); array_repeat(c10, 2)
slice(c15, 1, 2); flatten(c24); sort_array(c15); sort_array(c15, FALSE); array_sort(c15); sequence(1, 5)
sequence(c4, c3); sequence(c12, c12, INTERVAL '1' DAY); sequence(c12, c12); map_keys(c17); map_values(c17)
map_entries(c17); map_from_arrays(c16, c15); map_from_entries(map_entries(c17)); map_concat(c17, c17)
map_contains_key(c17, 'a'); str_to_map(c10); transform(c15, lambda(x1: (x1 + 1)))
transform(c15, lambda(x1, x2: (x1 * x2))); transform(c25, lambda(x1: get_field(x1, 'v')))
filter(c15, lambda(x1: (x1 > 1))); exists(c15, lambda(x1: (x1 = 1))); forall(c16, lambda(x1: (x1 = 'a')))
aggregate(c15, 0, lambda(x1, x2: (x1 + x2))); zip_with(c15, c15, lambda(x1, x2: (x1 + x2)))
aggregate(c15, 0L, lambda(x1, x2: (x1 + x2)), lambda(x3: (x3 * 1.5))); map_filter(c17, lambda(x1, x2: (x2 > 1)))
transform_keys(c17, lambda(x1, x2: upper(x1))); transform_values(c17, lambda(x1, x2: (x2 * 2L)))
transform(c24, lambda(x1: transform(x1, lambda(x2: (x2 + size(x1)))))); array_sort(c15, lambda(x1, x2: (x1 - x2)))
"""

_AGGREGATES = """
count(); count(c3); count(distinct c3, c4); count_if(c0); sum(c1); sum(c3); sum(c4); sum(c5); sum(c6); sum(c7)
sum(c8); sum(c9); sum(c23); sum((c7 * (1 - c7))); sum(c20); avg(c3); avg(c7); avg(c8); avg(c9); avg(c23); avg(c6)
avg(c21); mean(c7); min(c3); max(c10); min(c12); max(c18); first(c10); last(c7); any_value(c3); stddev(c3)
stddev_pop(c7); var_samp(c6); variance(c3); collect_list(c7); collect_set(c10); array_agg(c3); bool_and(c0)
bool_or(c0); every(c0); corr(c3, c7); covar_pop(c6, c6); covar_samp(c3, c3); skewness(c6); kurtosis(c3)
percentile(c3, 0.5); median(c7); percentile_approx(c7, 0.5); percentile_approx(c3, 0.5, 100)
approx_count_distinct(c10); max_by(c10, c3); min_by(c7, c12); mode(c10); listagg(c10); listagg(c10, ',')
string_agg(c10, ','); bit_and(c3); bit_or(c4); bit_xor(c1); regr_count(c3, c3); regr_slope(c6, c6); regr_r2(c3, c7)
sum(CASE WHEN c0 THEN c7 ELSE 0 END); sum(1); sum(1.5); try_sum(c7); try_avg(c3)
"""

_WINDOWS = """
row_number(); rank(); dense_rank(); percent_rank(); cume_dist(); ntile(4); lag(c7); lag(c10, 2); lead(c3, 1, 0)
lag(c7, 1, 0); lead(c12, 1, DATE '2020-01-01'); lag(c4, 1, 0); lag(c10, 1, 'x'); nth_value(c7, 2); first_value(c10)
last_value(c3); sum(c7); avg(c7); avg(c3); count(); count(c3); min(c12); max(c7); collect_list(c3); stddev(c6)
"""


def _read(text: str) -> tuple[str, ...]:
    return tuple(case.strip() for line in text.strip().splitlines() for case in line.split(";"))


SCALAR_CASES = _read(_SCALARS)
AGGREGATE_CASES = _read(_AGGREGATES)
WINDOW_CASES = _read(_WINDOWS)

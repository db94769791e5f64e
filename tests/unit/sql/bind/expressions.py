"""Expressions over one column of each type that Spark accepts, many of them by casts that nobody wrote.

`tests/spark/test_checks_on_spark.py` proves that it does.
"""

from __future__ import annotations

from tidewheel.ddl import parse_type
from tidewheel.ir.parts import Column
from tidewheel.sql.bind import CatalogRelation

TYPES = {
    "bo": "BOOLEAN", "ti": "TINYINT", "sm": "SMALLINT", "i": "INT", "bi": "BIGINT", "fl": "FLOAT", "do": "DOUBLE",
    "de": "DECIMAL(10,2)", "d38": "DECIMAL(38,10)", "st": "STRING", "bn": "BINARY", "da": "DATE", "ts": "TIMESTAMP",
    "nt": "TIMESTAMP_NTZ", "ai": "ARRAY<INT>", "ast": "ARRAY<STRING>", "aai": "ARRAY<ARRAY<INT>>",
    "afl": "ARRAY<FLOAT>", "ad": "ARRAY<DECIMAL(10,2)>", "m": "MAP<STRING, INT>", "mi": "MAP<INT, STRING>",
    "s": "STRUCT<a: INT, b: STRING>", "asu": "ARRAY<STRUCT<a: INT, b: STRING>>", "am": "ARRAY<MAP<STRING, INT>>",
}  # fmt: skip
KINDS = CatalogRelation(name="kinds", columns=tuple(Column(name, parse_type(kind)) for name, kind in TYPES.items()))

VALID = """
i + bi; i + do; de + i; de * 2; d38 + de; st + 1; st + i; st * do; '1' + 1; i / 2; de / i; st / 2; i div 2; bi div sm
i % 2; de % 3; st % 2; -st; -de; +i; ~i; ~bi; i & bi; i | ti; st & 1; ti ^ sm; abs(st); abs(de); negative(i)
da + 1; 1 + da; da - 1; da - da; ts - ts; ts - da; da - ts; da + ti; da + INTERVAL '1' DAY; ts + INTERVAL '1' HOUR
da - INTERVAL '1' MONTH; nt + INTERVAL '2' MINUTE; ts - nt; INTERVAL '1' DAY * 2; INTERVAL '1' DAY / 2; da - st
INTERVAL '1' DAY + INTERVAL '1' HOUR; st + INTERVAL '1' DAY; '2024-01-01' + INTERVAL '1' DAY; ts - '2024-01-01'
i = bi; i = st; st = 1; de = '1.5'; do > st; da = '2024-01-01'; da < ts; ts >= nt; st <=> i; bo = 'true'; bo = true
ai = ai; ai = array(1L); s = s; s = named_struct('a', 1, 'b', 'x'); asu = asu; bn = bn; bn = st; i <> 1.5; NULL = ai
i IN (1, 2L, 3.5); i IN ('1', '2'); st IN (1, 2); da IN ('2024-01-01', ts); ai IN (array(1), NULL); s IN (s)
i BETWEEN '1' AND 2.5; da BETWEEN '2024-01-01' AND ts; st BETWEEN 1 AND 2; NOT bo; NOT 'true'; NOT NULL; bo AND st
bo OR NULL; bo AND NULL AND 'true'; st LIKE 'a%'; i LIKE '1%'; da LIKE '2024%'; st RLIKE i; st ILIKE 'A'; bo LIKE 'x'
CASE WHEN bo THEN 1 ELSE 2.5 END; CASE WHEN bo THEN st ELSE i END; CASE WHEN bo THEN NULL ELSE ai END
CASE i WHEN '1' THEN da ELSE ts END; CASE WHEN bo THEN 'x' ELSE da END; CASE i WHEN 1 THEN m ELSE NULL END
CASE WHEN bo THEN ai ELSE array(1.5) END; CASE WHEN bo THEN ai ELSE array() END; if(bo, 1, 'x'); if(NULL, 1, 2)
coalesce(i, 1L); coalesce(st, i); coalesce(NULL, ai); coalesce(i, st, do); coalesce(da, ts); coalesce(da, st)
coalesce(ai, ast); coalesce(m, NULL); coalesce(bo, 'x'); nvl(i, 'x'); ifnull(da, '2024-01-01'); nvl2(i, 1, 'x')
nullif(i, 1L); nullif(i, '1'); nullif(st, 1); greatest(i, do, de); least(da, ts); greatest(1, NULL); zeroifnull(st)
array(1, 2L, 3.5); array(1, 'a'); array(da, ts); array(); array(NULL, 1); array(ai, array(1.5)); array(m, NULL)
map(1, 'a', 2L, NULL); map('a', 1, 'b', 2.5); map(); map(ai, 1); map(1, m); struct(i, st); named_struct('x', m)
CAST(i AS STRING); CAST(st AS DATE); CAST(i AS BOOLEAN); CAST(bo AS INT); CAST(ts AS BIGINT); CAST(i AS TIMESTAMP)
CAST(da AS TIMESTAMP); CAST(ai AS ARRAY<STRING>); CAST(ast AS ARRAY<INT>); CAST(m AS MAP<STRING, STRING>)
CAST(s AS STRUCT<a: STRING, b: INT>); CAST(ai AS STRING); CAST(m AS STRING); CAST(NULL AS ARRAY<INT>)
CAST(st AS BINARY)
CAST(ts AS DATE); CAST(nt AS DATE); CAST(de AS TIMESTAMP); TRY_CAST(st AS INT); CAST('x' AS INT); CAST(s AS STRING)
CAST('2024-13-45' AS DATE); CAST(1000 AS TINYINT); CAST(i AS DECIMAL(38,38)); CAST(bn AS STRING); CAST(ts AS DOUBLE)
upper(i); upper(da); upper(NULL); length(i); length(bn); trim(i); substring(i, 1, 2); substring(bn, 1); left(st, '2')
concat(st, i, da); concat(ai, array(1.5)); concat(bn, bn); concat(bn, st); st || i; ai || ai; ai || array('x')
concat_ws(',', ast, st, i); lpad(i, 3, '0'); repeat(st, '2'); replace(st, 'a'); split(st, ','); instr(st, i)
locate('a', st, '1'); regexp_replace(st, 'a', 'b'); translate(st, 'a', 'b'); format_string('%s', i, ai); hex(st)
hex(i); md5(st); sha2(st, 256); base64(st); ascii(i); initcap(da); reverse(ai); reverse(st); soundex(st); space('2')
year(st); year(ts); month('2024-01-01'); day(nt); hour(st); hour(ts); last_day(st); date_add(da, '1'); date_add(st, 1)
date_sub(ts, ti); datediff(st, da); datediff(ts, '2024-01-01'); add_months(da, '1'); months_between(st, da)
to_date(st); to_date(ts); to_date(da, 'yyyy'); to_timestamp(i); to_timestamp(st, 'yyyy'); date_format(da, 'yyyy')
date_trunc('MONTH', st); trunc(ts, 'MONTH'); unix_timestamp(); unix_timestamp(st); from_unixtime(st)
make_date('1', 2, 3)
extract(YEAR FROM st); extract(DOW FROM ts); extract(HOUR FROM da); date_part('year', da); dateadd(DAY, i, da)
timestampdiff(HOUR, da, ts); timestampadd(MONTH, 1, st); next_day(da, 'MO'); date_from_unix_date(i); unix_date(da)
round(de, 1); round(st); round(i, 1 + 1); round(do, -1); floor(st); ceil(de); ceil(do, 1); sqrt(st); pow(i, '2')
ln(de); sin(bi); sign(st); mod(i, 2.5); pmod(st, 2); bit_count(bo); shiftleft(i, 1); factorial(st); bround(de, 0)
size(ai); size(m); size(NULL); cardinality(m); array_contains(ai, 1L); array_contains(afl, i); array_position(ai, 1)
array_append(ai, 1); array_remove(afl, i); array_union(ai, afl); array_except(ai, array(1L)); arrays_overlap(ai, afl)
array_distinct(ai); array_max(ai); array_max(ast); sort_array(ai); sort_array(asu, false); array_join(ai, ',')
array_repeat(i, 2); flatten(aai); slice(ai, '1', 2); element_at(ai, 1); element_at(m, 'a'); element_at(mi, 1S)
ai[0]; ai[bi]; m['a']; m[1]; mi['1']; mi[1L]; s['a']; asu['a']; asu[0].b; am[0]['x']; s.a; asu.b; m.a; NULL[0]
aai[0][1]
map_keys(m); map_values(mi); map_entries(m); map_concat(m, m); map_from_arrays(ast, ai); map_contains_key(m, 'a')
map_from_entries(asu); sequence(1, i); sequence(da, da, INTERVAL '1' DAY); sequence('1', 2); array_compact(ai)
transform(ai, x -> x + 1); transform(ai, (x, n) -> x + n); transform(ast, x -> upper(x)); transform(asu, x -> x.a + 1)
filter(ai, x -> x > 1); filter(ai, (x, n) -> n = 0); filter(ai, x -> NULL); exists(ast, x -> x LIKE 'a%')
forall(ai, x -> x = '1'); aggregate(ai, 0, (a, x) -> a + x); aggregate(ai, 0, (a, x) -> a + x, a -> a * 1.5)
aggregate(ai, CAST(0 AS DOUBLE), (a, x) -> a + x); zip_with(ai, ast, (x, y) -> concat(x, y)); reduce(ai, 0, (a, x) -> x)
map_filter(m, (k, v) -> v > 1); transform_keys(m, (k, v) -> upper(k)); transform_values(m, (k, v) -> v + 0.5)
map_zip_with(m, m, (k, a, b) -> a + b); array_sort(ai, (a, b) -> a - b); transform(aai, x -> transform(x, y -> y + 1))
transform(ai, x -> filter(ast, y -> y = x)); array_sort(ai); zip_with(ai, afl, (a, b) -> a * b)
DATE '2024-1-5'; DATE '2024'; DATE 'today'; DATE '2024-02-03T10:00'; TIMESTAMP '2024-01-01 10:00:00 Europe/Paris'
TIMESTAMP '10:11'; TIMESTAMP 'now'; TIMESTAMP '2024'; TIMESTAMP_NTZ '2024-01-01'; 127Y; -128Y; 32767S; 3000000000L
-9223372036854775808L; 1.5BD; 1e38; 1e-400; 1F; 2.5D; 12345678901234567890123456789012345678; X'1F'; INTERVAL 1 DAY
INTERVAL '1 day'; INTERVAL '1' WEEK; 0.00000000000000000000000000000000000001; hash(ai, i); xxhash64(ai); typeof(m)
st IS NULL; m IS NOT NULL; (i > 1) IS TRUE; bo IS NOT FALSE; i IS DISTINCT FROM st; bo <=> (i = 1); EXISTS (SELECT 1)
""".replace("\n", ";").split(";")
VALID = [text.strip() for text in VALID if text.strip()]

VALID_AGGREGATES = """
sum(st); sum(de); sum(ts); avg(i); avg(st); min(ai); max(s); max(bn); count(m, i); count(DISTINCT m); count_if(i > 1)
count(DISTINCT i, st); bool_and(bo); every(st); bit_or(ti); collect_list(m); collect_set(s); first(i, true)
any_value(m)
max_by(m, i); min_by(st, ai); percentile(i, 0.5); percentile(st, array(0.1, 0.9)); percentile_approx(i, 0.5, 100)
median(st); mode(ai); stddev(st); corr(i, de); listagg(i); listagg(st, ','); sum(i) FILTER (WHERE bo); avg(NULL)
sum(DISTINCT de); first(st) IGNORE NULLS; approx_count_distinct(i); approx_count_distinct(ai); sum(i + st); std(NULL)
""".replace("\n", ";").split(";")
VALID_AGGREGATES = [text.strip() for text in VALID_AGGREGATES if text.strip()]

VALID_WINDOWS = """
row_number() OVER (ORDER BY i); row_number() OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
cume_dist() OVER (ORDER BY i RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW); ntile(1 + 1) OVER (ORDER BY i)
lag(i, 1, 'x') OVER (ORDER BY i); lag(m) OVER (ORDER BY i); lead(i, 2, NULL) OVER (PARTITION BY s ORDER BY ai)
nth_value(i, 2L) OVER (ORDER BY i); sum(i) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
sum(i) OVER (ORDER BY i, bi RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
sum(i) OVER (ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING)
sum(i) OVER (ORDER BY i ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW)
sum(i) OVER (ORDER BY da RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)
sum(i) OVER (ORDER BY da RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND CURRENT ROW)
sum(i) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND INTERVAL '1' DAY FOLLOWING)
sum(i) OVER (ORDER BY de RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING)
sum(i) OVER (ORDER BY i RANGE BETWEEN 1.5 PRECEDING AND CURRENT ROW)
sum(i) OVER (ORDER BY st RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
max(ai) OVER (ORDER BY s); count(m) OVER (); count(*) FILTER (WHERE bo) OVER (PARTITION BY ai)
""".replace("\n", ";").split(";")
VALID_WINDOWS = [text.strip() for text in VALID_WINDOWS if text.strip()]

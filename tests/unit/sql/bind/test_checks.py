"""The binder refuses what Spark's analyzer refuses, and nothing else."""

from __future__ import annotations

import pytest

from tests import corpus
from tests.unit.sql.bind.catalogs import to_catalog
from tests.unit.sql.bind.expressions import KINDS, VALID, VALID_AGGREGATES, VALID_WINDOWS
from tidewheel.errors import TidewheelError, UserError
from tidewheel.ir.arity import ARITY, described, takes
from tidewheel.sql.bind import Catalog, bind

NOT_READ = {
    "name_identifier_clause": "IDENTIFIER() hides what a view reads",
}
CATALOG = {"kinds": KINDS}


SMALL = to_catalog(corpus.catalog())


def refusal(sql: str) -> UserError:
    with pytest.raises(UserError) as caught:
        bind(sql, CATALOG)
    return caught.value


def is_refused(sql: str, known: Catalog) -> bool:
    try:
        bind(sql, known)
    except TidewheelError:
        return True
    return False


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in corpus.invalid_queries()])
def test_an_invalid_query_is_refused(case: corpus.Case) -> None:
    assert is_refused(case.sql, SMALL)


def test_valid_queries_are_not_refused() -> None:
    refused = {case.name for case in corpus.queries() if is_refused(case.sql, SMALL)}
    assert refused == set(NOT_READ)


def test_benchmark_queries_are_not_refused() -> None:
    tpch, tpcds = to_catalog(corpus.tpch_tables()), to_catalog(corpus.tpcds_tables())
    assert [c.name for c in corpus.tpch_queries() if is_refused(c.sql, tpch)] == []
    assert [c.name for c in corpus.tpcds_queries() if is_refused(c.sql, tpcds)] == []


@pytest.mark.parametrize("text", [*VALID, *VALID_AGGREGATES, *VALID_WINDOWS])
def test_an_expression_that_spark_casts_is_not_refused(text: str) -> None:
    bind(f"SELECT {text} AS x FROM kinds", CATALOG)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("i + ai", "type-mismatch", "+ does not take INT and ARRAY<INT>"),
        ("da = 1", "type-mismatch", "DATE cannot be compared with INT"),
        ("m = m", "type-mismatch", "maps cannot be compared"),
        ("upper(ai)", "type-mismatch", "upper() does not take ARRAY<INT>"),
        ("i AND bo", "not-boolean", "AND takes conditions, not INT and BOOLEAN"),
        ("CASE WHEN i THEN 1 END", "not-boolean", "the condition of CASE is not true or false but INT"),
        ("CASE WHEN bo THEN 1 ELSE ai END", "no-common-type", "the values of CASE have no common type"),
        ("i IN (1, ai)", "no-common-type", "the values of IN have no common type"),
        ("CAST(ai AS INT)", "bad-cast", "ARRAY<INT> cannot be cast to INT"),
        ("CAST(i AS DECIMAL(39, 2))", "bad-cast", "there is no type DECIMAL(39, 2)"),
        ("array_contains(ai, 'x')", "type-mismatch", "array_contains() does not take ARRAY<INT> and STRING"),
        ("round(1.5D, i)", "wrong-arguments", "the scale of round() must be a constant"),
        ("CAST(i AS text)", "bad-cast", "Spark SQL has no type TEXT"),
        ("i::int8", "bad-cast", "Spark SQL has no type INT8"),
        ("CAST(i AS datetime)", "bad-cast", "Spark SQL has no type DATETIME"),
        ("CAST(i AS blob)", "bad-cast", "Spark SQL has no type BLOB"),
        ("CAST(i AS bool)", "bad-cast", "Spark SQL has no type BOOL"),
        ("CAST(ai AS ARRAY<text>)", "bad-cast", "Spark SQL has no type TEXT"),
        ("CAST(ai AS int[])", "bad-cast", "Spark SQL has no type INT [ ]"),
        ("CAST(i AS double precision)", "bad-cast", "Spark SQL has no type DOUBLE PRECISION"),
        ("CAST(i AS varchar)", "bad-cast", "VARCHAR needs a length"),
        ("upper(st, st)", "wrong-arguments", "upper() takes 1 argument, not 2"),
        ("1000Y", "bad-literal", "the number does not fit into TINYINT"),
        ("DATE '2024-02-30'", "bad-literal", "'2024-02-30' is not a date"),
        ("TIMESTAMP '2024-01-01 25:00:00'", "bad-literal", "'2024-01-01 25:00:00' is not a timestamp"),
        ("INTERVAL '1' FORTNIGHT", "bad-literal", '"FORTNIGHT" is not a unit of time'),
        ("transform(ai, (x, y, z) -> x)", "bad-lambda", "the lambda of transform() takes 2 parameters, not 3"),
        ("upper(x -> x)", "bad-lambda", "upper() does not take a lambda here"),
        ("transform(ai, x -> upper(array(x)))", "type-mismatch", "upper() does not take ARRAY<INT>"),
        ("filter(ai, x -> x)", "not-boolean", "the lambda of filter() is not true or false but INT"),
        ("s.zz", "unknown-column", 'the struct has no field "zz"'),
        ("i.zz", "type-mismatch", '"zz" cannot be a field: INT is not a struct'),
        ("sum(da)", "type-mismatch", "sum() does not take DATE"),
        ("ntile(0) OVER (ORDER BY i)", "wrong-arguments", "the number of ntile() must be at least 1"),
        ("lag(i) OVER (ORDER BY i ROWS 1 PRECEDING)", "bad-frame", "lag() takes no frame"),
    ],
)
def test_a_refusal_says_what_is_wrong(text: str, code: str, message: str) -> None:
    error = refusal(f"SELECT {text} AS x FROM kinds")
    assert (error.code, error.message) == (code, message)


def test_a_refusal_points_at_the_smallest_wrong_expression() -> None:
    error = refusal("SELECT i,\n  coalesce(1 + upper(ai), 2) AS x FROM kinds")
    assert error.span is not None
    assert (error.span.line, error.span.column) == (2, 16)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT i FROM kinds WHERE st", "not-boolean"),
        ("SELECT count(*) FROM kinds GROUP BY da HAVING da", "not-boolean"),
        ("SELECT a.i FROM kinds a JOIN kinds b ON a.i", "not-boolean"),
        ("SELECT DISTINCT m FROM kinds", "type-mismatch"),
        ("SELECT i FROM kinds ORDER BY am", "type-mismatch"),
        ("SELECT i FROM kinds UNION ALL SELECT ai FROM kinds", "no-common-type"),
        ("SELECT m FROM kinds INTERSECT ALL SELECT m FROM kinds", "type-mismatch"),
        ("SELECT i FROM kinds WHERE i IN (SELECT ai FROM kinds)", "type-mismatch"),
        ("SELECT explode(i) FROM kinds", "type-mismatch"),
        ("SELECT i FROM kinds QUALIFY i = 1", "misplaced-window"),
        ("SELECT i FROM kinds LIMIT 1 ORDER BY i", "sql-syntax"),
        ("SELECT i, FROM kinds", "sql-syntax"),
        ("SELECT DISTINCT i FROM kinds ORDER BY bi", "order-by-distinct"),
        ("SELECT DISTINCT i AS x FROM kinds ORDER BY i", "order-by-distinct"),
        ("SELECT DISTINCT i + 1 AS x FROM kinds ORDER BY i + 1", "order-by-distinct"),
        ("SELECT DISTINCT s.a FROM kinds ORDER BY s.a", "order-by-distinct"),
        ("SELECT DISTINCT i FROM kinds ORDER BY row_number() OVER (ORDER BY i)", "misplaced-window"),
        ("SELECT INTERVAL '1' NANOSECOND AS x FROM kinds", "bad-literal"),
        ("SELECT INTERVAL '1-2' YEARS TO MONTHS AS x FROM kinds", "bad-literal"),
        ("SELECT i AS q, bi AS q, q + 1 AS z FROM kinds", "ambiguous-column"),
    ],
)
def test_a_clause_that_spark_refuses_is_refused(sql: str, code: str) -> None:
    assert refusal(sql).code == code


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) AS n FROM kinds GROUP BY i HAVING i",
        "SELECT i FROM kinds UNION ALL SELECT st FROM kinds",
        "SELECT m FROM kinds UNION ALL SELECT m FROM kinds",
        "SELECT count(*) AS n FROM kinds GROUP BY m",
        "SELECT DISTINCT i FROM kinds ORDER BY i + 1",
        "SELECT DISTINCT i FROM kinds ORDER BY i + 1 LIMIT 2",
        "SELECT DISTINCT i + 1 AS x FROM kinds ORDER BY x LIMIT 2",
        "SELECT DISTINCT (i), bi AS x FROM kinds ORDER BY kinds.i, x",
        "SELECT DISTINCT i FROM kinds ORDER BY (SELECT max(bi) FROM kinds)",
        "SELECT DISTINCT i FROM kinds a JOIN kinds b USING (i) ORDER BY b.i",
        "SELECT DISTINCT a.i AS x FROM kinds a FULL JOIN kinds b USING (i) ORDER BY a.i",
        "SELECT i, rank() OVER (ORDER BY i) AS r FROM kinds GROUP BY ROLLUP (i) QUALIFY grouping(i) = 1",
        "SELECT i, sum(bi) AS n FROM kinds GROUP BY i QUALIFY sum(n) OVER () > 1",
        "SELECT any_value((SELECT max(b.bi) FROM kinds b WHERE b.i = a.i)) AS x FROM kinds a GROUP BY st",
        "SELECT (SELECT max(b.bi) FROM kinds b WHERE b.i = a.i) AS x, count(*) AS n FROM kinds a GROUP BY 1",
        "SELECT count(*) AS n FROM kinds a GROUP BY i HAVING (SELECT max(b.bi) FROM kinds b WHERE b.i = a.i) > 0",
        "SELECT (SELECT max(b.bi) FROM kinds b HAVING max(b.bi) > a.i) AS x FROM kinds a",
        "SELECT x FROM kinds a, LATERAL (SELECT max(b.i) AS top, top + a.i AS x FROM kinds b)",
        "SELECT a.i FROM kinds a LEFT JOIN kinds b ON EXISTS (SELECT 1 FROM kinds c WHERE c.i = a.i)",
        "SELECT INTERVAL '1 2:3' DAY TO MINUTE AS x, INTERVAL '1-2' year to month AS y, INTERVAL 2 weeks AS z",
        "SELECT 1 AS limit, 2 AS where ORDER BY limit",
        "SELECT i FROM kinds a WHERE i IN (SELECT st FROM kinds WHERE a.da > ts)",
        "SELECT x FROM VALUES (1, 'a'), (2.5, NULL) AS v(x, y)",
    ],
)
def test_a_clause_that_spark_takes_is_not_refused(sql: str) -> None:
    bind(sql, CATALOG)


def test_numbers_of_arguments() -> None:
    assert [n for n in range(9) if takes("make_timestamp", n)] == [1, 2, 3, 6, 7]
    assert [n for n in range(5) if takes("map", n)] == [0, 2, 4]
    assert takes("coalesce", 50)
    assert not takes("coalesce", 0)
    assert takes("no_such_function", 3)
    assert described("coalesce") == "1 or more arguments"
    assert len(ARITY) > 400

"""Text of plans: what stays small, what is quoted, what is refused."""

from __future__ import annotations

import pytest

from tidewheel.errors import UserError
from tidewheel.ir.parts import SortKey
from tidewheel.ir.reader import parse_scalar
from tidewheel.ir.rel import Distinct, Filter, Join, Project, Query, Rel, TopK, Union
from tidewheel.ir.scalar import Call, Col, Lit
from tidewheel.ir.text import parse_query, parse_rel
from tidewheel.sql.unparse import rel_to_spark, to_duckdb, to_spark
from tidewheel.sql.unparse.spark import quote_string

SCAN = parse_rel("plan\n  scan t (a INT, b INT)\n")


def named(rel: Rel) -> Query:
    return Query(rel=rel, names=tuple(f"n{i}" for i in range(rel.width)))


def nesting(sql: str) -> int:
    return max(len(line) - len(line.lstrip()) for line in sql.splitlines()) // 2


def deep(levels: int) -> Rel:
    rel: Rel = SCAN
    for i in range(levels):
        best = TopK(input=Distinct(input=rel), order=(SortKey(expr=Col(0)),), limit=levels - i)
        rel = Project(input=best, exprs=(Col(1), Col(0)))
    return rel


def test_deep_plans_are_written_without_deep_nesting() -> None:
    for write in (to_spark, to_duckdb):
        sql = write(named(deep(1500)))
        assert nesting(sql) < 20
        assert len(sql) < 500 * 3000


def test_deep_unions_are_written_without_deep_nesting() -> None:
    rel: Rel = SCAN
    for i in range(300):
        rel = Union(parts=(rel, Filter(input=SCAN, predicate=Call("=", (Col(0), Lit("int", str(i)))))))
    assert nesting(to_spark(named(rel))) < 25


def test_a_plan_that_doubles_is_written_once_per_level() -> None:
    rel: Rel = SCAN
    for _ in range(40):
        joined = Join(kind="inner", left=rel, right=rel)
        rel = Project(input=joined, exprs=(Col(0), Col(3)))
    assert len(to_spark(named(rel))) < 20_000


def test_an_expression_that_doubles_is_written_once_per_level() -> None:
    rel: Rel = SCAN
    for _ in range(60):
        rel = Project(input=rel, exprs=(Call("*", (Col(0), Col(0))), Call("+", (Col(0), Col(1)))))
    assert len(to_spark(named(rel))) < 60_000
    assert len(to_duckdb(named(rel))) < 60_000


def test_deep_expressions_need_no_recursion() -> None:
    scalar = Col(0)
    deep_one = scalar
    for _ in range(1500):
        deep_one = Call("+", (deep_one, Col(1)))  # type: ignore[assignment]
    sql = rel_to_spark(Project(input=SCAN, exprs=(deep_one,)), ["x"])
    assert "(" not in sql


def test_output_names_are_quoted_where_they_must_be() -> None:
    query = parse_query("query `a b`, `select`\n  scan `my table` (`x``y` INT, plain INT)\n")
    assert to_spark(query) == "SELECT t0.`x``y` AS `a b`, t0.plain AS `select`\nFROM `my table` AS t0"
    assert to_duckdb(query) == 'SELECT t0."x`y" AS "a b", t0.plain AS "select"\nFROM "my table" AS t0'


def test_an_opaque_plan_is_its_own_text() -> None:
    text = "query k\n  opaque why reads (t) gives (k INT) runs 'SELECT k\\nFROM t -- comment'\n"
    assert to_spark(parse_query(text)) == "SELECT k\nFROM t -- comment"
    with pytest.raises(UserError, match="not understood"):
        to_duckdb(parse_query(text))


def test_strings_of_spark_are_on_one_line_and_hold_no_variables() -> None:
    assert quote_string("a'b\\c\n\0" + "12${x}") == r"'a\'b\\c\n\u000012\u0024{x}'"


@pytest.mark.parametrize(
    "text",
    ["soundex('a')", "rlike('a', 'b')", "like('a', 'a\\\\b')", "initcap('a')", "CAST(1.5D AS STRING)", "log10(1D)"],
)
def test_what_is_not_on_the_list_is_refused_by_name(text: str) -> None:
    with pytest.raises(UserError, match="the local engine does not run") as refused:
        to_duckdb(named(Project(input=SCAN, exprs=(parse_scalar(text),))))
    assert refused.value.code == "not-local"

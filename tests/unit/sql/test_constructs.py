"""What becomes of the constructs of Spark SQL: none is called a syntax error that Spark takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tidewheel.ddl import parse_schema
from tidewheel.errors import UserError
from tidewheel.ir.rel import Opaque
from tidewheel.sql.bind import CatalogRelation, bind
from tidewheel.sql.query import check_outputs, is_query, parse_tokens, references
from tidewheel.sql.statements import ViewStatement, split_statements
from tidewheel.sql.text import find_moving, refuse_random

TABLES = {
    "t": "a INT, b INT, s STRING, ts TIMESTAMP, d DATE, xs ARRAY<INT>, m MAP<STRING, INT>",
    "u": "a INT, c INT",
}
CATALOG = {name: CatalogRelation.of(name, parse_schema(schema)) for name, schema in TABLES.items()}


def constructs() -> Iterator[tuple[str, str]]:
    outcome = ""
    for line in Path(__file__).with_name("constructs.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            outcome = line.removeprefix("## ")
        elif line and not line.startswith("# "):
            yield outcome, line


def outcome_of(sql: str) -> str:
    """As the definition of a view is looked at, and then bound."""
    try:
        [statement] = split_statements(sql, "v.sql")
        assert isinstance(statement, ViewStatement)
        [tree] = parse_tokens(statement.tokens, sql, "v.sql")
        assert is_query(tree)
        check_outputs(tree, sql, "v.sql")
        references(tree, sql, "v.sql")
        if find_moving(statement.tokens):
            refuse_random(sql, statement.tokens, "v.sql", "v")
        rel = bind(sql, CATALOG).rel
    except UserError as error:
        return f"refused {error.code}"
    return f"recomputed {rel.reason}" if isinstance(rel, Opaque) else "bound"


@pytest.mark.parametrize(("outcome", "sql"), list(constructs()))
def test_construct(outcome: str, sql: str) -> None:
    assert outcome_of(sql) == outcome


def test_most_are_bound_and_none_is_a_syntax_error() -> None:
    outcomes = [outcome for outcome, _ in constructs()]
    assert len(outcomes) > 150
    assert outcomes.count("bound") > len(outcomes) / 2

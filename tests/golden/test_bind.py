"""What the binder makes of SQL: the plan of each construct, and the text of a query whose orders were completed.

TIDEWHEEL_REWRITE=1 writes the plans of today into the files: read the difference before you keep it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tests.golden import plans
from tests.golden.plans import Golden
from tidewheel.ddl import parse_schema
from tidewheel.errors import TidewheelError
from tidewheel.ir.text import print_query
from tidewheel.sql.bind import Catalog, CatalogRelation, SqlText, bind_view

HERE = Path(__file__).parent
PLANS = [case for file in sorted(HERE.glob("bind/*.test")) for case in plans.read(file)]
ERRORS = [case for file in sorted(HERE.glob("errors/*.test")) for case in plans.read(file)]
COMPLETED: Final = "completed text\n"


def relation(name: str, schema: str, *keys: tuple[str, ...]) -> CatalogRelation:
    return replace(CatalogRelation.of(name, parse_schema(schema)), keys=keys)


CATALOG: Final[Catalog] = {
    r.name: r
    for r in (
        relation("t", "a INT, b INT, s STRING"),
        relation("u", "a INT, c INT"),
        relation("e", "id BIGINT NOT NULL, a INT, n STRING", ("id",)),
        relation("v", "a INT, d DECIMAL(10,2), day DATE, at TIMESTAMP"),
        relation(
            "nest",
            "id INT, arr ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x: INT, y: STRING>,"
            " items ARRAY<STRUCT<p: INT, q: STRING>>",
        ),
    )
}


def outcome(sql: str) -> str:
    """The plan of a query, and its text if that was completed."""
    bound = bind_view(SqlText(sql=sql), CATALOG)
    completed = "" if bound.sql == sql else f"{COMPLETED}{bound.sql}\n"
    return f"{print_query(bound.query)}{completed}"


def check(case: Golden, text: str) -> None:
    if plans.is_rewriting():
        plans.rewrite(case, text)
    else:
        assert text == case.after, case.title


@pytest.mark.parametrize("case", PLANS, ids=lambda case: case.id)
def test_query_has_the_plan_of_its_golden(case: Golden) -> None:
    check(case, outcome(case.before.rstrip("\n")))


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.id)
def test_query_is_refused_with_the_text_of_its_golden(case: Golden) -> None:
    with pytest.raises(TidewheelError) as error:
        outcome(case.before.rstrip("\n"))
    check(case, f"{error.value}\n")

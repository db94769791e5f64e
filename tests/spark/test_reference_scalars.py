"""The reference and Spark agree on every function and cast, value by value, over nasty values."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.spark.reference import Case, differences, run_reference
from tests.spark.reference_cases import casts, collections, constants, dates, numbers, strings
from tidewheel.ir.refusals import cannot_cast
from tidewheel.tvr.errors import Unsupported
from tidewheel.tvr.evaluate import Table
from tidewheel.types import parse_type

pytestmark = pytest.mark.spark

FAMILIES = {m.__name__.rpartition(".")[2]: m for m in (numbers, constants, strings, dates, collections)}
NOTHING_TO_CAST = ("the reference cannot evaluate CAST from",)


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    fresh = spark.newSession()
    fresh.conf.set("spark.sql.session.timeZone", "UTC")
    fresh.conf.set("spark.sql.ansi.enabled", "true")
    return fresh


@pytest.mark.parametrize("family", FAMILIES)
def test_functions_agree(session: Any, family: str) -> None:
    module: ModuleType = FAMILIES[family]
    found = differences(session, module.TABLE, module.CASES)
    assert not found, "\n".join(found)


def _castable(table: Table, cases: list[Case]) -> list[Case]:
    """Those that the reference has a rule for: Spark's analyzer refuses the others."""
    found: list[Case] = []
    for case in cases:
        try:
            run_reference(table, case)
        except Unsupported as missing:
            if not str(missing).startswith(NOTHING_TO_CAST):
                raise
        else:
            found.append(case)
    return found


def _every_cast(lenient: str) -> list[Case]:
    return [
        f"{lenient}(c{i} AS {kind})"
        for i, column in enumerate(casts.VALUES.columns)
        for kind in casts.KINDS
        if not cannot_cast(column.type, parse_type(kind))
    ]


def test_lenient_casts_agree(session: Any) -> None:
    """Without the row of extreme numbers where the target is a timestamp: those are beyond Python's calendar."""
    far = [c for c in _every_cast("TRY_CAST") if str(c).endswith("AS TIMESTAMP)")]
    near = [c for c in _every_cast("TRY_CAST") if c not in far]
    tame = Table(casts.VALUES.columns, casts.VALUES.rows[:4] + casts.VALUES.rows[5:])
    found = differences(session, casts.VALUES, _castable(casts.VALUES, near))
    found += differences(session, tame, _castable(tame, far))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("row", [0, 1])
def test_strict_casts_agree_and_raise_alike(session: Any, row: int) -> None:
    table = Table(casts.VALUES.columns, (casts.VALUES.rows[row],))
    found = differences(session, table, _castable(table, _every_cast("CAST")), at_once=60)
    assert not found, "\n".join(found)


def test_casts_of_text_agree(session: Any) -> None:
    found = differences(session, casts.TEXTS, [f"TRY_CAST(c0 AS {kind})" for kind in casts.KINDS])
    assert not found, "\n".join(found)


def test_casts_of_nested_values_agree(session: Any) -> None:
    found = differences(session, casts.NESTED, casts.NESTED_CASES)
    assert not found, "\n".join(found)


def test_at_least_150_functions_are_compared() -> None:
    from tests.spark.reference import ours_of  # noqa: PLC0415
    from tidewheel.ir.reader import parse_scalar  # noqa: PLC0415
    from tidewheel.ir.scalar import Call, walk  # noqa: PLC0415

    cases = [c for m in FAMILIES.values() for c in m.CASES]
    names = {s.name for c in cases for s in walk(parse_scalar(ours_of(c))) if isinstance(s, Call)}
    assert len(names) >= 150, sorted(names)

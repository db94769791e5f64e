"""The reference and Spark agree on every function and cast, value by value, over nasty values."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeAlias

import pytest

from tests.spark.proven import UnlessProven
from tests.spark.reference import Case, Sheet, differences, run_reference, sheet
from tests.spark.reference_cases import casts, collections, constants, dates, numbers, strings
from tidewheel.ddl import parse_type
from tidewheel.ir.refusals import cannot_cast
from tidewheel.tvr.reference.errors import Unsupported
from tidewheel.tvr.reference.evaluate import Table

pytestmark = pytest.mark.spark

FAMILIES = {m.__name__.rpartition(".")[2]: m for m in (numbers, constants, strings, dates, collections)}
Check: TypeAlias = Callable[..., None]
NOTHING_TO_CAST = ("the reference cannot evaluate CAST from",)


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    fresh = spark.newSession()
    fresh.conf.set("spark.sql.session.timeZone", "UTC")
    fresh.conf.set("spark.sql.ansi.enabled", "true")
    return fresh


@pytest.fixture
def check(session: Any, unless_proven: UnlessProven) -> Check:
    """Spark agrees with these sheets, or did before."""

    def compare(*sheets: Sheet, at_once: int = 40) -> None:
        unless_proven(sheets)
        found = [line for given in sheets for line in differences(session, given, at_once=at_once)]
        assert not found, "\n".join(found)

    return compare


@pytest.mark.parametrize("family", FAMILIES)
def test_functions_agree(check: Check, family: str) -> None:
    module: ModuleType = FAMILIES[family]
    check(sheet(module.TABLE, module.CASES))


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


def test_lenient_casts_agree(check: Check) -> None:
    """Without the row of extreme numbers where the target is a timestamp: those are beyond Python's calendar."""
    far = [c for c in _every_cast("TRY_CAST") if str(c).endswith("AS TIMESTAMP)")]
    near = [c for c in _every_cast("TRY_CAST") if c not in far]
    tame = Table(casts.VALUES.columns, casts.VALUES.rows[:4] + casts.VALUES.rows[5:])
    check(sheet(casts.VALUES, _castable(casts.VALUES, near)), sheet(tame, _castable(tame, far)))


@pytest.mark.parametrize("row", [0, 1])
def test_strict_casts_agree_and_raise_alike(check: Check, row: int) -> None:
    table = Table(casts.VALUES.columns, (casts.VALUES.rows[row],))
    check(sheet(table, _castable(table, _every_cast("CAST"))), at_once=60)


def test_casts_of_text_agree(check: Check) -> None:
    check(sheet(casts.TEXTS, [f"TRY_CAST(c0 AS {kind})" for kind in casts.KINDS]))


def test_casts_of_nested_values_agree(check: Check) -> None:
    check(sheet(casts.NESTED, casts.NESTED_CASES))


def test_at_least_150_functions_are_compared() -> None:
    from tests.spark.reference import ours_of  # noqa: PLC0415
    from tidewheel.ir.reader import parse_scalar  # noqa: PLC0415
    from tidewheel.ir.scalar import Call, walk  # noqa: PLC0415

    cases = [c for m in FAMILIES.values() for c in m.CASES]
    names = {s.name for c in cases for s in walk(parse_scalar(ours_of(c))) if isinstance(s, Call)}
    assert len(names) >= 150, sorted(names)

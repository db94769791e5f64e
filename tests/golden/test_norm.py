"""Each normalization rule where it fires and where it must not; what it makes is also evaluated.

TIDEWHEEL_REWRITE=1 writes what the rules do now into the files: read the difference before you keep it.
"""

from __future__ import annotations

import datetime as dt
import inspect
from pathlib import Path

import pytest

from tests.golden import plans
from tests.golden.plans import Golden
from tests.golden.small_tables import tables_for
from tidewheel.ir.norm import RULES, normalize
from tidewheel.ir.rel import Rel
from tidewheel.ir.text import parse_rel, print_rel
from tidewheel.ir.typing import types_of
from tidewheel.tvr.reference.errors import EvaluationError
from tidewheel.tvr.reference.evaluate import Table, evaluate
from tidewheel.tvr.reference.zset import ZSet

FILES = sorted(Path(__file__).parent.glob("norm/*.test"))
CASES = [case for file in FILES for case in plans.read(file)]
NOW = dt.datetime(2020, 5, 17, 10, 30, tzinfo=dt.UTC)
SEEDS = range(12)


def with_one_rule(rel: Rel, rule: str) -> Rel:
    return normalize(rel, disabled=frozenset(RULES) - {rule})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_rule_does_what_its_golden_says(case: Golden) -> None:
    before = parse_rel(case.before)
    after = with_one_rule(before, case.file.stem)
    if not case.fires:
        assert after == before, f"{case.title}\n{print_rel(after)}"
        return
    assert after != before, f"{case.title}: it does not fire"
    text = print_rel(after)
    if plans.is_rewriting():
        plans.rewrite(case, text)
    else:
        assert text == case.after, case.title


@pytest.mark.parametrize("case", [c for c in CASES if "run-nothing" not in c.options], ids=lambda case: case.id)
def test_rules_keep_rows_and_types(case: Golden) -> None:
    before = parse_rel(case.before)
    for after in (with_one_rule(before, case.file.stem), normalize(before)):
        assert types_of(after) == types_of(before)
        for seed in SEEDS:
            tables = tables_for([before], seed)
            expected = outcome(before, tables)
            if expected is not None:
                assert outcome(after, tables) == expected, f"seed {seed}\n{print_rel(after)}"


def outcome(rel: Rel, tables: dict[str, Table]) -> ZSet | None:
    """The rows of a plan; none if it raises."""
    try:
        return evaluate(rel, tables, now=NOW)
    except EvaluationError:
        return None


@pytest.mark.parametrize("rule", RULES)
def test_rule_has_a_case_where_it_fires_and_one_where_it_does_not(rule: str) -> None:
    assert {case.fires for case in CASES if case.file.stem == rule} == {True, False}


def test_every_golden_file_belongs_to_a_rule() -> None:
    assert {file.stem for file in FILES} == set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_rule_is_called_by_one_name_and_states_its_equation(rule: str) -> None:
    apply = RULES[rule].apply
    assert apply.__module__ == f"tidewheel.ir.norm.{rule}"
    assert " = " in (inspect.getdoc(apply) or "").splitlines()[0]
    assert inspect.isgeneratorfunction(apply)

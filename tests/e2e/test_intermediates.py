"""Results that several statements of a view read, made once in the driver: views equal their queries all the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeProject
from tests.corpus.large import large_queries
from tests.fuzz.ctes import large_query
from tests.streams.rounds import Rounds
from tests.streams.saas import SaasStream
from tidewheel.engine.local.engine import LocalRun
from tidewheel.errors import ExecutionError
from tidewheel.optimize import valuation
from tidewheel.plan import search
from tidewheel.program import Program

VIEWS = {"fan": large_query("fan", 10, 1), "churn": large_queries()["churn_risk"]}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all that is made, and of what is dropped with a minus; whatever can be made is."""
    names: list[str] = []
    make, drop = LocalRun.make, LocalRun.drop

    def making(self: LocalRun, view: Any, name: str, *arguments: Any, **named: Any) -> int:
        names.append(name)
        return make(self, view, name, *arguments, **named)

    def dropping(self: LocalRun, name: str) -> None:
        names.append(f"-{name}")
        drop(self, name)

    def last(pricing: Any, reading: Any, *programs: Program) -> tuple[Program, None]:
        del pricing, reading
        return programs[-1], None

    monkeypatch.setattr(LocalRun, "make", making)
    monkeypatch.setattr(LocalRun, "drop", dropping)
    monkeypatch.setattr(valuation, "QUICK", 0.0)
    monkeypatch.setattr(search, "_cheaper", last)
    return names


def all_dropped(names: list[str]) -> bool:
    return {n[1:] for n in names if n.startswith("-")} == {n for n in names if not n.startswith("-")}


def test_views_equal_their_queries_over_what_was_made(make_project: MakeProject, made: list[str]) -> None:
    project = make_project(SaasStream.sources, VIEWS)
    rounds = Rounds(project, SaasStream(1, share=1.0), VIEWS)
    rounds.step()
    rounds.check_methods()
    assert made
    assert all_dropped(made)
    assert not list(Path(project.warehouse().scratch).glob("made-*/*"))


def test_what_was_made_is_dropped_when_a_statement_fails(
    make_project: MakeProject, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(SaasStream.sources, VIEWS)
    rounds = Rounds(project, SaasStream(1, share=1.0), VIEWS)
    run = LocalRun.run

    def failing(self: LocalRun, view: Any, outputs: Any) -> Any:
        if made and all("/c" in output.folder for output in outputs):
            raise ExecutionError("no luck", code="query-failed")
        return run(self, view, outputs)

    monkeypatch.setattr(LocalRun, "run", failing)
    rounds.step()  # in full, which is right, too
    assert made
    assert all_dropped(made)

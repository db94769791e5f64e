"""An error at every step of I/O (a broken disk, a full one): it is told, nothing half-done shows, again works."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.forks import ForkServer
from tests.faults.scenarios import SCENARIOS, Bench

CODES = {"full": "disk-full", "raise": "io-error"}
AFTER_THE_FACT = (
    "ingest.commit:after",  # the link is there: the rows are in, and an error would make the caller do it twice
    "epoch.decide:after",
    "ingest.done",
    "ingest.compact",
    "checkpoint.write",
    "cache.plan",
    "cache.learnt",
    "project.note",
)
"""Where an error changes nothing for the caller: what was asked for is done, and what is left costs space or speed."""


@pytest.fixture(scope="module")
def bench(server: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(server, str(tmp_path_factory.mktemp("errors")))


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_error_anywhere_is_told_and_leaves_nothing_half_done(bench: Bench, name: str) -> None:
    scenario = SCENARIOS[name]
    cases = {point: bench.copy(name) for point in dict.fromkeys(bench.points(name))}
    found = bench.server.run(
        "checks.fail_and_check_all",
        cases=cases,
        operation=scenario.operation,
        expected=scenario.expected(),
        actions=list(CODES),
    )
    broken = {point: what for point in cases if (what := _problems(name, point, found[point]))}
    assert not broken, "\n\n".join(f"{point}, {cases[point]}: {what}" for point, what in broken.items())
    bench.forget(name)


def _problems(name: str, point: str, found: dict[str, Any]) -> list[str]:
    wrong = [f"{o} is not how it should end" for o in found["outcomes"] if not _is_right(name, point, o)]
    return wrong + ([found["trace"]] if "trace" in found else [])


def _is_right(name: str, point: str, outcome: dict[str, Any]) -> bool:
    """A StoreError with the right code; or a view that failed; or, after the fact, what happens without the error."""
    if not outcome["fired"]:  # the first error came after the fact: the second time there is nothing left to do
        return outcome["action"] != "full" and outcome["error"] in {None, "unknown-relation"}
    if outcome["error"] == CODES[outcome["action"]]:
        return bool(outcome["type"] == "StoreError")
    if outcome["error"] is None and outcome["failed"]:
        return point.startswith("stage.data")
    is_harmless = point.startswith(AFTER_THE_FACT) or (point.startswith("discard") and "delete" in name)
    return is_harmless and outcome["error"] == SCENARIOS[name].ends_with

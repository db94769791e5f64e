"""Kill the process at every step of I/O; the next process finds nothing half-done and nothing twice."""

from __future__ import annotations

import pytest

from tests.faults.forks import ForkServer
from tests.faults.scenarios import SCENARIOS, Bench
from tidewheel.failpoints import STEPS


@pytest.fixture(scope="module")
def bench(server: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(server, str(tmp_path_factory.mktemp("kills")))


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_kill_anywhere_loses_nothing_and_doubles_nothing(bench: Bench, name: str) -> None:
    scenario = SCENARIOS[name]
    cases = {}
    for failpoint in bench.cases(name, "kill"):
        root = bench.copy(name)
        victim = bench.server.start("jobs.attempt", root=root, operation=scenario.operation, failpoint=failpoint)
        ended = victim.ended()
        assert ended.was_killed, f"{failpoint}: {victim.describe(ended)}"
        cases[failpoint] = root
    broken = bench.server.run(
        "checks.check_all", cases=cases, operation=scenario.operation, expected=scenario.expected()
    )
    assert not broken, "\n\n".join(f"{failpoint}, {cases[failpoint]}:\n{what}" for failpoint, what in broken.items())
    bench.forget(name)


def test_the_scenarios_pass_every_failpoint_before_and_after(bench: Bench) -> None:
    passed = {point for name in SCENARIOS for point in bench.points(name)}
    assert {f"{step}:{moment}" for step in STEPS for moment in ("before", "after")} == passed

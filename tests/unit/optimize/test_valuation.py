"""What alternatives cost, and that the cheapest are chosen: sizes in, choice out, no engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import pytest

from tests.corpus.cases import tpch_queries
from tests.corpus.tpch_data import tpch_tables
from tests.unit.ir.test_dependencies import V, plan
from tidewheel.delta.change import Kind
from tidewheel.delta.pruning import ColumnBounds
from tidewheel.ir.forms import CHANGE
from tidewheel.ir.norm import empty, normalize
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.text import parse_rel
from tidewheel.ir.tree import relations
from tidewheel.ir.typing import types_of
from tidewheel.optimize.alternatives import Goal
from tidewheel.optimize.cost import DEFAULTS, Place
from tidewheel.optimize.exploration import Exploration
from tidewheel.optimize.extraction import expanded
from tidewheel.optimize.facts import ColumnFacts, Facts
from tidewheel.optimize.maintenance import changes, explored, upkeep_of
from tidewheel.optimize.trace import trace_of
from tidewheel.optimize.valuation import Appraisal, Decision, Venue, appraise, decide
from tidewheel.sql.bind import CatalogRelation, SqlText, bind_view

W = "scan w (p INT, q INT)"
DRIVER = Venue(place="driver", prices=DEFAULTS["driver"])
LEFT_JOIN = ("join left on c0 = c0", f".{V}", f".{W}")


@dataclass
class Sizes:
    """Relations of so many rows, by name; changes of ten unless it is said otherwise. What is bounded is remembered."""

    rows: Mapping[str, float]
    bounded: dict[str, ColumnBounds] = field(default_factory=dict)

    def show(self, scan: Scan, bounds: ColumnBounds) -> Rel:
        self.bounded[scan.label] = bounds
        none = empty(types_of(scan)) if not self._rows(scan) else None
        return none or scan

    def facts(self, scan: Scan) -> Facts:
        rows = self._rows(scan)
        return Facts(rows=rows, columns=(ColumnFacts(distinct=max(rows, 1.0)),) * scan.width)

    def size(self, scan: Scan) -> float:
        return 8.0 * scan.width * self._rows(scan)

    def _rows(self, scan: Scan) -> float:
        return self.rows.get(scan.label, 10.0 if scan.form == CHANGE else self.rows.get(scan.relation, 1000.0))


def decided(rel: Rel, sizes: Sizes, venue: Venue = DRIVER, **changed: Kind) -> tuple[Exploration, Rel, Decision]:
    memo = Exploration(changed or {"v": "mixed", "w": "mixed"}, {})
    change = memo.delta(rel)
    assert change is not None
    memo.explore()
    return memo, change.rel, decide([change.rel], memo, sizes, venue)


def rule_of(memo: Exploration, rel: Rel, decision: Decision) -> str:
    return next(decision(goal).rule for goal in memo.goals.values() if goal.rel == rel and goal.form == CHANGE)


def test_a_plan_without_a_choice_is_not_priced() -> None:
    sizes = Sizes({})
    _, _, decision = decided(parse_rel(plan("filter (c0 > 1)", f".{V}")), sizes)
    assert decision == Decision()
    assert not sizes.bounded


@pytest.mark.parametrize("place", ["driver", "cluster"])
def test_the_choice_is_the_cheapest_of_the_seconds_that_it_says(place: Place) -> None:
    rel = parse_rel(plan(*LEFT_JOIN))
    venue = Venue(place=place, prices=DEFAULTS[place])
    memo, _, decision = decided(rel, Sizes({"v": 1e6, "w": 1e6}), venue)
    ways = decision.seconds[next(g.reference.digest for g in memo.goals.values() if g.rel == rel and g.form == CHANGE)]
    assert set(ways) == {"join-parts", "join-keys"}
    assert rule_of(memo, rel, decision) == min(ways, key=ways.__getitem__)


def test_a_change_that_is_referred_to_bounds_what_is_joined_with_it() -> None:
    """The change of the filter over v is a goal of its own; that its values come from v's is known all the same."""
    groups = (".aggregate by c0 compute max(c1)", f"..{W}")
    rel = parse_rel(plan("join left on c0 = c0", ".filter (c1 > 1)", f"..{V}", *groups))
    sizes = Sizes({"v": 1e6, "w": 1e6})
    decided(rel, sizes, v="mixed")
    ((column, origins),) = sizes.bounded["w"].of
    assert (column, origins) == (0, frozenset({("v", "a")}))


def test_what_has_no_rows_costs_nothing_to_those_that_refer_to_it() -> None:
    rel = parse_rel(plan("filter (c1 > 1)", *(f".{line}" for line in LEFT_JOIN)))
    none = Sizes({"v from before to now": 0.0, "w from before to now": 0.0})
    nothing, something = (
        min(next(iter(decided(rel, sizes)[2].seconds.values())).values()) for sizes in (none, Sizes({}))
    )
    assert nothing < something / 4


def test_a_choice_is_the_same_whenever_it_is_made() -> None:
    rel = parse_rel(plan("aggregate by c0 compute max(c1)", *(f".{line}" for line in LEFT_JOIN)))
    first, second = (decided(rel, Sizes({"v": 1e5, "w": 1e4}))[2] for _ in range(2))
    assert first == second


def forced(appraisal: Appraisal, chosen: Callable[[Goal], int]) -> float:
    """What a plan costs in which each goal is computed by a given alternative."""
    goals = list(appraisal.problem.goals)
    for number, goal in enumerate(appraisal.order):
        goals[number] = replace(goals[number], alternatives=(goals[number].alternatives[chosen(goal)],))
    return replace(appraisal, problem=replace(appraisal.problem, goals=tuple(goals))).search().total


@pytest.mark.parametrize("name", [case.name for case in tpch_queries()])
def test_no_choice_that_differs_in_one_goal_is_cheaper(name: str) -> None:
    """Nor is the first of the rules everywhere, which is what a planner without prices takes."""
    tables = {t.name.lower(): CatalogRelation.of(t.name, t.schema) for t in tpch_tables()}
    case = next(c for c in tpch_queries() if c.name == name)
    query = normalize(bind_view(SqlText(sql=case.sql), tables).query)
    sizes = Sizes({"lineitem": 6e6, "orders": 1.5e6, "partsupp": 8e5, "customer": 1.5e5, "part": 2e5})
    mixed: dict[str, Kind] = {n.lower(): "mixed" for n in relations(query.rel)}
    statements, memo = explored(upkeep_of(query.rel, query.names), mixed)
    appraisal = appraise([s.rel for s in statements], memo, sizes, DRIVER)
    best, decision = appraisal.search().total, decide([s.rel for s in statements], memo, sizes, DRIVER)
    assert decision.stopped is None
    assert best <= forced(appraisal, lambda _: 0) * (1 + 1e-9)
    for other in appraisal.order:
        for index in range(len(other.alternatives)):
            chosen = [index if goal is other else goal.alternatives.index(decision(goal)) for goal in appraisal.order]
            numbers = dict(zip((goal.reference.digest for goal in appraisal.order), chosen, strict=True))
            assert best <= forced(appraisal, lambda goal: numbers[goal.reference.digest]) * (1 + 1e-9)  # noqa: B023


def test_what_was_chosen_is_what_runs_and_what_is_told() -> None:
    rel = parse_rel(plan("aggregate by c0 compute max(c1)", *(f".{line}" for line in LEFT_JOIN)))
    mixed: dict[str, Kind] = {"v": "mixed", "w": "mixed"}
    sizes = Sizes({"v": 1e6, "w": 1e6})
    made, looked = changes(
        upkeep_of(rel, ("a", "m")), mixed, decide=lambda some, memo: decide([s.rel for s in some], memo, sizes, DRIVER)
    )
    again = [expanded(s.rel, looked.memo, looked.choose) for s in looked.statements]
    assert [statement.rel for statement in made] == again
    trace = trace_of(looked)
    assert trace.goals == len(looked.memo.goals) > len(trace.groups)
    assert {group.rule for group in trace.groups} >= {looked.choose(goal).rule for goal in looked.reached()}
    assert any(group.ways for group in trace.groups)

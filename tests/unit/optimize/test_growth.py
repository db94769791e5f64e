"""What planning makes grows with the operators of a view, and no faster: counted, because a clock would lie.

Goals and alternatives of the memo, and operators of the statements that are chosen, over queries of 10 to 100 CTEs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.corpus.large import CATALOG
from tests.fuzz.ctes import FAMILIES, large_query
from tests.unit.optimize.test_valuation import DRIVER, Sizes
from tidewheel.delta.change import Kind
from tidewheel.ir.norm import normalize
from tidewheel.ir.tree import nodes, relations
from tidewheel.optimize.alternatives import Choose
from tidewheel.optimize.exploration import Exploration, ExplorationOptions
from tidewheel.optimize.maintenance import Statement, changes, upkeep_of
from tidewheel.optimize.valuation import decide
from tidewheel.sql.bind import bind

SIZES = (10, 100)
MOST_GOALS, MOST_ALTERNATIVES, MOST_PLANNED = 18, 32, 36
"""For each operator of a query, at any size."""
MOST_FORMS = 99
MOST_IN_STATEMENT = 800
"""Operators of one statement, however large its query."""


@dataclass(frozen=True, slots=True)
class Planned:
    """How many operators a query has, and how much was made of it."""

    operators: int
    goals: int
    alternatives: int
    planned: int
    most_forms: int
    largest: int


def planned(family: str, size: int) -> Planned:
    bound = bind(large_query(family, size, 1), CATALOG)
    query = normalize(bound)

    def cheapest(statements: Sequence[Statement], memo: Exploration) -> Choose:
        return decide([statement.rel for statement in statements], memo, Sizes({}), DRIVER)

    mixed: dict[str, Kind] = {name.lower(): "mixed" for name in relations(query.rel)}
    made, looked = changes(upkeep_of(query.rel, query.names), mixed, named=True, decide=cheapest)
    goals = looked.memo.goals.values()
    statements = [sum(1 for _ in nodes(statement.rel)) for statement in made]
    return Planned(
        operators=sum(1 for _ in nodes(bound.rel)),
        goals=len(goals),
        alternatives=sum(len(goal.alternatives) for goal in goals),
        planned=sum(statements),
        most_forms=max(Counter(goal.rel.digest for goal in goals).values()),
        largest=max(statements),
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_made_for_an_operator_is_bounded(family: str, size: int) -> None:
    found = planned(family, size)
    assert found.goals <= MOST_GOALS * found.operators
    assert found.alternatives <= MOST_ALTERNATIVES * found.operators
    assert found.planned <= MOST_PLANNED * found.operators
    assert found.most_forms <= MOST_FORMS == ExplorationOptions().most_forms
    assert found.largest <= MOST_IN_STATEMENT

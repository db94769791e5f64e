"""The ways of all views of a run together, against every combination there is."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from tidewheel.optimize.graph_choice import GraphChoice, OpenPart, OpenView, choose_ways
from tidewheel.optimize.options import PlannerOptions
from tidewheel.optimize.priced import WayName

EXACT = PlannerOptions(full_margin=1.0, least_gain=0.0)
WAYS: tuple[WayName, ...] = ("changes", "difference", "full")


def view(name: str, changes: float, full: float, difference: float | None = None, reads: str = "") -> OpenView:
    seconds: dict[WayName, float] = {"changes": changes, "full": full}
    if difference is not None:
        seconds["difference"] = difference
    return OpenView(name=name, seconds=seconds, reads=tuple(reads))


def test_a_view_is_recomputed_where_that_is_clearly_cheaper() -> None:
    options = PlannerOptions(full_margin=0.9, least_gain=0.3)
    assert choose_ways([view("a", 2.0, 1.0)], [], options).ways == {"a": "full"}
    assert choose_ways([view("a", 1.0, 0.95)], [], options).ways == {"a": "changes"}, "hardly cheaper"
    assert choose_ways([view("a", 0.2, 0.01)], [], options).ways == {"a": "changes"}, "too little to mind"


def test_the_difference_is_taken_for_those_that_read_it() -> None:
    views = [view("a", 30.0, 1.0, 2.0), view("b", 1.0, 50.0, reads="a")]
    assert choose_ways(views, [], EXACT).ways == {"a": "difference", "b": "changes"}
    cheap = [view("a", 30.0, 1.0, 2.0), view("b", 1.0, 1.5, reads="a")]
    assert choose_ways(cheap, [], EXACT).ways == {"a": "full", "b": "full"}


def test_without_a_difference_views_are_recomputed_together_or_not_at_all() -> None:
    views = [view("a", 5.0, 1.0), view("b", 1.0, 3.0, reads="a")]
    assert choose_ways(views, [], EXACT).ways == {"a": "full", "b": "full"}
    dearer = [view("a", 5.0, 1.0), view("b", 1.0, 6.0, reads="a")]
    assert choose_ways(dearer, [], EXACT).ways == {"a": "changes", "b": "changes"}


def test_a_view_that_must_go_from_changes_has_what_it_needs() -> None:
    fixed = OpenView(name="b", seconds={"changes": 1.0}, reads=("a",))
    assert choose_ways([view("a", 9.0, 1.0, 2.0), fixed], [], EXACT).ways == {"a": "difference", "b": "changes"}
    assert choose_ways([view("a", 9.0, 1.0), fixed], [], EXACT).ways == {"a": "changes", "b": "changes"}


def test_little_is_saved_in_many_views_that_depend_on_each_other() -> None:
    """Each alone is not worth it; together they are."""
    names = "abcdefgh"
    views = [view(n, 0.2, 0.1, reads=names[i - 1 : i] if i else "") for i, n in enumerate(names)]
    options = PlannerOptions(full_margin=0.9, least_gain=0.3)
    assert set(choose_ways(views, [], options).ways.values()) == {"full"}
    assert set(choose_ways(views[:2], [], options).ways.values()) == {"changes"}


def test_a_part_is_read_once_if_enough_views_go_from_changes() -> None:
    part = OpenPart(name="p", making=1.0, saves={"a": 0.8, "b": 0.8})
    both = choose_ways([view("a", 2.0, 3.0), view("b", 2.0, 3.0)], [part], EXACT)
    assert both == GraphChoice({"a": "changes", "b": "changes"}, frozenset({"p"}))
    one = choose_ways([view("a", 2.0, 0.5), view("b", 2.0, 3.0)], [part], EXACT)
    assert one == GraphChoice({"a": "full", "b": "changes"}, frozenset())


def test_what_is_saved_together_keeps_views_from_being_recomputed() -> None:
    part = OpenPart(name="p", making=0.1, saves={"a": 1.5, "b": 1.5})
    views = [view("a", 2.0, 1.0), view("b", 2.0, 1.0)]
    assert choose_ways(views, [], EXACT).ways == {"a": "full", "b": "full"}
    assert choose_ways(views, [part], EXACT).ways == {"a": "changes", "b": "changes"}


@pytest.mark.parametrize("seed", range(300))
def test_no_combination_takes_less(seed: int) -> None:
    rng = random.Random(seed)
    views = [made_up(rng, number) for number in range(rng.randint(1, 5))]
    parts = [made_up_part(rng, number, views) for number in range(rng.randint(0, 3))]
    found = choose_ways(views, parts, EXACT)
    assert is_possible(found.ways, views)
    assert found.seconds(views, parts) == pytest.approx(least(views, parts))


def made_up(rng: random.Random, number: int) -> OpenView:
    reads = "".join(rng.sample("abcde"[:number], min(number, rng.choice([0, 1, 1, 2]))))
    full = rng.uniform(0.1, 5)
    found = view("abcde"[number], rng.uniform(0.1, 6), full, full + rng.uniform(0.1, 3), reads)
    if rng.random() < 0.2:
        return replace(found, seconds={"changes": found.seconds["changes"]})
    return found


def made_up_part(rng: random.Random, number: int, views: Sequence[OpenView]) -> OpenPart:
    saves = {v.name: rng.uniform(-0.2, 1) for v in views if rng.random() < 0.6}
    return OpenPart(name=f"p{number}", making=rng.uniform(0, 2), saves=saves)


def is_possible(ways: Mapping[str, WayName], views: Sequence[OpenView]) -> bool:
    """Has each view that goes from changes the changes of all that it reads."""
    known = all(ways[v.name] != "changes" or all(ways[u] != "full" for u in v.reads) for v in views)
    return known and all(ways[v.name] in v.seconds for v in views)


def least(views: Sequence[OpenView], parts: Sequence[OpenPart]) -> float:
    best = math.inf
    for ways in itertools.product(WAYS, repeat=len(views)):
        chosen = dict(zip((v.name for v in views), ways, strict=True))
        if not is_possible(chosen, views):
            continue
        for many in itertools.product([False, True], repeat=len(parts)):
            made = frozenset(p.name for p, is_made in zip(parts, many, strict=True) if is_made)
            best = min(best, GraphChoice(chosen, made).seconds(views, parts))
    return best

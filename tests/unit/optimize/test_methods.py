"""What `explain` says of the methods that were not taken, and why."""

from __future__ import annotations

import pytest

from tests.unit.ir.test_dependencies import V, plan
from tidewheel.delta.layout import layout_of
from tidewheel.ir.text import parse_rel
from tidewheel.methods import PREFERRED, BuildMethod
from tidewheel.optimize.methods import OtherMethod, other_methods


def ways(*lines: str, chosen: BuildMethod) -> dict[str, OtherMethod]:
    return {way.method: way for way in other_methods(layout_of(parse_rel(plan(*lines))), chosen)}


@pytest.mark.parametrize("chosen", PREFERRED)
def test_every_method_but_the_chosen_one_is_told_with_a_reason(chosen: BuildMethod) -> None:
    found = ways("aggregate by c0 compute max(c1)", f".{V}", chosen=chosen)
    assert [*found, chosen] == [*(m for m in PREFERRED if m != chosen), chosen]
    assert all(way.why for way in found.values())


def test_what_can_always_be_done_is_offered() -> None:
    found = ways("filter (c0 > 1)", f".{V}", chosen="rows")
    assert {method for method, way in found.items() if way.offered} == {"difference", "full"}


def test_groups_are_offered_where_there_are_groups() -> None:
    grouped = ways("aggregate by c0 compute sum(c1)", f".{V}", chosen="merge")
    assert grouped["groups"].offered
    assert "others of its group" in grouped["rows"].why
    total = ways("aggregate compute sum(c1)", f".{V}", chosen="merge")
    assert not total["groups"].offered
    assert total["groups"].why == "all rows are one group"


def test_what_cannot_be_merged_is_named() -> None:
    found = ways("aggregate by c0 compute percentile(c1, 0.5), sum(c1)", f".{V}", chosen="groups")
    assert found["merge"].why == "percentile cannot be merged"
    assert found["merge"].to_dict() == {"method": "merge", "offered": False, "why": "percentile cannot be merged"}

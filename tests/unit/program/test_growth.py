"""Plans that an engine would copy are computed in pieces: none too large, and together what the plan was."""

from __future__ import annotations

import pytest

from tests.unit.ir.test_dependencies import V, plan
from tests.unit.optimize.test_cuts import squares
from tidewheel.ir.rel import Filter, Rel, Scan, Union
from tidewheel.ir.scalar import Lit
from tidewheel.ir.text import parse_rel
from tidewheel.ir.tree import nodes, replaced
from tidewheel.program import Intermediate, pieces
from tidewheel.program.growth import tree_size
from tidewheel.program.program import references


def inlined(rel: Rel, steps: dict[bytes, Intermediate]) -> Rel:
    """A plan with what was made put back in its place."""
    plans: dict[bytes, Rel] = {}
    for step in steps.values():
        plans[step.reference.digest] = replaced(step.rel, plans)
    return replaced(rel, plans)


def chain(length: int) -> Rel:
    rel = parse_rel(plan("distinct", f".{V}"))
    for _ in range(length):
        rel = Filter(input=rel, predicate=Lit("boolean", "true"))
    return rel


def test_the_size_of_a_tree_counts_each_operator_as_often_as_it_is_read() -> None:
    assert [tree_size(squares(depth)) for depth in (0, 1, 2, 10)] == [1, 3, 7, 2047]


@pytest.mark.parametrize("most", [5, 15, 160])
@pytest.mark.parametrize("depth", [3, 9, 60])
def test_no_piece_is_larger_than_the_bound_and_all_together_are_the_plan(depth: int, most: int) -> None:
    rel = squares(depth)
    steps, (over,) = pieces([rel], most)
    assert all(tree_size(each) <= most for each in (over, *(step.rel for step in steps.values())))
    assert inlined(over, steps) == rel


def test_what_is_small_enough_is_left_alone() -> None:
    assert pieces([squares(4)], 31) == ({}, [squares(4)])


def test_what_is_read_once_is_cut_if_it_is_too_large_by_itself() -> None:
    steps, (over,) = pieces([chain(50)], 20)
    assert len(steps) in {2, 3}
    assert all(tree_size(each) <= 20 for each in (over, *(step.rel for step in steps.values())))


def test_a_piece_reads_only_pieces_before_it() -> None:
    steps, _ = pieces([squares(30)], 15)
    made: set[bytes] = set()
    for step in steps.values():
        assert {scan.digest for scan in references(step.rel)} <= made
        made.add(step.reference.digest)


def test_stored_relations_are_never_pieces() -> None:
    steps, _ = pieces([squares(8)], 3)
    of = {node.digest: node for node in nodes(squares(8))}
    assert not any(isinstance(of[digest], Scan) for digest in steps)


def test_plans_that_share_a_part_share_its_piece() -> None:
    first, _ = pieces([squares(8)], 15)
    again, (over,) = pieces([squares(9)], 15, {digest: step.reference for digest, step in first.items()})
    assert not again.keys() & first.keys()
    assert inlined(over, {**first, **again}) == squares(9)


def test_a_plan_that_is_only_wide_is_left_alone() -> None:
    parts = [parse_rel(plan("distinct", f".filter (c0 > {n})", f"..{V}")) for n in range(40)]
    wide = Union(parts=tuple(parts))
    assert pieces([wide], 60) == ({}, [wide])


def test_several_plans_are_cut_together() -> None:
    steps, rels = pieces([squares(9), squares(8)], 15)
    assert [inlined(rel, steps) for rel in rels] == [squares(9), squares(8)]

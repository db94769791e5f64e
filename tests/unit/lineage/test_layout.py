"""The layered drawing: what it promises to whoever looks at it."""

from __future__ import annotations

import itertools
import random

import pytest

from tidewheel.lineage.layout import WIDE, WIDTH, Drawing, draw

Edges = list[tuple[str, str]]


def random_graph(seed: int, size: int) -> tuple[list[str], Edges]:
    """Some sources and views that read one to four of the relations before them."""
    rng = random.Random(seed)
    names = [f"r{i}" for i in range(size)]
    first = max(1, size // 8)
    edges = [
        (above, names[i]) for i in range(first, size) for above in rng.sample(names[:i], min(i, rng.randint(1, 4)))
    ]
    return names, edges


def drawn(seed: int, size: int, height: int = 46) -> tuple[Edges, Drawing]:
    names, edges = random_graph(seed, size)
    rng = random.Random(seed)
    return edges, draw(names, edges, {name: height + 20 * rng.randint(0, 5) for name in names})


@pytest.mark.parametrize("seed", range(5))
def test_a_view_stands_right_of_all_that_it_reads(seed: int) -> None:
    edges, drawing = drawn(seed, 60)
    for above, below in edges:
        assert drawing.boxes[above].x + WIDTH < drawing.boxes[below].x


@pytest.mark.parametrize("seed", range(5))
def test_boxes_do_not_overlap(seed: int) -> None:
    _, drawing = drawn(seed, 60)
    for one, other in itertools.combinations(drawing.boxes.values(), 2):
        apart = one.x != other.x or one.y + one.height < other.y or other.y + other.height < one.y
        assert apart, (one, other)


@pytest.mark.parametrize("seed", range(5))
def test_edges_pass_between_boxes(seed: int) -> None:
    edges, drawing = drawn(seed, 60)
    for edge in edges:
        for x, y in drawing.lanes[edge]:
            in_layer = [box for box in drawing.boxes.values() if box.x == x]
            assert not [box for box in in_layer if box.y <= y <= box.y + box.height]


def test_an_edge_passes_through_every_layer_between_its_ends() -> None:
    names = ["s", "a", "b", "c"]
    edges = [("s", "a"), ("a", "b"), ("b", "c"), ("s", "c")]
    drawing = draw(names, edges, dict.fromkeys(names, 46))
    assert [x for x, _ in drawing.lanes["s", "c"]] == [drawing.boxes["a"].x, drawing.boxes["b"].x]


def test_edges_of_one_relation_share_their_way() -> None:
    names = ["s", "a", "b", "c", "d"]
    edges = [("s", "a"), ("a", "b"), ("b", "c"), ("b", "d"), ("s", "c"), ("s", "d")]
    drawing = draw(names, edges, dict.fromkeys(names, 46))
    assert drawing.lanes["s", "c"] == drawing.lanes["s", "d"]


def test_a_chain_is_a_straight_line() -> None:
    names = ["s", "a", "b", "c"]
    drawing = draw(names, list(itertools.pairwise(names)), dict.fromkeys(names, 46))
    assert {box.y for box in drawing.boxes.values()} == {0}


def test_two_chains_do_not_cross() -> None:
    names = ["s", "t", "b", "a", "c", "d"]
    edges = [("s", "a"), ("t", "b"), ("a", "c"), ("b", "d")]
    boxes = draw(names, edges, dict.fromkeys(names, 46)).boxes
    over = [boxes[x].y < boxes[y].y for x, y in (("s", "t"), ("a", "b"), ("c", "d"))]
    assert over in ([True] * 3, [False] * 3)


def test_many_views_of_one_source_are_no_thin_tall_strip() -> None:
    names = ["s", *(f"v{i}" for i in range(300))]
    drawing = draw(names, [("s", name) for name in names[1:]], dict.fromkeys(names, 46))
    assert WIDE / 2 < drawing.width / drawing.height < WIDE * 2


def test_what_nobody_reads_and_what_reads_nothing_is_drawn_too() -> None:
    drawing = draw(["alone", "s", "v"], [("s", "v")], dict.fromkeys(["alone", "s", "v"], 46))
    assert set(drawing.boxes) == {"alone", "s", "v"}


def test_nothing_is_drawn_of_nothing() -> None:
    assert draw([], [], {}).boxes == {}


def test_the_same_graph_has_the_same_drawing() -> None:
    assert drawn(3, 80) == drawn(3, 80)

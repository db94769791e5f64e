"""Where relations stand on the page: a layered drawing, from sources on the left to views on the right.

The steps of Sugiyama: put relations into layers (each right of all that it reads), let long edges pass through every
layer between, order each layer so that few edges cross, then give each box the height at which its edges are straight.
Layers are bounded, as those of Coffman and Graham, so that three hundred views are no thin tall strip.

The edges of one relation share their way through the layers: a source that two hundred views read is one line there.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

WIDTH: Final = 208
GAP_BETWEEN_LAYERS: Final = 72
GAP_BETWEEN_BOXES: Final = 14
GAP_BESIDE_LANES: Final = 6
LANE_HEIGHT: Final = 2
WIDE: Final = 1.3
"""How much wider than high the drawing should be."""
SWEEPS: Final = 12
"""Times that the order is improved, to the right and to the left in turn."""
PASSES: Final = 10
"""Times that heights are improved; the last ones look at both sides."""
PULL: Final = 0.15
"""How much a slot is drawn to the middle of the page, and not to its neighbours."""

Slot: TypeAlias = tuple[str, int]
"""What stands in a layer: a relation in its own, or the lane of its edges on their way through another."""
Layers: TypeAlias = list[list[Slot]]


@dataclass(frozen=True, slots=True)
class Box:
    x: int
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes by name, and for each edge the heights at which it passes through the layers between its ends."""

    boxes: Mapping[str, Box]
    lanes: Mapping[tuple[str, str], tuple[tuple[int, int], ...]]
    width: int
    height: int


def draw(names: Sequence[str], edges: Sequence[tuple[str, str]], heights: Mapping[str, int]) -> Drawing:
    """A drawing of a graph whose names stand in an order in which each comes after all that it reads."""
    level = layer_of(names, edges, heights)
    links = _links(edges, level)
    layers = _ordered(_slots(names, edges, level), links)
    tall = {slot: _height(slot, level, heights) for layer in layers for slot in layer}
    middle = _middles(layers, links, tall)
    top = min((middle[slot] - tall[slot] / 2 for slot in middle), default=0.0)
    boxes = {
        name: Box(_left(i), round(middle[name, i] - heights[name] / 2 - top), heights[name])
        for name, i in level.items()
    }
    lanes = {
        (above, below): tuple((_left(i), round(middle[above, i] - top)) for i in range(level[above] + 1, level[below]))
        for above, below in edges
    }
    right = max((box.x for box in boxes.values()), default=0) + WIDTH
    return Drawing(boxes, lanes, right, max((box.y + box.height for box in boxes.values()), default=0))


def layer_of(names: Sequence[str], edges: Sequence[tuple[str, str]], heights: Mapping[str, int]) -> dict[str, int]:
    """The first layer with room right of all that a relation reads; what reads nothing is beside its first reader."""
    room = {name: heights[name] + GAP_BETWEEN_BOXES for name in names}
    highest = math.sqrt(sum(room.values()) * (WIDTH + GAP_BETWEEN_LAYERS) / WIDE)
    inputs, readers = _neighbours(edges), _neighbours((below, above) for above, below in edges)
    level: dict[str, int] = {}
    filled: dict[int, float] = {}
    for name in (n for n in names if n in inputs):
        at = 1 + max(level.get(above, 0) for above in inputs[name])
        while filled.get(at, 0) > 0 and filled[at] + room[name] > highest:
            at += 1
        level[name], filled[at] = at, filled.get(at, 0) + room[name]
    for name in (n for n in names if n not in inputs):
        level[name] = min((level[below] for below in readers.get(name, ())), default=1) - 1
    return level


def _neighbours(edges: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for above, below in edges:
        found.setdefault(below, []).append(above)
    return found


def _slots(names: Sequence[str], edges: Sequence[tuple[str, str]], level: Mapping[str, int]) -> Layers:
    """Each layer in the order of the names, its lanes in the middle: at one end, they would lead away step by step."""
    reach = dict(level)
    for above, below in edges:
        reach[above] = max(reach[above], level[below] - 1)
    layers: Layers = []
    for i in range(max(reach.values(), default=-1) + 1):
        boxes = [(name, i) for name in names if level[name] == i]
        lanes = [(name, i) for name in names if level[name] < i <= reach[name]]
        half = len(boxes) // 2
        layers.append([*boxes[:half], *lanes, *boxes[half:]])
    return layers


def _links(edges: Sequence[tuple[str, str]], level: Mapping[str, int]) -> list[tuple[Slot, Slot]]:
    """Edges cut into pieces from one layer to the next; a piece of a shared lane is there once."""
    found: dict[tuple[Slot, Slot], None] = {}
    for above, below in edges:
        way = [*((above, i) for i in range(level[above], level[below])), (below, level[below])]
        found |= dict.fromkeys(itertools.pairwise(way))
    return list(found)


def _ordered(layers: Layers, links: Sequence[tuple[Slot, Slot]]) -> Layers:
    """Layers reordered so that few links cross: each slot at the median of its neighbours, from both sides in turn."""
    left, right = _sides(links)
    best, fewest = layers, crossings(layers, right)
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        layers = _swept(layers if forward else layers[::-1], left if forward else right)
        layers = layers if forward else layers[::-1]
        count = crossings(layers, right)
        if count < fewest:
            best, fewest = layers, count
    return best


def _sides(links: Sequence[tuple[Slot, Slot]]) -> tuple[dict[Slot, list[Slot]], dict[Slot, list[Slot]]]:
    left: dict[Slot, list[Slot]] = {}
    right: dict[Slot, list[Slot]] = {}
    for a, b in links:
        right.setdefault(a, []).append(b)
        left.setdefault(b, []).append(a)
    return left, right


def _swept(layers: Layers, before: Mapping[Slot, Sequence[Slot]]) -> Layers:
    done: Layers = []
    for layer in layers:
        at = {slot: i for i, slot in enumerate(done[-1])} if done else {}
        wish = {slot: _median([at[b] for b in before.get(slot, ())], i) for i, slot in enumerate(layer)}
        done.append(sorted(layer, key=wish.__getitem__))
    return done


def _median(positions: list[int], otherwise: float) -> float:
    if not positions:
        return otherwise
    positions.sort()
    half = len(positions) // 2
    return positions[half] if len(positions) % 2 else (positions[half - 1] + positions[half]) / 2


def crossings(layers: Layers, right: Mapping[Slot, Sequence[Slot]]) -> int:
    """How many pairs of links cross."""
    total = 0
    for one, other in itertools.pairwise(layers):
        at = {slot: i for i, slot in enumerate(other)}
        seen: list[int] = []
        for slot in one:
            ends = sorted(at[b] for b in right.get(slot, ()))
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _middles(layers: Layers, links: Sequence[tuple[Slot, Slot]], tall: Mapping[Slot, int]) -> dict[Slot, float]:
    """The middle of each slot: as close to its neighbours' as those above and below it in its layer allow."""
    left, right = _sides(links)
    centred: dict[Slot, float] = {}
    for layer in layers:
        placed = _apart([0.0] * len(layer), [tall[s] for s in layer])
        centred |= dict(zip(layer, placed, strict=True))
    middle = dict(centred)
    for turn in range(PASSES):
        sides = (left, right) if turn >= PASSES - 2 else (left,) if turn % 2 == 0 else (right,)
        for layer in layers if turn % 2 == 0 else layers[::-1]:
            drawn = [_mean([middle[n] for side in sides for n in side.get(s, ())], middle[s]) for s in layer]
            wishes = [(1 - PULL) * wish + PULL * centred[s] for s, wish in zip(layer, drawn, strict=True)]
            middle |= dict(zip(layer, _apart(wishes, [tall[s] for s in layer]), strict=True))
    return middle


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _apart(wishes: Sequence[float], tall: Sequence[int]) -> list[float]:
    """Middles in this order, without overlap, whose squares of distances to the wishes have the smallest sum.

    With the room above each taken off, the only condition left is that they rise: isotonic regression, where neighbours
    that would fall are pooled at their mean.
    """
    offsets, total = [], 0.0
    for i, height in enumerate(tall):
        total += (height + tall[i - 1]) / 2 + _gap(height, tall[i - 1]) if i else 0.0
        offsets.append(total)
    pools: list[tuple[float, int]] = []
    for wish, offset in zip(wishes, offsets, strict=True):
        mean, size = wish - offset, 1
        while pools and pools[-1][0] > mean:
            above, many = pools.pop()
            mean, size = (mean * size + above * many) / (size + many), size + many
        pools.append((mean, size))
    flat = [mean for mean, size in pools for _ in range(size)]
    return [mean + offset for mean, offset in zip(flat, offsets, strict=True)]


def _gap(one: int, other: int) -> int:
    return GAP_BESIDE_LANES if LANE_HEIGHT in {one, other} else GAP_BETWEEN_BOXES


def _height(slot: Slot, level: Mapping[str, int], heights: Mapping[str, int]) -> int:
    name, layer = slot
    return heights[name] if level[name] == layer else LANE_HEIGHT


def _left(layer: int) -> int:
    return layer * (WIDTH + GAP_BETWEEN_LAYERS)

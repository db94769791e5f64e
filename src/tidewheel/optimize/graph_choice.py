"""Which way each view of a run takes, and what several of them read once, decided for all of them together.

A view can be brought up to date *from changes*, if the changes of all that it reads are known; *in full*, and then its
own change is not known; or in full with the *difference* to what was stored, so that views that read it can go on from
changes. These choices hang together, and so does a part of a relation that is worth reading once only if enough views
go from changes. All of it is one closure of what requires what (`closure`), and so the choice is exact:

    delta(v)    v's change is known             costs  difference - full
    changes(v)  v goes from changes             gains  difference - changes   requires delta(v), delta of all it reads
    part(p)     p is read once                  costs  making it
    use(v, p)   v reads p, not the relation     gains  what v saves           requires changes(v), part(p)

    totals: changes 30 s, full 1 s, difference 2 s;  large, which reads it: changes 1 s, full 50 s
    both in full 51, both from changes 31, totals with its difference and large from changes 3
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidewheel.optimize.closure import best_closure
from tidewheel.optimize.options import PlannerOptions
from tidewheel.optimize.priced import WayName

MUST = 1e6
"""Seconds; stands for what cannot be done, or has to be."""
MOST = 1e5
"""Seconds; what is predicted to take more is as good as this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenView:
    """A view whose way is open: what each way takes, and which other open views it reads."""

    name: str
    seconds: Mapping[WayName, float]
    reads: tuple[str, ...] = ()

    def takes(self, way: WayName) -> float:
        return min(self.seconds[way], MOST) if way in self.seconds else MUST


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPart:
    """What may be read once for several views: what making it takes, and what each view saves that reads it."""

    name: str
    making: float
    saves: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class GraphChoice:
    """The way of each view, and the parts that are read once."""

    ways: Mapping[str, WayName] = field(default_factory=dict)
    parts: frozenset[str] = frozenset()

    def seconds(self, views: Sequence[OpenView], parts: Sequence[OpenPart]) -> float:
        """What all of it takes."""
        made = [part for part in parts if part.name in self.parts]
        going = {name for name, way in self.ways.items() if way == "changes"}
        saved = sum(max(s, 0.0) for part in made for view, s in part.saves.items() if view in going)
        return sum(v.takes(self.ways[v.name]) for v in views) + sum(part.making for part in made) - saved


def choose_ways(views: Sequence[OpenView], parts: Sequence[OpenPart], options: PlannerOptions) -> GraphChoice:
    """The cheapest ways; away from changes only where that is clearly cheaper.

    Views that depend on each other are recomputed only if that saves enough in all: predictions are not exact, and a
    view kept from changes stays cheap as it grows.
    """
    handicapped = [_handicapped(view, options.full_margin) for view in views]
    choice = _cheapest(handicapped, parts)
    kept = [name for group in _connected(views) for name in _kept(group, choice, options)]
    if not kept:
        return choice
    bound = [_only_changes(view) if view.name in kept else view for view in handicapped]
    return _cheapest(bound, parts)


def _kept(group: Sequence[OpenView], choice: GraphChoice, options: PlannerOptions) -> list[str]:
    """Views that depend on each other, if to recompute some of them saves too little to be worth it."""
    saved = sum(view.takes("changes") - view.takes(choice.ways[view.name]) for view in group)
    away = any(choice.ways[view.name] != "changes" for view in group)
    return [view.name for view in group if "changes" in view.seconds] if away and saved <= options.least_gain else []


def _handicapped(view: OpenView, margin: float) -> OpenView:
    if "changes" not in view.seconds:
        return view
    seconds = {way: took if way == "changes" else took / margin for way, took in view.seconds.items()}
    return OpenView(name=view.name, seconds=seconds, reads=view.reads)


def _only_changes(view: OpenView) -> OpenView:
    return OpenView(name=view.name, seconds={"changes": view.seconds["changes"]}, reads=view.reads)


def _cheapest(views: Sequence[OpenView], parts: Sequence[OpenPart]) -> GraphChoice:
    gains: list[float] = []
    number: dict[tuple[str, str], int] = {}
    requires: list[tuple[int, int]] = []

    def add(what: str, name: str, gain: float) -> int:
        number[what, name] = len(gains)
        gains.append(gain)
        return number[what, name]

    for view in views:
        full, difference = view.takes("full"), view.takes("difference")
        known = add("delta", view.name, full - max(difference, full))
        goes = add("changes", view.name, max(difference, full) - view.takes("changes"))
        requires.append((goes, known))
    for view in views:
        requires += [(number["changes", view.name], number["delta", read]) for read in view.reads]
    for part in parts:
        made = add("part", part.name, -max(part.making, -MOST))
        for name, saved in part.saves.items():
            if saved > 0:
                use = add(f"use {part.name}", name, saved)
                requires += [(use, made), (use, number["changes", name])]
    chosen = best_closure(gains, requires)
    ways = {view.name: _way(view, number, chosen) for view in views}
    return GraphChoice(ways, frozenset(part.name for part in parts if number["part", part.name] in chosen))


def _way(view: OpenView, number: Mapping[tuple[str, str], int], chosen: frozenset[int]) -> WayName:
    if number["changes", view.name] in chosen:
        return "changes"
    return "difference" if number["delta", view.name] in chosen and "difference" in view.seconds else "full"


def _connected(views: Sequence[OpenView]) -> Iterator[list[OpenView]]:
    """Groups of views that read each other, directly or not."""
    root = {view.name: view.name for view in views}

    def found(name: str) -> str:
        while root[name] != name:
            name = root[name] = root[root[name]]
        return name

    for view in views:
        for read in view.reads:
            root[found(view.name)] = found(read)
    groups: dict[str, list[OpenView]] = {}
    for view in views:
        groups.setdefault(found(view.name), []).append(view)
    yield from groups.values()

"""What earlier refreshes taught: prices by place, and how far off estimates of views, states and values were.

What a way is predicted to take is its work at the prices of the place where it runs, corrected by the factor by which
earlier refreshes of the same view in the same way were off.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidewheel.optimize.cost import DEFAULTS, Normal, Place, Prices, Work
from tidewheel.optimize.priced import PricedWay, WayName

NEW: Final = 0.5
"""How much of what is learned comes from the last refresh: the first of a process may be far slower than the rest."""
OTHER: Final = 0.8
"""How much does for a size of work that was not seen before: what is known of other sizes is worth less."""
FORGET: Final = 0.99
"""What is left of a correction after each refresh by the other way: nothing is held against an way for ever."""
FADE: Final = 0.98
"""What a sample is worth after the next, when prices are fitted."""
FARTHEST: Final = 50.0
"""Times beyond this factor say more about the machine that day than about the view."""
MOST_PARTS: Final = 500
"""Parts of relations that are remembered."""
MOST_OFF: Final = 1000.0
"""Estimates of rows are corrected by this factor at most: one refresh without a change says little of the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WayRecord:
    """What refreshes of one view by one way were like."""

    times: int = 0
    costs: Mapping[str, float] = field(default_factory=dict)
    """Measured seconds, as a factor of the work at first prices, by the size of the work in powers of four."""
    rows: float = 1.0
    """Rows that came and went, as a factor of the estimate."""
    states: Mapping[str, float] = field(default_factory=dict)
    """Rows that came and went in each state, as a factor of the estimate."""
    last: int = 0
    """How many refreshes of the view ago it was, counted by the view's memory."""

    def cost(self, size: float) -> float:
        """The factor for work of some size, by what was nearest to it: half of a table is not like a thousandth."""
        own = int(_power(size))
        nearest = min(self.costs, key=lambda power: (abs(int(power) - own), power), default=None)
        return 1.0 if nearest is None else float(self.costs[nearest] ** (FORGET**self.last))

    def learned(self, size: float, seconds: float, rows: float, states: Mapping[str, float]) -> WayRecord:
        """With one more refresh, of work that is of some size at first prices."""
        bounded = min(max(seconds / max(size, 1e-6), 1 / FARTHEST), FARTHEST)
        power = _power(size)
        weight = NEW if power in self.costs or not self.costs else OTHER
        return WayRecord(
            times=self.times + 1,
            costs={**self.costs, power: _mixed(self.cost(size), bounded, weight)},
            rows=_corrected(self.rows if self.times else None, rows),
            states={**self.states, **{name: _corrected(self.states.get(name), n) for name, n in states.items()}},
        )

    def to_dict(self) -> dict[str, Any]:
        states = {"states": dict(self.states)} if self.states else {}
        return {"times": self.times, "costs": dict(self.costs), "rows": self.rows, "last": self.last, **states}


def _corrected(known: float | None, factor: float) -> float:
    """How far off estimates of rows are, with one more; unlike time, rows of a first refresh are like the next."""
    bounded = min(max(factor, 1 / MOST_OFF), MOST_OFF)
    return bounded if known is None else _mixed(known, bounded, NEW)


def _off(rows: float, estimate: float) -> float:
    return (rows + 1) / (estimate + 1)


def _power(size: float) -> str:
    return str(round(math.log(max(size, 1e-6), 4)))


def _mixed(old: float, new: float, weight: float) -> float:
    """Factors are averaged as factors."""
    return float(old ** (1 - weight) * new**weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """How many different values columns of a relation had, when it had so many rows."""

    rows: int = 0
    distinct: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {"rows": self.rows, "distinct": {name: round(n) for name, n in self.distinct.items()}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What refreshes taught: fits of prices by place, memories by view and way, columns by relation.

    `overlaps` are the rows of parts of relations, by name, as a factor of the estimate: which values of a relation
    changes have.
    """

    fits: Mapping[Place, Normal] = field(default_factory=dict)
    views: Mapping[str, Mapping[str, WayRecord]] = field(default_factory=dict)
    columns: Mapping[str, Columns] = field(default_factory=dict)
    overlaps: Mapping[str, float] = field(default_factory=dict)

    def prices(self, place: Place) -> Prices:
        fit = self.fits.get(place)
        return DEFAULTS[place] if fit is None else fit.solved(DEFAULTS[place])

    def memory(self, view: str, way: WayName) -> WayRecord | None:
        return self.views.get(view, {}).get(way)

    def seconds(self, view: str, way: WayName, place: Place, work: Work) -> float:
        """What some work will take."""
        memory = self.memory(view, way)
        if memory is None:
            return self.prices(place).seconds(work)
        first = DEFAULTS[place].seconds(work)
        return first * memory.cost(first)

    def rows(self, view: str, way: WayName, estimate: float) -> float:
        memory = self.memory(view, way)
        return estimate if memory is None else estimate * memory.rows

    def state_rows(self, view: str, state: str, estimate: float) -> float:
        memory = self.memory(view, "changes")
        return estimate if memory is None else estimate * memory.states.get(state, 1.0)

    def with_run(
        self, view: str, way: PricedWay, seconds: float, rows: float, states: Mapping[str, int] | None = None
    ) -> Learned:
        """After a refresh: what an way took and gave, to the view and to its states."""
        known = {name: replace(m, last=m.last + 1) for name, m in self.views.get(view, {}).items()}
        first = DEFAULTS[way.place].seconds(way.work)
        given = {name: _off(n, way.states[name]) for name, n in (states or {}).items() if name in way.states}
        before = known.get(way.name, WayRecord())
        memory = before.learned(first, seconds, _off(rows, way.estimate), given)
        fitted = self.with_sample(way.place, way.work, seconds)
        return replace(fitted, views={**self.views, view: {**known, way.name: memory}})

    def with_sample(self, place: Place, work: Work, seconds: float) -> Learned:
        """With prices that are fitted to one more piece of work."""
        fit = self.fits.get(place, Normal.empty()).with_sample(work, seconds, FADE)
        return replace(self, fits={**self.fits, place: fit})

    def with_columns(self, relation: str, rows: int, distinct: Mapping[str, float]) -> Learned:
        """With what was seen of a relation's values."""
        return replace(self, columns={**self.columns, relation: Columns(rows=rows, distinct=distinct)})

    def with_overlap(self, name: str, estimate: float, rows: int) -> Learned:
        """With what was seen of a part; what was not seen for long is forgotten."""
        others = {n: factor for n, factor in self.overlaps.items() if n != name}
        latest = dict(list(others.items())[-MOST_PARTS:])
        return replace(self, overlaps={**latest, name: _corrected(self.overlaps.get(name), _off(rows, estimate))})

    def only(self, views: Collection[str]) -> Learned:
        """Without what is known of other views."""
        return replace(self, views={name: found for name, found in self.views.items() if name in views})

    def to_dict(self) -> dict[str, Any]:
        return {
            "fits": {place: fit.to_dict() for place, fit in self.fits.items()},
            "views": {v: {way: m.to_dict() for way, m in sorted(ways.items())} for v, ways in self.views.items()},
            "columns": {relation: columns.to_dict() for relation, columns in self.columns.items()},
            "overlaps": dict(self.overlaps),
        }

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Learned:
        """What was written; nothing, if it cannot be understood: it is learned again."""
        try:
            fits: dict[Place, Normal] = {place: Normal.from_dict(fit) for place, fit in body["fits"].items()}
            views = {v: {way: WayRecord(**m) for way, m in ways.items()} for v, ways in body["views"].items()}
            columns = {relation: Columns(**found) for relation, found in body.get("columns", {}).items()}
            overlaps = {name: float(factor) for name, factor in body.get("overlaps", {}).items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            return cls()
        return cls(fits=fits, views=views, columns=columns, overlaps=overlaps)

"""What statements ask of an engine, and what that costs.

Work is counted, cost is predicted: a handful of counts, each times a price. There are prices for the driver and for the
cluster; they start with what was measured once, and are fitted to what refreshes took.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeAlias

from tidewheel.ir.rel import Aggregate, Distinct, Filter, Join, Project, Rel, Scan, SetOp, TopK, Union, Window
from tidewheel.ir.tree import nodes
from tidewheel.optimize.estimate import Estimator

Place: TypeAlias = Literal["driver", "cluster"]
HEAVY: Final = 4.0
"""A row in a hash table or a sort, against one that is passed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Counts: executions started, operators planned, bytes read, rows taken in by operators, bytes written."""

    executions: float = 0.0
    operators: float = 0.0
    read: float = 0.0
    rows: float = 0.0
    written: float = 0.0

    def __add__(self, other: Work) -> Work:
        return Work(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(Work)})

    def counts(self) -> tuple[float, ...]:
        return self.executions, self.operators, self.read, self.rows, self.written

    def to_dict(self) -> dict[str, Any]:
        return {f.name: round(getattr(self, f.name), 3) for f in fields(Work)}


NAMES: Final = tuple(f.name for f in fields(Work))


@dataclass(frozen=True, slots=True)
class Prices:
    """Seconds for one of each count."""

    each: tuple[float, ...]

    def seconds(self, work: Work) -> float:
        executions, operators, read, rows, written = self.each
        first = executions * work.executions + operators * work.operators + read * work.read
        return first + rows * work.rows + written * work.written

    def to_dict(self) -> dict[str, float]:
        return dict(zip(NAMES, self.each, strict=True))


DEFAULTS: Final[dict[Place, Prices]] = {
    "driver": Prices((0.012, 0.0008, 1.2e-9, 6e-9, 2.0e-8)),
    "cluster": Prices((0.45, 0.012, 6.0e-9, 6.0e-8, 6.0e-8)),
}
"""Of the order of what was measured on two cores; `tidewheel calibrate` and refreshes find better ones."""


def work_of(plans: Iterable[Rel], estimator: Estimator, size: Callable[[Scan], float], *, shared: bool) -> Work:
    """What it takes to compute some plans in one execution.

    `size` are the bytes that a scan reads. What a plan uses twice is computed once if results are `shared`, else twice.
    """
    seen: set[bytes] = set()
    uses: list[tuple[Rel, float]] = []
    for plan in plans:
        new = [use for use in uses_of(plan, shared=shared) if not (shared and use[0].digest in seen)]
        seen.update(node.digest for node, _ in new)
        uses += new
    return work_of_uses(uses, estimator, size)


def work_of_uses(uses: Iterable[tuple[Rel, float]], estimator: Estimator, size: Callable[[Scan], float]) -> Work:
    """What it takes to compute some nodes, each so many times, in one execution."""
    operators = read = rows = 0.0
    for node, times in uses:
        operators += min(times, 1000.0)
        rows += _effort(node, estimator) * times
        read += size(node) * times if isinstance(node, Scan) else 0.0
    return Work(executions=1.0, operators=operators, read=read, rows=rows)


def uses_of(plan: Rel, *, shared: bool) -> Sequence[tuple[Rel, float]]:
    """Each node, and how often it is computed: once if results are `shared`, else as often as it is read."""
    order = list(nodes(plan))
    if shared:
        return [(node, 1.0) for node in order]
    times: dict[bytes, float] = {plan.digest: 1.0}
    for node in reversed(order):
        for below in node.inputs:
            times[below.digest] = times.get(below.digest, 0.0) + times[node.digest]
    return [(node, times[node.digest]) for node in order]


def _effort(node: Rel, estimator: Estimator) -> float:
    """Rows that an operator takes in and gives, those that it must remember or put in order counted as heavier."""
    if isinstance(node, Scan):
        return estimator.rows(node)
    given = [estimator.rows(part) for part in node.inputs]
    match node:
        case Filter() | Project() | Union():
            return sum(given)
        case Join():
            small = min(given) if node.keys else 0.0
            pairs = estimator.rows(node) if node.keys else given[0] * given[1]
            return sum(given) + HEAVY * small + pairs
        case Aggregate() | Distinct() | SetOp() | Window() | TopK():
            return HEAVY * sum(given)
    return sum(given)


@dataclass(frozen=True, slots=True)
class Normal:
    """The sums that a least squares fit needs; of a size that does not grow with the number of samples."""

    squares: tuple[tuple[float, ...], ...]
    products: tuple[float, ...]
    samples: float

    @classmethod
    def empty(cls) -> Normal:
        return cls(((0.0,) * len(NAMES),) * len(NAMES), (0.0,) * len(NAMES), 0.0)

    def with_sample(self, work: Work, seconds: float, keep: float = 1.0) -> Normal:
        """One more, measured in shares of its seconds: what counts is the factor by which a prediction is off.

        Earlier samples count `keep` times as much as before.
        """
        scale = 1.0 / max(seconds, 0.01)
        counts = [count * scale for count in work.counts()]
        squares = tuple(
            tuple(keep * old + a * b for old, b in zip(row, counts, strict=True))
            for row, a in zip(self.squares, counts, strict=True)
        )
        products = tuple(keep * old + a * seconds * scale for old, a in zip(self.products, counts, strict=True))
        return Normal(squares, products, keep * self.samples + 1)

    def solved(self, prior: Prices, weight: float = 1.0) -> Prices:
        """The prices, none negative, that explain what was measured best, near the prior where little was."""
        return _solved(self, prior, weight)

    def to_dict(self) -> dict[str, Any]:
        return {"squares": [list(r) for r in self.squares], "products": list(self.products), "samples": self.samples}

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> Normal:
        rows = tuple(tuple(float(v) for v in row) for row in body["squares"])
        return cls(rows, tuple(float(v) for v in body["products"]), float(body["samples"]))


@functools.lru_cache(maxsize=16)
def _solved(normal: Normal, prior: Prices, weight: float) -> Prices:
    """Coordinate descent over factors of the prior's prices; once for all views of a plan."""
    size = range(len(NAMES))
    base = [max(p, 1e-15) for p in prior.each]
    squares = [[normal.squares[i][j] * base[i] * base[j] for j in size] for i in size]
    products = [normal.products[i] * base[i] for i in size]
    factors = [1.0 for _ in size]
    for _ in range(200):
        for i in size:
            others = sum(squares[i][j] * factors[j] for j in size if j != i)
            factors[i] = max((products[i] - others + weight) / (squares[i][i] + weight), 0.0)
    return Prices(tuple(f * b for f, b in zip(factors, base, strict=True)))

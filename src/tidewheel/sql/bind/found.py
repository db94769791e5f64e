"""What stands behind the placeholders of a SELECT: aggregates, window functions and subqueries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sqlglot import exp

from tidewheel.ir.parts import AggCall, SortKey
from tidewheel.ir.scalar import Call, Lit, Scalar
from tidewheel.sql.bind.catalog import Bound

Bounds: TypeAlias = tuple[str, Lit | None, Lit | None]
"""Of a frame: ROWS or RANGE, and its two ends, None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSpec:
    """A call with its OVER clause, before it has a Window node."""

    name: str
    args: tuple[Scalar, ...]
    where: Scalar | None
    ignore_nulls: bool
    partition: tuple[Scalar, ...]
    order: tuple[SortKey, ...]
    frame: Bounds | None
    node: exp.Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Subquery:
    """A query inside an expression: its one value, whether it has rows, or whether the operands are among them."""

    kind: Literal["scalar", "exists", "in"]
    query: Bound
    operands: tuple[Scalar, ...] = ()
    node: exp.Expr


@dataclass(slots=True)
class Found:
    """What the placeholders of one SELECT stand for."""

    aggregates: list[AggCall] = field(default_factory=list)
    windows: list[WindowSpec] = field(default_factory=list)
    subqueries: list[Subquery] = field(default_factory=list)
    lateral: bool = False  # whether the select list uses an alias of its own
    seen: list[tuple[int, exp.Expr]] = field(default_factory=list)  # columns and where they stand, for errors
    groupings: list[tuple[Call, exp.Expr]] = field(default_factory=list)  # calls of grouping(), and where they stand

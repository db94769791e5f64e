"""The parts of relational operators: columns, sort keys, join keys, calls of aggregate and window functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tidewheel.ir.scalar import Lit, Scalar
from tidewheel.types import DataType, name_to_sql, to_sql

KeyKind: TypeAlias = Literal["=", "<=>", "in"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a stored relation; the type may be unknown while the relation is a view that was never built."""

    name: str
    type: DataType
    nullable: bool = True

    def __str__(self) -> str:
        return f"{name_to_sql(self.name)} {to_sql(self.type)}{'' if self.nullable else ' NOT NULL'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SortKey:
    expr: Scalar
    descending: bool = False
    nulls_first: bool = True

    def __str__(self) -> str:
        return f"{self.expr} {'desc' if self.descending else 'asc'} {'first' if self.nulls_first else 'last'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinKey:
    """One pair of expressions, each over its own side.

    `=` matches equal values, `<=>` also NULL with NULL. `in`, of an anti join only, matches unless the two are
    certainly different: that is what NOT IN compares by, and a NULL on either side matches everything.
    """

    left: Scalar
    right: Scalar
    kind: KeyKind = "="

    def __str__(self) -> str:
        return f"{self.left} {self.kind} {self.right}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AggCall:
    """An aggregate function over the rows of a group. `count` without arguments counts rows.

    `single_value` is ours: the value of the only row, NULL without rows, an error with more than one.
    """

    name: str
    args: tuple[Scalar, ...] = ()
    distinct: bool = False
    where: Scalar | None = None
    order: tuple[SortKey, ...] = ()
    ignore_nulls: bool = False

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        where = () if self.where is None else (self.where,)
        return (*self.args, *where, *(k.expr for k in self.order))

    def over(self, scalars: Sequence[Scalar]) -> AggCall:
        """The same call with other expressions, in the order of `scalars`."""
        rest = list(scalars)
        args = tuple(rest.pop(0) for _ in self.args)
        where = None if self.where is None else rest.pop(0)
        order = tuple(replace(k, expr=e) for k, e in zip(self.order, rest, strict=True))
        return replace(self, args=args, where=where, order=order)

    def __str__(self) -> str:
        inner = ", ".join(a.text for a in self.args)
        parts = [f"{self.name}({'distinct ' if self.distinct else ''}{inner})"]
        parts += ["ignore nulls"] if self.ignore_nulls else []
        parts += [f"order [{', '.join(map(str, self.order))}]"] if self.order else []
        parts += [f"where {self.where}"] if self.where is not None else []
        return " ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Bounds of a window: None is unbounded, a literal is so many before (start) or after (end) the current row.

    Negative offsets are written as they are: `start=-2` is 2 preceding, `end=0` is the current row.
    """

    unit: Literal["rows", "range"]
    start: Lit | None
    end: Lit | None

    def __str__(self) -> str:
        return f"{self.unit} {self.start or 'unbounded'} to {self.end or 'unbounded'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowCall:
    """A window or aggregate function over a frame; functions that define their own frame (rank, lag) have none."""

    name: str
    args: tuple[Scalar, ...] = ()
    frame: Frame | None = None
    where: Scalar | None = None
    ignore_nulls: bool = False

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return self.args if self.where is None else (*self.args, self.where)

    def __str__(self) -> str:
        parts = [f"{self.name}({', '.join(a.text for a in self.args)})"]
        parts += ["ignore nulls"] if self.ignore_nulls else []
        parts += [f"where {self.where}"] if self.where is not None else []
        parts += [f"frame [{self.frame}]"] if self.frame is not None else []
        return " ".join(parts)

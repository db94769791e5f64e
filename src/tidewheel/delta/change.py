"""Plans of changes: rows that come and rows that go.

A change is a bag of rows with a sign. Where rows only come, the sign is left out: that is the difference between
an append and a merge, so it is kept as far up as it holds. Otherwise the sign is the last column, a BIGINT that is 1 or
-1; a row that comes twice stands there twice. A change need not be minimal: a row may come and go in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tidewheel.ir.forms import CHANGE
from tidewheel.ir.parts import AggCall, Column
from tidewheel.ir.rel import Aggregate, Distinct, Filter, Project, Rel, Scan, Union, Unnest, Values
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lit, Scalar, identity
from tidewheel.names import WEIGHT
from tidewheel.types import LONG, UNKNOWN, DataType, Map, holds

Kind: TypeAlias = Literal["append", "mixed", "layered"]
"""How a relation changed: rows only came; rows came and went; or several changes, one upon the other."""
PLUS: Final = Lit("bigint", "1")
MINUS: Final = Lit("bigint", "-1")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaPlan:
    """A plan whose rows come, or, if `signed`, come and go by their last column."""

    rel: Rel
    signed: bool

    @property
    def width(self) -> int:
        """The number of columns, without the sign."""
        return self.rel.width - self.signed

    @property
    def sign(self) -> Scalar:
        """The last column of a signed change."""
        return Col(self.width)

    def with_sign(self) -> Rel:
        """The plan with the sign as its last column in any case."""
        return self.rel if self.signed else Project(input=self.rel, exprs=(*identity(self.width), PLUS))

    def rows(self) -> Rel:
        """All rows that come or go, without the sign."""
        return Project(input=self.rel, exprs=identity(self.width)) if self.signed else self.rel

    def coming(self) -> Rel:
        return self._only(">") if self.signed else self.rel

    def going(self) -> Rel | None:
        """The rows that go; None if none can."""
        return self._only("<") if self.signed else None

    def _only(self, comparison: str) -> Rel:
        kept = Filter(input=self.rel, predicate=Call(comparison, (self.sign, Lit("bigint", "0"))))
        return Project(input=kept, exprs=identity(self.width))

    def domain(self, keys: Sequence[Scalar]) -> Rel:
        """The different values of some expressions among all rows that come or go."""
        return Distinct(input=Project(input=self.rel, exprs=tuple(keys)))

    def through(self, rel: Rel, exprs: Sequence[Scalar]) -> DeltaPlan:
        """Expressions over an operator that passed the sign through as it is: it is the last of its columns."""
        sign = (Col(rel.width - 1),) if self.signed else ()
        return DeltaPlan(rel=Project(input=rel, exprs=(*exprs, *sign)), signed=self.signed)


def comes(rel: Rel) -> DeltaPlan:
    return DeltaPlan(rel=rel, signed=False)


def goes(rel: Rel) -> DeltaPlan:
    return DeltaPlan(rel=Project(input=rel, exprs=(*identity(rel.width), MINUS)), signed=True)


def total(parts: Sequence[DeltaPlan]) -> DeltaPlan:
    """Several changes together."""
    if len(parts) == 1:
        return parts[0]
    if any(part.signed for part in parts):
        return DeltaPlan(rel=_union([part.with_sign() for part in parts]), signed=True)
    return DeltaPlan(rel=_union([part.rel for part in parts]), signed=False)


def difference(new: Rel, old: Rel) -> DeltaPlan:
    """From one bag to another."""
    return total([comes(new), goes(old)])


def nothing(width: int) -> DeltaPlan:
    return DeltaPlan(rel=Values(rows=(), arity=width), signed=False)


def consolidated(change: DeltaPlan, *, keyed: bool) -> DeltaPlan:
    """The minimal change: no row both comes and goes. Of a relation with a key, no row comes twice."""
    if not change.signed:
        return change
    width = change.width
    net = Aggregate(input=change.rel, keys=identity(width), calls=(AggCall(name="sum", args=(Col(width),)),))
    left = Filter(input=net, predicate=Call("<>", (Col(width), Lit("bigint", "0"))))
    if keyed:
        return DeltaPlan(rel=left, signed=True)
    comes = Call(">", (Col(width), Lit("bigint", "0")))
    copies = Call("array_repeat", (Case(((comes, PLUS),), MINUS), Cast(Call("abs", (Col(width),)), "INT")))
    each = Unnest(input=left, generator="explode", args=(copies,), arity=1)
    return DeltaPlan(rel=Project(input=each, exprs=(*identity(width), Col(width + 1))), signed=True)


def scanned(scan: Scan, kind: Kind) -> DeltaPlan:
    """The change of a stored relation.

    A row that one change brings and the next takes is in neither version: it must not reach an expression.
    """
    weight = () if kind == "append" else (Column(WEIGHT, LONG, nullable=False),)
    read = Scan(relation=scan.relation, columns=(*scan.columns, *weight), form=CHANGE)
    change = DeltaPlan(rel=read, signed=kind != "append")
    layered = kind == "layered" and comparable([c.type for c in scan.columns])
    return consolidated(change, keyed=False) if layered else change


def comparable(types: Sequence[DataType]) -> bool:
    """Can rows of these types be told apart, so that copies of one can be counted."""
    return not any(holds(kind, lambda inner: isinstance(inner, Map) or inner == UNKNOWN) for kind in types)


def _union(parts: Sequence[Rel]) -> Rel:
    flat = [p for part in parts for p in (part.parts if isinstance(part, Union) else (part,))]
    return Union(parts=tuple(flat))

"""Which column a name means. Names compare without case; an inner query sees the columns of the outer ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from tidewheel.ir.rel import Rel
from tidewheel.ir.scalar import Call, Lit, Scalar, walk
from tidewheel.types import DataType

_ids = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A column by name. USING hides one of two columns from `*` and from bare names, not from qualified ones."""

    name: str
    qualifier: str | None
    index: int
    in_star: bool = True
    by_name: bool = True


@dataclass(slots=True)
class Scope:
    """The columns of a FROM clause, and the scope of the query around it."""

    entries: list[Entry]
    outer: Scope | None = None
    id: int = field(default_factory=lambda: next(_ids))
    seen: list[tuple[int, exp.Expr]] = field(default_factory=list)  # columns that inner queries read, and where
    types: Sequence[DataType] = ()  # of the columns, by position

    def find(self, parts: Sequence[str]) -> list[tuple[Entry, Sequence[str]]]:
        """Columns that a dotted name may mean, each with the struct fields that are left of the name."""
        lowered = [p.lower() for p in parts]
        if len(parts) > 1:
            found = [
                e for e in self.entries if (e.qualifier or "").lower() == lowered[0] and e.name.lower() == lowered[1]
            ]
            if found:
                return [(e, parts[2:]) for e in found]
        return [(e, parts[1:]) for e in self.entries if e.by_name and e.name.lower() == lowered[0]]

    def has_qualifier(self, name: str) -> bool:
        return bool(self.star(name))

    def star(self, qualifier: str | None = None) -> list[Entry]:
        if qualifier is None:
            return [e for e in self.entries if e.in_star]
        owned = [e for e in self.entries if e.qualifier is not None and e.qualifier.lower() == qualifier.lower()]
        return sorted(owned, key=lambda e: e.index)

    def names(self) -> list[str]:
        return [e.name for e in self.entries]


def named(names: Sequence[str], qualifier: str | None, start: int = 0) -> list[Entry]:
    return [Entry(name=n, qualifier=qualifier, index=start + i) for i, n in enumerate(names)]


def moved(entries: Sequence[Entry], by: int) -> list[Entry]:
    return [replace(e, index=e.index + by) for e in entries]


# --- References that are not yet columns: they stand in scalars while a query is being bound, and never after ---

OUTER, AGGREGATE, WINDOW, SUBQUERY = "#outer", "#aggregate", "#window", "#subquery"


def outer_column(scope: Scope, index: int) -> Call:
    """A column of an outer query's FROM clause, seen from an inner query."""
    return Call(OUTER, (Lit("int", str(scope.id)), Lit("int", str(index))))


def outer_parts(scalar: Scalar) -> tuple[int, int] | None:
    """The scope and the position of such a reference."""
    if isinstance(scalar, Call) and scalar.name == OUTER:
        scope, index = scalar.args
        assert isinstance(scope, Lit)  # noqa: S101  built above
        assert isinstance(index, Lit)  # noqa: S101
        return int(scope.value), int(index.value)
    return None


def placeholder(kind: str, number: int) -> Call:
    return Call(kind, (Lit("int", str(number)),))


def placeholder_number(scalar: Scalar, kind: str) -> int | None:
    if isinstance(scalar, Call) and scalar.name == kind and isinstance(scalar.args[0], Lit):
        return int(scalar.args[0].value)
    return None


def mentions(scalar: Scalar, kind: str) -> bool:
    return any(isinstance(s, Call) and s.name == kind for s in walk(scalar))


@dataclass(frozen=True, slots=True)
class Source:
    """A relation in FROM with the names of its columns."""

    rel: Rel
    entries: tuple[Entry, ...]

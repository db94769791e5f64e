"""Relational algebra: a closed set of frozen nodes whose columns have positions, not names.

Each node knows its `line`, the canonical text of itself without its inputs, and its `digest`, made of the line and the
inputs' digests: nodes are equal when their digests are, in this process and in any other. Names occur at the edges
only: in scans, and in the `Query` that names the columns of a whole plan.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self, TypeAlias

from tidewheel.ir.forms import NOW, Form, label
from tidewheel.ir.parts import AggCall, Column, JoinKey, SortKey, WindowCall
from tidewheel.ir.scalar import TRUE, Col, Scalar, columns, quote_text
from tidewheel.types import name_to_sql

JoinKind: TypeAlias = Literal["inner", "left", "full", "semi", "anti"]


class Node:
    """What all relations have: a line of text, inputs, a width, and an identity by digest."""

    __slots__ = ("digest", "line", "width")
    digest: bytes
    line: str
    width: int

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return ()

    def _width(self) -> int:
        raise NotImplementedError

    def _seal(self, line: str) -> None:
        object.__setattr__(self, "line", line)
        object.__setattr__(self, "width", self._width())
        self._sign()

    def _sign(self) -> None:
        below = b"".join([i.digest for i in self.inputs])
        text = self.line.encode() + b"\0" + below
        object.__setattr__(self, "digest", hashlib.blake2b(text, digest_size=16).digest())

    @classmethod
    @functools.cache
    def _slots(cls) -> tuple[str, ...]:
        return (*Node.__slots__, *cls.__slots__)

    def over(self, **inputs: Rel | tuple[Rel, ...]) -> Self:
        """The same operator over inputs of the same widths, for which all that was checked still holds."""
        made, put = object.__new__(type(self)), object.__setattr__
        for name in self._slots():
            put(made, name, inputs[name] if name in inputs else getattr(self, name))
        made._sign()
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def fingerprint(self) -> str:
        """The digest as text: what outlives a process."""
        return self.digest.hex()

    def _check(self, condition: object, sentence: str) -> None:
        if not condition:
            raise ValueError(f"{type(self).__name__.lower()}: {sentence}")

    def _check_columns(self, scalars: Sequence[Scalar], width: int) -> None:
        for scalar in scalars:
            last = scalar.index if isinstance(scalar, Col) else max(columns(scalar), default=-1)
            if last >= width:
                self._check(False, f"{scalar} reads past the {width} columns of its input")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scan(Node):
    """Some columns of a stored relation in a form. `keys` are sets of columns that are unique and not NULL together.

    A query reads relations as they are now; only plans of changes read other forms.
    """

    relation: str
    columns: tuple[Column, ...]
    keys: tuple[tuple[int, ...], ...] = ()
    form: Form = NOW

    def __post_init__(self) -> None:
        names = [c.name.lower() for c in self.columns]
        self._check(len(set(names)) == len(names), "a column is read twice")
        self._check(all(0 <= i < len(names) for key in self.keys for i in key), "a key names a column it lacks")
        body = ", ".join(map(str, self.columns))
        keys = "".join(f" key ({', '.join(f'c{i}' for i in key)})" for key in self.keys)
        self._seal(f"scan {label(name_to_sql(self.relation), self.form)} ({body}){keys}")

    @property
    def label(self) -> str:
        return label(self.relation, self.form)

    def _width(self) -> int:
        return len(self.columns)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Values(Node):
    """Rows of expressions without columns. One row of no columns is what SELECT without FROM reads."""

    rows: tuple[tuple[Scalar, ...], ...]
    arity: int

    def __post_init__(self) -> None:
        self._check(all(len(row) == self.arity for row in self.rows), "rows differ in length")
        self._check_columns([s for row in self.rows for s in row], 0)
        body = "".join(f" ({', '.join(s.text for s in row)})" for row in self.rows)
        self._seal(f"values {self.arity}{body}")

    def _width(self) -> int:
        return self.arity


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Filter(Node):
    """The rows for which the predicate is true: neither false nor NULL."""

    input: Rel
    predicate: Scalar

    def __post_init__(self) -> None:
        self._check_columns([self.predicate], self.input.width)
        self._seal(f"filter {self.predicate}")

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.input,)

    def _width(self) -> int:
        return self.input.width


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Project(Node):
    """One row of expressions for each row of the input."""

    input: Rel
    exprs: tuple[Scalar, ...]

    def __post_init__(self) -> None:
        self._check_columns(self.exprs, self.input.width)
        self._seal(f"project {', '.join(e.text for e in self.exprs)}".rstrip())

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.input,)

    def _width(self) -> int:
        return len(self.exprs)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Join(Node):
    """Pairs of rows that match by all keys and the residual, which reads the left columns and then the right.

    A right join is a left one with its sides exchanged. `semi` and `anti` give left rows only, each once per copy.
    A left row without a match is kept, with NULLs, by `left` and `full`; so is a right one by `full`.
    """

    kind: JoinKind
    left: Rel
    right: Rel
    keys: tuple[JoinKey, ...] = ()
    residual: Scalar = TRUE

    def __post_init__(self) -> None:
        self._check_columns([k.left for k in self.keys], self.left.width)
        self._check_columns([k.right for k in self.keys], self.right.width)
        self._check_columns([self.residual], self.left.width + self.right.width)
        self._check(self.kind == "anti" or all(k.kind != "in" for k in self.keys), "only an anti join is null-aware")
        keys = f" on {', '.join(map(str, self.keys))}" if self.keys else ""
        residual = "" if self.residual == TRUE else f" where {self.residual}"
        self._seal(f"join {self.kind}{keys}{residual}")

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.left, self.right)

    def _width(self) -> int:
        return self.left.width + (0 if self.kind in {"semi", "anti"} else self.right.width)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Aggregate(Node):
    """Groups of rows with equal keys (NULL equals NULL), and the aggregates over each.

    Columns: the keys, then the grouping id if there are several grouping sets, then the aggregates. A set lists
    positions of keys; a key that is not in the set of a row is NULL there, and its bit of the grouping id is 1
    (the first key has the highest bit). The empty set gives one row even for an empty input, if it is the only one
    and there are no keys: a ROLLUP over no rows gives none, as in Spark.
    """

    input: Rel
    keys: tuple[Scalar, ...] = ()
    calls: tuple[AggCall, ...] = ()
    sets: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        self._check_columns([*self.keys, *(s for c in self.calls for s in c.scalars)], self.input.width)
        for chosen in self.sets or ():
            self._check(list(chosen) == sorted(set(chosen)), "a grouping set lists its keys once and in order")
            self._check(all(0 <= i < len(self.keys) for i in chosen), "a grouping set names a key it lacks")
        by = f" by {', '.join(k.text for k in self.keys)}" if self.keys else ""
        sets = "".join(f" ({', '.join(map(str, s))})" for s in self.sets or ())
        sets = "" if self.sets is None else f" sets{sets}"
        calls = f" compute {', '.join(map(str, self.calls))}" if self.calls else ""
        self._seal(f"aggregate{by}{sets}{calls}")

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.input,)

    def _width(self) -> int:
        return len(self.keys) + (self.sets is not None) + len(self.calls)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Distinct(Node):
    """Each row once; NULL equals NULL."""

    input: Rel

    def __post_init__(self) -> None:
        self._seal("distinct")

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.input,)

    def _width(self) -> int:
        return self.input.width


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Union(Node):
    """All rows of all inputs."""

    parts: tuple[Rel, ...]

    def __post_init__(self) -> None:
        self._check(self.parts, "there is nothing to unite")
        self._check(len({p.width for p in self.parts}) == 1, "its inputs differ in their number of columns")
        self._seal("union")

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return self.parts

    def _width(self) -> int:
        return self.parts[0].width


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SetOp(Node):
    """EXCEPT or INTERSECT: of distinct rows, or with `all` of as many copies as remain or are common."""

    kind: Literal["except", "intersect"]
    all: bool
    left: Rel
    right: Rel

    def __post_init__(self) -> None:
        self._check(self.left.width == self.right.width, "its inputs differ in their number of columns")
        self._seal(f"{self.kind}{' all' if self.all else ''}")

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.left, self.right)

    def _width(self) -> int:
        return self.left.width


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Window(Node):
    """The columns of the input, then one for each call, computed over the row's partition in the given order."""

    input: Rel
    partition: tuple[Scalar, ...] = ()
    order: tuple[SortKey, ...] = ()
    calls: tuple[WindowCall, ...]

    def __post_init__(self) -> None:
        scalars = [*self.partition, *(k.expr for k in self.order), *(s for c in self.calls for s in c.scalars)]
        self._check_columns(scalars, self.input.width)
        self._check(self.calls, "there is nothing to compute")
        partition = f" partition {', '.join(p.text for p in self.partition)}" if self.partition else ""
        order = f" order {', '.join(map(str, self.order))}" if self.order else ""
        self._seal(f"window{partition}{order} compute {', '.join(map(str, self.calls))}")

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.input,)

    def _width(self) -> int:
        return self.input.width + len(self.calls)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TopK(Node):
    """The first `limit` rows in a total order, after leaving out `offset`; no limit is all the rest."""

    input: Rel
    order: tuple[SortKey, ...]
    limit: int | None
    offset: int = 0

    def __post_init__(self) -> None:
        self._check_columns([k.expr for k in self.order], self.input.width)
        self._check((self.limit is None or self.limit >= 0) and self.offset >= 0, "a number of rows is negative")
        order = f" order {', '.join(map(str, self.order))}" if self.order else ""
        limit = "" if self.limit is None else f" limit {self.limit}"
        self._seal(f"topk{order}{limit}{f' offset {self.offset}' if self.offset else ''}")

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.input,)

    def _width(self) -> int:
        return self.input.width


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unnest(Node):
    """The columns of the input, then those that a generator (explode, posexplode, inline, stack) makes of each row.

    A row for which it makes nothing is left out, or kept once with NULLs if `outer`.
    """

    input: Rel
    generator: str
    args: tuple[Scalar, ...]
    arity: int
    outer: bool = False

    def __post_init__(self) -> None:
        self._check_columns(self.args, self.input.width)
        call = f"{self.generator}({', '.join(a.text for a in self.args)})"
        self._seal(f"unnest{' outer' if self.outer else ''} {call} width {self.arity}")

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.input,)

    def _width(self) -> int:
        return self.input.width + self.arity


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Opaque(Node):
    """A query that we can only recompute, and why; it is the whole of a plan and reads relations by name."""

    sql: str
    reads: tuple[str, ...]
    columns: tuple[Column, ...]
    reason: str

    def __post_init__(self) -> None:
        reads = ", ".join(map(name_to_sql, self.reads))
        body = ", ".join(map(str, self.columns))
        self._seal(f"opaque {self.reason} reads ({reads}) gives ({body}) runs {quote_text(self.sql)}")

    def _width(self) -> int:
        return len(self.columns)


Rel: TypeAlias = (
    Scan | Values | Filter | Project | Join | Aggregate | Distinct | Union | SetOp | Window | TopK | Unnest | Opaque
)

ONE_ROW: Final = Values(rows=((),), arity=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A plan with names for its columns: a bound view. `notes` tell the user what was done to the query's letter."""

    rel: Rel
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.names) != self.rel.width:
            raise ValueError(f"{len(self.names)} names for {self.rel.width} columns")

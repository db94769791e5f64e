"""Scalar expressions over the columns of one relation, by position.

A scalar is a small frozen tree with one canonical text, made when the tree is built; two scalars are equal when their
texts are. Functions pass through by name, whatever they are: what we know of one stands in `ir/functions.py`, and what
we do not know we do not touch. The text is ours, not Spark's: `sql/unparse` writes SQL, `ir/text` reads this back.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

INFIX: Final = frozenset(
    {"+", "-", "*", "/", "%", "div", "||", "&", "|", "^", "=", "<=>", "<>", "<", "<=", ">", ">=", "and", "or"}
)
"""Calls that print between their arguments; `and`, `or` and `||` take two or more, the rest exactly two."""

LITERALS: Final = frozenset(
    {
        "null", "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "string", "binary",
        "date", "timestamp", "timestamp_ntz", "interval", "word",
    }
)  # fmt: skip
_SUFFIX: Final = {"int": "", "tinyint": "Y", "smallint": "S", "bigint": "L", "float": "F", "double": "D"}


class _ByText:
    """Equal when the text is."""

    __slots__ = ("text",)
    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByText) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def _write(self, text: str) -> None:
        object.__setattr__(self, "text", text)


@dataclass(frozen=True, slots=True, eq=False)
class Col(_ByText):
    """The column at a position of the input; of a join's condition, of the left columns and then the right."""

    index: int

    def __post_init__(self) -> None:
        self._write(f"c{self.index}")


@dataclass(frozen=True, slots=True, eq=False)
class Lit(_ByText):
    """A constant: its kind, and its value as plain text (a string's own characters, a number's digits).

    A decimal keeps its digits: 1.50 is DECIMAL(3,2). An interval is all that follows the word INTERVAL.
    A word is a bare keyword argument, as DAY in datediff(DAY, a, b).
    """

    kind: str
    value: str

    def __post_init__(self) -> None:
        if self.kind not in LITERALS:
            raise ValueError(f"no literal is a {self.kind}")
        self._write(_literal_text(self.kind, self.value))


@dataclass(frozen=True, slots=True, eq=False)
class Call(_ByText):
    """A function or operator, by its lower-case name, applied to its arguments."""

    name: str
    args: tuple[Scalar, ...] = ()

    def __post_init__(self) -> None:
        inner = [a.text for a in self.args]
        if self.name in INFIX:
            if len(inner) < 2 or (len(inner) > 2 and self.name not in {"and", "or", "||"}):
                raise ValueError(f"{self.name} does not take {len(inner)} arguments")
            self._write(f"({f' {self.name} '.join(inner)})")
        else:
            self._write(f"{self.name}({', '.join(inner)})")


@dataclass(frozen=True, slots=True, eq=False)
class Cast(_ByText):
    """A conversion to a type, written as Spark writes types; a lenient one gives NULL where a strict one raises."""

    arg: Scalar
    to: str
    lenient: bool = False

    def __post_init__(self) -> None:
        self._write(f"{'TRY_CAST' if self.lenient else 'CAST'}({self.arg.text} AS {self.to})")


@dataclass(frozen=True, slots=True, eq=False)
class Case(_ByText):
    """The value of the first branch whose condition is true, else the last one; NULL if there is none."""

    branches: tuple[tuple[Scalar, Scalar], ...]
    otherwise: Scalar | None = None

    def __post_init__(self) -> None:
        if not self.branches:
            raise ValueError("a CASE has at least one branch")
        parts = [f"WHEN {condition.text} THEN {value.text}" for condition, value in self.branches]
        parts += [f"ELSE {self.otherwise.text}"] if self.otherwise is not None else []
        self._write(f"CASE {' '.join(parts)} END")


@dataclass(frozen=True, slots=True, eq=False)
class Param(_ByText):
    """A parameter of an enclosing lambda. Numbers count from the outermost lambda inwards, so names do not matter."""

    number: int

    def __post_init__(self) -> None:
        self._write(f"x{self.number}")


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(_ByText):
    """The function argument of transform, filter, aggregate and their kind."""

    params: tuple[Param, ...]
    body: Scalar

    def __post_init__(self) -> None:
        self._write(f"lambda({', '.join(p.text for p in self.params)}: {self.body.text})")


Scalar: TypeAlias = Col | Lit | Call | Cast | Case | Param | Lambda


def _literal_text(kind: str, value: str) -> str:
    match kind:
        case "null":
            return "NULL"
        case "boolean":
            return value.upper()
        case "decimal":
            return value if "." in value else f"{value}BD"
        case "string":
            return quote_text(value)
        case "binary":
            return f"X'{value}'"
        case "date" | "timestamp" | "timestamp_ntz":
            return f"{kind.upper()} {quote_text(value)}"
        case "interval":
            return f"INTERVAL {value}"
        case "word":
            return value.upper()
        case number:
            return value + _SUFFIX[number]


_ESCAPES: Final = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def quote_text(value: str) -> str:
    """A string literal on one line, readable by Spark and by us."""
    return "'" + "".join(_ESCAPES.get(c, c) for c in value) + "'"


NULL: Final = Lit("null", "")
TRUE: Final = Lit("boolean", "true")
FALSE: Final = Lit("boolean", "false")


def children(scalar: Scalar) -> tuple[Scalar, ...]:
    match scalar:
        case Col() | Lit() | Param():
            return ()
        case Call(_, args):
            return args
        case Cast(arg):
            return (arg,)
        case Case(branches, otherwise):
            return tuple(s for b in branches for s in b) + (() if otherwise is None else (otherwise,))
        case Lambda(_, body):
            return (body,)


def walk(scalar: Scalar) -> Iterator[Scalar]:
    """The scalar and everything in it, parents first."""
    todo = [scalar]
    while todo:
        current = todo.pop()
        yield current
        todo.extend(reversed(children(current)))


def rebuild(scalar: Scalar, below: Sequence[Scalar]) -> Scalar:
    """The same node over other children, in the order of `children`."""
    match scalar:
        case Col() | Lit() | Param():
            return scalar
        case Call(name):
            return Call(name, tuple(below))
        case Cast(_, to, lenient):
            return Cast(below[0], to, lenient)
        case Case(branches, otherwise):
            pairs = tuple((below[2 * i], below[2 * i + 1]) for i in range(len(branches)))
            return Case(pairs, None if otherwise is None else below[-1])
        case Lambda(params):
            return Lambda(params, below[0])


def transform(scalar: Scalar, change: Callable[[Scalar], Scalar | None]) -> Scalar:
    """Replace what `change` gives something for, from the top; below a replacement nothing is looked at again."""
    changed = change(scalar)
    if changed is not None:
        return changed
    before = children(scalar)
    after = [transform(child, change) for child in before]
    return scalar if all(a is b for a, b in zip(after, before, strict=True)) else rebuild(scalar, after)


def substitute(scalar: Scalar, columns: Sequence[Scalar]) -> Scalar:
    """The scalar over another input: each column replaced by an expression."""
    return transform(scalar, lambda s: columns[s.index] if isinstance(s, Col) else None)


def remap(scalar: Scalar, position: Callable[[int], int]) -> Scalar:
    """The scalar with each column moved to another position."""

    def moved(part: Scalar) -> Scalar | None:
        if not isinstance(part, Col):
            return None
        index = position(part.index)
        return part if index == part.index else Col(index)

    return transform(scalar, moved)


def shift(scalar: Scalar, by: int) -> Scalar:
    return scalar if by == 0 else remap(scalar, lambda i: i + by)


@functools.lru_cache(maxsize=50_000)
def columns(scalar: Scalar) -> frozenset[int]:
    """The positions a scalar reads."""
    return frozenset(s.index for s in walk(scalar) if isinstance(s, Col))


@functools.lru_cache(maxsize=50_000)
def conjuncts(scalar: Scalar | None) -> tuple[Scalar, ...]:
    """The parts of an AND; none of TRUE."""
    if scalar is None or scalar == TRUE:
        return ()
    if isinstance(scalar, Call) and scalar.name == "and":
        return tuple(c for a in scalar.args for c in conjuncts(a))
    return (scalar,)


def conjunction(parts: Sequence[Scalar]) -> Scalar:
    """The AND of all, flat, without repeats; TRUE of none."""
    flat = tuple(dict.fromkeys(c for part in parts for c in conjuncts(part)))
    if not flat:
        return TRUE
    return flat[0] if len(flat) == 1 else Call("and", flat)


def disjunction(parts: Sequence[Scalar]) -> Scalar:
    flat: list[Scalar] = []
    for part in parts:
        flat += part.args if isinstance(part, Call) and part.name == "or" else (part,)
    unique = tuple(dict.fromkeys(flat))
    if not unique:
        return FALSE
    return unique[0] if len(unique) == 1 else Call("or", unique)


def identity(width: int) -> tuple[Scalar, ...]:
    return tuple(Col(i) for i in range(width))

"""What an evaluator did with a case: gave rows, raised an error, or declined."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Rows:
    """A bag of rows in canonical form."""

    bag: Counter[tuple[Any, ...]]

    def __str__(self) -> str:
        return "\n".join(self.lines()[:30]) if self.bag else "no rows"

    def lines(self) -> list[str]:
        """All rows, in an order that is the same in every process."""
        return sorted(f"{n} x {_show(row)}" for row, n in self.bag.items())


@dataclass(frozen=True, slots=True)
class Raised:
    """An error that comes from the data: an overflow, a division by zero, a second row."""

    error: str

    def __str__(self) -> str:
        return f"raised: {self.error}"


@dataclass(frozen=True, slots=True)
class Declined:
    """The evaluator says that it cannot run this: nothing can be learned from it."""

    reason: str

    def __str__(self) -> str:
        return f"declined: {self.reason}"


@dataclass(frozen=True, slots=True)
class Broken:
    """Anything else that went wrong: always a difference."""

    error: str

    def __str__(self) -> str:
        return f"broken: {self.error}"


Outcome: TypeAlias = Rows | Raised | Declined | Broken


def in_full(outcome: Outcome) -> str:
    """All of an outcome as text, the same in every process."""
    return "\n".join(outcome.lines()) if isinstance(outcome, Rows) else str(outcome)


def bag(rows: Iterable[Sequence[Any]]) -> Rows:
    return Rows(Counter(tuple(canonical(v) for v in row) for row in rows))


def canonical(value: Any) -> Any:
    """A value that equals another only if kind, value and decimal places are the same.

    All NaNs are one and -0.0 is 0.0: SQL cannot tell them apart, and which one stands for a group is anybody's choice.
    """
    match value:
        case None | str() | bytes():
            return value
        case bool():
            return ("boolean", value)
        case int():
            return value
        case float():
            return ("double", "NaN") if math.isnan(value) else ("double", value + 0.0)
        case decimal.Decimal():
            return ("decimal", f"{value:f}" if value else f"{abs(value):f}")
        case dt.datetime():
            return ("timestamp", value.isoformat())
        case dt.date():
            return ("date", value.isoformat())
        case list() | tuple():
            return ("array", *map(canonical, value))
        case dict():
            return ("struct", *((k, canonical(v)) for k, v in value.items()))
    raise TypeError(f"no canonical form of {type(value).__name__}")


def _show(row: tuple[Any, ...]) -> str:
    return f"({', '.join('NULL' if v is None else repr(v[1]) if isinstance(v, tuple) else repr(v) for v in row)})"

"""Every number that steers how a choice becomes a program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramOptions:
    """How large statements may become."""

    most_operators: int = 160
    """Of one execution on Spark, each as often as it is read: Spark copies what is read twice, and plans each copy."""
    most_outputs: int = 8
    """That one execution writes: each has the columns of all, so that their plan grows with the square of them."""
    few_rows: float = 4_000.0
    """A result that is expected to have no more is sent through the driver."""

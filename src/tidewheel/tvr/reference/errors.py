"""How the reference evaluator fails: as Spark would, or because there is no rule.

Neither is an error of a user: a refresh never runs the reference, so these stand beside the tree of errors.py.
"""

from __future__ import annotations

from typing import Final

CODES: Final = frozenset(
    {
        "bad-argument",
        "bad-cast",
        "divide-by-zero",
        "duplicate-map-key",
        "more-than-one-row",
        "null-map-key",
        "out-of-bounds",
        "overflow",
        "raised",
    }
)
"""What may go wrong while rows are computed under ANSI rules."""


class EvaluationError(Exception):
    """Spark, too, fails on these rows."""

    def __init__(self, code: str, message: str) -> None:
        if code not in CODES:
            raise ValueError(f"no evaluation fails with {code}")
        super().__init__(message)
        self.code = code

    def __str__(self) -> str:
        return f"{self.args[0]} [{self.code}]"


class Unsupported(Exception):  # noqa: N818  it says what we lack, not what went wrong
    """The reference has no rule for this function, conversion or node; nothing is known about the answer."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the reference cannot evaluate {name}")
        self.name = name

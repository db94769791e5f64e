"""The table of scalar functions: for each name, how to compute it once the types of its arguments are known.

An implementation gets values that were already converted to the types of the signature. Unless it says otherwise it
never sees a NULL: one NULL argument makes the result NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tidewheel.ir.signatures import Signature
from tidewheel.tvr.reference.errors import EvaluationError
from tidewheel.tvr.reference.values import Value

Implementation: TypeAlias = Callable[..., Value]
Builder: TypeAlias = Callable[[Signature], Implementation]


@dataclass(frozen=True, slots=True)
class Function:
    """How a function is built for a signature, and whether it wants to see NULLs."""

    build: Builder
    sees_nulls: bool = False


FUNCTIONS: Final[dict[str, Function]] = {}


def function(*names: str, sees_nulls: bool = False) -> Callable[[Implementation], Implementation]:
    """Register a function that works alike for all types it takes."""

    def register(run: Implementation) -> Implementation:
        _add(names, Function(lambda _: run, sees_nulls))
        return run

    return register


def typed(*names: str, sees_nulls: bool = False) -> Callable[[Builder], Builder]:
    """Register a function whose work depends on the types of its arguments or of its result."""

    def register(build: Builder) -> Builder:
        _add(names, Function(build, sees_nulls))
        return build

    return register


def attempts(name: str, of: str) -> None:
    """Register `name`: NULL where `of` raises."""
    strict = FUNCTIONS[of]

    def build(signature: Signature) -> Implementation:
        run = strict.build(signature)

        def attempt(*values: Value) -> Value:
            try:
                return run(*values)
            except EvaluationError:
                return None

        return attempt

    _add((name,), Function(build, strict.sees_nulls))


def _add(names: tuple[str, ...], entry: Function) -> None:
    for name in names:
        if name in FUNCTIONS:
            raise ValueError(f"{name} is registered twice")
        FUNCTIONS[name] = entry


def implementation(entry: Function, signature: Signature) -> Implementation:
    """The function over values that may be NULL."""
    run = entry.build(signature)
    if entry.sees_nulls:
        return run

    def strict(*values: Any) -> Value:
        return None if any(v is None for v in values) else run(*values)

    return strict

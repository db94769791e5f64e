"""Where an expression stands: what its names may mean, what may stand there, and what was found in it so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from tidewheel.ir.scalar import Param, Scalar
from tidewheel.sql.bind.catalog import Bound
from tidewheel.sql.bind.checks import Checks
from tidewheel.sql.bind.found import Found
from tidewheel.sql.bind.scope import Scope
from tidewheel.sql.bind.text import NotBoundError, SqlText
from tidewheel.types import DataType


@dataclass(slots=True, kw_only=True)
class Context(ABC):
    """The state of one clause's expressions. The functions that bind them take it; `bind` leads to those functions."""

    text: SqlText
    scope: Scope
    found: Found
    queries: Callable[[exp.Expr, Scope], Bound]
    clause: str = "SELECT"
    aggregates: bool = False
    windows: bool = False
    aliases: Mapping[str, Scalar] = field(default_factory=dict)
    aliases_first: bool = False
    repeated: Collection[str] = ()  # aliases that more than one column has
    named_windows: Mapping[str, exp.Expr] = field(default_factory=dict)
    params: tuple[dict[str, Param], ...] = ()
    inside: str | None = None  # the aggregate or window function whose argument is being bound
    checks: Checks = field(default=None)  # type: ignore[assignment]  # set below

    def __post_init__(self) -> None:
        if self.checks is None or self.checks.found is not self.found:
            self.checks = Checks(self.text, self.scope, self.found)

    @property
    def types(self) -> Sequence[DataType]:
        """The types of the FROM clause's columns."""
        return self.scope.types

    @abstractmethod
    def bind(self, node: exp.Expr) -> Scalar:
        """An expression as a scalar over the FROM clause, checked."""


def only(node: exp.Expr, *known: str) -> None:
    """Refuse a node that says more than we read of it."""
    for key, value in node.args.items():
        if value not in (None, False, [], "") and key not in known:
            raise NotBoundError("unknown-expression", f"{key} of {node.key.upper()}")


def miscounted(exprs: Context, name: str, node: exp.Expr) -> Exception:
    return exprs.text.error(f"{name}() has a wrong number of arguments", node, code="wrong-arguments")

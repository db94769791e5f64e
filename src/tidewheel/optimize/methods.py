"""The ways to bring a stored relation up to date, in order of preference, and what speaks against each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

from tidewheel.delta.layout import Layout
from tidewheel.delta.partials import not_mergeable
from tidewheel.ir.rel import Aggregate
from tidewheel.methods import PREFERRED, BuildMethod


@dataclass(frozen=True, slots=True)
class OtherMethod:
    """One method. `offered` says whether it would give the right rows; `why` why it was not taken."""

    method: BuildMethod
    offered: bool
    why: str

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.method, "offered": self.offered, "why": self.why}


def other_methods(layout: Layout, chosen: BuildMethod) -> list[OtherMethod]:
    """All methods but the chosen one."""
    return [_method(layout, method) for method in PREFERRED if method != chosen]


def _method(layout: Layout, method: BuildMethod) -> OtherMethod:
    core, scope = layout.core, layout.scope
    match method:
        case "append" if scope is None:
            return OtherMethod(method, offered=False, why="rows of its inputs may go, and rows of it with them")
        case "append":
            return OtherMethod(method, offered=False, why="a new row of its inputs may change rows that are there")
        case "merge" if isinstance(core, Aggregate):
            calls = ", ".join(dict.fromkeys(c.name for c in not_mergeable(core)))
            return OtherMethod(method, offered=False, why=f"{calls or 'extremes of grouping sets'} cannot be merged")
        case "merge":
            return OtherMethod(method, offered=False, why="it is no aggregate")
        case "rows" if scope is None:
            return OtherMethod(method, offered=True, why="no row goes")
        case "rows":
            return OtherMethod(
                method, offered=False, why=f"a row depends on {'others of its group' if scope else 'all others'}"
            )
        case "topk":
            return OtherMethod(method, offered=False, why="it has no LIMIT")
        case "groups" if scope:
            return OtherMethod(method, offered=True, why="it reads all rows of each group that changed")
        case "groups":
            why = "it has no groups" if scope is None else "all rows are one group"
            return OtherMethod(method, offered=False, why=why)
        case "difference":
            return OtherMethod(method, offered=True, why="it computes all rows, before and now")
        case "full":
            return OtherMethod(method, offered=True, why="it reads all rows of its inputs")
        case _:
            assert_never(method)

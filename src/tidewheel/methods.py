"""The methods: what a plan does with a view and what a run did, by the words that JSON and the history have for it."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, assert_never, get_args

ChangeMethod: TypeAlias = Literal["append", "merge", "rows", "topk", "groups", "difference"]
"""How a stored relation follows the changes of its inputs."""
BuildMethod: TypeAlias = ChangeMethod | Literal["full"]
"""How a view is built; `full` runs its query over all rows of its inputs."""
FailingMethod: TypeAlias = Literal["broken", "failed", "blocked"]
"""A view that cannot be run, one whose refresh failed, and one below it: each stays as it was."""
Method: TypeAlias = BuildMethod | FailingMethod | Literal["none", "stale", "orphan"]
"""`none`: it is up to date; `stale`: it was not asked for; `orphan`: its definition is gone."""
Standing: TypeAlias = Literal["built", "current", "left", "failing"]
"""What becomes of a view: it is built, it is up to date, it is left as it was, or it should have been built."""

PREFERRED: Final[tuple[BuildMethod, ...]] = ("append", "merge", "rows", "topk", "groups", "difference", "full")
"""All that build, in order of preference."""
BUILDING: Final[frozenset[str]] = frozenset(PREFERRED)
"""For words that come from the history, which another version may have written."""
FAILING: Final[frozenset[str]] = frozenset(get_args(FailingMethod))


def standing_of(method: Method) -> Standing:
    """What a method makes of a view."""
    match method:
        case "append" | "merge" | "rows" | "topk" | "groups" | "difference" | "full":
            return "built"
        case "none":
            return "current"
        case "stale" | "orphan":
            return "left"
        case "broken" | "failed" | "blocked":
            return "failing"
        case _:
            assert_never(method)


def is_building(method: Method) -> bool:
    """Is the view built."""
    return standing_of(method) == "built"


def is_failing(method: Method) -> bool:
    """Should the view have been built, and is not."""
    return standing_of(method) == "failing"


def is_left(method: Method) -> bool:
    """Is the view left as it was, though it is not up to date."""
    return standing_of(method) in {"left", "failing"}


def is_full(method: Method) -> bool:
    """Is the view's query run over all rows of its inputs, so that its change is not known."""
    return method == "full"

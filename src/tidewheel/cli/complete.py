"""Names that the shell offers for an argument: those of the project that the line so far is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import typer

from tidewheel.errors import TidewheelError

if TYPE_CHECKING:
    from tidewheel.api import Project


def views(context: typer.Context, incomplete: str) -> list[str]:
    return _begun(context, incomplete, lambda project: project.views)


def sources(context: typer.Context, incomplete: str) -> list[str]:
    return _begun(context, incomplete, lambda project: project.sources)


def relations(context: typer.Context, incomplete: str) -> list[str]:
    return _begun(context, incomplete, lambda project: (*project.sources, *project.views))


def orphans(context: typer.Context, incomplete: str) -> list[str]:
    return _begun(context, incomplete, lambda project: project.orphans())


def words(choices: Sequence[str]) -> Callable[[str], list[str]]:
    """Those of a few words that begin so."""
    return lambda incomplete: [word for word in choices if word.startswith(incomplete.lower())]


def _begun(context: typer.Context, incomplete: str, names: Callable[[Project], Iterable[str]]) -> list[str]:
    """Names that begin so; none if there is no sound project, for nobody reads errors while typing."""
    from tidewheel.api import open_project  # noqa: PLC0415

    try:
        project = open_project(_option(context, "project") or ".", target=_option(context, "target"))
        return [name for name in names(project) if name.lower().startswith(incomplete.lower())]
    except TidewheelError:
        return []


def _option(context: typer.Context, name: str) -> str | None:
    """An option's value after the command, or else before it."""
    above = context.parent.params if context.parent is not None else {}
    found: str | None = context.params.get(name) or above.get(name)
    return found

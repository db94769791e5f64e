"""What commands have in common: the options of all, and opening the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Select = Annotated[list[str], typer.Option("--select", "-s", help="Views: name, +name, name+, tag:x, source:x+.")]
Exclude = Annotated[list[str], typer.Option("--exclude", help="Views to leave out, in the same grammar.")]
NONE: list[str] = []
FullRefresh = Annotated[bool, typer.Option("--full-refresh", help="Recompute the selected views from scratch.")]


@dataclass(slots=True)
class Globals:
    project: str = "."
    target: str | None = None
    as_json: bool = False


STATE = Globals()


def open_project(as_json: bool) -> Any:
    """The project that the command is about."""
    STATE.as_json = as_json
    from tidewheel.api import open_project  # noqa: PLC0415

    return open_project(STATE.project, target=STATE.target)

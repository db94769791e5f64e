"""What commands have in common: the options of all, and opening the project."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from tidewheel.cli import complete

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Select = Annotated[
    list[str],
    typer.Option("--select", "-s", autocompletion=complete.views, help="Views: name, +name, name+, tag:x, source:x+."),
]
Exclude = Annotated[
    list[str],
    typer.Option("--exclude", autocompletion=complete.views, help="Views to leave out, in the same grammar."),
]
ViewName = Annotated[str, typer.Argument(autocompletion=complete.views, help="A view.")]
SourceName = Annotated[str, typer.Argument(autocompletion=complete.sources, help="A managed source.")]
RelationName = Annotated[str, typer.Argument(autocompletion=complete.relations, help="A source or a view.")]
NONE: list[str] = []


def one_of(name: str, choices: Sequence[str], help: str, *, short: str = "") -> Any:  # noqa: A002
    """An option whose values help and the shell list; what is none of them is refused with the project's own error."""
    names = (name, short) if short else (name,)
    return typer.Option(*names, metavar="|".join(choices), autocompletion=complete.words(choices), help=help)


Placement = Annotated[
    str | None,
    one_of("--placement", ("auto", "spark", "driver"), "Where views run (as tidewheel.yml says if left out)."),
]
Force = Annotated[bool, typer.Option("--force", help="Go on if the warehouse is gone or another one: begin anew.")]
FullRefresh = Annotated[bool, typer.Option("--full-refresh", help="Recompute the selected views from scratch.")]


@dataclass(slots=True)
class Globals:
    project: str = "."
    target: str | None = None
    as_json: bool = False


STATE = Globals()


ProjectOption = Annotated[
    str | None, typer.Option("--project", "-p", help="The project's folder, or one inside it.", show_default=False)
]
TargetOption = Annotated[
    str | None, typer.Option("--target", "-t", help="A target of tidewheel.yml.", show_default=False)
]


def of_a_project(command: Callable[..., None]) -> Callable[..., None]:
    """The command with `-p` and `-t`, which so may also stand after its name; there they count more than before it."""

    @functools.wraps(command)
    def called(*, project: str | None, target: str | None, **given: Any) -> None:
        STATE.project = project or STATE.project
        STATE.target = target or STATE.target
        command(**given)

    own = inspect.signature(command, eval_str=True)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in (("project", ProjectOption), ("target", TargetOption))
    ]
    called.__signature__ = own.replace(parameters=[*own.parameters.values(), *added])  # type: ignore[attr-defined]
    return called


def open_project(as_json: bool) -> Any:
    """The project that the command is about."""
    STATE.as_json = as_json
    from tidewheel.api import open_project  # noqa: PLC0415

    project = open_project(STATE.project, target=STATE.target)
    project.engines.brief = True
    return project

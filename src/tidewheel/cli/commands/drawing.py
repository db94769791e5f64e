"""The project as a picture: `graph`."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any, Final

import typer

from tidewheel.cli import output
from tidewheel.cli.options import NONE, Exclude, Json, Select, one_of, open_project
from tidewheel.errors import StoreError, UserError

FORMATS: Final = ("text", "mermaid", "dot", "html", "json")
_ENDINGS: Final = {
    ".html": "html", ".htm": "html", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".json": "json", ".txt": "text"
}  # fmt: skip
_ALWAYS_WITH_COLUMNS: Final = frozenset({"html", "json"})


def graph(
    select: Select = NONE,
    exclude: Exclude = NONE,
    format: Annotated[  # noqa: A002
        str | None, one_of("--format", FORMATS, "Else by the file's ending.", short="-f")
    ] = None,
    columns: Annotated[
        bool, typer.Option("--columns", help="Also columns and where they come from, in text, mermaid and dot.")
    ] = False,
    file: Annotated[str | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Draw sources and views: what reads what, columns and where they come from, states and last runs."""
    project = open_project(as_json)
    chosen = _format(format, file, as_json=as_json)
    if columns and chosen in _ALWAYS_WITH_COLUMNS:
        raise UserError(
            f"--columns is not for {chosen}", code="bad-option", hint=f"Leave it out: {chosen} always has the columns."
        )
    found = project.graph(select=select, exclude=exclude)
    if file is None:
        sys.stdout.write(_rendered(found, chosen, columns=columns))
    else:
        _write(file, _rendered(found, chosen, columns=columns))
        if as_json:
            output.emit_json({"file": file, "sources": len(found.sources), "views": len(found.views)})
        else:
            sys.stdout.write(f"wrote {file}: {len(found.sources)} sources, {len(found.views)} views\n")


def _format(wanted: str | None, file: str | None, *, as_json: bool) -> str:
    if as_json and wanted not in {None, "json"}:
        raise UserError(f"--json and --format {wanted} exclude each other", code="bad-option", hint="Give one of them.")
    asked = "json" if as_json else wanted
    if asked not in {None, *FORMATS}:
        raise UserError(
            f'format "{asked}" does not exist', code="bad-option", hint=f"Write one of: {', '.join(FORMATS)}."
        )
    return _by_ending(os.path.splitext(file or "")[1].lower(), asked)


def _by_ending(ending: str, asked: str | None) -> str:
    """What the file's name says, if nobody asked for anything; it may not say something else than was asked for."""
    meant = _ENDINGS.get(ending)
    if meant is None and ending and asked is None:
        raise UserError(
            f'the ending "{ending}" is that of no format',
            code="bad-option",
            hint=f"Write one of {', '.join(_ENDINGS)}, or say --format.",
        )
    if meant is not None and asked not in {None, meant}:
        raise UserError(
            f'the ending "{ending}" is that of {meant}, not of {asked}',
            code="bad-option",
            hint="Give the file another ending, or leave out the format.",
        )
    return asked or meant or "text"


def _rendered(found: Any, chosen: str, *, columns: bool) -> str:
    match chosen:
        case "json":
            return output.json_text(found.to_dict())
        case "html":
            return str(found.to_html())
        case "mermaid":
            return str(found.to_mermaid(columns=columns))
        case "dot":
            return str(found.to_dot(columns=columns))
        case _:
            return str(found.to_text(columns=columns))


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise StoreError(
            "the file cannot be written",
            code="not-writable",
            detail=f"{path}: {error.strerror}.",
            hint="Give --output a path in a folder that exists and that you may write to.",
        ) from error

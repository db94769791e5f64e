"""Begin a project."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from tidewheel.cli import output
from tidewheel.cli.options import STATE, Json


def init(
    folder: Annotated[str, typer.Argument(help="Where to begin the project.")] = ".", as_json: Json = False
) -> None:
    """Begin a project: a tidewheel.yml, a first source and a first view."""
    STATE.as_json = as_json
    from tidewheel.cli.starter import write_starter  # noqa: PLC0415

    files = write_starter(folder)
    if as_json:
        output.emit_json({"project": os.path.abspath(folder), "files": files})
        return
    for file in files:
        sys.stdout.write(f"wrote {file}\n")
    step = "" if folder == "." else f"cd {folder} && "
    sys.stdout.write(f"next: {step}tidewheel ingest orders orders.csv && tidewheel refresh\n")


def demo(
    folder: Annotated[str, typer.Argument(help="Where to build the demo project.")] = "shop",
    scale: Annotated[float, typer.Option("--scale", help="1 is about 300,000 rows.")] = 1.0,
    as_json: Json = False,
) -> None:
    """Build a small shop, refresh it, let a day pass, refresh again, and verify every view."""
    STATE.as_json = as_json
    from tidewheel.cli.demo import run_demo  # noqa: PLC0415

    code = run_demo(folder, scale, as_json=as_json)
    if code:
        raise typer.Exit(code)


def schema(as_json: Json = False) -> None:
    """Print the JSON schema of tidewheel.yml, for editors."""
    STATE.as_json = as_json
    from tidewheel.project.schema import schema_text  # noqa: PLC0415

    sys.stdout.write(schema_text())

"""`epochs`: what can be read."""

from __future__ import annotations

from typing import Annotated

import typer

from tidewheel.cli import output
from tidewheel.cli.options import Json, open_project


def epochs(
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many epochs.")] = 20,
    as_json: Json = False,
) -> None:
    """List the epochs that can be read, newest first."""
    found = open_project(as_json).epochs(limit=limit)
    if as_json:
        output.emit_json([epoch.to_dict() for epoch in found])
        return
    rows = [(e.number, e.time, e.kind, ", ".join(e.built) or None, ", ".join(e.stale) or None) for e in found]
    output.emit_table("", ["epoch", "time", "kind", "views built", "stale"], rows, drop=["kind"])

"""Check and tidy: `verify`, `vacuum`, `calibrate`, `drop`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tidewheel.cli import complete, output
from tidewheel.cli.options import NONE, Exclude, Json, Select, one_of, open_project
from tidewheel.cli.progress import progress, verdict


def verify(
    select: Select = NONE,
    exclude: Exclude = NONE,
    deep: Annotated[bool, typer.Option("--deep", help="Also hidden columns, states and change files.")] = False,
    engine: Annotated[str | None, one_of("--engine", ("spark", "local"), "local: a quick look, without Spark.")] = None,
    as_json: Json = False,
) -> None:
    """Recompute the views from their own SQL and compare them with their tables, row by row."""
    from tidewheel.project.select import select_views  # noqa: PLC0415

    project = open_project(as_json)
    with progress(len(select_views(project.definition().graph, select, exclude)), verdict) as display:
        found = project.verify(select=select, exclude=exclude, deep=deep, engine=engine, listener=display)
    if as_json:
        output.emit_json(found.to_dict())
    else:
        rows = [(n, v.verdict, v.rows, v.note) for n, v in found.views.items()]
        output.emit_table(f"epoch {found.epoch}", ["view", "verdict", "rows", "note"], rows, drop=["rows"])
        if found.engine != "spark":
            sys.stdout.write("by the local engine: a quick look, Spark has the last word\n")
        for name, v in found.differences.items():
            sys.stdout.write(f"{name}: {v.missing} rows missing, {v.unexpected} rows unexpected\n")
            for example in v.examples:
                sys.stdout.write(f"  {example}\n")
    if found.exit_code:
        raise typer.Exit(found.exit_code)


def vacuum(
    retention: Annotated[str | None, typer.Option("--retention", help='For example "7 days".')] = None,
    abandoned: Annotated[str | None, typer.Option("--abandoned", help="Age of attempts to give up on.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be deleted.")] = False,
    as_json: Json = False,
) -> None:
    """Delete files and epochs that nothing needs any more."""
    result = open_project(as_json).vacuum(retention=retention, abandoned=abandoned, dry_run=dry_run)
    if as_json:
        output.emit_json(result.to_dict())
        return
    would = "would delete" if dry_run else "deleted"
    sys.stdout.write(
        f"{would} {result.files:,} files ({output.human_bytes(result.bytes)}), {result.epochs:,} epochs, "
        f"{result.commits:,} commits, {result.attempts:,} abandoned attempts\n"
    )


def calibrate(as_json: Json = False) -> None:
    """Measure what work costs on this machine, so that the first predictions are good. Takes a minute."""
    project = open_project(as_json)
    with progress(1 if project.engines.where("auto").is_local else 2, lambda _: "measured") as display:
        found = project.calibrate(listener=display)
    if as_json:
        output.emit_json(found)
        return
    units = {
        "executions": (1, "s each"), "operators": (1, "s each"), "read": (1e9, "s for a GB"),
        "rows": (1e6, "s for a million"), "written": (1e9, "s for a GB"),
    }  # fmt: skip
    rows = [
        (name, unit, *(f"{body['prices'][name] * scale:.3g}" for body in found.values()))
        for name, (scale, unit) in units.items()
    ]
    output.emit_table("prices", ["work", "in", *found], rows, drop=["in"])
    for place, body in found.items():
        sys.stdout.write(
            f"{place}: predictions are off by a factor of {body['off']:.2f} (median of {body['samples']})\n"
        )


def drop(
    name: Annotated[
        str | None,
        typer.Argument(autocompletion=complete.orphans, help="An orphan; without it, orphans are listed."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Delete the table of a view or source whose definition is gone."""
    project = open_project(as_json)
    dropped = None if name is None else project.drop(name)
    orphans = project.orphans()
    if as_json:
        output.emit_json({"dropped": dropped, "orphans": orphans})
    elif dropped is not None:
        sys.stdout.write(f"dropped {dropped}\n")
    else:
        sys.stdout.write("".join(f"{o}\n" for o in orphans) or "no orphans\n")

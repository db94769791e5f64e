"""Rows in and out: `ingest`, `show`, `query`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tidewheel.cli import output
from tidewheel.cli.options import Force, Json, RelationName, SourceName, open_project
from tidewheel.cli.rows import emit_rows


def ingest(
    source: SourceName,
    file: Annotated[str, typer.Argument(help="A Parquet, CSV or JSON-lines file.")],
    mode: Annotated[str, typer.Option("--mode", help="append, upsert or delete.")] = "append",
    id: Annotated[str | None, typer.Option("--id", help="The same id is ingested once.")] = None,  # noqa: A002
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a file's rows into a managed source, all or nothing."""
    result = open_project(as_json).ingest(source, file, mode=mode, id=id, force=force)
    if as_json:
        output.emit_json(result.to_dict())
    elif not result.applied:
        sys.stdout.write(f"{source}: id {id} was ingested before, nothing to do\n")
    else:
        gone = f", {result.removed:,} replaced or removed" if result.mode != "append" else ""
        sys.stdout.write(f"{source}: {result.rows:,} rows written{gone}, now version {result.version}\n")


def show(
    relation: RelationName,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many rows.")] = 20,
    epoch: Annotated[int | None, typer.Option("--epoch", help="An older epoch.")] = None,
    as_json: Json = False,
) -> None:
    """Show the rows of a relation, without starting an engine."""
    from tidewheel.cli.report import head  # noqa: PLC0415

    project = open_project(as_json)
    emit_rows(head(project, relation, limit, epoch), relation, as_json=as_json)


def query(
    sql: str,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many rows to print.")] = 100,
    epoch: Annotated[int | None, typer.Option("--epoch", help="An older epoch.")] = None,
    as_json: Json = False,
) -> None:
    """Run a query over the relations of the last epoch."""
    table = open_project(as_json).query(sql, epoch=epoch)
    emit_rows(table.slice(0, limit), "", as_json=as_json)

"""Rows in and out: `ingest`, `show`, `query`."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Final

import typer

from tidewheel.cli import output
from tidewheel.cli.options import Force, Json, RelationName, SourceName, one_of, open_project
from tidewheel.cli.progress import busy
from tidewheel.cli.rows import emit_rows

MODES: Final = ("append", "upsert", "delete", "replace")
FORMATS: Final = ("parquet", "csv", "json")


def ingest(
    source: SourceName,
    files: Annotated[list[str], typer.Argument(help="Parquet, CSV or JSON files, patterns, or - for standard input.")],
    mode: Annotated[str, one_of("--mode", MODES, "What becomes of rows that are there.")] = "append",
    id: Annotated[str | None, typer.Option("--id", help="The same id is ingested once.")] = None,  # noqa: A002
    format: Annotated[str | None, one_of("--format", FORMATS, "If no name tells.")] = None,  # noqa: A002
    delimiter: Annotated[str, typer.Option("--delimiter", help="What separates the fields of CSV files.")] = ",",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write the rows of files into a managed source, all or nothing."""
    data = [sys.stdin.buffer if file == "-" else file for file in files]
    between = "\t" if delimiter == r"\t" else delimiter
    project = open_project(as_json)
    result = project.ingest(source, data, mode=mode, id=id, format=format, delimiter=between, force=force)
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
    _emit_first(head(project, relation, limit + 1, epoch), limit, relation, as_json=as_json)


def query(
    sql: str,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many rows to print.")] = 100,
    epoch: Annotated[int | None, typer.Option("--epoch", help="An older epoch.")] = None,
    as_json: Json = False,
) -> None:
    """Run a query over the relations of the last epoch, or over the newest rows of sources alone."""
    project = open_project(as_json)
    with busy("running the query"):
        answer = project.answer(sql, epoch=epoch, limit=limit + 1)
    _emit_first(answer.rows, limit, "", as_json=as_json)
    if answer.behind:
        sys.stderr.write(f"note: read as of the last epoch; newer rows are in {', '.join(answer.behind)}\n")


def _emit_first(table: Any, limit: int, title: str, *, as_json: bool) -> None:
    """Print rows up to a limit, and say so if there are more."""
    emit_rows(table.slice(0, limit), title, as_json=as_json)
    if table.num_rows > limit:
        some = f"the first {limit:,} of more rows" if limit else "there are rows"
        sys.stderr.write(f"note: {some}; --limit gives others\n")

"""What is there and what was done: `status`, `history`, `explain`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tidewheel.cli import complete, output
from tidewheel.cli.options import Json, ViewName, open_project
from tidewheel.errors import ExecutionError, UserError

if TYPE_CHECKING:
    from tidewheel.run.past import Failure, ViewPast
    from tidewheel.run.standing import ViewStatus


def status(as_json: Json = False) -> None:
    """Show every relation: what is fresh, what is behind and by how much, and what failed last."""
    found = open_project(as_json).status()
    if as_json:
        output.emit_json(found.to_dict())
        return
    output.emit_line(f"project {found.project}, epoch {found.epoch} of {found.time or 'never'}")
    sources = [(n, s.kind, s.version, s.change, s.files or None) for n, s in found.sources.items()]
    output.emit_table(
        "sources", ["source", "kind", "version", "since last epoch", "files to take"], sources, drop=["version", "kind"]
    )
    columns = ["view", "state", "pending", "lag", "as of", "built", "rows", "size", "age", "from changes", "note"]
    drop = ["from changes", "built", "size", "as of", "age", "rows"]
    output.emit_table("views", columns, [_standing(n, v) for n, v in found.views.items()], drop=drop)
    for name, view in found.views.items():
        if view.past.failure is not None:
            output.emit_line(f"{name} failed: {_failure(view.past.failure)}")
    if found.failure is not None:
        output.emit_line(f"the last run failed: {_failure(found.failure)}")


def _standing(name: str, view: ViewStatus) -> tuple[Any, ...]:
    """What one line of `status` says of a view."""
    return (
        name,
        view.state,
        _pending(view),
        output.human_seconds(view.lag) if view.state != "fresh" else None,
        view.as_of,
        view.built,
        view.rows,
        output.human_bytes(view.bytes),
        output.human_seconds(view.age),
        _kept(view.past),
        view.note,
    )


def _pending(view: ViewStatus) -> str | None:
    """Rows and files that wait; only where there are any."""
    if not view.pending.sources:
        return None
    rows = "?" if view.pending.rows is None else f"{view.pending.rows:,}"
    parts = [f"{rows} rows"] if view.pending.rows != 0 else []
    return ", ".join(parts + ([f"{view.pending.files} files"] if view.pending.files else []))


def _failure(failure: Failure) -> str:
    return f"{failure.text} [{failure.code}], run of {failure.started}"


def _kept(past: ViewPast) -> str | None:
    """How many of a view's refreshes were from changes, and the seconds that they are thought to have saved."""
    if not past.refreshes:
        return None
    what = "saved" if past.saved >= 0 else "lost"
    return f"{past.from_changes} of {past.refreshes}, {abs(past.saved):.1f} s {what}"


def history(
    view: Annotated[
        str | None, typer.Option("--view", autocompletion=complete.views, help="Only runs that touched this view.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many runs.")] = 20,
    as_json: Json = False,
) -> None:
    """Show past runs, newest first; of one view, what was predicted and what happened."""
    from tidewheel.cli.history import emit_runs, emit_runs_of, find_any, touches  # noqa: PLC0415

    project = open_project(as_json)
    name = None if view is None else find_any(project, view)
    runs = project.history(limit=limit) if name is None else project.history()
    runs = [run for run in runs if name is None or touches(run, name)][:limit]
    if as_json:
        output.emit_json(runs)
    elif name is None:
        emit_runs(runs)
    else:
        emit_runs_of(name, runs)


def explain(
    view: ViewName,
    sql: Annotated[bool, typer.Option("--sql", help="Print the SQL that runs, in full and for changes.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Print what the search for its change looked at.")] = False,
    as_json: Json = False,
) -> None:
    """Explain one view: what it reads, how it was last built, and what a refresh would do with it."""
    from tidewheel.cli.explain import broken_text, explain_text, sql_text, trace_text  # noqa: PLC0415

    if sql and trace:
        raise UserError("--sql and --trace exclude each other", code="bad-option", hint="Give one of them.")
    body = open_project(as_json).explain(view)
    if as_json:
        output.emit_json(body)
    elif body["error"]:
        sys.stdout.write(broken_text(body) + "\n")
    elif sql:
        sys.stdout.write(sql_text(body["upkeep"], body["sql"]) + "\n")
    elif trace:
        sys.stdout.write(trace_text(body["trace"]) + "\n")
    else:
        sys.stdout.write(explain_text(body) + "\n")
    if body["error"]:
        raise typer.Exit(ExecutionError.exit_code)

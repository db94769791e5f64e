"""What is there and what was done: `status`, `history`, `explain`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from tidewheel.cli import complete, output
from tidewheel.cli.options import Json, ViewName, open_project
from tidewheel.errors import UserError


def status(as_json: Json = False) -> None:
    """Show every relation of the last epoch: fresh, or stale as of which epoch."""
    from tidewheel.cli.report import status_body  # noqa: PLC0415

    body = status_body(open_project(as_json))
    if as_json:
        output.emit_json(body)
        return
    sys.stdout.write(f"project {body['project']}, epoch {body['epoch']} of {body['time'] or 'never'}\n")
    sources = [(n, s["kind"], s["version"], s["change"]) for n, s in body["sources"].items()]
    output.emit_table("sources", ["source", "kind", "version", "since last epoch"], sources)
    views = [
        (n, v["state"], v["as_of"], v["built"], v["rows"], output.human_bytes(v["bytes"]), _kept(v), v["note"])
        for n, v in body["views"].items()
    ]
    columns = ["view", "state", "as of", "built", "rows", "size", "from changes", "note"]
    output.emit_table("views", columns, views)


def _kept(view: dict[str, Any]) -> str | None:
    """How many of a view's refreshes were from changes, and the seconds that they are thought to have saved."""
    many, all_ = view["from_changes"], view["refreshes"]
    return f"{many} of {all_}, {view['saved']:.1f} s saved" if all_ else None


def history(
    view: Annotated[
        str | None, typer.Option("--view", autocompletion=complete.views, help="Only runs that touched this view.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many runs.")] = 20,
    as_json: Json = False,
) -> None:
    """Show past runs, newest first; of one view, what was predicted and what happened."""
    from tidewheel.refresh.plan import BUILDING  # noqa: PLC0415

    runs = [
        r
        for r in open_project(as_json).history()
        if view is None or r["views"].get(view, {}).get("method") not in {None, "none"}
    ]
    runs = runs[:limit]
    if as_json:
        output.emit_json(runs)
        return
    if view is not None:
        columns = ["epoch", "started", "method", "changed", "predicted rows", "seconds", "predicted", "instead", "why"]
        output.emit_table(view, columns, [_past(run, run["views"][view]) for run in runs])
        return
    rows = []
    for run in runs:
        methods = [v["method"] for v in run["views"].values()]
        failed = sum(m in {"failed", "blocked"} for m in methods)
        built = sum(m in BUILDING for m in methods)
        rows.append(
            (
                run["epoch"],
                run["started"],
                run["seconds"],
                built,
                failed,
                run["engine"] or "-",
                run["published"],
            )
        )
    output.emit_table("", ["epoch", "started", "seconds", "built", "failed", "engine", "published"], rows)


def _past(run: dict[str, Any], view: dict[str, Any]) -> tuple[Any, ...]:
    """One refresh of a view: what was predicted, and what happened."""
    found = [view.get(k) for k in ("method", "changed", "predicted_rows", "seconds", "predicted", "instead")]
    return (run["epoch"], run["started"], *found, view["reason"]["text"])


def explain(
    view: ViewName,
    sql: Annotated[bool, typer.Option("--sql", help="Print the SQL that runs, in full and for changes.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Print what the search for its change looked at.")] = False,
    as_json: Json = False,
) -> None:
    """Explain one view: what it reads, how it was last built, and what a refresh would do with it."""
    from tidewheel.cli.explain import explain_body, explain_text  # noqa: PLC0415

    if sql and trace:
        raise UserError("--sql and --trace exclude each other", code="bad-option", hint="Give one of them.")
    body = explain_body(open_project(as_json), view)
    if as_json:
        output.emit_json(body)
    elif sql:
        from tidewheel.cli.upkeep import sql_text  # noqa: PLC0415

        sys.stdout.write(sql_text(body["upkeep"], body["sql"]) + "\n")
    elif trace:
        from tidewheel.cli.upkeep import trace_text  # noqa: PLC0415

        sys.stdout.write(trace_text(body["trace"]) + "\n")
    else:
        sys.stdout.write(explain_text(body) + "\n")

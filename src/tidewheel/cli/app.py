"""The command line. Each command is a few lines over the Python API; errors and exit codes are handled in `main`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from tidewheel.cli import output
from tidewheel.errors import INTERRUPT_EXIT_CODE, InternalError, TidewheelError, UserError

app = typer.Typer(
    name="tidewheel",
    help="Keeps a graph of SQL views fresh on Apache Spark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

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
USAGE_ERROR: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
"""What a wrong call raises: of click, or of the copy that newer versions of typer carry."""


def _version(wanted: bool) -> None:
    if wanted:
        from tidewheel import __version__  # noqa: PLC0415

        sys.stdout.write(f"tidewheel {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    project: Annotated[str, typer.Option("--project", "-p", help="The project's folder.")] = ".",
    target: Annotated[str | None, typer.Option("--target", "-t", help="A target of tidewheel.yml.")] = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    """Options of every command."""
    del version
    STATE.project, STATE.target = project, target


def _open(as_json: bool) -> Any:
    STATE.as_json = as_json
    from tidewheel.api import open_project  # noqa: PLC0415

    return open_project(STATE.project, target=STATE.target)


@app.command()
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


@app.command()
def plan(
    select: Select = NONE,
    exclude: Exclude = NONE,
    full_refresh: FullRefresh = False,
    what_if: Annotated[
        list[str], typer.Option("--what-if", help="As if sources had changed: orders=+1%,customers=5%.")
    ] = NONE,
    as_json: Json = False,
) -> None:
    """Show what a refresh would do, what that would cost, and why. Starts no engine."""
    found = _open(as_json).plan(select=select, exclude=exclude, full_refresh=full_refresh, what_if=what_if)
    if as_json:
        output.emit_json(found.to_dict())
        return
    sources = [(n, p.version, str(p.change), found.landing.get(n)) for n, p in found.sources.items()]
    output.emit_table("sources", ["source", "version", "change", "new files"], sources)
    output.emit_table(
        "views", ["view", "method", "rows", "reads", "seconds", "instead", "why"], map(_step, found.steps)
    )
    if found.shared:
        shared = [
            (s.relation, ", ".join(sorted(s.part.columns())), s.seconds, s.alone, ", ".join(s.views))
            for s in found.shared
        ]
        output.emit_table("read once", ["rows of", "by", "seconds", "instead of", "for"], shared)
    for view, sizes in found.flips.items():
        text = ", ".join(f"{name}={size}" for name, size in sizes.items())
        sys.stdout.write(f"{view}: in full from about {text}\n")
    last = "nothing to do" if found.is_empty else f"epoch {found.base} -> {found.epoch}"
    sys.stdout.write(last + "\n")


def _step(step: Any) -> tuple[Any, ...]:
    """What is predicted for a view: rows that change, bytes read, seconds, and what the other way would take."""
    if not step.arms:
        return (step.view, step.method, None, None, None, None, step.text)
    arm, *others = step.arms
    instead = ", ".join(f"{other.method} {other.seconds:.2f}" for other in others)
    rows, read = round(arm.rows), output.human_bytes(round(arm.read))
    return (step.view, step.method, rows, read, arm.seconds, instead, step.text)


@app.command()
def refresh(
    select: Select = NONE,
    exclude: Exclude = NONE,
    full_refresh: FullRefresh = False,
    as_json: Json = False,
) -> None:
    """Bring the views up to date and publish them as one epoch."""
    project = _open(as_json)
    total = len(project.views)
    with output.progress(total, quiet=as_json) as display:
        run = project.refresh(select=select, exclude=exclude, full_refresh=full_refresh, listener=display)
    if as_json:
        output.emit_json(run.to_dict())
    else:
        _print_run(run)
    if run.exit_code:
        raise typer.Exit(run.exit_code)


def _print_run(run: Any) -> None:
    if not run.published:
        sys.stdout.write(f"nothing to do: epoch {run.epoch} is up to date\n")
        return
    rows = [
        (
            name,
            v.method,
            v.rows,
            output.human_bytes(v.bytes),
            v.seconds,
            v.predicted,
            v.error.message if v.error else v.reason.text,
        )
        for name, v in run.views.items()
    ]
    output.emit_table(f"epoch {run.epoch}", ["view", "method", "rows", "size", "seconds", "predicted", "why"], rows)
    for name in run.foreign:
        sys.stdout.write(f"note: another tool had written to view {name}; its rows were replaced\n")
    for view in run.views.values():
        if view.error:
            output.emit_error(view.error, as_json=False)
    built = sum(v.rows is not None for v in run.views.values())
    sys.stdout.write(f"published epoch {run.epoch}: {built} built in {run.seconds:.1f} s on {run.engine}\n")


@app.command()
def status(as_json: Json = False) -> None:
    """Show every relation of the last epoch: fresh, or stale as of which epoch."""
    from tidewheel.cli.report import status_body  # noqa: PLC0415

    body = status_body(_open(as_json))
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


@app.command()
def history(
    view: Annotated[str | None, typer.Option("--view", help="Only runs that touched this view.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many runs.")] = 20,
    as_json: Json = False,
) -> None:
    """Show past runs, newest first; of one view, what was predicted and what happened."""
    from tidewheel.refresh.plan import BUILDING  # noqa: PLC0415

    runs = [
        r
        for r in _open(as_json).history()
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


@app.command()
def explain(
    view: str,
    sql: Annotated[bool, typer.Option("--sql", help="Print the SQL that runs, in full and for changes.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Print what the search for its change looked at.")] = False,
    as_json: Json = False,
) -> None:
    """Explain one view: what it reads, how it was last built, and what a refresh would do with it."""
    from tidewheel.cli.explain import explain_body, explain_text  # noqa: PLC0415

    if sql and trace:
        raise UserError("--sql and --trace exclude each other", code="bad-option", hint="Give one of them.")
    body = explain_body(_open(as_json), view)
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


@app.command()
def show(
    relation: str,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many rows.")] = 20,
    epoch: Annotated[int | None, typer.Option("--epoch", help="An older epoch.")] = None,
    as_json: Json = False,
) -> None:
    """Show the rows of a relation, without starting an engine."""
    from tidewheel.cli.report import head  # noqa: PLC0415

    project = _open(as_json)
    _emit_rows(head(project, relation, limit, epoch), relation, as_json)


@app.command()
def query(
    sql: str,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many rows to print.")] = 100,
    epoch: Annotated[int | None, typer.Option("--epoch", help="An older epoch.")] = None,
    as_json: Json = False,
) -> None:
    """Run a query over the relations of the last epoch."""
    table = _open(as_json).query(sql, epoch=epoch)
    _emit_rows(table.slice(0, limit), "", as_json)


def _emit_rows(table: Any, title: str, as_json: bool) -> None:
    if as_json:
        output.emit_json(table.to_pylist())
    else:
        rows = [tuple("NULL" if v is None else str(v) for v in r.values()) for r in table.to_pylist()]
        output.emit_table(title, table.column_names, rows)


@app.command()
def ingest(
    source: str,
    file: Annotated[str, typer.Argument(help="A Parquet, CSV or JSON-lines file.")],
    mode: Annotated[str, typer.Option("--mode", help="append, upsert or delete.")] = "append",
    id: Annotated[str | None, typer.Option("--id", help="The same id is ingested once.")] = None,  # noqa: A002
    as_json: Json = False,
) -> None:
    """Write a file's rows into a managed source, all or nothing."""
    result = _open(as_json).ingest(source, file, mode=mode, id=id)
    if as_json:
        output.emit_json(result.to_dict())
    elif not result.applied:
        sys.stdout.write(f"{source}: id {id} was ingested before, nothing to do\n")
    else:
        gone = f", {result.removed:,} replaced or removed" if result.mode != "append" else ""
        sys.stdout.write(f"{source}: {result.rows:,} rows written{gone}, now version {result.version}\n")


@app.command()
def verify(
    select: Select = NONE,
    exclude: Exclude = NONE,
    deep: Annotated[bool, typer.Option("--deep", help="Also hidden columns, states and change files.")] = False,
    as_json: Json = False,
) -> None:
    """Recompute the views from their own SQL and compare them with their tables, row by row."""
    found = _open(as_json).verify(select=select, exclude=exclude, deep=deep)
    if as_json:
        output.emit_json(found.to_dict())
    else:
        rows = [
            (
                n,
                "skipped" if v.skipped else "equal" if v.equal else "DIFFERENT",
                v.rows,
                v.problem or v.skipped or "",
            )
            for n, v in found.views.items()
        ]
        output.emit_table(f"epoch {found.epoch}", ["view", "verdict", "rows", "note"], rows)
        for name, verdict in found.differences.items():
            sys.stdout.write(f"{name}: {verdict.missing} rows missing, {verdict.unexpected} rows unexpected\n")
            for example in verdict.examples:
                sys.stdout.write(f"  {example}\n")
    if found.exit_code:
        raise typer.Exit(found.exit_code)


@app.command()
def vacuum(
    retention: Annotated[str | None, typer.Option("--retention", help='For example "7 days".')] = None,
    abandoned: Annotated[str | None, typer.Option("--abandoned", help="Age of attempts to give up on.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be deleted.")] = False,
    as_json: Json = False,
) -> None:
    """Delete files and epochs that nothing needs any more."""
    result = _open(as_json).vacuum(retention=retention, abandoned=abandoned, dry_run=dry_run)
    if as_json:
        output.emit_json(result.to_dict())
        return
    would = "would delete" if dry_run else "deleted"
    sys.stdout.write(
        f"{would} {result.files:,} files ({output.human_bytes(result.bytes)}), {result.epochs:,} epochs, "
        f"{result.commits:,} commits, {result.attempts:,} abandoned attempts\n"
    )


@app.command()
def calibrate(as_json: Json = False) -> None:
    """Measure what work costs on this machine, so that the first predictions are good. Takes a minute."""
    found = _open(as_json).calibrate()
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
    output.emit_table("prices", ["work", "in", *found], rows)
    for place, body in found.items():
        sys.stdout.write(
            f"{place}: predictions are off by a factor of {body['off']:.2f} (median of {body['samples']})\n"
        )


@app.command()
def drop(
    name: Annotated[str | None, typer.Argument(help="An orphan; without it, orphans are listed.")] = None,
    as_json: Json = False,
) -> None:
    """Delete the table of a view whose definition is gone."""
    project = _open(as_json)
    if name is not None:
        project.drop(name)
    orphans = project.orphans()
    if as_json:
        output.emit_json({"dropped": name, "orphans": orphans})
    elif name is not None:
        sys.stdout.write(f"dropped {name}\n")
    else:
        sys.stdout.write("".join(f"{o}\n" for o in orphans) or "no orphans\n")


@app.command()
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


def main(arguments: list[str] | None = None) -> None:
    """Run a command; every way it can end has its exit code."""
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(_guarded(lambda: app(arguments, standalone_mode=False)))


def _terminated(*_: object) -> None:
    raise KeyboardInterrupt


def _guarded(command: Callable[[], object]) -> int:
    try:
        result = command()
    except typer.Exit as stop:
        return stop.exit_code
    except USAGE_ERROR as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            return 0
        as_json = STATE.as_json or "--json" in sys.argv
        wrong = UserError(error.format_message().rstrip("."), code="bad-usage", hint="See `tidewheel --help`.")
        output.emit_error(wrong, as_json=as_json)
        return 1
    except TidewheelError as error:
        output.emit_error(error, as_json=STATE.as_json)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("interrupted: what was decided will be finished by the next command, the rest was undone\n")
        return INTERRUPT_EXIT_CODE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Exception:  # noqa: BLE001  whatever is left is our bug, and says so
        import traceback  # noqa: PLC0415

        traceback.print_exc()
        sys.stderr.write("this is a bug in tidewheel; please report it with the lines above\n")
        return InternalError.exit_code
    return result if isinstance(result, int) else 0

"""What a refresh would do, and the refresh."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from tidewheel.cli import output
from tidewheel.cli.options import NONE, Exclude, Force, FullRefresh, Json, Placement, Select, one_of, open_project
from tidewheel.cli.progress import built, cause, progress
from tidewheel.errors import PlanError, TidewheelError


def check(
    spark: Annotated[bool, typer.Option("--spark", help="Also ask Spark's analyzer; no job is run.")] = False,
    as_json: Json = False,
) -> None:
    """Bind every view to what it reads and say all that is wrong. Starts no engine."""
    found = open_project(as_json).check(spark=spark)
    if as_json:
        output.emit_json(found.to_dict())
    else:
        for error in found.errors:
            output.emit_error(error, as_json=False)
        rows = [(v.view, v.state, v.file, v.note or (v.error and v.error.message)) for v in found.views.values()]
        if shown := [row for row in rows if row[1] != "sound"]:
            output.emit_table("views", ["view", "state", "file", "note"], shown, drop=["file"])
        output.emit_line(f"{_counted(found)}")
    if found.exit_code:
        raise typer.Exit(found.exit_code)


def _counted(found: Any) -> str:
    """How many views are in which state."""
    texts = {"sound": "sound", "broken": "broken", "first-build": "checked at first build"}
    states = [v.state for v in found.views.values()]
    counts = {text: states.count(state) for state, text in texts.items()}
    return ", ".join(f"{count:,} {text}" for text, count in counts.items() if count) or "no views"


def plan(
    select: Select = NONE,
    exclude: Exclude = NONE,
    full_refresh: FullRefresh = False,
    what_if: Annotated[
        list[str], typer.Option("--what-if", help="As if sources had changed: orders=+1%,customers=5%.")
    ] = NONE,
    placement: Placement = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="End with 2 if a view would be recomputed that nobody asked to be.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what a refresh would do, what that would cost, and why. Starts no engine."""
    found = open_project(as_json).plan(
        select=select, exclude=exclude, full_refresh=full_refresh, what_if=what_if, placement=placement
    )
    if as_json:
        output.emit_json(found.to_dict())
    else:
        _print_plan(found)
    _end(found.exit_code, () if as_json else [s.error for s in found.failing])
    if exit_code and found.unasked_full:
        raise typer.Exit(PlanError.exit_code)


def _print_plan(found: Any) -> None:
    output.emit_table("sources", ["source", "version", "change"], found.standing, drop=["version"])
    output.emit_table(
        "views",
        ["view", "method", "on", "rows", "reads", "seconds", "instead", "why"],
        map(_step, found.steps),
        drop=["instead", "reads", "rows", "on"],
    )
    if found.shared:
        shared = [
            (s.relation, ", ".join(sorted(s.part.columns())), s.seconds, s.alone, ", ".join(s.views))
            for s in found.shared
        ]
        output.emit_table("read once", ["rows of", "by", "seconds", "instead of", "for"], shared, drop=["by"])
    for view, sizes in found.flips.items():
        text = ", ".join(f"{name}={size}" for name, size in sizes.items())
        output.emit_line(f"{view}: in full from about {text}")
    last = "nothing to do" if found.is_empty else f"epoch {found.base} -> {found.epoch}"
    output.emit_line(last)
    if not found.is_empty:
        output.emit_line(_spark(found))
    if found.unasked_full:
        named = ", ".join(step.view for step in found.unasked_full)
        output.emit_line(f"recomputed although nobody asked for it: {named}")


def _spark(found: Any) -> str:
    """Whether a refresh would start Spark, and for which views."""
    on_spark = [step for step in found.steps if step.place == "spark"]
    if not on_spark:
        return "Spark will not start"
    named = ", ".join(step.view for step in on_spark[:3]) + (", ..." if len(on_spark) > 3 else "")
    reasons = dict.fromkeys(step.on_spark.text for step in on_spark)
    return f"Spark will start for {len(on_spark)} of {len(found.to_build)} views ({named}): {'; '.join(reasons)}"


def _end(code: int, errors: Iterable[TidewheelError | None]) -> None:
    """Print what is wrong with views, the cause once and not for each that it stops, and exit."""
    for error in dict.fromkeys(e for e in errors if e is not None and e.code != "broken-input"):
        output.emit_error(error, as_json=False)
    if code:
        raise typer.Exit(code)


def _step(step: Any) -> tuple[Any, ...]:
    """What is predicted for a view: rows that change, bytes read, seconds, and what the other way would take."""
    way = step.predicted
    if way is None:
        return (step.view, step.method, step.place, None, None, None, None, step.text)
    instead = ", ".join(f"{other.method} {other.seconds:.2f}" for other in step.rejected)
    rows, read = round(way.rows), output.human_bytes(round(way.read))
    return (step.view, step.method, step.place, rows, read, way.seconds, instead, step.text)


def refresh(
    select: Select = NONE,
    exclude: Exclude = NONE,
    full_refresh: FullRefresh = False,
    placement: Placement = None,
    force: Force = False,
    fail_on: Annotated[
        str | None,
        one_of("--fail-on", ("full",), "full: refuse if a view would be recomputed that nobody asked to be."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Let other runs finish first; plan again if one of them wins.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Bring the views up to date and publish them as one epoch."""
    project = open_project(as_json)
    with progress(len(project.views), built) as display:
        run = project.refresh(
            select=select,
            exclude=exclude,
            full_refresh=full_refresh,
            placement=placement,
            force=force,
            fail_on=fail_on,
            wait=wait,
            listener=display,
        )
    if as_json:
        output.emit_json(run.to_dict())
    else:
        _print_run(run)
    _end(run.exit_code, () if as_json else [v.error for v in run.failed.values()])


def _print_run(run: Any) -> None:
    if not run.published:
        left = f": {len(run.failed)} of its views cannot be refreshed" if run.failed else " is up to date"
        output.emit_line(f"nothing to do: epoch {run.epoch}{left}")
        return
    rows = [
        (
            name,
            v.method,
            v.place,
            v.rows,
            output.human_bytes(v.bytes),
            v.seconds,
            v.predicted,
            cause(v.error) if v.error else v.reason.text,
        )
        for name, v in run.views.items()
    ]
    output.emit_table(
        f"epoch {run.epoch}",
        ["view", "method", "on", "rows", "size", "seconds", "predicted", "why"],
        rows,
        drop=["predicted", "size", "on", "rows"],
    )
    for reason, names in _sent_to_spark(run).items():
        output.emit_line(f"note: on Spark, for {reason}: {', '.join(names)}")
    for name in run.foreign:
        output.emit_line(f"note: another tool had written to view {name}; its rows were replaced")
    many = sum(v.rows is not None for v in run.views.values())
    places = " and ".join({"driver": "the driver", "spark": "Spark"}[place] for place in run.places)
    on = f" on {places}" if places else ""
    output.emit_line(f"published epoch {run.epoch}: {many} built in {run.seconds:.1f} s{on}")


def _sent_to_spark(run: Any) -> dict[str, list[str]]:
    """By reason, the views that ran on Spark although the driver was to do what it can."""
    found: dict[str, list[str]] = {}
    for name, view in run.views.items():
        if view.on_spark is not None and view.on_spark.code not in {"placement", "full-build"}:
            found.setdefault(view.on_spark.text, []).append(name)
    return found

"""What must hold after a crash or an error, and in the end: checks that run in a child, for the model's sake."""

from __future__ import annotations

import os
import traceback
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

import tidewheel as tw
from tests.faults.jobs import COLUMNS, create, do, perform, rows_of, share_duckdb
from tests.faults.ledger import Operation, Rows
from tidewheel import failpoints
from tidewheel.api import Project
from tidewheel.errors import TidewheelError, UserError
from tidewheel.store import disk, log
from tidewheel.store.epochs import epoch_numbers, view_record
from tidewheel.store.warehouse import Warehouse


def plain(table: str) -> Rows | None:
    """A table as any Delta reader sees it; None if there is none yet."""
    if log.latest_version(table) is None:
        return None
    return rows_of(DeltaTable(table).to_pyarrow_table())


def own_sources(project: Project) -> list[str]:
    return [name for name in project.sources if name in COLUMNS]


def plain_rows(project: Project, names: Any) -> dict[str, Rows]:
    root = project.definition().warehouse
    found = {name: plain(os.path.join(root, name)) for name in names}
    return {name: rows for name, rows in found.items() if rows is not None}


def published_rows(project: Project) -> dict[str, Rows]:
    """The views of the last epoch, as Tidewheel reads them."""
    defined = set(project.views)
    return {v: rows_of(project.to_arrow(v)) for v in project.epoch().views if v in defined}


def observe(root: str) -> dict[str, Any]:
    project = tw.open(root)
    return {
        "sources": plain_rows(project, own_sources(project)),
        "views": plain_rows(project, project.views),
        "published": published_rows(project),
        "epochs": epoch_numbers(Warehouse(project.definition().warehouse)),
    }


def check(root: str, operation: Operation, expected: dict[str, Any]) -> None:
    """After a crash or an error: nothing half-done shows; the same operation and a refresh bring what is right."""
    check_whole(root, expected)
    repeat(root, operation, expected)
    project = tw.open(root)
    project.refresh()
    check_final(project, expected["final"])
    warehouse = Warehouse(project.definition().warehouse)
    numbers = epoch_numbers(warehouse)
    whole = operation["do"] == "vacuum" or numbers == list(range(1, numbers[-1] + 1))
    assert whole, f"epochs {numbers} have a hole"
    project.vacuum(retention="0 seconds", abandoned="0 seconds")
    check_final(project, expected["final"])
    differences = {n: str(v) for n, v in project.verify().differences.items()}
    assert not differences, differences
    check_no_garbage(project)
    if operation["do"] == "drop":
        left = disk.list_names(warehouse.table(operation["view"]))
        assert not left, f"the dropped table still holds {left}"


def check_all(cases: dict[str, str], operation: Operation, expected: dict[str, Any]) -> dict[str, str]:
    """`check` for many projects, by the failpoint that each was left at; returns what is wrong, if anything."""
    share_duckdb()
    broken = {}
    for failpoint, root in cases.items():
        try:
            check(root, operation, expected)
        except Exception:  # noqa: BLE001  told to the test
            broken[failpoint] = traceback.format_exc()
    return broken


def check_whole(root: str, expected: dict[str, Any]) -> None:
    """Sources and views are as before the operation or as after it, each as a whole."""
    if not os.path.exists(os.path.join(root, "tidewheel.yml")):
        return
    seen = observe(root)
    allowed = [{n: r for n, r in e.items() if r or n in seen["sources"]} for e in expected["sources"]]
    sources = [{n: r for n, r in a.items() if n in seen["sources"] or r} for a in allowed]
    assert seen["sources"] in sources, f"sources {seen['sources']}, expected one of {sources}"
    for view, rows in seen["views"].items():
        known = [e[view] for e in expected["views"] if view in e]
        assert rows in known, f"view {view} shows {rows}, expected one of {known}"
        if expected.get("some_may_fail"):
            assert seen["published"].get(view, rows) in known, f"view {view} was published as {seen['published']}"
    allowed_views = [seen["published"]] if expected.get("some_may_fail") else expected["views"]
    assert seen["published"] in allowed_views, f"published {seen['published']}, expected one of {allowed_views}"


def repeat(root: str, operation: Operation, expected: dict[str, Any]) -> None:
    """Do the operation again: always if that is safe, else only if it did not happen."""
    if operation["do"] == "create":
        if not os.path.exists(os.path.join(root, "tidewheel.yml")):
            create(root)
        return
    project = tw.open(root)
    if not _is_safe_to_repeat(operation) and _happened(project, operation, expected):
        return
    try:
        do(project, operation)
    except UserError as error:
        if operation["do"] != "drop" or error.code != "unknown-relation":
            raise


def _is_safe_to_repeat(operation: Operation) -> bool:
    if operation["do"] == "ingest":
        return operation["id"] is not None
    return operation["do"] not in {"add_view", "drop_view", "lost_refresh"}


def _happened(project: Project, operation: Operation, expected: dict[str, Any]) -> bool:
    match operation["do"]:
        case "ingest":
            source = operation["source"]
            return bool(plain_rows(project, [source]).get(source, []) == expected["final"]["sources"][source])
        case "add_view":
            return operation["view"] in project.views
        case "drop_view":
            return operation["view"] not in project.views
        case _:
            return True


def check_final(project: Project, final: dict[str, Any]) -> None:
    """Every source and every view is exactly what the model says, for any Delta reader and for ours."""
    seen = plain_rows(project, own_sources(project))
    for source in seen:
        wanted = final["sources"][source]
        assert seen[source] == wanted, f"source {source} holds {seen[source]}, expected {wanted}"
    for source, wanted in final["sources"].items():
        assert not wanted or source in seen, f"source {source} is gone"
    wanted_views = final["views"]
    for found in (plain_rows(project, project.views), published_rows(project)):
        assert found == wanted_views, f"views show {found}, expected {wanted_views}"


def check_no_garbage(project: Project) -> None:
    """After a vacuum that keeps nothing old, no file is left that nothing names."""
    warehouse = Warehouse(project.definition().warehouse)
    for folder in ("intents", *(f"ingests/{s}" for s in disk.list_names(warehouse.own("ingests")))):
        left = disk.list_names(warehouse.own(folder))
        assert not left, f"{folder} still holds {left}"
    epoch = project.epoch()
    for relation in [*own_sources(project), *project.views]:
        table = warehouse.table(relation)
        if log.latest_version(table) is None:
            continue
        named = set(pa.table(DeltaTable(table).get_add_actions())["path"].to_pylist())
        if relation in epoch.views:  # what its maintenance needs: states, and the change of the last epoch
            named |= {file.path for file in view_record(warehouse, epoch, relation).all_files()}
        found = {
            os.path.relpath(os.path.join(where, name), table)
            for where, _, names in os.walk(os.path.join(table, "_data"))
            for name in names
        }
        assert found == named, f"{relation}: unnamed {sorted(found - named)}, missing {sorted(named - found)}"


def fail_and_check(
    root: str, operation: Operation, expected: dict[str, Any], point: str, actions: list[str]
) -> list[dict[str, Any]]:
    """The operation with each of several errors at one point, one after the other, and then all that `check` asks."""
    outcomes: list[dict[str, Any]] = []
    for action in actions:
        if operation["do"] == "create" and os.path.exists(os.path.join(root, "tidewheel.yml")):
            break
        done = operation["do"] != "create" and _happened(tw.open(root), operation, expected)
        if outcomes and done and not _is_safe_to_repeat(operation):
            break
        failpoints._hits.clear()
        os.environ["TIDEWHEEL_FAILPOINT"] = f"{point}={action}"
        outcome = _outcome(root, operation)
        os.environ.pop("TIDEWHEEL_FAILPOINT")
        outcomes.append({"action": action, "fired": point in failpoints._hits, **outcome})
    check(root, operation, expected)
    return outcomes


def fail_and_check_all(
    cases: dict[str, str], operation: Operation, expected: dict[str, Any], actions: list[str]
) -> dict[str, dict[str, Any]]:
    """`fail_and_check` for many projects, by the point of the error."""
    share_duckdb()
    found: dict[str, dict[str, Any]] = {}
    for point, root in cases.items():
        wanted = {**expected, "some_may_fail": point.startswith("stage.data")}
        try:
            found[point] = {"outcomes": fail_and_check(root, operation, wanted, point, actions)}
        except Exception:  # noqa: BLE001  told to the test
            found[point] = {"outcomes": [], "trace": traceback.format_exc()}
    return found


def _outcome(root: str, operation: Operation) -> dict[str, Any]:
    """How an operation ended: with an error of ours, or with views that failed, or as if nothing had happened."""
    try:
        if operation["do"] == "create":
            create(root)
            return {"error": None, "failed": []}
        [value] = perform(root, [operation])
    except TidewheelError as error:
        return {"error": error.code, "type": type(error).__name__, "failed": []}
    return {"error": None, "failed": value.get("failed", []) if isinstance(value, dict) else []}

"""What child processes do: the operations of `ledger`, on the local engine."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import signal
import traceback
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

import tidewheel as tw
from tests.faults.ledger import ADDED, SOURCES, VIEWS, Operation, Rows
from tests.faults.strangers import write_foreign_table
from tidewheel import failpoints
from tidewheel.api import Project
from tidewheel.engine.local import duck
from tidewheel.errors import TidewheelError
from tidewheel.ingest.ingest import Mode
from tidewheel.run.stage import Stage
from tidewheel.run.staged import Staged
from tidewheel.store import checkpoint, disk

TYPES = {"id": pa.int64(), "branch": pa.string(), "balance": pa.int64(), "word": pa.string()}
COLUMNS = {"accounts": ["id", "branch", "balance"], "notes": ["id", "word"], "landed": ["id", "word"]}
LONG_AGO = 1_700_000_000


def describe_error(error: BaseException, trace: str) -> dict[str, Any]:
    return {
        "type": type(error).__name__,
        "ours": isinstance(error, TidewheelError),
        "code": getattr(error, "code", None),
        "exit_code": getattr(error, "exit_code", None),
        "text": str(error),
        "trace": trace,
    }


def build(root: str, operations: list[Operation], views: list[str] | None = None) -> None:
    """Create the project and do the operations that lead to a scenario."""
    create(root, views)
    perform(root, operations)


def create(root: str, views: list[str] | None = None) -> None:
    wanted = VIEWS if views is None else {v: VIEWS[v] for v in views}
    tw.create(root, engine="local", sources=SOURCES, views=wanted)


def perform(root: str, operations: list[Operation]) -> list[Any]:
    project = tw.open(root)
    return [do(project, operation) for operation in operations]


def do(project: Project, operation: Operation) -> Any:
    """One operation; what comes back is small and JSON."""
    match operation["do"]:
        case "ingest" if "checkpoint_every" in operation:
            with mock.patch.object(checkpoint, "EVERY", operation["checkpoint_every"]):
                return do(project, {k: v for k, v in operation.items() if k != "checkpoint_every"})
        case "ingest" if operation.get("stream"):
            lines = "".join(",".join(map(str, row)) + "\n" for row in operation["rows"])
            text = ",".join(COLUMNS[operation["source"]]) + "\n" + lines
            stream = io.BytesIO(text.encode())
            return project.ingest(operation["source"], stream, id=operation["id"], format="csv").to_dict()
        case "ingest" if operation.get("wider"):
            names, key = COLUMNS[operation["source"]], operation["id"]
            rows = [dict(zip(names, row, strict=True)) for row in operation["rows"]]
            return project.ingest(operation["source"], rows, mode=operation["mode"], id=key).to_dict()
        case "ingest":
            table = to_table(operation["source"], operation["rows"])
            mode, key = operation["mode"], operation["id"]
            return project.ingest(operation["source"], table, mode=mode, id=key).to_dict()
        case "refresh":
            run = project.refresh(select=operation.get("select", ()))
            return {"epoch": run.epoch, "published": run.published, "failed": sorted(run.failed)}
        case "lost_refresh":
            with another_publishes_first(project):
                project.refresh()
            return None
        case "vacuum":
            return project.vacuum(retention="0 seconds", abandoned=operation["abandoned"]).to_dict()
        case "snapshot":
            with project.snapshot() as snapshot:
                return {v: rows_of(snapshot.to_arrow(v)) for v in snapshot.epoch.views}
        case "drop":
            return project.drop(operation["view"])
        case "add_view":
            return project.add_view(operation["view"], operation["sql"])
        case "drop_view":
            return project.drop_view(operation["view"])
        case _:
            return _arrange(project, operation)


def _arrange(project: Project, operation: Operation) -> None:
    """What others do: files that land, tables of strangers, processes that died."""
    match operation["do"]:
        case "land":
            land(project.root, operation["name"], operation["rows"])
        case "unland":
            os.unlink(os.path.join(project.root, "landing", operation["name"]))
        case "add_source":
            add_source(project.root, operation["source"], operation["entry"])
        case "remove_source":
            remove_source(project.root, operation["source"])
        case "foreign":
            write_foreign_table(os.path.join(project.root, "foreign"))
        case "checkpoint":
            table = os.path.join(project.definition().warehouse, operation["relation"])
            DeltaTable(table, version=operation["version"]).create_checkpoint()
        case "die":
            _die_within(project.root, operation["point"], operation["operation"])
        case other:
            raise ValueError(other)


def ingest_with_small_files(root: str, mode: Mode) -> None:
    """An ingest of many rows while no file may grow beyond a few pages."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    rows = [[i, f"b{i * 7919 % 10007}", i * 104729 % 1000003] for i in range(100, 20_000)]
    tw.open(root).ingest("accounts", to_table("accounts", rows), mode=mode)


def to_table(source: str, rows: Rows) -> pa.Table:
    names = COLUMNS[source][: len(rows[0])]
    columns = [pa.array([r[i] for r in rows], TYPES[n]) for i, n in enumerate(names)]
    return pa.table(dict(zip(names, columns, strict=True)))


def land(root: str, name: str, rows: Rows) -> None:
    """A file that was written long ago, so that nobody waits for it to settle."""
    path = os.path.join(root, "landing", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    table = to_table("landed", rows)
    if name.endswith(".csv"):
        with open(path, "w", encoding="utf-8") as file:
            file.write("id,word\n" + "".join(f"{i},{w}\n" for i, w in rows))
    else:
        pq.write_table(table, path)
    os.utime(path, (LONG_AGO, LONG_AGO))


def remove_source(root: str, name: str) -> None:
    import yaml  # noqa: PLC0415

    path = os.path.join(root, "tidewheel.yml")
    with open(path, encoding="utf-8") as file:
        body = yaml.safe_load(file)
    del body["sources"][name]
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump(body, file)


def add_source(root: str, name: str, entry: dict[str, Any]) -> None:
    import yaml  # noqa: PLC0415

    path = os.path.join(root, "tidewheel.yml")
    with open(path, encoding="utf-8") as file:
        body = yaml.safe_load(file)
    body["sources"][name] = entry
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump(body, file)
    if entry["kind"] == "files":
        os.makedirs(os.path.join(root, "landing"), exist_ok=True)


def _die_within(root: str, point: str, operation: Operation) -> None:
    """Let a process of its own die in the middle of an operation; what it leaves looks abandoned."""
    pid = os.fork()  # before this process has opened anything: `die` comes first in its list
    if not pid:
        os.environ["TIDEWHEEL_FAILPOINT"] = f"{point}=kill"
        try:
            perform(root, [operation])
        finally:
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    if not os.WIFSIGNALED(status):
        raise AssertionError(f"{operation} does not pass {point}")


def work(inbox: str, outbox: str, root: str) -> None:
    """Do what one is asked, one request a line, until there are no more: a runner that lives for many rounds."""
    share_duckdb()
    with open(inbox, encoding="utf-8") as requests, open(outbox, "w", encoding="utf-8") as answers:
        for line in requests:
            request = json.loads(line)
            failpoints._hits.clear()
            os.environ["TIDEWHEEL_FAILPOINT"] = request["failpoint"]
            answers.write(json.dumps([_told(root, operation) for operation in request["operations"]]) + "\n")
            answers.flush()


def _told(root: str, operation: Operation) -> dict[str, Any]:
    try:
        return {"value": perform(root, [operation])[0]}
    except Exception as error:  # noqa: BLE001  told to the test, which decides
        return {"error": describe_error(error, traceback.format_exc())}


def share_duckdb() -> None:
    """One DuckDB for the whole process, with a cursor for each connection: opening it is most of the time otherwise."""
    shared = duck.connect()
    mock.patch.object(duck, "connect", side_effect=lambda **_: shared.cursor()).start()


@contextlib.contextmanager
def another_publishes_first(project: Project) -> Iterator[None]:
    """Between stage and decide of one refresh, a whole other refresh happens."""
    original = Stage.run
    seen: list[Stage] = []

    def run(stage: Stage, staged: Staged) -> None:
        original(stage, staged)
        seen.append(stage)
        if len(seen) == 1:
            project.refresh()

    with mock.patch.object(Stage, "run", run):
        yield


def rows_of(table: Any) -> Rows:
    return sorted([[v for name, v in row.items() if name != ADDED] for row in pa.table(table).to_pylist()])


def trace(root: str, operation: Operation) -> dict[str, Any]:
    """Do an operation and write down every failpoint it passes, in order."""
    points: list[str] = []
    with mock.patch.object(disk, "failpoint", lambda step, moment: points.append(f"{step}:{moment}")):
        error = attempt(root, operation)
    return {"points": points, "error": error}


def attempt(root: str, operation: Operation) -> str | None:
    """Do an operation; the code of the error of ours that it ended with."""
    try:
        if operation["do"] == "create":
            create(root)
        else:
            perform(root, [operation])
    except TidewheelError as error:
        return error.code
    return None

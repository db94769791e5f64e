"""Reading needs no write access to the warehouse; then the retention alone protects the reader, which is said once."""

from __future__ import annotations

import builtins
import errno
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

import tidewheel as tw
from tests.e2e import foreign
from tests.e2e.refusals import listing
from tidewheel.store import disk, readers, tables

Make = Callable[..., tw.Project]


@pytest.fixture
def project(make_project: Make, tmp_path: Path) -> tw.Project:
    landing, table = tmp_path / "landing", tmp_path / "table"
    landing.mkdir()
    (landing / "a.csv").write_text("x\n1\n")
    write_deltalake(str(table), pa.table({"x": [1, 2, 3]}))
    made = make_project(
        {
            "orders": {"kind": "managed", "schema": "x BIGINT"},
            "landed": {"kind": "files", "path": str(landing), "schema": "x BIGINT"},
            "theirs": {"kind": "delta", "path": str(table)},
        },
        {"total": "SELECT sum(x) AS n FROM orders", "rest": "SELECT x FROM landed UNION ALL SELECT x FROM theirs"},
    )
    made.ingest("orders", pa.table({"x": [1, 2]}))
    foreign.delete_by_vector(table, [1], inline=True)
    made.refresh()
    made.ingest("orders", pa.table({"x": [3]}))
    os.utime(landing / "a.csv", (1, 1))
    shutil.rmtree(Path(made.root, "warehouse", "_tidewheel", "cache"))
    tables._SNAPSHOTS.clear()
    readers._warned.clear()
    return made


@pytest.fixture
def read_only(project: tw.Project, monkeypatch: pytest.MonkeyPatch) -> tw.Project:
    """The file system refuses every change below the warehouse, as if it were mounted so."""
    root = os.path.join(project.root, "warehouse")

    def refusing(plain: Callable[..., Any], writes: Callable[..., bool]) -> Callable[..., Any]:
        def called(path: Any, *rest: Any, **named: Any) -> Any:
            places = [os.fspath(p) for p in (path, *rest[:1]) if isinstance(p, (str, os.PathLike))]
            if any(p.startswith(root) for p in places) and writes(*rest, **named):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
            return plain(path, *rest, **named)

        return called

    for name in ("link", "mkdir", "rename", "replace", "unlink", "rmdir", "utime"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name), lambda *_, **__: True))
    monkeypatch.setattr(builtins, "open", refusing(open, lambda mode="r", *_, **__: mode[0] in "wax"))
    monkeypatch.setattr(os, "open", refusing(os.open, lambda flags, *_, **__: bool(flags & (os.O_WRONLY | os.O_RDWR))))
    monkeypatch.setattr(os, "access", lambda path, *_: not str(path).startswith(root))
    return project


@contextmanager
def unchanged(project: tw.Project) -> Iterator[None]:
    before = listing(os.path.join(project.root, "warehouse"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.TidewheelWarning)
        yield
    assert listing(os.path.join(project.root, "warehouse")) == before


COMMANDS: dict[str, Callable[[tw.Project], Any]] = {
    "to_arrow of a view": lambda p: p.to_arrow("total").to_pylist() == [{"n": 3}],
    "to_arrow of a source": lambda p: p.to_arrow("orders").num_rows == 2,
    "rows without those deleted by others": lambda p: sorted(p.to_arrow("theirs")["x"].to_pylist()) == [1, 3],
    "query": lambda p: p.query("SELECT n + 1 AS n FROM total").to_pylist() == [{"n": 4}],
    "plan": lambda p: p.plan().step("total").method != "none",
    "what-if": lambda p: bool(p.plan(what_if="orders=+10%").steps),
    "status": lambda p: p.status().to_dict()["views"]["total"]["state"] == "behind",
    "explain": lambda p: p.explain("total")["view"] == "total",
    "history": lambda p: len(p.history()) == 1,
    "epochs": lambda p: len(p.epochs()) == 1,
    "verify": lambda p: p.verify().exit_code == 0,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_reading_writes_nothing_to_a_warehouse_that_cannot_be_written_to(read_only: tw.Project, command: str) -> None:
    with unchanged(read_only):
        assert COMMANDS[command](read_only)


def test_several_relations_are_read_at_one_cut(read_only: tw.Project) -> None:
    with unchanged(read_only), read_only.snapshot() as snapshot:
        assert snapshot.to_arrow("total").to_pylist() == [{"n": 3}]
        assert snapshot.query("SELECT count(*) AS n FROM rest").to_pylist() == [{"n": 3}]


def test_that_only_the_retention_protects_the_reader_is_said_once(read_only: tw.Project) -> None:
    with pytest.warns(tw.TidewheelWarning, match="retention"):
        read_only.snapshot().__enter__()
    with read_only.snapshot():  # warnings are errors here
        pass


def test_a_reader_that_may_write_says_nothing(project: tw.Project) -> None:
    with project.snapshot():
        assert readers.held_epochs(project.warehouse()) == {1}


def test_writing_says_that_it_cannot(read_only: tw.Project) -> None:
    with unchanged(read_only), pytest.raises(tw.StoreError) as caught:
        read_only.refresh()
    assert caught.value.code == "not-writable"


def test_the_temporary_folder_of_a_process_is_its_own() -> None:
    assert os.stat(disk.private_dir()).st_mode & 0o077 == 0


MOUNT = "mount --bind {0} {0} && mount -o remount,ro,bind {0}"


def test_the_command_line_reads_a_warehouse_that_is_mounted_read_only(project: tw.Project) -> None:
    mount = MOUNT.format(os.path.join(project.root, "warehouse"))
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    tidewheel = os.path.join(os.path.dirname(sys.executable), "tidewheel")
    command = f"{mount} && {tidewheel} -p {project.root} "
    for arguments in (
        "show total",
        "status",
        "plan",
        "history",
        "explain total",
        "epochs",
        "query 'SELECT * FROM total'",
    ):
        done = subprocess.run(["unshare", "-m", "sh", "-c", command + arguments], check=False, capture_output=True)
        assert done.returncode == 0, done.stderr
    assert done.stderr.decode().count("note: the warehouse cannot be written to") == 1

"""Every command, for people and as JSON, with its exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

import tidewheel as tw
from tests.cli.command import PROGRAM, call
from tests.cli.conftest import VIEWS, Tidewheel
from tests.e2e.refusals import listing


def test_init_writes_a_project_that_runs_and_never_over_another(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    done = call(capsys, "init", str(tmp_path / "new"), "--json")
    assert done.code == 0
    assert {os.path.basename(f) for f in done.json["files"]} >= {"tidewheel.yml", "daily_revenue.sql"}
    config = tmp_path / "new" / "tidewheel.yml"
    config.write_text(config.read_text() + "engine: local\n")
    project = ("-p", str(tmp_path / "new"))
    assert call(capsys, *project, "ingest", "orders", str(tmp_path / "new" / "orders.csv")).code == 0
    assert call(capsys, *project, "refresh").code == 0
    assert call(capsys, *project, "verify").code == 0
    before = listing(tmp_path)
    again = call(capsys, "init", str(tmp_path / "new"))
    assert (again.code, "project-exists" in again.err) == (1, True)
    assert listing(tmp_path) == before
    assert "wrote" in call(capsys, "init", str(tmp_path / "other")).out


def test_plan_says_what_a_refresh_would_do_and_does_nothing(tidewheel: Tidewheel, root: Path) -> None:
    before = listing(root)
    text = tidewheel("plan")
    assert text.code == 0
    assert "first build" in text.out
    assert "epoch 0 -> 1" in text.out
    body = tidewheel("plan", "--json").json
    assert [(v["view"], v["method"], v["reason"]["code"]) for v in body["views"]] == [
        ("daily", "full", "first-build"), ("best", "full", "first-build"), ("customers", "full", "first-build")
    ]  # fmt: skip
    assert body["sources"]["orders"]["change"]["kind"] == "first"
    assert listing(root) == before
    tidewheel("refresh")
    assert "nothing to do" in tidewheel("plan").out
    assert tidewheel("plan", "--json").json["nothing_to_do"] is True
    asked = tidewheel("plan", "--full-refresh", "--select", "customers", "--json").json
    assert {v["view"]: v["reason"]["code"] for v in asked["views"]}["customers"] == "asked"


def test_refresh_publishes_an_epoch_and_then_has_nothing_to_do(tidewheel: Tidewheel) -> None:
    body = tidewheel("refresh", "--json").json
    assert (body["epoch"], body["published"], body["engine"]) == (1, True, "local")
    assert {name: view["method"] for name, view in body["views"].items()} == dict.fromkeys(VIEWS, "full")
    assert body["views"]["daily"]["rows"] == 2
    again = tidewheel("refresh", "--json").json
    assert (again["epoch"], again["published"]) == (1, False)
    text = tidewheel("refresh")
    assert (text.code, "nothing to do" in text.out) == (0, True)
    rebuilt = tidewheel("refresh", "--full-refresh")
    assert "published epoch 2: 3 built" in rebuilt.out
    assert "[3/3]" in rebuilt.err, "each finished view is told of on standard error"


SELECTIONS: dict[str, tuple[list[str], set[str]]] = {
    "a view brings its ancestors": (["-s", "best"], {"daily", "best"}),
    "and below": (["-s", "daily+"], {"daily", "best"}),
    "ancestors": (["-s", "+best"], {"daily", "best"}),
    "tag": (["-s", "tag:finance"], {"daily", "best"}),
    "source": (["-s", "source:orders+"], set(VIEWS)),
    "readers of a source": (["-s", "source:orders"], {"daily", "customers"}),
    "pattern": (["-s", "c*"], {"customers"}),
    "any case": (["-s", "CUSTOMERS"], {"customers"}),
    "two arguments add up": (["-s", "daily", "-s", "customers"], {"daily", "customers"}),
    "a space adds up": (["-s", "daily customers"], {"daily", "customers"}),
    "a comma narrows": (["-s", "tag:finance,daily+"], {"daily", "best"}),
    "a comma narrows to one": (["-s", "tag:finance,d*"], {"daily"}),
    "exclude": (["--exclude", "daily+"], {"customers"}),
    "both": (["-s", "tag:finance", "--exclude", "best"], {"daily"}),
}


@pytest.mark.parametrize(("arguments", "chosen"), SELECTIONS.values(), ids=SELECTIONS)
def test_select_and_exclude_take_the_known_grammar(
    tidewheel: Tidewheel, arguments: list[str], chosen: set[str]
) -> None:
    body = tidewheel("plan", *arguments, "--json").json
    assert {v["view"] for v in body["views"] if v["method"] == "full"} == chosen
    run = tidewheel("refresh", *arguments, "--json")
    assert {name for name, view in run.json["views"].items() if view["method"] == "full"} == chosen


def test_status_tells_fresh_stale_and_not_built(fresh: Tidewheel, root: Path) -> None:
    body = fresh("status", "--json").json
    assert (body["epoch"], body["applied"]) == (1, True)
    assert {name: view["state"] for name, view in body["views"].items()} == dict.fromkeys(VIEWS, "fresh")
    (root / "views" / "late.sql").write_text("SELECT 1 AS x")
    tw.open(root).ingest("orders", pa.table({"order_id": [3]}), mode="delete")
    assert "replaced or removed" in fresh("status").out
    fresh("refresh", "-s", "customers")
    body = fresh("status", "--json").json
    assert {name: (view["state"], view["as_of"]) for name, view in body["views"].items()} == {
        "daily": ("stale", 1), "best": ("stale", 1), "customers": ("fresh", 2), "late": ("not built", None)
    }  # fmt: skip
    assert body["views"]["daily"]["note"].startswith("not selected")
    assert "stale" in fresh("status").out


def test_history_lists_runs_newest_first_and_filters_them(fresh: Tidewheel) -> None:
    fresh("refresh", "--full-refresh", "-s", "customers")
    fresh("refresh", "--full-refresh", "-s", "daily")
    runs = fresh("history", "--json").json
    assert [run["epoch"] for run in runs] == [3, 2, 1]
    assert [run["epoch"] for run in fresh("history", "--json", "-n", "1").json] == [3]
    assert [run["epoch"] for run in fresh("history", "--view", "customers", "--json").json] == [2, 1]
    assert fresh("history", "--json", "-n", "0").json == []
    lines = fresh("history").out.splitlines()
    assert lines[0].split("\t")[0] == "epoch"
    assert [line.split("\t")[0] for line in lines[1:]] == ["3", "2", "1"]


def test_explain_tells_what_a_view_reads_and_why_it_was_built(fresh: Tidewheel) -> None:
    body = fresh("explain", "best", "--json").json
    assert (body["reads"], body["read_by"], body["level"]) == (["daily"], [], 2)
    assert body["last"]["reason"]["code"] == "first-build"
    assert body["next"]["method"] == "none"
    text = fresh("explain", "daily").out
    assert "reads    orders" in text
    assert "read by  best" in text
    assert "tags: finance" in text
    assert "GROUP BY day" in text
    assert "aggregate by c" in text
    assert "key (c0)" in text


def test_show_prints_rows_of_views_and_sources(fresh: Tidewheel) -> None:
    customers = sorted(fresh("show", "customers", "--json").json, key=lambda row: str(row["customer"]))
    assert customers == [{"customer": "ada", "n": 2}, {"customer": "bob", "n": 1}]
    assert len(fresh("show", "orders", "--json").json) == 3
    assert len(fresh("show", "orders", "-n", "2", "--json").json) == 2
    assert fresh("show", "best").out.splitlines() == ["day\ttotal", "2026-01-01\t24.90"]
    fresh("refresh", "--full-refresh")
    assert {row["n"] for row in fresh("show", "customers", "--epoch", "1", "--json").json} == {1, 2}


def test_query_runs_over_one_epoch(fresh: Tidewheel) -> None:
    sql = "SELECT c.customer, b.total FROM customers c CROSS JOIN best b WHERE c.n > 1"
    assert fresh("query", sql, "--json").json == [{"customer": "ada", "total": "24.90"}]
    assert fresh("query", sql).out.splitlines() == ["customer\ttotal", "ada\t24.90"]
    assert fresh("query", "SELECT order_id FROM orders", "-n", "1", "--json").json != []


def test_numbers_that_json_lacks_are_printed_as_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = {"kind": "managed", "schema": "d DOUBLE, b BINARY"}
    project = tw.create(tmp_path / "p", sources={"s": source}, views={}, engine="local")
    project.ingest("s", pa.table({"d": [float("nan"), float("inf"), None, 1.5], "b": [b"\x00", b"", None, b"x"]}))
    project.refresh()
    out = call(capsys, "-p", project.root, "show", "s", "--json").out

    def refuse(constant: str) -> Any:
        raise AssertionError(constant)

    rows = json.loads(out, parse_constant=refuse)
    assert [row["d"] for row in rows] == ["NaN", "Infinity", None, 1.5]


def test_ingest_writes_a_file_once_for_an_id(tidewheel: Tidewheel, root: Path) -> None:
    more = root.parent / "more.csv"
    more.write_text("order_id,day,customer,amount\n3,2026-01-02,ada,7.00\n4,2026-01-03,eve,1.00\n")
    body = tidewheel("ingest", "orders", str(more), "--mode", "upsert", "--id", "b2", "--json").json
    assert body == {"source": "orders", "mode": "upsert", "version": 1, "rows": 2, "removed": 1, "applied": True}
    assert "was ingested before" in tidewheel("ingest", "orders", str(more), "--id", "b2").out
    gone = tidewheel("ingest", "orders", str(more), "--mode", "delete")
    assert "2 replaced or removed" in gone.out
    assert tidewheel("ingest", "orders", str(more)).out.startswith("orders: 2 rows written")


def test_vacuum_deletes_what_nothing_needs(fresh: Tidewheel, root: Path) -> None:
    fresh("refresh", "--full-refresh")
    before = listing(root)
    dry = fresh("vacuum", "--retention", "0 seconds", "--dry-run", "--json").json
    assert (dry["dry_run"], dry["epochs"]) == (True, 1)
    assert listing(root) == before
    assert fresh("vacuum", "--retention", "0 seconds").out.startswith("deleted")
    assert len(listing(root)) < len(before)
    assert fresh("verify").code == 0
    assert fresh("show", "customers", "--epoch", "1").code == 1


def test_an_orphan_is_kept_until_it_is_dropped(fresh: Tidewheel, root: Path) -> None:
    (root / "views" / "customers.sql").unlink()
    fresh("refresh")
    assert fresh("status", "--json").json["views"]["customers"]["state"] == "orphan"
    assert fresh("drop").out == "customers\n"
    assert fresh("drop", "--json").json == {"dropped": None, "orphans": ["customers"]}
    assert (root / "warehouse" / "customers" / "_delta_log").is_dir()
    assert (fresh("drop", "daily").code, fresh("drop", "nothing").code) == (1, 1)
    assert fresh("drop", "customers", "--json").json == {"dropped": "customers", "orphans": []}
    assert not (root / "warehouse" / "customers").exists()
    assert fresh("drop").out == "no orphans\n"
    assert fresh("verify").code == 0


def test_a_view_whose_file_comes_back_is_not_built_again(fresh: Tidewheel, root: Path) -> None:
    text = (root / "views" / "customers.sql").read_text()
    (root / "views" / "customers.sql").unlink()
    fresh("refresh")
    (root / "views" / "customers.sql").write_text(text.replace("SELECT", "select"))
    body = fresh("refresh", "--json").json
    assert body["views"]["customers"]["method"] == "none"
    assert fresh("status", "--json").json["views"]["customers"]["state"] == "fresh"


def data_file(root: Path, view: str) -> Path:
    return next((root / "warehouse" / view / "_data").rglob("*.parquet"))


def pad(path: Path, size: int) -> None:
    """Make a Parquet file as long as the log says it is: what stands between its data and its footer nobody reads."""
    content = path.read_bytes()
    footer = int.from_bytes(content[-8:-4], "little") + 8
    path.write_bytes(content[:-footer] + bytes(size - len(content)) + content[-footer:])
    assert path.stat().st_size == size


def test_verify_names_the_rows_when_one_value_in_one_file_was_changed(fresh: Tidewheel, root: Path) -> None:
    assert fresh("verify", "--json").json["equal"] is True
    path = data_file(root, "customers")
    size = path.stat().st_size
    body = f"SELECT customer, CASE customer WHEN 'bob' THEN 9 ELSE n END AS n FROM read_parquet('{path}')"
    duckdb.sql(f"COPY ({body}) TO '{path}' (FORMAT parquet)")
    pad(path, size)
    text = fresh("verify")
    assert text.code == 5
    assert "customers: 1 rows missing, 1 rows unexpected" in text.out
    assert "missing: customer=bob, n=1" in text.out
    assert "unexpected: customer=bob, n=9" in text.out
    done = fresh("verify", "--json")
    assert done.code == 5
    assert [name for name, view in done.json["views"].items() if not view["equal"]] == ["customers"]
    assert {e["kind"] for e in done.json["views"]["customers"]["examples"]} == {"missing", "unexpected"}
    assert fresh("verify", "-s", "daily").code == 0
    fresh("refresh", "--full-refresh")
    assert fresh("verify").code == 0


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", 3), (b"PAR1 no more", 3), (None, 5)],
    ids=["emptied", "overwritten", "rewritten longer"],
)
def test_verify_tells_of_a_file_that_cannot_be_read(
    fresh: Tidewheel, root: Path, content: bytes | None, code: int
) -> None:
    path = data_file(root, "customers")
    if content is None:
        pq.write_table(pq.read_table(path, partitioning=None), path, compression="none")
    else:
        path.write_bytes(content)
    done = fresh("verify", "--json")
    assert done.code == code
    assert ("cannot be read" if code == 5 else path.name) in done.json["views"]["customers"]["problem"]
    assert [name for name, view in done.json["views"].items() if not view["equal"]] == ["customers"]


def test_exit_code_1_is_the_users_error_in_text_and_json(fresh: Tidewheel, root: Path) -> None:
    (root / "views" / "bad.sql").write_text("SELECT x\nFROM ordrs")
    text = fresh("check")
    assert text.code == 1
    assert "views/bad.sql:2:6" in text.err
    assert "^^^^^" in text.err
    assert 'Did you mean "orders"?' in text.err
    error = fresh("check", "--json")
    assert error.code == 1
    assert next(view for view in error.json["views"] if view["view"] == "bad")["error"] == {
        "code": "unknown-relation", "message": 'relation "ordrs" does not exist', "detail": 'View "bad" reads it.',
        "hint": 'Did you mean "orders"?', "place": {"file": "views/bad.sql", "line": 2, "column": 6},
        "relation": "bad", "exit_code": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["show", "nope"], "unknown-relation"), (["explain", "nope"], "unknown-relation"),
        (["query", "SELECT nope FROM daily"], "unknown-column"), (["query", "DROP TABLE daily"], "sql-syntax"),
        (["query", "SELECT 1 AS a; SELECT 2 AS b"], "sql-syntax"), (["show", "daily", "--epoch", "9"], "unknown-epoch"),
        (["ingest", "orders", "nowhere.csv"], "missing-file"), (["ingest", "nope", "x.csv"], "unknown-relation"),
        (["plan", "-s", "nope"], "bad-selection"), (["vacuum", "--retention", "soon"], "bad-option"),
        (["show", "daily", "-n", "-1"], "bad-usage"), (["frobnicate"], "bad-usage"), (["show"], "bad-usage"),
        (["-t", "prod", "plan"], "unknown-target"), (["-p", "/", "status"], "no-project"),
    ],
)  # fmt: skip
def test_a_wrong_call_ends_with_1_and_a_code(fresh: Tidewheel, arguments: list[str], code: str) -> None:
    done = fresh(*arguments)
    assert done.code == 1
    assert code in done.err


def test_exit_code_2_is_a_plan_that_cannot_be_made(fresh: Tidewheel, root: Path) -> None:
    for name, mode in {"daily": "full", "best": "strict"}.items():
        sql = VIEWS[name].splitlines()[-1]
        (root / "views" / f"{name}.sql").write_text(f"-- tidewheel: {{refresh: {mode}}}\n{sql}")
    assert fresh("refresh").code == 0
    tw.open(root).ingest("orders", pa.table({"order_id": [3]}), mode="delete")
    assert fresh("plan").code == 2
    body = fresh("refresh", "--json")
    assert body.code == 4, "it fails alone"
    assert {name: v["method"] for name, v in body.json["views"].items()} | {"daily": "full", "best": "failed"} == {
        name: v["method"] for name, v in body.json["views"].items()
    }
    assert body.json["views"]["best"]["error"]["code"] == "strict-needs-full"
    assert fresh("refresh", "--full-refresh").code == 0


def test_exit_code_3_is_a_store_that_cannot_be_used(fresh: Tidewheel, root: Path) -> None:
    (root / "warehouse" / "_tidewheel" / "format.json").write_text('{"format": 2}')
    assert fresh("refresh").code == 3
    assert fresh("refresh", "--json").json["error"]["code"] == "newer-format"


def test_exit_code_4_is_a_view_that_failed_while_others_were_published(tidewheel: Tidewheel, root: Path) -> None:
    (root / "views" / "bad.sql").write_text("SELECT order_id * 9223372036854775807 AS n FROM orders")
    (root / "views" / "below.sql").write_text("SELECT n FROM bad")
    body = tidewheel("refresh", "--json")
    assert body.code == 4
    methods = {name: view["method"] for name, view in body.json["views"].items()}
    assert methods == {**dict.fromkeys(VIEWS, "full"), "bad": "failed", "below": "blocked"}
    assert body.json["published"] is True
    text = tidewheel("refresh")
    assert (text.code, "query-failed" in text.err) == (4, True)


def test_exit_code_6_is_another_run_that_won(fresh: Tidewheel, root: Path) -> None:
    """A runner is stopped just before it decides; another publishes; the first wakes up and loses."""
    environment = {**os.environ, "TIDEWHEEL_FAILPOINT": "epoch.decide:before=stop"}
    command = [*PROGRAM, "-p", str(root), "refresh", "--full-refresh", "--json"]
    slow = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    os.waitid(os.P_PID, slow.pid, os.WSTOPPED)
    assert fresh("refresh", "--full-refresh").code == 0
    slow.send_signal(signal.SIGCONT)
    out, _ = slow.communicate()
    assert slow.returncode == 6
    assert json.loads(out)["error"]["code"] == "another-run-won"
    assert fresh("status", "--json").json["epoch"] == 2
    assert fresh("verify").code == 0


def test_a_target_has_a_warehouse_of_its_own(
    tidewheel: Tidewheel, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = yaml.safe_load((root / "tidewheel.yml").read_text())
    config["targets"] = {"prod": {"warehouse": "${env:TW_TEST_WAREHOUSE}"}}
    (root / "tidewheel.yml").write_text(yaml.safe_dump(config))
    assert "missing-variable" in tidewheel("-t", "prod", "refresh").err
    monkeypatch.setenv("TW_TEST_WAREHOUSE", str(tmp_path / "lake"))
    assert tidewheel("-t", "prod", "refresh", "--json").json["epoch"] == 1
    assert (tmp_path / "lake" / "daily" / "_delta_log").is_dir()
    assert tidewheel("status", "--json").json["epoch"] == 0

"""What happened between two versions, from the log alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tidewheel.errors import StoreError
from tidewheel.store.changes import ChangeKind, classify
from tidewheel.store.log import advance, commit_path, latest_version, read_commit

Action = dict[str, Any]


def add(path: str, rows: int | None = 1, **more: Any) -> Action:
    stats = {} if rows is None else {"stats": json.dumps({"numRecords": rows})}
    return {"add": {"path": path, "partitionValues": {}, "size": 10, "dataChange": True, **stats, **more}}


def remove(path: str, **more: Any) -> Action:
    return {"remove": {"path": path, "deletionTimestamp": 1, "dataChange": True, **more}}


def info(operation: str, **more: Any) -> Action:
    return {"commitInfo": {"operation": operation, **more}}


META: Action = {"metaData": {"id": "x", "schemaString": "{}", "partitionColumns": [], "configuration": {}}}
QUIET = {"dataChange": False}
OVERWRITE = info("WRITE", operationParameters={"mode": "Overwrite"})


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "_delta_log").mkdir()
    return tmp_path


def commit(table: Path, version: int, *actions: Action) -> None:
    Path(commit_path(str(table), version)).write_text("".join(json.dumps(a) + "\n" for a in actions))


def change(table: Path, *commits: list[Action]) -> Any:
    """The change that these commits make after a version 0."""
    commit(table, 0, META, add("zero"))
    for version, actions in enumerate(commits, start=1):
        commit(table, version, *actions)
    return classify(str(table), 0, len(commits), content=0)


@pytest.mark.parametrize(
    ("commits", "kind", "content"),
    [
        ([[info("WRITE"), add("a")]], ChangeKind.APPEND, 1),
        ([[add("a")], [add("b")]], ChangeKind.APPEND, 2),
        ([[add("a"), remove("zero")]], ChangeKind.MIXED, 1),
        ([[remove("zero")]], ChangeKind.MIXED, 1),
        ([[add("zero", deletionVector={"storageType": "i"}), remove("zero")]], ChangeKind.MIXED, 1),
        ([[add("zero", deletionVector={"storageType": "i"})]], ChangeKind.MIXED, 1),
        ([[OVERWRITE, add("a"), remove("zero")]], ChangeKind.REWRITTEN, 1),
        ([[OVERWRITE, add("a")]], ChangeKind.APPEND, 1),
        ([[META, add("a")]], ChangeKind.REWRITTEN, 1),
        ([[META]], ChangeKind.REWRITTEN, 1),
        ([[add("a")], [META], [add("b")]], ChangeKind.REWRITTEN, 3),
        ([[info("OPTIMIZE"), add("a", **QUIET), remove("zero", **QUIET)]], ChangeKind.NONE, 0),
        ([[info("VACUUM START")], [info("VACUUM END")]], ChangeKind.NONE, 0),
        ([[{"txn": {"appId": "x", "version": 1}}]], ChangeKind.NONE, 0),
        ([[add("a")], [add("b", **QUIET), remove("a", **QUIET)]], ChangeKind.APPEND, 1),
        ([[add("b", **QUIET), remove("zero", **QUIET)], [remove("b")]], ChangeKind.MIXED, 2),
    ],
)  # fmt: skip
def test_the_kind_of_a_change_and_the_version_its_rows_date_from(
    table: Path, commits: list[list[Action]], kind: ChangeKind, content: int
) -> None:
    found = change(table, *commits)
    assert (found.kind, found.content) == (kind, content)


def test_no_commit_is_no_change(table: Path) -> None:
    assert classify(str(table), 3, 3, content=2).kind is ChangeKind.NONE


def test_a_missing_commit_is_lost_history(table: Path) -> None:
    commit(table, 0, META)
    commit(table, 2, add("b"))
    found = classify(str(table), 0, 2, content=0)
    assert (found.kind, found.content) == (ChangeKind.LOST, 2)


def test_rows_are_counted_where_the_log_has_them_and_only_those_that_changed(table: Path) -> None:
    ours = {"tidewheel": {"removed": 4, "change": "s/x.parquet"}}
    found = change(
        table,
        [add("a", 5), add("b", None), add("c", 7, **QUIET)],
        [add("d", 2, stats="no json"), add("e", 2, stats="[]"), add("f", 2, stats='{"numRecords": null}')],
        [info("INGEST", **ours), add("g", 1), remove("a")],
    )
    assert (found.added, found.removed, found.bytes) == (6, 4, 60)
    assert found.change_files == ("s/x.parquet",)
    assert found.to_dict()["files"] == ["s/x.parquet"]


@pytest.mark.parametrize("kind", list(ChangeKind))
def test_every_kind_can_be_told(table: Path, kind: ChangeKind) -> None:
    from tidewheel.store.changes import SourceChange  # noqa: PLC0415

    assert str(SourceChange(kind=kind))
    assert SourceChange(kind=kind).to_dict()["kind"] == kind.value


@pytest.mark.parametrize(
    "text", ["", "\n", "{", "[1]", '"x"', "5", '{"add": 5}', '{"add": null}', '{"add": {}}', '{"remove": {"path": 5}}']
)
def test_a_commit_that_is_none_is_refused(table: Path, text: str) -> None:
    Path(commit_path(str(table), 0)).write_text(text)
    with pytest.raises(StoreError) as caught:
        read_commit(str(table), 0)
    assert caught.value.code == "corrupt-log"
    assert caught.value.hint


def test_a_commit_may_spell_out_the_actions_it_has_not(table: Path) -> None:
    Path(commit_path(str(table), 0)).write_text('{"add": {"path": "a"}, "remove": null}\n\n{"commitInfo": {}}\n')
    found = read_commit(str(table), 0)
    assert found is not None
    assert [a["path"] for a in found.adds] == ["a"]


def test_versions_are_found_by_listing_and_by_looking_ahead(table: Path) -> None:
    assert latest_version(str(table / "nowhere")) is None
    assert latest_version(str(table)) is None
    for version in (0, 1, 2, 4):
        commit(table, version, info("X"))
    (table / "_delta_log" / "_last_checkpoint").write_text("{}")
    (table / "_delta_log" / f"{7:020d}.json.tmp").write_text("")
    assert latest_version(str(table)) == 4
    assert (advance(str(table), 0), advance(str(table), 2), advance(str(table), 4)) == (2, 2, 4)
    (table / "_delta_log" / f"{9:020d}.checkpoint.parquet").write_text("")
    assert latest_version(str(table)) == 9
    assert read_commit(str(table), 3) is None


def vector(rows: int) -> dict[str, Any]:
    return {"deletionVector": {"storageType": "i", "cardinality": rows}}


FOREIGN: dict[str, tuple[list[Action], str]] = {
    "delete by delta-rs": (
        [info("DELETE", operationMetrics={"num_deleted_rows": 1, "num_copied_rows": 3}), remove("zero"), add("a", 3)],
        "0 rows written, 1 rows replaced or removed",
    ),
    "delete by Spark": (
        [
            info("DELETE", operationMetrics={"numDeletedRows": "2", "numCopiedRows": "5"}),
            remove("zero"),
            add("a", 5),
        ],
        "0 rows written, 2 rows replaced or removed",
    ),
    "delete of all": (
        [info("DELETE", operationMetrics={"num_deleted_rows": 3}), remove("zero")],
        "0 rows written, 3 rows replaced or removed",
    ),
    "update": (
        [info("UPDATE", operationMetrics={"num_updated_rows": 1, "num_copied_rows": 2}), remove("zero"), add("a", 3)],
        "1 rows written, 1 rows replaced or removed",
    ),
    "merge": (
        [
            info(
                "MERGE",
                operationMetrics={
                    "num_target_rows_inserted": 1,
                    "num_target_rows_updated": 1,
                    "num_target_rows_deleted": 2,
                    "num_target_rows_copied": 4,
                },
            ),
            remove("zero"),
            add("a", 6),
        ],
        "2 rows written, 3 rows replaced or removed",
    ),
    "a first vector": ([remove("zero"), add("zero", 9, **vector(2))], "0 rows written, 2 rows replaced or removed"),
    "a longer vector": (
        [remove("zero", **vector(2)), add("zero", 9, **vector(5))],
        "0 rows written, 3 rows replaced or removed",
    ),
    "nothing said": ([remove("zero"), add("a", 3)], "3 rows written, an unknown number replaced or removed"),
    "odd metrics": (
        [info("DELETE", operationMetrics={"numDeletedRows": "many"}), remove("zero"), add("a", 3)],
        "3 rows written, an unknown number replaced or removed",
    ),
    "no metrics": (
        [info("DELETE", operationMetrics=[]), remove("zero")],
        "0 rows written, an unknown number replaced or removed",
    ),
}


@pytest.mark.parametrize("case", FOREIGN.values(), ids=FOREIGN)
def test_rows_that_other_tools_remove_are_counted_as_they_say(table: Path, case: tuple[list[Action], str]) -> None:
    actions, said = case
    assert str(change(table, actions)) == said

"""Managed sources: what is ingested is there, exactly, and each change is written down, exactly."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import tidewheel as tw
from tests.e2e import foreign
from tests.e2e.foreign import Bag, Rows, bag
from tests.e2e.refusals import refused
from tidewheel.ddl import parse_schema
from tidewheel.names import WEIGHT
from tidewheel.store.arrow import to_arrow
from tidewheel.store.changes import ChangeKind

Make = Callable[..., tw.Project]
Mode = Literal["append", "upsert", "delete", "replace"]
TYPES = (
    "b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, f FLOAT, d DOUBLE, dec DECIMAL(38,10), s STRING, "
    "bin BINARY, day DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, arr ARRAY<BIGINT>, m MAP<STRING, DOUBLE>, "
    "st STRUCT<x: INT, y: ARRAY<STRING>>"
)
FULL: dict[str, Any] = {
    "b": True, "i8": -128, "i16": 32767, "i32": 2**31 - 1, "i64": -(2**63), "f": 1.5, "d": float("nan"),
    "dec": decimal.Decimal("-1234567890123456789012345678.0123456789"), "s": "é'\"\\\n", "bin": b"\x00\xff",
    "day": dt.date(1, 1, 1), "ts": dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC),
    "ntz": dt.datetime.fromisoformat("0001-01-01T00:00:00.000001"), "arr": [1, None], "m": [("k", 1.0), ("z", None)],
    "st": {"x": 1, "y": ["q", None]},
}  # fmt: skip
EMPTY = {"arr": [], "m": [], "st": {"x": None, "y": None}, "s": "", "bin": b"", "d": float("-inf"), "f": float("nan")}
KINDS: list[dict[str, Any]] = [FULL, FULL, dict.fromkeys(FULL), dict.fromkeys(FULL), {**FULL, **EMPTY}]


def rows_of(project: tw.Project, source: str) -> Bag:
    """What the table of a source holds now, refreshed or not, read by delta-rs."""
    return bag(foreign.delta_rows(Path(project.root) / "warehouse" / source))


def typed(rows: Rows, schema: str) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=to_arrow(parse_schema(schema)))


def test_every_type_survives_append_delete_and_a_view(make_project: Make) -> None:
    project = make_project({"s": {"kind": "managed", "schema": TYPES}}, {"v": "SELECT * FROM s"})
    project.ingest("s", typed(KINDS, TYPES))
    done = project.ingest("s", typed([KINDS[1], KINDS[2]], TYPES), mode="delete")
    assert (done.rows, done.removed) == (0, 2)
    project.refresh()
    wanted = typed([KINDS[0], KINDS[3], KINDS[4]], TYPES)
    for relation in ("s", "v"):
        found = project.to_arrow(relation)
        assert found.schema.equals(wanted.schema)
        assert bag(found.to_pylist()) == bag(wanted.to_pylist())
    assert project.verify().differences == {}


def test_every_type_survives_an_upsert(make_project: Make) -> None:
    schema = f"k BIGINT, {TYPES}"
    project = make_project({"s": {"kind": "managed", "schema": schema, "key": ["k"]}}, {})
    project.ingest("s", typed([{"k": i, **row} for i, row in enumerate(KINDS)], schema))
    swapped = [{"k": i, **row} for i, row in enumerate(reversed(KINDS))]
    done = project.ingest("s", typed(swapped, schema), mode="upsert")
    assert (done.rows, done.removed) == (4, 4), "the row in the middle is what it was"
    project.refresh()
    assert bag(project.to_arrow("s").to_pylist()) == bag(typed(swapped, schema).to_pylist())


class Sequence:
    """A random history of one source, beside a plain list of its rows."""

    schema = "k BIGINT, a STRING, d DOUBLE, n DECIMAL(20,4)"

    def __init__(self, project: tw.Project, seed: int) -> None:
        self.project, self.name, self.keyed = project, f"s{seed}", bool(seed % 2)
        self.chance = random.Random(seed)
        self.rows: Rows = []

    def some(self) -> Rows:
        pick = self.chance.choice
        keys = self.chance.sample(range(8), self.chance.randint(0, 5))
        values: dict[str, list[Any]] = {
            "a": [None, "x", "y'"],
            "d": [None, float("nan"), 1.5],
            "n": [None, decimal.Decimal("0.1000")],
        }
        fresh = [{"k": k, **{c: pick(v) for c, v in values.items()}} for k in keys]
        again = [row for row in self.rows if self.chance.random() < 0.3]
        if self.keyed:
            return list({row["k"]: row for row in [*fresh, *again]}.values())
        return [*fresh, *again, *fresh[:1]] if self.chance.random() < 0.5 else fresh

    def step(self) -> None:
        modes: list[Mode] = ["append", "delete", "replace", "upsert"]
        mode = self.chance.choice(modes if self.keyed else modes[:3])
        given = self.some()
        before = bag(self.rows)
        self.apply(mode, given)
        result = self.project.ingest(self.name, typed(given, self.schema), mode=mode)
        table = Path(self.project.root) / "warehouse" / self.name
        change = self.change(table, result.version)
        after = bag(foreign.delta_rows(table))
        assert after == bag(self.rows), f"{self.name}: {mode} {given}"
        total = Counter(before)
        total.update(change)
        assert +total == after, f"{self.name}: {mode} {given}"
        assert min(total.values(), default=0) >= 0, "no row is removed more often than it was there"
        if mode == "replace":
            assert all(n * (after.get(row, 0) - before.get(row, 0)) > 0 for row, n in change.items()), "no row is moved"
        assert sum(change.values()) == result.rows - result.removed

    def apply(self, mode: str, given: Rows) -> None:
        keys = {row["k"] for row in given}
        if mode == "replace":
            self.rows = []
        elif self.keyed and mode != "append":
            self.rows = [row for row in self.rows if row["k"] not in keys]
        elif mode == "delete":
            for row in given:
                same = next((r for r in self.rows if bag([r]) == bag([row])), None)
                self.rows.remove(same) if same else None
        if mode != "delete":
            self.rows = [*self.rows, *given]

    def change(self, table: Path, version: int) -> Counter[tuple[str, ...]]:
        """The change that the commit names: rows with weights; an append's is its own files."""
        actions = [json.loads(line) for line in foreign.commit_file(table, version).read_text().splitlines()]
        file = actions[0]["commitInfo"]["tidewheel"].get("change")
        found: Counter[tuple[str, ...]] = Counter()
        paths = [table / action["add"]["path"] for action in actions if "add" in action]
        if file is not None:
            paths = [table.parent / "_tidewheel" / "changes" / file]
        for path in paths:
            for row in pq.read_table(path, partitioning=None).to_pylist():
                weight = row.pop(WEIGHT, 1)
                found[next(iter(bag([row])))] += weight
        return found


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_old_rows_plus_the_written_change_are_the_new_rows(make_project: Make, first: int) -> None:
    seeds = range(first, first + 25)
    key = {"key": ["k"]}
    source = {"kind": "managed", "schema": Sequence.schema}
    project = make_project({f"s{i}": {**source, **(key if i % 2 else {})} for i in seeds}, {})
    for seed in seeds:
        sequence = Sequence(project, seed)
        for _ in range(4):
            sequence.step()


@pytest.fixture
def keyed(make_project: Make) -> tw.Project:
    source = {"kind": "managed", "schema": "k BIGINT, v STRING", "key": ["k"]}
    return make_project({"s": source, "t": source}, {"view": "SELECT k, v FROM s"})


def pairs(**values: str | None) -> pa.Table:
    return pa.table(
        {"k": pa.array([int(k[1:]) for k in values], pa.int64()), "v": pa.array(values.values(), pa.string())}
    )


def test_an_id_is_ingested_once_whatever_comes_with_it(keyed: tw.Project) -> None:
    assert keyed.ingest("s", pairs(k1="a"), id="batch").applied
    again = keyed.ingest("s", pairs(k2="b"), id="batch")
    assert (again.applied, again.rows, again.removed) == (False, 0, 0)
    assert not keyed.ingest("s", pairs(k1="z"), mode="upsert", id="batch").applied
    assert not keyed.ingest("s", pairs(k1="z"), mode="delete", id="batch").applied
    assert keyed.ingest("t", pairs(k1="a"), id="batch").applied, "another source has its own ids"
    for i in range(30):  # through compactions and a checkpoint
        assert keyed.ingest("s", pairs(k5="x"), mode="upsert", id=f"b{i}").applied
    assert not keyed.ingest("s", pairs(k9="b"), id="batch").applied
    assert not keyed.ingest("s", pairs(k9="b"), id="b7").applied
    assert rows_of(keyed, "s") == bag([{"k": 1, "v": "a"}, {"k": 5, "v": "x"}])


def test_an_upsert_of_rows_that_are_there_changes_nothing(keyed: tw.Project) -> None:
    keyed.ingest("s", pairs(k1="a", k2=None))
    keyed.refresh()
    done = keyed.ingest("s", pairs(k1="a", k2=None), mode="upsert")
    assert (done.rows, done.removed) == (0, 0)
    assert keyed.plan().sources["s"].change.kind is ChangeKind.NONE
    assert not keyed.refresh().published


def test_a_replacement_by_the_same_rows_changes_nothing(keyed: tw.Project) -> None:
    keyed.ingest("s", pairs(k1="a", k2=None))
    keyed.refresh()
    done = keyed.ingest("s", pairs(k2=None, k1="a"), mode="replace")
    assert (done.rows, done.removed, done.applied) == (0, 0, True)
    assert keyed.plan().sources["s"].change.kind is ChangeKind.NONE
    assert not keyed.refresh().published


def test_a_replacement_is_an_ordinary_change_of_the_rows_that_differ(keyed: tw.Project) -> None:
    keyed.ingest("s", pairs(k1="a", k2="b"))
    keyed.ingest("s", pairs(k3="c", k4="d"))
    keyed.refresh()
    table = Path(keyed.root) / "warehouse" / "s"
    before = [a["path"] for a in foreign.add_actions(table)]
    done = keyed.ingest("s", pairs(k1="a", k2="b", k3="new", k5="e"), mode="replace")
    assert (done.rows, done.removed) == (2, 2)
    assert before[0] in [a["path"] for a in foreign.add_actions(table)], "a file without a row that goes stays as it is"
    run = keyed.refresh()
    assert run.views["view"].method != "full"
    assert run.views["view"].changed == 4
    assert bag(keyed.to_arrow("view").to_pylist()) == bag(pairs(k1="a", k2="b", k3="new", k5="e").to_pylist())
    assert keyed.verify().differences == {}


def test_a_replacement_by_nothing_empties_the_source_and_an_id_counts_once(keyed: tw.Project) -> None:
    keyed.ingest("s", pairs(k1="a"))
    assert keyed.ingest("s", pairs(), mode="replace", id="x").removed == 1
    assert not keyed.ingest("s", pairs(k1="a"), mode="replace", id="x").applied
    assert rows_of(keyed, "s") == bag([])


def test_a_replacement_by_an_empty_list_is_refused_for_it_may_be_one_of_files(keyed: tw.Project) -> None:
    keyed.ingest("s", pairs(k1="a"))
    with refused(keyed.root, "bad-input"):
        keyed.ingest("s", [], mode="replace")


@pytest.mark.parametrize("mode", ["append", "upsert", "delete"])
def test_an_empty_batch_changes_nothing(keyed: tw.Project, mode: Mode) -> None:
    assert keyed.ingest("s", pairs(), mode=mode).rows == 0
    keyed.ingest("s", pairs(k1="a"))
    keyed.refresh()
    assert keyed.ingest("s", pairs(), mode=mode).rows == 0
    assert not keyed.refresh().published
    assert rows_of(keyed, "s") == bag([{"k": 1, "v": "a"}])


def test_a_delete_takes_whole_rows_or_just_keys(keyed: tw.Project) -> None:
    keyed.ingest("s", pairs(k1="a", k2="b", k3="c"))
    assert keyed.ingest("s", pa.table({"k": [1, 1, 99]}), mode="delete").removed == 1
    assert keyed.ingest("s", pairs(k2="other"), mode="delete").removed == 1
    assert rows_of(keyed, "s") == bag([{"k": 3, "v": "c"}])


def batches() -> Iterator[pa.RecordBatch]:
    yield from pairs(k1="a").to_batches()
    yield from pairs(k2=None).to_batches()


def written(folder: Path, kind: str) -> Path:
    path = folder / f"rows.{kind}"
    match kind:
        case "parquet":
            pq.write_table(pairs(k1="a", k2=None), path)
        case "csv":
            pa.csv.write_csv(pairs(k1="a", k2=None), path)
        case _:
            path.write_text('{"k": 1, "v": "a"}\n{"k": 2, "v": null}\n')
    return path


def halved(folder: Path, number: int) -> Path:
    """One of two files with a row each."""
    path = folder / f"half-{number}.csv"
    pa.csv.write_csv(pairs(k1="a", k2=None).slice(number, 1), path)
    return path


INPUTS: dict[str, Callable[[Path], Any]] = {
    "table": lambda _: pairs(k1="a", k2=None),
    "batch": lambda _: pairs(k1="a", k2=None).to_batches()[0],
    "reader": lambda _: pa.RecordBatchReader.from_batches(pairs().schema, batches()),
    "pandas": lambda _: pairs(k1="a", k2=None).to_pandas(),
    "pandas categories": lambda _: pairs(k1="a", k2=None).to_pandas().astype({"v": "category"}),
    "pandas other order": lambda _: pd.DataFrame({"V": ["a", None], "K": [1, 2]}),
    "polars": lambda _: pl.DataFrame({"k": [1, 2], "v": ["a", None]}),
    "polars categories": lambda _: pl.DataFrame({"k": [1, 2], "v": ["a", None]}).cast({"v": pl.Categorical}),
    "polars lazy": lambda _: pl.LazyFrame({"k": [2, 1], "v": [None, "a"]}).sort("k"),
    "dictionaries": lambda _: [{"k": 1, "v": "a"}, {"K": 2}],
    "several": lambda folder: [written(folder, "csv"), pairs()],
    "two files": lambda folder: [halved(folder, 0), str(halved(folder, 1))],
    "pattern": lambda folder: str((halved(folder, 0), halved(folder, 1))[0].parent / "half-*.csv"),
    "narrower integers": lambda _: pa.table({"k": pa.array([1, 2], pa.uint8()), "v": ["a", None]}),
    "parquet": lambda folder: str(written(folder, "parquet")),
    "csv": lambda folder: str(written(folder, "csv")),
    "jsonl": lambda folder: written(folder, "jsonl"),
}


@pytest.mark.parametrize("given", INPUTS.values(), ids=INPUTS)
def test_rows_may_come_in_any_form(keyed: tw.Project, tmp_path: Path, given: Callable[[Path], Any]) -> None:
    assert keyed.ingest("s", given(tmp_path)).rows == 2
    assert rows_of(keyed, "s") == bag([{"k": 1, "v": "a"}, {"k": 2, "v": None}])


def test_nested_polars_columns_keep_their_values(make_project: Make) -> None:
    schema = "l ARRAY<STRING>, x STRUCT<p: INT, q: STRING>, bin BINARY, n DECIMAL(10,2)"
    project = make_project({"s": {"kind": "managed", "schema": schema}}, {})
    row = {"l": ["a", None], "x": {"p": 1, "q": "z"}, "bin": b"\xff", "n": decimal.Decimal("1.50")}
    project.ingest("s", pl.DataFrame([row, {**row, "x": {"q": "w", "p": 2}}]))
    assert rows_of(project, "s") == bag([row, {**row, "x": {"p": 2, "q": "w"}}])


FOLDERS = {"k=7": "k", "p*t": "pat", "[ab]": "a", "wh?t": "whet", "it's": "its", "sp ace": "sp", "é": "e", "50%": "50"}


@pytest.mark.parametrize(("name", "neighbour"), FOLDERS.items())
def test_the_folder_of_a_project_may_have_any_name(make_project: Make, name: str, neighbour: str) -> None:
    """DuckDB takes `k=7` for a partition and `p*t` for a pattern, which a copy of the project next door would match."""
    source = {"kind": "managed", "schema": "k BIGINT, v STRING", "key": ["k"]}
    project = make_project({"s": source}, {"view": "SELECT k, v FROM s"}, name=name)
    project.ingest("s", pairs(k1="a", k2="b"))
    project.refresh()
    shutil.copytree(project.root, Path(project.root).parent / neighbour)
    project.refresh(full_refresh=True)
    assert bag(project.to_arrow("view").to_pylist()) == bag([{"k": 1, "v": "a"}, {"k": 2, "v": "b"}])
    project.ingest("s", pairs(k1="new"), mode="upsert")
    project.ingest("s", pairs(k2=None), mode="delete")
    project.refresh()
    assert project.to_arrow("view").to_pylist() == [{"k": 1, "v": "new"}]
    assert project.verify().differences == {}


def test_columns_may_have_names_that_the_merge_could_use_itself(make_project: Make) -> None:
    schema = "filename STRING, copy BIGINT, wanted BIGINT, old STRING, given STRING"
    sources = {
        "bag": {"kind": "managed", "schema": schema},
        "key": {"kind": "managed", "schema": schema, "key": ["copy"]},
    }
    project = make_project(sources, {})
    row = {"filename": "f", "copy": 1, "wanted": 2, "old": "o", "given": "g"}
    for source in sources:
        project.ingest(source, typed([row, row, {**row, "copy": 2}], schema))
    project.ingest("bag", typed([row], schema), mode="delete")
    project.ingest("key", typed([{**row, "wanted": 3}], schema), mode="upsert")
    assert rows_of(project, "bag") == bag([row, {**row, "copy": 2}])
    assert rows_of(project, "key") == bag([{**row, "wanted": 3}, {**row, "copy": 2}])


@pytest.mark.parametrize("step", ["ingest.compact:before", "checkpoint.write:before", "ingest.done:before"])
def test_an_ingest_that_is_committed_does_not_fail_over_its_tidying_up(
    keyed: tw.Project, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Somebody who sees an error ingests again; the rows would be there twice."""
    for i in range(25):
        monkeypatch.setenv("TIDEWHEEL_FAILPOINT", f"{step}=raise")
        monkeypatch.setattr("tidewheel.failpoints._hits", {})
        assert keyed.ingest("s", pa.table({"k": [i], "v": ["x"]})).rows == 1
    assert rows_of(keyed, "s") == bag([{"k": i, "v": "x"} for i in range(25)])

"""Other tools write to foreign sources in every way they can; after each write the views equal their queries."""

from __future__ import annotations

import datetime as dt
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

import tidewheel as tw
from tests.e2e import foreign
from tests.e2e.foreign import Rows, bag
from tidewheel.run.outcome import Run
from tidewheel.store.changes import ChangeKind

VIEWS = {
    "everything": "SELECT k, p, n FROM s",
    "by_p": "SELECT p, count(*) AS c, sum(n) AS total FROM s GROUP BY p",
    "size": "SELECT sum(c) AS c, count(*) AS groups FROM by_p",
}
ODD = ["a b", "a/b", "100%", "a%20b", "é😀", "p=x", "a*b", "axb", "[ab]", "'q'", '"d"', "a\\b", "#?:&+", "tab\tx", None]
DAYS = [dt.date(1969, 7, 20), dt.date(2024, 2, 29), dt.date(9999, 12, 31), None]
PARTITIONS: dict[str, tuple[pa.DataType, list[Any], bool]] = {
    "none": (pa.string(), ODD, False),
    "string": (pa.string(), ODD, True),
    "date": (pa.date32(), DAYS, True),
    "int": (pa.int32(), [-5, 0, 7, None], True),
}


def views_of(rows: Rows) -> dict[str, Rows]:
    """The views, computed in plain Python."""
    groups: dict[Any, list[int | None]] = {}
    for row in rows:
        groups.setdefault(row["p"], []).append(row["n"])
    sums = {p: [v for v in values if v is not None] for p, values in groups.items()}
    by_p = [{"p": p, "c": len(v), "total": sum(sums[p]) if sums[p] else None} for p, v in groups.items()]
    size = {"c": sum(g["c"] for g in by_p) if by_p else None, "groups": len(by_p)}
    return {"everything": [{c: row[c] for c in "kpn"} for row in rows], "by_p": by_p, "size": [size]}


@dataclass
class Stranger:
    """A foreign table, the rows it should hold, and a hand that writes to it at random."""

    path: Path
    kind: pa.DataType
    values: list[Any]
    partitioned: bool
    chance: random.Random
    rows: Rows
    extra: bool = False

    def create(self, *, feed: bool) -> None:
        configuration = {"delta.enableChangeDataFeed": "true"} if feed else None
        self.rows = self.some(20)
        by = ["p"] if self.partitioned else None
        write_deltalake(str(self.path), self.table(self.rows), partition_by=by, configuration=configuration)

    def some(self, count: int, first: int = 0) -> Rows:
        pick, more = self.chance, {"extra": None} if self.extra else {}
        return [
            {"k": first + i, "p": pick.choice(self.values), "n": pick.choice([None, pick.randrange(100)]), **more}
            for i in range(count)
        ]

    def table(self, rows: Rows) -> pa.Table:
        fields = [pa.field("k", pa.int64()), pa.field("p", self.kind), pa.field("n", pa.int64())]
        if self.extra:
            fields.append(pa.field("extra", pa.string()))
        return pa.Table.from_pylist(rows, schema=pa.schema(fields))

    def append(self) -> None:
        new = self.some(self.chance.randint(1, 6), first=self.chance.randrange(30))
        foreign.append(self.path, self.table(new))
        self.rows += new

    def merge(self) -> None:
        self.dedupe()
        new = self.some(5, first=self.chance.randrange(30))
        foreign.merge(self.path, self.table(new), "k")
        keys = {row["k"] for row in new}
        self.rows = [row for row in self.rows if row["k"] not in keys] + new

    def dedupe(self) -> None:
        """A merge wants each key at most once on either side to be meaningful; drop all but the first by overwrite."""
        first = {row["k"]: row for row in reversed(self.rows)}
        self.rows = list(first.values())
        foreign.overwrite(self.path, self.table(self.rows))

    def delete(self) -> None:
        rest = self.chance.randrange(3)
        DeltaTable(str(self.path)).delete(f"k % 3 = {rest} OR p IS NULL")
        self.rows = [row for row in self.rows if row["k"] % 3 != rest and row["p"] is not None]

    def update(self) -> None:
        limit = self.chance.randrange(30)
        DeltaTable(str(self.path)).update(predicate=f"k < {limit}", updates={"n": "n + 1"})
        self.rows = [
            {**r, "n": r["n"] + 1} if r["k"] < limit and r["n"] is not None else r for r in self.rows
        ]  # fmt: skip

    def overwrite(self) -> None:
        self.rows = self.some(self.chance.randint(0, 12))
        foreign.overwrite(self.path, self.table(self.rows))

    def compact(self) -> None:
        DeltaTable(str(self.path)).optimize.compact()

    def z_order(self) -> None:
        DeltaTable(str(self.path)).optimize.z_order(["k"])

    def vacuum(self) -> None:
        foreign.vacuum(self.path)

    def change_schema(self) -> None:
        """Add a column by an append, or drop it again by an overwrite."""
        self.extra = not self.extra
        if self.extra:
            new: Rows = [{**row, "extra": "x"} for row in self.some(2)]
            foreign.append(self.path, self.table(new), schema_mode="merge")
            self.rows = [{**row, "extra": None} for row in self.rows] + new
            return
        self.rows = [{c: row[c] for c in "kpn"} for row in self.rows]
        by = ["p"] if self.partitioned else None
        foreign.overwrite(self.path, self.table(self.rows), schema_mode="overwrite", partition_by=by)


QUIET: list[Callable[[Stranger], None]] = [Stranger.compact, Stranger.z_order, Stranger.vacuum]
LOUD: list[Callable[[Stranger], None]] = [
    Stranger.append, Stranger.append, Stranger.merge, Stranger.delete, Stranger.update, Stranger.overwrite
]  # fmt: skip


def stranger(path: Path, partition: str, seed: int) -> Stranger:
    kind, values, partitioned = PARTITIONS[partition]
    return Stranger(path, kind, values, partitioned, random.Random(seed), [])


def follow(project: tw.Project, table: Stranger) -> Run:
    """Refresh, and compare every view with plain Python, by our own reader and by delta-rs."""
    run = project.refresh()
    assert bag(foreign.delta_rows(table.path)) == bag(table.rows)
    for view, expected in views_of(table.rows).items():
        assert bag(project.to_arrow(view).to_pylist()) == bag(expected), view
        assert bag(foreign.delta_rows(Path(project.root) / "warehouse" / view)) == bag(expected), view
    assert bag(project.to_arrow("s").to_pylist()) == bag(table.rows)
    return run


def source(path: Path, **options: Any) -> dict[str, Any]:
    return {"s": {"kind": "delta", "path": str(path), **options}}


def run_sequence(make_project: Callable[..., tw.Project], table: Stranger, *, feed: bool, steps: int) -> None:
    table.create(feed=feed)
    project = make_project(source(table.path, on_schema_change="rebuild"), VIEWS)
    follow(project, table)
    for _ in range(steps):
        step = table.chance.choice([*LOUD, *QUIET, Stranger.change_schema])
        print(step.__name__)
        step(table)
        run = follow(project, table)
        if step in QUIET:
            assert run.plan.sources["s"].change.kind is ChangeKind.NONE
            assert {v.method for v in run.views.values()} == {"none"}
    assert project.verify().differences == {}


@pytest.mark.parametrize("feed", [False, True], ids=["plain", "feed"])
@pytest.mark.parametrize("partition", PARTITIONS)
def test_views_follow_a_foreign_table_through_any_sequence_of_writes(
    tmp_path: Path, make_project: Callable[..., tw.Project], partition: str, *, feed: bool
) -> None:
    run_sequence(make_project, stranger(tmp_path / "t", partition, 7), feed=feed, steps=12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("partition", PARTITIONS)
def test_views_follow_a_foreign_table_through_many_sequences(
    tmp_path: Path, make_project: Callable[..., tw.Project], partition: str, seed: int
) -> None:
    run_sequence(make_project, stranger(tmp_path / "t", partition, seed), feed=bool(seed % 2), steps=25)


@pytest.mark.parametrize("partition", ["none", "string"])
def test_a_schema_change_is_refused_and_changes_nothing_under_the_default_policy(
    tmp_path: Path, make_project: Callable[..., tw.Project], partition: str
) -> None:
    table = stranger(tmp_path / "t", partition, 3)
    table.create(feed=False)
    project = make_project(source(table.path), VIEWS)
    before = follow(project, table)
    held = {view: bag(project.to_arrow(view).to_pylist()) for view in VIEWS}
    table.change_schema()
    with pytest.raises(tw.UserError, match='column "extra" is new') as caught:
        project.refresh()
    assert caught.value.code == "schema-changed"
    assert caught.value.hint
    assert project.epoch().number == before.epoch
    assert {view: bag(project.to_arrow(view).to_pylist()) for view in VIEWS} == held
    table.change_schema()
    assert follow(project, table).published, "the schema is the old one again"


@pytest.mark.parametrize("partition", ["none", "string"])
def test_a_column_that_no_file_of_a_partition_has_is_null_there(
    tmp_path: Path, make_project: Callable[..., tw.Project], partition: str
) -> None:
    table = stranger(tmp_path / "t", partition, 5)
    table.create(feed=False)
    table.change_schema()
    DeltaTable(str(table.path)).delete("extra = 'x'")
    table.rows = [row for row in table.rows if row["extra"] is None]
    project = make_project(source(table.path), {**VIEWS, "extras": "SELECT k, extra FROM s"})
    follow(project, table)
    assert {row["extra"] for row in project.to_arrow("extras").to_pylist()} == {None}


@pytest.mark.parametrize("inline", [True, False], ids=["inline", "file"])
@pytest.mark.parametrize("partition", ["none", "string", "date"])
def test_rows_under_a_deletion_vector_are_gone_from_every_view(
    tmp_path: Path, make_project: Callable[..., tw.Project], partition: str, *, inline: bool
) -> None:
    table = stranger(tmp_path / "t", partition, 11)
    table.create(feed=False)
    project = make_project(source(table.path), VIEWS)
    follow(project, table)
    foreign.delete_by_vector(table.path, [0], inline=inline)
    masks = pa.table(DeltaTable(str(table.path)).deletion_vectors()).to_pylist()
    assert [mask["selection_vector"][0] for mask in masks] == [False], "delta-rs sees the vector as it is meant"
    gone = bag(table.rows) - bag(foreign.delta_rows(table.path))
    assert gone.total() == 1
    table.rows.remove(next(row for row in table.rows if bag([row]) == gone))
    run = follow(project, table)
    assert run.plan.sources["s"].change.kind is ChangeKind.MIXED
    for step in (Stranger.append, Stranger.delete, Stranger.compact):
        step(table)
        follow(project, table)
    assert project.verify().differences == {}


def test_a_view_left_out_when_its_source_was_rewritten_is_rebuilt_later(
    tmp_path: Path, make_project: Callable[..., tw.Project]
) -> None:
    path = tmp_path / "t"
    write_deltalake(str(path), pa.table({"a": [1]}))
    project = make_project(source(path), {"v": "SELECT a FROM s", "w": "SELECT a + 1 AS b FROM s"})
    project.refresh()
    shutil.rmtree(path)
    write_deltalake(str(path), pa.table({"a": [100]}))  # another table with the same version number
    assert project.refresh(select=["v"]).views["w"].method == "stale"
    assert project.refresh().views["w"].method == "full"
    assert project.to_arrow("w").to_pylist() == [{"b": 101}]


def test_after_compaction_and_vacuum_of_a_source_its_rows_can_still_be_read_and_verified(
    tmp_path: Path, make_project: Callable[..., tw.Project]
) -> None:
    path = tmp_path / "t"
    for i in range(4):
        foreign.append(path, pa.table({"a": [i]}))
    project = make_project(source(path), {"v": "SELECT a FROM s"})
    project.refresh()
    DeltaTable(str(path)).optimize.compact()
    assert project.refresh().views["v"].method == "none"
    foreign.vacuum(path)
    assert project.verify().differences == {}
    assert project.query("SELECT count(*) AS n FROM s").to_pylist() == [{"n": 4}]


def test_reading_a_source_whose_history_was_vacuumed_away_says_so(
    tmp_path: Path, make_project: Callable[..., tw.Project]
) -> None:
    path = tmp_path / "t"
    for i in range(4):
        foreign.append(path, pa.table({"a": [i]}))
    project = make_project(source(path), {"v": "SELECT a FROM s"})
    project.refresh()
    DeltaTable(str(path)).optimize.compact()
    foreign.vacuum(path)
    readers: list[Callable[[], object]] = [
        lambda: project.to_arrow("s"), lambda: project.query("SELECT a FROM s", epoch=1)
    ]  # fmt: skip
    for read in readers:
        with pytest.raises(tw.StoreError) as caught:
            read()
        assert caught.value.code == "files-missing"
        assert "full-refresh" in (caught.value.hint or "")
    assert "full-refresh" in (project.verify().views["v"].problem or "")
    project.refresh(full_refresh=True)
    assert project.verify().differences == {}


def test_a_source_whose_log_was_cleaned_up_is_read_anew(
    tmp_path: Path, make_project: Callable[..., tw.Project]
) -> None:
    path = tmp_path / "t"
    foreign.append(path, pa.table({"a": [1]}))
    project = make_project(source(path), {"v": "SELECT a FROM s"})
    project.refresh()
    for i in range(2, 5):
        foreign.append(path, pa.table({"a": [i]}))
    DeltaTable(str(path)).create_checkpoint()
    for version in range(3):
        foreign.commit_file(path, version).unlink()
    run = project.refresh()
    assert run.plan.sources["s"].change.kind in {ChangeKind.LOST, ChangeKind.REWRITTEN}
    assert bag(project.to_arrow("v").to_pylist()) == bag([{"a": i} for i in range(1, 5)])


def test_an_empty_string_in_a_partition_is_null_as_the_protocol_says(
    tmp_path: Path, make_project: Callable[..., tw.Project]
) -> None:
    path = tmp_path / "t"
    write_deltalake(str(path), pa.table({"k": [1, 2], "p": ["", "x"]}), partition_by=["p"])
    project = make_project(source(path), {"v": "SELECT k, p FROM s"})
    project.refresh()
    wanted = bag([{"k": 1, "p": None}, {"k": 2, "p": "x"}])
    assert bag(project.to_arrow("v").to_pylist()) == bag(project.to_arrow("s").to_pylist()) == wanted
    assert project.verify().differences == {}


def test_views_follow_a_source_to_its_new_columns_and_types(
    tmp_path: Path, make_project: Callable[..., tw.Project]
) -> None:
    path = tmp_path / "t"
    write_deltalake(str(path), pa.table({"a": [1], "b": [2]}))
    views = {"star": "SELECT * FROM s", "b": "SELECT b FROM s", "below": "SELECT count(*) AS n FROM b"}
    project = make_project(source(path, on_schema_change="rebuild"), views)
    project.refresh()
    foreign.overwrite(path, pa.table({"a": ["x", "y"], "c": [1.5, None]}), schema_mode="overwrite")
    run = project.refresh()
    assert {name: view.method for name, view in run.views.items()} == {
        "star": "full",
        "b": "broken",
        "below": "broken",
    }
    assert run.exit_code == 4
    for rows in (project.to_arrow("star").to_pylist(), foreign.delta_rows(Path(project.root, "warehouse", "star"))):
        assert bag(rows) == bag([{"a": "x", "c": 1.5}, {"a": "y", "c": None}])
    assert project.to_arrow("b").to_pylist() == [{"b": 2}], "the last good version stays"
    foreign.overwrite(path, pa.table({"a": [9], "b": [9]}), schema_mode="overwrite")
    assert project.refresh().exit_code == 0
    assert project.to_arrow("b").to_pylist() == [{"b": 9}]
    assert project.verify().differences == {}


def test_a_delete_by_another_tool_is_shown_as_what_it_is(
    make_project: Callable[..., tw.Project], tmp_path: Path
) -> None:
    path = tmp_path / "t"
    write_deltalake(str(path), pa.table({"a": [1, 2, 3]}))
    project = make_project({"s": {"kind": "delta", "path": str(path)}}, {"v": "SELECT a FROM s"})
    project.refresh()
    DeltaTable(str(path)).delete("a = 2")
    assert str(project.plan().sources["s"].change) == "0 rows written, 1 rows replaced or removed"

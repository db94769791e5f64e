"""Parts: which rows they hold, which they hold together, and that they are made once."""

from __future__ import annotations

import itertools
import threading
import time

import pytest

from tidewheel.ddl import parse_schema
from tidewheel.optimize.cost import Work
from tidewheel.plan.binding.parts import NotShared, PartBounds, Parts, RelationPart, Sharing
from tidewheel.plan.binding.requests import kind_of
from tidewheel.plan.binding.shown import Shown
from tidewheel.store.tables import TableSnapshot
from tidewheel.tvr.reference.evaluate import Table, compute
from tidewheel.types import Schema

SCHEMA = parse_schema("a INT, b INT, c INT")
VALUES = (None, 1, 2, 3)
ROWS = tuple((a, b, n) for n, (a, b) in enumerate(itertools.product(VALUES, VALUES)))
TABLES = {
    "files": Table.of("a INT, b INT, c INT", ROWS),
    "d": Table.of("x INT, y INT", [(1, 2), (2, 2)]),
    "e": Table.of("x INT, y INT", [(3, None), (None, 1), (3, None)]),
}
BY_A: PartBounds = (("a", (("d", "x"),)),)
BY_B: PartBounds = (("b", (("d", "y"),)),)
BY_BOTH: PartBounds = (*BY_A, *BY_B)
OF_E: PartBounds = (("a", (("e", "x"),)),)
OF_SEVERAL: PartBounds = (("a", (("d", "x"), ("e", "x"))),)


PATHS = frozenset({"a.parquet"})


def part(bounds: PartBounds) -> RelationPart:
    return RelationPart(of="t", bounds=bounds)


def held(wanted: RelationPart, nulls: frozenset[str] = frozenset()) -> set[tuple[object, ...]]:
    found = [tuple(row) for row in compute(wanted.query(SCHEMA, "files", nulls).rel, TABLES).rows]
    assert len(found) == len(set(found)), "each row once"
    return set(found)


def is_within(row: tuple[object, ...], bounds: PartBounds, nulls: frozenset[str]) -> bool:
    for column, origins in bounds:
        at = SCHEMA.names.index(column)
        known = [r[0 if name == "x" else 1] for change, name in origins for r in TABLES[change].rows]
        if row[at] not in known or (row[at] is None and column not in nulls):
            return False
    return True


@pytest.mark.parametrize("nulls", [frozenset(), frozenset({"a", "b"})])
@pytest.mark.parametrize("bounds", [BY_A, BY_B, BY_BOTH, OF_E, OF_SEVERAL, (*OF_E, *BY_B)])
def test_it_holds_the_rows_within_its_bounds(bounds: PartBounds, nulls: frozenset[str]) -> None:
    assert held(part(bounds), nulls) == {row for row in ROWS if is_within(row, bounds, nulls)}


def test_what_is_within_more_bounds_is_there_already() -> None:
    assert part(BY_A).holds(part(BY_BOTH))
    assert held(part(BY_A)) > held(part(BY_BOTH))
    assert not part(BY_BOTH).holds(part(BY_A))
    assert not part(BY_A).holds(part(OF_SEVERAL))
    assert not part(BY_A).holds(RelationPart(of="other", bounds=BY_BOTH))


def sharing(*serves: RelationPart, columns: tuple[str, ...] = ("a", "b")) -> Sharing:
    return Sharing(
        part=serves[0],
        serves=serves,
        relation="t",
        what="now",
        columns=columns,
        views=("v", "w"),
        place="driver",
        work=Work(),
        making=0.1,
        rows=1.0,
        estimate=1.0,
        size=1.0,
        reading={"v": 0.1, "w": 0.1},
        alone={"v": 0.3, "w": 0.3},
    )


def test_who_asks_for_more_columns_is_not_served() -> None:
    parts = Parts([sharing(part(BY_A))])
    assert parts.serving(part(BY_A), ["a"]) is not None
    assert parts.serving(part(BY_A), ["a", "c"]) is None
    assert parts.serving(part(BY_B), ["a"]) is None


def test_one_serves_all_that_it_was_planned_for() -> None:
    shared = sharing(part(BY_A), part(BY_BOTH))
    parts = Parts([shared])
    assert {parts.serving(p, ["a"]) for p in shared.serves} == {shared}


def test_it_is_made_once_and_waited_for() -> None:
    shared = sharing(part(BY_A))
    parts = Parts([shared])
    made: list[TableSnapshot] = []

    def make() -> TableSnapshot:
        time.sleep(0.05)
        made.append(TableSnapshot(table="x", version=-1, schema=Schema(())))
        return made[-1]

    found: list[TableSnapshot] = []
    threads = [threading.Thread(target=lambda: found.append(parts.rows(shared.part, PATHS, make))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == made * 4
    assert len(made) == 1
    assert parts.seconds(shared.part) >= 0.02


def test_what_failed_is_offered_to_nobody() -> None:
    shared = sharing(part(BY_A))
    parts = Parts([shared])

    def fail() -> TableSnapshot:
        raise NotShared("t")

    for _ in range(2):
        with pytest.raises(NotShared):
            parts.rows(shared.part, PATHS, fail)
    assert parts.serving(shared.part, ["a"]) is None


def test_it_is_not_for_who_has_other_files_under_its_name() -> None:
    shared = sharing(part(BY_A))
    parts = Parts([shared])
    parts.rows(shared.part, PATHS, lambda: TableSnapshot(table="x", version=-1, schema=Schema(())))
    with pytest.raises(NotShared):
        parts.rows(
            shared.part, frozenset({"b.parquet"}), lambda: TableSnapshot(table="x", version=-1, schema=Schema(()))
        )
    assert parts.serving(shared.part, ["a"]) is None


def test_what_is_learned_of_it_hangs_on_relations_and_not_on_versions() -> None:
    limits = (("a", frozenset({("d_5", "x")})), ("b", frozenset({("d_5", "y"), ("e", "y")})))
    files = [Shown(name, "sales_2023", "now", [], what_of="since") for name in ("_tw_since_3", "_tw_since_29")]
    assert {kind_of(shown, limits) for shown in files} == {
        "sales_2023 (since) by a in d(d_5).x and b in d(d_5).y, d(e).y"
    }

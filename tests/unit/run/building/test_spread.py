"""How rows are spread over files: by what keeps files apart, in parts of about the same size."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.delta.stories import stored as upkeep_of_sql
from tidewheel.optimize.maintenance import StoredRelation
from tidewheel.run.building.spread import Ends, _overlap, _quantiles, spread_of_build, spread_of_rewrite
from tidewheel.store.log import DataFile
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Schema

ROWS = 50_000


def file(name: int, rows: int = ROWS, **ends: tuple[Any, Any]) -> DataFile:
    stats = {"minValues": {k: v[0] for k, v in ends.items()}, "maxValues": {k: v[1] for k, v in ends.items()}}
    return DataFile(path=f"{name}.parquet", size=rows * 10, rows=rows, stats=json.dumps(stats))


def view(sql: str) -> StoredRelation:
    return upkeep_of_sql(sql).view


BAG = "SELECT x, g FROM a"


def built(sql: str, *files: DataFile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    snapshot = TableSnapshot(table="", version=0, schema=Schema(()), files=files)
    spread = spread_of_build(view(sql), (), lambda _: snapshot)
    return spread.order, spread.bounds


def test_a_bag_is_sorted_by_what_keeps_the_files_of_its_input_apart() -> None:
    files = [file(n, g=(0, 100), x=(10 * n, 10 * n + 9)) for n in range(4)]
    order, bounds = built(BAG, *files)
    assert order == ("x",)
    assert len(bounds) == 3
    assert [round(int(b), -1) for b in bounds] == [10, 20, 30]


def test_rows_of_a_bag_stay_where_they_are_if_nothing_keeps_files_apart() -> None:
    assert built(BAG, *(file(n, g=(0, 100), x=(n, 90 + n)) for n in range(4))) == ((), ())
    assert built(BAG) == ((), ())
    assert built(BAG, file(0, x=(1, 2))) == ((), ())
    assert built(BAG, file(0, x=(1, 2)), file(1)) == ((), ()), "one of them does not tell"


def test_one_far_value_does_not_decide() -> None:
    """Nor does it leave all other rows in one part."""
    files = [file(n, g=(0, 100), x=(10 * n, 10 * n + 12)) for n in range(9)]
    order, bounds = built(BAG, *files, file(9, g=(0, 10**15), x=(90, 99)))
    assert order == ("x",)
    assert [round(int(b), -1) for b in bounds] == list(range(10, 100, 10))
    order, bounds = built(BAG, *files, file(9, g=(0, 100), x=(90, 10**15)))
    assert order == ("x",)
    assert sum(int(b) <= 100 for b in bounds) >= 8


def test_a_text_that_looks_like_a_date_is_no_date() -> None:
    groups = "SELECT s, count(*) AS n FROM (SELECT CAST(x AS STRING) AS s FROM a) GROUP BY s"
    files = [file(n, rows=10, s=(f"2024-01-{10 * n + 10}", f"2024-01-{10 * n + 19}")) for n in range(2)]
    spread = spread_of_rewrite(view(groups), (), files, files, 20)
    assert (spread.order, spread.bounds) == (("s",), ())
    bag = "SELECT CAST(x AS STRING) AS s, g FROM a"
    assert spread_of_rewrite(view(bag), (), files, files, 20).bounds == ()


def test_rewritten_files_are_cut_where_they_began() -> None:
    files = [file(n, g=(0, 100), x=(10 * n, 10 * n + 9)) for n in range(10)]
    spread = spread_of_rewrite(view(BAG), (), files, [files[7], files[2]], 2 * ROWS + 10)
    assert (spread.order, spread.bounds, spread.apart) == (("x",), ("20", "30", "70", "80"), True)
    assert spread.rows == ROWS
    days = [file(n, x=(f"2024-01-{n + 1:02d}", f"2024-01-{n + 1:02d}")) for n in range(9)]
    dated = view("SELECT DATE '2024-01-01' AS x, g FROM a")
    assert spread_of_rewrite(dated, (), days, days[7:], 10).bounds == ("DATE '2024-01-08'", "DATE '2024-01-09'")


def test_neighbours_with_few_rows_are_put_together() -> None:
    files = [file(n, rows=100 if n in {2, 3, 4, 7} else ROWS, x=(10 * n, 10 * n + 9)) for n in range(10)]
    small = [f for f in files if f.rows == 100]
    assert spread_of_rewrite(view(BAG), (), files, small, 410).bounds == ("20", "50", "70", "80")
    assert spread_of_rewrite(view(BAG), (), files, [*small, files[5]], ROWS).bounds == ("20", "50", "60", "70", "80")


def test_without_bounds_rewritten_rows_are_cut_evenly() -> None:
    files = [file(n) for n in range(10)]
    spread = spread_of_rewrite(view(BAG), (), files, files[:3], 3 * ROWS + 30_000)
    assert (spread.order, spread.bounds) == (("x",), ())
    assert spread.rows == ROWS - 5000, "180,000 in four"


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([(0, 9), (10, 19), (20, 29)], 0.0),
        ([(0, 10), (10, 19), (20, 29)], 1 / 3),
        ([(0, 9), (0, 9), (0, 9)], 1.0),
        ([(0, 9)], 1.0),
        ([(0, 9), (10, 10**15)], 0.0),
    ],
)
def test_overlap_is_the_share_of_other_files(ranges: list[tuple[int, int]], expected: float) -> None:
    assert _overlap([Ends(low, high, 10, day=False) for low, high in ranges]) == pytest.approx(expected)


def test_quantiles() -> None:
    assert _quantiles([Ends(0, 1600, 10, day=False)], 4) == [400, 800, 1200]
    assert _quantiles([Ends(0, 0, 10, day=False)], 4) == [], "one value cannot be cut"
    assert _quantiles([Ends(0, 9, 10, day=False)], 1) == []
    assert _quantiles([], 3) == []

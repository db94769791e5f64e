"""Cases that broke others, each a small project and a script of changes: what users meet on an ordinary day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from tidewheel.demo.shop import Batch

Row = tuple[Any, ...]
Step = Mapping[str, tuple[Sequence[Row], Sequence[Row]]]
"""For each source, the rows that go and the rows that come."""

COLUMNS: Final = {"t": ("k", "g", "x"), "u": ("k", "y"), "w": ("g", "z")}
SOURCES: Final = {
    name: {"kind": "managed", "schema": ", ".join(f"{c} INT" for c in columns)} for name, columns in COLUMNS.items()
}
LOAD: Final[dict[str, list[Row]]] = {
    "t": [(1, 1, 10), (2, 1, 20), (3, 2, 30), (3, 2, 30), (4, None, 40), (None, 3, 50), (5, 3, None)],
    "u": [(1, 100), (3, 300), (3, 301), (None, 7), (6, 600)],
    "w": [(1, 5), (2, 50), (None, 1)],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    name: str
    views: dict[str, str]
    steps: tuple[Step, ...]


class Script:
    """A stream that follows a case's steps."""

    def __init__(self, case: Case) -> None:
        self.sources: Mapping[str, Mapping[str, Any]] = SOURCES
        self.steps = list(case.steps)

    def load(self) -> list[Batch]:
        return [Batch(name, "append", _table(name, rows)) for name, rows in LOAD.items()]

    def round(self) -> list[Batch]:
        batches = []
        for name, (going, coming) in self.steps.pop(0).items():
            batches += [Batch(name, "delete", _table(name, going))] if going else []
            batches += [Batch(name, "append", _table(name, coming))] if coming else []
        return batches


def _table(name: str, rows: Sequence[Row]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS[name])
    return pa.table({c: pa.array(v, pa.int32()) for c, v in zip(COLUMNS[name], columns, strict=True)})


def _case(name: str, views: str | dict[str, str], *steps: Step) -> Case:
    return Case(name=name, views={"v": views} if isinstance(views, str) else views, steps=steps)


JOIN: Final = "SELECT t.k, t.x, u.y FROM t JOIN u ON t.k = u.k"
CASES: Final = (
    _case(
        "both join inputs change with matching keys, insert against delete",
        JOIN,
        {"t": ([], [(6, 9, 1)]), "u": ([(6, 600)], [])},
        {"t": ([(6, 9, 1)], [(1, 1, 11)]), "u": ([], [(6, 601)])},
    ),
    _case(
        "the join key is updated while the old partner is deleted",
        JOIN,
        {"t": ([(1, 1, 10)], [(6, 1, 10)]), "u": ([(1, 100)], [])},
        {"t": ([(6, 1, 10)], [(1, 1, 10)])},
    ),
    _case(
        "a self join, and the same table thrice",
        {
            "v": "SELECT a.k, b.x FROM t a JOIN t b ON a.g = b.g",
            "w3": "SELECT a.k, b.k AS l, c.x FROM t a JOIN t b ON a.k = b.k JOIN t c ON b.g = c.g",
        },
        {"t": ([(3, 2, 30)], [(7, 1, 70), (3, 1, 33)])},
        {"t": ([(1, 1, 10), (2, 1, 20)], [])},
    ),
    _case(
        "two identical rows, one deleted, through a projection and a join",
        {"p": "SELECT g, x FROM t", "v": "SELECT p.g, p.x, w.z FROM p JOIN w ON p.g = w.g"},
        {"t": ([(3, 2, 30)], [])},
        {"t": ([(3, 2, 30)], [])},
        {"t": ([], [(3, 2, 30), (3, 2, 30)])},
    ),
    _case(
        "NULL in a group key and in a composite key",
        {
            "v": "SELECT g, count(*) AS n, sum(x) AS s FROM t GROUP BY g",
            "c": "SELECT k, g, count(*) AS n FROM t GROUP BY k, g",
        },
        {"t": ([(4, None, 40)], [(None, None, 1), (None, 3, 2)])},
        {"t": ([(None, None, 1)], [])},
    ),
    _case(
        "NULL on both join sides, full join of NULL with NULL, and null-safe",
        {
            "v": "SELECT t.x, u.y FROM t FULL JOIN u ON t.k = u.k",
            "n": "SELECT t.x, u.y FROM t FULL JOIN u ON t.k <=> u.k",
        },
        {"t": ([(None, 3, 50)], []), "u": ([], [(None, 8)])},
        {"t": ([], [(None, 1, 51)]), "u": ([(None, 7)], [])},
    ),
    _case(
        "a group empties and returns",
        "SELECT g, sum(x) AS s, min(x) AS m FROM t GROUP BY g",
        {"t": ([(3, 2, 30), (3, 2, 30)], [])},
        {"t": ([], [(8, 2, 5)])},
    ),
    _case(
        "a global aggregate over an emptied table has one row",
        "SELECT count(*) AS n, sum(z) AS s, max(z) AS m, avg(z) AS a FROM w",
        {"w": (LOAD["w"], [])},
        {"w": ([], [(1, 3)])},
    ),
    _case(
        "HAVING is crossed up and down, and inside a CTE that is joined",
        {
            "v": "SELECT g, sum(x) AS s FROM t GROUP BY g HAVING sum(x) > 45",
            "c": "WITH b AS (SELECT g, sum(x) AS s FROM t GROUP BY g HAVING sum(x) > 45) SELECT b.s, w.z"
            " FROM b JOIN w ON b.g = w.g",
        },
        {"t": ([], [(9, 1, 30)])},
        {"t": ([(9, 1, 30)], [])},
        {"t": ([(3, 2, 30)], [])},
    ),
    _case(
        "the holder of the maximum is deleted, and an equality with a MAX subquery",
        {"v": "SELECT g, max(x) AS m FROM t GROUP BY g", "e": "SELECT k FROM t WHERE x = (SELECT max(x) FROM t)"},
        {"t": ([(None, 3, 50)], [])},
        {"t": ([], [(9, 9, 99), (8, 9, 99)])},
        {"t": ([(9, 9, 99)], [])},
    ),
    _case(
        "NOT IN when a NULL enters and leaves",
        "SELECT g, x FROM t WHERE k NOT IN (SELECT k FROM u WHERE k > 1 OR k IS NULL)",
        {"u": ([(None, 7)], [])},
        {"u": ([], [(None, 1)])},
        {"u": ([(None, 1), (3, 300)], [])},
    ),
    _case(
        "an update arrives through a chained view as delete and insert, with an append-only path in place",
        {
            "a": "SELECT g, count(*) AS n FROM t GROUP BY g",
            "b": "SELECT g, n FROM a WHERE n > 1",
            "c": "SELECT b.n, w.z FROM b JOIN w ON b.g = w.g",
        },
        {"t": ([], [(7, 1, 1), (7, 2, 1)])},
        {"t": ([], [(7, 3, 1)])},
        {"t": ([(7, 1, 1)], [(7, 3, 1)])},
    ),
    _case(
        "DISTINCT, EXCEPT and INTERSECT keep count of copies",
        {
            "d": "SELECT DISTINCT g FROM t",
            "e": "SELECT k FROM t EXCEPT ALL SELECT k FROM u",
            "i": "SELECT k FROM t INTERSECT SELECT k FROM u",
        },
        {"t": ([(3, 2, 30)], []), "u": ([(3, 300)], [])},
        {"t": ([(3, 2, 30)], [(6, 1, 1)])},
    ),
    _case(
        "semi and anti joins follow the last match",
        {
            "s": "SELECT k, x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k)",
            "a": "SELECT k, x FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.k)",
        },
        {"u": ([(3, 300)], [])},
        {"u": ([(3, 301)], [(2, 1)])},
        {"t": ([(1, 1, 10)], []), "u": ([(1, 100)], [])},
    ),
    _case(
        "windows by partition, and ranks over all rows",
        {
            "v": "SELECT k, x, sum(x) OVER (PARTITION BY g) AS s, row_number() OVER (PARTITION BY g ORDER"
            " BY x, k) AS n FROM t",
            "r": "SELECT k, x, rank() OVER (ORDER BY x) AS r FROM t",
        },
        {"t": ([(1, 1, 10)], [(9, 1, 15)])},
        {"t": ([(3, 2, 30)], [])},
    ),
    _case(
        "the first rows, when one of them goes and when a better one comes",
        {
            "v": "SELECT k, x FROM t ORDER BY x DESC, k LIMIT 2",
            "g": "SELECT g, sum(x) AS s FROM t GROUP BY g ORDER BY s DESC, g LIMIT 2 OFFSET 1",
        },
        {"t": ([(None, 3, 50)], [])},
        {"t": ([], [(9, 9, 99)])},
        {"t": ([(9, 9, 99)], [(9, 9, 98)])},
    ),
    _case(
        "a threshold that moves",
        "SELECT g, sum(x) AS s FROM t GROUP BY g HAVING sum(x) > (SELECT avg(z) FROM w)",
        {"w": ([], [(9, 60)])},
        {"w": ([(2, 50), (9, 60)], [])},
        {"t": ([(3, 2, 30)], []), "w": ([], [(7, 40)])},
    ),
    _case(
        "a diamond: two branches of one view meet again",
        {
            "a": "SELECT g, sum(x) AS s FROM t GROUP BY g",
            "l": "SELECT g, s FROM a WHERE s > 20",
            "r": "SELECT g, s * 2 AS d FROM a",
            "v": "SELECT l.s, r.d FROM l JOIN r ON l.g <=> r.g",
        },
        {"t": ([(1, 1, 10)], [(1, 2, 5)])},
        {"t": ([], [(1, None, 3)])},
    ),
    _case(
        "a change that cancels",
        {"v": JOIN, "a": "SELECT g, count(*) AS n FROM t GROUP BY g"},
        {"t": ([(1, 1, 10)], [(1, 1, 10)])},
        {"t": ([(2, 1, 20)], [(2, 1, 20), (6, 1, 1)])},
    ),
    _case(
        "everything goes and comes back",
        {
            "v": JOIN,
            "a": "SELECT g, sum(x) AS s, max(x) AS m FROM t GROUP BY ROLLUP (g)",
            "o": "SELECT t.x, u.y FROM t LEFT JOIN u ON t.k = u.k",
        },
        {"t": (LOAD["t"], []), "u": (LOAD["u"], [])},
        {"t": ([], LOAD["t"]), "u": ([], LOAD["u"])},
    ),
)

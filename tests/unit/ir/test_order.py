"""Which columns hang on the order of rows: those made of such aggregates, and nothing else."""

from __future__ import annotations

import pytest

from tidewheel.ir.order import Hang, order_given
from tidewheel.ir.parts import Column
from tidewheel.sql.bind import CatalogRelation, bind
from tidewheel.types import INT, Array

NOT, ORDER, VALUE = Hang.NOT, Hang.ORDER, Hang.VALUE
CATALOG = {
    "t": CatalogRelation(name="t", columns=(Column("g", INT), Column("x", INT), Column("y", INT))),
    "v": CatalogRelation(name="v", columns=(Column("g", INT), Column("xs", Array(INT)), Column("some", INT))),
}
STORED = {"v": {"xs": ORDER, "some": VALUE}}

# query, how each column hangs
COLUMNS = {
    "SELECT g, sum(x), collect_list(x) FROM t GROUP BY g": (NOT, NOT, ORDER),
    "SELECT g, collect_set(x), array_agg(y) FROM t GROUP BY g": (NOT, ORDER, ORDER),
    "SELECT g, first(x), last(x), any_value(x) FROM t GROUP BY g": (NOT, VALUE, VALUE, VALUE),
    "SELECT g, max_by(x, y), min_by(x, y), mode(x) FROM t GROUP BY g": (NOT, VALUE, VALUE, VALUE),
    "SELECT g, percentile_approx(x, 0.5), approx_count_distinct(x) FROM t GROUP BY g": (NOT, VALUE, NOT),
    "SELECT g, min(x), max(x), count(*) FROM t GROUP BY g": (NOT, NOT, NOT, NOT),
    "SELECT g, sort_array(collect_list(x)), size(collect_set(x)) FROM t GROUP BY g": (NOT, NOT, NOT),
    "SELECT g, array_distinct(collect_list(x)), collect_list(x)[0] FROM t GROUP BY g": (NOT, ORDER, VALUE),
    "SELECT g, transform(collect_list(x), e -> e + 1) FROM t GROUP BY g": (NOT, ORDER),
    "SELECT g, transform(collect_list(x), (e, i) -> e + i) FROM t GROUP BY g": (NOT, VALUE),
    "SELECT g, aggregate(collect_list(x), 0, (a, e) -> a + e) FROM t GROUP BY g": (NOT, VALUE),
    "SELECT g, first(x) + 1, CAST(collect_list(x) AS STRING) FROM t GROUP BY g": (NOT, VALUE, VALUE),
    "SELECT g, n FROM (SELECT g, first(x) AS f, count(*) AS n FROM t GROUP BY g)": (NOT, NOT),
    "SELECT g, xs, some FROM v": (NOT, ORDER, VALUE),
    "SELECT sum(some), count(*) FROM v": (VALUE, NOT),
    "SELECT g, first_value(x) OVER (PARTITION BY g ORDER BY x, y) FROM t": (NOT, NOT),
    "SELECT g, collect_list(x) OVER (PARTITION BY g) FROM t": (NOT, ORDER),
    "SELECT v.g, e FROM v LATERAL VIEW explode(xs) AS e": (NOT, NOT),
    "SELECT v.g, i, e FROM v LATERAL VIEW posexplode(xs) AS i, e": (NOT, VALUE, VALUE),
    "SELECT g, xs FROM v UNION ALL SELECT g, array(x) FROM t": (NOT, ORDER),
}
# whether it may have other rows each time
ROWS = {
    "SELECT g FROM v": False,
    "SELECT g FROM v WHERE some > 1": True,
    "SELECT g FROM v WHERE size(xs) > 1": False,
    "SELECT some, count(*) FROM v GROUP BY some": True,
    "SELECT t.g FROM t JOIN v ON t.x = v.some": True,
    "SELECT t.g FROM t JOIN v ON t.g = v.g": False,
    "SELECT g FROM t WHERE x IN (SELECT some FROM v)": True,
    "SELECT DISTINCT some FROM v": True,
    "SELECT DISTINCT g, xs FROM (SELECT g, collect_list(x) AS xs FROM t GROUP BY g)": False,
    "SELECT some FROM v EXCEPT SELECT x FROM t": True,
    "SELECT g FROM v ORDER BY some LIMIT 1": True,
    "SELECT g FROM t ORDER BY x, y, g LIMIT 1": False,
}


@pytest.mark.parametrize("sql", COLUMNS)
def test_columns(sql: str) -> None:
    assert order_given(STORED)(bind(sql, CATALOG).rel).columns == COLUMNS[sql]


@pytest.mark.parametrize("sql", ROWS)
def test_rows(sql: str) -> None:
    assert order_given(STORED)(bind(sql, CATALOG).rel).rows is ROWS[sql]

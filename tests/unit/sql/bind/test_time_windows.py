"""What `window` means beside window(...), where that is not the window."""

from __future__ import annotations

import pytest

from tests.unit.sql.test_constructs import CATALOG, outcome_of
from tidewheel.sql.bind import bind

COUNT = "count(*) AS n FROM t GROUP BY window(ts, '1 hour'), a"


def test_a_column_called_window_is_what_rows_are_sorted_by() -> None:
    by_alias, by_name = (
        bind(f"SELECT a AS window, {COUNT} ORDER BY {key} LIMIT 2", CATALOG) for key in ("window", "1")
    )
    assert by_alias.rel == by_name.rel


@pytest.mark.parametrize(
    ("sql", "outcome"),
    [
        (f"SELECT window.*, {COUNT}", "refused unknown-column"),
        ("SELECT window.start AS x FROM t AS window GROUP BY window(window.ts, '1 hour')", "recomputed time-window"),
        ("SELECT window FROM (SELECT a AS window, ts FROM t) GROUP BY window(ts, '1 hour')", "recomputed time-window"),
        ("SELECT sum(a) OVER window AS z FROM t WINDOW window AS (PARTITION BY b)", "bound"),
        ("SELECT window() AS w FROM t", "refused wrong-arguments"),
        ("SELECT count(*) AS n FROM t GROUP BY window()", "refused wrong-arguments"),
    ],
)
def test_what_becomes_of_it(sql: str, outcome: str) -> None:
    assert outcome_of(sql) == outcome

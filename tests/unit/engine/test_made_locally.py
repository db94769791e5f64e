"""Intermediates in DuckDB: temporary tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.engine.made import NOTHING, ROWS, VIEW, check_made, query_of, session_of
from tidewheel.engine.local.engine import LocalEngine


@pytest.mark.parametrize("sql", [ROWS, NOTHING])
def test_what_is_made_is_read_until_it_is_dropped(tmp_path: Path, sql: str) -> None:
    check_made(session_of(LocalEngine(2**28, str(tmp_path))), tmp_path, sql, few=True)


def test_more_rows_take_more_bytes(tmp_path: Path) -> None:
    session = session_of(LocalEngine(2**28, str(tmp_path)))
    ten = f"(SELECT * FROM VALUES {', '.join(f'({i})' for i in range(10))} AS t(a))"
    many = f"SELECT t1.a, t5.a AS b FROM {', '.join(f'{ten} t{i}' for i in range(1, 6))}"
    session.make(VIEW, "few", query_of(ROWS), str(tmp_path / "a"), few=True)
    assert session.make(VIEW, "many", query_of(many), str(tmp_path / "b"), few=False) == 100_000
    assert session.bytes("many") > session.bytes("few")

"""Databases that a process keeps: sessions do not see each other, a broken one is replaced, a fork does no harm."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import duckdb
import pytest

from tests.unit.delta.stories import query
from tidewheel.engine.local import duck
from tidewheel.engine.local.ability import runs_here
from tidewheel.engine.local.engine import LocalEngine

MEMORY = 500_000_000


@pytest.fixture
def scratch(tmp_path: Path) -> str:
    return str(tmp_path)


def test_what_is_temporary_belongs_to_one_session(scratch: str) -> None:
    one, two = (duck.cursor(MEMORY, scratch, ["CREATE MACRO twice(x) AS 2 * x"]) for _ in range(2))
    one.execute("CREATE TEMP VIEW v AS SELECT 1 AS a")
    with pytest.raises(duckdb.CatalogException):
        two.execute("SELECT a FROM v")
    assert two.execute("SELECT twice(4), current_setting('TimeZone')").fetchall() == [(8, "UTC")]
    one.close()
    assert two.execute("SELECT twice(5)").fetchall() == [(10,)]


def test_every_session_has_the_functions_that_stand_for_those_of_spark(scratch: str) -> None:
    engine = LocalEngine(MEMORY, scratch)
    assert [engine.session({}).collect("SELECT -7 % 2 AS x").to_pylist() for _ in range(2)] == [[{"x": -1}]] * 2


def test_a_database_that_was_closed_is_replaced(scratch: str) -> None:
    duck.cursor(MEMORY, scratch, [])
    next(database for key, database in duck._SHARED.items() if scratch in key).close()
    assert duck.cursor(MEMORY, scratch, []).execute("SELECT 1").fetchall() == [(1,)]


def test_a_folder_that_was_made_anew_means_another_database(scratch: str) -> None:
    folder = os.path.join(scratch, "tmp")
    duck.cursor(MEMORY, folder, []).execute("CREATE TABLE main.here AS SELECT 1 AS a")
    assert duck.cursor(MEMORY, folder, []).execute("SELECT a FROM here").fetchall() == [(1,)]
    os.rename(folder, folder + ".old")
    with pytest.raises(duckdb.CatalogException):
        duck.cursor(MEMORY, folder, []).execute("SELECT a FROM here")


def test_a_child_that_was_forked_ends_and_has_databases_of_its_own(scratch: str) -> None:
    duck.cursor(MEMORY, scratch, []).execute("SELECT count(*) FROM range(100000)")
    child = os.fork()
    if not child:
        code = 1
        try:
            code = int(bool(duck._SHARED))
        finally:
            sys.stdout.flush()
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_a_view_runs_here_if_every_function_of_it_does() -> None:
    assert runs_here(query("SELECT upper(s) AS u FROM d"), {})
    assert not runs_here(query("SELECT soundex(s) AS u FROM d"), {})

"""A program's steps read only what was made before them, and nothing is made that nobody reads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.engine.made import query_of
from tests.unit.ir.test_dependencies import V, plan
from tidewheel.delta.change import comes
from tidewheel.ir.rel import Distinct
from tidewheel.ir.text import parse_rel
from tidewheel.optimize.maintenance import changes, upkeep_of
from tidewheel.program import Intermediate, Program, reference_to
from tidewheel.program.program import can_be_made

ROWS = parse_rel(plan("distinct", f".{V}"))
MADE = Intermediate(reference_to(ROWS), ROWS)
OVER = Distinct(input=MADE.reference)
READER = Intermediate(reference_to(OVER), OVER)
(STATEMENT,) = changes(upkeep_of(parse_rel(plan(V)), ("a", "b")), {"v": "append"})[0]


def test_a_program_of_nothing_is_one() -> None:
    assert (Program().statements, Program().intermediates) == ((), ())


def test_what_is_read_was_made_before() -> None:
    with pytest.raises(ValueError, match="not there yet"):
        Program((READER, MADE))


def test_nothing_is_made_twice() -> None:
    with pytest.raises(ValueError, match="made twice"):
        Program((MADE, MADE))


def test_nothing_is_made_that_nobody_reads() -> None:
    with pytest.raises(ValueError, match="nobody reads"):
        Program((MADE, STATEMENT))


def test_steps_are_told_apart() -> None:
    program = Program((STATEMENT,))
    assert (program.statements, program.intermediates) == ((STATEMENT,), ())


def test_changes_that_are_read_only_by_an_intermediate_are_read() -> None:
    change = STATEMENT.stored.changed(signed=False).rel
    made = Intermediate(reference_to(change), change)
    reader = replace(STATEMENT, change=comes(made.reference))
    assert not Program((STATEMENT,)).reads_its_changes
    assert Program((STATEMENT, made, reader)).reads_its_changes


def test_what_no_table_holds_is_not_made() -> None:
    """In DuckDB it would raise, and Spark writes no such files."""
    assert can_be_made(query_of("SELECT 1 AS a, CAST(NULL AS STRING) AS s").rel)
    assert not can_be_made(query_of("SELECT 1 AS a, NULL AS n").rel)
    assert not can_be_made(query_of("SELECT 1 AS a, array(INTERVAL '1' DAY) AS days").rel)


def test_a_reference_has_the_columns_of_what_it_stands_for() -> None:
    assert MADE.reference.width == ROWS.width
    assert MADE.names == ("c0", "c1", "c2")[: ROWS.width]

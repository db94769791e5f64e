"""What is known of rows after some were taken away, more came, or keys were declared."""

from __future__ import annotations

from tidewheel.optimize.facts import ColumnFacts, Facts, unknown

ROWS = Facts(rows=100, columns=(ColumnFacts(distinct=50), ColumnFacts(distinct=5, nulls=0.2)))


def test_fewer_rows_have_no_more_values_and_remember_how_many_there_were() -> None:
    few = ROWS.limited(10)
    assert [c.distinct for c in few.columns] == [10, 5]
    assert [c.values for c in few.columns] == [50, 5]
    assert few.whole == 100
    assert few.limited(5).whole == 100


def test_a_key_has_as_many_values_as_there_are_rows_that_are_not_null() -> None:
    assert ROWS.keyed([0]).columns[0].distinct == 100
    assert ROWS.keyed([1]).columns[1].distinct == 80
    assert ROWS.keyed([0, 1]).columns == ROWS.columns


def test_more_columns_than_a_key_are_unique_too() -> None:
    keyed = ROWS.keyed([0])
    assert keyed.is_unique([0, 1])
    assert not keyed.is_unique([1])
    assert not ROWS.is_unique([0, 1])


def test_guessed_values_grow_with_the_rows_and_known_ones_do_not() -> None:
    guessed = unknown(100, 1)
    assert guessed.scaled(3).columns[0].distinct == 30
    assert ROWS.scaled(3).columns == ROWS.columns
    assert ROWS.scaled(0.1).columns[0].distinct == 10


def test_only_a_key_of_one_column_is_a_sample_of_a_population() -> None:
    assert ROWS.sampled([0], 1000).columns[0].population == 1000
    assert ROWS.sampled([0, 1], 1000) == ROWS

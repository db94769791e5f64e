"""The loader of the test material: nothing is lost on the way from the files, and both engines get every value."""

from __future__ import annotations

import math

import duckdb
import pytest

from tests.corpus import (
    Table,
    catalog,
    different_pairs,
    in_duckdb,
    invalid_queries,
    queries,
    same_pairs,
    to_arrow_table,
    tpcds_queries,
    tpcds_tables,
    tpch_queries,
    tpch_tables,
)
from tests.corpus.cases import HERE
from tests.corpus.table import read_schemas


def test_every_header_in_the_files_is_a_case() -> None:
    headers = sum(file.read_text().count("-- name: ") for file in HERE.glob("*/*.sql"))
    assert headers == len(queries()) + len(invalid_queries()) + len(different_pairs()) + len(same_pairs())


def test_corpus_is_as_large_as_promised() -> None:
    assert (len(tpch_queries()), len(tpcds_queries())) == (22, 99)
    assert len(queries()) >= 420
    assert len(invalid_queries()) >= 80
    assert len(different_pairs()) >= 220
    assert len(same_pairs()) >= 120


def test_invalid_queries_have_an_error_and_valid_ones_do_not() -> None:
    assert all(case.error for case in invalid_queries())
    assert not any(case.error for case in queries())


def test_flags_are_read() -> None:
    ties = {case.name for case in queries() if case.has_ties}
    assert "limit_without_order" in ties
    assert "limit_total" not in ties


def test_no_pair_is_the_same_text_twice() -> None:
    assert [pair.name for pair in (*different_pairs(), *same_pairs()) if pair.left == pair.right] == []


@pytest.mark.parametrize(("suite", "many"), [("tpch", 8), ("tpcds", 24)])
def test_every_table_of_a_schema_has_rows(suite: str, many: int) -> None:
    tables = {"tpch": tpch_tables, "tpcds": tpcds_tables}[suite]()
    assert {table.name: table.schema for table in tables} == read_schemas(HERE / suite / "schema.sql")
    assert len(tables) == many
    assert [table.name for table in tables if not 1 <= len(table.rows) <= 300] == []


def test_tiny_data_is_the_same_each_time() -> None:
    for make in (tpch_tables, tpcds_tables):
        first = make()
        make.cache_clear()
        assert make() == first


@pytest.mark.parametrize("table", catalog(), ids=lambda table: table.name)
def test_arrow_keeps_nulls_and_row_counts(table: Table) -> None:
    arrow = to_arrow_table(table)
    assert arrow.num_rows == len(table.rows)
    nulls = [sum(row[index] is None for row in table.rows) for index in range(len(table.schema))]
    assert [column.null_count for column in arrow.columns] == nulls


def test_duckdb_gets_every_table() -> None:
    connection = duckdb.connect()
    for tables in (catalog(), tpch_tables(), tpcds_tables()):
        in_duckdb(connection, tables)
        for table in tables:
            assert connection.sql(f"SELECT count(*) FROM {table.name}").fetchall() == [(len(table.rows),)]


def test_duckdb_gets_awkward_numbers() -> None:
    connection = duckdb.connect()
    in_duckdb(connection, catalog())
    numbers = [row[0] for row in connection.sql("SELECT x FROM nums WHERE x IS NOT NULL ORDER BY id").fetchall()]
    assert math.copysign(1, numbers[1]) == -1.0
    assert sum(math.isnan(number) for number in numbers) == 2

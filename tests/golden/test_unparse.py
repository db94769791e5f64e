"""The SQL that is written for plans; TIDEWHEEL_REWRITE=1 writes the files anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.golden.unparse_cases import Case, read_cases, write_cases
from tidewheel.errors import UserError
from tidewheel.ir.rel import Query
from tidewheel.sql.unparse import to_duckdb, to_spark

CASES = list(read_cases())


def text_of(write: Callable[[Query], str], case: Case) -> str:
    try:
        return write(case.query)
    except UserError as error:
        return f"{error.code}: {error.message}"


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.file}-{c.name}")
def test_the_text_is_as_it_was(case: Case) -> None:
    if os.environ.get("TIDEWHEEL_REWRITE"):
        pytest.skip("the files are written anew")
    assert text_of(to_spark, case) == case.spark
    assert text_of(to_duckdb, case) == case.duckdb


def test_rewrite() -> None:
    if not os.environ.get("TIDEWHEEL_REWRITE"):
        pytest.skip("only with TIDEWHEEL_REWRITE=1")
    write_cases([replace(c, spark=text_of(to_spark, c), duckdb=text_of(to_duckdb, c)) for c in CASES])


def test_case_names_are_different() -> None:
    names = [(c.file, c.name) for c in CASES]
    assert len(set(names)) == len(names)

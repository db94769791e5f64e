"""Names: which are allowed, which are ours, how they are quoted."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidewheel.errors import UserError
from tidewheel.names import check_column_name, check_relation_name, literal, quote, quote_double

CONNECTION = duckdb.connect()
texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=12)


@settings(deadline=None)
@given(texts)
def test_a_quoted_name_and_a_literal_come_back_as_they_were(text: str) -> None:
    CONNECTION.execute(f"SELECT {literal(text)} AS {quote_double(text)}")
    assert [column[0] for column in CONNECTION.description or ()] == [text]
    assert CONNECTION.fetchall() == [(text,)]


def test_backticks_are_doubled() -> None:
    assert (quote("a"), quote("a`b"), quote("`")) == ("`a`", "`a``b`", "````")


@pytest.mark.parametrize("name", ["a", "Orders", "x_1", "a" * 100])
def test_plain_names_are_allowed(name: str) -> None:
    check_relation_name(name)


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a.b", "a b", "é", "a/b", "..", "a\n", "名"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UserError) as caught:
        check_relation_name(name)
    assert caught.value.code == "bad-name"


@pytest.mark.parametrize("name", ["_x", "_tw_x", "_TW_X", "_tidewheel", "_delta_log"])
def test_names_that_begin_with_an_underscore_are_ours(name: str) -> None:
    with pytest.raises(UserError) as caught:
        check_relation_name(name)
    assert caught.value.code == "reserved-name"


def test_columns_may_have_any_name_but_ours_and_each_once() -> None:
    for name in ("a b", "_x", "é", "_twx"):
        check_column_name(name, set())
    with pytest.raises(UserError) as reserved:
        check_column_name("_Tw_weight", set())
    assert reserved.value.code == "reserved-name"
    with pytest.raises(UserError) as twice:
        check_column_name("Amount", {"amount"})
    assert twice.value.code == "duplicate-column"

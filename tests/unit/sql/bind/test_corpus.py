"""What holds for the plan of every query of the corpus."""

from __future__ import annotations

import pytest

from tests import corpus
from tests.corpus import Case, Pair
from tests.unit.sql.bind.catalogs import bound, cases, catalog
from tidewheel.errors import UserError
from tidewheel.ir.norm import normalize
from tidewheel.ir.rel import Opaque, Query
from tidewheel.ir.text import parse_query, print_query
from tidewheel.ir.tree import nodes, scalars_of
from tidewheel.sql.bind import bind

CASES = list(cases())
PLACEHOLDERS = ("#outer(", "#aggregate(", "#window(", "#subquery(", "#grouping(", "#grouping_id(")
UNREADABLE = {"name_identifier_clause"}
"""Queries that Spark runs and we cannot read; docs/sql-support.md says so."""


def test_every_query_but_the_known_ones_can_be_read() -> None:
    refused = set()
    for case in corpus.queries():
        try:
            bound("queries", case.sql)
        except UserError:
            refused.add(case.name)
    assert refused == UNREADABLE


def test_all_of_tpch_and_tpcds_is_bound() -> None:
    opaque = {(s, c.name) for s, c in CASES if s != "queries" and isinstance(bound(s, c.sql).query.rel, Opaque)}
    assert opaque == set()
    assert len([s for s, _ in CASES if s != "queries"]) == 22 + 99


@pytest.mark.parametrize(("suite", "case"), CASES, ids=lambda value: getattr(value, "name", value))
def test_a_plan_is_read_back_from_its_text_and_has_no_placeholders(suite: str, case: Case) -> None:
    """Outer columns, aggregates, windows and subqueries have all become columns."""
    query = bound(suite, case.sql).query
    text = print_query(query)
    again = parse_query(text)
    assert print_query(again) == text
    assert again == query
    assert [s.text for n in nodes(query.rel) for s in scalars_of(n) if any(p in s.text for p in PLACEHOLDERS)] == []


COMPLETED = [(s, c) for s, c in CASES if bound(s, c.sql).sql != c.sql]


@pytest.mark.parametrize(("suite", "case"), COMPLETED, ids=lambda value: getattr(value, "name", value))
def test_a_completed_text_means_the_same_and_needs_no_completion(suite: str, case: Case) -> None:
    first = bound(suite, case.sql)
    again = bound(suite, first.sql)
    assert again.sql == first.sql
    assert print_query(again.query).split("query ", 1)[1] == print_query(first.query).split("query ", 1)[1]


NOT_BOUND = {"spelling_pipe"}
"""Variants that are written as we do not bind them."""
EQUAL_WHEN_NORMAL = {
    "cte_around_union", "cte_in_scalar", "derived_identity", "derived_identity_twice", "filter_comma_join",
    "filter_on_inner_join", "filter_two_levels", "order_dropped_in_subquery", "spelling_qualify",
}  # fmt: skip
"""Variants with a subquery more or a filter elsewhere; of all others the bound plans are equal already."""


def plan(sql: str) -> Query:
    return bind(sql, catalog("queries"))


def test_only_queries_that_are_not_bound_differ_from_their_variants() -> None:
    opaque = {p.name for p in corpus.same_pairs() if any(isinstance(plan(q).rel, Opaque) for q in (p.left, p.right))}
    assert opaque == NOT_BOUND


@pytest.mark.parametrize("pair", [p for p in corpus.same_pairs() if p.name not in NOT_BOUND], ids=lambda p: p.name)
def test_variants_of_a_query_have_one_fingerprint(pair: Pair) -> None:
    left, right = plan(pair.left), plan(pair.right)
    if pair.name not in EQUAL_WHEN_NORMAL:
        assert left.rel.fingerprint() == right.rel.fingerprint()
    assert normalize(left).rel.fingerprint() == normalize(right).rel.fingerprint()


@pytest.mark.parametrize("pair", corpus.different_pairs(), ids=lambda pair: pair.name)
def test_queries_that_mean_different_things_have_different_fingerprints(pair: Pair) -> None:
    left, right = plan(pair.left), plan(pair.right)
    assert left.rel.fingerprint() != right.rel.fingerprint()
    assert normalize(left).rel.fingerprint() != normalize(right).rel.fingerprint()

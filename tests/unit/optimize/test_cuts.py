"""Large plans are cut where they would be too heavy; small ones are left alone, and nothing that cannot be kept is."""

from __future__ import annotations

import pytest

from tests.unit.ir.test_dependencies import V, plan
from tidewheel.ddl import parse_schema
from tidewheel.ir.parts import JoinKey
from tidewheel.ir.rel import Aggregate, Join, Rel
from tidewheel.ir.scalar import Col
from tidewheel.ir.text import parse_rel
from tidewheel.ir.tree import nodes
from tidewheel.optimize.cuts import cuts
from tidewheel.optimize.maintenance import changes, upkeep_of
from tidewheel.sql.bind import CatalogRelation, SqlText, bind_view

MAPS = "scan m (a INT, b MAP<INT, INT>)"


def squares(depth: int, leaf: str = V) -> Rel:
    """Each level reads the one below twice: of weight 2**depth - 1."""
    rel = parse_rel(plan(leaf))
    for _ in range(depth):
        rel = Join(kind="semi", left=rel, right=rel, keys=(JoinKey(left=Col(0), right=Col(0)),))
    return rel


def weight(rel: Rel, kept: set[bytes]) -> int:
    """Operators of a piece, each as often as it is read: by walking along every path."""
    below = sum(0 if i.digest in kept else weight(i, kept) for i in rel.inputs)
    return isinstance(rel, (Join, Aggregate)) + below


def test_what_is_light_is_not_cut() -> None:
    assert cuts(squares(4), (), heaviest=15) == []


@pytest.mark.parametrize("heaviest", [3, 7, 15, 24])
@pytest.mark.parametrize("depth", [5, 8, 10])
def test_no_piece_is_too_heavy(depth: int, heaviest: int) -> None:
    rel = squares(depth)
    found = cuts(rel, (), heaviest)
    kept = {node.digest for node in found}
    assert found
    for top in (rel, *found):
        assert weight(top, kept - {top.digest}) <= heaviest


def test_what_is_kept_anyway_weighs_nothing() -> None:
    rel = squares(6)
    middle = list(nodes(rel))[3]
    assert cuts(rel, {middle.digest}, heaviest=15) == []


def test_the_same_plan_is_cut_in_the_same_places() -> None:
    assert [n.digest for n in cuts(squares(9), ())] == [n.digest for n in cuts(squares(9), ())]


def test_rows_that_cannot_be_told_apart_are_not_kept() -> None:
    assert cuts(squares(6, MAPS), (), heaviest=3) == []


def test_groups_are_kept_before_joins() -> None:
    groups = (".aggregate by c0 compute count()", "..join inner on c0 = c0", f"...{V}", f"...{V}")
    rel = parse_rel(plan("join inner on c0 = c0", f".{V}", *groups))
    assert [type(node) for node in cuts(rel, (), heaviest=2)] == [Aggregate]


def chain(length: int) -> str:
    """Every subquery joins the one before with its own groups."""
    parts = ["c0 AS (SELECT a, b FROM v)"]
    for n in range(1, length):
        grouped = f"(SELECT a, max(b) AS m FROM c{n - 1} GROUP BY a)"
        parts.append(f"c{n} AS (SELECT x.a, x.b + y.m AS b FROM c{n - 1} AS x JOIN {grouped} AS y ON x.a = y.a)")
    return f"WITH {', '.join(parts)} SELECT a, b FROM c{length - 1}"


def planned(length: int) -> list[int]:
    """The operators of each statement of the change of a chain."""
    relations = {"v": CatalogRelation.of("v", parse_schema("a BIGINT, b BIGINT"))}
    query = bind_view(SqlText(sql=chain(length)), relations).query
    statements, _ = changes(upkeep_of(query.rel, query.names), {"v": "mixed"}, named=True)
    return [sum(1 for _ in nodes(statement.rel)) for statement in statements]


def test_statements_do_not_grow_with_the_query() -> None:
    short, long = planned(20), planned(80)
    assert max(long) <= 1.1 * max(short)
    assert sum(long) <= 4.6 * sum(short)

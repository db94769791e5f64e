"""What is kept beside a view, because it would otherwise be computed for all rows; and what need not be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.delta.stories import Rows, becomes, come, go, once, stored, told
from tidewheel.delta.change import Kind
from tidewheel.ir.forms import CHANGE
from tidewheel.ir.rel import Aggregate, Distinct, Project, Rel, Scan, SetOp, Window
from tidewheel.ir.tree import nodes
from tidewheel.optimize.maintenance import STATE, changes, explored, looked_at, upkeep_again

A: Rows = [(1, 10), (1, 20), (2, 20), (2, 20), (None, 30)]
B: Rows = [(1, 100), (2, 20), (None, 300), (3, 5)]
ROUNDS = (
    {"a": come((3, 100), (1, 1))},
    {"a": go((3, 100))},
    {"b": come((3, 6)), "a": becomes((1, 20), (2, 25))},
    {"a": go((2, 25), (2, 20)), "b": go((3, 5))},
    {"b": go((1, 100), (2, 20), (None, 300), (3, 6))},
    {"a": go((1, 10), (1, 1), (2, 20), (None, 30))},
    {"a": come(*A), "b": come(*B)},
)

# name: view, kinds of states, inputs first
STATES: dict[str, tuple[str, list[type[Rel]]]] = {
    "HAVING": ("SELECT g, sum(x) AS s FROM a GROUP BY g HAVING sum(x) > 25", [Aggregate]),
    "a condition above groups": (
        "SELECT s FROM (SELECT g, max(x) AS s FROM a GROUP BY g) AS q WHERE s > 15",
        [Aggregate],
    ),
    "a scalar threshold": ("SELECT g, x FROM a WHERE x > (SELECT avg(y) FROM b)", [Aggregate]),
    "a share of the total": ("SELECT g, x, x / (SELECT sum(x) + 1 FROM a) AS part FROM a", [Aggregate]),
    "TopK over a join": (
        "SELECT a.x, b.y FROM a JOIN b ON a.g = b.g ORDER BY a.x DESC, b.y LIMIT 3",
        [Project],
    ),
    "TopK over groups": ("SELECT g, sum(x) AS s FROM a GROUP BY g ORDER BY s DESC, g LIMIT 2", [Aggregate]),
    "the largest of groups": ("SELECT max(s) AS m FROM (SELECT g, sum(x) AS s FROM a GROUP BY g) AS q", [Aggregate]),
    "who is the largest": (
        """WITH q AS (SELECT g, sum(x) AS s FROM a GROUP BY g)
           SELECT g, s FROM q WHERE s = (SELECT max(s) FROM q)""",
        [Aggregate, Aggregate],
    ),
    "a join of groups by their result": (
        """SELECT p.g, b.y FROM (SELECT g, count(*) AS n FROM a GROUP BY g) AS p JOIN b ON p.n = b.g""",
        [Aggregate],
    ),
    "a window over all distinct rows": ("SELECT x, rank() OVER (ORDER BY x) AS r FROM (SELECT DISTINCT x FROM a)",
        [Distinct],
    ),
    "rows numbered over sums that may vary": (
        """SELECT t FROM (SELECT t, row_number() OVER (ORDER BY t) AS n
           FROM (SELECT sum(CAST(x AS DOUBLE)) OVER (PARTITION BY g) AS t FROM a)) WHERE n < 3""",
        [Window],
    ),
    "totals and subtotals that may vary": (
        """SELECT b.y, q.s FROM b JOIN (SELECT g, sum(CAST(x AS DOUBLE)) AS s FROM a GROUP BY GROUPING SETS ((g), ())) q
           ON q.s > b.y""",
        [Aggregate, Aggregate],
    ),
    "a limit of a set operation": (
        "SELECT g FROM (SELECT g FROM a EXCEPT SELECT g FROM b) ORDER BY g LIMIT 1",
        [SetOp],
    ),
}  # fmt: skip
NONE = {
    "a selection": "SELECT x FROM a WHERE g = 1",
    "a join": "SELECT a.x, b.y FROM a JOIN b ON a.g = b.g",
    "an outer join": "SELECT a.x, b.y FROM a FULL JOIN b ON a.g = b.g",
    "groups": "SELECT g, sum(x) AS s FROM a GROUP BY g",
    "groups of a join": "SELECT b.y, sum(a.x) AS s FROM a JOIN b ON a.g = b.g GROUP BY b.y",
    "a total": "SELECT sum(x) AS s FROM a",
    "a condition on the keys of groups": "SELECT g, sum(x) AS s FROM a GROUP BY g HAVING g > 1",
    "a join of groups by their key": (
        "SELECT b.y, q.n FROM b JOIN (SELECT g, count(*) AS n FROM a GROUP BY g) AS q ON q.g = b.g"
    ),
    "distinct rows": "SELECT DISTINCT g FROM a",
    "a limit of one table": "SELECT g, x FROM a ORDER BY x, g LIMIT 2",
    "a window": "SELECT g, x, sum(x) OVER (PARTITION BY g) AS s FROM a",
}


@pytest.mark.parametrize("name", STATES)
def test_a_state_is_kept(name: str) -> None:
    sql, kinds = STATES[name]
    upkeep = stored(sql)
    assert [type(state.rel) for state in upkeep.states] == kinds
    assert all(state.name.startswith(STATE) for state in upkeep.states)


@pytest.mark.parametrize("name", NONE)
def test_no_state_is_needed(name: str) -> None:
    assert stored(NONE[name]).states == ()


@pytest.mark.parametrize("name", [*STATES, *NONE])
def test_rows_stay_right(name: str) -> None:
    sql = STATES[name][0] if name in STATES else NONE[name]
    once(told(sql, *ROUNDS, a=A, b=B))


def test_a_state_comes_before_one_that_is_made_of_it() -> None:
    upkeep = stored(STATES["who is the largest"][0])
    inner, outer = upkeep.states
    assert any(node == inner.rel for node in nodes(outer.rel))


def test_the_rows_of_a_state_and_of_a_view_are_computed_from_the_states_before_them() -> None:
    layout = stored(STATES["who is the largest"][0])
    inner, outer = layout.states
    assert layout.plan(inner.name) == inner.layout.plan
    assert {node.label for node in nodes(layout.plan(outer.name)) if isinstance(node, Scan)} == {inner.name}
    read = {node.label for node in nodes(layout.plan(layout.view.name, "my_{}".format)) if isinstance(node, Scan)}
    assert read == {f"my_{inner.name}", f"my_{outer.name}"}
    with pytest.raises(KeyError):
        layout.plan("no state")


def test_a_change_reads_the_state_and_not_the_table() -> None:
    """The total is at hand: of b only what changed is read."""
    upkeep = stored(STATES["a scalar threshold"][0])
    statements, looked = changes(upkeep, {"b": "mixed"})
    assert [s.method for s in statements] == ["merge", "rows"]
    view = {node.label for node in nodes(statements[-1].change.rel) if isinstance(node, Scan)}
    assert view == {"a", "b from before to now", upkeep.states[0].name}
    assert not any(s.spares for s in statements)
    assert not any(looked.choose(goal).spares for goal in looked.reached())


def test_nothing_is_planned_for_what_did_not_change() -> None:
    upkeep = stored(STATES["a scalar threshold"][0])
    statements, _ = changes(upkeep, {"a": "append"})
    assert [s.method for s in statements] == ["append"]


def test_states_of_one_plan_have_one_name() -> None:
    one, other = (stored(f"SELECT g, sum(x) AS s FROM a GROUP BY g HAVING sum(x) > {n}") for n in (1, 2))
    assert [s.name for s in one.states] == [s.name for s in other.states]


def test_the_view_is_stored_last() -> None:
    upkeep = stored(STATES["HAVING"][0])
    assert upkeep.stored == (*upkeep.states, upkeep.view)
    assert [c.name for c in upkeep.view.columns[:2]] == ["g", "s"]


@pytest.mark.parametrize("name", [*STATES, *NONE])
def test_what_is_stored_is_found_again_by_the_names_of_its_states(name: str) -> None:
    upkeep = stored(STATES[name][0] if name in STATES else NONE[name])
    rel, names = upkeep.view.rel, [c.name for c in upkeep.view.columns[: upkeep.view.rel.width]]
    states = [s.name for s in upkeep.states]
    assert upkeep_again(rel, names, upkeep.signature, states, upkeep.aids) == upkeep
    assert upkeep_again(rel, names, "of something else", states, upkeep.aids) is None
    if states:
        assert upkeep_again(rel, names, upkeep.signature, states[1:], upkeep.aids) is None


def test_what_is_run_for_a_change_without_doubt_is_the_change() -> None:
    for sql in (STATES["a scalar threshold"][0], NONE["groups"]):
        for statement in changes(stored(sql), {"a": "mixed", "b": "mixed"})[0]:
            assert statement.doubt is None
            assert statement.rel is statement.change.rel


@pytest.mark.parametrize(("kind", "is_read"), [("DOUBLE", True), ("INT", False)])
def test_a_change_that_may_vary_is_read_and_never_computed_for_a_reader(kind: str, is_read: bool) -> None:
    upkeep = stored(f"SELECT g, sum(CAST(x AS {kind})) AS s FROM a GROUP BY g HAVING sum(CAST(x AS {kind})) > 25")
    (state,) = upkeep.states
    statements, _ = changes(upkeep, {"a": "mixed"}, named=False)
    read = {node.form for node in nodes(statements[-1].rel) if isinstance(node, Scan) and node.relation == state.name}
    assert (CHANGE in read) is is_read


def test_what_may_vary_is_read_or_the_plan_is_not_sound() -> None:
    """As in a record of a release that kept less: the sums before would be computed again, and come out differently."""
    upkeep = stored(
        "SELECT q.s, b.y FROM (SELECT g, sum(CAST(x AS DOUBLE)) AS s FROM a GROUP BY g) AS q, b WHERE s > y"
    )
    bare = replace(upkeep, stored=upkeep.stored[-1:])
    kinds: dict[str, Kind] = {"a": "mixed"}
    assert upkeep.states
    assert [looked_at(*explored(kept, kinds), None).is_sound() for kept in (upkeep, bare)] == [True, False]

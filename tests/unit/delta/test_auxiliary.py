"""Auxiliary states: where they are offered, where they must not be, and that views stay right with them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.fuzz.partners import Partners
from tests.unit.delta.stories import Happening, normal, once, stored, told
from tidewheel.ir.rel import Aggregate, Join, Rel, Scan
from tidewheel.ir.tree import nodes
from tidewheel.optimize.auxiliary import prepared
from tidewheel.optimize.maintenance import MaintenanceLayout, changes, upkeep_again, upkeep_of

SEEDS = 4
COUNTED = {
    "IN over a join": "SELECT g, x FROM a WHERE g IN (SELECT b.g FROM b JOIN u ON b.y = u.g WHERE u.y > 1)",
    "EXISTS over a join": (
        "SELECT a.g, a.x FROM a WHERE EXISTS (SELECT 1 FROM b JOIN u ON b.y = u.g WHERE b.g = a.g AND u.y > 1)"
    ),
    "NOT EXISTS over a join": (
        "SELECT a.g, a.x FROM a WHERE NOT EXISTS (SELECT 1 FROM b JOIN u ON b.y = u.g WHERE b.g = a.g)"
    ),
    "by two columns": (
        "SELECT t.k FROM t WHERE EXISTS (SELECT 1 FROM a JOIN b ON a.g = b.g WHERE a.x = t.x AND b.y = t.g)"
    ),
    "null-safely": "SELECT a.x FROM a WHERE EXISTS (SELECT 1 FROM b JOIN u ON b.y = u.g WHERE b.g <=> a.g)",
    "of a union": "SELECT x FROM a WHERE g IN (SELECT g FROM b UNION ALL SELECT g FROM u WHERE y > 1)",
    "of itself": "SELECT g, x FROM a WHERE x IN (SELECT a.x FROM a JOIN b ON a.g = b.g)",
}
GROUPS = {
    "less than the average of the same kind": """
        SELECT sum(b.y) AS s FROM b JOIN t ON t.g = b.g
        WHERE t.x = 1 AND b.y < (SELECT avg(c.y) FROM b AS c WHERE c.g = t.g)""",
    "a filtered side": """
        SELECT t.k, q.n FROM t JOIN (SELECT g, count(*) AS n FROM b GROUP BY g) AS q ON t.g = q.g WHERE t.x = 1""",
    "the groups on the left": (
        "SELECT t.k, q.n FROM (SELECT g, sum(y) AS n FROM b GROUP BY g) AS q JOIN t ON q.g = t.g WHERE t.x <> 1"
    ),
    "null-safely": """
        SELECT t.k, q.n FROM t JOIN (SELECT g, max(y) AS n FROM b GROUP BY g) AS q ON t.g <=> q.g WHERE t.x = 1""",
    "with HAVING": """
        SELECT t.k, q.n FROM t JOIN (SELECT g, count(y) AS n FROM b GROUP BY g HAVING count(y) > 1) AS q
        ON t.g = q.g WHERE t.x > 0""",
    "by two columns": """
        SELECT t.k, q.n FROM t JOIN (SELECT g, y, count(*) AS n FROM b GROUP BY g, y) AS q
        ON t.g = q.g AND t.x = q.y WHERE t.k < 4""",
    "a side that is itself selected by another": """
        SELECT t.k FROM t WHERE t.k IN (SELECT k FROM u WHERE y > 1)
        AND t.x > (SELECT sum(b.y) FROM b WHERE b.g = t.g)""",
    "of a join": """
        SELECT t.k, q.n FROM t JOIN (SELECT b.g, min(u.y) AS n FROM b JOIN u ON b.y = u.k GROUP BY b.g) AS q
        ON t.g = q.g WHERE t.x = 1""",
}
BOTH = {
    "suppliers of parts of which much is in stock": """
        SELECT a.g, a.x FROM a WHERE a.x IN (
          SELECT t.g FROM t WHERE t.k IN (SELECT k FROM u WHERE y > 0)
          AND t.x > (SELECT 0.5 * sum(b.y) FROM b WHERE b.g = t.g AND b.y < 3))""",
}
NONE = {
    "one stored relation": "SELECT x FROM a WHERE g IN (SELECT g FROM b WHERE y > 1)",
    "each key once": "SELECT x FROM a WHERE g IN (SELECT g FROM b GROUP BY g HAVING count(*) > 1)",
    "NOT IN, where a NULL counts": "SELECT x FROM a WHERE g NOT IN (SELECT b.g FROM b JOIN u ON b.y = u.g)",
    "a condition on both sides": """
        SELECT x FROM a WHERE EXISTS (SELECT 1 FROM b JOIN u ON b.y = u.g WHERE b.g = a.g AND u.y > a.x)""",
    "partners that are not selected": (
        "SELECT t.k, q.n FROM t JOIN (SELECT g, count(*) AS n FROM b GROUP BY g) AS q ON t.g = q.g"
    ),
    "a condition on the groups' result": """
        SELECT t.k FROM t JOIN (SELECT g, count(*) AS n FROM b GROUP BY g) AS q ON t.g = q.n WHERE t.x = 1""",
    "partners from the same relation": """
        SELECT t.k, q.n FROM t JOIN (SELECT g, count(*) AS n FROM t GROUP BY g) AS q ON t.g = q.g WHERE t.x = 1""",
    "groups that cannot be merged": """
        SELECT t.k FROM t JOIN (SELECT g, count(DISTINCT y) AS n FROM b GROUP BY g) AS q ON t.g = q.g WHERE t.x = 1""",
    "keys that are equal when digits are cut off": """
        SELECT t.k, q.n FROM e JOIN t ON e.w = t.g JOIN (SELECT z, count(*) AS n FROM e GROUP BY z) AS q ON e.w = q.z
        WHERE t.x > 1""",
    "partners with values that are equal and not the same": """
        SELECT t.k, d.f, q.n FROM d JOIN t ON d.g = t.g JOIN (SELECT g, count(*) AS n FROM b GROUP BY g) AS q
        ON t.g = q.g WHERE t.x = 1""",
    "partners that are kept without a match": """
        SELECT t.k, q.n FROM t LEFT JOIN (SELECT g, count(*) AS n FROM b GROUP BY g) AS q ON t.g = q.g
        WHERE t.x = 1""",
}  # fmt: skip


def aids(sql: str) -> int:
    return len(prepared(normal(sql), lambda _: True).names)


@pytest.mark.parametrize("name", [*COUNTED, *(f"groups: {n}" for n in GROUPS), *(f"both: {n}" for n in BOTH)])
def test_views_with_auxiliary_states_equal_their_queries(name: str) -> None:
    kind, _, rest = name.rpartition(": ")
    sql = {"groups": GROUPS, "both": BOTH}[kind][rest] if kind else COUNTED[name]
    for seed in range(SEEDS):
        counts = once(told(sql, *_rounds(random.Random(f"{name} {seed}"))), local_share=0.05)
        assert counts["aids"] == aids(sql) == (2 if kind == "both" else 1)


@pytest.mark.parametrize("name", NONE)
def test_nothing_is_offered_where_it_would_be_wrong_or_of_no_use(name: str) -> None:
    assert aids(NONE[name]) == 0


@pytest.mark.parametrize("sql", [*COUNTED.values(), *GROUPS.values(), *BOTH.values()])
def test_a_change_of_what_is_counted_reads_no_more_than_changes_and_states(sql: str) -> None:
    """The table that is looked up without auxiliary states is not read with them."""
    big = "b"
    with_states = _read(upkeep_of(normal(sql), _names(sql)), big)
    assert not with_states, with_states


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_views_with_auxiliary_states_equal_their_queries(first: int) -> None:
    """The seed is in the name of the test that fails, the view and the round in its message."""
    offered = 0
    for seed in range(first, first + 20):
        sql = Partners(seed).view()
        if aids(sql):
            offered += 1
            once(told(sql, *_rounds(random.Random(seed))), local_share=0.02)
    assert offered > 5


def test_many_equal_columns_are_looked_at_once_each() -> None:
    names = [f"a{i}" for i in range(16)]
    pairs = [f"{x}.g = {y}.g" for i, x in enumerate(names) for y in names[:i]]
    tables = ", ".join(f"a AS {name}" for name in names)
    groups = "(SELECT g, count(*) AS n FROM b GROUP BY g) AS q"
    sql = f"SELECT q.n FROM {tables}, {groups} WHERE {' AND '.join(pairs)} AND a0.g = q.g AND a3.x = 1"
    assert aids(sql) == 1


def test_what_is_kept_is_found_again_by_the_names_in_the_record() -> None:
    sql = GROUPS["a filtered side"]
    rel, names = normal(sql), _names(sql)
    made, plain = upkeep_of(rel, names), upkeep_of(rel, names, lambda _: False)
    states = [s.name for s in made.states]
    assert len(made.aids) == 1
    assert plain.aids == ()
    assert upkeep_again(rel, names, made.signature, states, made.aids) == made
    assert upkeep_again(rel, names, made.signature, states, ()) is None
    assert upkeep_again(rel, names, plain.signature, [s.name for s in plain.states], ()) == plain


def test_groups_are_those_of_the_partners() -> None:
    rel = stored(GROUPS["a filtered side"]).view.rel
    restricted = [n for n in nodes(rel) if isinstance(n, Aggregate) and isinstance(_selected(n.input), Join)]
    assert len(restricted) == 1


def _selected(rel: Rel) -> Rel:
    while not isinstance(rel, Join) and len(rel.inputs) == 1:
        (rel,) = rel.inputs
    return rel


def _names(sql: str) -> list[str]:
    return [f"c{i}" for i in range(normal(sql).width)]


def _read(upkeep: MaintenanceLayout, changed: str) -> list[str]:
    """The relations, as they are or were, that a change of one of them reads, if they are that one."""
    statements, _ = changes(upkeep, {changed: "mixed"}, quick=True)
    scans = {n.label for s in statements for n in nodes(s.rel) if isinstance(n, Scan)}
    return sorted(scans & {changed, f"{changed} at before"})


def _rounds(rng: random.Random) -> list[Happening]:
    """Random rows come and go; tables are emptied and filled again, and several change at once."""
    now: dict[str, list[tuple[Any, ...]]] = {name: [] for name in ("t", "u", "a", "b")}
    rounds: list[Happening] = []
    for number in range(7):
        steps = {}
        for name, rows in list(now.items()):
            if number and rng.random() < 0.4:
                continue
            going = list(rows) if rng.random() < 0.1 else [r for r in rows if rng.random() < 0.3]
            for row in going:
                rows.remove(row)
            coming = _new(name, rows, rng)
            now[name] = [*rows, *coming]
            steps[name] = [*((row, -1) for row in going), *((row, 1) for row in coming)]
        rounds.append({name: entries for name, entries in steps.items() if entries})
    return rounds


def _new(name: str, rows: list[tuple[Any, ...]], rng: random.Random) -> list[tuple[Any, ...]]:
    def value() -> int | None:
        return rng.choice([None, 0, 1, 1, 2, 3])

    count = rng.randint(0, 4)
    if name in {"a", "b"}:
        return [(value(), value()) for _ in range(count)]
    free = [k for k in range(8) if k not in {row[0] for row in rows}]
    return [(k, value(), value()) for k in rng.sample(free, min(count, len(free)))]

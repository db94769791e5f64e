"""Short ways to tell a story: tables, views as SQL, and what happens to the tables, round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.fuzz.histories import Entry, History, Round, Step
from tests.fuzz.maintain import Maintenance
from tests.fuzz.tables import Data
from tidewheel.ddl import parse_schema
from tidewheel.delta.rules import NAMES
from tidewheel.ir.norm import normalize
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Query, Rel
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.optimize.maintenance import MaintenanceLayout, upkeep_of
from tidewheel.sql.bind import CatalogRelation, bind

Rows = Sequence[tuple[Any, ...]]
Happening = Mapping[str, Sequence[Entry]]

SCHEMAS = {
    "t": "k INT NOT NULL, g INT, x INT",
    "u": "k INT NOT NULL, g INT, y INT",
    "a": "g INT, x INT",
    "b": "g INT, y INT",
    "d": "g INT, m DECIMAL(10,2), f DOUBLE, s STRING, p DECIMAL(27,20)",
    "e": "w DECIMAL(38,10), z DECIMAL(38,18)",
}
"""t and u have a key, a and b may hold NULLs and copies, d and e hold other kinds of values."""
KEYED = frozenset({"t", "u"})


def relation(name: str) -> CatalogRelation:
    keys = (("k",),) if name in KEYED else ()
    return CatalogRelation(name=name, columns=_columns(name), keys=keys)


def _columns(name: str) -> tuple[Column, ...]:
    return tuple(Column(f.name, f.type, f.nullable) for f in parse_schema(SCHEMAS[name]))


CATALOG = {name: relation(name) for name in SCHEMAS}


def query(sql: str, catalog: Mapping[str, CatalogRelation] = CATALOG) -> Query:
    return bind(sql, catalog)


def normal(sql: str) -> Rel:
    return normalize(query(sql)).rel


def stored(sql: str) -> MaintenanceLayout:
    """What is stored for a view."""
    found = query(sql)
    return upkeep_of(normalize(found).rel, found.names)


def come(*rows: tuple[Any, ...]) -> list[Entry]:
    return [(row, 1) for row in rows]


def go(*rows: tuple[Any, ...]) -> list[Entry]:
    return [(row, -1) for row in rows]


def becomes(old: tuple[Any, ...], new: tuple[Any, ...]) -> list[Entry]:
    return [(old, -1), (new, 1)]


def become_all(old: Rows, new: Rows) -> list[Entry]:
    """All rows go, others come."""
    return [*go(*old), *come(*new)]


def told(views: str | Mapping[str, str], *rounds: Happening | Round, **tables: Rows) -> History:
    """A story: views by name, or one called v; tables by name with their rows at first."""
    catalog = dict(CATALOG)
    made: dict[str, Query] = {}
    for name, sql in ({"v": views} if isinstance(views, str) else views).items():
        made[name] = query(sql, catalog)
        rel = normalize(made[name]).rel
        facts = zip(made[name].names, types_of(rel), nullable_of(rel), strict=True)
        catalog[name] = CatalogRelation(name=name, columns=tuple(Column(*fact) for fact in facts))
    return History(
        tables=tuple(
            Data(name=n, columns=_columns(n), keys=((0,),) if n in KEYED else (), rows=tuple(tables.get(n, ())))
            for n in SCHEMAS
        ),
        views=made,
        rounds=tuple(r if isinstance(r, Round) else happening(r) for r in rounds),
        label="story",
    )


def happening(steps: Happening, *, stale: Sequence[str] = (), mixed: bool = False) -> Round:
    """What happens in one round; only rows that come make an append, unless it is said to be mixed."""
    kinds = {n: "mixed" if mixed or any(w < 0 for _, w in entries) else "append" for n, entries in steps.items()}
    made = {n: Step("append" if kinds[n] == "append" else "mixed", tuple(e)) for n, e in steps.items()}
    return Round(steps=made, stale=frozenset(stale))


def play(history: History) -> dict[str, int]:
    """Stored rows equal recomputation after every round, also without each of the rules; gives what was counted."""
    counts = once(history, local_share=0.3)
    for disabled in (*((name,) for name in NAMES), NAMES):
        once(replace(history, disabled=disabled))
    return counts


def once(history: History, local_share: float = 0.0) -> dict[str, int]:
    """The same with the rules as they are."""
    maintenance = Maintenance(local_share)
    failure = maintenance.check(history)
    assert failure is None, str(failure)
    counts = dict(maintenance.seen.counts)
    assert not any(what.startswith("over") for what in counts), counts
    return counts

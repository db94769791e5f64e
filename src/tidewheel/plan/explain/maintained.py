"""A view's maintenance as data: what is stored, by which methods it changes, and the SQL of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tidewheel.delta.change import Kind
from tidewheel.ir.forms import BEFORE, CHANGE, Delta
from tidewheel.ir.rel import Query, Rel, Scan
from tidewheel.ir.text import print_query
from tidewheel.ir.tree import named, relations
from tidewheel.names import WEIGHT
from tidewheel.optimize.maintenance import Explored, MaintenanceLayout, Statement, StoredRelation, changes
from tidewheel.optimize.methods import other_methods
from tidewheel.optimize.trace import Trace, trace_of
from tidewheel.plan.defined.bound import remark
from tidewheel.plan.defined.maintenance import NotMaintained, upkeep_of_query
from tidewheel.project.graph import View
from tidewheel.sql.unparse import to_spark
from tidewheel.store.epochs import Kept


def plan_text(view: View, query: Query, kept: Kept | None) -> str:
    """The plan as it is maintained, with what is known of each operator and how its change is computed."""
    upkeep = upkeep_of_query(view, query, kept)
    if isinstance(upkeep, NotMaintained):
        return print_query(query, remark)
    maintained = replace(query, rel=upkeep.view.rel)
    return print_query(maintained, _remarks(upkeep))


def _remarks(upkeep: MaintenanceLayout) -> Callable[[Rel], str]:
    """What is known of an operator, and the rule by which its change is computed if all inputs change."""
    looked = _search(upkeep)
    rules = {goal.rel.digest: looked.choose(goal).rule for goal in looked.reached() if goal.form == CHANGE}
    rules |= dict.fromkeys((stored.rel.digest for stored in upkeep.states), "reading")

    def said(rel: Rel) -> str:
        rule = rules.get(rel.digest)
        known = remark(rel)
        return "; ".join(part for part in (known, f"change by {rule}" if rule else "") if part)

    return said


def _search(upkeep: MaintenanceLayout) -> Explored:
    return changes(upkeep, {name.lower(): "mixed" for name in relations(upkeep.view.rel)})[1]


def upkeep_body(view: View, query: Query, kept: Kept | None) -> dict[str, Any]:
    """How a view is maintained, or why it is not."""
    upkeep = upkeep_of_query(view, query, kept)
    if isinstance(upkeep, NotMaintained):
        return {"full": upkeep.reason.to_dict(), "stored": []}
    mixed: dict[str, Kind] = {name.lower(): "mixed" for name in relations(upkeep.view.rel)}
    complete, quick = ({s.stored.name: s for s in changes(upkeep, mixed, quick=q)[0]} for q in (False, True))
    stored = [_stored(s, upkeep, complete.get(s.name), quick.get(s.name)) for s in upkeep.stored]
    return {"full": None, "stored": stored}


def _stored(
    stored: StoredRelation, upkeep: MaintenanceLayout, statement: Statement | None, quick: Statement | None
) -> dict[str, Any]:
    own = stored is upkeep.view
    key = stored.layout.key
    visible = stored.layout.visible
    return {
        "name": "view" if own else stored.name,
        "method": statement.method if statement is not None else "none",
        "other_ways": [w.to_dict() for w in other_methods(stored.layout, statement.method)] if statement else [],
        "columns": list(stored.names[:visible]),
        "hidden": list(stored.names[visible:]),
        "key": None if key is None else [stored.names[i] for i in key],
        "plan": None if own else print_query(Query(rel=stored.rel, names=stored.names[:visible])),
        "full_sql": to_spark(Query(rel=stored.layout.plan, names=stored.names)),
        "change_sql": None if statement is None else _sql(statement),
        "quick_sql": None if quick is None or quick.doubt is None else _sql(quick),
    }


def _sql(statement: Statement) -> str:
    names = (*statement.stored.names, *([WEIGHT] if statement.change.signed else []))
    return to_spark(Query(rel=named(statement.rel, _shown), names=names))


def _shown(scan: Scan) -> str:
    """What a scan is called where it is shown."""
    match scan.form:
        case Delta():
            return f"_tw_change_{scan.relation}"
        case _ if scan.form == BEFORE:
            return f"_tw_old_{scan.relation}"
    return scan.relation


def trace_body(view: View, query: Query, kept: Kept | None, found: Trace | None) -> dict[str, Any] | None:
    """What the search for the next change looked at; if there is no change, as if all inputs changed, unpriced."""
    if found is None:
        upkeep = upkeep_of_query(view, query, kept)
        if isinstance(upkeep, NotMaintained):
            return None
        found = trace_of(_search(upkeep))
    return found.to_dict()

"""Sources that got columns: which views are the same with them as they were without."""

from __future__ import annotations

from tidewheel.errors import UserError
from tidewheel.ir.rel import Opaque
from tidewheel.plan.context import Look
from tidewheel.plan.defined.bound import bound_view
from tidewheel.project.graph import View
from tidewheel.store.epochs import view_record
from tidewheel.types import Schema


def is_indifferent(look: Look, view: View) -> bool:
    """Whether a view's plan is what it was: `SELECT *` is not, and neither is a name that now means a new column."""
    config, warehouse = look.definition.config, look.warehouse
    names = look.definition.graph.inputs[view.name]
    try:
        before = bound_view(config, warehouse, view, {n: _columns(look, n, now=False) for n in names}).query
        after = bound_view(config, warehouse, view, {n: _columns(look, n, now=True) for n in names}).query
    except UserError:
        return False
    if isinstance(after.rel, Opaque):
        return False
    return (before.rel.digest, before.names) == (after.rel.digest, after.names)


def _columns(look: Look, name: str, *, now: bool) -> Schema:
    if name in look.definition.graph.views:
        return view_record(look.warehouse, look.last, name).schema
    return look.pins[name].schema if now and name in look.pins else look.last.sources[name].schema

"""Sources that got columns: which views are the same with them as they were without."""

from __future__ import annotations

from tidewheel.errors import UserError
from tidewheel.ir.rel import Opaque
from tidewheel.plan.context import PlanContext
from tidewheel.plan.defined.bound import bound_view
from tidewheel.project.graph import View
from tidewheel.store.epochs import view_record
from tidewheel.types import Schema


def is_indifferent(context: PlanContext, view: View) -> bool:
    """Whether a view's plan is what it was: `SELECT *` is not, and neither is a name that now means a new column."""
    config, warehouse = context.definition.config, context.warehouse
    names = context.definition.graph.inputs[view.name]
    try:
        before = bound_view(config, warehouse, view, {n: _columns(context, n, now=False) for n in names}).query
        after = bound_view(config, warehouse, view, {n: _columns(context, n, now=True) for n in names}).query
    except UserError:
        return False
    if isinstance(after.rel, Opaque):
        return False
    return (before.rel.digest, before.names) == (after.rel.digest, after.names)


def _columns(context: PlanContext, name: str, *, now: bool) -> Schema:
    if name in context.definition.graph.views:
        return view_record(context.warehouse, context.last, name).schema
    return context.pins[name].schema if now and name in context.pins else context.last.sources[name].schema

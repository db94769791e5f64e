"""What is stored to maintain a view, or why it is always built in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidewheel.ir.rel import Opaque, Query
from tidewheel.optimize.auxiliary import Worth
from tidewheel.optimize.maintenance import MaintenanceLayout, upkeep_again, upkeep_of
from tidewheel.plan.defined.bound import bound_view
from tidewheel.plan.memory import PlanMemory
from tidewheel.plan.plan import Reason
from tidewheel.project.config import Config
from tidewheel.project.graph import View
from tidewheel.store.epochs import Kept
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema


@dataclass(frozen=True, slots=True)
class NotMaintained:
    """Why a view is always built in full."""

    reason: Reason


def upkeep_of_view(
    config: Config,
    warehouse: Warehouse,
    view: View,
    schemas: Mapping[str, Schema],
    kept: Kept | None,
    memory: PlanMemory | None = None,
) -> MaintenanceLayout | NotMaintained:
    """What is stored for a view that is there, given the columns of its inputs."""
    return upkeep_of_query(view, bound_view(config, warehouse, view, schemas, memory).query, kept, memory)


def upkeep_of_query(
    view: View, query: Query, kept: Kept | None, memory: PlanMemory | None = None
) -> MaintenanceLayout | NotMaintained:
    """What is stored for a view of a bound query. What is kept already need not be worked out again."""
    if (reason := never_maintained(view, query)) is not None:
        return NotMaintained(reason)

    def worked_out() -> MaintenanceLayout:
        known = kept and upkeep_again(query.rel, query.names, kept.layout, kept.states, kept.aids)
        aids = kept.aids if kept else ()
        return known or upkeep_of(query.rel, query.names, lambda aid: aid.name in aids)

    if memory is None:
        return worked_out()
    return memory.upkeeps.get((query.rel.digest, query.names, kept.layout if kept else ""), worked_out)


def upkeep_to_build(view: View, query: Query, worth: Worth) -> MaintenanceLayout | NotMaintained:
    """What to store for a view that is built in full, so that it can be maintained."""
    reason = never_maintained(view, query)
    return upkeep_of(query.rel, query.names, worth) if reason is None else NotMaintained(reason)


def never_maintained(view: View, query: Query) -> Reason | None:
    """Why a view is built in full each time, whatever is stored; None if it is not."""
    if view.options.refresh == "full":
        return Reason("configured", "its options say `refresh: full`")
    if view.clock != "none":
        return Reason("clock-in-query", "its query asks for the time")
    if isinstance(query.rel, Opaque):
        return Reason("not-bound", f"its query is not understood ({query.rel.reason})")
    if len({name.lower() for name in query.names}) < len(query.names):
        return Reason("not-bound", "two of its columns have one name")
    return None


def as_stored(upkeep: MaintenanceLayout, kept: Kept | None) -> MaintenanceLayout | NotMaintained:
    """The upkeep with the types that are stored; not if something else is stored."""
    if kept is None:
        return NotMaintained(Reason("no-layout", "it was built without what maintenance needs"))
    if kept.layout != upkeep.signature:
        return NotMaintained(Reason("layout-changed", "it was stored in another layout"))
    schemas = {name: rows.schema for name, rows in kept.states.items()} | {upkeep.view.name: kept.columns}
    typed = upkeep.typed(schemas)
    if not all(s.can_be_changed for s in typed.stored):
        return NotMaintained(Reason("no-key", "rows that go cannot be told from others: it has no key, and a map"))
    return typed

"""The plan for changes that have not happened, and how large they must be for views to be recomputed in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tidewheel.plan.plan import Plan
from tidewheel.plan.planner import make_plan
from tidewheel.plan.request import RefreshRequest
from tidewheel.plan.supposed import Supposed, doubled, parse, to_dict
from tidewheel.project.definition import Definition
from tidewheel.store.epochs import Epoch
from tidewheel.store.sources import snapshot_of
from tidewheel.store.warehouse import Warehouse


def plan_for(
    definition: Definition,
    warehouse: Warehouse,
    last: Epoch,
    versions: Mapping[str, int],
    request: RefreshRequest,
    texts: Iterable[str],
) -> Plan:
    """The plan for changes that have not happened, and how large they must be for views to be recomputed."""

    def planned(changes: Mapping[str, Supposed]) -> Plan:
        return make_plan(definition, warehouse, last, versions, replace(request, supposed=changes), predict=False)

    supposed = parse(texts, definition.graph.views, definition.config.sources)
    plan = planned(supposed)
    waiting = {s.view for s in plan.steps if s.builds and not s.is_recomputed}
    flips: dict[str, dict[str, str]] = {}
    there = {name: snapshot_of(plan.sources[name], warehouse).rows for name in supposed if name in plan.sources}
    for larger in doubled(supposed, there):
        if not waiting:
            break
        full = {s.view for s in planned(larger).steps if s.is_recomputed} & waiting
        flips |= {view: to_dict(larger) for view in full}
        waiting -= full
    return replace(plan, supposed=to_dict(supposed), flips=flips)

"""Whether a view can be brought up to date from what changed, and by which method. Starts no engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidewheel.errors import UserError
from tidewheel.ir.norm import normalize
from tidewheel.ir.rel import Opaque, Query
from tidewheel.optimize.memo import Kind
from tidewheel.optimize.upkeep import Statement, Upkeep, changes, upkeep_of
from tidewheel.project.config import Config
from tidewheel.project.graph import View
from tidewheel.refresh.binding import bound_view
from tidewheel.refresh.inputs import delta_of_source
from tidewheel.refresh.look import Look
from tidewheel.refresh.plan import Reason
from tidewheel.store.deltas import NoDelta, view_delta
from tidewheel.store.epochs import Kept, ViewEntry, view_record
from tidewheel.store.sources import pin_of_entry
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema

_UPKEEPS: dict[tuple[bytes, tuple[str, ...]], Upkeep] = {}
_STATEMENTS: dict[tuple[object, ...], tuple[Statement, ...]] = {}
_MOST_STATEMENTS = 1000


@dataclass(frozen=True, slots=True)
class NotMaintained:
    """Why a view is always built in full."""

    reason: Reason


def upkeep_of_view(
    config: Config, warehouse: Warehouse, view: View, schemas: Mapping[str, Schema]
) -> Upkeep | NotMaintained:
    """What is stored for a view so that it can be maintained, given the columns of its inputs."""
    return upkeep_of_query(view, bound_view(config, warehouse, view, schemas).query)


def upkeep_of_query(view: View, query: Query) -> Upkeep | NotMaintained:
    """The same, given the view's bound query."""
    if view.options.refresh == "full":
        return NotMaintained(Reason("configured", "its options say `refresh: full`"))
    if view.clock != "none":
        return NotMaintained(Reason("clock-in-query", "its query asks for the time"))
    if isinstance(query.rel, Opaque):
        return NotMaintained(Reason("not-bound", f"its query is not understood ({query.rel.reason})"))
    if len({name.lower() for name in query.names}) < len(query.names):
        return NotMaintained(Reason("not-bound", "two of its columns have one name"))
    normal = normalize(query)
    key = (normal.rel.digest, normal.names)
    if key not in _UPKEEPS:
        if len(_UPKEEPS) > 10_000:
            _UPKEEPS.clear()
        _UPKEEPS[key] = upkeep_of(normal.rel, normal.names)
    return _UPKEEPS[key]


def as_stored(upkeep: Upkeep, kept: Kept | None) -> Upkeep | NotMaintained:
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


def statements_of(
    upkeep: Upkeep, changed: Mapping[str, Kind], *, quick: bool = False
) -> tuple[Statement, ...] | NotMaintained:
    """The changes of the view and its states; what was planned is at hand when it is run."""
    kinds = tuple(sorted((name.lower(), kind) for name, kind in changed.items()))
    key = (upkeep.signature, tuple(s.columns for s in upkeep.stored), kinds, quick)
    if key not in _STATEMENTS:
        if len(_STATEMENTS) > _MOST_STATEMENTS:
            _STATEMENTS.clear()
        try:
            _STATEMENTS[key] = tuple(changes(upkeep, dict(kinds), quick=quick)[0])
        except (RecursionError, UserError) as error:
            return NotMaintained(Reason("too-deep", f"its change cannot be planned ({type(error).__name__})"))
    return _STATEMENTS[key]


def planned_method(look: Look, view: View) -> tuple[str, Reason | None]:
    """How a view whose inputs changed will be brought up to date; if in full, why."""
    entry = look.last.views[view.name]
    changed: dict[str, Kind] = {}
    schemas: dict[str, Schema] = {}
    for name in look.definition.graph.inputs[view.name]:
        found = _input(look, entry, name)
        if isinstance(found, Reason):
            return "full", found
        kind, schemas[name] = found
        if kind is not None:
            changed[name] = kind
    upkeep = upkeep_of_view(look.definition.config, look.warehouse, view, schemas)
    if isinstance(upkeep, Upkeep):
        upkeep = as_stored(upkeep, view_record(look.warehouse, look.last, view.name).kept)
    statements = upkeep if isinstance(upkeep, NotMaintained) else statements_of(upkeep, changed, quick=True)
    if isinstance(statements, NotMaintained):
        return "full", statements.reason
    return (statements[-1].method if statements else "rows"), None


def _input(look: Look, entry: ViewEntry, name: str) -> tuple[Kind | None, Schema] | Reason:
    """How an input will have changed since the view has seen it, and its columns."""
    known = entry.inputs.get(name)
    if known is None:
        return Reason("input-changed", f'input "{name}" is new')
    if name not in look.steps:
        pinned = look.pins.get(name)
        if pinned is None:
            before = look.last.sources[name]
            declared = look.definition.config.sources[name]
            pinned = pin_of_entry(name, declared, look.warehouse, look.definition.root, before)
        source = delta_of_source(look.warehouse, pinned, known)
        if isinstance(source, NoDelta):
            return Reason(source.code, source.text)
        return (None if source is None else source.kind), pinned.schema
    step = look.steps[name]
    if step.method == "full":
        return Reason("input-rebuilt", f'view "{name}" is rebuilt')
    record = view_record(look.warehouse, look.last, name)
    earlier = view_delta(look.warehouse, name, record, look.last.views[name].built, known)
    if isinstance(earlier, NoDelta):
        return Reason(earlier.code, earlier.text)
    kinds: set[Kind] = {earlier.kind} if earlier.parts else set()
    if step.builds:
        kinds |= {"append" if step.method == "append" else "mixed"}
    if kinds <= {"append"}:
        return ("append" if kinds else None), record.schema
    return ("layered" if earlier.parts and step.builds else kinds.pop()), record.schema

"""Are all views sound? Each is bound to what it reads; nothing is run, and nothing is left at the first mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from tidewheel.engine.base import Session
from tidewheel.errors import PlanError, TidewheelError, UserError
from tidewheel.ir.rel import Opaque
from tidewheel.markup import html_table
from tidewheel.plan.defined.bound import Binding
from tidewheel.plan.defined.maintenance import never_maintained
from tidewheel.plan.plan import strict_never
from tidewheel.project.definition import Definition
from tidewheel.project.graph import View, below_broken
from tidewheel.sql.bind import BoundView
from tidewheel.store.epochs import Epoch, latest_epoch
from tidewheel.store.sources import pin
from tidewheel.store.tables import TableSnapshot
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema

NOT_THERE_YET: Final = frozenset({"table-not-found", "no-files"})
State: TypeAlias = Literal["sound", "broken", "first-build"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewCheck:
    """What is known of one view: it is sound, broken, or the rest of it is checked by Spark at its first build."""

    view: str
    file: str
    state: State
    error: TidewheelError | None = None
    note: str = ""

    @property
    def place(self) -> str:
        """Where it is wrong, if it is."""
        return self.error.span.place if self.error and self.error.span else ""

    def to_dict(self) -> dict[str, Any]:
        error = self.error.to_dict() if self.error else None
        return {"view": self.view, "file": self.file, "state": self.state, "error": error, "note": self.note}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """All views of a project. `errors` is empty, or has one for each view that is wrong itself."""

    project: str
    views: Mapping[str, ViewCheck]
    spark: bool = False

    @property
    def errors(self) -> tuple[TidewheelError, ...]:
        found = [v.error for v in self.views.values() if v.error is not None]
        return tuple(dict.fromkeys(error for error in found if error.code != "broken-input"))

    @property
    def exit_code(self) -> int:
        return UserError.exit_code if self.errors else 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "sound": not self.errors,
            "spark": self.spark,
            "views": [v.to_dict() for v in self.views.values()],
        }

    @property
    def _title(self) -> str:
        counts = Counter(v.state for v in self.views.values())
        states = ", ".join(f"{counts[state]} {state}" for state in get_args(State) if counts[state])
        return f"project {self.project}: {states or 'no views'}"

    def __repr__(self) -> str:
        return f"<Check of {self._title}>"

    def _repr_html_(self) -> str:
        rows = [(v.view, v.state, v.error.message if v.error else v.note, v.place) for v in self.views.values()]
        return html_table(f"check of {self._title}", ["view", "state", "note", "at"], rows)

    def __str__(self) -> str:
        lines = [f"{v.view}: {v.state}{f' ({v.note})' if v.note else ''}" for v in self.views.values()]
        return "\n".join([*lines, *map(str, self.errors)])


def require_sound(view: View, bound: BoundView) -> None:
    """What binding alone does not ask: names behind a star, columns to cluster by, a promise that cannot be kept."""
    if bound.query.names:
        view.check_columns(bound.query.names)
    reason = never_maintained(view, bound.query) if view.options.refresh == "strict" else None
    if reason is not None:
        raise strict_never(view, reason)


def require_local(definition: Definition, view: View, bound: BoundView) -> None:
    """Refuse a view that a project without Spark can never build."""
    from tidewheel.engine.local.ability import require_here  # noqa: PLC0415

    if view.clock == "none":  # else it runs with the time of its epoch in place of the clock
        require_here(bound.query, definition.config.settings, view.name)


def check(
    definition: Definition, warehouse: Warehouse, session: Session | None = None, *, local: bool = False
) -> Check:
    """Bind every view; with a session of Spark, let its analyzer look at them too, over relations without rows.

    If all is to run on the `local` engine, what it does not run is broken.
    """
    graph = definition.graph
    sources = source_columns(definition, warehouse)
    binding = Binding(definition, warehouse, sources.known)
    found: dict[str, ViewCheck] = {}
    for source in graph.sources if session is not None else ():
        _register(session, source, binding.columns(source))
    for name, view in graph.views.items():
        try:
            for above in graph.inputs[name]:
                if above in sources.wrong:
                    raise sources.wrong[above]
                wrong = found[above].error if above in found else None
                if wrong is not None:
                    raise below_broken(name, above, wrong)
            found[name] = _checked(binding, sources, view, session, local=local)
        except TidewheelError as error:
            error.relation = error.relation or name
            found[name] = ViewCheck(view=name, file=view.file, state="broken", error=error)
    for name, broken in graph.broken.items():
        found[name] = ViewCheck(view=name, file=broken.file, state="broken", error=broken.error)
    return Check(project=definition.config.name, views=found, spark=session is not None)


def wrong_as_defined(binding: Binding) -> dict[str, TidewheelError]:
    """What is wrong with views that the binding's epoch has otherwise or not at all, and with those below them."""
    graph, epoch = binding.definition.graph, binding.epoch
    built = {n for n, v in graph.views.items() if epoch and n in epoch.views and _is_as_built(epoch, v)}
    found: dict[str, TidewheelError] = {}
    for name, view in graph.views.items():
        above = next((i for i in graph.inputs[name] if i in found), None)
        if above is not None:
            found[name] = below_broken(name, above, found[above])
        elif name not in built:
            try:
                bound = binding.bind(name)
                if bound is not None:
                    require_sound(view, bound)
            except (UserError, PlanError) as error:
                found[name] = error
    return found


def _is_as_built(epoch: Epoch, view: View) -> bool:
    return epoch.views[view.name].fingerprint == view.fingerprint


def _checked(
    binding: Binding, sources: SourceColumns, view: View, session: Session | None, *, local: bool
) -> ViewCheck:
    bound = binding.bind(view.name)
    if bound is not None:
        require_sound(view, bound)
        if local:
            require_local(binding.definition, view, bound)
    known = all(binding.columns(above) is not None for above in binding.definition.graph.inputs[view.name])
    if session is not None and known:
        session.define(view, view.sql)
        return ViewCheck(view=view.name, file=view.file, state="sound")
    if bound is None:
        unknown = [a for a in binding.definition.graph.inputs[view.name] if binding.columns(a) is None]
        why = f": {sources.unknown[unknown[0]]}" if unknown[0] in sources.unknown else ""
        note = f'the columns of "{unknown[0]}" are not known yet{why}'
        return ViewCheck(view=view.name, file=view.file, state="first-build", note=note)
    if isinstance(bound.query.rel, Opaque):
        return ViewCheck(view=view.name, file=view.file, state="first-build", note=bound.query.notes[0])
    return ViewCheck(view=view.name, file=view.file, state="sound")


def _register(session: Session | None, name: str, schema: Schema | None) -> None:
    if session is not None and schema is not None:
        session.register(name, TableSnapshot(table="", version=-1, schema=schema))


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceColumns:
    """The columns of sources as a plan finds them; what is wrong with others, and why some are not known yet."""

    known: Mapping[str, Schema]
    wrong: Mapping[str, TidewheelError]
    unknown: Mapping[str, str]


def source_columns(definition: Definition, warehouse: Warehouse) -> SourceColumns:
    """Where each source stands, against its declaration and the last epoch; one without a table is no mistake."""
    last = latest_epoch(warehouse).sources
    known, wrong, unknown = dict[str, Schema](), dict[str, TidewheelError](), dict[str, str]()
    for name, source in definition.config.sources.items():
        try:
            known[name] = pin(name, source, warehouse, definition.root, last.get(name)).schema
        except TidewheelError as error:
            if error.code in NOT_THERE_YET and name not in last:
                unknown[name] = error.message
            else:
                wrong[name] = error
    return SourceColumns(known=known, wrong=wrong, unknown=unknown)

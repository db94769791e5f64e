"""What the statements of one view read by a name while they run: made in a session when it is first needed there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from tidewheel.engine.base import Session
from tidewheel.errors import ExecutionError, StoreError
from tidewheel.ir.rel import Opaque, Query, Rel
from tidewheel.ir.tree import named
from tidewheel.plan.binding.names import made_name
from tidewheel.program import ProgramOptions, pieces
from tidewheel.program.growth import tree_size
from tidewheel.program.program import is_reference
from tidewheel.project.graph import View
from tidewheel.store import disk


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make an intermediate."""

    query: Query
    few: bool


@dataclass(slots=True)
class Intermediates:
    """By the names that sessions know them by; what one was made in is asked to drop it."""

    view: View
    folder: str
    """Where larger ones may be written."""
    recipes: dict[str, Recipe] = field(default_factory=dict)
    there: dict[tuple[str, int], Session] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of those that are there; of one that failed in the driver and was made on the cluster, what it is there."""

    def provide(self, session: Session, name: str) -> None:
        """Let a session read an intermediate.

        One that was made in the driver is computed again on the cluster, if a statement turns out to be for that.
        """
        if (name, id(session)) in self.there:
            return
        recipe = self.recipes[name]
        (query,) = self.over(session, [recipe.query], few=recipe.few)
        os.makedirs(self.folder, exist_ok=True)
        self.there[name, id(session)] = session  # also what fails half-way is dropped
        folder = os.path.join(self.folder, name)
        with disk.io_step("stage.data", folder):
            self.rows[name] = session.make(self.view, name, query, folder, few=recipe.few)
        self.sizes[name] = session.bytes(name)

    def over(self, session: Session, queries: Sequence[Query], *, few: bool) -> list[Query]:
        """Queries as a session should see them: over further intermediates, where it would see too large a plan.

        A program for Spark has none such. But a statement that was meant for the driver may turn out to be for Spark.
        """
        if not session.copies or not any(is_large(query.rel) for query in queries):
            return [*queries]
        steps, rels = pieces([query.rel for query in queries], ProgramOptions().most_operators)
        names = {step.reference.digest: made_name(self.view.name, step) for step in steps.values()}

        def called(rel: Rel) -> Rel:
            return named(rel, lambda scan: names[scan.digest] if is_reference(scan) else scan.relation)

        for step in steps.values():
            name = names[step.reference.digest]
            self.recipes[name] = Recipe(Query(rel=called(step.rel), names=step.names), few)
            self.provide(session, name)
        return [replace(query, rel=called(rel)) for query, rel in zip(queries, rels, strict=True)]

    def drop(self) -> None:
        """What an engine cannot drop any more is gone with its session, and `vacuum` deletes files in time."""
        if not self.there:
            return
        for (name, _), session in self.there.items():
            with suppress(ExecutionError):
                session.drop(name)
        self.there.clear()
        with suppress(StoreError):
            disk.remove(self.folder, step="discard.attempt")


def is_large(rel: Rel) -> bool:
    """Is a plan more than an engine that copies should see at once."""
    return not isinstance(rel, Opaque) and tree_size(rel) > ProgramOptions().most_operators


@contextmanager
def in_pieces(session: Session, view: View, query: Query, folder: str, *, few: bool) -> Iterator[Query]:
    """A query as a session should see it; what it reads is there until it was run."""
    made = Intermediates(view, folder)
    try:
        (over,) = made.over(session, [query], few=few)
        yield over
    finally:
        made.drop()

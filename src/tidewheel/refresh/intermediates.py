"""What the statements of one view read by a name while they run: made in a session when one first needs it there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tidewheel.engine.base import Session
from tidewheel.ir.rel import Opaque, Query, Rel
from tidewheel.ir.tree import named
from tidewheel.program import Intermediate, ProgramOptions, pieces
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

    def provide(self, session: Session, name: str) -> None:
        """Let a session read an intermediate.

        One that was made in the driver is computed again on the cluster, if a statement turns out to be for that.
        """
        if (name, id(session)) in self.there:
            return
        recipe = self.recipes[name]
        os.makedirs(self.folder, exist_ok=True)
        self.there[name, id(session)] = session  # also what fails half-way is dropped
        folder = os.path.join(self.folder, name)
        with disk.io_step("stage.data", folder):
            self.rows[name] = session.make(self.view, name, recipe.query, folder, few=recipe.few)

    def size(self, name: str) -> int:
        """Bytes of one that is there."""
        return max(session.bytes(name) for (made, _), session in self.there.items() if made == name)

    def drop(self) -> None:
        for (name, _), session in self.there.items():
            session.drop(name)
        self.there.clear()
        disk.remove(self.folder, step="discard.attempt")


def made_name(view: str, step: Intermediate) -> str:
    """What sessions know an intermediate by: other views, which share them, have others of the same plan."""
    return f"_tw_made_{view}_{step.reference.fingerprint()[:16]}"


def is_large(rel: Rel) -> bool:
    """Is a plan more than an engine that copies should see at once."""
    return not isinstance(rel, Opaque) and tree_size(rel) > ProgramOptions().most_operators


@contextmanager
def in_pieces(session: Session, view: View, query: Query, folder: str, *, few: bool) -> Iterator[Query]:
    """A query, over intermediates where the session would see too large a plan; they are there until it was run."""
    steps, (rel,) = pieces([query.rel], ProgramOptions().most_operators) if session.copies else ({}, [query.rel])
    names = {step.reference.digest: made_name(view.name, step) for step in steps.values()}
    made = Intermediates(view, folder)

    def over(rel: Rel) -> Rel:
        return named(rel, lambda scan: names[scan.digest] if is_reference(scan) else scan.relation)

    try:
        for step in steps.values():
            name = names[step.reference.digest]
            made.recipes[name] = Recipe(Query(rel=over(step.rel), names=step.names), few)
            made.provide(session, name)
        yield Query(rel=over(rel), names=query.names) if steps else query
    finally:
        if steps:
            made.drop()

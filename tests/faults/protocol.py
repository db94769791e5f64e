"""The store's protocol as a small machine: every step that others can see is one step here.

Tables have one version per epoch: epoch n is their version n - 1. A runner announces itself, looks, finishes what
somebody else decided, stages, decides by a link out of its own folder, applies table by table, notes that, and closes.
A vacuum that keeps nothing old runs beside it; a hasty one takes everybody for abandoned. `rules` switches single
rules off: the tests show that each of them is needed.
"""

from __future__ import annotations

from typing import NamedTuple

TABLES = 2
RULES = frozenset(
    {
        "announce before looking",
        "decide out of the folder",
        "list attempts before reading epochs",
        "keep what the newest applied epoch needs",
        "delete records only when nobody is at work",
        "finish before deciding",
    }
)


class Flaw(Exception):  # noqa: N818  what the search looks for
    """Something that must never be."""


class World(NamedTuple):
    """What is on disk; `ever` remembers all decisions, also of records that are deleted."""

    epochs: frozenset[tuple[int, str]]
    ever: frozenset[tuple[int, str]]
    notes: frozenset[int]
    logs: tuple[frozenset[tuple[int, int]], ...]
    checkpoints: tuple[int, ...]
    folders: frozenset[str]
    data: frozenset[str]

    def newest(self) -> int:
        return max(n for n, _ in self.epochs)

    def winner(self, number: int) -> str | None:
        return next((who for n, who in self.epochs if n == number), None)

    def content(self, table: int) -> int:
        """The epoch that a table shows: that of its newest version, which a commit below the checkpoint is not."""
        return max(self.logs[table])[1]

    def version(self, table: int) -> int:
        return max(self.logs[table])[0]


START = World(
    epochs=frozenset({(1, "first")}),
    ever=frozenset({(1, "first")}),
    notes=frozenset({1}),
    logs=(frozenset({(0, 1)}),) * TABLES,
    checkpoints=(0,) * TABLES,
    folders=frozenset(),
    data=frozenset({"first"}),
)


class Actor(NamedTuple):
    """A process: where it is in its program, and what it remembers. `left` is how many refreshes it still does."""

    kind: str
    name: str
    at: str = "start"
    epoch: int = 0
    table: int = 0
    left: int = 1
    seen_data: frozenset[str] = frozenset()
    live: frozenset[str] = frozenset()
    base: int = 0

    @property
    def attempt(self) -> str:
        return f"{self.name}{self.left}"


def check(world: World) -> None:
    """What must hold at every moment."""
    numbers = sorted(n for n, _ in world.ever)
    if numbers != list(range(1, len(numbers) + 1)):
        raise Flaw(f"decided: {sorted(world.ever)}")
    if world.winner(world.newest()) not in world.data:
        raise Flaw(f"the files of epoch {world.newest()} are gone")
    for table in range(TABLES):
        owner = next(who for n, who in world.ever if n == world.content(table))
        if owner not in world.data:
            raise Flaw(f"a table shows epoch {world.content(table)}, whose files are gone")


def step(actor: Actor, world: World, rules: frozenset[str]) -> tuple[Actor, World]:
    """The actor's next step; it has not ended yet."""
    match actor.at:
        case "applying":
            return _apply(actor, world)
        case "committing":
            return _commit(actor, world)
        case "noting":
            return _after_apply(actor), world._replace(notes=world.notes | {actor.epoch})
        case _:
            return (_run if actor.kind == "runner" else _vacuum)(actor, world, rules)


# --- applying: the same for everybody ---


def _apply(actor: Actor, world: World) -> tuple[Actor, World]:
    """Look at the next table of a decided epoch: it is done, or its next version is to be written."""
    if world.newest() > actor.epoch:
        return _after_apply(actor), world  # whoever decided that has applied this one
    if world.content(actor.table) >= actor.epoch:
        return _next_table(actor), world
    if world.winner(actor.epoch - 1) is None:
        raise Flaw(f"epoch {actor.epoch} can never be applied: the record before it is gone")
    if world.version(actor.table) != actor.epoch - 2:
        raise Flaw("a table is not where the epoch found it")
    return actor._replace(at="committing"), world


def _commit(actor: Actor, world: World) -> tuple[Actor, World]:
    """Create the version if it is absent; below a checkpoint its file is absent too, and then nobody reads it."""
    version, log = actor.epoch - 1, world.logs[actor.table]
    moved = _next_table(actor)
    if any(v == version for v, _ in log) or version < world.checkpoints[actor.table]:
        return moved, world
    logs = (*world.logs[: actor.table], log | {(version, actor.epoch)}, *world.logs[actor.table + 1 :])
    if max(logs[actor.table])[1] < world.content(actor.table):
        raise Flaw("a table went back")
    return moved, world._replace(logs=logs)


def _next_table(actor: Actor) -> Actor:
    last = actor.table == TABLES - 1
    return actor._replace(at="noting" if last else "applying", table=actor.table + 1)


def _after_apply(actor: Actor) -> Actor:
    if actor.kind != "runner":
        return actor._replace(at="looking", table=0)
    return actor._replace(at="closing" if actor.base == actor.epoch else "staging", table=0)


# --- a runner ---


def _run(actor: Actor, world: World, rules: frozenset[str]) -> tuple[Actor, World]:
    early = "announce before looking" in rules
    announced = world._replace(folders=world.folders | {actor.attempt})
    match actor.at:
        case "start":
            return actor._replace(at="opening"), announced if early else world
        case "opening":
            found = actor._replace(epoch=world.newest())
            is_done = world.newest() in world.notes or "finish before deciding" not in rules
            return found._replace(at="staging" if is_done else "applying"), world
        case "staging":
            folders = world.folders if early else announced.folders
            staged = world._replace(data=world.data | {actor.attempt}, folders=folders)
            return actor._replace(at="deciding"), staged
        case "deciding":
            return _decide(actor, world, rules)
        case "losing":
            return actor._replace(at="discarding"), world._replace(folders=world.folders - {actor.attempt})
        case "discarding":
            return _next(actor), world._replace(data=world.data - {actor.attempt})
        case _:
            return _next(actor), world._replace(folders=world.folders - {actor.attempt})


def _decide(actor: Actor, world: World, rules: frozenset[str]) -> tuple[Actor, World]:
    number = actor.epoch + 1
    is_fenced = actor.attempt not in world.folders
    if is_fenced and "decide out of the folder" in rules:
        return _next(actor), world
    if world.winner(number) is not None:
        return actor._replace(at="losing"), world
    decided = (number, actor.attempt)
    if any(n == number for n, _ in world.ever):
        raise Flaw(f"epoch {number} is decided twice")
    found = actor._replace(at="applying", epoch=number, base=number)
    return found, world._replace(epochs=world.epochs | {decided}, ever=world.ever | {decided})


def _next(actor: Actor) -> Actor:
    """The next refresh of this runner, or its end."""
    left = actor.left - 1
    return Actor(actor.kind, actor.name, at="start" if left else "end", left=left)


# --- a vacuum ---


def _vacuum(actor: Actor, world: World, rules: frozenset[str]) -> tuple[Actor, World]:
    match actor.at:
        case "start":
            found = actor._replace(epoch=world.newest())
            return found._replace(at="looking" if world.newest() in world.notes else "applying"), world
        case "looking":
            base = max(n for n, _ in world.epochs if n in world.notes)
            return actor._replace(at="fencing", seen_data=world.data, base=base), world
        case "fencing":  # one after the other; that the rest is fenced later is like being stopped later
            fenced = world.folders if actor.kind == "hasty vacuum" else frozenset()
            return actor._replace(at="listing"), world._replace(folders=world.folders - fenced)
        case "listing":
            return actor._replace(at="reading", live=world.folders), world
        case "reading":
            return _read(actor, world, rules)
        case "deleting data":
            live = actor.live if "list attempts before reading epochs" in rules else world.folders
            gone = actor.seen_data - live
            return actor._replace(at="deleting commits"), world._replace(data=world.data - gone)
        case "deleting commits":
            return actor._replace(at="deleting epochs"), _delete_commits(actor, world, rules)
        case _:
            return actor._replace(at="end"), _delete_epochs(actor, world, rules)


def _read(actor: Actor, world: World, rules: frozenset[str]) -> tuple[Actor, World]:
    """What is needed: the files of the newest applied epoch and of all after it, and of what the tables show."""
    oldest = actor.base if "keep what the newest applied epoch needs" in rules else world.newest()
    shown = {world.content(t) for t in range(TABLES)}
    needed = {who for n, who in world.ever if (n >= oldest and (n, who) in world.epochs) or n in shown}
    return actor._replace(at="deleting data", base=oldest, seen_data=actor.seen_data - needed), world


def _is_quiet(actor: Actor, rules: frozenset[str]) -> bool:
    return not actor.live or "delete records only when nobody is at work" not in rules


def _delete_commits(actor: Actor, world: World, rules: frozenset[str]) -> World:
    """A checkpoint at the version of the newest applied epoch; the versions below it go."""
    if not _is_quiet(actor, rules):
        return world
    checkpoints = tuple(max(c, min(actor.base - 1, world.version(t))) for t, c in enumerate(world.checkpoints))
    logs = tuple(frozenset((v, n) for v, n in log if v >= c) for log, c in zip(world.logs, checkpoints, strict=True))
    return world._replace(checkpoints=checkpoints, logs=logs)


def _delete_epochs(actor: Actor, world: World, rules: frozenset[str]) -> World:
    if not _is_quiet(actor, rules):
        return world
    epochs = frozenset((n, who) for n, who in world.epochs if n >= actor.base)
    return world._replace(epochs=epochs, notes=frozenset(n for n in world.notes if n >= actor.base))

"""The commit protocol as a small model, every interleaving of which is looked at.

Two runners, optionally a vacuum that takes every attempt for abandoned, and one crash anywhere. A step is one atomic
change or look on disk. There is one view with one table; its source has always changed, so every runner wants to build.
What the model says of `Attempt`, `apply_epoch` and `vacuum` is what docs/store-protocol.md says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

RUNNER_STEPS = ("begin", "look", "finish", "note", "stage", "prepare", "decide", "apply", "applied", "close", "end")


@dataclass(frozen=True)
class Disk:
    folders: frozenset[str] = frozenset()
    data: frozenset[str] = frozenset()
    epochs: frozenset[tuple[int, str]] = frozenset()
    applied: frozenset[int] = frozenset()
    log: tuple[tuple[int, int], ...] = ()  # (version, epoch); versions below the first were cleaned up
    decided: frozenset[tuple[int, str]] = frozenset()  # everything that was ever decided: for the invariants only

    @property
    def newest(self) -> int:
        return max((n for n, _ in self.epochs), default=0)

    def builder(self, number: int) -> str | None:
        return next((a for n, a in self.epochs if n == number), None)

    def commit(self, version: int, epoch: int) -> Disk:
        """Create-if-absent of one commit, unless the epoch, or a later one, is there already."""
        taken = any(v == version for v, _ in self.log) or any(e >= epoch for _, e in self.log)
        return self if taken else replace(self, log=(*self.log, (version, epoch)))


@dataclass(frozen=True)
class Runner:
    name: str
    step: str = "begin"
    base: int = 0

    def moves(self, disk: Disk) -> Iterator[tuple[Disk, Runner]]:
        known = self.step in RUNNER_STEPS[:-1]
        after = RUNNER_STEPS[RUNNER_STEPS.index(self.step) + 1] if known else "end"
        go = replace(self, step=after)
        match self.step:
            case "begin":
                yield replace(disk, folders=disk.folders | {self.name}), go
            case "look":
                number = disk.newest
                done = number == 0 or number in disk.applied
                yield disk, replace(go, base=number, step="stage" if done else "finish")
            case "finish":
                yield disk.commit(self.base - 1, self.base), go
            case "note":
                yield replace(disk, applied=disk.applied | {self.base}), go
            case "stage":
                yield replace(disk, data=disk.data | {self.name}), go
            case "prepare":
                yield disk, go if self.name in disk.folders else self.lost()
            case "decide":
                yield self.decide(disk, go)
            case "lose-folder":  # fenced off: what we wrote is vacuum's business
                private = self.name in disk.folders
                yield (
                    replace(disk, folders=disk.folders - {self.name}),
                    replace(self, step="lose-data" if private else "end"),
                )
            case "lose-data":
                yield replace(disk, data=disk.data - {self.name}), replace(self, step="end")
            case "apply":
                yield disk.commit(self.base, self.base + 1), go
            case "applied":
                yield replace(disk, applied=disk.applied | {self.base + 1}), go
            case "close":
                yield replace(disk, folders=disk.folders - {self.name}), go

    def lost(self) -> Runner:
        return replace(self, step="lose-folder")

    def decide(self, disk: Disk, won: Runner) -> tuple[Disk, Runner]:
        number = self.base + 1
        if self.name not in disk.folders or disk.builder(number) is not None:
            return disk, self.lost()
        entry = (number, self.name)
        return replace(disk, epochs=disk.epochs | {entry}, decided=disk.decided | {entry}), won


@dataclass(frozen=True)
class Vacuum:
    name: str = "vacuum"
    step: str = "list-data"
    seen: frozenset[str] = frozenset()
    fence: frozenset[str] = frozenset()
    live: frozenset[str] = frozenset()
    base: int = 0
    needed: frozenset[str] = frozenset()

    def moves(self, disk: Disk) -> Iterator[tuple[Disk, Vacuum]]:
        match self.step:
            case "list-data":
                yield disk, replace(self, seen=disk.data, step="list-folders")
            case "list-folders":
                yield disk, replace(self, fence=disk.folders, step="fence")
            case "fence" if self.fence:
                for name in self.fence:
                    yield replace(disk, folders=disk.folders - {name}), replace(self, fence=self.fence - {name})
            case "fence":
                yield disk, replace(self, step="base")
            case "base":  # before the attempts: what is under way builds on this epoch or a newer one
                base = max((n for n, _ in disk.epochs if n in disk.applied), default=0)
                yield disk, replace(self, base=base, step="live")
            case "live":
                yield disk, replace(self, live=disk.folders, step="needed")
            case "needed":
                needed = frozenset(a for n, a in disk.epochs if n >= self.base)
                yield disk, replace(self, needed=needed, step="delete-data")
            case "delete-data":
                yield self.delete_data(disk)
            case "delete-epochs":
                kept = frozenset((n, a) for n, a in disk.epochs if n >= self.base)
                yield replace(disk, epochs=kept), replace(self, step="delete-log")
            case "delete-log":
                kept_log = tuple((v, e) for v, e in disk.log if e >= self.base)
                yield replace(disk, log=kept_log), replace(self, step="end")

    def delete_data(self, disk: Disk) -> tuple[Disk, Vacuum]:
        gone = self.seen - self.live - self.needed
        step = "delete-epochs" if not self.live else "end"
        return replace(disk, data=disk.data - gone), replace(self, step=step)


State = tuple[Disk, tuple[Runner | Vacuum, ...], bool]


def successors(state: State) -> Iterator[State]:
    disk, actors, may_crash = state
    for i, actor in enumerate(actors):
        if actor.step == "end":
            continue
        for changed, moved in actor.moves(disk):
            yield changed, (*actors[:i], moved, *actors[i + 1 :]), may_crash
        if may_crash:
            yield disk, (*actors[:i], replace(actor, step="end"), *actors[i + 1 :]), False


def check(disk: Disk) -> None:
    numbers = [n for n, _ in disk.decided]
    assert len(numbers) == len(set(numbers)), f"an epoch was decided twice: {sorted(disk.decided)}"
    assert sorted(numbers) == list(range(1, len(numbers) + 1)), f"epochs are not consecutive: {sorted(numbers)}"
    assert disk.newest == max(numbers, default=0), "the newest epoch is gone"
    builder = disk.builder(disk.newest)
    assert builder is None or builder in disk.data, "the newest epoch's files are gone"
    if disk.log:
        newest = max(disk.log)[1]
        assert newest <= disk.newest, "a table shows an epoch that was not decided"
        shown = dict(disk.decided)[newest]
        assert shown in disk.data, "a table names files that are gone"
    versions = sorted(v for v, _ in disk.log)
    assert not versions or versions == list(range(versions[0], versions[-1] + 1)), "a hole in the log"


def recovered(disk: Disk) -> Disk:
    """One more runner, alone, after everything has ended."""
    actor = Runner(name="late")
    while actor.step != "end":
        [(disk, actor)] = list(actor.moves(disk))
        check(disk)
    return disk


def explore(*actors: Runner | Vacuum, crash: bool, start: Disk = Disk()) -> int:  # noqa: B008  frozen
    todo: list[State] = [(start, actors, crash)]
    seen = set(todo)
    while todo:
        state = todo.pop()
        check(state[0])
        following = list(successors(state))
        if not following:
            end = recovered(state[0])
            assert max(end.log)[1] == end.newest
            assert end.newest in end.applied
        for new in following:
            if new not in seen:
                seen.add(new)
                todo.append(new)
    return len(seen)


@pytest.mark.parametrize("crash", [False, True])
def test_two_runners_in_every_order(crash: bool) -> None:
    assert explore(Runner("a"), Runner("b"), crash=crash) > 100


@pytest.mark.parametrize("crash", [False, True])
def test_two_runners_and_a_vacuum_that_trusts_nobody(crash: bool) -> None:
    assert explore(Runner("a"), Runner("b"), Vacuum(), crash=crash) > 1000


def test_a_runner_on_top_of_a_half_applied_epoch_with_vacuum() -> None:
    decided = frozenset({(1, "x"), (2, "y")})
    start = Disk(
        data=frozenset({"x", "y"}), epochs=decided, applied=frozenset({1}), log=((0, 1),), decided=decided
    )  # fmt: skip
    assert explore(Runner("a"), Runner("b"), Vacuum(), crash=True, start=start) > 1000


def test_the_model_sees_a_vacuum_that_does_not_fence() -> None:
    """A check that cannot fail proves nothing: without the fence a stalled runner publishes files that are gone."""

    @dataclass(frozen=True)
    class Careless(Vacuum):
        def delete_data(self, disk: Disk) -> tuple[Disk, Vacuum]:
            return replace(disk, data=disk.data - (self.seen - self.needed)), replace(self, step="end")

    with pytest.raises(AssertionError, match="files are gone"):
        explore(Runner("a"), Careless(step="base", seen=frozenset({"a"})), crash=False)

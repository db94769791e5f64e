"""All interleavings of runners and vacuums, with a crash anywhere: the protocol holds, and needs each of its rules."""

from __future__ import annotations

import pytest

from tests.faults.protocol import RULES, START, TABLES, Actor, Flaw, World, check, step

CASTS = {
    "two runners": (Actor("runner", "a", left=2), Actor("runner", "b", left=2)),
    "two runners, hasty vacuum": (Actor("runner", "a"), Actor("runner", "b", left=2), Actor("hasty vacuum", "v")),
    "two runners, patient vacuum": (Actor("runner", "a"), Actor("runner", "b", left=2), Actor("patient vacuum", "v")),
    "a runner, two vacuums": (Actor("runner", "a", left=2), Actor("hasty vacuum", "v"), Actor("patient vacuum", "w")),
}


HARM = {
    "finish before deciding": "two runners",
    "delete records only when nobody is at work": "two runners, patient vacuum",
    "list attempts before reading epochs": "two runners, patient vacuum",
}
"""Who does harm without a rule; the others need a hasty vacuum for that."""


class Search:
    """Every state that any interleaving can reach. Worlds and actors are numbered, and each step is taken once."""

    def __init__(self, rules: frozenset[str]) -> None:
        self.rules = rules
        self.worlds: dict[World, int] = {}
        self.actors: dict[Actor, int] = {}
        self.known: list[World] = []
        self.cast: list[Actor] = []
        self.taken: dict[tuple[int, int], tuple[int, int]] = {}

    def world(self, world: World) -> int:
        if world not in self.worlds:
            check(world)
            self.worlds[world] = len(self.known)
            self.known.append(world)
        return self.worlds[world]

    def actor(self, actor: Actor) -> int:
        if actor not in self.actors:
            self.actors[actor] = len(self.cast)
            self.cast.append(actor)
        return self.actors[actor]

    def step(self, actor: int, world: int) -> tuple[int, int]:
        if (actor, world) not in self.taken:
            moved, after = step(self.cast[actor], self.known[world], self.rules)
            self.taken[actor, world] = self.actor(moved), self.world(after)
        return self.taken[actor, world]

    def explore(self, actors: tuple[Actor, ...], *, crashes: int) -> int:
        """Raises Flaw at the first state that must not be; returns how many there are."""
        ended = self.actor(Actor("", "", at="end"))
        first = (self.world(START), tuple(self.actor(a) for a in actors), crashes)
        seen, todo = {first}, [first]
        while todo:
            world, cast, left = todo.pop()
            if all(a == ended for a in cast):
                self.recover(world)
            for i, actor in enumerate(cast):
                if actor == ended:
                    continue
                moved, after = self.step(actor, world)
                moved = ended if self.cast[moved].at == "end" else moved
                followers = [(after, (*cast[:i], moved, *cast[i + 1 :]), left)]
                if left:
                    followers.append((world, (*cast[:i], ended, *cast[i + 1 :]), left - 1))
                todo += [f for f in followers if f not in seen]
                seen.update(followers)
        return len(seen)

    def recover(self, world: int) -> None:
        """Whatever has happened: the next runner publishes one more epoch, and every table shows it."""
        for actor in (Actor("runner", "next"), Actor("hasty vacuum", "last"), Actor("runner", "again")):
            number, at = self.known[world].newest(), self.actor(actor)
            while self.cast[at].at != "end":
                at, world = self.step(at, world)
            after = self.known[world]
            if actor.kind == "runner" and after.newest() != number + 1:
                raise Flaw(f"after epoch {number} nothing can be published any more")
            if any(after.content(t) != after.newest() for t in range(TABLES)):
                raise Flaw("a table is not brought to the last epoch")


@pytest.mark.parametrize("cast", CASTS)
def test_no_interleaving_and_no_crash_loses_or_doubles_an_epoch(cast: str) -> None:
    assert Search(RULES).explore(CASTS[cast], crashes=1) > 5000


@pytest.mark.parametrize("rule", sorted(RULES))
def test_without_any_one_rule_some_interleaving_does_harm(rule: str) -> None:
    with pytest.raises(Flaw):
        Search(RULES - {rule}).explore(CASTS[HARM.get(rule, "two runners, hasty vacuum")], crashes=1)

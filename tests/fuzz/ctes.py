"""Made-up queries of 10 to 100 CTEs over the sources of `tests.corpus.large`, by family, size and seed.

    large_query("diamond", 40, seed=1)

A family says how the CTEs read each other and what they do; the text is the same on every machine. No path through a
query is longer than `MOST_DEPTH`: where a chain would be, it becomes several, joined at the end.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tests.fuzz import cte_steps as steps
from tests.fuzz.cte_steps import STAGING, Merge, Step

MOST_DEPTH: Final = 40
MOST_JOINED: Final = 20

UNARY: Final[tuple[Step, ...]] = (
    steps.scored,
    steps.filtered,
    steps.first_of_group,
    steps.joined_with_its_groups,
    steps.against_total,
    steps.running_sum,
    steps.ranked,
    steps.sessions,
    steps.grouped,
    steps.distinct_groups,
)
BINARY: Final[tuple[Merge, ...]] = (
    steps.enriched,
    steps.left_joined,
    steps.full_joined,
    steps.kept_if_there,
    steps.kept_if_missing,
    steps.joined_with_groups,
    steps.grouped_join,
    steps.windowed_join,
    steps.merged,
)
CHAIN_UNARY: Final[tuple[Step, ...]] = (
    steps.scored,
    steps.filtered,
    steps.first_of_group,
    steps.joined_with_its_groups,
    steps.running_sum,
)
CHAIN_BINARY: Final[tuple[Merge, ...]] = (
    steps.enriched,
    steps.enriched,
    steps.joined_with_groups,
    steps.kept_if_there,
    steps.kept_if_missing,
)
WINDOWS: Final[tuple[Step, ...]] = (steps.running_sum, steps.ranked, steps.sessions, steps.first_of_group)
OUTER: Final[tuple[Merge, ...]] = (steps.left_joined, steps.full_joined)
AGGREGATES: Final[tuple[Merge, ...]] = (steps.grouped_join, steps.joined_with_groups, steps.merged)


class Text:
    """The CTEs so far, how deep each is, and which of them nothing reads yet."""

    def __init__(self, rng: random.Random, size: int) -> None:
        self.rng, self.size = rng, size
        self.depths: dict[str, int] = {}
        self.reads: dict[str, int] = {}
        self.texts: list[str] = []
        self.sources = rng.sample(sorted(STAGING), len(STAGING))
        self.staged: list[str] = []

    @property
    def left(self) -> int:
        """How many CTEs are still to come."""
        return self.size - len(self.texts)

    def stage(self, count: int) -> list[str]:
        """So many CTEs over sources, each over another one while there are."""
        for _ in range(count):
            n = len(self.staged)
            source = self.sources[n % len(self.sources)]
            self._add(f"stg_{source}_{n}", 1, STAGING[source])
            self.staged.append(f"stg_{source}_{n}")
        return self.staged[-count:]

    def step(self, some: Sequence[Step], a: str) -> str:
        return self.over([a], self.rng.choice(some)(self.rng, a))

    def merge(self, some: Sequence[Merge], a: str, b: str) -> str:
        return self.over([a, b], self.rng.choice(some)(self.rng, a, b))

    def over(self, names: Sequence[str], sql: str) -> str:
        for name in dict.fromkeys(names):
            self.reads[name] += 1
        return self._add(f"c{len(self.texts)}", 1 + max(self.depths[name] for name in names), sql)

    def _add(self, name: str, depth: int, sql: str) -> str:
        self.depths[name], self.reads[name] = depth, 0
        self.texts.append(f"{name} AS (\n  {sql}\n)")
        return name

    def next_staged(self) -> str:
        """The one that is read least."""
        return min(self.staged, key=lambda name: self.reads[name])

    def unread(self) -> list[str]:
        return [name for name, count in self.reads.items() if not count]

    def finish(self) -> str:
        """What is not read yet, side by side; the deepest comes first, and only so many have a column."""
        names = sorted(self.unread(), key=lambda name: -self.depths[name])
        rows = "\nUNION ALL ".join(f"SELECT id, x FROM {name}" for name in names[MOST_JOINED:])
        rest = f"\nWHERE r0.id NOT IN (SELECT id FROM (\n{rows}\n) AS rest WHERE x % 5 = 3)" if rows else ""
        return "WITH " + ",\n".join(self.texts) + "\n" + steps.joined_all(names[:MOST_JOINED]) + rest


def chain(text: Text) -> None:
    """Each over the one before, with what the sources know of it."""
    text.stage(max(2, min(len(STAGING), text.size // 8)))
    chains = -(-text.left // (MOST_DEPTH - 2))
    for n in range(chains):
        last = text.next_staged()
        for _ in range(text.left // (chains - n)):
            last = _chained(text, last)


def _chained(text: Text, last: str) -> str:
    if text.rng.random() < 0.5:
        return text.step(CHAIN_UNARY, last)
    if text.rng.random() < 0.2:  # a spine: rows that were filtered return
        return text.merge((steps.left_joined,), text.next_staged(), last)
    return text.merge(CHAIN_BINARY, last, text.next_staged())


def diamond(text: Text) -> None:
    """Each level reads the level below two or three times."""
    width = max(2, -(-text.size // (MOST_DEPTH - 2)))
    below = text.stage(width)
    while text.left:
        level = [_over_level(text, below, n) for n in range(min(width, text.left))]
        below = [*level, *below[len(level) :]]


def _over_level(text: Text, below: Sequence[str], n: int) -> str:
    a, b = below[n % len(below)], below[(n + 1) % len(below)]
    if not n and text.depths[a] % 3 == 0:  # rows that were lost return
        return text.merge((steps.full_joined, steps.merged), a, b)
    if text.rng.random() < 0.5:
        return text.merge(BINARY, a, b)
    c = text.rng.choice(below)
    return text.over([a, b, c], _joined_three(text.rng, a, b, c))


def _joined_three(rng: random.Random, a: str, b: str, c: str) -> str:
    inner = rng.choice(("JOIN", "LEFT JOIN", "LEFT JOIN"))
    return f"""SELECT l.id, m.g AS g, (l.x + coalesce(m.x, 0) + coalesce(r.x, 0)) % 1000 AS x, r.y AS y
  FROM {a} AS l LEFT JOIN {b} AS m ON m.id = l.id {inner} {c} AS r ON r.id = l.id AND r.x % 7 <> 1"""


def fan(text: Text) -> None:
    """Every CTE is read one to five times."""
    quota = {name: text.rng.randint(1, 5) for name in text.stage(max(3, text.size // 6))}
    while text.left:
        free = [n for n in quota if text.reads[n] < quota[n] and text.depths[n] < MOST_DEPTH - 1] or text.staged
        a, b = text.rng.choice(free), text.rng.choice(free)
        made = text.step(UNARY, a) if a == b else text.merge(BINARY, a, b)
        quota[made] = text.rng.randint(1, 5)


def windows(text: Text) -> None:
    """Windows over windows over joins."""

    def step(last: str, turn: int) -> str:
        return text.step(WINDOWS, last) if turn % 3 else text.merge((steps.windowed_join,), last, text.next_staged())

    _chains(text, step)


def outer(text: Text) -> None:
    """Left and full joins over each other."""

    def step(last: str, turn: int) -> str:
        other = text.next_staged() if turn % 2 else text.rng.choice([*text.unread(), text.next_staged()])
        if other == last:
            return text.step((steps.filtered, steps.scored), last)
        return text.merge(OUTER, *((last, other) if text.rng.random() < 0.7 else (other, last)))

    _chains(text, step)


def aggregates(text: Text) -> None:
    """Aggregates over joins over aggregates."""

    def step(last: str, turn: int) -> str:
        if turn % 3 == 0:
            return text.step((steps.grouped, steps.distinct_groups, steps.joined_with_its_groups), last)
        spine = turn % 6 == 1
        return text.merge((steps.left_joined,) if spine else AGGREGATES, *_pair(text.next_staged(), last, spine))

    _chains(text, step)


def _pair(staged: str, last: str, spine: bool) -> tuple[str, str]:
    return (staged, last) if spine else (last, staged)


def _chains(text: Text, step: Callable[[str, int], str]) -> None:
    """Some chains side by side, none of them too long."""
    text.stage(max(3, min(len(STAGING), text.size // 6)))
    many = max(1, -(-text.left // (MOST_DEPTH // 2)))
    ends = [text.next_staged() for _ in range(many)]
    turn = 0
    while text.left:
        place = turn % many
        ends[place] = step(ends[place], turn // many + 1)
        turn += 1


def unions(text: Text) -> None:
    """Unions of ten branches, stacked: each is read as rows with one id each, by the next."""
    text.stage(max(3, min(len(STAGING), text.size // 4)))
    last, turn = text.next_staged(), 0
    while text.left > 1:
        if turn == MOST_DEPTH // 2 - 2:
            last, turn = text.next_staged(), 0
        names = list(dict.fromkeys([last, text.next_staged(), text.rng.choice(text.staged)]))
        union = text.over(names, steps.union_of(text.rng, names))
        last, turn = text.step((steps.one_row_each,), union), turn + 1
    if text.left:
        text.step((steps.scored,), last)


def wide(text: Text) -> None:
    """One report that joins up to twenty aggregates, each over some CTEs of its own."""
    text.stage(max(2, min(len(STAGING), text.size // 6)))
    many = min(MOST_JOINED, max(2, text.left // 2))
    ends = [text.next_staged()] * many
    for n in range(text.left):
        place, left = n % many, text.left
        if left <= many:
            ends[place] = text.step((steps.grouped, steps.distinct_groups), ends[place])
        elif n < many:
            ends[place] = text.merge(CHAIN_BINARY, text.next_staged(), text.rng.choice(text.staged))
        else:
            ends[place] = text.step(UNARY, ends[place])


def mixed(text: Text) -> None:
    """Anything over anything, mostly over what is new."""
    text.stage(max(3, text.size // 6))
    while text.left:
        names = [name for name in text.depths if text.depths[name] < MOST_DEPTH - 1]
        a = text.rng.choice(text.unread() or names)
        a = a if text.depths[a] < MOST_DEPTH - 1 else text.rng.choice(names)
        b = text.rng.choice(names[-12:])
        if a == b or text.rng.random() < 0.4:
            text.step(UNARY, a)
        else:
            text.merge(BINARY, a, b)


FAMILIES: Final[Mapping[str, Callable[[Text], None]]] = {
    "chain": chain,
    "diamond": diamond,
    "fan": fan,
    "windows": windows,
    "outer": outer,
    "aggregates": aggregates,
    "unions": unions,
    "wide": wide,
    "mixed": mixed,
}


def large_query(family: str, ctes: int, seed: int) -> str:
    """The query of a family with so many CTEs; every one of them is read."""
    return made(family, ctes, seed).finish()


def made(family: str, ctes: int, seed: int) -> Text:
    text = Text(random.Random(f"{family} {ctes} {seed}"), ctes)
    FAMILIES[family](text)
    return text

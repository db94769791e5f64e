"""Which results to write down because several statements read them: greedy, then whatever still improves.

First what the plan computes several times, and what pays by itself; then, as long as anything helps, cheap changes
before dear ones: goals dropped, single goals added by lazy greedy, goals made elsewhere, copies, groups for what pays
only together, exchanges.
A change is made on a fork of the book and kept only if the whole plan becomes cheaper. The search ends when all these
have failed on the same plan: so what was refused is tried again whenever anything else has changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush
from itertools import combinations

from tidewheel.optimize.search.draft import Draft, complete
from tidewheel.optimize.search.moves import (
    Move,
    copies,
    drops,
    imagined_group,
    input_groups,
    relocations,
    repeated_goals,
    repeated_group,
    sharable_goals,
    single_adds,
)
from tidewheel.optimize.search.options import SearchOptions
from tidewheel.optimize.search.settle import UNMADE, Setting


class OutOfBudgetError(Exception):
    """No more evaluations may be made; never leaves this module."""


class SharingSearch:
    """The search's progress: the best plan so far, and how many sets of materializations were priced."""

    def __init__(self, draft: Draft, options: SearchOptions) -> None:
        self.draft = draft
        self.options = options
        self.evaluations = self._effort = 0
        self._most_effort = options.most_effort
        self.goals = sharable_goals(draft.book)
        self._sharable = frozenset(self.goals)
        self._promise: dict[Move, float] = {}
        self._readers_of: Draft | None = None  # the draft of which `_read_by` says who reads what
        self._read_by: dict[int, set[int]] = {}

    def run(self) -> str | None:
        """Improve the plan until nothing helps; the reason if it stopped before that."""
        steps = (  # what gains most for its evaluations comes first, what rarely helps last
            self._drop,
            self._add_near,
            self._relocate,
            self._add_all,
            self._copy,
            self._add_groups,
            self._imagine,
            self._exchange,
        )
        try:
            self._share_repeated()
            self._most_effort = self.options.effort(self.draft.total)
            self._add_all()
            while any(self._gains(step) for step in steps):
                pass
        except OutOfBudgetError:
            return f"stopped after {self.evaluations} evaluations"
        return None

    def _gains(self, step: Callable[[], None]) -> bool:
        """Make a step; whether it saved enough for all others to be tried again."""
        before = self.draft.total
        step()
        return before - self.draft.total > self.options.least_share * before

    def _add_near(self) -> None:
        self._add_singles(self._near(self.options.near_singles))

    def _add_all(self) -> None:
        self._add_singles(single_adds(self.draft, self.goals))

    def _relocate(self) -> None:
        self._adjust(relocations(self.draft))

    def _copy(self) -> None:
        self._adjust(copies(self.draft))

    def _near(self, width: int) -> list[Move]:
        """The most promising goals that are not materialized, by what they promised when last looked at."""
        place = self.draft.book.place
        fresh = [move for move in self._promise if place[move[0].goal] == UNMADE]
        return sorted(fresh, key=lambda move: (-self._promise[move], move))[:width]

    def _share_repeated(self) -> None:
        """What the plan computes several times, dearest repetition first: most of the gain for few evaluations.

        Where there is much of it, all that looks worth it first, at once: what does not pay is dropped again later.
        """
        group = repeated_group(self.draft, self._sharable)
        while len(group) > self.options.most_repeated and self._keep_if_better(self._try_with_copies(group)):
            group = repeated_group(self.draft, self._sharable)
        refused: set[Move] = set()
        while True:
            repeated = [each for each in repeated_goals(self.draft, self._sharable) if each[1] not in refused]
            if not repeated:
                return
            _, move = max(repeated, key=lambda each: each[0])
            if not self._keep_if_better(self._try_with_copies(move)):
                refused.add(move)

    def _add_singles(self, moves: list[Move]) -> None:
        """Lazy greedy: the promise of a goal is looked at again only when it is the best of all.

        A promise counts what statements would save by reading the goal, less what making it costs.
        """
        promises = {move: self._look(move) for move in moves}
        self._promise |= promises
        heap = [(-promise, move) for move, promise in promises.items() if promise > self.options.least_gain]
        self._commit_best_of(heap)

    def _commit_best_of(self, heap: list[tuple[float, Move]]) -> None:
        """Make every change of the heap that still pays when its turn comes, best promise first."""
        heapify(heap)
        changed = False
        while heap:
            _, move = heappop(heap)
            if any(self.draft.book.place[setting.goal] != UNMADE for setting in move):
                continue
            promise = self._look(move) if changed else math.inf
            if promise <= self.options.least_gain:
                continue
            if heap and -heap[0][0] > promise:
                heappush(heap, (-promise, move))
            elif self._keep_if_better(self._try_with_copies(move)):
                changed = True

    def _drop(self) -> None:
        """Materialize less."""
        self._adjust(self._worth_dropping(self.draft))

    def _worth_dropping(self, draft: Draft, keep: int | None = None) -> list[Move]:
        """Goals that the plan may be cheaper without, but for one to keep; where there are many, by a look at each."""
        moves = [move for move in drops(draft) if move[0].goal != keep]
        if len(moves) <= self.options.most_repeated:
            return moves
        return [move for move in moves if self._look_without(draft, move[0].goal) > self.options.least_gain]

    def _adjust(self, moves: list[Move]) -> None:
        """Change what is materialized, one goal at a time, wherever that helps."""
        for move in moves:
            if self.draft.book.place[move[0].goal] != UNMADE:
                self._keep_if_better(self._try(move, limit=self.draft.total))

    def _add_groups(self) -> None:
        """Inputs of one alternative together; and the most promising singles, none of which pays alone, in pairs."""
        groups = input_groups(self.draft, self._sharable)
        near = self._near(self.options.pair_width)
        groups += [one + two for one, two in combinations(near, 2) if one[0].goal != two[0].goal]
        promising = [(-promise, move) for move in groups if (promise := self._look(move)) > self.options.least_gain]
        self._commit_best_of(promising)

    def _imagine(self) -> None:
        """Groups of any size, from imagined audiences; what does not pay in one is dropped before it is judged."""
        for audience in self.options.audiences:
            move = imagined_group(self.draft, self.goals, audience)
            if move and self._keep_if_better(self._trim(self._try(move))):
                return

    def _exchange(self) -> None:
        """Add one of the most promising goals that do not pay, and drop what it may have replaced."""
        for move in self._near(self.options.pair_width):
            if self._keep_if_better(self._trim(self._try(move), keep=move[0].goal)):
                return

    def _trim(self, draft: Draft, keep: int | None = None) -> Draft:
        """Without the goals that the plan is cheaper without, but for one to keep."""
        for move in self._worth_dropping(draft, keep):
            if draft.book.place[move[0].goal] != UNMADE:
                without = self._try(move, draft, draft.total)
                if without.total < draft.total:
                    draft = without
        return draft

    def _keep_if_better(self, draft: Draft) -> bool:
        if draft.total >= self.draft.total - self.options.least_gain:
            return False
        self.draft = draft
        return True

    def _try(self, move: Move, draft: Draft | None = None, limit: float = math.inf) -> Draft:
        """The plan after a move from the given draft, by default the best so far; impossible if dearer than `limit`."""
        draft = draft or self.draft
        movable = set(draft.unread_roots())
        for goal, place, _ in move:
            if place == UNMADE:
                movable.update(draft.readers(goal))
        moved = {setting.goal for setting in move}
        self._count(len(draft.expressions))
        book = draft.book.fork()
        book.apply(move)
        return complete(book, draft, sorted(movable - moved), limit)

    def _try_with_copies(self, move: Move) -> Draft:
        """The better of two: goals that several want at the other place are copied there, or each reader decides."""
        draft = self._try(move, limit=self.draft.total)
        if not any(draft.book.copied[setting.goal] for setting in move):
            return draft
        bare = self._try(tuple(setting._replace(copied=False) for setting in move), limit=self.draft.total)
        return bare if bare.total < draft.total else draft

    def _look(self, move: Move) -> float:
        """What the present statements save if the goals of the move can be read, less what making those costs.

        A statement that is there for others is saved whole if all its readers have changed: they may not need it now.
        """
        self._count(1)
        book, expressions = self.draft.book, self.draft.expressions
        fixed, roots = book.tariff.fixed, book.tariff.roots
        with book.trial(move) as changed:
            cheaper = {goal: extra for goal, extra in _extras(self.draft, changed) if extra < 0}
            saved = -sum(cheaper.values())
            for goal in sorted(self._read_only_by(cheaper.keys())):
                if goal not in roots:
                    saved += book.make[expressions[goal].node] + fixed[expressions[goal].node]
            for goal, place, _ in move:
                saved -= book.make[2 * goal + place] + fixed[2 * goal + place]
        return saved if cheaper else 0.0

    def _look_without(self, draft: Draft, goal: int) -> float:
        """What is saved if a goal is not materialized, less what its readers pay then; they may do better still."""
        self._count(1)
        book, node = draft.book, draft.expressions[goal].node
        saved = book.make[node] + book.tariff.fixed[node]
        with book.trial((Setting(goal, UNMADE),)) as changed:
            return saved - sum(extra for other, extra in _extras(draft, changed) if other != goal)

    def _read_only_by(self, some: AbstractSet[int]) -> set[int]:
        """What is materialized for these and nobody else, in the present plan."""
        if self._readers_of is not self.draft:
            self._readers_of, self._read_by = self.draft, {}
            for goal, each in self.draft.expressions.items():
                for node in each.reads:
                    self._read_by.setdefault(node >> 1, set()).add(goal)
        below = {node >> 1 for goal in some for node in self.draft.expressions[goal].reads}
        return {goal for goal in below if self._read_by[goal] <= some}

    def _count(self, statements: int) -> None:
        """One more evaluation, of so many statements."""
        if self.evaluations >= self.options.most_evaluations or self._effort >= self._most_effort:
            raise OutOfBudgetError
        self.evaluations += 1
        self._effort += statements


def _extras(draft: Draft, changed: Mapping[int, float]) -> Iterator[tuple[int, float]]:
    """The statements that cost something else than before, and how much more."""
    tariff, make = draft.book.tariff, draft.book.make
    for goal in sorted({node >> 1 for node in changed} & draft.expressions.keys()):
        here = draft.expressions[goal].node
        before, now = changed.get(here, make[here]), make[here]
        if goal in tariff.roots:
            now = min(now, make[here ^ 1] + tariff.fixed[here ^ 1] - tariff.fixed[here])
        if now != before:
            yield goal, tariff.weight[goal] * (now - before)

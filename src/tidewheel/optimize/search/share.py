"""Which results to write down because several statements read them: greedy, then whatever still improves.

First what the plan computes several times; then, as long as anything helps, cheap changes before dear ones: goals
dropped, single goals added by lazy greedy, goals made elsewhere, copies, groups for what pays only together, exchanges.
A change is made on a fork of the book and kept only if the whole plan becomes cheaper. The search ends when all these
have failed on the same plan: so what was refused is tried again whenever anything else has changed.
"""

from __future__ import annotations

import math
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
    sharable_goals,
    single_adds,
)
from tidewheel.optimize.search.options import PlannerOptions
from tidewheel.optimize.search.settle import UNMADE, Book, Setting


class OutOfBudgetError(Exception):
    """No more evaluations may be made; never leaves this module."""


class Sharing:
    """The search's progress: the best plan so far, and how many sets of materializations were priced."""

    def __init__(self, draft: Draft, options: PlannerOptions) -> None:
        self.draft = draft
        self.options = options
        self.evaluations = 0
        self.goals = sharable_goals(draft.book)
        self._sharable = frozenset(self.goals)
        self._promise: dict[Move, float] = {}
        self._readers_of: Draft | None = None
        self._read_by: dict[int, set[int]] = {}

    def run(self) -> str | None:
        """Improve the plan until nothing helps; the reason if it stopped before that."""
        try:
            self._share_repeated()
            while self._change_little() or self._add_all() or self._look_further():
                pass
        except OutOfBudgetError:
            return f"stopped after {self.evaluations} evaluations"
        return None

    def _change_little(self) -> bool:
        """What gains most for its evaluations, in that order."""
        return (
            self._adjust(drops(self.draft))
            or self._add_singles(self._near(self.options.near_singles))
            or self._adjust(relocations(self.draft))
        )

    def _add_all(self) -> bool:
        return self._add_singles(single_adds(self.draft, self.goals))

    def _look_further(self) -> bool:
        """What rarely helps, or takes many evaluations: tried when nothing else does."""
        return self._adjust(copies(self.draft)) or self._add_groups() or self._imagine() or self._exchange()

    def _near(self, width: int) -> list[Move]:
        """The most promising goals that are not materialized, by what they promised when last looked at."""
        place = self.draft.book.place
        fresh = [move for move in self._promise if place[move[0].goal] == UNMADE]
        return sorted(fresh, key=lambda move: (-self._promise[move], move))[:width]

    def _share_repeated(self) -> None:
        """What the plan computes several times, dearest repetition first: most of the gain for few evaluations."""
        refused: set[Move] = set()
        while True:
            repeated = [each for each in repeated_goals(self.draft, self._sharable) if each[1] not in refused]
            if not repeated:
                return
            _, move = max(repeated, key=lambda each: each[0])
            if not self._keep_if_better(self._try_with_copies(move)):
                refused.add(move)

    def _add_singles(self, moves: list[Move]) -> bool:
        """Lazy greedy: the promise of a goal is looked at again only when it is the best of all.

        A promise counts what statements would save by reading the goal, less what making it costs.
        """
        promises = {move: self._look(move) for move in moves}
        self._promise |= promises
        heap = [(-promise, move) for move, promise in promises.items() if promise > self.options.least_gain]
        return self._commit_best_of(heap)

    def _commit_best_of(self, heap: list[tuple[float, Move]]) -> bool:
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
        return changed

    def _adjust(self, moves: list[Move]) -> bool:
        """Change what is materialized, one goal at a time, wherever that helps."""
        changed = False
        for move in moves:
            if self.draft.book.place[move[0].goal] == UNMADE:
                continue
            changed |= self._keep_if_better(self._try(move, limit=self.draft.total))
        return changed

    def _add_groups(self) -> bool:
        """Inputs of one alternative together; and the most promising singles, none of which pays alone, in pairs."""
        groups = input_groups(self.draft, self._sharable)
        near = self._near(self.options.pair_width)
        groups += [one + two for one, two in combinations(near, 2) if one[0].goal != two[0].goal]
        promising = [(-promise, move) for move in groups if (promise := self._look(move)) > self.options.least_gain]
        return self._commit_best_of(promising)

    def _imagine(self) -> bool:
        """Groups of any size, from imagined audiences; what does not pay in one is dropped before it is judged."""
        for audience in self.options.audiences:
            move = imagined_group(self.draft, self.goals, audience)
            if move and self._keep_if_better(self._trim(self._try(move))):
                return True
        return False

    def _exchange(self) -> bool:
        """Add one of the most promising goals that do not pay, and drop what it may have replaced."""
        near = self._near(self.options.pair_width)
        return any(self._keep_if_better(self._trim(self._try(move), keep=move[0].goal)) for move in near)

    def _trim(self, draft: Draft, keep: int | None = None) -> Draft:
        """Without the goals that the plan is cheaper without, but for one to keep."""
        for goal in sorted(set(draft.expressions) - {*draft.book.tariff.roots, keep}):
            if draft.book.place[goal] != UNMADE:
                without = self._try((Setting(goal, UNMADE),), draft, draft.total)
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
        return complete(self._forked(draft, move), draft, sorted(movable - moved), limit)

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
        draft = self.draft
        book = self._forked(draft, move)
        fixed, weight, roots = book.tariff.fixed, book.tariff.weight, book.tariff.roots
        saved = 0.0
        changed: set[int] = set()
        for goal, each in draft.expressions.items():
            here = each.node
            before, now = draft.book.make[here], book.make[here]
            if goal in roots:
                now = min(now, book.make[here ^ 1] + fixed[here ^ 1] - fixed[here])
            if now < before:
                changed.add(goal)
                saved += weight[goal] * (before - now)
        if not changed:
            return 0.0
        for goal, readers in self._readers().items():
            if readers <= changed:
                saved += book.make[draft.expressions[goal].node] + fixed[draft.expressions[goal].node]
        for goal, place, _ in move:
            saved -= book.make[2 * goal + place] + fixed[2 * goal + place]
        return saved

    def _readers(self) -> dict[int, set[int]]:
        """Who reads what is materialized and no root, in the present plan."""
        if self._readers_of is not self.draft:
            self._readers_of = self.draft
            self._read_by = {goal: set() for goal in self.draft.expressions if goal not in self.draft.book.tariff.roots}
            for goal, each in self.draft.expressions.items():
                for node in each.reads:
                    if node >> 1 in self._read_by:
                        self._read_by[node >> 1].add(goal)
        return self._read_by

    def _forked(self, draft: Draft, move: Move) -> Book:
        if self.evaluations >= self.options.most_evaluations:
            raise OutOfBudgetError
        self.evaluations += 1
        book = draft.book.fork()
        book.apply(move)
        return book

"""A set of materialized goals priced as a whole: which statement reads what, what that costs, and that it has an order.

The book prices each statement as if every materialized goal could be read. That is the least each can cost; if the
reads so chosen have no cycle it is the optimum for this set. A knot of cycles is cut by letting one of its members go
first, without reading the others: the one with which the whole becomes least dear.

    new <- old + delta      delta <- new - old      (both materialized, both cheapest by reading the other)
    delta first, from its inputs: +2;  new first, recomputed: +60      =>  delta goes first, new reads it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from tidewheel.optimize.search.cycles import find_knot
from tidewheel.optimize.search.settle import UNMADE, Book, Setting


@dataclass(frozen=True, slots=True)
class Expression:
    """How one statement computes its goal: `book` holds the arcs of all that is inline below `node`.

    `reads` are the nodes it reads; `implied` those of them that cannot be read yet, and `copies` those that
    lie at the other place and are not yet copied: both are counted on by the price, so that both have to be done.
    """

    node: int
    book: Book
    reads: tuple[int, ...]
    implied: tuple[int, ...]
    copies: tuple[int, ...]

    @property
    def seconds(self) -> float:
        return self.book.make[self.node]

    def arcs(self) -> dict[int, int]:
        """The arc of the statement's own node, and those of all nodes that are inline below it."""
        inputs, how = self.book.structure.inputs, self.book.how
        arcs = {self.node: self.book.best[self.node]}
        stack = [self.node]
        while stack:
            for each in inputs[arcs[stack.pop()]]:
                if how[each] >= 0 and each not in arcs:
                    arcs[each] = how[each]
                    stack.append(each)
        return arcs

    def inline_uses(self) -> dict[int, int]:
        """How often each node below the statement's own is computed; consumers are dearer, so they come first."""
        arcs, inputs = self.arcs(), self.book.structure.inputs
        times = dict.fromkeys(arcs, 0)
        times[self.node] = 1
        for node in sorted(arcs, key=lambda each: (-self.book.make[each], each)):
            for each in inputs[arcs[node]]:
                if each in times:
                    times[each] += times[node]
        del times[self.node]
        return times


@dataclass(frozen=True, slots=True)
class Draft:
    """A complete plan: expressions by materialized goal; `total` is `math.inf` if some root cannot be computed."""

    book: Book
    expressions: Mapping[int, Expression]
    total: float

    def unread_roots(self) -> list[int]:
        read = {node >> 1 for each in self.expressions.values() for node in each.reads}
        return [root for root in self.book.tariff.roots if root not in read]

    def readers(self, goal: int) -> list[int]:
        return [each for each in self.expressions if any(node >> 1 == goal for node in self.expressions[each].reads)]


def complete(book: Book, base: Draft | None = None, movable: Iterable[int] = (), limit: float = math.inf) -> Draft:
    """Turn the book's materializations into a plan, with roots that nobody reads at the places where they are cheapest.

    A second plan starts with the `movable` goals where they are cheaper now, and the better one is taken. In the first
    they may have had what they count on made for them: a goal that is needed only by a statement at the wrong place.
    A plan that would cost at least `limit` need not be completed, and counts as impossible. The book was forked from
    that of the `base`, so that most expressions are still what they were there.
    """
    other_start = _with_moved(book, movable)
    draft = _improved(_complete(book, base, limit))
    if other_start is None:
        return draft
    other = _improved(_complete(other_start, base, min(limit, draft.total)))
    return other if other.total < draft.total else draft


def _improved(draft: Draft) -> Draft:
    """The draft, with unread roots moved as long as that helps."""
    while draft.expressions:
        moved = _with_moved(draft.book, draft.unread_roots())
        if moved is None or (other := _complete(moved, draft, draft.total)).total >= draft.total:
            break
        draft = other
    return draft


def _complete(book: Book, base: Draft | None, limit: float) -> Draft:
    """Turn the book's materializations into a plan, and the book into what that plan materializes.

    Goals that nobody reads are released, goals and copies that the prices count on are added, each once for all its
    readers; that makes others cheaper, so the expressions are taken again until nothing is added.
    """
    while True:
        expressions = _expressions(book, base, limit)
        if expressions is None:
            return Draft(book, {}, math.inf)
        if not _adopt(book, expressions.values()):
            break
    _release_unread(book, expressions)
    return priced(book, expressions)


def express(book: Book, node: int) -> Expression:
    """The cheapest computation of the node, down to what it reads."""
    inputs, how, best, place, copied = book.structure.inputs, book.how, book.best, book.place, book.copied
    seen: set[int] = set()
    reads: list[int] = []
    stack = list(inputs[best[node]])
    while stack:
        each = stack.pop()
        if each in seen:
            continue
        seen.add(each)
        if how[each] >= 0:
            stack += inputs[how[each]]
        else:
            reads.append(each)
    reads.sort()
    made_elsewhere = (each for each in reads if place[each >> 1] == (each & 1) ^ 1)
    return Expression(
        node=node,
        book=book,
        reads=tuple(reads),
        implied=tuple(each for each in reads if book.offer[each] == math.inf),
        copies=tuple(each for each in made_elsewhere if not copied[each >> 1]),
    )


def _expressions(book: Book, base: Draft | None, limit: float) -> dict[int, Expression] | None:
    """Expressions of all goals that the roots need, free of cycles; None if there are none that cost less than `limit`.

    In every order some member of a knot goes first and reads none of the others. Which one is searched best first, by
    the sum of the extras so far; after `most_cuts` of them only the last one's followers are looked at.
    """
    open_cuts: list[tuple[float, int, dict[int, Expression]]] = [(0.0, 0, {})]
    cheapest: dict[int, Expression | None] = {}
    cuts = 0
    while open_cuts:
        extra, _, decided = heappop(open_cuts)
        needed = _needed(book, base, decided, cheapest)
        if needed is None:
            continue
        knot = find_knot({goal: [node >> 1 for node in each.reads] for goal, each in needed.items()})
        if not knot:
            return needed
        is_final = not any(each.implied for each in needed.values())
        if is_final and _least_total(book, needed, knot) >= limit:
            continue
        if cuts > book.tariff.options.most_cuts:
            open_cuts.clear()
        for goal in knot:
            barred = decided[goal].book if goal in decided else book
            first = _without(barred, needed[goal].node, knot)
            if first:
                cuts += 1
                dearer = book.tariff.weight[goal] * (first.seconds - needed[goal].seconds)
                heappush(open_cuts, (extra + dearer, cuts, {**decided, goal: first}))
    return None


def _needed(
    book: Book, base: Draft | None, decided: Mapping[int, Expression], cheapest: dict[int, Expression | None]
) -> dict[int, Expression] | None:
    """Expressions of the roots and of all goals that they read, directly or not, those to be made for them included.

    `cheapest` remembers by node those that are not decided: they are the same however knots are cut.
    """
    needed: dict[int, Expression] = {}
    stack = [2 * root for root in book.tariff.roots]
    while stack:
        read = stack.pop()
        goal = read >> 1
        if goal in needed:
            continue
        expression = decided.get(goal)
        if expression is None:
            node = 2 * goal + _place_to_make(book, read)
            if node not in cheapest:
                cheapest[node] = _unchanged(book, base, node) or _unlike_itself(book, node)
            expression = cheapest[node]
        if expression is None:
            return None
        needed[goal] = expression
        stack += expression.reads
    return needed


def _unchanged(book: Book, base: Draft | None, node: int) -> Expression | None:
    """The expression that the base has for the node, if it is as cheap as any and all it reads is still offered so.

    One that was made to cut a knot is dearer than what the book has, unless the knot takes nothing to cut.
    """
    old = base.expressions.get(node >> 1) if base else None
    if old is None or old.node != node or old.book.make[node] != book.make[node]:
        return None
    offer, before = book.offer, old.book.offer
    for each in old.reads:
        if offer[each] != before[each]:
            return None
    return old


def _unlike_itself(book: Book, node: int) -> Expression | None:
    """The cheapest expression of the node that does not read its own goal; None if there is none."""
    if book.make[node] == math.inf:
        return None
    expression = express(book, node)
    return _without(book, node, (node >> 1,)) if node in expression.reads else expression


def _seconds(book: Book, node: int) -> float:
    """Seconds to compute the node without reading its own goal."""
    expression = _unlike_itself(book, node)
    return expression.seconds if expression else math.inf


def _without(book: Book, node: int, barred: Iterable[int]) -> Expression | None:
    """The node's cheapest expression that reads none of the barred goals; None if there is none."""
    other = book.fork()
    other.bar(barred)
    return express(other, node) if other.make[node] < math.inf else None


def _adopt(book: Book, expressions: Collection[Expression]) -> bool:
    """Materialize and copy what the expressions count on; whether there was any."""
    copied = {node >> 1 for each in expressions for node in each.copies}
    adopted: dict[int, Setting] = {}
    for node in sorted({node for each in expressions for node in each.implied}):
        if node >> 1 not in adopted:  # unless it was implied at the other place as well
            adopted[node >> 1] = Setting(node >> 1, _place_to_make(book, node), node >> 1 in copied)
    for goal in sorted(copied - adopted.keys()):
        adopted[goal] = Setting(goal, book.place[goal], copied=True)
    book.apply(adopted.values())
    return bool(adopted)


def _with_moved(book: Book, movable: Iterable[int]) -> Book | None:
    """A book in which the given goals are made where that is cheaper; None if all are there already.

    Goals that are no roots have readers where they are now, to whom they have to be brought; and what is made from them
    may look like a cheap way to make them. Roots are rarely read, so for them the book's price is good enough.
    """
    fixed, transfer, roots = book.tariff.fixed, book.tariff.transfer, book.tariff.roots
    better: list[int] = []
    for goal in movable:
        here = 2 * goal + book.place[goal]
        there = here ^ 1
        if goal in roots:
            gain = book.make[here] + fixed[here] - book.make[there] - fixed[there]
        else:
            gain = _seconds(book, here) + fixed[here] - _seconds(book, there) - fixed[there] - transfer[here]
        if gain > 0:
            better.append(there)
    if not better:
        return None
    moved = book.fork()
    for node in better:
        moved.move(node >> 1, node & 1)
    return moved


def _release_unread(book: Book, expressions: Mapping[int, Expression]) -> None:
    """Forget goals without an expression and copies without a reader: they are not paid for, so they are no offers."""
    read = {node for each in expressions.values() for node in each.reads}
    released: list[Setting] = []
    for goal, place in enumerate(book.place):
        if place == UNMADE:
            continue
        if goal not in expressions:
            released.append(Setting(goal, UNMADE))
        elif book.copied[goal] and 2 * goal + 1 - place not in read:
            released.append(Setting(goal, place))
    book.apply(released)


def _place_to_make(book: Book, node: int) -> int:
    """Where the goal is made, or, if that is open, where making, writing and bringing it to the node is cheapest."""
    if book.place[node >> 1] != UNMADE:
        return book.place[node >> 1]
    tariff, there = book.tariff, node ^ 1
    here = book.make[node] + tariff.made_here[node]
    return node & 1 if here <= book.make[there] + tariff.detour[node] else there & 1


def _least_total(book: Book, needed: Mapping[int, Expression], knot: Iterable[int]) -> float:
    """What the statements cost at least that are needed however the knot is cut.

    Members of the knot will read something else, so what only they read does not count.
    """
    tariff = book.tariff
    surely = set(tariff.roots)
    stack = [root for root in tariff.roots if root not in knot]
    while stack:
        for node in needed[stack.pop()].reads:
            if node >> 1 not in surely:
                surely.add(node >> 1)
                if node >> 1 not in knot:
                    stack.append(node >> 1)
    return sum(tariff.weight[goal] * (needed[goal].seconds + tariff.fixed[needed[goal].node]) for goal in surely)


def priced(book: Book, expressions: Mapping[int, Expression]) -> Draft:
    """The plan of these expressions, free of cycles, all of whose reads are materialized by the book."""
    tariff = book.tariff
    total = 0.0
    for goal in sorted(expressions):
        each = expressions[goal]
        total += tariff.weight[goal] * (each.seconds + tariff.fixed[each.node])
    copied = {node for each in expressions.values() for node in each.reads if book.place[node >> 1] != node & 1}
    return Draft(book, expressions, total + sum(tariff.transfer[node] for node in sorted(copied)))

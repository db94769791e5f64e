"""Changes of a draft that the search tries: goals to materialize, to move, to copy or to drop."""

from __future__ import annotations

import math
from itertools import combinations

from tidewheel.optimize.search.draft import Draft, express
from tidewheel.optimize.search.settle import UNMADE, Book, Setting

Move = tuple[Setting, ...]


def consumers(book: Book) -> dict[int, list[int]]:
    """The roots and all goals below them, each with those that can be computed from it, once for each use."""
    structure, work = book.structure, book.tariff.work
    found: dict[int, list[int]] = {root: [] for root in book.tariff.roots}
    stack = list(found)
    while stack:
        goal = stack.pop()
        for arc in structure.arcs[2 * goal]:
            if work[arc] == math.inf and work[arc + 1] == math.inf:
                continue
            for node in structure.inputs[arc]:
                if node >> 1 not in found:
                    found[node >> 1] = []
                    stack.append(node >> 1)
                found[node >> 1].append(goal)
    return found


def sharable_goals(book: Book) -> tuple[int, ...]:
    """Goals below the roots that may be materialized and that some plan might use more than once.

    Several ways up lead to such a goal, or one way that leads to such a goal, or to a root that weighs more than once.
    """
    above = consumers(book)
    weight, may = book.tariff.weight, book.tariff.may
    several = {goal for goal, users in above.items() if len(users) > 1 or weight[goal] > 1}
    below: dict[int, list[int]] = {}
    for goal, users in above.items():
        for each in users:
            below.setdefault(each, []).append(goal)
    stack = list(several)
    while stack:
        for each in below.get(stack.pop(), ()):
            if each not in several:
                several.add(each)
                stack.append(each)
    return tuple(goal for goal in sorted(several) if may[goal])


def repeated_goals(draft: Draft, goals: frozenset[int]) -> list[tuple[float, Move]]:
    """Goals that the plan computes inline more than once, and what writing them down would save, all else unchanged.

    Inside `daily <- joined * joined` and beside `weekly <- joined`, `joined` is computed three times: written down, it
    is made once, written once and read three times.
    """
    times: dict[int, float] = {}
    for goal, each in draft.expressions.items():
        for node, count in each.inline_uses(draft.book.structure).items():
            times[node] = times.get(node, 0.0) + count * draft.book.tariff.weight[goal]
    make, tariff = draft.book.make, draft.book.tariff
    return [
        (saved, (Setting(node >> 1, node & 1, copied=True),))
        for node, count in sorted(times.items())
        if node >> 1 in goals
        and (saved := count * (make[node] - tariff.read[node]) - make[node] - tariff.fixed[node]) > 0
    ]


def repeated_group(draft: Draft, goals: frozenset[int]) -> Move:
    """What the plan computes more than once, decided in one pass from the statements down.

    What is made once for all its readers uses its inputs once. Inside `daily <- joined`, `weekly <- joined` and
    `joined <- orders` only `joined` is proposed: `orders`, which the plan computes twice as well, is used once then.
    """
    tariff, make = draft.book.tariff, draft.book.make
    arcs = {node: arc for each in draft.expressions.values() if each.book is None for node, arc in each.arcs.items()}
    times = {each.node: tariff.weight[goal] for goal, each in draft.expressions.items() if each.book is None}
    statements = set(times)
    chosen: list[Setting] = []
    for node in sorted(arcs, key=lambda each: (-make[each], each)):  # consumers are dearer than what they are made from
        count = times.get(node, 0.0)
        saved = count * (make[node] - tariff.read[node]) - make[node] - tariff.fixed[node]
        if node not in statements and node >> 1 in goals and saved > 0:
            chosen.append(Setting(node >> 1, node & 1, copied=True))
            count = 1.0
        for each in draft.book.structure.inputs[arcs[node]]:
            times[each] = times.get(each, 0.0) + count
    return tuple(sorted(chosen))


def single_adds(draft: Draft, goals: tuple[int, ...]) -> list[Move]:
    """Materialize one goal, at one place."""
    book = draft.book
    return [
        (Setting(goal, place, copied=True),)
        for goal in goals
        if book.place[goal] == UNMADE
        for place in (0, 1)
        if book.make[2 * goal + place] < math.inf
    ]


def drops(draft: Draft) -> list[Move]:
    """Materialize one goal less."""
    roots = draft.book.tariff.roots
    return [(Setting(goal, UNMADE),) for goal in sorted(draft.expressions) if goal not in roots]


def relocations(draft: Draft) -> list[Move]:
    """Make one materialized goal at the other place."""
    book = draft.book
    nodes = [2 * goal + 1 - book.place[goal] for goal in sorted(draft.expressions)]
    return [(Setting(node >> 1, node & 1),) for node in nodes if book.make[node] < math.inf]


def copies(draft: Draft) -> list[Move]:
    """Copy one goal to the place where it is not made, or make it there and copy it here; let one root be read.

    A single reader pays for a copy if it is worth it; this is for what only several readers together would pay for.
    """
    book = draft.book
    moves: list[Move] = [(move[0]._replace(copied=True),) for move in relocations(draft)]
    for goal in sorted(draft.expressions):
        if book.offer[2 * goal + book.place[goal]] == math.inf:
            moves.append((Setting(goal, book.place[goal]),))
        if not book.copied[goal]:
            moves.append((Setting(goal, book.place[goal], copied=True),))
    return moves


def input_groups(draft: Draft, goals: frozenset[int]) -> list[Move]:
    """All inputs of one alternative together, and its inputs two by two, where it could win if they were shared."""
    book, structure = draft.book, draft.book.structure
    groups: dict[Move, None] = {}
    for arc, inputs in enumerate(structure.inputs):
        fresh = [node for node in dict.fromkeys(inputs) if node >> 1 in goals and book.place[node >> 1] == UNMADE]
        if len(fresh) < 2 or not _could_win(book, arc, fresh):
            continue
        groups[tuple(Setting(node >> 1, node & 1, copied=True) for node in fresh)] = None
        if len(fresh) > 2:
            for pair in combinations(fresh, 2):
                groups[tuple(Setting(node >> 1, node & 1, copied=True) for node in pair)] = None
    return list(groups)


def _could_win(book: Book, arc: int, fresh: list[int]) -> bool:
    """Whether the arc would be its goal's cheapest if the given inputs could be read, computed for nothing."""
    node = book.structure.owner[arc]
    if any(book.make[each] == math.inf for each in fresh):
        return False
    saved = sum(max(0.0, book.use[each] - book.tariff.read[each]) for each in fresh)
    return book.price(arc) - saved < book.make[node]


def imagined_group(draft: Draft, goals: tuple[int, ...], audience: float) -> Move:
    """What the plan would read if each goal's making and writing were divided among so many readers.

    With three goals `z <- x * y [1]`, where x and y cost 8 each and the other way to a z costs 10, neither x nor y
    alone saves anything; at an audience of 2 both look like 4, `x * y` looks like 9, and both are proposed together.
    """
    book, tariff = draft.book.fork(), draft.book.tariff
    offers: list[tuple[int, float]] = []
    maker: dict[int, int] = {}
    for goal in goals:
        if book.place[goal] != UNMADE:
            continue
        made = [book.make[node] + tariff.fixed[node] for node in (2 * goal, 2 * goal + 1)]
        maker[goal] = 0 if made[0] <= made[1] else 1
        for place in (0, 1):
            node = 2 * goal + place
            seconds = made[maker[goal]] + (0.0 if place == maker[goal] else tariff.transfer[node])
            offers.append((node, tariff.read[node] + seconds / audience))
    book.set_offers(offers)
    wanted: dict[int, None] = {}
    stack = sorted(draft.expressions)
    while stack:
        goal = stack.pop()
        place = book.place[goal] if book.place[goal] != UNMADE else maker.get(goal, UNMADE)
        if place == UNMADE or book.best[2 * goal + place] < 0:
            continue
        for node in express(book, 2 * goal + place).reads:
            if node >> 1 in maker and node >> 1 not in wanted:
                wanted[node >> 1] = None
                stack.append(node >> 1)
    return tuple(Setting(goal, maker[goal]) for goal in sorted(wanted))

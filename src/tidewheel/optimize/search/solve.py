"""The search as a whole: settle, choose places of the roots, share, and write the choice down."""

from __future__ import annotations

import math

from tidewheel.optimize.search.choice import Choice, ChosenStatement, Transfer
from tidewheel.optimize.search.cycles import order_of
from tidewheel.optimize.search.draft import Draft, Expression, complete
from tidewheel.optimize.search.exact import Exact
from tidewheel.optimize.search.options import SearchOptions
from tidewheel.optimize.search.problem import PLACES, Problem
from tidewheel.optimize.search.settle import Book, Setting
from tidewheel.optimize.search.share import SharingSearch
from tidewheel.optimize.search.structure import Structure
from tidewheel.optimize.search.tariff import Tariff


def search(
    problem: Problem,
    states: frozenset[str],
    options: SearchOptions | None = None,
    structure: Structure | None = None,
) -> Choice:
    """The cheapest plan found that computes and writes every root, if the given optional states exist.

    Pure: the same input gives the same choice, whatever order the goals are in. For another search over the same goals
    and alternatives with other costs, states or roots, hand over the `Structure` that was built for the first.
    """
    options = options or SearchOptions()
    structure = structure or Structure.of(problem)
    tariff = Tariff.of(problem, structure, states, options)
    draft, evaluations, is_optimal, stopped = first_draft(structure, tariff), 0, False, None
    if options.share:
        exact = Exact(with_readable_roots(draft))
        is_optimal = exact.run()
        draft, evaluations = exact.draft, exact.positions
        if not is_optimal:
            sharing = SharingSearch(draft, options)
            stopped = sharing.run()
            draft, evaluations = sharing.draft, sharing.evaluations
    if draft.total == math.inf:
        stopped = "no finite plan: " + ", ".join(_impossible(problem, structure, tariff))
    return Choice(
        total=draft.total,
        statements=_statements(draft),
        transfers=_transfers(draft),
        evaluations=evaluations,
        stopped=stopped,
        use=draft.book.settled().use,
        states=states,
        is_optimal=is_optimal,
    )


def first_draft(structure: Structure, tariff: Tariff) -> Draft:
    """Every root alone, at its cheapest place: the optimum if nothing is shared.

    Roots that have to change places for each other may, placed so, wait for each other. Placed by computation alone
    they cannot: what a root counts on is computed for less than the root, and less still at its own place.
    """
    settled = Book.of(structure, tariff)
    draft = complete(_with_roots(settled, tariff.fixed))
    return draft if draft.total < math.inf else complete(_with_roots(settled, [0.0] * len(tariff.fixed)))


def _with_roots(settled: Book, fixed: list[float]) -> Book:
    """Roots at the places where computing them and `fixed` cost least; none can be read but those that must be."""
    book = settled.fork()
    for root in book.tariff.roots:
        seconds = [settled.make[node] + fixed[node] for node in (2 * root, 2 * root + 1)]
        book.place[root] = 0 if seconds[0] <= seconds[1] else 1
        if book.tariff.must[root]:
            book.materialize(root, book.place[root])
    return book


def with_readable_roots(alone: Draft) -> Draft:
    """The same plan, and every root readable by all others, if that makes it cheaper."""
    book = alone.book.fork()
    book.apply(Setting(root, book.place[root]) for root in book.tariff.roots)
    together = complete(book)
    return together if together.total <= alone.total else alone


def _impossible(problem: Problem, structure: Structure, tariff: Tariff) -> list[str]:
    """Keys of the roots that nothing computes at any place."""
    make = Book.of(structure, tariff).settled().make
    return [problem.goals[root].key for root in problem.roots if min(make[root]) == math.inf]


def _statements(draft: Draft) -> tuple[ChosenStatement, ...]:
    reads = {goal: [node >> 1 for node in each.reads] for goal, each in draft.expressions.items()}
    return tuple(_statement(draft.book, draft.expressions[goal]) for goal in order_of(reads))


def _statement(book: Book, expression: Expression) -> ChosenStatement:
    node = expression.node
    order, origin = book.structure.order, book.structure.origin
    weight = book.tariff.weight[node >> 1]
    return ChosenStatement(
        goal=order[node >> 1],
        place=PLACES[node & 1],
        alternatives=tuple(origin[arc >> 1] for arc in expression.arcs.values()),
        reads=tuple(order[each >> 1] for each in expression.reads),
        compute=weight * expression.seconds,
        write=weight * book.tariff.fixed[node],
    )


def _transfers(draft: Draft) -> tuple[Transfer, ...]:
    book = draft.book
    read = {node for each in draft.expressions.values() for node in each.reads}
    brought = sorted(node for node in read if book.place[node >> 1] != node & 1)
    order = book.structure.order
    return tuple(Transfer(order[each >> 1], PLACES[each & 1], book.tariff.transfer[each]) for each in brought)

"""Small problems of the planner's search solved exactly, and plans of any size checked, with no code of the search.

The optimum is a shortest path: a position says which goals are written, and where; a step makes one more goal from what
can be read by then, or brings one to the other place. Orders, places and acyclicity need no thought that way: what is
not there yet cannot be read.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from itertools import combinations

from tidewheel.optimize.search import Choice, ChosenStatement, Costs, Problem, SearchOptions

Position = tuple[str, ...]  # per goal: "" (not written), or the places where it lies, the first of which made it
Prices = list[list[float]]  # [place][goal]


def optimum(problem: Problem, states: frozenset[str], options: SearchOptions, *, at_most: float = math.inf) -> float:
    """The least total of any plan; `math.inf` if none costs at most the given seconds."""
    start: Position = ("",) * len(problem.goals)
    reached: dict[Position, float] = {start: 0.0}
    queue = [(least_rest(problem, start, options), 0.0, start)]
    while queue:
        _, spent, position = heapq.heappop(queue)
        if spent > reached[position]:
            continue
        if all(position[root] for root in problem.roots):
            return spent
        for seconds, following in steps(problem, states, options, position):
            total = spent + seconds
            bound = total + least_rest(problem, following, options)
            if bound <= at_most and total < reached.get(following, math.inf):
                reached[following] = total
                heapq.heappush(queue, (bound, total, following))
    return math.inf


def least_rest(problem: Problem, position: Position, options: SearchOptions) -> float:
    """No plan makes the missing roots for less than their own writes and their cheapest alternatives' own work."""
    rest = 0.0
    for root in problem.roots:
        goal = problem.goals[root]
        if not position[root]:
            rest += weight_of(problem, root) * min(
                (
                    each.work[p] + goal.write[p] + options.statement[p]
                    for each in goal.alternatives
                    for p in (0, 1)
                ),
                default=math.inf,
            )  # fmt: skip
    return rest


def steps(
    problem: Problem, states: frozenset[str], options: SearchOptions, position: Position
) -> Iterator[tuple[float, Position]]:
    uses = use_prices(problem, states, position)
    for index, goal in enumerate(problem.goals):
        if len(position[index]) == 1:
            other = "dc".index(position[index]) ^ 1
            yield goal.transfer[other], moved(position, index, position[index] + "dc"[other])
        if position[index] or not (goal.may_materialize or goal.must_materialize or index in problem.roots):
            continue
        for place in (0, 1):
            seconds = cheapest(problem, states, uses, index, place) + goal.write[place] + options.statement[place]
            if seconds < math.inf:
                yield weight_of(problem, index) * seconds, moved(position, index, "dc"[place])


def moved(position: Position, index: int, places: str) -> Position:
    return (*position[:index], places, *position[index + 1 :])


def use_prices(problem: Problem, states: frozenset[str], position: Position) -> Prices:
    """What one use of each goal costs: read where it lies, else inline; the least fixpoint, by repetition."""
    prices: Prices = [[math.inf] * len(problem.goals) for _ in (0, 1)]
    changed = True
    while changed:
        changed = False
        for place in (0, 1):
            for index, goal in enumerate(problem.goals):
                price = goal.read[place] if "dc"[place] in position[index] else math.inf
                if not goal.must_materialize:
                    price = min(price, cheapest(problem, states, prices, index, place))
                if price < prices[place][index]:
                    prices[place][index] = price
                    changed = True
    return prices


def cheapest(problem: Problem, states: frozenset[str], uses: Prices, index: int, place: int) -> float:
    here = uses[place]
    least = math.inf
    for each in problem.goals[index].alternatives:
        if each.requires <= states:
            least = min(least, each.work[place] + sum([here[i] for i in each.inputs]))
    return least


def weight_of(problem: Problem, index: int) -> float:
    if problem.root_weight and index in problem.roots:
        return problem.root_weight[problem.roots.index(index)]
    return 1.0


def best_tree(problem: Problem, states: frozenset[str], index: int, place: int, above: frozenset[int]) -> float:
    """The cheapest inline expansion of a goal, by trying all that do not contain themselves."""
    least = math.inf
    for each in problem.goals[index].alternatives:
        if each.requires <= states and not above.intersection(each.inputs) and index not in each.inputs:
            inside = above | {index}
            below = sum(best_tree(problem, states, i, place, inside) for i in each.inputs)
            least = min(least, each.work[place] + below)
    return least


def alone(problem: Problem, states: frozenset[str], options: SearchOptions) -> float:
    """The least total if no statement reads another's result."""
    total = 0.0
    for root in problem.roots:
        write: Costs = problem.goals[root].write
        total += weight_of(problem, root) * min(
            best_tree(problem, states, root, place, frozenset()) + write[place] + options.statement[place]
            for place in (0, 1)
        )
    return total


def optimum_by_subsets(problem: Problem, options: SearchOptions) -> float:
    """The least total over all sets of goals to write, on the cluster alone; goals are numbered inputs first.

    No circles, no places, no states: nothing is left to decide for a set but the alternative of each goal.
    """
    optional = [i for i, goal in enumerate(problem.goals) if goal.may_materialize and i not in problem.roots]
    subsets = (
        frozenset(problem.roots).union(some)
        for count in range(len(optional) + 1)
        for some in combinations(optional, count)
    )
    return min(total_of(problem, options, written) for written in subsets)


def total_of(problem: Problem, options: SearchOptions, written: frozenset[int]) -> float:
    uses: list[float] = []
    total = 0.0
    for index, goal in enumerate(problem.goals):
        seconds = min(each.work.cluster + sum([uses[i] for i in each.inputs]) for each in goal.alternatives)
        if index in written:
            total += seconds + goal.write.cluster + options.statement.cluster
            seconds = goal.read.cluster
        uses.append(seconds)
    return total


def optimum_by_trial(problem: Problem, states: frozenset[str], options: SearchOptions) -> float:
    """The least total of every sequence of steps whatever: slow, and nothing in it to get wrong."""

    def least_from(position: Position) -> float:
        best = 0.0 if all(position[root] for root in problem.roots) else math.inf
        for seconds, following in steps(problem, states, options, position):
            best = min(best, seconds + least_from(following))
        return best

    return least_from(("",) * len(problem.goals))


def replay(problem: Problem, states: frozenset[str], options: SearchOptions, choice: Choice) -> float:
    """Run the choice in its order, refuse whatever could not be done, and add up what it costs."""
    lies: dict[int, set[str]] = {}
    total = 0.0
    for statement in choice.statements:
        bring_inputs(choice, statement, lies)
        place = ("driver", "cluster").index(statement.place)
        compute = spent(problem, states, statement, lies, statement.goal, ())
        goal = problem.goals[statement.goal]
        root = statement.goal in problem.roots
        assert root or goal.may_materialize or goal.must_materialize, f"{goal.key} may not be written"
        assert statement.goal not in lies, f"{goal.key} is made twice"
        seconds = weight_of(problem, statement.goal) * (compute + goal.write[place] + options.statement[place])
        assert math.isclose(seconds, statement.seconds, rel_tol=1e-9), f"{goal.key}: {seconds} != {statement.seconds}"
        lies[statement.goal] = {statement.place}
        total += seconds
    assert set(problem.roots) <= set(lies), "a root is missing"
    assert len(set(choice.transfers)) == len(choice.transfers)
    for each in choice.transfers:
        assert any(each.goal in statement.reads and statement.place == each.to for statement in choice.statements)
        total += problem.goals[each.goal].transfer.at(each.to)
    for written in set(lies) - set(problem.roots):
        assert any(written in statement.reads for statement in choice.statements), f"nobody reads {written}"
    return total


def bring_inputs(choice: Choice, statement: ChosenStatement, lies: dict[int, set[str]]) -> None:
    """Transfers that the statement needs take place before it; what was not made by then cannot be brought."""
    for each in choice.transfers:
        if each.goal in statement.reads and each.to == statement.place:
            assert each.goal in lies, "a result is brought before it is made"
            lies[each.goal].add(each.to)


def spent(
    problem: Problem,
    states: frozenset[str],
    statement: ChosenStatement,
    lies: dict[int, set[str]],
    index: int,
    above: tuple[int, ...],
) -> float:
    """Seconds of one inline computation inside a statement, everything below it included."""
    assert index not in above, f"{problem.goals[index].key} is computed from itself"
    chosen = [position for goal, position in statement.alternatives if goal == index]
    assert len(chosen) == 1, f"{problem.goals[index].key} has {len(chosen)} alternatives in one statement"
    alternative = problem.goals[index].alternatives[chosen[0]]
    assert alternative.requires <= states, f"{alternative.rule} requires what does not exist"
    place = ("driver", "cluster").index(statement.place)
    total = alternative.work[place]
    for each in alternative.inputs:
        if each in statement.reads:
            assert statement.place in lies.get(each, ()), f"{problem.goals[each].key} is read before it is there"
            total += problem.goals[each].read[place]
        else:
            assert not problem.goals[each].must_materialize, f"{problem.goals[each].key} is computed inline"
            total += spent(problem, states, statement, lies, each, (*above, index))
    assert total < math.inf
    return total

"""Random small problems of the planner's search, most of them with something planted that a naive search misses."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tidewheel.optimize.search import Costs, Problem, SearchAlternative, SearchGoal, SearchOptions

STATES = ("s", "t", "u")


@dataclass(frozen=True, slots=True)
class Case:
    seed: int
    problem: Problem
    states: frozenset[str]
    options: SearchOptions
    pair: tuple[int, int] | None  # planted goals that should be worth writing only together


class Sketch:
    """A problem under construction."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.alternatives: list[list[SearchAlternative]] = []
        self.roots: list[int] = []
        self.cheap: set[int] = set()  # goals whose reads and writes cost little

    def goal(self, *, root: bool = False, cheap: bool = False) -> int:
        self.alternatives.append([])
        index = len(self.alternatives) - 1
        if root:
            self.roots.append(index)
        if cheap:
            self.cheap.add(index)
        return index

    def offer(self, goal: int, inputs: tuple[int, ...], seconds: float, requires: frozenset[str] = frozenset()) -> None:
        rule = self.rng.choice(("scan", "join", "merge", "diff"))
        self.alternatives[goal].append(SearchAlternative(rule, inputs, self.work(seconds), requires))

    def work(self, seconds: float) -> Costs:
        """About so many seconds on the cluster; the driver is faster, slower or unable."""
        driver = seconds * self.rng.choice((0.3, 0.8, 1.0, 1.5, 4.0, math.inf))
        cluster = seconds if self.rng.random() < 0.93 or driver == math.inf else math.inf
        return Costs(driver, cluster)

    def around(self, low: float, high: float) -> float:
        return self.rng.uniform(low, high)


def small_case(seed: int, *, sharing: bool = True) -> Case:
    """A problem of about 5 to 9 goals; the same for the same seed."""
    rng = random.Random(seed)
    sketch = Sketch(rng)
    pair = None
    if not sharing:
        plant_noise_roots(sketch)
    elif seed % 10 < 4:
        pair = plant_pair(sketch)
    elif seed % 10 < 7:
        plant_change(sketch)
    elif seed % 10 < 9:
        plant_shared(sketch)
    else:
        plant_noise_roots(sketch)
    add_noise(sketch, most=2 if pair else len(sketch.alternatives))
    goals = tuple(finished(sketch, index, sharing=sharing) for index in range(len(sketch.alternatives)))
    weight = tuple(sketch.around(0.5, 3.0) for _ in sketch.roots) if rng.random() < 0.2 else ()
    states = frozenset(state for state in STATES if rng.random() < 0.75)
    statement = Costs(rng.choice((0.0, 0.05)), rng.choice((0.0, 0.3)))
    problem = Problem(goals, tuple(sketch.roots), weight)
    return Case(seed, problem, states, SearchOptions(statement=statement), pair)


def plant_pair(sketch: Sketch) -> tuple[int, int]:
    """Three or four roots, each either by itself or from x and y; only if both are written is the latter cheaper."""
    x, y, stored = sketch.goal(cheap=True), sketch.goal(cheap=True), sketch.goal()
    heavy = sketch.around(6, 12)
    for part in (x, y):
        sketch.alternatives[part].append(SearchAlternative("part", (stored,), Costs(math.inf, heavy)))
    sketch.alternatives[stored].append(SearchAlternative("scan", (), Costs(0.2, 0.2)))
    for _ in range(sketch.rng.choice((3, 4))):
        root = sketch.goal(root=True)
        sketch.alternatives[root].append(SearchAlternative("both", (x, y), Costs(math.inf, sketch.around(0.1, 0.4))))
        sketch.alternatives[root].append(
            SearchAlternative("other", (stored,), Costs(math.inf, heavy + sketch.around(0, 0.3)))
        )
    return x, y


def plant_change(sketch: Sketch) -> None:
    """Snapshots and deltas that can be computed from each other, and roots that read either."""
    old, change = sketch.goal(), sketch.goal(cheap=True)
    new, delta = sketch.goal(root=sketch.rng.random() < 0.5), sketch.goal(cheap=True)
    sketch.offer(old, (), sketch.around(0.2, 2))
    sketch.offer(change, (), sketch.around(0.1, 1))
    sketch.offer(new, (old, delta), sketch.around(0.1, 3))
    sketch.offer(new, (), sketch.around(3, 20))
    sketch.offer(delta, (new, old), sketch.around(0.5, 5))
    sketch.offer(delta, (change,), sketch.around(1, 12))
    sketch.offer(delta, (change,), sketch.around(0.2, 2), frozenset({"s"}))
    for _ in range(sketch.rng.choice((1, 2, 3))):
        root = sketch.goal(root=True)
        sketch.offer(
            root, (sketch.rng.choice((new, delta)), sketch.rng.choice((old, delta, change))), sketch.around(0.1, 2)
        )
        sketch.offer(root, (new,), sketch.around(0.5, 3))


def plant_shared(sketch: Sketch) -> None:
    """One dear goal below several roots, some of which use it twice or want it at the other place."""
    stored, dear, middle = sketch.goal(), sketch.goal(cheap=True), sketch.goal(cheap=True)
    sketch.offer(stored, (), sketch.around(0.1, 1))
    sketch.offer(dear, (stored,), sketch.around(4, 15))
    sketch.offer(middle, (dear,), sketch.around(0.5, 5))
    sketch.offer(middle, (stored,), sketch.around(2, 8), frozenset({"t"}))
    for _ in range(sketch.rng.choice((2, 3))):
        root = sketch.goal(root=True)
        for _ in range(2):
            inputs = tuple(sketch.rng.choice((dear, middle)) for _ in range(sketch.rng.choice((1, 2))))
            sketch.offer(root, inputs, sketch.around(0.1, 2))


def plant_noise_roots(sketch: Sketch) -> None:
    for _ in range(sketch.rng.choice((3, 4, 5))):
        sketch.goal(cheap=sketch.rng.random() < 0.5)
    for _ in range(sketch.rng.choice((1, 2, 3))):
        sketch.goal(root=True)


def add_noise(sketch: Sketch, most: int) -> None:
    """Up to two more goals, and alternatives between any goals, cycles included; every goal can somehow be computed."""
    rng = sketch.rng
    for _ in range(rng.randint(0, max(0, min(2, 8 - len(sketch.alternatives))))):
        sketch.goal(cheap=rng.random() < 0.5)
    count = len(sketch.alternatives)
    for goal in range(count):
        if not sketch.alternatives[goal]:
            sketch.offer(goal, (), sketch.around(0.5, 15))
    for _ in range(rng.randint(1, most)):
        inputs = tuple(rng.randrange(count) for _ in range(rng.choice((1, 1, 2, 2, 3))))
        requires = frozenset({rng.choice(STATES)}) if rng.random() < 0.4 else frozenset()
        sketch.offer(rng.randrange(count), inputs, sketch.around(0.1, 6), requires)


def finished(sketch: Sketch, index: int, *, sharing: bool) -> SearchGoal:
    rng = sketch.rng
    scale = 0.1 if index in sketch.cheap else 1.0
    draw = [rng.uniform(0.01, 1.5) * scale for _ in range(6)]
    goal = SearchGoal(
        key=f"{rng.getrandbits(40):010x}",
        alternatives=tuple(sketch.alternatives[index]),
        write=Costs(draw[0], draw[1]),
        read=Costs(draw[2] / 2, draw[3] / 2),
        transfer=Costs(draw[4], draw[5]),
    )
    if not sharing:
        return replace(goal, may_materialize=False)
    chance = rng.random()
    return replace(goal, may_materialize=index in sketch.cheap or chance < 0.8, must_materialize=chance > 0.95)


def joined_case(seed: int, parts: int) -> tuple[Case, list[Case]]:
    """Small cases as one problem, and each of them alone: too many goals to try everything, and a known optimum.

    What they have in common is computed for nothing worth saving and never written, so that a plan of the whole is a
    plan of each part: the least total is the sum of the parts'.
    """
    cases = [small_case(parts * seed + part) for part in range(parts)]
    options = cases[0].options
    alone = [replace(case, problem=_numbered([case]), states=_own(case, 0), options=options) for case in cases]
    states = frozenset[str]().union(*(_own(case, number) for number, case in enumerate(cases)))
    return Case(seed, _numbered(cases), states, options, None), alone


def _own(case: Case, number: int) -> frozenset[str]:
    return frozenset(f"{state}{number}" for state in case.states)


def _numbered(cases: Sequence[Case]) -> Problem:
    """The cases side by side over one goal that all stored rows come from."""
    source = SearchAlternative("source", (), Costs(0.01, 0.01))
    goals = [SearchGoal(key="source", alternatives=(source,), may_materialize=False)]
    roots: list[int] = []
    weight: list[float] = []
    for number, case in enumerate(cases):
        first = len(goals)
        goals += [_moved(goal, first, number) for goal in case.problem.goals]
        roots += [first + root for root in case.problem.roots]
        weight += case.problem.root_weight or (1.0,) * len(case.problem.roots)
    return Problem(tuple(goals), tuple(roots), tuple(weight))


def _moved(goal: SearchGoal, first: int, number: int) -> SearchGoal:
    ways = tuple(
        replace(
            each,
            inputs=tuple(first + i for i in each.inputs) or (0,),
            requires=frozenset(f"{state}{number}" for state in each.requires),
        )
        for each in goal.alternatives
    )
    return replace(goal, key=f"{goal.key}{number}", alternatives=ways)


def layered_case(seed: int, layers: int) -> Case:
    """Three goals in each layer, each from one or two of the layer below; everything runs on the cluster; no circles.

    So many layers have three times as many goals that may be written, and most are read by several.
    """
    rng = random.Random(seed)
    sketch = Sketch(rng)
    below = [sketch.goal(), sketch.goal()]
    for goal in below:
        sketch.offer(goal, (), sketch.around(0.2, 1.5))
    for _ in range(layers):
        layer = [sketch.goal(cheap=rng.random() < 0.8) for _ in range(3)]
        for goal in layer:
            sketch.offer(goal, tuple(rng.sample(below, k=rng.choice((1, 2, 2)))), sketch.around(0.3, 6))
            sketch.offer(goal, (rng.choice(below),), sketch.around(1, 8))
        below = layer
    sketch.roots += below
    goals = (finished(sketch, index, sharing=True) for index in range(len(sketch.alternatives)))
    on_cluster = tuple(
        replace(
            goal,
            alternatives=tuple(replace(a, work=Costs(math.inf, min(a.work))) for a in goal.alternatives),
            may_materialize=index > 1,
            must_materialize=False,
        )
        for index, goal in enumerate(goals)
    )
    problem = Problem(on_cluster, tuple(sketch.roots))
    return Case(seed, problem, frozenset(), SearchOptions(statement=Costs(0.0, 0.3)), None)


def shuffled(problem: Problem, rng: random.Random) -> Problem:
    """The same problem with its goals, alternatives, inputs and roots in another order."""
    order = list(range(len(problem.goals)))
    rng.shuffle(order)
    place = {old: new for new, old in enumerate(order)}

    def renamed(each: SearchAlternative) -> SearchAlternative:
        inputs = [place[i] for i in each.inputs]
        rng.shuffle(inputs)
        return replace(each, inputs=tuple(inputs))

    goals = []
    for old in order:
        alternatives = [renamed(each) for each in problem.goals[old].alternatives]
        rng.shuffle(alternatives)
        goals.append(replace(problem.goals[old], alternatives=tuple(alternatives)))
    roots = list(range(len(problem.roots)))
    rng.shuffle(roots)
    weight = tuple(problem.root_weight[i] for i in roots) if problem.root_weight else ()
    return Problem(tuple(goals), tuple(place[problem.roots[i]] for i in roots), weight)


def large_problem(seed: int, *, goals: int, alternatives: int, roots: int) -> Problem:
    """Layers of goals with windows of inputs below, and every third alternative from above: rich in cycles."""
    sketch = Sketch(random.Random(seed))
    rng = sketch.rng
    stored = goals // 10
    for goal in range(goals):
        sketch.goal()
        window = range(max(0, goal - goals // 6), goal)
        inputs = () if goal < stored else tuple(rng.choices(window, k=rng.choice((1, 2, 2, 3))))
        sketch.offer(goal, inputs, sketch.around(0.1, 5))
    for _ in range(alternatives - goals):
        goal = rng.randrange(stored, goals)
        window = range(max(0, goal - goals // 5), goal)
        inputs = tuple(rng.choices(window, k=rng.choice((1, 2, 2, 3))))
        if rng.random() < 0.35:
            inputs = (min(goals - 1, goal + rng.randint(1, 10)), inputs[0])
        requires = frozenset({"s"}) if rng.random() < 0.1 else frozenset()
        sketch.offer(goal, inputs, sketch.around(0.1, 4), requires)
    sketch.roots += rng.sample(range(goals - goals // 5, goals), roots)
    return Problem(tuple(finished(sketch, goal, sharing=True) for goal in range(goals)), tuple(sketch.roots))

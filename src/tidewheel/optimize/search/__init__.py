"""The cheapest plan for several goals at once: an AND/OR search that also decides what to write down and where.

A goal is computed by one of its alternatives, from other goals; what a goal uses is computed inline, at the same place,
unless it is materialized: then it is made once, written, and read at each use. Roots are always materialized.

    orders <- stored [1]      joined <- orders [8]      daily <- joined [1]      weekly <- joined [2]
    all on the cluster; to write anything takes 0.5 s, to read it 0.25 s; the roots are daily and weekly

    alone:   daily 1 + 8 + 1 and 0.5 to write,  weekly 1 + 8 + 2 and 0.5 to write                           = 22
    shared:  joined 1 + 8 and 0.5 to write,  daily 0.25 + 1 and 0.5,  weekly 0.25 + 2 and 0.5               = 14

`settle` gives the cheapest costs of all goals, without sharing, in one pass; `search` starts from there and writes down
what pays. Goals may be computed from each other in circles (a snapshot from a delta, the delta from two snapshots): no
plan goes around one. This package knows nothing of relations, rules or engines, and depends on no other.
"""

from tidewheel.optimize.search.choice import Choice, ChosenStatement, Rival, Transfer
from tidewheel.optimize.search.options import SearchOptions
from tidewheel.optimize.search.problem import (
    EPSILON,
    NOTHING,
    PLACES,
    Costs,
    Place,
    Problem,
    SearchAlternative,
    SearchGoal,
)
from tidewheel.optimize.search.settle import Settled, settle
from tidewheel.optimize.search.solve import search
from tidewheel.optimize.search.structure import Structure

__all__ = [
    "EPSILON",
    "NOTHING",
    "PLACES",
    "Choice",
    "ChosenStatement",
    "Costs",
    "Place",
    "Problem",
    "Rival",
    "SearchAlternative",
    "SearchGoal",
    "SearchOptions",
    "Settled",
    "Structure",
    "Transfer",
    "search",
    "settle",
]

"""No statement grows beyond a bound: what would, is computed in pieces.

Spark copies a subplan to every place that reads it, then analyzes, optimizes and mostly computes every copy. So its
work grows with the *tree* of a plan, where each operator counts as often as it is read, and not with its operators:

    a := join(x, y)      3 operators, 3 as a tree
    b := join(a, a)      4 operators, 7 as a tree
    c := join(b, b)      5 operators, 15 as a tree; with b made before: 3

Cut is where most is taken off, groups before joins, for they mostly have fewer rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tidewheel.delta.forms import is_simple
from tidewheel.ir.rel import Join, Rel, Scan, Values
from tidewheel.ir.tree import nodes, replaced
from tidewheel.optimize.cuts import Pieces
from tidewheel.program.program import Intermediate, can_be_made, reference_to

LEAST: Final = 10
"""A piece takes off at least such a part of the bound: of a union of two hundred, none is worth an execution."""


def pieces(
    rels: Sequence[Rel], most: int, made: Mapping[bytes, Scan] | None = None
) -> tuple[dict[bytes, Intermediate], list[Rel]]:
    """Intermediates by what they are of, each after those that it reads, and the plans over them.

    None of these has more operators than `most`, but where no piece takes off much. `made` are references to plans that
    other plans were cut at.
    """
    scans: dict[bytes, Rel] = dict(made or {})
    found = Pieces(scans, most, weight=lambda _: 1, value=_value, reading=1, least=most // LEAST)
    tops = {rel.digest for rel in rels}
    for node in _all_nodes(rels):
        found.add(node)
    steps: dict[bytes, Intermediate] = {}
    for node in _all_nodes(rels):
        if node.digest in found.kept and node.digest not in scans and node.digest not in tops:
            reference = reference_to(node)
            steps[node.digest] = Intermediate(reference, replaced(node, scans))
            scans[node.digest] = reference
    return steps, [replaced(rel, scans) for rel in rels]


def _all_nodes(rels: Sequence[Rel]) -> Iterator[Rel]:
    seen: set[bytes] = set()
    for rel in rels:
        for node in nodes(rel):
            if node.digest not in seen:
                seen.add(node.digest)
                yield node


def tree_size(rel: Rel) -> int:
    """Operators of a plan, each as often as it is read."""
    sizes: dict[bytes, int] = {}
    for node in nodes(rel):
        sizes[node.digest] = 1 + sum(sizes[i.digest] for i in node.inputs)
    return sizes[rel.digest]


def _value(node: Rel) -> float:
    """What is cheap to compute again is not worth a name; other things cannot have one."""
    if isinstance(node, (Scan, Values)) or is_simple(node) or not can_be_made(node):
        return 0.0
    return 1.0 if isinstance(node, Join) else 1.5

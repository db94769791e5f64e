"""Going through plans: nodes, their expressions, the relations they read."""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Opaque,
    Project,
    Rel,
    Scan,
    SetOp,
    TopK,
    Union,
    Unnest,
    Values,
    Window,
)  # fmt: skip
from tidewheel.ir.scalar import Scalar


def with_inputs(rel: Rel, inputs: Sequence[Rel]) -> Rel:
    """The same operator over other inputs of the same widths; itself if they are the same objects."""
    before = rel.inputs
    if len(inputs) == len(before) and all(map(operator.is_, inputs, before)):
        return rel
    if [i.width for i in inputs] != [i.width for i in before]:
        raise ValueError(f"{rel.line}: its inputs have other widths")
    match rel:
        case Scan() | Values() | Opaque():
            return rel
        case Join() | SetOp():
            return rel.over(left=inputs[0], right=inputs[1])
        case Union():
            return rel.over(parts=tuple(inputs))
        case Filter() | Project() | Aggregate() | Distinct() | Window() | TopK() | Unnest():
            return rel.over(input=inputs[0])


def replaced(rel: Rel, known: Mapping[bytes, Rel]) -> Rel:
    """The plan in which some plans, by their digests, are replaced by others of the same columns.

    What lies below a replaced plan is not looked at, unless something else reads it.
    """
    found: dict[bytes, Rel] = {}
    todo = [rel]
    while todo:
        node = todo[-1]
        if node.digest in known:
            found[node.digest] = known[node.digest]
        elif waiting := [i for i in node.inputs if i.digest not in found]:
            todo += waiting
            continue
        elif node.digest not in found:
            found[node.digest] = with_inputs(node, [found[i.digest] for i in node.inputs])
        todo.pop()
    return found[rel.digest]


def named(rel: Rel, name: Callable[[Scan], str]) -> Rel:
    """The plan in which every scan reads what an engine knows by a name, in whatever form that is."""
    scans = [node for node in nodes(rel) if isinstance(node, Scan)]
    return replaced(rel, {s.digest: Scan(relation=name(s), columns=s.columns, keys=s.keys) for s in scans})


def nodes(rel: Rel, known: Container[bytes] = ()) -> Iterator[Rel]:
    """Every different node once, inputs first, but for those that are known; without recursion."""
    seen: set[bytes] = set()
    open_nodes: list[Rel] = []
    todo: list[Rel | None] = [rel]
    while todo:
        node = todo.pop()
        if node is None:  # the inputs of the last open node are done
            yield open_nodes.pop()
        elif node.digest not in seen and node.digest not in known:
            seen.add(node.digest)
            if inputs := node.inputs:
                open_nodes.append(node)
                todo.append(None)
                todo.extend(inputs[::-1])
            else:
                yield node


def scalars_of(rel: Rel) -> tuple[Scalar, ...]:
    """The expressions of one node, over its input (of a join's keys: over their own side)."""
    match rel:
        case Scan() | Distinct() | Union() | SetOp() | Opaque():
            return ()
        case Values():
            return tuple(s for row in rel.rows for s in row)
        case Filter():
            return (rel.predicate,)
        case Project():
            return rel.exprs
        case Join():
            return (*(s for k in rel.keys for s in (k.left, k.right)), rel.residual)
        case Aggregate():
            return (*rel.keys, *(s for c in rel.calls for s in c.scalars))
        case Window():
            return (*rel.partition, *(k.expr for k in rel.order), *(s for c in rel.calls for s in c.scalars))
        case TopK():
            return tuple(k.expr for k in rel.order)
        case Unnest():
            return rel.args


def relations(rel: Rel) -> tuple[str, ...]:
    """The stored relations a plan reads, in order of first use."""
    found: dict[str, None] = {}
    for node in nodes(rel):
        if isinstance(node, Scan):
            found[node.relation] = None
        elif isinstance(node, Opaque):
            found |= dict.fromkeys(node.reads)
    return tuple(found)

"""The graph as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tidewheel.ir.lineage import Origin
from tidewheel.lineage.relations import GraphColumn, GraphRelation, RelationGraph


def to_text(graph: RelationGraph, *, columns: bool) -> str:
    """A line for each relation, sources first, each view after all that it reads."""
    sizes = f"{len(graph.sources)} sources, {len(graph.views)} views"
    lines = [f"project {graph.project}, epoch {graph.epoch}: {sizes}"]
    for title, names in (("sources", graph.sources), ("views", graph.views)):
        relations = [graph.relations[name] for name in names]
        widths = [max(map(len, cells)) for cells in zip(*map(_cells, relations), strict=True)]
        lines += ["", title] if relations else []
        for relation in relations:
            lines.append("  " + _aligned(_cells(relation), widths))
            lines += [f"      {line}" for line in _below(relation, columns=columns)]
    return "\n".join(lines) + "\n"


def _cells(relation: GraphRelation) -> tuple[str, ...]:
    if not relation.is_view:
        return relation.name, relation.kind, relation.note
    return relation.name, relation.state, _last(relation), f"<- {', '.join(relation.reads) or 'nothing'}"


def _last(relation: GraphRelation) -> str:
    rows = "" if relation.rows is None else f"{relation.rows:,} rows"
    method = f"{relation.runs[0].method} {relation.runs[0].seconds or 0:.1f} s" if relation.runs else ""
    return ", ".join(filter(None, (rows, method)))


def _below(relation: GraphRelation, *, columns: bool) -> Iterator[str]:
    if relation.is_view and relation.note:
        yield f"{relation.state}: {relation.note}"
    if not columns:
        return
    yield from (f"-- {line}" for line in relation.comment.splitlines())
    rows = [(c.name, c.type, _from(c)) for c in relation.columns]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    yield from (_aligned(row, widths) for row in rows)
    if relation.only_by:
        yield f"rows by  {_listed(relation.only_by)}"
    if relation.unknown:
        yield f"columns not known: {relation.unknown}"


def _from(column: GraphColumn) -> str:
    return f"<- {_listed(column.values)}" if column.values else ""


def _listed(origins: Iterable[Origin]) -> str:
    return ", ".join(f"{relation}.{column}" for relation, column in origins)


def _aligned(cells: Iterable[str], widths: Iterable[int]) -> str:
    return "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip()

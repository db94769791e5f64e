"""The graph as DOT, for Graphviz."""

from __future__ import annotations

import html

from tidewheel.lineage.colours import OF_STATE
from tidewheel.lineage.relations import GraphRelation, RelationGraph


def to_dot(graph: RelationGraph, *, columns: bool) -> str:
    """Left to right; with columns, an edge for each column that another one is computed from."""
    lines = [
        f"digraph {_quoted(graph.project)} {{",
        "  rankdir=LR;",
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11];',
        '  edge [color="#8b929c", arrowsize=0.6];',
    ]
    lines += [f"  {_quoted(name)} {_attributes(r, columns=columns)};" for name, r in graph.relations.items()]
    lines += _column_edges(graph) if columns else [f"  {_quoted(a)} -> {_quoted(b)};" for a, b in graph.edges()]
    return "\n".join([*lines, "}"]) + "\n"


def _attributes(relation: GraphRelation, *, columns: bool) -> str:
    fill = OF_STATE[relation.state].fill
    if not columns:
        return f'[label={_quoted(relation.name)}, fillcolor="{fill}"]'
    rows = [f'<TR><TD BGCOLOR="{fill}"><B>{html.escape(relation.name)}</B></TD></TR>']
    for i, column in enumerate(relation.columns):
        text = html.escape(f"{column.name}: {column.type.lower()}")
        rows.append(f'<TR><TD PORT="c{i}" ALIGN="LEFT">{text}</TD></TR>')
    table = f'<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0">{"".join(rows)}</TABLE>'
    return f"[shape=plain, label=<{table}>]"


def _column_edges(graph: RelationGraph) -> list[str]:
    """Where no column passes from a relation to its reader, a dashed edge between the two."""
    ports = {(r.name, c.name.lower()): f"{_quoted(r.name)}:c{i}" for r in _all(graph) for i, c in enumerate(r.columns)}
    lines, linked = [], set()
    for relation in graph.relations.values():
        for column in relation.columns:
            for above, name in column.values:
                if (above, name.lower()) in ports:
                    lines.append(f"  {ports[above, name.lower()]} -> {ports[relation.name, column.name.lower()]};")
                    linked.add((above, relation.name))
    rest = [edge for edge in graph.edges() if edge not in linked]
    return lines + [f"  {_quoted(a)} -> {_quoted(b)} [style=dashed];" for a, b in rest]


def _all(graph: RelationGraph) -> list[GraphRelation]:
    return list(graph.relations.values())


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

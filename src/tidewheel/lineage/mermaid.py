"""The graph as a Mermaid flowchart, as GitHub, GitLab and many wikis draw them."""

from __future__ import annotations

from tidewheel.lineage.colours import OF_STATE
from tidewheel.lineage.relations import GraphRelation, RelationGraph


def to_mermaid(graph: RelationGraph, *, columns: bool) -> str:
    """Sources as cylinders, views as boxes, coloured by state."""
    ids = {name: f"r{i}" for i, name in enumerate(graph.relations)}
    lines = ["flowchart LR"]
    for name, relation in graph.relations.items():
        left, right = ("[", "]") if relation.is_view else ("[(", ")]")
        lines.append(f'  {ids[name]}{left}"{_label(relation, columns=columns)}"{right}:::{_style(relation.state)}')
    lines += [f"  {ids[above]} --> {ids[below]}" for above, below in graph.edges()]
    for state in dict.fromkeys(relation.state for relation in graph.relations.values()):
        of = OF_STATE[state]
        lines.append(f"  classDef {_style(state)} fill:{of.fill},stroke:{of.stroke},color:{of.text}")
    return "\n".join(lines) + "\n"


def _style(state: str) -> str:
    return state.replace(" ", "_")


def _label(relation: GraphRelation, *, columns: bool) -> str:
    own = [f"{_escaped(c.name)}: {_escaped(c.type.lower())}" for c in relation.columns] if columns else []
    return "<br/>".join([f"<b>{_escaped(relation.name)}</b>" if own else _escaped(relation.name), *own])


def _escaped(text: str) -> str:
    """Mermaid's entities: the number of each character that means something to it or to HTML."""
    return "".join(c if c.isalnum() or c in " _.,:-" else f"#{ord(c)};" for c in text)

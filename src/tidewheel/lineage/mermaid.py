"""The graph as a Mermaid flowchart, as GitHub, GitLab and many wikis draw them."""

from __future__ import annotations

from typing import Final

from tidewheel.lineage.graph import LineageGraph, Relation

_STYLES: Final = {
    "source": "fill:#e8eef7,stroke:#5b7db1,color:#1b2a41",
    "fresh": "fill:#e6f4ea,stroke:#3c8d5a,color:#12351f",
    "stale": "fill:#fdf3dc,stroke:#c08a1e,color:#4a3506",
    "broken": "fill:#fbe4e2,stroke:#c2453a,color:#541712",
    "not_built": "fill:#f1f2f4,stroke:#8b929c,color:#2c3138",
}


def to_mermaid(graph: LineageGraph, *, columns: bool) -> str:
    """Sources as cylinders, views as boxes, coloured by state."""
    ids = {name: f"r{i}" for i, name in enumerate(graph.relations)}
    lines = ["flowchart LR"]
    for name, relation in graph.relations.items():
        left, right = ("[", "]") if relation.is_view else ("[(", ")]")
        lines.append(f'  {ids[name]}{left}"{_label(relation, columns=columns)}"{right}:::{_style(relation)}')
    lines += [f"  {ids[above]} --> {ids[below]}" for above, below in graph.edges()]
    lines += [f"  classDef {name} {style}" for name, style in _STYLES.items()]
    return "\n".join(lines) + "\n"


def _style(relation: Relation) -> str:
    return relation.state.replace(" ", "_")


def _label(relation: Relation, *, columns: bool) -> str:
    own = [f"{_escaped(c.name)}: {_escaped(c.type.lower())}" for c in relation.columns] if columns else []
    return "<br/>".join([f"<b>{_escaped(relation.name)}</b>" if own else _escaped(relation.name), *own])


def _escaped(text: str) -> str:
    """Mermaid's entities: the number of each character that means something to it or to HTML."""
    return "".join(c if c.isalnum() or c in " _.,:-" else f"#{ord(c)};" for c in text)

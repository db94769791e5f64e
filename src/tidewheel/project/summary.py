"""A project on one line, and as a table for a notebook."""

from __future__ import annotations

from collections.abc import Iterator

from tidewheel.markup import html_table
from tidewheel.project.definition import Definition


def summary(definition: Definition, epoch: int) -> str:
    graph = definition.graph
    broken = f" ({len(graph.broken)} broken)" if graph.broken else ""
    sizes = f"{len(graph.sources)} sources, {len(graph.names)} views{broken}"
    return f"{definition.config.name}: {sizes}, epoch {epoch}"


def summary_html(definition: Definition, epoch: int) -> str:
    return html_table(
        f"project {summary(definition, epoch)}", ["relation", "kind", "reads", "comment"], _rows(definition)
    )


def _rows(definition: Definition) -> Iterator[tuple[str, str, str, str]]:
    graph = definition.graph
    for name, source in definition.config.sources.items():
        yield name, f"{source.kind} source", "", ""
    for view in graph.views.values():
        yield view.name, "view", ", ".join(graph.inputs[view.name]), view.comment.partition("\n")[0]
    for broken in graph.broken.values():
        yield broken.name, "broken", ", ".join(graph.inputs[broken.name]), broken.error.message

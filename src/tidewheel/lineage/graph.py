"""A project's graph with all the ways to show it."""

from __future__ import annotations

import html
from dataclasses import dataclass

from tidewheel.lineage.dot import to_dot
from tidewheel.lineage.mermaid import to_mermaid
from tidewheel.lineage.page import to_html
from tidewheel.lineage.relations import RelationGraph
from tidewheel.lineage.text import to_text


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageGraph(RelationGraph):
    """Relations by name, each after all that it reads. `str()` and a notebook show it."""

    def to_text(self, *, columns: bool = False) -> str:
        """Lines for people; with `columns`, also each column and where it comes from."""
        return to_text(self, columns=columns)

    def to_mermaid(self, *, columns: bool = False) -> str:
        """A flowchart for Markdown that draws Mermaid."""
        return to_mermaid(self, columns=columns)

    def to_dot(self, *, columns: bool = False) -> str:
        """A digraph for Graphviz."""
        return to_dot(self, columns=columns)

    def to_html(self) -> str:
        """One page that needs nothing else: no network, no server, no installed font."""
        return to_html(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        sizes = f"{len(self.sources)} sources, {len(self.views)} views"
        return f"<LineageGraph of {self.project}: {sizes}, epoch {self.epoch}>"

    def _repr_html_(self) -> str:
        """The page, in a frame of its own so that it and the notebook leave each other alone."""
        page = html.escape(self.to_html())
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width:100%;height:560px;border:0"></iframe>'

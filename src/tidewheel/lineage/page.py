"""The graph as one HTML page that needs nothing else: no network, no server, no font or script of others.

Whatever users wrote (names, comments, SQL, messages) is in the page once, as JSON in which no character can end the
script element; the script puts it into the page as text only. The page forbids itself everything but its own script
and style, by their digests.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib import resources
from typing import Any, Final

from tidewheel.lineage.layout import WIDTH, Drawing, draw
from tidewheel.lineage.relations import GraphRelation, RelationGraph

HEAD: Final = 46
"""Height of a box without columns; with them, of its upper part."""
LINE: Final = 19
"""Height of a column in a box."""
FOOT: Final = 6
COLUMNS_SHOWN: Final = 14
"""Of a box: the rest is told by number."""
SCRIPT: Final = ("model.js", "drawing.js", "panel.js", "input.js")
"""In this order: each uses what stands before it, and the last one begins."""
ESCAPED: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def to_html(graph: RelationGraph) -> str:
    """The page, with both drawings: boxes with and without their columns."""
    style, script = _asset("page.css"), _script()
    parts = {
        "policy": f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}",
        "title": html.escape(f"{graph.project}: graph"),
        "style": style,
        "data": to_json(_body(graph)),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset("page.html"))


def to_json(body: Any) -> str:
    """JSON that may stand inside a script element, whatever its texts hold."""
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return "".join(ESCAPED.get(c, c) for c in text)


def _body(graph: RelationGraph) -> dict[str, Any]:
    names, edges = list(graph.relations), list(graph.edges())
    compact = draw(names, edges, dict.fromkeys(names, HEAD))
    columns = draw(names, edges, {name: _height(relation) for name, relation in graph.relations.items()})
    return graph.to_dict() | {
        "shown": COLUMNS_SHOWN,
        "box": {"width": WIDTH, "head": HEAD, "line": LINE},
        "drawings": {"compact": _drawing(compact, edges), "columns": _drawing(columns, edges)},
    }


def _height(relation: GraphRelation) -> int:
    count = len(relation.columns)
    lines = min(count, COLUMNS_SHOWN) + (count > COLUMNS_SHOWN)
    return HEAD + (lines * LINE + FOOT if lines else 0)


def _drawing(drawing: Drawing, edges: list[tuple[str, str]]) -> dict[str, Any]:
    return {
        "width": drawing.width,
        "height": drawing.height,
        "boxes": {name: [box.x, box.y, box.height] for name, box in drawing.boxes.items()},
        "lanes": [[list(point) for point in drawing.lanes[edge]] for edge in edges],
    }


def _script() -> str:
    """The parts of the script, in a scope of their own."""
    return "\n".join(['"use strict";', "(() => {", *map(_asset, SCRIPT), "})();"])


def _asset(name: str) -> str:
    return resources.files("tidewheel.lineage").joinpath("assets", name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

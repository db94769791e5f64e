"""Graphs of views over TPC-DS, taken apart from its queries: chains, diamonds, aggregates of aggregates, top-k at ends.

A file holds one graph: blocks that begin with `-- name: VIEW`, each of which says which queries it is from.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

HERE = Path(__file__).parent
GRAPHS = tuple(sorted(file.stem for file in HERE.glob("*.sql")))


@functools.cache
def graph(name: str) -> dict[str, str]:
    """The views of a graph by name, each after those it reads."""
    text = (HERE / f"{name}.sql").read_text(encoding="utf-8")
    blocks = re.split(r"^-- name: (\w+)\n", text, flags=re.MULTILINE)[1:]
    names, queries = blocks[0::2], blocks[1::2]
    if len(set(names)) < len(names):
        raise ValueError(f"two views of {name} have the same name")
    return {view: sql.strip() for view, sql in zip(names, queries, strict=True)}


def levels(name: str) -> dict[str, int]:
    """How many views each one stands on: 1 for a view over sources only."""
    found: dict[str, int] = {}
    for view, sql in graph(name).items():
        reads = set(re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", sql))
        found[view] = 1 + max((found[above] for above in reads & found.keys()), default=0)
    return found

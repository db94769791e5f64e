"""Which views a command is about: `revenue`, `+revenue`, `revenue+`, `tag:finance`, `source:orders+`, `path/*`."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from tidewheel.errors import UserError, did_you_mean
from tidewheel.project.graph import Graph
from tidewheel.project.lookup import find_view, texts


def select_views(graph: Graph, select: str | Iterable[str] = (), exclude: str | Iterable[str] = ()) -> frozenset[str]:
    """The selected views; terms in one argument separated by commas must all hold, several arguments add up."""
    wanted, unwanted = texts(select, "select"), texts(exclude, "exclude")
    chosen = _union(graph, wanted) if wanted else set(graph.names)
    return frozenset(chosen - _union(graph, unwanted))


def with_ancestors(graph: Graph, chosen: frozenset[str]) -> frozenset[str]:
    """A view can be brought up to date only together with the views it reads."""
    views = set(graph.names)
    return chosen | frozenset(a for name in chosen for a in graph.ancestors(name) & views)


def _union(graph: Graph, terms: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for argument in terms:
        for group in argument.split():
            parts = [_term(graph, term) for term in group.split(",") if term]
            if parts:
                found |= set.intersection(*parts)
    return found


def _term(graph: Graph, term: str) -> set[str]:
    up, down = term.startswith("+"), term.endswith("+")
    core = term.removeprefix("+").removesuffix("+")
    kind, colon, value = core.partition(":")
    if colon and kind == "tag":
        tags = {v.name: v.options.tags for v in graph.views.values()} | {b.name: b.tags for b in graph.broken.values()}
        roots = {name for name, own in tags.items() if value in own}
        _require(roots, term, "tag", value, sorted({tag for own in tags.values() for tag in own}))
    elif colon and kind == "source":
        roots = _matching(graph.sources, value)
        _require(roots, term, "source", value, list(graph.sources))
        if not down:
            roots = {v for s in roots for v in graph.readers(s)}
    elif colon:
        raise UserError(
            f'unknown selection method "{kind}:"',
            code="bad-selection",
            hint="Use a view's name, tag:NAME or source:NAME, with + before or after it.",
        )
    else:
        roots = _matching(graph.names, core)
        if not roots and _matching(graph.sources, core):
            roots = {find_view(core, graph.names, graph.sources)}
        _require(roots, term, "view", core, list(graph.names))
    chosen = set(roots)
    for name in roots:
        chosen |= graph.ancestors(name) if up else set()
        chosen |= graph.descendants(name) if down else set()
    return chosen & set(graph.names)


def _matching(names: Iterable[str], pattern: str) -> set[str]:
    return {n for n in names if fnmatch.fnmatchcase(n.lower(), pattern.lower())}


def _require(found: set[str], term: str, kind: str, value: str, known: list[str]) -> None:
    if not found:
        raise UserError(
            f'{kind} "{value}" does not exist',
            code="bad-selection",
            detail=f"It is selected by {term!r}.",
            hint=did_you_mean(value, known) or "Use a view's name, tag:NAME or source:NAME, with + before or after it.",
        )

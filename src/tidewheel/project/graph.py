"""Views and what they read: the graph, its order, its cycles."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tidewheel.errors import Span, UserError, did_you_mean
from tidewheel.project.config import ViewOptions
from tidewheel.sql.query import Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A view's definition. `sql` is the user's text, to the letter."""

    name: str
    sql: str
    file: str
    offset: int
    file_text: str
    reads: tuple[Reference, ...]
    fingerprint: str
    clock: str
    deterministic: bool
    options: ViewOptions
    comment: str = ""
    """What its author says of it, by COMMENT and by the `--` lines before it."""

    def span(self, start: int, length: int) -> Span:
        """A place in the view's own file, from an offset into its query."""
        return Span.at(self.file_text, self.offset + start, length, self.file)


@dataclass(frozen=True, kw_only=True)
class Graph:
    """Views in an order in which each comes after all it reads; `inputs` by canonical names."""

    views: Mapping[str, View]
    inputs: Mapping[str, tuple[str, ...]]
    sources: tuple[str, ...]

    @property
    def order(self) -> tuple[str, ...]:
        return tuple(self.views)

    def ancestors(self, name: str) -> set[str]:
        return self._closure(name, lambda n: self.inputs.get(n, ()))

    def descendants(self, name: str) -> set[str]:
        return self._closure(name, self.readers)

    def readers(self, name: str) -> tuple[str, ...]:
        return tuple(self._readers.get(name, ()))

    @functools.cached_property
    def _readers(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for view, reads in self.inputs.items():
            for name in reads:
                found.setdefault(name, []).append(view)
        return found

    def _closure(self, name: str, step: Callable[[str], Iterable[str]]) -> set[str]:
        found: set[str] = set()
        todo = list(step(name))
        while todo:
            current = todo.pop()
            if current not in found:
                found.add(current)
                todo.extend(step(current))
        return found

    def level(self, name: str) -> int:
        """How many views stand between a view and its farthest source."""
        levels: dict[str, int] = {}
        for view in self.views:  # in graph order, so that inputs come first
            levels[view] = 1 + max((levels[i] for i in self.inputs[view] if i in levels), default=0)
        return levels[name]


def build_graph(views: Iterable[View], sources: Iterable[str]) -> Graph:
    """Resolve what each view reads; refuse unknown names, clashes and cycles."""
    source_names = tuple(sources)
    known = {name.lower(): name for name in source_names}
    by_name: dict[str, View] = {}
    for view in views:
        if view.name.lower() in known:
            raise _clash(view, known[view.name.lower()], by_name)
        known[view.name.lower()] = view.name
        by_name[view.name] = view
    inputs = {v.name: tuple(_resolve(v, r, known) for r in v.reads) for v in by_name.values()}
    order = _sorted(by_name, inputs)
    return Graph(
        views={name: by_name[name] for name in order},
        inputs={name: inputs[name] for name in order},
        sources=source_names,
    )


def _clash(view: View, other: str, views: Mapping[str, View]) -> UserError:
    if other in views:
        return UserError(
            f'view "{view.name}" is defined twice',
            code="duplicate-view",
            detail=f"In {views[other].file} and in {view.file}.",
            relation=view.name,
            hint="Rename one of them.",
        )
    return UserError(
        f'view "{view.name}" has the name of a source',
        code="name-clash",
        detail=f"The view is in {view.file}, the source in tidewheel.yml.",
        relation=view.name,
        hint="Rename the view's file or the source.",
    )


def _resolve(view: View, reference: Reference, known: Mapping[str, str]) -> str:
    name = known.get(reference.name.lower())
    if name is None:
        raise UserError(
            f'relation "{reference.name}" does not exist',
            code="unknown-relation",
            detail=f'View "{view.name}" reads it.',
            span=reference.span,
            relation=view.name,
            hint=did_you_mean(reference.name, [n for n in known.values() if n != view.name])
            or "Declare it under `sources:` in tidewheel.yml, or write a view of that name.",
        )
    return name


def _sorted(views: Mapping[str, View], inputs: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Depth first, names in order, so that the same project always has the same order; without recursion."""
    done: dict[str, None] = {}
    for root in sorted(views):
        path: list[str] = []
        todo: list[tuple[str, bool]] = [(root, False)]
        while todo:
            name, left = todo.pop()
            if left:
                path.pop()
                done[name] = None
            elif name in path:
                raise _cycle([*path[path.index(name) :], name], views)
            elif name not in done:
                path.append(name)
                todo.append((name, True))
                todo.extend((i, False) for i in sorted(inputs[name], reverse=True) if i in views and i not in done)
    return list(done)


def _cycle(path: list[str], views: Mapping[str, View]) -> UserError:
    view = views[path[0]]
    reference = next(r for r in view.reads if r.name.lower() == path[1].lower())
    return UserError(
        f"views depend on each other in a cycle: {' -> '.join(path)}",
        code="cycle",
        detail='Read "a -> b" as: a reads b.',
        span=reference.span,
        relation=view.name,
        hint="Break the cycle: one of them must read something else.",
    )

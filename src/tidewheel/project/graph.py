"""Views and what they read: the graph, its order, its cycles."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tidewheel.errors import Span, TidewheelError, UserError, did_you_mean
from tidewheel.names import check_column_name
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
    options_start: int | None = None
    """Where its options stand in its file, if they do."""
    comment: str = ""
    """What its author says of it, by COMMENT and by the `--` lines before it."""

    def span(self, start: int, length: int) -> Span:
        """A place in the view's own file, from an offset into its query."""
        return Span.at(self.file_text, self.offset + start, length, self.file)

    def option_span(self, value: str) -> Span:
        """The place of an option's value in the view's file; the query's, if tidewheel.yml has the option."""
        start = -1 if self.options_start is None else self.file_text.find(value, self.options_start, self.offset)
        return self.span(0, 1) if start < 0 else Span.at(self.file_text, start, len(value), self.file)

    def check_columns(self, names: Sequence[str]) -> None:
        """What the text alone does not show: names behind a star, and the columns to cluster by."""
        seen: set[str] = set()
        for name in names:
            check_column_name(name, seen, span=self.span(0, 1), relation=self.name)
            seen.add(name.lower())
        for column in self.options.cluster_by:
            if column.lower() not in seen:
                raise UserError(
                    f'column "{column}" of cluster_by does not exist',
                    code="unknown-column",
                    span=self.option_span(column),
                    relation=self.name,
                    detail=f"The view has: {', '.join(names)}.",
                    hint=did_you_mean(column, list(names)) or "Name a column that the view selects.",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A view that cannot be run: its definition is wrong, or it reads one that is broken.

    Whatever else of it is known stays known: `reads` are the relations that its text names, if it could be read.
    """

    name: str
    file: str
    error: TidewheelError
    reads: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, view: View, error: TidewheelError) -> Broken:
        reads = tuple(r.name for r in view.reads)
        return cls(name=view.name, file=view.file, error=error, reads=reads, tags=view.options.tags)


@dataclass(frozen=True, kw_only=True)
class Graph:
    """Views in an order in which each comes after all it reads; `inputs` by canonical names, of broken ones too."""

    views: Mapping[str, View]
    inputs: Mapping[str, tuple[str, ...]]
    sources: tuple[str, ...]
    broken: Mapping[str, Broken] = field(default_factory=dict)

    @property
    def order(self) -> tuple[str, ...]:
        return tuple(self.views)

    @property
    def names(self) -> tuple[str, ...]:
        """All views, the broken ones last."""
        return (*self.views, *self.broken)

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


def build_graph(views: Iterable[View | Broken], sources: Iterable[str]) -> Graph:
    """Resolve what each view reads. Unknown names, clashes and cycles break the views that have them, and readers."""
    source_names = tuple(sources)
    sound, broken = _by_name(views, source_names)
    known = {name.lower(): name for name in (*source_names, *sound, *broken)}
    _settle_guesses(sound, known)
    for view in list(sound.values()):
        if (unknown := _unknown(view, known)) is not None:
            broken[view.name] = Broken.of(sound.pop(view.name), unknown)
    resolved = {v.name: tuple(known[r.name.lower()] for r in v.reads) for v in sound.values()}
    order = _sorted(sound, resolved, broken)
    _break_below(sound, order, resolved, broken)
    inputs = {name: resolved[name] for name in order if name not in broken}
    inputs |= {n: tuple(known[r.lower()] for r in b.reads if r.lower() in known) for n, b in broken.items()}
    return Graph(
        views={name: sound[name] for name in order if name not in broken},
        inputs=inputs,
        sources=source_names,
        broken=dict(sorted(broken.items())),
    )


def _by_name(views: Iterable[View | Broken], sources: Iterable[str]) -> tuple[dict[str, View], dict[str, Broken]]:
    """Views apart by whether their text is sound and their name their own."""
    taken = {name.lower(): name for name in sources}
    found: dict[str, View | Broken] = {}
    sound: dict[str, View] = {}
    broken: dict[str, Broken] = {}
    for view in views:
        other = found.get(taken.get(view.name.lower(), ""))
        if view.name.lower() not in taken:
            taken[view.name.lower()] = view.name
            found[view.name] = view
            if isinstance(view, Broken):
                broken[view.name] = view
            else:
                sound[view.name] = view
        elif other is None:
            broken[view.file] = replace(_as_broken(view, _name_of_source(view)), name=view.file)  # the name is taken
        else:  # whose rows would its table hold?
            sound.pop(other.name, None)
            broken[other.name] = _as_broken(other, _defined_twice(view, other))
    return sound, broken


def _as_broken(view: View | Broken, error: TidewheelError) -> Broken:
    return replace(view, error=error) if isinstance(view, Broken) else Broken.of(view, error)


def _break_below(
    sound: Mapping[str, View], order: Sequence[str], inputs: Mapping[str, tuple[str, ...]], broken: dict[str, Broken]
) -> None:
    for name in order:
        above = next((i for i in inputs[name] if i in broken), None)
        if above is not None and name not in broken:
            broken[name] = Broken.of(sound[name], below_broken(name, above, broken[above].error))


def below_broken(view: str, above: str, error: TidewheelError) -> UserError:
    """What is wrong with a view that reads a broken one; the cause is carried down."""
    root = error.detail if error.code == "broken-input" else f'View "{above}": {error.message}.'
    return UserError(
        f'view "{above}" is broken',
        code="broken-input",
        detail=root,
        span=error.span,
        relation=view,
        hint="Correct that view first.",
    )


def _defined_twice(view: View | Broken, other: View | Broken) -> UserError:
    return UserError(
        f'view "{view.name}" is defined twice',
        code="duplicate-view",
        detail=f"In {other.file} and in {view.file}.",
        span=_beginning(view),
        relation=view.name,
        hint="Rename one of them.",
    )


def _name_of_source(view: View | Broken) -> UserError:
    return UserError(
        f'view "{view.name}" has the name of a source',
        code="name-clash",
        detail=f"The view is in {view.file}, the source in tidewheel.yml.",
        span=_beginning(view),
        relation=view.name,
        hint="Rename the view's file or the source.",
    )


def _settle_guesses(views: dict[str, View], known: Mapping[str, str]) -> None:
    """Keep of the relations that views perhaps read those that exist, but for what would make a cycle."""
    reads = {v.name: {known.get(r.name.lower(), "") for r in v.reads if not r.guessed} for v in views.values()}
    for view in list(views.values()):
        kept = []
        for reference in view.reads:
            name = known.get(reference.name.lower())
            if not reference.guessed or (name is not None and view.name not in _reached(name, reads)):
                kept.append(reference)
                reads[view.name] |= {name or ""}
        views[view.name] = replace(view, reads=tuple(kept))


def _reached(name: str, reads: Mapping[str, set[str]]) -> set[str]:
    """A relation and all that it reads, near and far."""
    found: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        if current not in found:
            found.add(current)
            todo += reads.get(current, ())
    return found


def _beginning(view: View | Broken) -> Span | None:
    """Where a view's definition is; of one whose text is wrong, where that is."""
    return view.span(0, 1) if isinstance(view, View) else view.error.span


def _unknown(view: View, known: Mapping[str, str]) -> UserError | None:
    """The first relation that a view reads and that nobody has defined."""
    reference = next((r for r in view.reads if r.name.lower() not in known), None)
    if reference is None:
        return None
    return UserError(
        f'relation "{reference.name}" does not exist',
        code="unknown-relation",
        detail=f'View "{view.name}" reads it.',
        span=reference.span,
        relation=view.name,
        hint=did_you_mean(reference.name, [n for n in known.values() if n != view.name])
        or "Declare it under `sources:` in tidewheel.yml, or write a view of that name.",
    )


def _sorted(views: Mapping[str, View], inputs: Mapping[str, tuple[str, ...]], broken: dict[str, Broken]) -> list[str]:
    """Depth first, names in order, so that the same project always has the same order; without recursion.

    The views of a cycle have no order: they are broken.
    """
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
                cycle = [*path[path.index(name) :], name]
                error = _cycle(cycle, views)
                broken |= {view: Broken.of(views[view], error) for view in cycle if view not in broken}
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

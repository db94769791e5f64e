"""Smaller histories that still fail: fewer rounds, views, rows and rules, and a simpler last view.

A view that is read by another becomes a table with the changes it had, as long as it was never stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from tests.fuzz.histories import History, Round, Step, after, is_sound
from tests.fuzz.shrink import descend, smaller_queries
from tests.fuzz.tables import Case, Data, Row
from tidewheel.ir.norm import normalize
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Rel
from tidewheel.ir.tree import nodes, relations
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.evaluate import Table, evaluate
from tidewheel.tvr.reference.values import row_key
from tidewheel.tvr.reference.zset import ZSet


def shrink_history(history: History, fails: Callable[[History], bool], seconds: float = 60.0) -> History:
    """The smallest history found that still fails, within the time given."""
    return descend(history, _candidates, _size, fails, seconds)


def _size(history: History) -> int:
    return 60 * sum(1 for query in history.views.values() for _ in nodes(query.rel)) + len(str(history))


def _candidates(history: History) -> Iterator[History]:
    for found in (*_fewer_rounds(history), *_fewer_views(history), *_fewer_tables(history)):
        if is_sound(found):
            yield found
    yield from _simpler_last_view(history)
    for found in _fewer_rows(history):
        if is_sound(found):
            yield found
    for i in range(len(history.disabled)):
        yield replace(history, disabled=history.disabled[:i] + history.disabled[i + 1 :])


def _fewer_rounds(history: History) -> Iterator[History]:
    rounds = history.rounds
    for i in range(len(rounds)):
        yield replace(history, rounds=rounds[: i + 1])
    if len(rounds) > 1:  # begin later
        first = rounds[0]
        tables = tuple(after(t, first.steps[t.name]) if t.name in first.steps else t for t in history.tables)
        yield replace(history, tables=tables, rounds=rounds[1:])
    for i in range(len(rounds) - 1):
        yield replace(history, rounds=rounds[:i] + rounds[i + 1 :])
    for i, current in enumerate(rounds):
        if current.stale:
            yield _with_round(history, i, replace(current, stale=frozenset()))


def _with_round(history: History, at: int, current: Round) -> History:
    return replace(history, rounds=(*history.rounds[:at], current, *history.rounds[at + 1 :]))


def _fewer_views(history: History) -> Iterator[History]:
    read = {name for query in history.views.values() for name in relations(query.rel)}
    for name in history.views:
        if name not in read and len(history.views) > 1:
            yield replace(history, views={n: q for n, q in history.views.items() if n != name})
    first = next(iter(history.views))
    if len(history.views) > 1 and not any(first in current.stale for current in history.rounds):
        found = _as_table(history, first)
        if found is not None:
            yield found


def _as_table(history: History, name: str) -> History | None:
    """The first view as a table that changes as the view did."""
    query = history.views[name]
    rel = normalize(query).rel
    now: dict[str, Data] = {t.name: t for t in history.tables}
    try:
        rows = _rows(rel, now)
        columns = tuple(Column(*f) for f in zip(query.names, types_of(rel), nullable_of(rel), strict=True))
        table = Data(name=name, columns=columns, rows=tuple(rows.to_rows()))
        rounds = []
        for current in history.rounds:
            now |= {n: after(now[n], step) for n, step in current.steps.items()}
            new = _rows(rel, now)
            entries = [(row, 1 if w > 0 else -1) for row, w in new - rows for _ in range(abs(w))]
            rounds.append(replace(current, steps={**current.steps, name: Step("mixed", tuple(entries))}))
            rows = new
    except (EvaluationError, Unsupported):
        return None
    views = {n: q for n, q in history.views.items() if n != name}
    return replace(history, tables=(*history.tables, table), views=views, rounds=tuple(rounds))


def _rows(rel: Rel, now: Mapping[str, Data]) -> ZSet:
    return evaluate(rel, {n: Table(t.columns, t.rows) for n, t in now.items()})


def _fewer_tables(history: History) -> Iterator[History]:
    read = {name for query in history.views.values() for name in relations(query.rel)}
    if any(t.name not in read for t in history.tables):
        rounds = [replace(r, steps={n: s for n, s in r.steps.items() if n in read}) for r in history.rounds]
        yield replace(history, tables=tuple(t for t in history.tables if t.name in read), rounds=tuple(rounds))
    for i, current in enumerate(history.rounds):
        for name in current.steps:
            yield _with_round(history, i, replace(current, steps={n: s for n, s in current.steps.items() if n != name}))


def _simpler_last_view(history: History) -> Iterator[History]:
    name, query = list(history.views.items())[-1]
    for case in smaller_queries(Case(tables=history.tables, query=query)):
        yield replace(history, views={**history.views, name: case.query})


def _fewer_rows(history: History) -> Iterator[History]:
    for table in history.tables:
        for row in dict.fromkeys(table.rows):
            yield _without(history, table.name, row)
    for i, current in enumerate(history.rounds):
        for name, step in current.steps.items():
            for j, (row, _) in enumerate(step.entries):
                fewer = Step(step.kind, step.entries[:j] + step.entries[j + 1 :])
                yield _with_round(history, i, replace(current, steps={**current.steps, name: fewer}))
                yield _without(history, name, row)


def _without(history: History, name: str, row: Row) -> History:
    """Without a row, whenever it is there."""
    at = row_key(row)
    tables = tuple(
        replace(t, rows=tuple(r for r in t.rows if row_key(r) != at)) if t.name == name else t for t in history.tables
    )
    rounds = []
    for current in history.rounds:
        steps = dict(current.steps)
        if name in steps:
            kept = tuple(e for e in steps[name].entries if row_key(e[0]) != at)
            steps[name] = Step(steps[name].kind, kept)
        rounds.append(replace(current, steps=steps))
    return replace(history, tables=tables, rounds=tuple(rounds))

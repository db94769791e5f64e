"""Histories: tables, views over them and over each other, and what happens to the tables, round by round. With text:

table t0 (k INT NOT NULL, s STRING) key (c0)
  [1, "x"]
view v0
query k
  filter isnull(c1)
    scan t0 (k INT NOT NULL, s STRING) key (c0)
without groups, join-terms
round stale v0
change t0 mixed
  + [2, null]
  - [1, "x"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tests.fuzz.tables import Data, Row, parse_head, row_from_text, row_to_text
from tidewheel.delta.change import Kind
from tidewheel.ir.rel import Query
from tidewheel.ir.text import parse_query, print_query
from tidewheel.tvr.reference.zset import ZSet

Entry = tuple[Row, int]


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one table: rows that come (1) and go (-1), in any order.

    An append has only rows that come. In a layered change, which is several in one, rows may come and go again.
    """

    kind: Kind
    entries: tuple[Entry, ...]

    def __add__(self, later: Step) -> Step:
        """Both, as one change."""
        both: Kind = "append" if self.kind == later.kind == "append" else "layered"
        return Step(both, self.entries + later.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One refresh: what happened to the tables since the one before, and the views that are left stale."""

    steps: Mapping[str, Step]
    stale: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Views in an order in which each reads only tables and those before it; `disabled` are rules that are off.

    `daring` says that the last view may raise.
    """

    tables: tuple[Data, ...]
    views: Mapping[str, Query]
    rounds: tuple[Round, ...]
    disabled: tuple[str, ...] = ()
    label: str = field(default="", compare=False)
    daring: bool = False

    def __str__(self) -> str:
        return "\n".join(_lines(self)) + "\n"


def after(table: Data, step: Step) -> Data:
    """The table after a change; what goes must have been there."""
    rows = ZSet.of_rows(table.rows) + ZSet(step.entries)
    return replace(table, rows=tuple(rows.to_rows()))


def is_sound(history: History) -> bool:
    """Do only rows go that are there, and do keys stay unique?"""
    now = {t.name: t for t in history.tables}
    for current in history.rounds:
        for name, step in current.steps.items():
            if step.kind == "append" and any(w < 0 for _, w in step.entries):
                return False
            try:
                now[name] = after(now[name], step)
            except ValueError:
                return False
            for key in now[name].keys:
                if len({tuple(row[i] for i in key) for row in now[name].rows}) < len(now[name].rows):
                    return False
    return True


def _lines(history: History) -> Iterator[str]:
    for table in history.tables:
        yield table.head
        yield from (f"  {row_to_text(row)}" for row in table.rows)
    for name, query in history.views.items():
        yield f"view {name}"
        yield print_query(query).rstrip("\n")
    if history.disabled:
        yield f"without {', '.join(history.disabled)}"
    for current in history.rounds:
        yield f"round stale {', '.join(sorted(current.stale))}" if current.stale else "round"
        for name, step in current.steps.items():
            yield f"change {name} {step.kind}"
            yield from (f"  {'+' if weight > 0 else '-'} {row_to_text(row)}" for row, weight in step.entries)


def parse_history(text: str, label: str = "") -> History:
    """Read back what a history prints; lines that start with # are comments."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    starts = [i for i, line in enumerate(lines) if line.partition(" ")[0] in _HEADS]
    tables: dict[str, Data] = {}
    views: dict[str, Query] = {}
    rounds: list[Round] = []
    disabled: tuple[str, ...] = ()
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        head, _, rest = lines[start].partition(" ")
        body = lines[start + 1 : end]
        match head:
            case "table":
                table = parse_head(lines[start])
                tables[table.name] = replace(table, rows=tuple(row_from_text(line, table) for line in body))
            case "view":
                views[rest] = parse_query("\n".join(body) + "\n")
            case "without":
                disabled = tuple(rest.split(", "))
            case "round":
                rounds.append(Round(steps={}, stale=frozenset(rest.removeprefix("stale ").split(", ")) - {""}))
            case "change":
                name, _, kind = rest.rpartition(" ")
                entries = tuple(_entry(line, tables[name]) for line in body)
                step = Step(_KINDS[kind], entries)
                rounds[-1] = replace(rounds[-1], steps={**rounds[-1].steps, name: step})
    return History(tables=tuple(tables.values()), views=views, rounds=tuple(rounds), disabled=disabled, label=label)


_KINDS: dict[str, Kind] = {"append": "append", "mixed": "mixed", "layered": "layered"}
_HEADS = frozenset({"table", "view", "without", "round", "change"})


def _entry(line: str, table: Data) -> Entry:
    sign, _, row = line.strip().partition(" ")
    return row_from_text(row, table), 1 if sign == "+" else -1

"""Statistics in, plan out, no engine: which alternative is chosen for each goal, and how much dearer the others are.

    # why this case is here
    table orders (id INT, customer INT) rows 1000000 files 40 distinct customer 5000
    changes orders mixed 100
    sql SELECT ...
    becomes
    view by groups
    delta of join left on c0 = c0: join-parts (join-keys 5 x)
    ...

Files are 20 and all values different unless the case says otherwise; relations that are not named under `changes` did
not change. Costs stand as ratios, rounded to 1, 2, 5, 10, so that a small correction of a price moves none.

TIDEWHEEL_REWRITE=1 writes what is chosen now into the files: read the difference before you keep it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import assert_never

import pytest

from tests.golden.made_up import MadeUp
from tests.golden.plans import is_rewriting
from tidewheel.ddl import parse_schema
from tidewheel.delta.change import Kind
from tidewheel.ir.forms import Delta, Form, Part, Snapshot
from tidewheel.ir.norm import normalize
from tidewheel.optimize.cost import DEFAULTS
from tidewheel.optimize.exploration import Exploration
from tidewheel.optimize.maintenance import Statement, changes, upkeep_of
from tidewheel.optimize.trace import SearchedGoal, trace_of
from tidewheel.optimize.valuation import Decision, Venue, decide
from tidewheel.sql.bind import CatalogRelation, SqlText, bind_view

FILES = sorted(Path(__file__).parent.glob("plan/*.test"))
TABLE = re.compile(r"table (\w+) \((.+?)\) rows (\d+)(?: files (\d+))?(?: distinct (.+))?")
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
DRIVER = Venue(place="driver", prices=DEFAULTS["driver"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One block of a file: its lines before `becomes`, and those after it."""

    file: Path
    number: int
    given: tuple[str, ...]
    expected: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{self.file.stem}-{self.number}"

    def __str__(self) -> str:
        return "\n".join((*self.given, "becomes", *self.expected))


@dataclass(slots=True)
class Setting:
    """What a case says of its tables."""

    relations: dict[str, CatalogRelation] = field(default_factory=dict)
    rows: dict[str, float] = field(default_factory=dict)
    files: dict[str, float] = field(default_factory=dict)
    distinct: dict[str, float] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    changes: dict[str, float] = field(default_factory=dict)
    sql: str = ""

    def stock(self, states: Mapping[str, float]) -> MadeUp:
        rows = {**self.rows, **states}
        return MadeUp(rows=rows, files=self.files, distinct=self.distinct, changes=self.changes)


def read(file: Path) -> Iterator[Case]:
    for number, block in enumerate(file.read_text(encoding="utf-8").strip().split("\n\n"), 1):
        lines = block.splitlines()
        middle = lines.index("becomes")
        yield Case(file=file, number=number, given=tuple(lines[:middle]), expected=tuple(lines[middle + 1 :]))


CASES = [case for file in FILES for case in read(file)]


def setting_of(lines: Sequence[str]) -> Setting:
    setting = Setting()
    for line in lines:
        word, _, rest = line.partition(" ")
        match word:
            case "#":
                pass
            case "table":
                _add_table(setting, line)
            case "changes":
                for each in rest.split(", "):
                    name, kind, rows = each.split()
                    setting.kinds[name] = "append" if kind == "append" else "mixed"
                    setting.changes[name] = float(rows)
            case _:
                setting.sql += f"{line.removeprefix('sql ')}\n"
    return setting


def _add_table(setting: Setting, line: str) -> None:
    found = TABLE.fullmatch(line)
    if found is None:
        raise ValueError(f"no table: {line}")
    name, schema, rows, files, distinct = found.groups()
    relation = setting.relations[name] = CatalogRelation.of(name, parse_schema(schema))
    setting.rows[name], setting.files[name] = float(rows), float(files or 20)
    setting.distinct |= {f"{name}.{column.name}".lower(): float(rows) for column in relation.columns}
    for each in (distinct or "").split(", "):
        if each:
            column, values = each.split()
            setting.distinct[f"{name}.{column}".lower()] = float(values)


def planned(setting: Setting) -> list[str]:
    """How the view and its states are kept, and how each goal is computed."""
    query = normalize(bind_view(SqlText(sql=setting.sql), setting.relations).query)
    upkeep = upkeep_of(query.rel, query.names)
    stock = setting.stock({state.name: 10_000.0 for state in upkeep.states})

    def cheapest(statements: Sequence[Statement], memo: Exploration) -> Decision:
        return decide([statement.rel for statement in statements], memo, stock, DRIVER)

    _, looked = changes(upkeep, setting.kinds, named=True, decide=cheapest)
    trace = trace_of(looked)
    *states, view = (f"{stored.operator} by {stored.rule}" for stored in trace.stored)
    found = dict.fromkeys(_told(group) for group in trace.groups)
    return [*(f"state {state}" for state in states), f"view {view}", *found]


def _told(group: SearchedGoal) -> str:
    least = group.ways.get(group.rule, 0.0)
    others = [f"{rule} {_times(seconds, least)}" for rule, seconds in sorted(group.ways.items()) if rule != group.rule]
    return f"{_form(group.form)} of {group.operator}: {group.rule}" + (f" ({', '.join(others)})" if others else "")


def _times(seconds: float, least: float) -> str:
    reached = [step for step in STEPS if seconds >= step * least * (1 - 1e-9)]
    return f"{reached[-1]} x" if reached else "cheaper by itself"


def _form(form: Form) -> str:
    match form:
        case Delta():
            return "delta"
        case Part():
            return f"part {form.point}"
        case Snapshot():
            return f"rows {form.point}"
        case _:
            assert_never(form)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_is_chosen_is_what_the_golden_says(case: Case) -> None:
    found = tuple(planned(setting_of(case.given)))
    if is_rewriting():
        cases = [replace(each, expected=found) if each.number == case.number else each for each in read(case.file)]
        case.file.write_text("\n\n".join(map(str, cases)) + "\n", encoding="utf-8")
    else:
        assert found == case.expected


def test_both_ways_of_every_choice_are_seen_chosen() -> None:
    """A rule that never wins against another would need no price."""
    choices = [line for case in CASES for line in case.expected if re.search(r" \d+ x[,)]", line)]
    chosen = {line.partition(": ")[2].split()[0] for line in choices}
    assert chosen >= {"push", "select", "join-parts", "join-keys"}

"""Short ways to write a plan and to evaluate it."""

from __future__ import annotations

from typing import Any

from tidewheel.ir.reader import parse_scalar
from tidewheel.ir.rel import ONE_ROW, Project
from tidewheel.ir.text import parse_rel
from tidewheel.tvr.reference.evaluate import Table, compute, evaluate
from tidewheel.tvr.reference.values import key

Rows = list[tuple[Any, ...]]


def run(text: str, **tables: Table) -> Rows:
    """The rows of a plan, whose lines are indented by two, sorted."""
    lines = text.strip("\n").splitlines()
    margin = len(lines[0]) - len(lines[0].lstrip())
    body = "\n".join("  " + line[margin:] for line in lines)
    return evaluate(parse_rel(f"plan\n{body}\n"), tables).to_rows()


def scalar(text: str) -> Any:
    """The value of an expression without columns."""
    return compute(Project(input=ONE_ROW, exprs=(parse_scalar(text),)), {}).rows[0][0]


def ordered(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: tuple(key(v) for v in row))

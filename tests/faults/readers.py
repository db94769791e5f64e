"""Readers that look again and again while others write, and note everything that could not have been."""

from __future__ import annotations

import itertools
import os
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

import tidewheel as tw
from tidewheel.api import Project

Seen = dict[str, tuple[int, int]]
"""What each relation adds up to: the total, and how many accounts that is."""


def sums(table: pa.Table, total: str, count: str | None) -> tuple[int, int]:
    rows = table.to_pylist()
    return sum(r[total] for r in rows), sum(r[count] for r in rows) if count else len(rows)


def views(project: Project) -> Seen:
    """Both views at one cut."""
    with project.snapshot() as cut:
        return {v: sums(cut.to_arrow(v), "total", "n") for v in ("by_branch", "grand")}


def snapshot(project: Project) -> Seen:
    """Both views and the source at one cut."""
    with project.snapshot() as cut:
        found = {v: sums(cut.to_arrow(v), "total", "n") for v in ("by_branch", "grand")}
        return {**found, "accounts": sums(cut.to_arrow("accounts"), "balance", None)}


def latest(project: Project) -> Seen:
    """Each view by itself, as Tidewheel reads it."""
    return {v: sums(project.to_arrow(v), "total", "n") for v in ("by_branch", "grand")}


def plain(project: Project) -> Seen:
    """Each view by itself, as any Delta reader reads it."""
    root = project.definition().warehouse
    tables = {v: pa.table(DeltaTable(os.path.join(root, v)).to_pyarrow_table()) for v in ("by_branch", "grand")}
    return {v: sums(table, "total", "n") for v, table in tables.items()}


READS = {"views": views, "snapshot": snapshot, "latest": latest, "plain": plain}


def poll(root: str, ways: list[str], count: int, at_least: int, until: str) -> dict[str, Any]:
    """Read in each way until a file appears, and at least so often. `count` is how many accounts there always are.

    The bank's total only grows, by a deposit with every batch: a reader that goes back in time saw an older version.
    """
    project = tw.open(root)
    violations: list[str] = []
    totals: dict[str, list[int]] = {}
    for number in itertools.count():
        if number >= at_least and os.path.exists(until):
            break
        for way in ways:
            found = READS[way](project)
            if way in {"views", "snapshot"} and len(set(found.values())) > 1:
                violations.append(f"read {number}: mixed cuts {found}")
            for relation, (total, accounts) in found.items():
                before = totals.setdefault(f"{way} {relation}", [])
                if accounts != count:
                    violations.append(f"{way} read {number}: {relation} has {accounts} accounts of {count}")
                if before and total < before[-1]:
                    violations.append(f"{way} read {number}: {relation} went back from {before[-1]} to {total}")
                before.append(total)
    changes = min(len(set(seen)) for seen in totals.values())
    return {"reads": number, "violations": violations, "changes": changes}

"""A small project whose right answers are known without any of Tidewheel's code: a bank, in plain Python.

`Bank` is the model: what the sources hold and, from that, what each view must show. Operations are plain data, so that
they can be sent to a child process, done there by `jobs.perform`, and repeated after a crash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.faults.strangers import FOREIGN_ROWS

Operation = dict[str, Any]
Rows = list[list[Any]]

REFRESH: Operation = {"do": "refresh"}
VACUUM: Operation = {"do": "vacuum", "abandoned": "0 seconds"}
"""Keeps nothing old, and takes every attempt under way for abandoned."""
PATIENT_VACUUM: Operation = {"do": "vacuum", "abandoned": "1 hour"}
"""Keeps nothing old, but leaves attempts under way alone."""

SOURCES: dict[str, dict[str, Any]] = {
    "accounts": {"kind": "managed", "schema": "id BIGINT, branch STRING, balance BIGINT", "key": ["id"]},
    "notes": {"kind": "managed", "schema": "id BIGINT, word STRING"},
}
ADDED = "note"
"""A column that a source gets and no row fills: the model need not know of it."""
WIDER_ACCOUNTS = {**SOURCES["accounts"], "schema": f"id BIGINT, branch STRING, balance BIGINT, {ADDED} STRING"}
VIEWS = {
    "by_branch": "SELECT branch, sum(balance) AS total, count(*) AS n FROM accounts GROUP BY branch",
    "grand": "SELECT sum(total) AS total, sum(n) AS n FROM by_branch",
    "words": "SELECT word, count(*) AS n FROM notes GROUP BY word",
}
LANDED_SOURCE = {"kind": "files", "path": "./landing", "schema": "id BIGINT, word STRING"}
FOLLOWED_SOURCE = {**LANDED_SOURCE, "on_file_change": "reload"}
FOREIGN_SOURCE = {"kind": "delta", "path": "./foreign"}
MORE_VIEWS = {
    "landed_words": "SELECT word, count(*) AS n, sum(id) AS ids FROM landed GROUP BY word",
    "old": "SELECT branch FROM accounts GROUP BY branch",
    "alive": "SELECT id, word FROM foreign",
}


@dataclass(frozen=True, kw_only=True)
class Bank:
    """What the sources hold; `views` are those that exist, by name."""

    accounts: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    notes: tuple[tuple[int, str], ...] = ()
    landed: tuple[tuple[int, str], ...] = ()
    views: tuple[str, ...] = tuple(VIEWS)

    def after(self, operations: Iterable[Operation]) -> Bank:
        bank = self
        for operation in operations:
            bank = bank._after(operation)
        return bank

    def _after(self, operation: Operation) -> Bank:
        match operation:
            case {"do": "ingest", "source": "accounts", "mode": "delete", "rows": rows}:
                return replace(self, accounts={k: v for k, v in self.accounts.items() if [k] not in rows})
            case {"do": "ingest", "source": "accounts", "mode": "replace", "rows": rows}:
                return replace(self, accounts={i: (b, n) for i, b, n in rows})
            case {"do": "ingest", "source": "accounts", "rows": rows}:
                return replace(self, accounts={**self.accounts, **{i: (b, n) for i, b, n in rows}})
            case {"do": "ingest", "source": "notes", "mode": "delete", "rows": rows}:
                left = Counter(self.notes) - Counter((i, w) for i, w in rows)
                return replace(self, notes=tuple(left.elements()))
            case {"do": "ingest", "source": "notes", "mode": "replace", "rows": rows}:
                return replace(self, notes=tuple((i, w) for i, w in rows))
            case {"do": "ingest", "source": "notes", "rows": rows}:
                return replace(self, notes=(*self.notes, *((i, w) for i, w in rows)))
            case {"do": "unland", "rows": rows}:
                return replace(self, landed=tuple(row for row in self.landed if list(row) not in rows))
            case {"do": "land", "rows": rows}:
                return replace(self, landed=(*self.landed, *((i, w) for i, w in rows)))
            case {"do": "add_view", "view": view}:
                return replace(self, views=(*self.views, view))
            case {"do": "remove_source", "source": "notes"}:
                return replace(self, notes=())
            case {"do": "drop_view", "view": view}:
                return replace(self, views=tuple(v for v in self.views if v != view))
        return self

    def source_rows(self) -> dict[str, Rows]:
        return {
            "accounts": sorted([i, b, n] for i, (b, n) in self.accounts.items()),
            "notes": sorted([i, w] for i, w in self.notes),
            "landed": sorted([i, w] for i, w in self.landed),
        }

    def view_rows(self) -> dict[str, Rows]:
        """What every view must show; a group is there only while it has a row, the grand total always is one row."""
        branches: dict[str, list[int]] = {}
        for branch, balance in self.accounts.values():
            branches.setdefault(branch, []).append(balance)
        ids: dict[str, list[int]] = {}
        for i, word in self.landed:
            ids.setdefault(word, []).append(i)
        total = [sum(n for _, n in self.accounts.values()), len(self.accounts)]
        answers: dict[str, Rows] = {
            "by_branch": sorted([b, sum(found), len(found)] for b, found in branches.items()),
            "grand": [total if self.accounts else [None, None]],
            "words": sorted([w, n] for w, n in Counter(w for _, w in self.notes).items()),
            "landed_words": sorted([w, len(found), sum(found)] for w, found in ids.items()),
            "old": sorted([b] for b in branches),
            "alive": FOREIGN_ROWS,
        }
        return {view: answers[view] for view in self.views}


def ingest(source: str, rows: Rows, mode: str = "append", id: str | None = None) -> Operation:  # noqa: A002
    return {"do": "ingest", "source": source, "mode": mode, "rows": rows, "id": id}


def accounts(first: int, count: int, balance: int = 100) -> Rows:
    return [[i, f"b{i % 3}", balance + i] for i in range(first, first + count)]


def words(first: int, count: int) -> Rows:
    return [[i % 5, f"w{i % 2}"] for i in range(first, first + count)]


def transfer(a: int, b: int, amount: int, bank: Bank) -> Rows:
    """Both accounts of one transfer as rows to upsert: the total stays."""
    (branch_a, balance_a), (branch_b, balance_b) = bank.accounts[a], bank.accounts[b]
    return [[a, branch_a, balance_a - amount], [b, branch_b, balance_b + amount]]

"""Everything that changes something on disk, as short stories: what came before, the operation, what is right after.

Between them the stories pass every failpoint (a test asserts it). Each is told again with a kill, and with an error,
at every point that it passes.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import Any

from tests.faults.forks import ForkServer
from tests.faults.ledger import (
    FOLLOWED_SOURCE,
    FOREIGN_SOURCE,
    LANDED_SOURCE,
    MORE_VIEWS,
    REFRESH,
    VACUUM,
    VIEWS,
    WIDER_ACCOUNTS,
    Bank,
    Operation,
    accounts,
    ingest,
    words,
)

SUMS, WORDS = ("by_branch", "grand"), ("words",)
ACCOUNTS = [ingest("accounts", accounts(0, 9)), REFRESH]
NOTES = [ingest("notes", words(0, 8)), REFRESH]
AROUND_COMMIT = ("ingest.commit", "ingest.done")
CHANGES_VIEWS = frozenset({"refresh", "lost_refresh"})


def add_view(name: str) -> Operation:
    return {"do": "add_view", "view": name, "sql": MORE_VIEWS[name]}


def land(name: str, first: int) -> Operation:
    return {"do": "land", "name": name, "rows": [[first + i, f"w{i % 2}"] for i in range(4)]}


def die(point: str, operation: Operation) -> Operation:
    return {"do": "die", "point": point, "operation": operation}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """`groups` are lists of operations that are each done by a process of their own."""

    groups: list[list[Operation]]
    operation: Operation
    views: tuple[str, ...] = tuple(VIEWS)
    ends_with: str | None = None
    creates: bool = True
    only: tuple[str, ...] = ("",)
    """The points that make a difference here, by their beginnings: the others are passed in other scenarios too."""

    def expected(self) -> dict[str, Any]:
        """What may show right after a crash or error (sources, views), and what must be in the end."""
        told = Story(self.views)
        for operation in [o for group in self.groups for o in group]:
            told.tell(operation)
        sources, views = told.bank.source_rows(), told.shown
        told.tell(self.operation)
        after = told.bank.source_rows(), told.shown
        told.tell(REFRESH)
        return {
            "sources": [sources, after[0]],
            "views": [views, after[1]],
            "final": {"sources": told.bank.source_rows(), "views": told.bank.view_rows()},
        }


class Story:
    """The model as operations go by: files that landed are taken, and views change, at the next refresh."""

    def __init__(self, views: tuple[str, ...]) -> None:
        self.bank = Bank(views=views)
        self.waiting: list[Operation] = []
        self.shown: dict[str, Any] = {}

    def tell(self, operation: Operation) -> None:
        if operation["do"] in {"land", "unland"}:
            self.waiting.append(operation)
        elif operation["do"] in CHANGES_VIEWS:
            self.bank = self.bank.after(self.waiting)
            self.waiting = []
            self.shown = self.bank.view_rows()
        else:
            self.bank = self.bank.after([operation])
        if operation["do"] == "drop_view":
            self.shown = {view: rows for view, rows in self.shown.items() if view != operation["view"]}


CHANGE = ingest("accounts", accounts(3, 4, 500), "upsert")
FOR_LANDING: list[Operation] = [
    {"do": "add_source", "source": "landed", "entry": LANDED_SOURCE},
    add_view("landed_words"),
]
FOR_FOREIGN: list[Operation] = [
    {"do": "foreign"},
    {"do": "add_source", "source": "foreign", "entry": FOREIGN_SOURCE},
    add_view("alive"),
]
WITH_OLD = [ACCOUNTS[0], add_view("old"), REFRESH]
MANY_INGESTS = [ingest("notes", words(i, 2), id=f"n{i}") for i in range(13)]
OLD_CHECKPOINT: Operation = {"do": "checkpoint", "relation": "notes", "version": 3}
MANY_EPOCHS = [o for i in range(3) for o in (ingest("accounts", accounts(i, 3, 900 + i), "upsert"), REFRESH)]

SCENARIOS: dict[str, Scenario] = {
    "create": Scenario(groups=[], operation={"do": "create"}, creates=False),
    "first_ingest": Scenario(views=SUMS, groups=[], operation=ingest("accounts", accounts(0, 5), id="a1")),
    "append": Scenario(views=WORDS, groups=[NOTES], operation=ingest("notes", words(8, 4), id="n1")),
    "append_without_id": Scenario(
        views=WORDS, groups=[NOTES], operation=ingest("notes", words(8, 4)), only=AROUND_COMMIT
    ),
    "upsert": Scenario(
        views=SUMS, groups=[ACCOUNTS], operation=ingest("accounts", accounts(5, 6, 300), "upsert", "a2")
    ),
    "upsert_without_id": Scenario(
        views=SUMS,
        groups=[ACCOUNTS],
        operation=ingest("accounts", accounts(5, 6, 300), "upsert"),
        only=AROUND_COMMIT,
    ),
    "delete": Scenario(views=SUMS, groups=[ACCOUNTS], operation=ingest("accounts", [[1], [2], [7]], "delete", "a3")),
    "delete_one_copy": Scenario(
        views=WORDS,
        groups=[NOTES],
        operation=ingest("notes", words(0, 1), "delete", "n2"),
        only=("ingest.data", "ingest.change", "ingest.commit"),
    ),
    "replace": Scenario(
        views=SUMS,
        groups=[ACCOUNTS],
        operation=ingest("accounts", [*accounts(0, 4), *accounts(4, 3, 300), *accounts(20, 2)], "replace", "a4"),
    ),
    "replace_a_bag": Scenario(
        views=WORDS,
        groups=[NOTES],
        operation=ingest("notes", [*words(0, 5), *words(1, 3)], "replace", "n3"),
        only=("ingest.data", "ingest.change", "ingest.commit", "discard"),
    ),
    "replace_without_id": Scenario(
        views=SUMS, groups=[ACCOUNTS], operation=ingest("accounts", accounts(2, 9), "replace"), only=AROUND_COMMIT
    ),
    "stream": Scenario(
        views=WORDS,
        groups=[NOTES],
        operation={**ingest("notes", words(8, 4), id="n4"), "stream": True},
        only=("ingest.spool", *AROUND_COMMIT),
    ),
    "added_column": Scenario(
        views=SUMS,
        groups=[[*ACCOUNTS, {"do": "add_source", "source": "accounts", "entry": WIDER_ACCOUNTS}]],
        operation={**ingest("accounts", accounts(5, 6, 300), "upsert", "a5"), "wider": True},
        only=("ingest.attempt", "ingest.prepare", *AROUND_COMMIT),
    ),
    "added_column_by_refresh": Scenario(
        views=SUMS,
        groups=[[*ACCOUNTS, CHANGE, {"do": "add_source", "source": "accounts", "entry": WIDER_ACCOUNTS}]],
        operation=REFRESH,
        only=("ingest", "epoch.decide"),
    ),
    "delete_without_id": Scenario(
        views=WORDS, groups=[NOTES], operation=ingest("notes", words(0, 1), "delete"), only=AROUND_COMMIT
    ),
    "compaction": Scenario(
        views=WORDS,
        groups=[[*NOTES, *(ingest("notes", words(i, 2)) for i in range(6))]],
        operation=ingest("notes", words(9, 2), id="n7"),
        only=("ingest.compact", *AROUND_COMMIT),
    ),
    "checkpoint": Scenario(
        views=WORDS,
        groups=[NOTES],
        operation={**ingest("notes", words(9, 2), id="n2"), "checkpoint_every": 2},
        only=("checkpoint", "ingest.done"),
    ),
    "first_refresh": Scenario(views=SUMS, groups=[ACCOUNTS[:1]], operation=REFRESH),
    "second_refresh": Scenario(views=SUMS, groups=[[*ACCOUNTS, CHANGE]], operation=REFRESH),
    "lost_refresh": Scenario(
        views=SUMS,
        groups=[[*ACCOUNTS, CHANGE]],
        operation={"do": "lost_refresh"},
        ends_with="another-run-won",
        only=("discard", "epoch", "history"),
    ),
    "landing": Scenario(
        views=(),
        groups=[[*FOR_LANDING, land("a.parquet", 10), REFRESH, land("b.parquet", 20), land("c.csv", 30)]],
        operation=REFRESH,
        only=("files", "ingest", "epoch.decide"),
    ),
    "landed_files_that_go": Scenario(
        views=(),
        groups=[
            [
                {"do": "add_source", "source": "landed", "entry": FOLLOWED_SOURCE},
                add_view("landed_words"),
                land("a.parquet", 10),
                land("b.csv", 20),
                REFRESH,
                {**land("b.csv", 20), "do": "unland"},
                land("c.csv", 30),
            ]
        ],
        operation=REFRESH,
        only=("files", "ingest", "epoch.decide"),
    ),
    "foreign": Scenario(views=(), groups=[FOR_FOREIGN], operation=REFRESH, only=("cache", "stage")),
    "add_view": Scenario(views=SUMS, groups=[ACCOUNTS], operation=add_view("old")),
    "drop_view": Scenario(views=SUMS, groups=[WITH_OLD], operation={"do": "drop_view", "view": "old"}),
    "drop": Scenario(
        views=SUMS,
        groups=[[*WITH_OLD, {"do": "drop_view", "view": "old"}, REFRESH]],
        operation={"do": "drop", "view": "old"},
    ),
    "drop_source": Scenario(
        views=SUMS,
        groups=[[ACCOUNTS[0], *NOTES, {"do": "remove_source", "source": "notes"}]],
        operation={"do": "drop", "view": "notes"},
    ),
    "snapshot": Scenario(views=SUMS, groups=[ACCOUNTS], operation={"do": "snapshot"}),
    "vacuum": Scenario(
        views=("by_branch", "words"),
        groups=[
            [ACCOUNTS[0], *MANY_INGESTS, OLD_CHECKPOINT, *MANY_EPOCHS, CHANGE],
            [die("epoch.prepare:after", REFRESH)],
            [die("ingest.prepare:after", ingest("notes", words(1, 3)))],
        ],
        operation=VACUUM,
    ),
}


class Bench:
    """Prepared projects, each made once and copied for every case."""

    def __init__(self, server: ForkServer, folder: str) -> None:
        self.server = server
        self.folder = folder
        self.count = 0
        self.known: dict[str, list[str]] = {}

    def prepared(self, name: str) -> str:
        scenario = SCENARIOS[name]
        root = os.path.join(self.folder, f"{name}-prepared", "bank")
        if not os.path.exists(os.path.dirname(root)):
            os.makedirs(os.path.dirname(root))
            if scenario.creates:
                self.server.run("jobs.create", root=root, views=scenario.views)
            for group in scenario.groups:
                self.server.run("jobs.perform", root=root, operations=group)
        return root

    def copy(self, name: str) -> str:
        """A project of its own for one case; times and links are kept, as epochs record them."""
        self.count += 1
        root = os.path.join(self.folder, f"{name}-{self.count}", "bank")
        os.makedirs(os.path.dirname(root))
        if os.path.exists(self.prepared(name)):
            shutil.copytree(self.prepared(name), root)
        return root

    def forget(self, name: str) -> None:
        """Delete the copies of a scenario, once all is well with them."""
        for folder in os.listdir(self.folder):
            if folder.startswith(f"{name}-"):
                shutil.rmtree(os.path.join(self.folder, folder))

    def points(self, name: str) -> list[str]:
        """The failpoints that a scenario passes and that count there, in order, with repetitions."""
        if name not in self.known:
            self.known[name] = [p for p in self._trace(name) if p.startswith(SCENARIOS[name].only)]
        return self.known[name]

    def _trace(self, name: str) -> list[str]:
        root = self.copy(name)
        found = self.server.run("jobs.trace", root=root, operation=SCENARIOS[name].operation)
        assert found["error"] == SCENARIOS[name].ends_with, found
        points: list[str] = found["points"]
        return points

    def cases(self, name: str, action: str) -> list[str]:
        """The action at each point that counts, for the first and for the last time that it is passed."""
        points = self.points(name)
        counts = {p: points.count(p) for p in dict.fromkeys(points)}
        return [f"{p}={action}@{n}" for p, count in counts.items() for n in sorted({1, count})]

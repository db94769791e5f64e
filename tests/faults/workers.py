"""Runners that live for many rounds, each a process of its own, which the test may stop and continue at any time."""

from __future__ import annotations

import contextlib
import json
import os
import random
import select
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from tests.faults.forks import Child, ForkServer
from tests.faults.ledger import Operation

LOOK_SECONDS = 0.004


@dataclass
class Worker:
    """One process. Between `ask` and its answer it is busy; `answers` has one for each operation of this round."""

    child: Child
    inbox: TextIO
    outbox: TextIO
    busy: bool = False
    answers: list[dict[str, Any]] = field(default_factory=list)

    def ask(self, *operations: Operation, failpoint: str = "") -> None:
        self.inbox.write(json.dumps({"operations": operations, "failpoint": failpoint}) + "\n")
        self.inbox.flush()
        self.busy = True

    def take_answer(self) -> None:
        line = self.outbox.readline()
        if not line:
            raise AssertionError(self.child.describe(self.child.ended()))
        self.answers += json.loads(line)
        self.busy = False


@contextlib.contextmanager
def hired(server: ForkServer, folder: str, root: str, count: int) -> Iterator[list[Worker]]:
    """Workers on one project, dismissed in the end."""
    with contextlib.ExitStack() as stack:
        workers = []
        for number in range(count):
            inbox, outbox = (os.path.join(folder, f"{name}-{number}") for name in ("inbox", "outbox"))
            os.mkfifo(inbox)
            os.mkfifo(outbox)
            child = server.start("jobs.work", inbox=inbox, outbox=outbox, root=root)
            requests = stack.enter_context(open(inbox, "w", encoding="utf-8"))
            workers.append(Worker(child, requests, stack.enter_context(open(outbox, encoding="utf-8"))))
        yield workers
        for worker in workers:
            worker.inbox.close()
            worker.child.value()


def disturb_until_done(workers: Sequence[Worker], rng: random.Random) -> None:
    """Stop and continue workers at random until each has answered."""
    while busy := [w for w in workers if w.busy]:
        victim = rng.choice(busy) if rng.random() < 0.5 else None
        if victim:
            victim.child.send(signal.SIGSTOP)
        _take_answers(busy, LOOK_SECONDS * rng.random())
        if victim:
            victim.child.send(signal.SIGCONT)
        _take_answers([w for w in busy if w.busy], LOOK_SECONDS * rng.random())


def wait_until_stopped(worker: Worker) -> bool:
    """Wait until a worker stops at its failpoint; False if it answers without having passed there."""
    while worker.busy:
        if worker.child.is_stopped():
            return True
        _take_answers([worker], LOOK_SECONDS)
    return False


def wake_until_done(worker: Worker) -> None:
    """Continue a worker until it has answered; it may not have come to its failpoint yet."""
    while worker.busy:
        worker.child.send(signal.SIGCONT)
        _take_answers([worker], LOOK_SECONDS)


def wait_until_done(workers: Sequence[Worker]) -> None:
    while busy := [w for w in workers if w.busy]:
        _take_answers(busy, None)


def _take_answers(workers: Sequence[Worker], seconds: float | None) -> None:
    ready, _, _ = select.select([w.outbox for w in workers], [], [], seconds)
    for worker in workers:
        if worker.outbox in ready:
            worker.take_answer()

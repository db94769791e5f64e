"""A project together with its model, in the test's own process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

import tidewheel as tw
from tests.faults.checks import check_final, check_no_garbage
from tests.faults.jobs import do
from tests.faults.ledger import REFRESH, SOURCES, VIEWS, Bank, Operation, accounts, ingest
from tidewheel.run import runner as refreshing
from tidewheel.store import epochs, vacuum
from tidewheel.store.warehouse import Warehouse


class Told:
    """A project together with its model."""

    def __init__(self, root: Path, views: tuple[str, ...] = tuple(VIEWS), spark: Any = None) -> None:
        wanted = {v: VIEWS[v] for v in views}
        small = {"spark": {"master": "local[2]", "conf": {"spark.driver.memory": "1g"}}}  # for runners of their own
        engine: Literal["spark", "local"] = "spark" if spark else "local"
        self.project = tw.create(root, engine=engine, spark=spark, sources=SOURCES, views=wanted, options=small)
        self.bank = Bank(views=views)

    @property
    def warehouse(self) -> Warehouse:
        return Warehouse(self.project.definition().warehouse)

    def tell(self, *operations: Operation) -> None:
        for operation in operations:
            do(self.project, operation)
            self.bank = self.bank.after([operation])

    def vacuum(self, *, retention: str = "0 seconds", abandoned: str | None = None) -> vacuum.VacuumResult:
        return self.project.vacuum(retention=retention, abandoned=abandoned)

    def check(self) -> None:
        """All is as the model says, now and after the next refresh and vacuum."""
        self.tell(REFRESH)
        for _ in range(2):
            final = {"sources": self.bank.source_rows(), "views": self.bank.view_rows()}
            check_final(self.project, final)
            assert not self.project.verify().differences
            self.vacuum(abandoned="0 seconds")
        check_no_garbage(self.project)


def upsert(told: Told, first: int, balance: int) -> Callable[[], None]:
    return lambda: told.tell(ingest("accounts", accounts(first, 3, balance), "upsert"))


def die_before_apply(told: Told) -> None:
    """A refresh that is decided, and whose process then dies."""

    class Died(BaseException):
        pass

    def die(*_: object) -> None:
        raise Died

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refreshing, "apply_epoch", die)
        patch.setattr(epochs.Attempt, "discard", lambda *_: None)
        with pytest.raises(Died):
            told.project.refresh()

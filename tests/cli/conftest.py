"""A small shop for the command line: one source, three views, three rows that no refresh has seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tidewheel as tw
from tests.cli.command import Outcome, call

Tidewheel = Callable[..., Outcome]
ORDERS = "order_id BIGINT, day DATE, customer STRING, amount DECIMAL(12,2)"
VIEWS = {
    "daily": "-- tidewheel: {tags: [finance]}\n"
    "SELECT day, count(*) AS n, sum(amount) AS total FROM orders GROUP BY day",
    "best": "-- tidewheel: {tags: [finance]}\nSELECT day, total FROM daily WHERE total > 20",
    "customers": "SELECT customer, count(*) AS n FROM orders GROUP BY customer",
}
CSV = "order_id,day,customer,amount\n1,2026-01-01,ada,19.90\n2,2026-01-01,bob,5.00\n3,2026-01-02,ada,2.50\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with three rows that no refresh has seen."""
    source = {"kind": "managed", "schema": ORDERS, "key": ["order_id"]}
    project = tw.create(tmp_path / "shop", sources={"orders": source}, views=VIEWS, engine="local")
    (tmp_path / "orders.csv").write_text(CSV)
    project.ingest("orders", tmp_path / "orders.csv", id="first")
    return tmp_path / "shop"


@pytest.fixture
def tidewheel(capsys: pytest.CaptureFixture[str], root: Path) -> Tidewheel:
    def run(*arguments: str) -> Outcome:
        return call(capsys, "-p", str(root), *arguments)

    return run


@pytest.fixture
def fresh(tidewheel: Tidewheel) -> Tidewheel:
    """The same, refreshed once."""
    assert tidewheel("refresh").code == 0
    return tidewheel

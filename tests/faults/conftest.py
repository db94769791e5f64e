"""The fault tests share one fork server for each worker of pytest, and projects that know their own right answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from tests.faults.forks import ForkServer
from tests.faults.ledger import REFRESH, accounts, ingest, words
from tests.faults.told import Told
from tidewheel.engine.local import duck


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    with ForkServer(str(tmp_path_factory.mktemp("forks"))) as started:
        yield started


@pytest.fixture
def quick_duckdb() -> Iterator[None]:
    """One DuckDB for a whole test: opening it for each statement would be most of the time."""
    shared = duck.connect()
    with mock.patch.object(duck, "connect", side_effect=lambda **_: shared.cursor()):
        yield
    shared.close()


@pytest.fixture
def told(tmp_path: Path, quick_duckdb: None) -> Told:
    return Told(tmp_path / "bank")


@pytest.fixture
def filled(told: Told) -> Told:
    told.tell(ingest("accounts", accounts(0, 9)), ingest("notes", words(0, 6)), REFRESH)
    return told

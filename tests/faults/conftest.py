"""The fault tests share one fork server for each worker of pytest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.forks import ForkServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    with ForkServer(str(tmp_path_factory.mktemp("forks"))) as started:
        yield started

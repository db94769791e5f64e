"""Shared by the end-to-end tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.fake_spark import FakeSpark


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], int]:
    """How often Spark was started."""
    monkeypatch.setattr(FakeSpark, "starts", 0)
    monkeypatch.setattr(
        "tidewheel.engine.spark.engine.SparkEngine", lambda *_, **__: FakeSpark(os.fspath(tmp_path / "scratch"))
    )
    return lambda: FakeSpark.starts

"""Shared by all tests: small projects on the local engine, and one Spark for every test that needs a JVM."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tidewheel as tw
from tests.planners import FROM_CHANGES
from tidewheel.optimize.options import PlannerOptions

pytest_plugins = ["tests.spark.proven"]
os.environ["TIDEWHEEL_CLASS_ARCHIVE"] = "0"  # no test leaves a process behind that makes one, but those of it
MakeProject = Callable[..., tw.Project]
EXIT_STATUS = pytest.StashKey[int]()


@pytest.fixture
def planner(request: pytest.FixtureRequest) -> PlannerOptions:
    """Views are kept from changes; `pytest.mark.planner` changes numbers."""
    marks = reversed(list(request.node.iter_markers("planner")))
    return replace(FROM_CHANGES, **{name: value for mark in marks for name, value in mark.kwargs.items()})


@pytest.fixture
def make_project(tmp_path: Path, planner: PlannerOptions) -> MakeProject:
    """A new project on the local engine in a folder of its own."""

    def make(sources: dict[str, Any], views: dict[str, str], **options: Any) -> tw.Project:
        root = tmp_path / options.pop("name", "project")
        return tw.create(root, sources=sources, views=views, engine="local", options=options, planner=planner)

    return make


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One Spark, started the way Tidewheel starts it."""
    from tidewheel.engine.spark.session import connect  # noqa: PLC0415
    from tidewheel.project.config import SparkOptions  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = connect(SparkOptions(master="local[2]", conf={"spark.driver.memory": "4g"}), "tests")
        yield session
        session.stop()


@pytest.fixture
def make_spark_project(tmp_path: Path, spark: Any, planner: PlannerOptions) -> MakeProject:
    """A new project on the shared Spark."""

    def make(sources: dict[str, Any], views: dict[str, str], **options: Any) -> tw.Project:
        root = tmp_path / options.pop("name", "project")
        return tw.create(root, sources=sources, views=views, spark=spark, options=options, planner=planner)

    return make


LONGEST = (
    "property/test_fuzz_changes.py",
    "e2e/test_many_epochs.py",
    "faults/test_races.py",
    "faults/test_fault_kills.py",
    "e2e/test_tpcds_rounds_local.py",
    "e2e/test_tpcds_graphs_local.py",
    "faults/test_fault_errors.py",
    "e2e/test_tpch_rounds_local.py",
    "faults/test_random_histories.py",
)
"""Files that come first, so that no worker is left alone with one of them at the end."""


QUICK = (
    "unit/",
    "golden/",
    "meta/",
    "property/test_lineage.py",
    "property/test_norm.py",
    "property/test_props.py",
    "property/test_zset.py",
)
"""Where `make quick` looks, for tests that need no JVM and no project."""
WHOLE = frozenset({"make_project", "make_spark_project", "project", "spark"})
"""Fixtures that start an engine or a store."""


def is_quick(item: pytest.Item) -> bool:
    place = item.path.relative_to(Path(__file__).parent).as_posix()
    return place.startswith(QUICK) and not WHOLE & set(getattr(item, "fixturenames", ()))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    places = {here / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(LONGEST)))
    for item in filter(is_quick, items):
        item.add_marker(pytest.mark.quick)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[EXIT_STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave at once: delta-rs's Arrow path may abort the interpreter while it shuts down, after all tests are done."""
    if EXIT_STATUS in config.stash and not hasattr(config, "workerinput"):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[EXIT_STATUS])

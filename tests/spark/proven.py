"""What was proven on Spark before: `make test` passes it over, `make test-all` proves all of it again.

A test that only asks whether Spark agrees with what we made hands everything that its result hangs on to
`unless_proven`, before it asks Spark:

    def test_a_plan_means_what_its_text_means(case, unless_proven):
        sql = to_spark(plan_of(case))
        unless_proven(TABLES, case.sql, sql)  # skips the rest if it was proven before
        assert rows(sql) == rows(case.sql)

To these parts come the test's name and code, the code of what it imports by name from our tests, the settings of our
sessions, and the versions of pyspark and duckdb. What this cannot see: another Java, and our own code behind a result
that is not among the parts; so rows that we compute ourselves are a part, not only the plan that they come from.
Tests whose result hangs on a store do not take part: a plan says nothing of the files that it meets.

The list has a line for each test, its name and digest. `pytest --prove-all --note-proven` writes it: tests that passed
get a line, tests that did not lose theirs, lines of tests that did not run stay.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Generator, Mapping
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import pytest

from tidewheel.engine.spark.session import ALWAYS, LOCAL

UnlessProven: TypeAlias = Callable[..., None]
LIST = Path(__file__).with_name("proven.txt")
WAS_PROVEN = "proven on Spark before; --prove-all proves it again"
DIGEST = pytest.StashKey[str]()
OUTCOMES = pytest.StashKey[dict[str, str | None]]()
"""Of each test that asked: its digest if it was proven in this run, None if it was not."""
COLLECTED = pytest.StashKey[frozenset[str]]()


def digest(*parts: object) -> str:
    """The parts are told apart by their `repr`, so they must be values: texts, numbers, rows, frozen dataclasses."""
    text = "\n".join(map(repr, parts))
    if " at 0x" in text:
        raise ValueError("a part shows its address in memory, which says nothing of what it holds")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def read(path: Path = LIST) -> dict[str, str]:
    """The digest of each test on the list."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {name: found for name, _, found in (line.rpartition(" ") for line in lines)}


def write(proven: Mapping[str, str], path: Path = LIST) -> None:
    path.write_text("".join(f"{name} {found}\n" for name, found in sorted(proven.items())), "utf-8")


def noted(
    known: Mapping[str, str], outcomes: Mapping[str, str | None], existing: frozenset[str] | None
) -> dict[str, str]:
    """The new list; `existing` are all tests that there are, if that is known."""
    kept = {n: d for n, d in known.items() if n not in outcomes and (existing is None or n in existing)}
    return kept | {name: found for name, found in outcomes.items() if found is not None}


@functools.cache
def surroundings() -> str:
    """What every result on Spark and in DuckDB hangs on."""
    versions = [version(name) for name in ("pyspark", "duckdb")]
    return digest(versions, sorted(ALWAYS.items()), sorted(LOCAL.items()))


@functools.cache
def code_of(module: ModuleType) -> str:
    """The text of a test's module, and of the modules of ours whose functions and classes it names."""
    named = {getattr(value, "__module__", None) or "" for value in vars(module).values()} | {module.__name__}
    ours = sorted(name for name in named - {__name__} if name.startswith("tests."))
    files = [str(sys.modules[name].__file__) for name in ours]
    return digest(*(Path(file).read_text("utf-8") for file in files))


# --- the plugin ---


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("proven on Spark")
    group.addoption("--prove-all", action="store_true", help="prove on Spark also what was proven before")
    group.addoption("--note-proven", action="store_true", help=f"write what this run proves into {LIST.name}")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.note_proven and not config.option.prove_all:
        raise pytest.UsageError("--note-proven goes with --prove-all: what is passed over proves nothing")
    if config.option.note_proven and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("--note-proven needs one process: leave out -n")
    config.stash[OUTCOMES] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        config.stash[COLLECTED] = frozenset(item.nodeid for item in items)


@pytest.fixture(scope="session")
def _known() -> dict[str, str]:
    return read()


@pytest.fixture
def unless_proven(request: pytest.FixtureRequest, _known: dict[str, str]) -> UnlessProven:
    """Call it with what the result hangs on: it ends the test if that was proven before."""

    def check(*parts: object) -> None:
        name = request.node.nodeid
        found = digest(name, surroundings(), code_of(request.module), *parts)
        request.node.stash[DIGEST] = found
        if _known.get(name) == found and not request.config.option.prove_all:
            pytest.skip(WAS_PROVEN)

    return check


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    report = yield
    if report.when == "call" and DIGEST in item.stash:
        item.config.stash[OUTCOMES][item.nodeid] = item.stash[DIGEST] if report.passed else None
    elif report.failed:  # a fixture that fails afterwards leaves doubts too
        item.config.stash[OUTCOMES][item.nodeid] = None
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.option.note_proven:
        outcomes = session.config.stash[OUTCOMES]
        write(noted(read(), outcomes, session.config.stash.get(COLLECTED, None)))

"""Reads the texts of the corpus.

A file of queries is a sequence of blocks. A block starts with `-- name: NAME`, may go on with more lines
`-- KEY: VALUE`, and ends where the next one starts:

    -- name: top_two_by_salary
    -- ties: yes
    SELECT ...

`ties: yes` says that the order in the query is not total: what it returns is defined only after completion.
`error: CLASS` is the error class with which Spark refuses the query. In a file of pairs, a line `-- versus` stands
between the two queries.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

HERE = Path(__file__).parent
_KEY = re.compile(r"-- (\w+): (.+)")


@dataclass(frozen=True, slots=True)
class Case:
    """One query: `name` is unique in its suite, `theme` is the file it stands in."""

    name: str
    theme: str
    sql: str
    flags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def has_ties(self) -> bool:
        return self.flags.get("ties") == "yes"

    @property
    def error(self) -> str | None:
        """The error class with which Spark refuses the query."""
        return self.flags.get("error")


@dataclass(frozen=True, slots=True)
class Pair:
    name: str
    left: str
    right: str


def tpch_queries() -> tuple[Case, ...]:
    return _one_query_per_file("tpch")


def tpcds_queries() -> tuple[Case, ...]:
    return _one_query_per_file("tpcds")


@functools.cache
def queries() -> tuple[Case, ...]:
    """Our own queries over the tables of `catalog()`."""
    return tuple(_cases("queries"))


@functools.cache
def invalid_queries() -> tuple[Case, ...]:
    """Queries over the tables of `catalog()` that Spark refuses, each with the error class it gives."""
    return tuple(_cases("invalid"))


def different_pairs() -> tuple[Pair, ...]:
    """Queries that look alike, have the same output names, and give different rows on `catalog()`."""
    return _pairs("different")


def same_pairs() -> tuple[Pair, ...]:
    """Queries that differ in nothing that matters: aliases, formatting, case, quoting, a CTE for a subquery."""
    return _pairs("same")


@functools.cache
def _one_query_per_file(suite: str) -> tuple[Case, ...]:
    files = sorted((HERE / suite).glob("q*.sql"))
    return tuple(Case(file.stem, suite, file.read_text(encoding="utf-8").strip()) for file in files)


def _cases(folder: str) -> Iterator[Case]:
    seen: set[str] = set()
    for file in sorted((HERE / folder).glob("*.sql")):
        for name, flags, sql in _blocks(file):
            if name in seen:
                raise ValueError(f"two cases are called {name}")
            seen.add(name)
            yield Case(name, file.stem, sql, MappingProxyType(flags))


@functools.cache
def _pairs(stem: str) -> tuple[Pair, ...]:
    found = []
    for name, _, text in _blocks(HERE / "pairs" / f"{stem}.sql"):
        left, right = re.split(r"^-- versus$", text, flags=re.MULTILINE)
        found.append(Pair(name, left.strip(), right.strip()))
    if len({pair.name for pair in found}) < len(found):
        raise ValueError(f"two pairs in {stem}.sql have the same name")
    return tuple(found)


def _blocks(file: Path) -> Iterator[tuple[str, dict[str, str], str]]:
    text = file.read_text(encoding="utf-8")
    for block in re.split(r"^(?=-- name: )", text, flags=re.MULTILINE)[1:]:
        lines = block.splitlines()
        flags: dict[str, str] = {}
        while match := _KEY.fullmatch(lines[0]):
            flags[match[1]] = match[2]
            lines.pop(0)
        yield flags.pop("name"), flags, "\n".join(lines).strip()

"""A table of the corpus: its schema and its rows as plain Python values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tidewheel.ddl import parse_schema
from tidewheel.types import Schema

Row: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows are tuples: NULL is None, an array a tuple, a map a tuple of pairs, a struct a tuple of its fields."""

    name: str
    schema: Schema
    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        wrong = next((row for row in self.rows if len(row) != len(self.schema)), None)
        if wrong is not None:
            raise ValueError(f"{self.name} has {len(self.schema)} columns, but a row is {wrong}")


def make_table(name: str, ddl: str, rows: Iterable[Row]) -> Table:
    return Table(name, parse_schema(ddl), tuple(rows))


def read_schemas(file: Path) -> dict[str, Schema]:
    """The tables of a file of `CREATE TABLE name (...);` statements, by name."""
    found = re.finditer(r"CREATE TABLE (\w+) \((.*?)\n\);", file.read_text(encoding="utf-8"), re.DOTALL)
    return {match[1]: parse_schema(match[2]) for match in found}

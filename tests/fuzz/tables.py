"""Tables, cases, and their text form: what a failure is kept as.

# why this case is here
table t0 (k INT NOT NULL, s STRING) key (c0)
  [1, "x"]
  [2, null]
query k
  filter isnull(c1)
    scan t0 (k INT NOT NULL, s STRING) key (c0)
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tidewheel.ir.parts import Column
from tidewheel.ir.reader import Reader
from tidewheel.ir.rel import Query, Scan
from tidewheel.ir.text import parse_query, print_query
from tidewheel.types import Array, DataType, Decimal, Primitive

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """A stored relation: its columns, its keys, its rows."""

    name: str
    columns: tuple[Column, ...]
    keys: tuple[tuple[int, ...], ...] = ()
    rows: tuple[Row, ...] = ()

    @property
    def head(self) -> str:
        return Scan(relation=self.name, columns=self.columns, keys=self.keys).line.replace("scan", "table", 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A query and all that it reads. `label` says where it comes from: a seed or a file.

    `types` are those that the generator meant the columns to have; none if it does not know.
    """

    tables: tuple[Data, ...]
    query: Query
    label: str = ""
    types: tuple[DataType, ...] | None = None

    def __str__(self) -> str:
        lines = [line for t in self.tables for line in (t.head, *(f"  {row_to_text(r)}" for r in t.rows))]
        return "\n".join(lines) + "\n" + print_query(self.query)


def parse_case(text: str, label: str = "") -> Case:
    """Read back what a case prints; lines that start with # are comments."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    first = next(i for i, line in enumerate(lines) if not line.startswith(("table ", "  [")))
    tables: list[Data] = []
    for line in lines[:first]:
        if line.startswith("table "):
            tables.append(parse_head(line))
        else:
            last = tables.pop()
            tables.append(replace(last, rows=(*last.rows, row_from_text(line, last))))
    return Case(tables=tuple(tables), query=parse_query("\n".join(lines[first:]) + "\n"), label=label)


def parse_head(line: str) -> Data:
    """A table without rows."""
    reader = Reader(line)
    reader.expect("table")
    name, columns = reader.name(), reader.schema()
    keys = []
    while reader.accept("key"):
        keys.append(tuple(int(t[1:]) for t in reader.listed(reader.word)))
    return Data(name=name, columns=columns, keys=tuple(keys))


def row_from_text(line: str, table: Data) -> Row:
    return tuple(_from_json(v, c.type) for v, c in zip(json.loads(line), table.columns, strict=True))


def row_to_text(row: Sequence[Any]) -> str:
    return json.dumps([_to_json(v) for v in row], ensure_ascii=False)


def _to_json(value: Any) -> Any:
    match value:
        case None | bool() | int():
            return value
        case float():
            return repr(value)
        case decimal.Decimal():
            return f"{value:f}"
        case bytes():
            return value.hex()
        case tuple():
            return [_to_json(v) for v in value]
        case dt.date():
            return value.isoformat()
    return str(value)


def _from_json(value: Any, kind: DataType) -> Any:
    if value is None:
        return None
    match kind:
        case Decimal(_, scale):
            return decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-scale))
        case Primitive("double" | "float"):
            return math.nan if value == "nan" else float(value)
        case Primitive("date"):
            return dt.date.fromisoformat(value)
        case Primitive("timestamp" | "timestamp_ntz"):
            return dt.datetime.fromisoformat(value)
        case Primitive("binary"):
            return bytes.fromhex(value)
        case Array(element):
            return tuple(_from_json(v, element) for v in value)
    return value

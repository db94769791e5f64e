"""Grows tables row by row: what a row leaves open is filled with small random values of a fixed seed."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping
from decimal import Decimal as Number
from typing import Any

from tests.corpus.table import Table
from tidewheel.types import DataType, Decimal, Primitive, Schema

WORDS = ("able", "bar", "cally", "ese", "ought", "pri", "anti", "eing")


class Filling:
    """Tables in the making; rows are dicts until `finish`."""

    def __init__(self, schemas: Mapping[str, Schema], seed: int) -> None:
        self.schemas = schemas
        self.random = random.Random(seed)
        self.rows: dict[str, list[dict[str, Any]]] = {name: [] for name in schemas}

    def add(self, table: str, **values: Any) -> dict[str, Any]:
        schema = self.schemas[table]
        if unknown := values.keys() - set(schema.names):
            raise ValueError(f"{table} has no column {sorted(unknown)}")
        row = {f.name: values[f.name] if f.name in values else self.value(f.type) for f in schema}
        self.rows[table].append(row)
        return row

    def value(self, kind: DataType) -> Any:
        match kind:
            case Primitive("integer" | "long"):
                return self.random.randint(1, 100)
            case Primitive("string"):
                return self.random.choice(WORDS)
            case Primitive("date"):
                return dt.date(1998, 1, 1) + dt.timedelta(days=self.random.randrange(1800))
            case Decimal(_, scale):
                return Number(self.random.randrange(100 * 10**scale)).scaleb(-scale)
            case _:
                raise ValueError(f"no random value for {kind}")

    def find(self, table: str, **values: Any) -> dict[str, Any] | None:
        """The first row that has these values."""
        wanted = values.items()
        return next((row for row in self.rows[table] if wanted <= row.items()), None)

    def finish(self) -> tuple[Table, ...]:
        return tuple(
            Table(name, schema, tuple(tuple(row[column] for column in schema.names) for row in self.rows[name]))
            for name, schema in self.schemas.items()
        )

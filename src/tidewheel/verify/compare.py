"""Two bags of rows compared: exactly, but for floats, which may differ by the order in which they were summed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from tidewheel.engine.local import duck
from tidewheel.ir.order import Hang
from tidewheel.names import quote_double
from tidewheel.types import INT, Array, Field, Primitive, Schema, has_map

FLOAT_TOLERANCE = 1e-9
BY_ROUNDING: Final = "it differs in floating point numbers only: where large ones cancel out, both may be right"
EXAMPLES = 10
FLOAT_ROWS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDifference:
    """A row on one side only: `missing` from the table, or `unexpected` in it."""

    kind: str
    row: tuple[tuple[str, Any], ...]
    """Its columns with their values."""

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "row": {k: v if v is None else str(v) for k, v in self.row}}

    def __str__(self) -> str:
        return f"{self.kind}: " + ", ".join(f"{k}={v}" for k, v in self.row)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may differ between runs that are both right: arrays in their order, other columns altogether."""

    arrays: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Sequence[str], hangs: Sequence[Hang], schema: Schema) -> Allowance:
        """By how columns hang on the order of rows; arrays of what cannot be sorted are left out."""
        sortable = {f.name for f in schema if isinstance(f.type, Array) and not has_map(f.type)}
        arrays = tuple(n for n, hang in zip(names, hangs, strict=True) if hang is Hang.ORDER and n in sortable)
        rest = (n for n, hang in zip(names, hangs, strict=True) if hang is not Hang.NOT)
        return cls(arrays, tuple(n for n in rest if n not in arrays))

    def notes(self) -> tuple[str, ...]:
        arrays = [f'array "{n}" compared as a bag: its order depends on the order of rows' for n in self.arrays]
        columns = [f'compared without column "{n}": its value depends on the order of rows' for n in self.columns]
        return (*arrays, *columns)

    def select(self, schema: Schema) -> str:
        """What is compared of a row."""
        kept = [quote_double(f.name) for f in schema if f.name not in self.columns]
        sorted_ = {quote_double(n) for n in self.arrays}
        return ", ".join(f"list_sort({c}) AS {c}" if c in sorted_ else c for c in kept) or "1 AS row"

    def schema(self, schema: Schema) -> Schema:
        kept = tuple(f for f in schema if f.name not in self.columns)
        return Schema(kept or (Field("row", INT),))


NOTHING: Final = Allowance()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    rows: int
    missing: int
    unexpected: int
    examples: tuple[RowDifference, ...]
    tolerance: float | None
    allowed: Allowance = NOTHING
    """What was let pass: nothing, if the rows are the same to the letter."""
    only_floats: bool = False
    """Do rows differ, but in floating point numbers only."""


def compare(
    expected_files: Sequence[str],
    schema: Schema,
    actual: pa.RecordBatchReader,
    *,
    memory: int,
    scratch: str,
    allowance: Allowance = NOTHING,
) -> Comparison:
    """Rows of the files against rows of the stream; NULL equals NULL, NaN equals NaN, every copy counts."""
    columns = ", ".join(
        f"CAST({quote_double(f.name)} AS {duck.to_duck(f.type)}) AS {quote_double(f.name)}" for f in schema
    )
    with duck.io_errors(scratch, expected_files), duck.connect(memory=memory, scratch=scratch) as connection:
        connection.register("actual_stream", actual)
        return _compared(connection, expected_files, schema, f"SELECT {columns} FROM actual_stream", allowance)


def compare_files(
    expected_files: Sequence[str],
    actual_files: Sequence[str],
    schema: Schema,
    *,
    memory: int,
    scratch: str,
    allowance: Allowance = NOTHING,
) -> Comparison:
    """Files compared with the rows of other files."""
    files = (*expected_files, *actual_files)
    with duck.io_errors(scratch, files), duck.connect(memory=memory, scratch=scratch) as connection:
        actual = f"SELECT * FROM {duck.scan(list(actual_files), schema)}"
        return _compared(connection, expected_files, schema, actual, allowance)


def _compared(
    connection: Any, expected_files: Sequence[str], schema: Schema, actual: str, allowance: Allowance
) -> Comparison:
    """The comparison itself, in a connection of DuckDB: of all that there is, and if that differs, of what may not."""
    connection.execute(f"CREATE TEMP TABLE expected AS SELECT * FROM {duck.scan(list(expected_files), schema)}")
    connection.execute(f"CREATE TEMP TABLE actual AS SELECT * FROM ({actual})")
    found = _differences(connection, schema, NOTHING)
    if allowance != NOTHING and (found.missing or found.unexpected):
        return _differences(connection, schema, allowance)
    return found


def _differences(connection: Any, schema: Schema, allowance: Allowance) -> Comparison:
    columns = allowance.select(schema)
    schema = allowance.schema(schema)
    for name, (one, other) in {"missing": ("expected", "actual"), "unexpected": ("actual", "expected")}.items():
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS "
            f"SELECT {columns} FROM {one} EXCEPT ALL SELECT {columns} FROM {other}"
        )
    counts = connection.execute(
        "SELECT (SELECT count(*) FROM actual), (SELECT count(*) FROM missing), (SELECT count(*) FROM unexpected)"
    ).fetchone()
    rows, missing, unexpected = counts or (0, 0, 0)
    only_floats = False
    floats = [i for i, f in enumerate(schema) if f.type in {Primitive("float"), Primitive("double")}]
    if floats and (missing or unexpected) and max(missing, unexpected) <= FLOAT_ROWS:
        pair = [connection.execute(f"SELECT * FROM {t}").fetchall() for t in ("missing", "unexpected")]
        left = _without_close(pair[0], pair[1], floats)
        examples = _examples(schema, left[0][:EXAMPLES], left[1][:EXAMPLES])
        missing, unexpected = len(left[0]), len(left[1])
        rests = [Counter(_rest(row, floats) for row in rows) for rows in left]
        only_floats = bool(missing) and rests[0] == rests[1]
    else:
        heads = [
            connection.execute(f"SELECT * FROM {t} ORDER BY ALL LIMIT {EXAMPLES}").fetchall()
            for t in ("missing", "unexpected")
        ]
        examples = _examples(schema, heads[0], heads[1])
    return Comparison(
        rows=rows,
        missing=missing,
        unexpected=unexpected,
        examples=examples,
        tolerance=FLOAT_TOLERANCE if floats else None,
        allowed=allowance,
        only_floats=only_floats,
    )


def _examples(schema: Schema, missing: list[Any], unexpected: list[Any]) -> tuple[RowDifference, ...]:
    named = [("missing", r) for r in missing] + [("unexpected", r) for r in unexpected]
    return tuple(RowDifference(kind=kind, row=tuple(zip(schema.names, row, strict=True))) for kind, row in named)


def _without_close(left: list[Any], right: list[Any], floats: list[int]) -> tuple[list[Any], list[Any]]:
    """Drop pairs that are equal but for floats, and whose floats are close."""
    by_rest: dict[tuple[Any, ...], list[Any]] = {}
    for row in right:
        by_rest.setdefault(_rest(row, floats), []).append(row)
    unmatched = []
    for row in left:
        candidates = by_rest.get(_rest(row, floats), [])
        match = next((i for i, other in enumerate(candidates) if _close(row, other, floats)), None)
        if match is None:
            unmatched.append(row)
        else:
            candidates.pop(match)
    return unmatched, [row for rows in by_rest.values() for row in rows]


def _rest(row: Any, floats: list[int]) -> tuple[Any, ...]:
    return tuple(repr(v) for i, v in enumerate(row) if i not in floats)


def _close(a: Any, b: Any, floats: list[int]) -> bool:
    for i in floats:
        x, y = a[i], b[i]
        if x is None or y is None:
            if x is not y:
                return False
        elif not math.isclose(x, y, rel_tol=FLOAT_TOLERANCE, abs_tol=1e-12) and not (math.isnan(x) and math.isnan(y)):
            return False
    return True

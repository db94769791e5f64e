"""Cases that run on Spark and on the reference: the same expressions over the same rows, compared value by value.

The text of our scalars is nearly SQL, so a case is one text over columns c0, c1, ...; where SQL is written otherwise,
it is a pair (SQL, ours). An expression that raises must raise on both sides.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

from tidewheel.ir.reader import parse_scalar
from tidewheel.ir.rel import Project, Scan
from tidewheel.schema_json import schema_from_json
from tidewheel.tvr.reference.errors import EvaluationError
from tidewheel.tvr.reference.evaluate import Result, Table, compute
from tidewheel.tvr.reference.values import key
from tidewheel.types import Array, DataType, Map, Primitive, Struct, nullable, to_sql

Case: TypeAlias = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Raised:
    """What a side did instead of giving values."""

    message: str


@dataclass(frozen=True, slots=True)
class Given:
    type: str
    values: list[Any]


Outcome: TypeAlias = Raised | Given


def sql_of(case: Case) -> str:
    return case if isinstance(case, str) else case[0]


def ours_of(case: Case) -> str:
    return case if isinstance(case, str) else case[1]


def create_view(spark: Any, name: str, table: Table) -> None:
    """The table in Spark, with one more column that numbers its rows."""
    schema = ", ".join(f"`{c.name}` {to_sql(c.type)}" for c in table.columns) + ", i INT"
    rows = [
        (*(_to_spark(v, c.type) for v, c in zip(row, table.columns, strict=True)), i)
        for i, row in enumerate(table.rows)
    ]
    spark.createDataFrame(rows, schema).createOrReplaceTempView(name)


def _to_spark(value: Any, kind: DataType) -> Any:
    match kind:
        case _ if value is None:
            return None
        case Array(element):
            return [_to_spark(v, element) for v in value]
        case Map(k, v):
            return {_to_spark(a, k): _to_spark(b, v) for a, b in value}
        case Struct(fields):
            return tuple(_to_spark(v, f.type) for v, f in zip(value, fields, strict=True))
    return value


def from_arrow(value: Any, kind: DataType) -> Any:
    """A value as the reference has it."""
    match kind:
        case _ if value is None:
            return None
        case Array(element):
            return tuple(from_arrow(v, element) for v in value)
        case Map(k, v):
            return tuple((from_arrow(a, k), from_arrow(b, v)) for a, b in value)
        case Struct(fields):
            return tuple(from_arrow(value[f.name], f.type) for f in fields)
        case Primitive("timestamp"):
            return value.astimezone(dt.UTC)
    return value


def rows_of(table: pa.Table, kinds: Sequence[DataType]) -> list[tuple[Any, ...]]:
    """The rows of an engine's result as the reference has them."""
    columns = [
        [from_arrow(v, kind) for v in column.to_pylist()] for column, kind in zip(table.columns, kinds, strict=True)
    ]
    return list(zip(*columns, strict=True))


def spark_types(frame: Any) -> list[DataType]:
    found: list[DataType] = []
    for field in json.loads(frame.schema.json())["fields"]:
        if isinstance(field["type"], str) and field["type"].startswith(("interval", "void")):
            found.append(Primitive(field["type"]))
        else:
            found.append(nullable(schema_from_json(json.dumps({"fields": [field]})).fields[0].type))
    return found


def run_spark(spark: Any, view: str, cases: Sequence[Case]) -> list[Outcome]:
    """All cases in one statement; if it raises, each half by itself."""
    listed = ", ".join(f"{sql_of(c)} AS e{n}" for n, c in enumerate(cases))
    try:
        frame = spark.sql(f"SELECT {listed} FROM {view} ORDER BY i")
        table, kinds = frame.toArrow(), spark_types(frame)
    except Exception as error:
        if len(cases) == 1:
            if type(error).__name__ in {"AnalysisException", "ParseException"}:
                raise AssertionError(f"Spark does not accept {sql_of(cases[0])}: {error}") from error
            return [Raised(str(error)[:200])]
        middle = len(cases) // 2
        return run_spark(spark, view, cases[:middle]) + run_spark(spark, view, cases[middle:])
    columns = [column.to_pylist() for column in table.columns]
    return [
        Given(to_sql(kind), [from_arrow(v, kind) for v in column]) for column, kind in zip(columns, kinds, strict=True)
    ]


def run_reference(table: Table, case: Case) -> Outcome:
    scan = Scan(relation="t", columns=table.columns)
    try:
        result = compute(Project(input=scan, exprs=(parse_scalar(ours_of(case)),)), {"t": table})
    except EvaluationError as error:
        return Raised(str(error))
    return Given(to_sql(result.types[0]), [row[0] for row in result.rows])


def same(a: Any, b: Any) -> bool:
    """Equal as values; doubles up to what the order of a sum and another library's logarithm may change."""
    if isinstance(a, float) and isinstance(b, float) and math.isfinite(a) and math.isfinite(b):
        return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-14)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return key(a) == key(b)


def same_rows(ours: Result, theirs: Sequence[tuple[Any, ...]]) -> bool:
    """Equal as bags, doubles nearly so."""

    def order(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(key(float(f"{v:.9g}") if isinstance(v, float) and math.isfinite(v) else v) for v in row)

    a, b = sorted(ours.rows, key=order), sorted(theirs, key=order)
    return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))


@dataclass(frozen=True, slots=True)
class Sheet:
    """Cases over the rows of a table, and what the reference gives for each."""

    table: Table
    outcomes: tuple[tuple[Case, Outcome], ...]


def sheet(table: Table, cases: Sequence[Case]) -> Sheet:
    return Sheet(table, tuple((case, run_reference(table, case)) for case in cases))


def differences(spark: Any, given: Sheet, *, view: str = "t", at_once: int = 40) -> list[str]:
    """A line for each case on which the two sides differ.

    Cases that we expect to raise go to Spark one by one: one of them would make a whole statement fail.
    """
    table, ours = given.table, given.outcomes
    create_view(spark, view, table)
    raising = [[case] for case, outcome in ours if isinstance(outcome, Raised)]
    giving = [case for case, outcome in ours if isinstance(outcome, Given)]
    together = [giving[start : start + at_once] for start in range(0, len(giving), at_once)]
    outcomes = {ours_of(case): outcome for case, outcome in ours}
    found = []
    for some in together + raising:
        for case, theirs in zip(some, run_spark(spark, view, some), strict=True):
            found += _difference(table, case, theirs, outcomes[ours_of(case)])
    return found


def _difference(table: Table, case: Case, theirs: Outcome, ours: Outcome) -> list[str]:
    match theirs, ours:
        case Raised(), Raised():
            return []
        case Given(kind, values), Given(our_kind, our_values):
            if kind != our_kind:
                return [f"{case}: Spark gives {kind}, the reference {our_kind}"]
            return [
                f"{case} of {row}: Spark gives {a!r}, the reference {b!r}"
                for row, a, b in zip(table.rows, values, our_values, strict=True)
                if not same(a, b)
            ][:3]
    return [f"{case}: Spark {theirs!r}, the reference {ours!r}"]

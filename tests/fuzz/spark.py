"""Cases on Spark, many in one execution: results as tagged rows of text, united.

A tiny query costs Spark a tenth of a second of planning, scheduling and compiling; so tables are inline VALUES, there
is one partition, no adaptive execution and no generated code, and a batch of queries is one job. A batch in which a
query fails is run again one by one.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Sequence
from typing import Any, Final

from tests.fuzz.kinds import literal
from tests.fuzz.outcomes import Broken, Outcome, Raised, bag, in_full
from tests.fuzz.tables import Case, Data
from tidewheel.ir.rel import Query
from tidewheel.ir.scalar import NULL
from tidewheel.ir.typing import types_of
from tidewheel.schema_json import schema_from_json
from tidewheel.sql.unparse import to_spark
from tidewheel.types import DataType, Primitive, Schema, name_to_sql, to_sql
from tidewheel.types import Decimal as DecimalType

BATCH: Final = 10
SETTINGS: Final = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.leafNodeDefaultParallelism": "1",
}
DATA_ERRORS: Final = (
    "ARITHMETIC_OVERFLOW", "DIVIDE_BY_ZERO", "REMAINDER_BY_ZERO", "CAST_OVERFLOW", "CAST_INVALID_INPUT",
    "NUMERIC_VALUE_OUT_OF_RANGE", "SCALAR_SUBQUERY_TOO_MANY_ROWS", "USER_RAISED_EXCEPTION",
    "BINARY_ARITHMETIC_OVERFLOW", "DATETIME_OVERFLOW", "INVALID_ARRAY_INDEX",
)  # fmt: skip


class Spark:
    """A session with the tables of one case at a time."""

    def __init__(self, session: Any) -> None:
        self.session = session.newSession()
        for name, setting in SETTINGS.items():
            self.session.conf.set(name, setting)
        self.loaded: tuple[Data, ...] = ()

    def load(self, tables: tuple[Data, ...]) -> None:
        if tables is not self.loaded:
            for table in tables:
                self.session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name_to_sql(table.name)} AS {select(table)}")
            self.loaded = tables

    def run(self, case: Case, query: Query | None = None) -> Outcome:
        return self.run_all([(case, query or case.query)])[0]

    def run_all(self, work: Sequence[tuple[Case, Query]]) -> list[Outcome]:
        """The outcome of each query, in batches."""
        frames = [self._checked(case, query) for case, query in work]
        outcomes: list[Outcome] = []
        for start in range(0, len(frames), BATCH):
            outcomes += self._collect(frames[start : start + BATCH])
        return outcomes

    def run_sql(self, tables: tuple[Data, ...], sql: str) -> Outcome:
        """Any text over these tables."""
        self.load(tables)
        return self._collect([self._analyzed(sql)])[0]

    def _checked(self, case: Case, query: Query) -> Any:
        """The analyzed query, if its types are those that we derive."""
        self.load(case.tables)
        sql = to_spark(query)
        frame = self._analyzed(sql)
        if isinstance(frame, Broken | Raised):
            return frame
        kinds, derived = tuple(f.type for f in schema_of(frame)), types_of(query.rel)
        return frame if kinds == derived else Broken(f"Spark's types: {kinds}\nours: {derived}\n{sql}")

    def _analyzed(self, sql: str) -> Any:
        try:
            return self.session.sql(sql)
        except Exception as error:  # noqa: BLE001  whatever Spark raises is what we report
            return _failure(error, sql)

    def _collect(self, frames: Sequence[Any]) -> list[Outcome]:
        valid = [f for f in frames if not isinstance(f, Broken | Raised)]
        try:
            found = iter(self._united(valid))
        except Exception as error:  # noqa: BLE001
            if len(frames) == 1:
                return [_failure(error, "")]
            return [self._collect([f])[0] for f in frames]
        return [f if isinstance(f, Broken | Raised) else next(found) for f in frames]

    def _united(self, frames: Sequence[Any]) -> list[Outcome]:
        if not frames:
            return []
        tagged = [f.selectExpr(f"{i} AS tag", f"array({_texts(f)}) AS row") for i, f in enumerate(frames)]
        united = tagged[0]
        for more in tagged[1:]:
            united = united.unionAll(more)
        rows: list[list[tuple[Any, ...]]] = [[] for _ in frames]
        kinds = [[c.type for c in schema_of(f)] for f in frames]
        for tag, row in united.collect():
            rows[tag].append(tuple(_value(text, kind) for text, kind in zip(row, kinds[tag], strict=True)))
        return [bag(found) for found in rows]


def what_it_hangs_on(work: Sequence[tuple[Case, Query]], expected: Sequence[Outcome]) -> list[tuple[object, ...]]:
    """Of each case: its tables, the query and its text for Spark, the types that we derive, and the rows."""
    return [
        (select_all(case.tables), str(query), to_spark(query), types_of(query.rel), in_full(outcome))
        for (case, query), outcome in zip(work, expected, strict=True)
    ]


def select_all(tables: Sequence[Data]) -> tuple[tuple[str, str], ...]:
    return tuple((table.name, select(table)) for table in tables)


def schema_of(frame: Any) -> Schema:
    """What Spark's analyzer says of the columns."""
    return schema_from_json(frame.schema.json())


def _texts(frame: Any) -> str:
    return ", ".join(f"CAST(`{name.replace('`', '``')}` AS STRING)" for name in frame.columns)


def _value(text: str | None, kind: DataType) -> Any:
    if text is None:
        return None
    match kind:
        case DecimalType():
            return decimal.Decimal(text)
        case Primitive("boolean"):
            return text == "true"
        case Primitive("byte" | "short" | "integer" | "long"):
            return int(text)
        case Primitive("double" | "float"):
            return math.nan if text == "NaN" else float(text)
        case Primitive("date"):
            return dt.date.fromisoformat(text)
        case Primitive("timestamp_ntz"):
            return dt.datetime.fromisoformat(text)
        case Primitive("timestamp"):
            return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)
        case Primitive("string"):
            return text
    raise TypeError(f"no values of {kind}")


def _failure(error: Exception, sql: str) -> Outcome:
    text = str(error)
    condition = getattr(error, "getCondition", lambda: None)() or ""
    if any(code in condition or f"[{code}" in text for code in DATA_ERRORS):
        return Raised(text.splitlines()[0])
    return Broken(f"{text[:800]}\n{sql}")


def select(table: Data) -> str:
    """The rows of a table as a query; NOT NULL is said by the values themselves."""
    names = ", ".join(name_to_sql(c.name) for c in table.columns)
    if not table.rows:
        nothing = ", ".join(f"CAST(NULL AS {to_sql(c.type)}) AS {name_to_sql(c.name)}" for c in table.columns)
        return f"SELECT {nothing} WHERE FALSE"
    kinds = [c.type for c in table.columns]
    rows = [
        ", ".join(
            f"CAST({NULL if v is None else literal(v, k)} AS {to_sql(k)})" for v, k in zip(row, kinds, strict=True)
        )
        for row in table.rows
    ]
    return f"SELECT * FROM VALUES {', '.join(f'({r})' for r in rows)} AS data({names})"

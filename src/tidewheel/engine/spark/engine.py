"""Views run on Spark: pinned inputs read by explicit file list and schema, each view written by one SQL execution."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from tidewheel.engine.base import Spread
from tidewheel.engine.spark import session as spark_session
from tidewheel.engine.spark.errors import translate
from tidewheel.engine.spark.made import Held, can_be_collected, collected, schema_of, size_of
from tidewheel.engine.spark.naming import name_frame
from tidewheel.engine.spark.reach import in_background
from tidewheel.errors import TidewheelError
from tidewheel.ir.rel import Project, Query, Union
from tidewheel.ir.scalar import NULL, Cast, Col, Lit
from tidewheel.names import quote
from tidewheel.schema_json import schema_from_json, schema_to_json
from tidewheel.sql.unparse import to_spark
from tidewheel.store.integrity import check_size
from tidewheel.store.log import DataFile
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import INT, DataType, Field, Primitive, Schema, Struct, has_floats, to_sql

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from tidewheel.engine.base import Output
    from tidewheel.project.config import SparkOptions
    from tidewheel.project.graph import View

_OUTPUT = "_tw_output"
SMALL = 256 * 2**20
"""Bytes of work for which a JVM is over before it would have paid to compile well."""


class SparkEngine:
    """Spark, started at the first session and not before."""

    name = "spark"

    def __init__(
        self, options: SparkOptions, app: str, given: SparkSession | None = None, *, brief: bool = False
    ) -> None:
        self.options = options
        self.app = app
        self.brief = brief
        """Does the process end after one piece of work."""
        self.parallelism = 2  # two threads keep a driver busy; more only queue
        self._given = given
        self._spark = given
        self._starting: Future[SparkSession] | None = None

    @property
    def is_ready(self) -> bool:
        return self._spark is not None

    def start(self, size: int) -> None:
        if self._spark is None and self._starting is None:
            brief = self.brief and size <= SMALL
            self._starting = in_background(lambda: spark_session.connect(self.options, self.app, brief=brief))

    @property
    def spark(self) -> SparkSession:
        if self._spark is None:
            starting, self._starting = self._starting, None
            self._spark = starting.result() if starting else spark_session.connect(self.options, self.app)
        return self._spark

    def session(self, settings: dict[str, str]) -> SparkRun:
        with _translated(None):
            return SparkRun(spark_session.isolate(self.spark, settings, self.options.conf))

    def cancel(self) -> None:
        if self._spark is None:
            return
        with contextlib.suppress(Exception):  # the JVM may be gone, which also ends what is running
            if self.options.remote:
                self.spark.interruptAll()
            else:
                self.spark.sparkContext.cancelAllJobs()

    def stop(self) -> None:
        if self._starting is not None:
            with contextlib.suppress(TidewheelError):  # nobody waited for it
                _ = self.spark
        if self._spark is not None and self._given is None:
            self._spark.stop()
            self._spark = None


class SparkRun:
    """One run's session. Spark sessions may be used from several threads."""

    copies = True

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.made: dict[str, Held] = {}

    def register(self, name: str, *parts: TableSnapshot) -> None:
        with _translated(None):
            name_frame(self.spark, _union([self.frame(part) for part in parts]), name)

    def frame(self, snapshot: TableSnapshot) -> DataFrame:
        """A DataFrame of exactly the files of a snapshot, in its schema. No job, no schema inference."""
        if not snapshot.files:
            return self._empty(snapshot.schema)
        stored = snapshot.schema.without(snapshot.partition_columns)
        frames = []
        for values, files in _by_partition(snapshot.files).items():
            paths = [os.path.join(snapshot.table, f.path) for f in files]
            for path, file in zip(paths, files, strict=True):
                with contextlib.suppress(FileNotFoundError):  # it is Spark's to say, when the file is read
                    check_size(path, file.size)
            frame = self._read(stored, [_escape_glob(path) for path in paths])
            frames.append(self._with_partition(frame, snapshot.schema, dict(values)) if values else frame)
        return _union(frames)

    def _read(self, schema: Schema, paths: list[str]) -> DataFrame:
        reader = self.spark.read.schema(_struct(schema)).option("recursiveFileLookup", "true")
        frame = reader.option("parquet.page.verify-checksum.enabled", "true").parquet(*paths)
        if any(has_floats(f.type) for f in schema):
            return frame.selectExpr(*(f"{_computed(quote(f.name), f.type)} AS {quote(f.name)}" for f in schema))
        return frame

    def _empty(self, schema: Schema) -> DataFrame:
        return self.spark.createDataFrame([], _struct(schema))

    def _with_partition(self, frame: DataFrame, schema: Schema, values: dict[str, str | None]) -> DataFrame:
        columns = []
        for field in schema:
            if field.name in values:
                text = values[field.name]
                value = "NULL" if text is None else _text(text)
                columns.append(f"CAST({value} AS {to_sql(field.type)}) AS {quote(field.name)}")
            else:
                columns.append(quote(field.name))
        return frame.selectExpr(*columns)

    def define(self, view: View, sql: str) -> None:
        with _translated(view):
            name_frame(self.spark, self.spark.sql(sql), view.name)

    def write(self, view: View, sql: str, folder: str, spread: Spread | None = None) -> Schema:
        with _translated(view):
            frame = self.spark.sql(sql)
            schema = schema_from_json(frame.schema.json())
            view.check_columns(schema.names)
            _write(frame, spread or Spread(order=view.options.cluster_by, rows=0), folder)
        _remove_checksums(folder)
        return schema

    def run(self, view: View, outputs: Sequence[Output]) -> list[Schema]:
        with _translated(view):
            if len(outputs) == 1:
                output = outputs[0]
                frame = _typed(self.spark.sql(to_spark(output.query)), output.schema)
                schemas = [schema_from_json(frame.schema.json())]
                _write(frame, output.spread, output.folder)
            else:
                schemas = [o.schema for o in outputs if o.schema is not None]
                self._write_together(outputs, schemas)
        for output in outputs:
            _remove_checksums(output.folder)
        return schemas

    def _write_together(self, outputs: Sequence[Output], schemas: Sequence[Schema]) -> None:
        """Several results of known types by one execution: a union with all columns of all, written apart by number."""
        query = _united(outputs, schemas)
        columns = Schema((Field(_OUTPUT, INT), *{f.name: f for schema in schemas for f in schema}.values()))
        together = f"{outputs[-1].folder}.together"
        _typed(self.spark.sql(to_spark(query)), columns).write.partitionBy(_OUTPUT).parquet(together)
        for number, output in enumerate(outputs):
            made = os.path.join(together, f"{_OUTPUT}={number}")
            if os.path.isdir(made):
                os.rename(made, output.folder)
            else:
                os.makedirs(output.folder)
        shutil.rmtree(together)

    def make(self, view: View, name: str, query: Query, folder: str, *, few: bool) -> int:
        with _translated(view):
            frame = self.spark.sql(to_spark(query))
            is_small = few and can_be_collected(frame)
            held = collected(self.spark, frame) if is_small else self._written(frame, folder)
            name_frame(self.spark, held.frame, name)
        self.made[name] = held
        return held.rows

    def _written(self, frame: DataFrame, folder: str) -> Held:
        frame.write.parquet(folder)
        schema, path = schema_of(frame), _escape_glob(folder)
        if schema is None:
            return Held(self.spark.read.schema(frame.schema).parquet(path), *size_of(folder))
        return Held(self._read(schema, [path]), *size_of(folder))

    def drop(self, name: str) -> None:
        if self.made.pop(name, None) is not None:
            with _translated(None):
                self.spark.catalog.dropTempView(name)

    def bytes(self, name: str) -> int:
        return self.made[name].bytes

    def collect(self, sql: str, limit: int | None = None) -> pa.Table:
        with _translated(None):
            frame = self.spark.sql(sql)
            return (frame if limit is None else frame.limit(limit)).toArrow()

    def sql(self, sql: str) -> DataFrame:
        with _translated(None):
            return self.spark.sql(sql)

    def waited(self) -> float:
        """Spark serves all at once."""
        return 0.0

    def close(self) -> None:
        """Temporary names live and die with the session."""


def _text(text: str) -> str:
    """A text as a literal of Spark's SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _computed(value: str, kind: DataType) -> str:
    """A column whose floating point numbers Spark does not look up in bounds of files: most writers leave out NaN."""
    match kind:
        case Primitive("float" | "double"):
            return f"if(isnan({value}), CAST('NaN' AS {to_sql(kind)}), {value})"
        case Struct(fields) if has_floats(kind):
            parts = (f"{_text(f.name)}, {_computed(f'{value}.{quote(f.name)}', f.type)}" for f in fields)
            return f"if({value} IS NULL, NULL, named_struct({', '.join(parts)}))"
    return value


def _united(outputs: Sequence[Output], schemas: Sequence[Schema]) -> Query:
    """One plan of all: the number of the output, then the columns of each, NULL in the rows of the others."""
    columns = {f.name: f for schema in schemas for f in schema}
    parts = []
    for number, (output, schema) in enumerate(zip(outputs, schemas, strict=True)):
        places = {name: Col(i) for i, name in enumerate(schema.names)}
        exprs = [places.get(name) or Cast(NULL, to_sql(f.type)) for name, f in columns.items()]
        parts.append(Project(input=output.query.rel, exprs=(Lit("int", str(number)), *exprs)))
    return Query(rel=Union(parts=tuple(parts)), names=(_OUTPUT, *columns))


def _union(frames: list[DataFrame]) -> DataFrame:
    while len(frames) > 1:  # pairwise, so that the plan stays shallow
        pairs = [frames[i : i + 2] for i in range(0, len(frames), 2)]
        frames = [pair[0].unionAll(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return frames[0]


def _write(frame: DataFrame, spread: Spread | None, folder: str) -> None:
    writer = spread_over(frame, spread).write
    if spread is not None and spread.rows:
        writer = writer.option("maxRecordsPerFile", spread.rows * 3 // 2)  # not a few rows in a file of their own
    writer.parquet(folder)


def spread_over(frame: DataFrame, spread: Spread | None) -> DataFrame:
    """The rows in as many partitions as there are bounds and one, each sorted; no job is run to find the bounds."""
    if spread is None or not spread.order:
        return frame
    from pyspark.sql import functions as F  # noqa: N812, PLC0415

    if spread.bounds:
        first = quote(spread.order[0])
        listed = ", ".join(spread.bounds)
        part = f"size(filter(array({listed}), b -> b <= {first}))"
        frame = frame.repartitionById(len(spread.bounds) + 1, F.expr(f"coalesce({part}, 0)"))
    return frame.sortWithinPartitions(*[quote(c) for c in spread.order])


def _typed(frame: DataFrame, schema: Schema | None) -> DataFrame:
    """The frame in exactly these columns and types."""
    if schema is None:
        return frame
    return frame.selectExpr(*(f"CAST({quote(f.name)} AS {to_sql(f.type)}) AS {quote(f.name)}" for f in schema))


def _remove_checksums(folder: str) -> None:
    """Those of Hadoop's local file system."""
    for name in os.listdir(folder):
        if name.startswith("."):
            os.unlink(os.path.join(folder, name))


def _struct(schema: Schema) -> Any:
    import json  # noqa: PLC0415

    from pyspark.sql.types import StructType  # noqa: PLC0415

    return StructType.fromJson(json.loads(schema_to_json(schema.nullable())))


def _by_partition(files: tuple[DataFile, ...]) -> dict[tuple[tuple[str, str | None], ...], list[DataFile]]:
    grouped: dict[tuple[tuple[str, str | None], ...], list[DataFile]] = {}
    for file in files:
        grouped.setdefault(file.partition, []).append(file)
    return grouped


def _escape_glob(path: str) -> str:
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", path)


@contextlib.contextmanager
def _translated(view: View | None) -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except Exception as error:
        raise translate(error, view) from error

"""DuckDB connections and the types both sides agree on."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, assert_never

from tidewheel.errors import ExecutionError, StoreError, UserError
from tidewheel.names import literal, quote_double
from tidewheel.store import disk
from tidewheel.types import Array, DataType, Decimal, Field, Map, Primitive, Schema, Struct, has_floats

if TYPE_CHECKING:
    import duckdb

_TO_DUCK = {
    "boolean": "BOOLEAN", "byte": "TINYINT", "short": "SMALLINT", "integer": "INTEGER", "long": "BIGINT",
    "float": "FLOAT", "double": "DOUBLE", "string": "VARCHAR", "binary": "BLOB", "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE", "timestamp_ntz": "TIMESTAMP",
}  # fmt: skip
_FROM_DUCK = {duck: name for name, duck in _TO_DUCK.items()} | {"HUGEINT": "long", "UINTEGER": "long"}


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def connect(
    *, memory: int | None = None, scratch: str | None = None, threads: int | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection of our own, in UTC, that spills to disk rather than grow."""
    import duckdb  # noqa: PLC0415  200 ms that most commands do not pay

    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": threads or cores(),
        "autoinstall_known_extensions": "false",
    }
    if memory:
        config["memory_limit"] = f"{max(memory, 200_000_000) // 1_000_000}MB"
    if scratch:
        config["temp_directory"] = scratch
    connection = duckdb.connect(config=config)
    connection.execute("SET TimeZone = 'UTC'")
    return connection


_SHARED: dict[tuple[int, str, int], duckdb.DuckDBPyConnection] = {}
_MOST_SHARED = 4


def cursor(memory: int, scratch: str, prelude: Sequence[str]) -> duckdb.DuckDBPyConnection:
    """A connection to a database that this process keeps: opening one takes longer than a small refresh.

    What is temporary is its own; the prelude is run once.
    """
    import duckdb  # noqa: PLC0415

    os.makedirs(scratch, exist_ok=True)
    key = (memory, scratch, os.stat(scratch).st_ino)  # it does not do without the folder that it was told to spill to
    try:
        return _in_utc(_SHARED[key])
    except (KeyError, duckdb.Error):  # none yet, or it is closed, or broken by a fatal error
        database = connect(memory=memory, scratch=scratch)
    for statement in prelude:
        database.execute(statement)
    _SHARED[key] = database
    if len(_SHARED) > _MOST_SHARED:
        del _SHARED[next(iter(_SHARED))]
    return _in_utc(database)


def _in_utc(database: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return database.cursor().execute("SET TimeZone = 'UTC'")


def _leave_to_parent() -> None:
    """After a fork the databases are the parent's: their threads are not here, and closing them would fail."""
    for database in _SHARED.values():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(database))
    _SHARED.clear()


os.register_at_fork(after_in_child=_leave_to_parent)


def write_error(error: Exception, path: str) -> StoreError | None:
    """What the operating system said when DuckDB could not write; None if that was not the matter."""
    found = re.search(r'"errno":"(\d+)"', str(error))
    named = re.search(r'file \\?"(.+?)\\?"', str(error))
    return disk.store_error(OSError(int(found[1]), "DuckDB"), named[1] if named else path) if found else None


def read_error(error: Exception, paths: Sequence[str] = ()) -> StoreError | None:
    """The damaged file that DuckDB could not read, of those that it names or that were read; None if all are sound.

    Over damaged bytes it raises errors of every class, so that the files are asked and not the error.
    """
    import duckdb  # noqa: PLC0415

    from tidewheel.store.integrity import find_damage  # noqa: PLC0415

    if isinstance(error, (duckdb.OutOfMemoryException, duckdb.InterruptException)):
        return None
    named = [path for _, path in re.findall(r"""\bfile (['"])(.+?)\1""", str(error), re.IGNORECASE)]
    suspects = [path for path in dict.fromkeys([*named, *paths]) if os.path.isfile(path)]
    return find_damage(suspects) or next(filter(None, map(_trial, suspects)), None)


def _trial(path: str) -> StoreError | None:
    """What DuckDB says of a file by itself, if it cannot read it all."""
    import duckdb  # noqa: PLC0415

    from tidewheel.store.integrity import corrupt_file  # noqa: PLC0415

    try:
        with connect() as connection:
            for _ in connection.sql(f"SELECT * FROM {read_files([path])}").to_arrow_reader():
                pass
    except duckdb.Error as error:
        return corrupt_file(path, error)
    return None


@contextmanager
def io_errors(path: str, read: Sequence[str] = ()) -> Iterator[None]:
    """DuckDB's errors as our own: those of writing below a path, of reading files, and all others."""
    import duckdb  # noqa: PLC0415

    try:
        yield
    except duckdb.Error as error:
        found = write_error(error, path) or read_error(error, read)
        if found is None and isinstance(error, duckdb.IOException):
            found = StoreError(
                "a data file cannot be read",
                code="corrupt-file",
                detail=str(error).splitlines()[0],
                hint="The file is damaged, or was deleted meanwhile.",
            )
        raise found or failure(error, "the work of DuckDB", None) from error


def failure(error: duckdb.Error, what: str, relation: str | None) -> UserError | ExecutionError:
    """An error of DuckDB that no file is to blame for."""
    import duckdb  # noqa: PLC0415

    detail = (str(error).splitlines() or [type(error).__name__])[0]
    if isinstance(error, (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException)):
        hint = "Correct the SQL; the detail is what DuckDB, the local engine, says of it."
        message = f"{what} is not a valid query" if relation else f"{what} is not valid"
        return UserError(message, code="invalid-query", hint=hint, detail=detail, relation=relation)
    if isinstance(error, duckdb.OutOfMemoryException):
        hint = "Raise `memory` in tidewheel.yml, or use the Spark engine."
        message = f"{what} needs too much memory"
        return ExecutionError(message, code="out-of-memory", hint=hint, detail=detail, relation=relation)
    hint = "The error comes from DuckDB, the local engine, while it ran the SQL."
    return ExecutionError(f"{what} failed", code="query-failed", hint=hint, detail=detail, relation=relation)


def to_duck(kind: DataType) -> str:
    match kind:
        case Primitive(name):
            return _TO_DUCK[name]
        case Decimal(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case Array(element):
            return f"{to_duck(element)}[]"
        case Map(key, value):
            return f"MAP({to_duck(key)}, {to_duck(value)})"
        case Struct(fields):
            return f"STRUCT({', '.join(f'{quote_double(f.name)} {to_duck(f.type)}' for f in fields)})"
    assert_never(kind)


def from_duck(name: str, kind: Any) -> Field:
    """A column of a DuckDB result as Spark would type it: a sum of integers is BIGINT in Spark, HUGEINT here."""
    return Field(name, _from_duck_type(kind, name))


def _from_duck_type(kind: Any, column: str) -> DataType:
    if match := re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", str(kind)):
        return Decimal(int(match[1]), int(match[2]))
    if kind.id == "list":
        return Array(_from_duck_type(kind.children[0][1], column))
    if kind.id == "map":
        return Map(_from_duck_type(kind.children[0][1], column), _from_duck_type(kind.children[1][1], column))
    if kind.id == "struct":
        return Struct(tuple(from_duck(name, inner) for name, inner in kind.children))
    if str(kind) not in _FROM_DUCK:
        raise UserError(
            f'the local engine has no Spark type for column "{column}", which is {kind}',
            code="not-local",
            hint="Cast it, or use the Spark engine: leave out `engine: local`.",
        )
    return Primitive(_FROM_DUCK[str(kind)])


def scan(paths: list[str], schema: Schema) -> str:
    """A FROM clause over data files, with exactly the declared columns and types; no files are no rows."""
    columns = ", ".join(f"{column(quote_double(f.name), f.type)} AS {quote_double(f.name)}" for f in schema)
    nothing = ", ".join(f"CAST(NULL AS {to_duck(f.type)}) AS {quote_double(f.name)}" for f in schema)
    if not paths:
        return f"(SELECT {nothing} WHERE false)"
    # A column that was added to the table later is in none of its older files: there it is NULL.
    found = f"SELECT * FROM {read_files(paths)} UNION ALL BY NAME SELECT {nothing} WHERE false"
    return f"(SELECT {columns} FROM ({found}))"


def column(name: str, kind: DataType) -> str:
    """A column of a data file, in its type.

    DuckDB leaves out files and row groups by the bounds of floating point numbers, and most writers leave NaN, which is
    greater than all others, out of these bounds. It does not do so for what is computed.
    """
    return _computed(f"CAST({name} AS {to_duck(kind)})", kind)


def _computed(value: str, kind: DataType, depth: int = 0) -> str:
    if not has_floats(kind):
        return value
    item = f"x{depth}"
    match kind:
        case Array(element):
            return f"[{_computed(item, element, depth + 1)} for {item} in {value}]"
        case Map(key, inner):
            parts = [_computed(f"{item}.key", key, depth + 1), _computed(f"{item}.value", inner, depth + 1)]
            entry = f"{{'k': {parts[0]}, 'v': {parts[1]}}}"
            made = f"map_from_entries([{entry} for {item} in map_entries({value})])"
        case Struct(fields):
            names = [quote_double(f.name) for f in fields]
            parts = [_computed(f"({value}).{n}", f.type, depth) for n, f in zip(names, fields, strict=True)]
            made = f"struct_pack({', '.join(f'{n} := {p}' for n, p in zip(names, parts, strict=True))})"
        case _:
            return f"if(isnan({value}), CAST('nan' AS {to_duck(kind)}), {value})"
    return f"if({value} IS NULL, NULL, {made})"


def read_files(paths: list[str], **options: str) -> str:
    """A table function over exactly these files: a `*` in a folder's name is no pattern, a `day=1` no column."""
    files = ", ".join(literal(_escape_glob(os.path.abspath(p))) for p in paths)
    chosen = {"union_by_name": "true", "hive_partitioning": "false", **options}
    return f"read_parquet([{files}], {', '.join(f'{k}={v}' for k, v in chosen.items())})"


def _escape_glob(path: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", path)

"""The rows of a result as they are printed. Rows go by position: two columns of a query may have one name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tidewheel.cli import output

if TYPE_CHECKING:
    import pyarrow as pa


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    """Each row as its values, in the order of the columns."""
    columns = [column.to_pylist() for column in table.columns]
    return list(zip(*columns, strict=True))


def rows_body(table: pa.Table) -> Any:
    """A list of objects; if two columns have one name, the names and each row as a list."""
    names, rows = table.column_names, rows_of(table)
    if len(set(names)) < len(names):
        return {"columns": names, "rows": rows}
    return [dict(zip(names, row, strict=True)) for row in rows]


def emit_rows(table: pa.Table, title: str, *, as_json: bool) -> None:
    if as_json:
        output.emit_json(rows_body(table))
        return
    kinds = table.schema.types
    rows = [tuple(map(as_text, row, kinds)) for row in rows_of(table)]
    output.emit_table(title, table.column_names, rows)


def as_text(value: Any, kind: pa.DataType) -> str:
    """A value as Spark shows it."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case bytes():
            return f"[{value.hex(' ').upper()}]"
        case dict():
            return f"{{{', '.join(as_text(v, kind.field(name).type) for name, v in value.items())}}}"
        case list() if _is_map(kind):
            pairs = (f"{as_text(k, kind.key_type)} -> {as_text(v, kind.item_type)}" for k, v in value)
            return f"{{{', '.join(pairs)}}}"
        case list():
            return f"[{', '.join(as_text(v, kind.value_type) for v in value)}]"
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case _:
            return str(value)


def _is_map(kind: pa.DataType) -> bool:
    from pyarrow.types import is_map  # noqa: PLC0415

    return bool(is_map(kind))

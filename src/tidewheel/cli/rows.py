"""The rows of a result as they are printed. Rows go by position: two columns of a query may have one name."""

from __future__ import annotations

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
    rows = [tuple("NULL" if value is None else str(value) for value in row) for row in rows_of(table)]
    output.emit_table(title, table.column_names, rows)

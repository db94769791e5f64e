"""Which files may hold given rows, by the statistics of the files alone. Any doubt keeps the file."""

from __future__ import annotations

import bisect
import datetime as dt
import decimal
import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidewheel.store.integrity import opened
from tidewheel.store.log import DataFile
from tidewheel.store.tables import TableSnapshot

if TYPE_CHECKING:
    import pyarrow as pa


MOST_VALUES = 500_000
"""Rows of a change beyond which its values are not looked at: it touches most files anyway."""


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """The different values of one column, sorted, and whether NULL is among them."""

    sorted: list[Any]
    has_null: bool

    def may_be_in(self, low: Any, high: Any, nulls: int | None) -> bool:
        if self.has_null and nulls != 0:
            return True
        at = bisect.bisect_left(self.sorted, low)
        return at < len(self.sorted) and bool(self.sorted[at] <= high)


def files_of_rows(files: Sequence[DataFile], rows: pa.Table) -> list[DataFile]:
    """The files that may hold one of the rows, by the columns that these have."""
    wanted = {name: found for name in rows.column_names if (found := values_of(rows.column(name))) is not None}
    return files_with(files, wanted)


def files_with(files: Sequence[DataFile], wanted: Mapping[str, ColumnValues]) -> list[DataFile]:
    """The files that may hold a row with one of the wanted values in each of some columns."""
    return [f for f in files if _may_hold(f, wanted)]


def values_in(parts: Sequence[TableSnapshot], column: str) -> ColumnValues | None:
    """The values of a column of a change; None if they are too many, or not of a kind that files have bounds for."""
    import pyarrow as pa  # noqa: PLC0415

    if sum(p.rows for p in parts) > MOST_VALUES or any(column in p.partition_columns for p in parts):
        return None
    columns = []
    for path in (path for part in parts for path in part.paths()):
        with opened(path) as file:
            if column not in file.schema_arrow.names:
                return None
            columns.append(file.read(columns=[column]).column(column))
    if len({str(c.type) for c in columns}) != 1:
        return None
    return values_of(pa.chunked_array([chunk for c in columns for chunk in c.chunks], type=columns[0].type))


def values_of(column: pa.ChunkedArray) -> ColumnValues | None:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    kind = column.type
    plain = pa.types.is_integer(kind) or pa.types.is_date(kind) or pa.types.is_string(kind)
    if not (plain or pa.types.is_decimal(kind) or pa.types.is_timestamp(kind)):
        return None
    unique = pc.unique(column)
    try:
        values = [_plain(v) for v in unique.drop_null().to_pylist()]
    except (OverflowError, ValueError):  # days before the year 1 or after 9999
        return None
    return ColumnValues(sorted(values), len(values) < len(unique))


def united(several: Sequence[ColumnValues | None]) -> ColumnValues | None:
    """All values of several columns together; None if those of one are not known."""
    known = [v for v in several if v is not None]
    if len(known) < len(several):
        return None
    return ColumnValues(sorted({x for v in known for x in v.sorted}), any(v.has_null for v in known))


def _plain(value: Any) -> Any:
    """A value as it compares with a bound that was read from JSON."""
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value
    return value


def _may_hold(file: DataFile, wanted: Mapping[str, ColumnValues]) -> bool:
    stats = _stats(file.stats)
    lows, highs, nulls = (stats.get(part) or {} for part in ("minValues", "maxValues", "nullCount"))
    for name, values in wanted.items():
        if name not in lows or name not in highs:
            continue
        kind = next((type(v) for v in values.sorted), None)
        low, high = _bound(lows[name], kind), _bound(highs[name], kind)
        if low is not None and high is not None and not values.may_be_in(low, high, nulls.get(name)):
            return False
    return True


@functools.lru_cache(maxsize=20_000)
def _stats(text: str) -> dict[str, Any]:
    """Statistics as they stand in the log; files are looked at by many views."""
    return json.loads(text, parse_float=decimal.Decimal) if text else {}


def _bound(text: Any, kind: type | None) -> Any:
    """A bound in the type of the values; None if it cannot be read as one."""
    try:
        if kind is dt.date:
            return dt.date.fromisoformat(text)
        if kind is dt.datetime:
            return dt.datetime.fromisoformat(text.removesuffix("Z"))
        if kind is decimal.Decimal:
            return decimal.Decimal(text)
    except (ValueError, TypeError, AttributeError, decimal.InvalidOperation):
        return None
    return text if isinstance(text, kind or object) else None

"""Which files may hold given rows, by the statistics of the files alone. Any doubt keeps the file."""

from __future__ import annotations

import bisect
import datetime as dt
import decimal
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidewheel.store.log import DataFile

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class _Values:
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
    wanted = {name: found for name in rows.column_names if (found := _values(rows.column(name))) is not None}
    return [f for f in files if _may_hold(f, wanted)]


def _values(column: pa.ChunkedArray) -> _Values | None:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    kind = column.type
    plain = pa.types.is_integer(kind) or pa.types.is_date(kind) or pa.types.is_string(kind)
    if not (plain or pa.types.is_decimal(kind) or pa.types.is_timestamp(kind)):
        return None
    unique = pc.unique(column)
    values = unique.drop_null().to_pylist()
    return _Values(sorted(map(_plain, values)), len(values) < len(unique))


def _plain(value: Any) -> Any:
    """A value as it compares with a bound that was read from JSON."""
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value
    return value


def _may_hold(file: DataFile, wanted: dict[str, _Values]) -> bool:
    stats = json.loads(file.stats, parse_float=decimal.Decimal) if file.stats else {}
    lows, highs, nulls = (stats.get(part) or {} for part in ("minValues", "maxValues", "nullCount"))
    for name, values in wanted.items():
        if name not in lows or name not in highs:
            continue
        kind = next((type(v) for v in values.sorted), None)
        low, high = _bound(lows[name], kind), _bound(highs[name], kind)
        if low is not None and high is not None and not values.may_be_in(low, high, nulls.get(name)):
            return False
    return True


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

"""Arrow tables as the data frames of others, which are loaded only here and only if they are installed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidewheel.errors import UserError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Whole numbers and booleans by the types of pandas that know NULL: a float would lose digits of a large number."""
    pandas = _library("pandas")
    exact = {
        pa.int8(): pandas.Int8Dtype(),
        pa.int16(): pandas.Int16Dtype(),
        pa.int32(): pandas.Int32Dtype(),
        pa.int64(): pandas.Int64Dtype(),
        pa.bool_(): pandas.BooleanDtype(),
    }
    frame: pd.DataFrame = table.to_pandas(types_mapper=exact.get)
    return frame


def to_polars(table: pa.Table) -> pl.DataFrame:
    frame: pl.DataFrame = _library("polars").from_arrow(table)
    return frame


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UserError(
            f"{name} is not installed",
            code="not-installed",
            hint=f"Run `pip install {name}`, or use to_arrow().",
        ) from error

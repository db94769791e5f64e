"""Rows that break careless expressions: extremes, NaN, empty and odd strings, zero, dates at the limits."""

from __future__ import annotations

from typing import Any

from tidewheel.ddl import parse_type
from tidewheel.types import DataType

_COLUMNS: dict[str, tuple[str, ...]] = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": ("CAST(-128 AS TINYINT)", "0Y", "127Y"),
    "INT": ("CAST(-2147483648 AS INT)", "0", "-1", "2147483647"),
    "BIGINT": ("-9223372036854775808L", "0L", "1L", "9223372036854775807L"),
    "FLOAT": ("float('NaN')", "0F", "float('-Infinity')", "CAST(3.4e38 AS FLOAT)"),
    "DOUBLE": ("double('NaN')", "0D", "-0.0D", "double('Infinity')", "-1.7e308D", "1e-300D"),
    "DECIMAL(5,2)": ("-999.99", "0.00", "999.99"),
    "DECIMAL(38,18)": ("-99999999999999999999.999999999999999999BD", "0BD",
    "99999999999999999999.999999999999999999BD"),
    "DECIMAL(38,0)": ("-99999999999999999999999999999999999999BD", "0BD", "99999999999999999999999999999999999999BD"),
    "STRING": ("''", "' '", "'abc'", "'12'", "'%_[('", "'2020-02-30'", "decode(X'C3A9F09F9880', 'utf-8')"),
    "BINARY": ("X''", "X'FF00C3'"),
    "DATE": (
        "date_from_unix_date(-2147483648)", "DATE '0001-01-01'", "DATE '2020-02-29'", "DATE '9999-12-31'",
        "date_from_unix_date(2147483647)",
    ),
    "TIMESTAMP": (
        "timestamp_micros(-9223372036854775808L)", "TIMESTAMP '0001-01-01 00:00:00'",
        "TIMESTAMP '1969-12-31 23:59:59.9'",
        "timestamp_micros(9223372036854775807L)",
    ),
    "ARRAY<INT>": ("array()", "array(1, 2147483647)", "array(CAST(NULL AS INT))"),
    "MAP<STRING, INT>": ("map()", "map('a', 1, '', NULL)"),
    "STRUCT<a: INT, b: STRING>": ("named_struct('a', 1, 'b', '')",),
}  # fmt: skip

KINDS = tuple(_COLUMNS)
"""The types of c0, c1, ...; each comes twice, so that pairs of its values meet: c0 and c16 are both booleans."""
WIDTH = len(KINDS)
INPUTS: tuple[DataType, ...] = tuple(map(parse_type, KINDS)) * 2


def make_view(spark: Any) -> None:
    """`nasty`: no NULLs at the top, each value of a column beside each value of its twin."""
    longest = max(len(values) for values in _COLUMNS.values())
    rows = []
    for row in range(longest):
        cells = [f"CAST({v[row % len(v)]} AS {kind})" for kind, v in _COLUMNS.items()]
        rows.append("SELECT " + ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells)))
    spark.sql(" UNION ALL ".join(rows)).localCheckpoint().createOrReplaceTempView("nasty_side")
    twin = ", ".join(f"b.c{i} AS c{i + WIDTH}" for i in range(WIDTH))
    spark.sql(f"SELECT a.*, {twin} FROM nasty_side a, nasty_side b").localCheckpoint().createOrReplaceTempView("nasty")


def failures(spark: Any, expressions: list[str]) -> list[str]:
    """The expressions that raise on some row."""
    try:
        columns = ", ".join(f"{e} AS x{i}" for i, e in enumerate(expressions))
        spark.sql(f"SELECT {columns} FROM nasty").write.format("noop").mode("overwrite").save()
    except Exception as error:  # noqa: BLE001  whatever it says is the finding
        if len(expressions) == 1:
            return [f"{expressions[0]}: {str(error).splitlines()[0]}"]
        half = len(expressions) // 2
        return failures(spark, expressions[:half]) + failures(spark, expressions[half:])
    return []

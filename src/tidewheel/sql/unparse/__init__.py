"""Plans as SQL text: for Spark all of them, for DuckDB those that are shown to mean the same there."""

from tidewheel.sql.unparse.duck_macros import PRELUDE
from tidewheel.sql.unparse.duckdb import to_duckdb
from tidewheel.sql.unparse.spark import rel_to_spark, to_spark

__all__ = ["PRELUDE", "rel_to_spark", "to_duckdb", "to_spark"]

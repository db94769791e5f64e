"""Plans as SQL text: for Spark all of them, for DuckDB those that are shown to mean the same there."""

from tidewheel.sql.unparse.spark import rel_to_spark, to_spark

__all__ = ["rel_to_spark", "to_spark"]

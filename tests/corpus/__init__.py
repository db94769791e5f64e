"""Test material: queries, invalid queries, pairs of queries, and the small tables they read; all proven on Spark.

The texts stand in files beside this module; `tests/spark/test_corpus_on_spark.py` proves what they claim.
"""

from tests.corpus.cases import (
    Case,
    Pair,
    different_pairs,
    invalid_queries,
    queries,
    same_pairs,
    tpcds_queries,
    tpch_queries,
)
from tests.corpus.register import in_duckdb, in_spark, to_arrow_table
from tests.corpus.table import Row, Table
from tests.corpus.tables import catalog
from tests.corpus.tpcds_data import tpcds_tables
from tests.corpus.tpch_data import tpch_tables

__all__ = [
    "Case",
    "Pair",
    "Row",
    "Table",
    "catalog",
    "different_pairs",
    "in_duckdb",
    "in_spark",
    "invalid_queries",
    "queries",
    "same_pairs",
    "to_arrow_table",
    "tpcds_queries",
    "tpcds_tables",
    "tpch_queries",
    "tpch_tables",
]

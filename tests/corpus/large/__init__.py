"""Queries as analytics engineers write them: one view of 12 to 60 CTEs each, over one small schema."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from tests.corpus.large.schema import KEYS, SOURCES
from tidewheel.ddl import parse_schema
from tidewheel.sql.bind import CatalogRelation

__all__ = ["CATALOG", "KEYS", "SOURCES", "large_queries"]

CATALOG: Final[dict[str, CatalogRelation]] = {
    name: CatalogRelation.of(name, parse_schema(entry["schema"])) for name, entry in SOURCES.items()
}


@functools.cache
def large_queries() -> dict[str, str]:
    """The texts by name, each the stem of its file."""
    files = sorted(Path(__file__).parent.glob("*.sql"))
    return {file.stem: file.read_text(encoding="utf-8").strip() for file in files}

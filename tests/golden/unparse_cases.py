"""Plans and the SQL that is written for them, from tests/golden/unparse/*.test; and the tables that they read.

A case is `== name`, the plan (with $t for a scan of the whole of table t), and its texts after `-- spark` and
`-- duckdb`. The same cases run on Spark, in DuckDB and in the reference evaluator.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from tidewheel.ir.rel import Query
from tidewheel.ir.text import parse_rel
from tidewheel.tvr.reference.evaluate import Table

FOLDER = Path(__file__).parent / "unparse"
SCHEMAS = {
    "t": "id BIGINT, k INT, v BIGINT, s STRING, d DATE, p DECIMAL(12,2), x DOUBLE",
    "u": "k INT, w INT, s STRING",
    "e": "a INT, b STRING",
    "n": "id INT, a ARRAY<INT>, m MAP<STRING, INT>, r STRUCT<f: INT, `g h`: STRING>",
    "`left`": "`order` INT, `a b` STRING, `c``d` INT",
}
ROWS: dict[str, list[tuple[object, ...]]] = {
    "t": [
        (1, 1, 5, "abc", dt.date(2024, 2, 29), Decimal("1.25"), 0.5),
        (2, 1, None, "", dt.date(1999, 12, 31), Decimal("-3.10"), -1.5),
        (3, 2, -7, None, None, None, None),
        (4, None, 0, "Grüße", dt.date(2026, 1, 1), Decimal("0.00"), 0.0),
        (5, None, 12, "ABC", dt.date(2026, 1, 1), Decimal("99.99"), 2.25),
        (6, 2, 5, "abc", dt.date(2024, 3, 1), Decimal("1.25"), -0.0),
        (7, 3, 5, "a%b", dt.date(2024, 3, 1), Decimal("7.77"), math.nan),
        (8, 3, 9, "a_b\\c", None, Decimal("-0.01"), math.nan),
    ],
    "u": [(1, 10, "abc"), (1, 11, None), (2, None, "x"), (None, 30, "abc"), (4, 40, "y"), (4, 40, "y")],
    "e": [],
    "n": [
        (1, (10, None, 30), (("a", 1), ("b", None)), (5, "five")),
        (2, (), (), (None, None)),
        (3, None, None, None),
        (4, (7,), (("z", 26),), (6, "six")),
    ],
    "`left`": [(1, "x", 10), (2, None, 20), (None, "x", 30)],
}
TABLES = {name.strip("`"): Table.of(SCHEMAS[name], ROWS[name]) for name in SCHEMAS}


@dataclass(frozen=True, slots=True)
class Case:
    file: str
    name: str
    plan: str
    spark: str
    duckdb: str

    @property
    def query(self) -> Query:
        text = re.sub(r"\$(\w+)", lambda m: f"scan {_table(m[1])} ({SCHEMAS[_table(m[1])]})", self.plan)
        rel = parse_rel(text)
        return Query(rel=rel, names=tuple(f"col{i}" for i in range(rel.width)))


def _table(name: str) -> str:
    return name if name in SCHEMAS else f"`{name}`"


def read_cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.test")):
        for block in path.read_text().split("== ")[1:]:
            name, _, rest = block.partition("\n")
            plan, _, texts = rest.partition("-- spark\n")
            spark, _, duckdb = texts.partition("-- duckdb\n")
            yield Case(path.stem, name, plan.strip("\n") + "\n", spark.strip("\n"), duckdb.strip("\n"))


def write_cases(cases: list[Case]) -> None:
    for file in dict.fromkeys(c.file for c in cases):
        blocks = [
            f"== {c.name}\n{c.plan}-- spark\n{c.spark}\n-- duckdb\n{c.duckdb}\n\n" for c in cases if c.file == file
        ]
        (FOLDER / f"{file}.test").write_text("".join(blocks).rstrip("\n") + "\n")

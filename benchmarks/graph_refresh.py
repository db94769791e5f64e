"""Graphs of 22 views over TPC-DS, brought up to date after changes: as it comes, and in full.

The rows of every fact table are in the order of their dates. In each round so many new ones come at the end, and as
many of the oldest go. Two copies of one project take the same changes in one process and one Spark, in turn; with
--check their views are compared after each round.

    python benchmarks/graph_refresh.py --scale 1 --fractions 0.001 --rounds 3
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.arms import Arms, compared, table, write
from benchmarks.data import generate_tpcds
from tests.corpus import tpcds_tables
from tests.streams.graphs import GRAPHS, graph
from tests.streams.tpch import managed

from tidewheel.demo.shop import Batch
from tidewheel.store.arrow import to_arrow

FACTS = {
    "store_sales": ("ss_sold_date_sk", "ss_item_sk", "ss_ticket_number"),
    "store_returns": ("sr_returned_date_sk", "sr_item_sk", "sr_ticket_number"),
    "catalog_sales": ("cs_sold_date_sk", "cs_item_sk", "cs_order_number"),
    "catalog_returns": ("cr_returned_date_sk", "cr_item_sk", "cr_order_number"),
    "web_sales": ("ws_sold_date_sk", "ws_item_sk", "ws_order_number"),
    "web_returns": ("wr_returned_date_sk", "wr_item_sk", "wr_order_number"),
    "inventory": ("inv_date_sk", "inv_item_sk", "inv_warehouse_sk"),
}
"""Of each the column of its date, and those that tell its rows apart (with the date, of inventory)."""
SCHEMAS = {t.name: t.schema for t in tpcds_tables()}


def key_of(name: str) -> tuple[str, ...]:
    if name in FACTS:
        return FACTS[name] if name == "inventory" else FACTS[name][1:]
    return SCHEMAS[name].names[:1]


class Facts:
    """What is there, and what is yet to come."""

    def __init__(self, data: Path, held_back: float) -> None:
        self.data = data
        self.rows = {name: self._read(name) for name in FACTS}
        self.first = dict.fromkeys(FACTS, 0)
        self.end = {name: round(rows.num_rows * (1 - held_back)) for name, rows in self.rows.items()}

    def _read(self, name: str) -> pa.Table:
        """By position, for the standard misspells one of the names."""
        rows = pq.read_table(self.data / name).rename_columns(list(SCHEMAS[name].names))
        if name in FACTS:
            rows = rows.sort_by([(column, "ascending") for column in FACTS[name]])
        return rows.cast(to_arrow(SCHEMAS[name]))

    def load(self) -> Iterator[tuple[str, pa.Table]]:
        for name in SCHEMAS:
            yield name, self.rows[name].slice(0, self.end[name]) if name in FACTS else self._read(name)

    def round(self, fraction: float) -> list[Batch]:
        found = []
        for name, rows in self.rows.items():
            many = max(1, round(rows.num_rows * fraction))
            found.append(Batch(name, "append", rows.slice(self.end[name], many)))
            old = rows.slice(self.first[name], many).select(list(key_of(name)))
            found.append(Batch(name, "delete", old))
            self.first[name] += many
            self.end[name] += many
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3, help="with each fraction")
    parser.add_argument("--fractions", type=float, nargs="+", default=[0.001])
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=list(GRAPHS))
    parser.add_argument("--check", action="store_true", help="compare all views after each round")
    parser.add_argument("--apart", action="store_true", help="also without reading once for several views")
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    work = options.work.absolute()
    data = work / f"tpcds-{options.scale:g}"
    generate_tpcds(options.scale, data)
    sources = {name: managed(schema, key_of(name)) for name, schema in SCHEMAS.items()}
    results = {}
    for name in options.graphs:
        facts = Facts(data, held_back=sum(options.fractions) * options.rounds)
        ways = ("auto", "full", "apart") if options.apart else ("auto", "full")
        arms = Arms(work / name, sources, graph(name), facts.load(), ways=ways)
        for fraction in options.fractions:
            for _ in range(options.rounds):
                arms.round(facts.round(fraction), check=options.check)
            found = results[f"{name} {fraction:g}"] = compared(arms.arms, options.rounds)
            title = f"\n{name}: {fraction:.2%} of the facts come and go, scale {options.scale:g}, medians"
            print(f"{title}\n{table(found)}\n", flush=True)
            write(work, "graph_refresh", options, results)
        arms.stop()


if __name__ == "__main__":
    main()

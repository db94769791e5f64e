"""TPC-H as managed sources, and rounds of changes: new orders, old orders that go, customers, parts and suppliers.

    stream = TpchStream(seed=1)
    stream.load()          # the first rows of each source
    stream.round()         # what is ingested before the next refresh

The variant `spread=True` puts new orders between the old ones and deletes any, where TPC-H's own refresh functions
touch the two ends of the key range only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tests.corpus import tpch_queries
from tests.streams.tpch_data import ORDER_STEP, SCHEMAS, Ints, Tables, TpchRows
from tidewheel.demo.shop import Batch
from tidewheel.types import Schema

KEYS = {
    "region": ("r_regionkey",),
    "nation": ("n_nationkey",),
    "supplier": ("s_suppkey",),
    "customer": ("c_custkey",),
    "part": ("p_partkey",),
    "partsupp": ("ps_partkey", "ps_suppkey"),
    "orders": ("o_orderkey",),
    "lineitem": ("l_orderkey", "l_linenumber"),
}
VIEWS = {case.name: case.sql for case in tpch_queries()}


def managed(schema: Schema, key: tuple[str, ...] = ()) -> dict[str, Any]:
    """A source as it stands in tidewheel.yml."""
    return {"kind": "managed", "schema": schema.to_sql(), **({"key": list(key)} if key else {})}


SOURCES = {name: managed(SCHEMAS[name], key) for name, key in KEYS.items()}


class TpchStream:
    """Rounds of changes to one data set; `fraction` of the orders come and go in each.

    With `updates` so are so many customers, parts and suppliers updated.
    """

    sources = SOURCES

    def __init__(
        self,
        seed: int,
        *,
        scale: float = 0.01,
        tables: Tables | None = None,
        fraction: float = 0.01,
        spread: bool = False,
        updates: bool = True,
    ) -> None:
        self.rows, self.fraction, self.spread, self.updates = TpchRows(scale, seed), fraction, spread, updates
        self.first = tables or self.rows.tables()
        self.orders, self.counts = np.unique(self.first["lineitem"]["l_orderkey"].to_numpy(), return_counts=True)

    def load(self) -> list[Batch]:
        return [Batch(name, "append", table) for name, table in self.first.items()]

    def round(self) -> list[Batch]:
        many = max(1, round(len(self.orders) * self.fraction))
        gone = self._take(many)
        orders, lines = self.rows.order_rows(self._new_keys(many))
        new, counts = np.unique(lines["l_orderkey"].to_numpy(), return_counts=True)
        order = np.argsort(np.concatenate([self.orders, new]))
        self.orders = np.concatenate([self.orders, new])[order]
        self.counts = np.concatenate([self.counts, counts])[order]
        found = [*gone, Batch("orders", "append", orders), Batch("lineitem", "append", lines)]
        if not self.updates:
            return found
        return [
            *found,
            Batch("customer", "upsert", self.rows.customer_rows(self._some(self.rows.customers))),
            Batch("part", "upsert", self.rows.part_rows(self._some(self.rows.parts))),
            Batch("supplier", "upsert", self.rows.supplier_rows(self._some(self.rows.suppliers))),
        ]

    def _take(self, many: int) -> list[Batch]:
        """RF2: delete orders, and their lines."""
        random = self.rows.random
        which = np.sort(random.choice(len(self.orders), many, replace=False)) if self.spread else np.arange(many)
        keys, counts = self.orders[which], self.counts[which]
        self.orders, self.counts = np.delete(self.orders, which), np.delete(self.counts, which)
        numbers = np.concatenate([np.arange(1, count + 1) for count in counts]).astype(np.int32)
        lines = pa.table({"l_orderkey": np.repeat(keys, counts), "l_linenumber": numbers})
        return [Batch("orders", "delete", pa.table({"o_orderkey": keys})), Batch("lineitem", "delete", lines)]

    def _new_keys(self, many: int) -> Ints:
        """RF1: keys for new orders."""
        last = int(self.orders[-1])
        if not self.spread:
            return np.arange(last + 1, last + 1 + many)
        free = np.setdiff1d(np.arange(1, last + ORDER_STEP), self.orders)
        return np.sort(self.rows.random.choice(free, many, replace=False))

    def _some(self, last: int) -> Ints:
        many = max(2, round(last * self.fraction))
        return np.sort(self.rows.random.choice(last, many, replace=False) + 1)

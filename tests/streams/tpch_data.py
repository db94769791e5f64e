"""TPC-H tables of any scale by seed, in the value ranges of the specification (4.2) and without its generator.

Two things differ on purpose: parts have fewer names, types, brands and containers, and one order in a hundred is large,
so that each of the 22 queries has rows at scale 0.01 already, and they change. Orders stand four keys apart: there is
room for new ones between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tests.corpus.cases import HERE
from tests.corpus.table import read_schemas
from tests.corpus.tpch_data import MODES, NATIONS, REGIONS
from tidewheel.store.arrow import to_arrow

Ints: TypeAlias = npt.NDArray[np.int64]
Tables: TypeAlias = dict[str, pa.Table]

SCHEMAS = read_schemas(HERE / "tpch" / "schema.sql")
ORDER_STEP = 4
COLORS = ("almond", "azure", "blush", "coral", "forest", "green", "ivory", "khaki", "linen", "navy", "rose", "sky")
TYPES = (
    ("STANDARD", "MEDIUM", "ECONOMY", "PROMO"),
    ("ANODIZED", "POLISHED", "BRUSHED"),
    ("TIN", "BRASS", "STEEL", "COPPER"),
)
CONTAINERS = (("SM", "LG", "MED", "WRAP"), ("CASE", "BOX", "BAG", "PKG", "PACK"))
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
INSTRUCTIONS = ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")
COMMENTS = ("quick", "slow", "even", "pending", "final", "special packages requests")
COMPLAINTS = ("quiet", "steady", "regular", "Customer has Complaints")
FIRST_DAY, LAST_DAY, TODAY = (
    int(np.datetime64(day, "D").astype(np.int64)) for day in ("1992-01-01", "1998-08-02", "1995-06-17")
)


class TpchRows:
    """Makes rows for given keys: the same seed and the same calls give the same rows."""

    def __init__(self, scale: float, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.customers, self.parts, self.suppliers, self.orders = (
            max(least, int(many * scale))
            for many, least in ((150_000, 15), (200_000, 20), (10_000, 8), (1_500_000, 50))
        )

    def tables(self) -> Tables:
        """The whole data set."""
        orders, lines = self.order_rows(np.arange(1, self.orders + 1) * ORDER_STEP)
        return {
            "region": _table("region", {"r_regionkey": _upto(5) - 1, "r_name": REGIONS, "r_comment": ["plain"] * 5}),
            "nation": self._nations(),
            "supplier": self.supplier_rows(_upto(self.suppliers)),
            "customer": self.customer_rows(_upto(self.customers)),
            "part": self.part_rows(_upto(self.parts)),
            "partsupp": self._offers(),
            "orders": orders,
            "lineitem": lines,
        }

    def _nations(self) -> pa.Table:
        names, regions = zip(*NATIONS, strict=True)
        columns = {"n_nationkey": _upto(25) - 1, "n_name": names, "n_regionkey": regions, "n_comment": ["plain"] * 25}
        return _table("nation", columns)

    def supplier_rows(self, keys: Ints) -> pa.Table:
        nations = (keys + self._ints(keys, 0, 3)) % 25  # a nation without a supplier would empty Q8
        return _table(
            "supplier",
            {
                "s_suppkey": keys,
                "s_name": _numbered("Supplier", keys),
                "s_address": _numbered("Street", self._ints(keys, 0, 1000)),
                "s_nationkey": nations,
                "s_phone": _phones(nations, keys),
                "s_acctbal": _cents(self._ints(keys, -99_999, 1_000_000)),
                "s_comment": self._texts(keys, COMPLAINTS),
            },
        )

    def customer_rows(self, keys: Ints) -> pa.Table:
        nations = self._ints(keys, 0, 25)
        return _table(
            "customer",
            {
                "c_custkey": keys,
                "c_name": _numbered("Customer", keys),
                "c_address": _numbered("Street", self._ints(keys, 0, 1000)),
                "c_nationkey": nations,
                "c_phone": _phones(nations, keys),
                "c_acctbal": _cents(self._ints(keys, -99_999, 1_000_000)),
                "c_mktsegment": self._texts(keys, SEGMENTS),
                "c_comment": self._texts(keys, COMMENTS),
            },
        )

    def part_rows(self, keys: Ints) -> pa.Table:
        maker = self._ints(keys, 1, 5)
        return _table(
            "part",
            {
                "p_partkey": keys,
                "p_name": self._words(keys, COLORS, COLORS, COLORS),
                "p_mfgr": [f"Manufacturer#{m}" for m in maker],
                "p_brand": [f"Brand#{m}{n}" for m, n in zip(maker, self._ints(keys, 2, 6), strict=True)],
                "p_type": self._words(keys, *TYPES),
                "p_size": self._ints(keys, 1, 51),
                "p_container": self._words(keys, *CONTAINERS),
                "p_retailprice": _cents(_price(keys) + self._ints(keys, 0, 100)),
                "p_comment": self._texts(keys, COMMENTS),
            },
        )

    def _offers(self) -> pa.Table:
        parts = np.repeat(_upto(self.parts), 4)
        return _table(
            "partsupp",
            {
                "ps_partkey": parts,
                "ps_suppkey": self._supplier_of(parts, np.tile(np.arange(4), self.parts)),
                "ps_availqty": self._ints(parts, 1, 10_000),
                "ps_supplycost": _cents(self._ints(parts, 100, 100_001)),
                "ps_comment": self._texts(parts, COMMENTS),
            },
        )

    def _supplier_of(self, parts: Ints, which: Ints) -> Ints:
        """One of the four suppliers of a part, spread as in the specification."""
        many = self.suppliers
        return (parts + which * (many // 4 + (parts - 1) // many)) % many + 1

    def order_rows(self, keys: Ints) -> tuple[pa.Table, pa.Table]:
        """Orders and their lines."""
        large = self._ints(keys, 0, 100) == 0
        counts = np.where(large, 7, self._ints(keys, 1, 8))
        ordered = self._ints(keys, FIRST_DAY, LAST_DAY + 1)
        customers = self._ints(keys, 1, self.customers + 1)
        columns = self._line_columns(np.repeat(keys, counts), np.repeat(ordered, counts), np.repeat(large, counts))
        starts = np.cumsum(counts) - counts
        columns["l_linenumber"] = np.arange(counts.sum()) - np.repeat(starts, counts) + 1
        price, discount, tax = (columns[c] for c in ("l_extendedprice", "l_discount", "l_tax"))
        total = np.add.reduceat(price * (100 - discount) * (100 + tax) // 10_000, starts)
        open_lines = np.add.reduceat(columns["l_shipdate"] > TODAY, starts)
        orders = _table(
            "orders",
            {
                "o_orderkey": keys,
                "o_custkey": customers - (customers % 3 == 0),  # a third of the customers never order: Q13, Q22
                "o_orderstatus": _pick("FPO", np.where(open_lines == 0, 0, np.where(open_lines < counts, 1, 2))),
                "o_totalprice": _cents(total),
                "o_orderdate": _days(ordered),
                "o_orderpriority": self._texts(keys, PRIORITIES),
                "o_clerk": _numbered("Clerk", self._ints(keys, 1, 1000)),
                "o_shippriority": np.zeros_like(keys),
                "o_comment": self._texts(keys, COMMENTS),
            },
        )
        return orders, _lines(columns)

    def _line_columns(self, keys: Ints, ordered: Ints, large: npt.NDArray[np.bool_]) -> dict[str, Any]:
        parts = self._ints(keys, 1, self.parts + 1)
        quantity = np.where(large, self._ints(keys, 42, 51), self._ints(keys, 1, 51))
        shipped = ordered + self._ints(keys, 1, 122)
        received = shipped + self._ints(keys, 1, 31)
        return {
            "l_orderkey": keys,
            "l_partkey": parts,
            "l_suppkey": self._supplier_of(parts, self._ints(keys, 0, 4)),
            "l_quantity": quantity * 100,
            "l_extendedprice": quantity * _price(parts),
            "l_discount": self._ints(keys, 0, 11),
            "l_tax": self._ints(keys, 0, 9),
            "l_returnflag": _pick("RAN", np.where(received <= TODAY, self._ints(keys, 0, 2), 2)),
            "l_linestatus": _pick("FO", (shipped > TODAY).astype(np.int64)),
            "l_shipdate": shipped,
            "l_commitdate": ordered + self._ints(keys, 30, 91),
            "l_receiptdate": received,
            "l_shipinstruct": self._texts(keys, INSTRUCTIONS),
            "l_shipmode": self._texts(keys, MODES),
            "l_comment": self._texts(keys, COMMENTS),
        }

    def _ints(self, keys: Ints, low: Any, high: Any) -> Ints:
        """One number for each key, from `low` up to but not including `high`."""
        return self.random.integers(low, high, len(keys))

    def _texts(self, keys: Ints, texts: Sequence[str]) -> pa.Array:
        return _pick(texts, self._ints(keys, 0, len(texts)))

    def _words(self, keys: Ints, *lists: Sequence[str]) -> pa.Array:
        return pc.binary_join_element_wise(*(self._texts(keys, words) for words in lists), " ")


def _lines(columns: Mapping[str, Any]) -> pa.Table:
    money = {c: _cents(columns[c]) for c in ("l_quantity", "l_extendedprice", "l_discount", "l_tax")}
    dates = {c: _days(columns[c]) for c in ("l_shipdate", "l_commitdate", "l_receiptdate")}
    return _table("lineitem", {**columns, **money, **dates})


def _table(name: str, columns: Mapping[str, Any]) -> pa.Table:
    schema = to_arrow(SCHEMAS[name])
    arrays = [pa.array(columns[f.name]) for f in schema]
    return pa.Table.from_arrays([a.cast(f.type) for a, f in zip(arrays, schema, strict=True)], schema=schema)


def _upto(many: int) -> Ints:
    return np.arange(1, many + 1)


def _price(parts: Ints) -> Ints:
    """The retail price of a part in cents."""
    return 90_000 + parts // 10 % 20_001 + 100 * (parts % 1000)


def _pick(texts: Sequence[str], which: Ints) -> pa.Array:
    return pa.array(list(texts)).take(pa.array(which))


def _numbered(word: str, numbers: Ints) -> list[str]:
    return [f"{word}#{number:09}" for number in numbers]


def _phones(nations: Ints, keys: Ints) -> list[str]:
    return [f"{10 + nation}-{key % 900 + 100}-555" for nation, key in zip(nations, keys, strict=True)]


def _days(days: Ints) -> pa.Array:
    return pa.array(days.astype("datetime64[D]"))


def _cents(cents: Ints) -> pa.Array:
    """Whole cents as DECIMAL(15,2), without a Python object for each: sixteen bytes, the low eight first."""
    halves = np.stack([cents, cents >> 63], axis=1).astype("<i8")
    return pa.Array.from_buffers(pa.decimal128(15, 2), len(cents), [None, pa.py_buffer(np.ascontiguousarray(halves))])

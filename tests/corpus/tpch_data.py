"""A tiny TPC-H: at most 180 rows in a table, with rows that make every one of the 22 queries return something."""

from __future__ import annotations

import datetime as dt
import functools
from decimal import Decimal
from typing import Any

from tests.corpus.cases import HERE
from tests.corpus.fill import Filling
from tests.corpus.table import Table, read_schemas

REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = (
    ("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3),
    ("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2), ("JORDAN", 4),
    ("KENYA", 0), ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1), ("CHINA", 2), ("ROMANIA", 3),
    ("SAUDI ARABIA", 4), ("VIETNAM", 2), ("RUSSIA", 3), ("UNITED KINGDOM", 3), ("UNITED STATES", 1),
)  # fmt: skip
SUPPLIER_NATIONS = (6, 7, 2, 3, 20, 8, 12, 20, 7, 24, 3, 18)
CUSTOMER_NATIONS = (7, 6, 24, 2, 8, 12, 3, 20, 18, 17, 23, 13, 10, 19, 21, 8)
PARTS = (  # name, brand, type, size, container
    ("forest green lace", "Brand#12", "ECONOMY ANODIZED STEEL", 3, "SM BOX"),
    ("forest chiffon blue", "Brand#23", "LARGE BURNISHED BRASS", 15, "MED BOX"),
    ("green antique misty", "Brand#34", "PROMO POLISHED TIN", 9, "LG CASE"),
    ("almond rose puff", "Brand#45", "MEDIUM POLISHED COPPER", 49, "WRAP JAR"),
    ("dim spring green", "Brand#23", "ECONOMY ANODIZED STEEL", 14, "MED BOX"),
    ("navy blush snow", "Brand#12", "PROMO BRUSHED BRASS", 15, "SM CASE"),
    ("forest khaki linen", "Brand#41", "SMALL PLATED NICKEL", 23, "JUMBO PKG"),
    ("peru metallic sky", "Brand#55", "STANDARD BRUSHED BRASS", 36, "LG BOX"),
)
MODES = ("AIR", "MAIL", "SHIP", "AIR REG", "TRUCK", "RAIL", "FOB")
ORDER_DAYS = (
    dt.date(1993, 7, 20), dt.date(1993, 11, 5), dt.date(1994, 2, 14), dt.date(1994, 8, 1), dt.date(1995, 3, 1),
    dt.date(1995, 8, 20), dt.date(1995, 12, 24), dt.date(1996, 1, 10), dt.date(1996, 10, 2), dt.date(1998, 6, 30),
)  # fmt: skip


@functools.cache
def tpch_tables() -> tuple[Table, ...]:
    data = Filling(read_schemas(HERE / "tpch" / "schema.sql"), seed=22)
    _dimensions(data)
    for key in range(1, 41):
        _order(data, key, day=ORDER_DAYS[key % 10], customer=key * 7 % 14 + 1, lines=1 + key % 4)
    # Q18: an order of more than 300 pieces; Q17: a small order of a part that is otherwise sold by the dozen.
    _order(data, 41, day=ORDER_DAYS[4], customer=1, lines=7, l_quantity=Decimal("48.00"))
    _order(data, 42, day=ORDER_DAYS[5], customer=2, lines=1, l_partkey=2, l_suppkey=2, l_quantity=Decimal("1.00"))
    # Q21: of two suppliers of one order, only the one in Saudi Arabia is late.
    late = _order(data, 43, day=ORDER_DAYS[3], customer=3, lines=2, status="F")
    late[0].update(l_suppkey=5, l_receiptdate=late[0]["l_commitdate"] + dt.timedelta(days=9))
    late[1].update(l_suppkey=1, l_receiptdate=late[1]["l_commitdate"] - dt.timedelta(days=1))
    # Q20 and Q19.
    _order(data, 44, day=ORDER_DAYS[3], customer=4, lines=1, l_partkey=1, l_suppkey=4, l_quantity=Decimal("2.00"))
    in_person = {"l_shipinstruct": "DELIVER IN PERSON", "l_shipmode": "AIR"}
    _order(data, 45, day=ORDER_DAYS[3], customer=5, lines=1, l_partkey=1, l_quantity=Decimal("5.00"), **in_person)
    # Q3, Q5 (customer and supplier in India), Q8 (a customer in America, a supplier in Brazil).
    _order(data, 46, day=ORDER_DAYS[4], customer=3, lines=2, l_shipdate=dt.date(1995, 3, 20))
    _order(data, 47, day=ORDER_DAYS[3], customer=5, lines=2, l_suppkey=6)
    _order(data, 48, day=ORDER_DAYS[5], customer=3, lines=1, l_partkey=1, l_suppkey=3)
    return data.finish()


def _dimensions(data: Filling) -> None:
    for key, name in enumerate(REGIONS):
        data.add("region", r_regionkey=key, r_name=name)
    for key, (name, region) in enumerate(NATIONS):
        data.add("nation", n_nationkey=key, n_name=name, n_regionkey=region)
    for key, nation in enumerate(SUPPLIER_NATIONS, start=1):
        comment = "said Customer some Complaints" if key == 9 else "quiet"
        data.add("supplier", s_suppkey=key, s_name=f"Supplier#{key:03}", s_nationkey=nation, s_comment=comment)
    for key, nation in enumerate(CUSTOMER_NATIONS, start=1):
        data.add(
            "customer",
            c_custkey=key,
            c_name=f"Customer#{key:03}",
            c_nationkey=nation,
            c_phone=f"{10 + nation}-{key:03}-555",
            c_acctbal=Decimal(key * 100 - 300).quantize(Decimal("0.01")),
            c_mktsegment=("BUILDING", "MACHINERY", "FURNITURE")[key % 3],
        )
    for key, (name, brand, kind, size, container) in enumerate(PARTS, start=1):
        columns: dict[str, Any] = {"p_name": name, "p_brand": brand, "p_type": kind, "p_size": size}
        data.add("part", p_partkey=key, p_container=container, p_mfgr=f"Manufacturer#{key % 5 + 1}", **columns)
        for supplier in range(1, len(SUPPLIER_NATIONS) + 1):
            if (key + supplier) % 3 != 0:
                data.add("partsupp", ps_partkey=key, ps_suppkey=supplier, ps_availqty=key * 100 + supplier)


def _order(
    data: Filling, key: int, *, day: dt.date, customer: int, lines: int, status: str | None = None, **line: Any
) -> list[dict[str, Any]]:
    data.add(
        "orders",
        o_orderkey=key,
        o_custkey=customer,
        o_orderstatus=status or "OFP"[key % 3],
        o_totalprice=Decimal(key * 1000 + 7).scaleb(-1).quantize(Decimal("0.01")),
        o_orderdate=day,
        o_orderpriority=("1-URGENT", "2-HIGH", "3-MEDIUM", "5-LOW")[key % 4],
        o_shippriority=0,
        o_comment="special packages requests" if key % 9 == 0 else "plain",
    )
    return [_line(data, key, number, day, line) for number in range(1, lines + 1)]


def _line(data: Filling, key: int, number: int, day: dt.date, given: dict[str, Any]) -> dict[str, Any]:
    shipped = day + dt.timedelta(days=5 + (key + number * 13) % 40)
    offered = data.rows["partsupp"][(key * 11 + number * 5) % len(data.rows["partsupp"])]
    values: dict[str, Any] = {
        "l_orderkey": key,
        "l_partkey": offered["ps_partkey"],
        "l_suppkey": offered["ps_suppkey"],
        "l_linenumber": number,
        "l_quantity": Decimal((key * 3 + number * 7) % 50 + 1).quantize(Decimal("0.01")),
        "l_discount": Decimal((key + number) % 10).scaleb(-2),
        "l_tax": Decimal(number % 8).scaleb(-2),
        "l_returnflag": "RAN"[(key + number) % 3],
        "l_linestatus": "OF"[key % 2],
        "l_shipdate": shipped,
        "l_commitdate": shipped + dt.timedelta(days=(key * 5 + number) % 12 - 4),
        "l_receiptdate": shipped + dt.timedelta(days=1 + (key + number) % 9),
        "l_shipmode": MODES[(key + number) % len(MODES)],
        "l_shipinstruct": ("DELIVER IN PERSON", "NONE", "COLLECT COD")[number % 3],
    }
    return data.add("lineitem", **{**values, **given})

"""The demo project: a shop with ninety days behind it, the days to come, and the views its owner wants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, Literal

import pyarrow as pa

from tidewheel.ddl import parse_schema
from tidewheel.demo.catalog import FIRST, date_of
from tidewheel.demo.trading import Return, TradeOrder, Trading
from tidewheel.store.arrow import to_arrow

BYTES: Final = 14_000_000
"""Of the first load in memory, at scale 1."""
SOURCES: dict[str, dict[str, object]] = {
    "customers": {
        "kind": "managed",
        "schema": "c_id BIGINT, c_name STRING, c_city STRING, c_country STRING, c_joined DATE",
        "key": ["c_id"],
    },
    "products": {
        "kind": "managed",
        "schema": "p_id BIGINT, p_name STRING, p_category STRING, "
        "p_price DECIMAL(10,2), p_cost DECIMAL(10,2), p_lead_days INT",
        "key": ["p_id"],
    },
    "orders": {
        "kind": "managed",
        "schema": "o_id BIGINT, o_customer BIGINT, o_day DATE, o_channel STRING, o_status STRING, o_coupon STRING",
        "key": ["o_id"],
    },
    "order_lines": {
        "kind": "managed",
        "schema": "l_order BIGINT, l_line INT, l_product BIGINT, "
        "l_quantity INT, l_price DECIMAL(10,2), l_discount DECIMAL(4,2)",
        "key": ["l_order", "l_line"],
    },
    "returns": {
        "kind": "managed",
        "schema": "r_id BIGINT, r_order BIGINT, r_line INT, r_day DATE, r_quantity INT, r_reason STRING",
        "key": ["r_id"],
    },
    "stock_movements": {
        "kind": "managed",
        "schema": "m_day DATE, m_product BIGINT, m_kind STRING, m_quantity INT",
    },
    "clicks": {
        "kind": "managed",
        "schema": "k_time TIMESTAMP, k_visitor STRING, k_customer BIGINT, k_product BIGINT, k_page STRING",
    },
}
"""As they stand under `sources:` in tidewheel.yml."""

Row = tuple[Any, ...]


Mode = Literal["append", "upsert", "delete"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to ingest; with mode "delete" they hold the key columns only."""

    source: str
    mode: Mode
    rows: pa.Table


def first_load(seed: int = 7, scale: float = 1.0) -> list[Batch]:
    """Ninety days of trade, about 300,000 rows at scale 1."""
    shop = Trading(seed, scale)
    days = range(FIRST, 1)
    standing = [o for day in days for o in shop.orders(day) if day == 0 or not o.cancelled]
    clicks = [shop.clicks(day) for day in days]
    return [
        _append("customers", (shop.catalog.customer(i) for i in range(1, shop.catalog.customer_count(0) + 1))),
        _append("products", shop.catalog.products(0)),
        _append("orders", (_order(o, "placed" if o.date == date_of(0) else "shipped") for o in standing)),
        _append("order_lines", (line for o in standing for line in o.lines)),
        _append("returns", (_return(r) for day in days for r in shop.returns(day))),
        _append("stock_movements", (m for day in days for m in shop.movements(day))),
        _append(
            "clicks",
            [c for prompt, _ in clicks for c in prompt] + [c for _, late in clicks[:-1] for c in late],
        ),
    ]


def next_day(seed: int = 7, scale: float = 1.0, day: int = 1) -> list[Batch]:
    """One day after the first load of the same seed and scale, in the order of ingest; no batch is empty."""
    shop = Trading(seed, scale)
    cancelled = shop.cancelled(day)
    placed = shop.orders(day)
    shipped = [o for o in shop.orders(day - 1) if not o.cancelled]
    clicks = shop.clicks(day)[0] + shop.clicks(day - 1)[1]
    batches = [
        _batch("customers", "upsert", shop.catalog.moved_customers(day) + shop.catalog.joining_customers(day)),
        _batch("products", "upsert", shop.catalog.changed_products(day)),
        _batch("order_lines", "delete", (line[:2] for o in cancelled for line in o.lines)),
        _batch("orders", "delete", ((o.id,) for o in cancelled)),
        _batch(
            "orders",
            "upsert",
            [_order(o, "shipped") for o in shipped] + [_order(o, "placed") for o in placed],
        ),
        _append("order_lines", (line for o in placed for line in o.lines)),
        _append("returns", map(_return, shop.returns(day))),
        _append("stock_movements", shop.movements(day)),
        _append("clicks", clicks),
    ]
    return [batch for batch in batches if batch.rows.num_rows]


def views() -> dict[str, str]:
    """The SQL text of each view, by name."""
    folder = resources.files("tidewheel.demo").joinpath("views")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return {f.name.removesuffix(".sql"): f.read_text("utf-8") for f in files}


def _order(order: TradeOrder, status: str) -> Row:
    return order.id, order.customer, order.date, order.channel, status, order.coupon


def _return(back: Return) -> Row:
    return back.id, back.sold.order, back.sold.line, date_of(back.day), back.quantity, back.reason


def _append(source: str, rows: Iterable[Row]) -> Batch:
    return _batch(source, "append", rows)


def _batch(source: str, mode: Mode, rows: Iterable[Row]) -> Batch:
    fields = list(to_arrow(parse_schema(str(SOURCES[source]["schema"]))))
    if mode == "delete":
        key = SOURCES[source]["key"]
        fields = [f for f in fields if isinstance(key, list) and f.name in key]
    columns = list(zip(*rows, strict=True)) or [()] * len(fields)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, fields, strict=True)]
    return Batch(source, mode, pa.table(arrays, schema=pa.schema(fields)))

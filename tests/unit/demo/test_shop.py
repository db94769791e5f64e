from __future__ import annotations

import pyarrow as pa
import pytest

from tidewheel.ddl import parse_schema
from tidewheel.demo.shop import SOURCES, Batch, first_load, next_day, views
from tidewheel.types import DataType, Decimal, Primitive

SCALE = 0.05
DAYS = (1, 2, 3)
ARROW = {
    "long": pa.int64(),
    "integer": pa.int32(),
    "string": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}

Rows = list[tuple[object, ...]]


def arrow_type(kind: DataType) -> pa.DataType:
    match kind:
        case Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case Primitive(name):
            return ARROW[name]
    raise AssertionError(kind)


def key_of(source: str) -> list[str]:
    key = SOURCES[source].get("key", [])
    assert isinstance(key, list)
    return key


def declared(source: str) -> dict[str, pa.DataType]:
    return {f.name: arrow_type(f.type) for f in parse_schema(str(SOURCES[source]["schema"]))}


def rows(table: pa.Table, *columns: str) -> Rows:
    return list(zip(*(table[c].to_pylist() for c in columns), strict=True))


class Shop:
    """The sources as plain tables, kept as an ingest would keep them."""

    def __init__(self) -> None:
        self.tables: dict[str, pa.Table] = {}

    def ingest(self, batch: Batch) -> None:
        old = self.tables.get(batch.source)
        if batch.mode != "append":
            assert old is not None
            key = key_of(batch.source)
            gone = set(rows(batch.rows, *key))
            old = old.filter(pa.array([k not in gone for k in rows(old, *key)], pa.bool_()))
        parts = [t for t in (old, batch.rows) if t is not None]
        self.tables[batch.source] = old if batch.mode == "delete" else pa.concat_tables(parts)

    def column(self, name: str) -> set[object]:
        return {v for t in self.tables.values() if name in t.column_names for v in t[name].to_pylist()}

    def broken_references(self) -> dict[str, set[object]]:
        references = {
            "o_customer": "c_id",
            "k_customer": "c_id",
            "l_order": "o_id",
            "l_product": "p_id",
            "m_product": "p_id",
            "k_product": "p_id",
        }
        broken = {f: self.column(f) - self.column(to) - {None} for f, to in references.items()}
        lines = set(rows(self.tables["order_lines"], "l_order", "l_line"))
        broken["returns"] = {r for r in rows(self.tables["returns"], "r_order", "r_line") if r not in lines}
        broken["o_id"] = self.column("o_id") - self.column("l_order")
        return {name: values for name, values in broken.items() if values}


@pytest.fixture(scope="module")
def load() -> list[Batch]:
    return first_load(scale=SCALE)


@pytest.fixture
def shop(load: list[Batch]) -> Shop:
    shop = Shop()
    for batch in load:
        shop.ingest(batch)
    return shop


def all_batches(load: list[Batch]) -> list[Batch]:
    return load + [batch for day in DAYS for batch in next_day(scale=SCALE, day=day)]


def test_first_load_repeats_for_the_same_seed(load: list[Batch]) -> None:
    assert first_load(scale=SCALE) == load


def test_first_load_differs_for_another_seed(load: list[Batch]) -> None:
    assert all(a.rows != b.rows for a, b in zip(first_load(seed=8, scale=SCALE), load, strict=True))


def test_next_day_repeats_for_the_same_seed() -> None:
    assert next_day(scale=SCALE, day=2) == next_day(scale=SCALE, day=2)


def test_first_load_fills_every_source_once(load: list[Batch]) -> None:
    assert [(b.source, b.mode) for b in load] == [(source, "append") for source in SOURCES]


def test_first_load_has_about_300_000_rows_at_full_scale() -> None:
    counts = {b.source: b.rows.num_rows for b in first_load()}
    assert 280_000 < sum(counts.values()) < 320_000
    assert sorted(counts, key=lambda s: counts[s])[-2:] == ["order_lines", "clicks"]


def test_row_count_follows_the_scale(load: list[Batch]) -> None:
    assert sum(b.rows.num_rows for b in load) == pytest.approx(300_000 * SCALE, rel=0.15)


def test_arrow_types_are_the_declared_ones(load: list[Batch]) -> None:
    for batch in all_batches(load):
        wanted = declared(batch.source)
        if batch.mode == "delete":
            wanted = {name: wanted[name] for name in key_of(batch.source)}
        assert [(f.name, f.type) for f in batch.rows.schema] == list(wanted.items())


def test_schemas_use_the_demo_types_only() -> None:
    kinds = {f.type for s in SOURCES.values() for f in parse_schema(str(s["schema"]))}
    assert {k.name for k in kinds if isinstance(k, Primitive)} == set(ARROW)


@pytest.mark.parametrize("source", [s for s in SOURCES if "key" in SOURCES[s]])
def test_keys_are_unique_within_each_batch(load: list[Batch], source: str) -> None:
    for batch in all_batches(load):
        if batch.source == source:
            keys = rows(batch.rows, *key_of(source))
            assert len(set(keys)) == len(keys)


def test_appended_keys_are_new_and_deleted_keys_exist(shop: Shop) -> None:
    for day in DAYS:
        for batch in next_day(scale=SCALE, day=day):
            key = key_of(batch.source)
            given = set(rows(batch.rows, *key)) if key else set()
            there = set(rows(shop.tables[batch.source], *key)) if key else set()
            assert batch.mode != "append" or not given & there
            assert batch.mode != "delete" or given <= there
            shop.ingest(batch)


def test_upserts_change_old_customers_products_and_orders(shop: Shop) -> None:
    upserts = [b for b in next_day(scale=SCALE) if b.mode == "upsert"]
    assert [b.source for b in upserts] == ["customers", "products", "orders"]
    for batch in upserts:
        key = key_of(batch.source)
        assert set(rows(batch.rows, *key)) & set(rows(shop.tables[batch.source], *key))


def test_references_hold_after_the_first_load(shop: Shop) -> None:
    assert shop.broken_references() == {}


def test_references_hold_after_each_day(shop: Shop) -> None:
    for day in range(1, 16):
        for batch in next_day(scale=SCALE, day=day):
            shop.ingest(batch)
        assert shop.broken_references() == {}


def test_next_day_cancels_orders_with_their_lines() -> None:
    deleted = {b.source: b.rows for b in next_day() if b.mode == "delete"}
    assert set(deleted) == {"orders", "order_lines"}
    assert set(deleted["order_lines"]["l_order"].to_pylist()) == set(deleted["orders"]["o_id"].to_pylist())


def test_next_day_has_no_empty_batch() -> None:
    assert all(b.rows.num_rows for day in range(1, 10) for b in next_day(scale=0.01, day=day))


@pytest.mark.parametrize("column", ["c_city", "o_coupon", "r_reason", "k_customer", "k_product"])
def test_some_values_are_null(shop: Shop, column: str) -> None:
    assert None in shop.column(column)
    assert len(shop.column(column)) > 1


def test_logs_hold_the_same_row_twice(shop: Shop) -> None:
    clicks = shop.tables["clicks"]
    assert len(set(rows(clicks, *clicks.column_names))) < clicks.num_rows


def test_some_clicks_arrive_a_day_late(shop: Shop) -> None:
    last = max(t.date() for t in shop.tables["clicks"]["k_time"].to_pylist())
    today = {t.date() for b in next_day() if b.source == "clicks" for t in b.rows["k_time"].to_pylist()}
    assert len(today) == 2
    assert min(today) == last


def test_stock_is_what_was_opened_and_moved(shop: Shop) -> None:
    sold = sum(shop.tables["order_lines"]["l_quantity"].to_pylist())
    moves = rows(shop.tables["stock_movements"], "m_kind", "m_quantity")
    totals = {kind: sum(q for k, q in moves if k == kind and isinstance(q, int)) for kind, _ in moves}
    assert set(totals) == {"opening", "sale", "cancel", "return", "loss", "delivery"}
    assert -totals["sale"] - totals["cancel"] == sold


@pytest.mark.parametrize("name", views())
def test_view_opens_with_the_question_it_answers(name: str) -> None:
    comments = [line for line in views()[name].splitlines() if line.startswith("-- ")]
    assert any("?" in line for line in comments)


@pytest.mark.parametrize("name", views())
def test_view_is_one_bare_query(name: str) -> None:
    body = "\n".join(line for line in views()[name].splitlines() if not line.startswith("--"))
    assert body.startswith(("SELECT", "WITH"))
    assert ";" not in body


def test_every_source_is_read_by_a_view() -> None:
    words = {word for text in views().values() for word in text.split()}
    assert set(SOURCES) <= words


def test_finance_views_are_tagged_on_their_first_line() -> None:
    tagged = {n for n, text in views().items() if text.startswith("-- tidewheel: {tags: [finance]}\n")}
    assert tagged == {"monthly_category_revenue", "revenue_anomalies"}

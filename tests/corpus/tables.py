"""The fixed small catalog of our own queries: NULLs, duplicates, NaN, -0.0, empty tables, decimals, dates, nesting."""

from __future__ import annotations

import datetime as dt
import functools
import math
from decimal import Decimal

from tests.corpus.table import Table, make_table

D = Decimal


def _day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def _naive(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


def _utc(text: str) -> dt.datetime:
    return _naive(text).replace(tzinfo=dt.UTC)


@functools.cache
def catalog() -> tuple[Table, ...]:
    return (*_abstract(), *_business(), *_values())


def _abstract() -> tuple[Table, ...]:
    """Small tables of integers and strings: every NULL and every duplicate matters."""
    t1 = [
        (1, 10, "a"), (1, 20, "b"), (2, 10, "a"), (2, 10, "a"), (3, None, "c"),
        (None, 30, None), (None, None, "d"), (4, 40, ""), (5, 20, "b"), (5, -5, None),
    ]  # fmt: skip
    t2 = [
        (1, 10, "x"), (2, 10, "y"), (2, 20, "y"), (2, 20, "y"), (None, 10, "n"),
        (None, None, None), (6, 60, "x"), (3, None, "z"), (5, 20, "b"),
    ]  # fmt: skip
    t3 = [(1, 100), (3, None), (3, 300), (7, 700), (None, 900), (5, 20)]
    return (
        make_table("t1", "a INT, b INT, c STRING", t1),
        make_table("t2", "a INT, b INT, d STRING", t2),
        make_table("t3", "a INT, e BIGINT", t3),
        make_table("uniq", "k INT NOT NULL, v STRING", [(1, "one"), (2, "two"), (3, None), (4, "four"), (5, "two")]),
        make_table("nothing", "a INT, b INT, c STRING", []),
        make_table("single", "x INT", [(1,)]),
        make_table("allnull", "a INT, s STRING", [(None, None), (None, None)]),
    )


def _business() -> tuple[Table, ...]:
    emp = [
        (1, "Ada", 10, None, D("5000.00"), 0.1, _day("2015-03-01"), True),
        (2, "Bob", 10, 1, D("3500.50"), None, _day("2018-07-15"), True),
        (3, "Cem", 20, 1, D("4200.00"), 0.05, _day("2016-02-29"), True),
        (4, "Dora", 20, 3, D("3500.50"), 0.0, _day("2020-01-01"), False),
        (5, "Émile", 30, 3, None, -0.0, None, True),
        (6, "ada", 30, 3, D("2800.75"), math.nan, _day("2021-12-31"), None),
        (7, "Gül", None, 2, D("2800.75"), 0.2, _day("2021-12-31"), True),
        (8, None, 40, 2, D("0.00"), None, _day("2019-06-30"), False),
        (9, "Ivo", 99, None, D("-10.25"), 0.15, _day("2015-03-01"), None),
        (10, "Bob", 10, 1, D("3500.50"), None, _day("2018-07-15"), True),
        (11, "Zoë", 20, 4, D("6100.00"), 1.5, _day("2023-05-05"), True),
    ]
    dept = [
        (10, "Sales", "EU", D("100000.00")),
        (20, "Engineering", "US", D("250000.50")),
        (30, "Support", "EU", None),
        (40, "Legal", None, D("0.00")),
        (50, "Sales", "US", D("75000.25")),
        (None, "Ghost", "EU", D("1.00")),
    ]
    sale = [
        (1, 1, "apple", 3, D("1.20"), D("0.0000"), _day("2024-01-01"), _utc("2024-01-01T08:00:00")),
        (2, 1, "pear", 1, D("0.99"), D("0.1000"), _day("2024-01-01"), _utc("2024-01-01T09:30:15.123456")),
        (3, 2, "apple", 10, D("1.10"), None, _day("2024-01-02"), _utc("2024-01-02T23:59:59.999999")),
        (4, 2, "fig", None, D("5.00"), D("0.2500"), _day("2024-01-31"), _utc("2024-01-31T00:00:00")),
        (5, 3, "apple", 2, D("1.20"), D("0.0500"), _day("2024-02-29"), _utc("2024-02-29T12:00:00")),
        (6, 3, None, 4, D("2.50"), None, _day("2024-02-29"), _utc("2024-02-29T12:00:00")),
        (7, None, "pear", 7, D("0.99"), D("0.0000"), _day("2024-03-15"), None),
        (8, 4, "fig", 0, D("5.00"), D("0.5000"), None, _utc("2024-03-15T10:00:00")),
        (9, 4, "fig", 0, D("5.00"), D("0.5000"), None, _utc("2024-03-15T10:00:00")),
        (10, 11, "melon", 5, None, D("0.1234"), _day("2024-12-31"), _utc("2024-12-31T23:00:00")),
        (11, 99, "melon", 1, D("12.00"), D("1.0000"), _day("2025-01-01"), _utc("2025-01-01T00:00:00")),
        (12, 11, "apple", 3, D("1.20"), D("0.0000"), _day("2025-01-01"), _utc("2025-01-01T01:00:00")),
    ]
    return (
        make_table(
            "emp",
            "id BIGINT NOT NULL, name STRING, dept_id INT, manager_id BIGINT, salary DECIMAL(10,2), bonus DOUBLE,"
            " hired DATE, active BOOLEAN",
            emp,
        ),
        make_table("dept", "id INT, name STRING, region STRING, budget DECIMAL(12,2)", dept),
        make_table(
            "sale",
            "id BIGINT, emp_id BIGINT, product STRING, qty INT, price DECIMAL(8,2), discount DECIMAL(5,4),"
            " sold_on DATE, sold_at TIMESTAMP",
            sale,
        ),
    )


def _values() -> tuple[Table, ...]:
    """One table for each family of types, with its awkward values."""
    nan, inf = math.nan, math.inf
    nums = [
        (1, 1, 100, 10000000000, 1.5, 0.5, D("1.25"), D("1.2500"), D("12345678901234567890")),
        (2, -1, -100, -7, -0.0, -0.0, D("-1.25"), D("0.0001"), D("-1")),
        (3, 0, 0, 0, 0.0, 0.0, D("0.00"), D("0.0000"), D("0")),
        (4, 127, 32767, 9223372036854775807, nan, nan, D("999.99"), D("99999999.9999"), D("9" * 38)),
        (5, -128, -32768, -9223372036854775808, inf, inf, D("-999.99"), D("-99999999.9999"), D("-" + "9" * 38)),
        (6, None, None, None, None, None, None, None, None),
        (7, 7, 70, 700, -inf, -1.25, D("2.50"), D("2.5000"), D("25")),
        (8, 7, 70, 700, nan, nan, D("2.50"), D("2.5000"), D("25")),
        (9, 2, 3, 4, 1e300, 3.4e38, D("0.01"), D("3.1416"), D("3")),
    ]
    texts = [
        (1, "hello", "Hello World"), (2, "", " "), (3, None, "x"), (4, "Grüße", "ß"), (5, "日本語", "日"),
        (6, "a%b_c", "a\\b"), (7, "O'Neil", 'say "hi"'), (8, "HELLO", None), (9, "  pad ", "12"),
        (10, "é", "e\u0301"), (11, "😀x", "😀"), (12, "zebra", "-3.5"), (13, "tab\there", "line\nbreak"),
    ]  # fmt: skip
    moments = [
        (1, _day("2024-02-29"), _utc("2024-02-29T23:59:59.999999"), _naive("2024-02-29T23:59:59.999999")),
        (2, _day("1970-01-01"), _utc("1970-01-01T00:00:00"), _naive("1970-01-01T00:00:00")),
        (3, _day("1969-12-31"), _utc("1969-12-31T23:59:59.000001"), _naive("1969-12-31T23:59:59.000001")),
        (4, None, None, None),
        (5, _day("2000-01-31"), _utc("2000-01-31T12:30:00"), _naive("2000-01-31T12:30:00")),
        (6, _day("2000-12-31"), _utc("2000-12-31T00:00:00"), _naive("2000-12-31T00:00:00")),
        (7, _day("2024-03-31"), _utc("2024-03-31T01:30:00"), _naive("2024-03-31T01:30:00")),
        (8, _day("2024-02-29"), _utc("2024-02-29T00:00:00"), _naive("2024-02-29T00:00:00")),
        (9, _day("1600-02-28"), _utc("1600-02-28T06:00:00"), _naive("1600-02-28T06:00:00")),
        (10, _day("9999-12-31"), _utc("9999-12-31T23:59:59"), _naive("9999-12-31T23:59:59")),
    ]
    nested = [
        (1, (1, 2, 3), ("a", "b"), (("x", 1), ("y", 2)), (1, "one"), (("s1", 2), ("s2", 5))),
        (2, (), (), (), (2, None), ()),
        (3, None, None, None, None, None),
        (4, (None, 4), (None, "é"), (("x", None),), (None, None), (("s1", None), None)),
        (5, (5, 5, 5), ("b", "a", "b"), (("z", 26),), (1, "one"), (("s3", 0),)),
        (6, (3, 1, 2), ("c",), (("y", 2), ("x", 1)), (-1, ""), (("s2", 5), ("s2", 5))),
    ]
    return (
        make_table(
            "nums",
            "id INT, b TINYINT, s SMALLINT, l BIGINT, x DOUBLE, f FLOAT, p DECIMAL(5,2), q DECIMAL(12,4),"
            " r DECIMAL(38,0)",
            nums,
        ),
        make_table("texts", "id INT, s STRING, t STRING", texts),
        make_table("moments", "id INT, d DATE, ts TIMESTAMP, n TIMESTAMP_NTZ", moments),
        make_table(
            "nested",
            "id INT, arr ARRAY<INT>, strs ARRAY<STRING>, m MAP<STRING, INT>, st STRUCT<x: INT, y: STRING>,"
            " items ARRAY<STRUCT<sku: STRING, n: INT>>",
            nested,
        ),
    )

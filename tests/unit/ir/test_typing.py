"""The types of plans, and which of their columns are never NULL."""

from __future__ import annotations

import pytest

from tidewheel.decimals import decimal_avg, decimal_result, decimal_sum, widest_decimal
from tidewheel.ir.reader import parse_scalar
from tidewheel.ir.scalar import Lit
from tidewheel.ir.text import parse_rel
from tidewheel.ir.typing import Signature, common_type, nullable_of, resolve, type_of, types_of
from tidewheel.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    Array,
    DataType,
    Decimal,
    Field,
    Struct,
    to_sql,
)

ORDERS = "scan orders (id BIGINT NOT NULL, day DATE, amount DECIMAL(12,2), note STRING, tags ARRAY<INT>) key (c0)"
ITEMS = "scan items (order_id BIGINT, price DECIMAL(7,2) NOT NULL)"


def plan(*lines: str) -> tuple[str, str]:
    """The types and the nullability of a plan, as text."""
    rel = parse_rel("plan\n" + "\n".join(f"  {line}" for line in lines) + "\n")
    types = " ".join(to_sql(t).replace(" ", "") for t in types_of(rel))
    return types, "".join("?" if n else "!" for n in nullable_of(rel))


def test_scan_and_filter() -> None:
    assert plan(ORDERS) == ("BIGINT DATE DECIMAL(12,2) STRING ARRAY<INT>", "!????")
    assert plan("filter ((c2 > 1) and isnotnull(c3))", f"  {ORDERS}")[1] == "!?!!?"
    assert plan("filter ((c2 > 1) or isnotnull(c3))", f"  {ORDERS}")[1] == "!????"


def test_project() -> None:
    found = plan("project (c2 * 2), (c0 + 1), coalesce(c2, 0), isnull(c1), nobody_knows(c0), upper('a')", f"  {ORDERS}")
    assert found == ("DECIMAL(14,2) BIGINT DECIMAL(12,2) BOOLEAN UNKNOWN STRING", "?!!!?!")


@pytest.mark.parametrize(
    ("kind", "nulls"),
    [("inner", "!????!!"), ("left", "!??????"), ("full", "???????"), ("semi", "!????"), ("anti", "!????")],
)
def test_joins(kind: str, nulls: str) -> None:
    assert plan(f"join {kind} on c0 = c0", f"  {ORDERS}", f"  {ITEMS}")[1] == nulls


def test_null_safe_keys_let_nulls_through() -> None:
    assert plan("join inner on c0 <=> c0", f"  {ITEMS}", f"  {ITEMS}")[1] == "?!?!"


def test_aggregates() -> None:
    calls = "count(), sum(c1), avg(c1), max(c0), sum(c1) where (c1 > 1), collect_list(c0)"
    types = "BIGINT DECIMAL(17,2) DECIMAL(11,6) BIGINT DECIMAL(17,2) ARRAY<BIGINT>"
    assert plan(f"aggregate compute {calls}", f"  {ITEMS}") == (types, "!????!")
    assert plan(f"aggregate by c1 compute {calls}", f"  {ITEMS}") == (f"DECIMAL(7,2) {types}", "!!!!??!")


def test_grouping_sets_make_keys_null() -> None:
    found = plan("aggregate by c0, c1 sets (0, 1) (1) compute count()", f"  {ITEMS}")
    assert found == ("BIGINT DECIMAL(7,2) BIGINT BIGINT", "?!!!")


def test_unions_widen() -> None:
    lines = ("union", "  project c0, c1", f"    {ITEMS}", "  project 1.5, NULL", f"    {ITEMS}")
    assert plan(*lines) == ("DECIMAL(21,1) DECIMAL(7,2)", "??")


def test_intersection_is_null_only_if_both_sides_may_be() -> None:
    lines = ("intersect", "  project c0, c1", f"    {ITEMS}", "  project c1, c0", f"    {ITEMS}")
    assert plan(*lines)[1] == "!!"


def test_windows_and_unnest() -> None:
    calls = "row_number(), lag(c2), sum(c2), count()"
    found = plan(f"window partition c1 order c0 asc first compute {calls}", f"  {ORDERS}")
    assert found == ("BIGINT DATE DECIMAL(12,2) STRING ARRAY<INT> INT DECIMAL(12,2) DECIMAL(22,2) BIGINT", "!????!??!")
    assert plan("unnest posexplode(c4) width 2", f"  {ORDERS}")[0].endswith("ARRAY<INT> INT INT")


def test_values() -> None:
    assert plan("values 2 (1, 'a') (2.5, NULL)") == ("DECIMAL(11,1) STRING", "!?")


def test_an_integer_literal_is_as_narrow_a_decimal_as_it_can_be() -> None:
    wide = Decimal(38, 18)
    assert resolve("*", [wide, INT]) == Signature((wide, Decimal(10, 0)), Decimal(38, 7))
    literal = (parse_scalar("c0"), Lit("int", "2"))
    assert resolve("*", [wide, INT], literal) == Signature((wide, Decimal(1, 0)), Decimal(38, 16))


@pytest.mark.parametrize(
    ("left", "right", "common"),
    [
        (INT, LONG, LONG),
        (INT, Decimal(5, 2), Decimal(12, 2)),
        (Decimal(5, 2), DOUBLE, DOUBLE),
        (DATE, TIMESTAMP, TIMESTAMP),
        (STRING, INT, LONG),
        (STRING, DATE, DATE),
        (Decimal(38, 38), Decimal(38, 0), Decimal(38, 0)),
        (Array(INT), Array(LONG), Array(LONG)),
        (Struct((Field("a", INT),)), Struct((Field("A", LONG),)), Struct((Field("a", LONG),))),
        (BOOLEAN, INT, None),
        (Struct((Field("a", INT),)), Struct((Field("b", INT),)), None),
    ],
)
def test_common_type(left: DataType, right: DataType, common: DataType | None) -> None:
    assert common_type(left, right) == common


@pytest.mark.parametrize(
    ("operator", "left", "right", "result"),
    [
        ("+", Decimal(5, 2), Decimal(10, 0), Decimal(13, 2)),
        ("*", Decimal(12, 2), Decimal(12, 2), Decimal(25, 4)),
        ("/", Decimal(12, 2), Decimal(12, 2), Decimal(27, 15)),
        ("%", Decimal(12, 2), Decimal(5, 3), Decimal(5, 3)),
        ("*", Decimal(38, 18), Decimal(38, 18), Decimal(38, 6)),
        ("+", Decimal(38, 38), Decimal(38, 0), Decimal(38, 6)),
    ],
)
def test_decimal_arithmetic(operator: str, left: Decimal, right: Decimal, result: Decimal) -> None:
    assert decimal_result(operator, left, right) == result


def test_decimal_aggregates_and_widening() -> None:
    assert decimal_sum(Decimal(12, 2)) == Decimal(22, 2)
    assert decimal_sum(Decimal(38, 2)) == Decimal(38, 2)
    assert decimal_avg(Decimal(12, 2)) == Decimal(16, 6)
    assert widest_decimal(Decimal(38, 18), Decimal(20, 0)) == Decimal(38, 18)


def test_what_we_do_not_know_is_unknown() -> None:
    inputs = (UNKNOWN, INT)
    assert type_of(parse_scalar("(c0 + 1)"), inputs) == UNKNOWN
    assert type_of(parse_scalar("(c0 = 1)"), inputs) == BOOLEAN
    assert type_of(parse_scalar("upper(c0)"), inputs) == STRING
    assert resolve("upper", [UNKNOWN]) is None
    assert resolve("my_udf", [INT]) is None
    assert type_of(parse_scalar("CAST(c0 AS SOMETHING)"), inputs) == UNKNOWN

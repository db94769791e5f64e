"""Functions that both the reference and the local engine know, by the type they give: what to call them with.

An argument is a type, for which an expression is made, or a constant.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from tests.fuzz.kinds import BIG, BOOLEAN, DATE, DOUBLE, INT, NTZ, STAMP, STRING
from tidewheel.ir.scalar import Lit
from tidewheel.types import DataType

Argument: TypeAlias = DataType | Lit
Function: TypeAlias = tuple[str, tuple[Argument, ...]]


def _number(value: int) -> Lit:
    return Lit("int", str(value))


def _text(value: str) -> Lit:
    return Lit("string", value)


FUNCTIONS: Final[dict[DataType, tuple[Function, ...]]] = {
    STRING: (
        ("replace", (STRING, _text("a"), _text("xy"))),
        ("replace", (STRING, STRING, STRING)),
        ("lpad", (STRING, _number(3), _text("-"))),
        ("rpad", (STRING, _number(2), _text("ab"))),
        ("left", (STRING, _number(1))),
        ("right", (STRING, _number(2))),
        ("concat_ws", (_text("-"), STRING, STRING)),
        ("nvl", (STRING, STRING)),
        ("ifnull", (STRING, _text("none"))),
        ("nvl2", (STRING, STRING, STRING)),
        ("repeat", (STRING, _number(2))),
        ("btrim", (STRING, _text("ab"))),
    ),
    BOOLEAN: (
        ("startswith", (STRING, _text("a"))),
        ("endswith", (STRING, STRING)),
        ("contains", (STRING, _text("b"))),
        ("isnan", (DOUBLE,)),
        ("nvl", (BOOLEAN, BOOLEAN)),
        ("not", (BOOLEAN,)),
    ),
    INT: (
        ("instr", (STRING, _text("b"))),
        ("dayofweek", (DATE,)),
        ("weekofyear", (DATE,)),
        ("dayofyear", (DATE,)),
        ("weekday", (DATE,)),
        ("hour", (NTZ,)),
        ("minute", (STAMP,)),
        ("year", (STAMP,)),
        ("nvl2", (STRING, INT, INT)),
        ("nvl", (INT, INT)),
    ),
    BIG: (
        ("div", (INT, _number(3))),
        ("div", (BIG, _number(-2))),
        ("nvl", (BIG, BIG)),
    ),
    DATE: (
        ("add_months", (DATE, _number(1))),
        ("add_months", (DATE, _number(-13))),
        ("trunc", (DATE, _text("MM"))),
        ("trunc", (DATE, _text("year"))),
        ("nvl2", (INT, DATE, DATE)),
    ),
    STAMP: (("date_trunc", (_text("DAY"), STAMP)),),
}

"""Whether an expression may be NULL, given which columns may be; True where we are not sure."""

from __future__ import annotations

from collections.abc import Sequence

from tidewheel.ir.aggregates import AGGREGATES
from tidewheel.ir.coercion import NUMBERS
from tidewheel.ir.functions import NEVER_NULL, TOTAL
from tidewheel.ir.parts import AggCall, WindowCall
from tidewheel.ir.resolve import cast_type, type_of
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lambda, Lit, Param, Scalar
from tidewheel.types import BOOLEAN, DOUBLE, FLOAT, STRING, UNKNOWN, DataType, Decimal, Primitive


def may_be_null(scalar: Scalar, nulls: Sequence[bool], kinds: Sequence[DataType]) -> bool:
    """May the scalar be NULL over columns of which `nulls` says whether they may be."""
    match scalar:
        case Col(index):
            return nulls[index]
        case Lit(kind):
            return kind == "null"
        case Cast(arg, to, lenient):
            return lenient or may_be_null(arg, nulls, kinds) or _cast_gives_null(type_of(arg, kinds), cast_type(to))
        case Case(branches, otherwise):
            values = [v for _, v in branches]
            return otherwise is None or any(may_be_null(v, nulls, kinds) for v in (*values, otherwise))
        case Param() | Lambda():
            return True
        case Call(name, args):
            if name in NEVER_NULL:
                return False
            if name in {"if", "nvl2"}:
                return any(may_be_null(a, nulls, kinds) for a in args[1:])
            if name in {"coalesce", "nvl", "ifnull", "greatest", "least"}:
                return all(may_be_null(a, nulls, kinds) for a in args)
            return name not in TOTAL or any(may_be_null(a, nulls, kinds) for a in args)


def _cast_gives_null(source: DataType, target: DataType) -> bool:
    """Strict casts raise where they fail, but NaN has no decimal and no time: it becomes NULL all the same."""
    if UNKNOWN in {source, target} or not all(isinstance(k, Primitive | Decimal) for k in (source, target)):
        return True
    return source in {FLOAT, DOUBLE} and not (target in NUMBERS or target in {STRING, BOOLEAN})


def aggregate_may_be_null(call: AggCall, nulls: Sequence[bool], kinds: Sequence[DataType], *, has_rows: bool) -> bool:
    """May an aggregate be NULL; `has_rows` says that each group has at least one row."""
    facts = AGGREGATES.get(call.name)
    if facts is None:
        return True
    if facts.empty in {"zero", "empty-array"}:
        return False
    if not has_rows or call.where is not None or not facts.total:
        return True
    return any(may_be_null(a, nulls, kinds) for a in call.args)


def window_may_be_null(call: WindowCall) -> bool:
    """May a window function be NULL; a frame may be empty, whatever the rows."""
    if call.name in {"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"}:
        return False
    facts = AGGREGATES.get(call.name)
    return facts is None or facts.empty not in {"zero", "empty-array"}

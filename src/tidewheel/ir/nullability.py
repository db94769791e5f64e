"""Whether an expression may be NULL, given which columns may be; True where we are not sure."""

from __future__ import annotations

from collections.abc import Sequence

from tidewheel.ir.aggregates import AGGREGATES
from tidewheel.ir.functions import NEVER_NULL, TOTAL
from tidewheel.ir.parts import AggCall, WindowCall
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lambda, Lit, Param, Scalar
from tidewheel.types import DataType


def may_be_null(scalar: Scalar, nulls: Sequence[bool], kinds: Sequence[DataType]) -> bool:
    """May the scalar be NULL over columns of which `nulls` says whether they may be."""
    match scalar:
        case Col(index):
            return nulls[index]
        case Lit(kind):
            return kind == "null"
        case Cast(arg, _, lenient):
            return lenient or may_be_null(arg, nulls, kinds)
        case Case(branches, otherwise):
            values = [v for _, v in branches]
            return otherwise is None or any(may_be_null(v, nulls, kinds) for v in (*values, otherwise))
        case Param() | Lambda():
            return True
        case Call(name, args):
            if name in NEVER_NULL:
                return False
            if name in {"coalesce", "nvl", "ifnull", "greatest", "least"}:
                return all(may_be_null(a, nulls, kinds) for a in args)
            return name not in TOTAL or any(may_be_null(a, nulls, kinds) for a in args)


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


def window_may_be_null(call: WindowCall, nulls: Sequence[bool], kinds: Sequence[DataType]) -> bool:
    """May a window function be NULL; a frame may be empty, whatever the row."""
    if call.name in {"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"}:
        return False
    facts = AGGREGATES.get(call.name)
    return facts is None or facts.empty not in {"zero", "empty-array"}

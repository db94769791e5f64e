"""The types of expressions, where our rules are exactly Spark's (ANSI mode, defaults of 4.3); UNKNOWN elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidewheel.ddl import parse_type
from tidewheel.errors import UserError
from tidewheel.ir.aggregates import AGGREGATE_RULES, WINDOW_RULES
from tidewheel.ir.coercion import common_of, interval_units
from tidewheel.ir.dates import DATE_RULES
from tidewheel.ir.lambdas import HIGHER_ORDER, LambdaScope, Params
from tidewheel.ir.literals import literal_type
from tidewheel.ir.nested import NESTED_RULES
from tidewheel.ir.operators import COMPARISONS, OPERATORS
from tidewheel.ir.parts import AggCall, WindowCall
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lambda, Lit, Param, Scalar
from tidewheel.ir.signatures import Rule, Signature, fixed_result, match_pattern
from tidewheel.types import BOOLEAN, STRING, UNKNOWN, DataType, Primitive, nullable

_RULES: Final[dict[str, Rule]] = OPERATORS | DATE_RULES | NESTED_RULES
_ALWAYS_BOOLEAN: Final = COMPARISONS | {"and", "or", "in"}


def resolve(name: str, arg_types: Sequence[DataType], args: Sequence[Scalar] = ()) -> Signature | None:
    """The casts that Spark adds to a call of a scalar function, and the type it gives; None if we do not know exactly.

    Some results depend on the arguments themselves: give `args` too. In `d * 2` the literal is DECIMAL(1,0) if d is a
    decimal, round(d, 1) has one digit after the point.
    """
    kinds = tuple(map(nullable, arg_types))
    rule = _RULES.get(name)
    if rule is not None:
        unknown = any(k == UNKNOWN and not _is_word(args, i) for i, k in enumerate(kinds))
        return None if unknown else rule(kinds, args)
    return None if UNKNOWN in kinds else match_pattern(name, kinds)


def _is_word(args: Sequence[Scalar], place: int) -> bool:
    arg = args[place] if place < len(args) else None
    return isinstance(arg, Lit) and arg.kind == "word"


def type_of(scalar: Scalar, inputs: Sequence[DataType], params: Params | None = None) -> DataType:
    """The type of a scalar over columns of these types; UNKNOWN if only Spark can tell."""
    known = params or {}
    match scalar:
        case Col(index):
            return nullable(inputs[index])
        case Lit():
            return literal_type(scalar)
        case Cast(_, to):
            return cast_type(to)
        case Case(branches, otherwise):
            values = [v for _, v in branches] + ([] if otherwise is None else [otherwise])
            kinds = [type_of(v, inputs, known) for v in values]
            return UNKNOWN if UNKNOWN in kinds else common_of(kinds) or UNKNOWN
        case Param(number):
            return known.get(number, UNKNOWN)
        case Lambda():
            return UNKNOWN
        case Call(name, args):
            if name in HIGHER_ORDER:
                return _higher_order(name, args, LambdaScope(inputs, known, type_of))
            kinds = [type_of(a, inputs, known) for a in args]
            found = resolve(name, kinds, args)
            return found.result if found is not None else result_anyway(name, kinds)


def _higher_order(name: str, args: Sequence[Scalar], scope: LambdaScope) -> DataType:
    rule, counts = HIGHER_ORDER[name]
    return (rule(args, scope) if len(args) in counts else None) or UNKNOWN


def result_anyway(name: str, kinds: Sequence[DataType]) -> DataType:
    """The result of a call whose arguments we do not know, where they do not matter."""
    if UNKNOWN not in kinds:
        return UNKNOWN
    return BOOLEAN if name in _ALWAYS_BOOLEAN else fixed_result(name, len(kinds)) or UNKNOWN


def cast_type(text: str) -> DataType:
    """The type that a cast names."""
    lower = text.lower()
    if lower.startswith(("varchar", "char")):
        return STRING
    if lower.startswith("interval "):
        kind = Primitive(" ".join(lower.split()))
        return kind if interval_units(kind) else UNKNOWN
    try:
        return nullable(parse_type(text))
    except UserError:
        return UNKNOWN


def agg_type(call: AggCall, inputs: Sequence[DataType]) -> DataType:
    """The type of an aggregate over rows of these types."""
    rule = AGGREGATE_RULES.get(call.name)
    kinds = tuple(type_of(a, inputs) for a in call.args)
    return UNKNOWN if rule is None else rule(kinds, call.args) or UNKNOWN


def window_type(call: WindowCall, inputs: Sequence[DataType]) -> DataType:
    """The type of a window function, or of an aggregate over a window."""
    rule = WINDOW_RULES.get(call.name) or AGGREGATE_RULES.get(call.name)
    kinds = tuple(type_of(a, inputs) for a in call.args)
    return UNKNOWN if rule is None else rule(kinds, call.args) or UNKNOWN

"""What Spark's analyzer would refuse in an expression: types, counts of arguments, casts, lambdas.

An error is raised only where Spark surely raises one; where a type or a function is not known, nothing is checked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sqlglot import exp

from tidewheel.ir.aggregates import AGGREGATE_RULES, WINDOW_RULES
from tidewheel.ir.arity import described, takes
from tidewheel.ir.coercion import common_of, is_numeric
from tidewheel.ir.dates import EXTRACTED
from tidewheel.ir.lambdas import HIGHER_ORDER, LambdaScope
from tidewheel.ir.literals import literal_type
from tidewheel.ir.operators import ARITHMETIC, COMPARISONS
from tidewheel.ir.parts import AggCall
from tidewheel.ir.refusals import (
    cannot_cast,
    have_no_common_type,
    is_no_condition,
    is_plain,
    is_refusal,
    is_refused_aggregate,
)
from tidewheel.ir.resolve import cast_type, resolve, result_anyway, type_of
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lambda, Lit, Param, Scalar, columns
from tidewheel.ir.typing import types_of
from tidewheel.sql.bind.found import Found
from tidewheel.sql.bind.row_checks import _MAPS, type_list, type_name
from tidewheel.sql.bind.scope import AGGREGATE, OUTER, SUBQUERY, WINDOW, Scope, outer_parts
from tidewheel.sql.bind.text import SqlText, count
from tidewheel.types import (
    BOOLEAN,
    BYTE,
    DATE,
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    VOID,
    Array,
    DataType,
    Map,
    Struct,
    has_map,
)

_ONE_TYPE: Final = frozenset({"coalesce", "nvl", "ifnull", "array", "in", "greatest", "least", "map"})
_PERCENTILES: Final = frozenset({"percentile", "percentile_approx", "approx_percentile"})
_LEAVES: Final = (Col, Lit, Param)
_TESTS: Final = frozenset({"filter", "exists", "forall", "map_filter"})
_LAMBDAS: Final[Mapping[tuple[str, int], tuple[int, ...]]] = {
    ("transform", 1): (1, 2), ("filter", 1): (1, 2), ("exists", 1): (1,), ("forall", 1): (1,),
    ("aggregate", 2): (2,), ("aggregate", 3): (1,), ("reduce", 2): (2,), ("reduce", 3): (1,), ("zip_with", 2): (2,),
    ("map_filter", 1): (2,), ("transform_keys", 1): (2,), ("transform_values", 1): (2,), ("map_zip_with", 2): (3,),
    ("array_sort", 1): (2,),
}  # fmt: skip
"""How many parameters the lambda at a place of a function may have."""
_OF_MAPS: Final = frozenset({"map_filter", "transform_keys", "transform_values", "map_zip_with"})


class Checks:
    """The types of the expressions of one SELECT; each expression is looked at once."""

    def __init__(self, text: SqlText, scope: Scope, found: Found) -> None:
        self.text, self.scope, self.found = text, scope, found
        self.params: dict[int, DataType] = {}
        self.known: dict[Scalar, DataType] = {}

    def visit(self, scalar: Scalar, node: exp.Expr | None) -> DataType:
        """The type of an expression; what is wrong in it, and was not seen before, is an error at the node."""
        if isinstance(scalar, _LEAVES):
            return self._leaf(scalar)
        kind = self.known.get(scalar)
        if kind is None:
            kind = self.known[scalar] = self._type(scalar, node)
        return kind

    def _leaf(self, scalar: Col | Lit | Param) -> DataType:
        match scalar:
            case Col(index):
                return self.scope.types[index] if index < len(self.scope.types) else UNKNOWN
            case Lit():
                return literal_type(scalar)
        return self.params.get(scalar.number, UNKNOWN)

    def _type(self, scalar: Call | Cast | Case | Lambda, node: exp.Expr | None) -> DataType:
        match scalar:
            case Cast(arg, to):
                return self._cast(self.visit(arg, node), to, node)
            case Case(branches, otherwise):
                for condition, _ in branches:
                    self.condition(condition, node, "the condition of CASE")
                values = [v for _, v in branches] + ([] if otherwise is None else [otherwise])
                return self.common([self.visit(v, node) for v in values], "the values of CASE", node)
            case Lambda():
                return UNKNOWN
        if scalar.name.startswith("#"):
            return self._placeholder(scalar)
        kinds = [UNKNOWN if isinstance(a, Lambda) else self.visit(a, node) for a in scalar.args]
        if scalar.name in HIGHER_ORDER:
            rule, counts = HIGHER_ORDER[scalar.name]
            if len(kinds) not in counts:
                return UNKNOWN
            return rule(scalar.args, LambdaScope(self.scope.types, self.params, type_of)) or UNKNOWN
        return self._call(scalar, kinds, node)

    def _call(self, call: Call, kinds: Sequence[DataType], node: exp.Expr | None) -> DataType:
        if call.name in {"round", "bround"} and any(map(columns, call.args[1:])):
            raise self.text.error(f"the scale of {call.name}() must be a constant", node, code="wrong-arguments")
        found = resolve(call.name, kinds, call.args)
        if found is not None:
            return found.result
        if call.name == "get_field":
            self._field(kinds[0], call.args[1], node)
        elif is_refusal(call.name, kinds):
            raise self._refused(call.name, kinds, node)
        return result_anyway(call.name, kinds)

    def _placeholder(self, call: Call) -> DataType:
        """What stands for an aggregate, a window function, a subquery or a column of an outer query."""
        if call.name == OUTER:
            scope_id, index = outer_parts(call) or (0, 0)
            scope = self.scope.outer
            while scope is not None and scope.id != scope_id:
                scope = scope.outer
            return scope.types[index] if scope is not None and index < len(scope.types) else UNKNOWN
        if call.name in {"#grouping", "#grouping_id"}:
            return BYTE if call.name == "#grouping" else LONG
        number = int(call.args[0].value) if isinstance(call.args[0], Lit) else 0
        if call.name in {AGGREGATE, WINDOW}:
            found = self.found.aggregates[number] if call.name == AGGREGATE else self.found.windows[number]
            rule = WINDOW_RULES.get(found.name) or AGGREGATE_RULES.get(found.name)
            kinds = tuple(self.visit(a, None) for a in found.args)
            return UNKNOWN if rule is None else rule(kinds, found.args) or UNKNOWN
        if call.name == SUBQUERY:
            subquery = self.found.subqueries[number]
            return types_of(subquery.query.rel)[0] if subquery.kind == "scalar" else BOOLEAN
        return UNKNOWN

    # --- conditions, common types, casts, fields ---

    def condition(self, scalar: Scalar, node: exp.Expr | None, what: str) -> None:
        """It must be true or false; of a CASE, Spark makes it so from text."""
        kind = self.visit(scalar, node)
        if is_no_condition(kind, in_clause=not what.endswith("CASE")):
            raise self.text.error(
                f"{what} is not true or false but {type_name(kind)}",
                node,
                code="not-boolean",
                hint="Compare it with a value.",
            )

    def castable_condition(self, scalar: Scalar, node: exp.Expr, clause: str) -> None:
        """HAVING and QUALIFY cast their condition, if it can be."""
        kind = self.visit(scalar, node)
        if cannot_cast(kind, BOOLEAN):
            raise self.text.error(
                f"the condition of {clause} is not true or false but {type_name(kind)}", node, code="not-boolean",
                hint="Compare it with a value.",
            )  # fmt: skip

    def comparable(self, kinds: Sequence[DataType], what: str, node: exp.Expr) -> None:
        """The two sides of a comparison that SQL does not write with an operator."""
        if have_no_common_type(kinds) and is_refusal("=", kinds) and resolve("=", kinds) is None:
            raise self.text.error(
                f"{what} cannot be compared", node, code="type-mismatch", detail=f"They are {type_list(kinds)}."
            )

    def common(self, kinds: Sequence[DataType], what: str, node: exp.Expr | None) -> DataType:
        """The one type of several values."""
        if have_no_common_type(kinds):
            raise self.text.error(
                f"{what} have no common type",
                node,
                code="no-common-type",
                detail=f"They are {type_list(kinds)}.",
                hint="Cast them to one type.",
            )
        return UNKNOWN if UNKNOWN in kinds else common_of(kinds) or UNKNOWN

    def _cast(self, kind: DataType, to: str, node: exp.Expr | None) -> DataType:
        target = cast_type(to)
        if cannot_cast(kind, target):
            raise self.text.error(f"{type_name(kind)} cannot be cast to {type_name(target)}", node, code="bad-cast")
        return target

    def _field(self, kind: DataType, name: Scalar, node: exp.Expr | None) -> None:
        inner = kind.element if isinstance(kind, Array) else kind
        if not isinstance(name, Lit) or isinstance(inner, Map) or inner == VOID or not is_plain(inner):
            return
        if not isinstance(inner, Struct):
            raise self.text.error(
                f'"{name.value}" cannot be a field: {type_name(kind)} is not a struct', node, code="type-mismatch"
            )
        if not any(f.name.lower() == name.value.lower() for f in inner.fields):
            fields = ", ".join(f.name for f in inner.fields)
            raise self.text.error(
                f'the struct has no field "{name.value}"', node, code="unknown-column", hint=f"Its fields are {fields}."
            )

    # --- functions ---

    def arity(self, name: str, number: int, node: exp.Expr | None) -> None:
        if not takes(name, number):
            raise self.text.error(f"{name}() takes {described(name)}, not {number}", node, code="wrong-arguments")

    def aggregate(self, call: AggCall, node: exp.Expr | None) -> None:
        kinds = [self.visit(a, node) for a in call.args]
        if call.where is not None:
            self.condition(call.where, node, "the FILTER condition")
        if call.name in _PERCENTILES and len(call.args) > 1:
            self._percentage(call, node)
        if is_refused_aggregate(call.name, kinds, call.args):
            raise self._refused(call.name, kinds, node)

    def _percentage(self, call: AggCall, node: exp.Expr | None) -> None:
        share = call.args[1]
        problem = "be a constant" if columns(share) else None
        if isinstance(share, Lit) and share.kind in {"int", "decimal", "double"} and not 0 <= float(share.value) <= 1:
            problem = "be from 0 to 1"
        if problem is not None:
            raise self.text.error(f"the percentage of {call.name}() must {problem}", node, code="wrong-arguments")

    def generator(self, name: str, args: Sequence[Scalar], node: exp.Expr) -> None:
        """explode() and its kind take arrays and maps, inline() arrays of structs."""
        self.arity(name, len(args), node)
        kinds = [self.visit(a, node) for a in args]
        if name not in {"explode", "posexplode", "inline"} or len(kinds) != 1 or not is_plain(kinds[0]):
            return
        match kinds[0]:
            case Array(Struct()):
                return
            case Array() | Map() if name != "inline":
                return
            case Array(element) if element == VOID:
                return
        raise self._refused(name, kinds, node)

    def extract(self, field: str, value: Scalar, node: exp.Expr) -> None:
        kind = self.visit(value, node)
        if kind in {DATE, TIMESTAMP, TIMESTAMP_NTZ, STRING} and field.lower() not in EXTRACTED:
            raise self.text.error(
                f"{field.upper()} is not a part of a date or a time", node, code="wrong-arguments",
                hint="Parts are YEAR, QUARTER, MONTH, WEEK, DAY, DAYOFWEEK, DOY, HOUR, MINUTE and SECOND.",
            )  # fmt: skip
        if is_numeric(kind) or kind == BOOLEAN:
            raise self._refused("extract", [kind], node)

    def lambda_kinds(
        self, name: str, bound: Sequence[Scalar], node: exp.Expr, around: exp.Expr
    ) -> tuple[DataType, ...]:
        """The types of a lambda's parameters, from the arguments before it; fewer if they are not known."""
        counts = _LAMBDAS.get((name, len(bound)))
        if counts is None:
            raise self.text.error(
                f"{name}() does not take a lambda here", around, code="bad-lambda", hint="Give a value."
            )
        if len(node.expressions) not in counts:
            raise self.text.error(
                f"the lambda of {name}() takes {count(counts[-1], 'parameter')}, not {len(node.expressions)}",
                around,
                code="bad-lambda",
            )
        kinds = [self.visit(b, around) for b in bound if not isinstance(b, Lambda)]
        self._collections(name, kinds, around)
        return _parameters(name, kinds, len(bound))

    def _collections(self, name: str, kinds: Sequence[DataType], node: exp.Expr) -> None:
        wanted = Map if name in _OF_MAPS else Array
        for kind in kinds if name in {"zip_with", "map_zip_with"} else kinds[:1]:
            if kind != VOID and is_plain(kind) and not isinstance(kind, wanted):
                raise self._refused(name, [kind], node)

    @contextlib.contextmanager
    def inside_lambda(self, first: int, kinds: Sequence[DataType]) -> Iterator[None]:
        """While a lambda's body is bound: its parameters have types, and what is known outside may mean other ones."""
        params, known = self.params, self.known
        self.params = params | dict(enumerate(kinds, start=first))
        self.known = {}
        yield
        self.params, self.known = params, known

    def lambda_body(self, name: str, body: Scalar, node: exp.Expr) -> None:
        kind = self.visit(body, node)
        if name in _TESTS and is_no_condition(kind, in_clause=False):
            raise self.text.error(
                f"the lambda of {name}() is not true or false but {type_name(kind)}", node, code="not-boolean"
            )

    def orderable(self, scalar: Scalar, node: exp.Expr | None, where: str) -> None:
        """Maps have no order and no equality."""
        kind = self.visit(scalar, node)
        if has_map(kind) and is_plain(kind):
            raise self.text.error(f"a map cannot stand in {where}", node, code="type-mismatch", hint=_MAPS)

    def _refused(self, name: str, kinds: Sequence[DataType], node: exp.Expr | None) -> Exception:
        described_kinds = type_list(kinds)
        if name in {"and", "or", "not"}:
            return self.text.error(
                f"{name.upper()} takes conditions, not {described_kinds}", node, code="not-boolean",
                hint="Compare each with a value.",
            )  # fmt: skip
        if any(map(has_map, kinds)) and (name in COMPARISONS or name in {"in", "min", "max", "greatest", "least"}):
            return self.text.error("maps cannot be compared", node, code="type-mismatch", hint=_MAPS)
        if name in _ONE_TYPE:
            what = "the values of IN" if name == "in" else f"the arguments of {name}()"
            return self.text.error(
                f"{what} have no common type", node, code="no-common-type", detail=f"They are {described_kinds}.",
                hint="Cast them to one type.",
            )  # fmt: skip
        if name in COMPARISONS and len(kinds) == 2:
            message = f"{type_name(kinds[0])} cannot be compared with {type_name(kinds[1])}"
        elif (name in ARITHMETIC or name in {"&", "|", "^", "||"}) and not name[0].isalpha():
            message = f"{name} does not take {described_kinds}"
        elif name == "get_item":
            message = f"{type_name(kinds[0])} has no element at {type_name(kinds[1])}"
        else:
            message = f"{name}() does not take {described_kinds}"
        return self.text.error(message, node, code="type-mismatch", hint="Cast the values, or use other ones.")


def _parameters(name: str, kinds: Sequence[DataType], place: int) -> tuple[DataType, ...]:
    match name, kinds:
        case ("transform" | "filter", [Array(element)]):
            return (element, INT)
        case ("exists" | "forall", [Array(element)]):
            return (element,)
        case ("aggregate" | "reduce", [Array(element), start, *_]):
            return (start, element) if place == 2 else (start,)
        case ("zip_with", [Array(left), Array(right)]):
            return (left, right)
        case ("map_filter" | "transform_keys" | "transform_values", [Map(key, value)]):
            return (key, value)
        case ("array_sort", [Array(element)]):
            return (element, element)
    return ()

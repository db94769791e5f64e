"""DuckDB SQL: only what was shown to mean the same there, with every type made Spark's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final

from tidewheel.ir.coercion import common_type, is_numeric
from tidewheel.ir.literals import literal_type
from tidewheel.ir.parts import AggCall, JoinKey, WindowCall
from tidewheel.ir.rel import JoinKind, Opaque, Query, Unnest, Values
from tidewheel.ir.resolve import cast_type, resolve
from tidewheel.ir.scalar import Call, Lit
from tidewheel.ir.typing import types_of
from tidewheel.names import literal, quote_double
from tidewheel.sql.unparse.dialect import CallText, Dialect, SortText
from tidewheel.sql.unparse.duck_aggregates import AGGREGATES, Calling
from tidewheel.sql.unparse.duck_casts import convert, duck_type, family, not_local
from tidewheel.sql.unparse.duck_functions import FUNCTIONS
from tidewheel.sql.unparse.duck_windows import window_text
from tidewheel.sql.unparse.plans import PlanWriter
from tidewheel.sql.unparse.texts import Level, Text, infix, made_of
from tidewheel.types import BOOLEAN, INT, LONG, UNKNOWN, VOID, Array, DataType, Map, has_map

_DATE: Final = re.compile(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})\s*")
_TIME: Final = re.compile(r"\s*\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d([.]\d{1,6})?)?\s*")
_INTERVAL: Final = re.compile(r"'(-?\d+)' (YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)S?", re.IGNORECASE)
_ESCAPES: Final = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def to_duckdb(query: Query) -> str:
    """The plan as one DuckDB query; what is not known to mean the same there is refused by name.

    The connection has run the statements of `duck_macros.PRELUDE`, and its time zone is UTC.
    """
    types_of(query.rel)
    return PlanWriter(DuckDialect(), query.rel).query(query.rel, query.names)


class DuckDialect(Dialect):
    joins_after_unnest: ClassVar[bool] = True
    shared: ClassVar[str] = "MATERIALIZED "  # DuckDB inlines a CTE by a copy that fails on least(2, a, a)
    joins: ClassVar[dict[JoinKind, str]] = {
        "inner": "JOIN", "left": "LEFT JOIN", "full": "FULL JOIN", "semi": "SEMI JOIN", "anti": "ANTI JOIN",
    }  # fmt: skip

    def quote(self, name: str) -> str:
        return quote_double(name)

    # --- scalars ---

    def literal(self, lit: Lit) -> Text:
        kind = literal_type(lit)
        if lit.kind == "word":
            return Text(sql=lit.text, constant=True)
        sql, level = _literal(lit, kind)
        return Text(sql=sql, level=level, type=kind, constant=True)

    def call(self, call: Call, args: Sequence[Text]) -> Text:
        writer = FUNCTIONS.get(call.name)
        if writer is None:
            raise not_local(f"{call.name}()" if call.name[0].isalpha() else call.name)
        signature = resolve(call.name, [a.type for a in args], call.args)
        if signature is None:
            raise not_local(f"{call.name} of such arguments")
        ready = [a if t == UNKNOWN else convert(a, t) for a, t in zip(args, signature.args, strict=True)]
        return writer(call, ready, signature)

    def cast(self, arg: Text, to: str, *, lenient: bool) -> Text:
        return convert(arg, cast_type(to), lenient=lenient)

    def function_value(self, params: Sequence[str], body: Text) -> Text:
        del params, body
        raise not_local("functions of arrays")

    def case(self, branches: Sequence[tuple[Text, Text]], otherwise: Text | None) -> Text:
        values = [value for _, value in branches] + ([] if otherwise is None else [otherwise])
        kind = common([v.type for v in values])
        same = [(convert(when, BOOLEAN), convert(value, kind)) for when, value in branches]
        made = super().case(same, None if otherwise is None else convert(otherwise, kind))
        return replace(made, type=kind)

    # --- clauses ---

    def predicate(self, text: Text) -> Text:
        return convert(text, BOOLEAN)

    def conjunction(self, parts: Sequence[Text]) -> Text:
        """Conditions stay apart, so that joins find their keys; one that may raise repeats those that guard it."""
        guarded = []
        for i, part in enumerate(parts):
            guards = [g for g in parts[:i] if part.fragile and not g.fragile and g.reads & part.reads]
            sql = f"CASE WHEN {super().conjunction(guards).sql} THEN {part.sql} ELSE FALSE END"
            guarded.append(replace(part, sql=sql, level=Level.ATOM) if guards else part)
        return super().conjunction(guarded)

    def compared(self, left: Text, right: Text) -> tuple[Text, Text]:
        signature = resolve("=", [left.type, right.type])
        if signature is None:
            raise not_local("a comparison of such values")
        return convert(left, signature.args[0]), convert(right, signature.args[1])

    def key(self, key: JoinKey, left: Text, right: Text) -> Text:
        sides = self.compared(left, right)
        if key.kind == "in":
            return made_of(f"coalesce({infix('=', sides, Level.COMPARE).sql}, TRUE)", sides, kind=BOOLEAN)
        return infix("=" if key.kind == "=" else "IS NOT DISTINCT FROM", sides, Level.COMPARE, BOOLEAN)

    def told_apart(self, values: Sequence[Text]) -> Sequence[Text]:
        """To DuckDB, maps with the same entries in another order are different."""
        if any(has_map(v.type) for v in values):
            raise not_local("a query that tells maps apart")
        return values

    def sort(self, key: SortText) -> str:
        """Inside an array or a struct, NULL is the smallest value to Spark and the largest to DuckDB."""
        if family(key.expr.type) == "nested":
            raise not_local("an order by arrays or structs")
        direction = "DESC" if key.descending else "ASC"
        return f"{key.expr.sql} {direction} NULLS {'FIRST' if key.nulls_first else 'LAST'}"

    def aggregate(self, call: AggCall, parts: CallText) -> Text:
        if call.name not in AGGREGATES or parts.order or call.ignore_nulls:
            raise not_local(f"{call.name}()")
        args = self.told_apart(parts.args) if call.distinct or call.name == "collect_set" else parts.args
        tail = _filter(parts.where)
        if parts.where is not None and any(a.fragile for a in args):
            # The argument is computed before the filter, for all rows.
            args = [made_of(f"CASE WHEN {parts.where.sql} THEN {a.sql} END", [a], kind=a.type) for a in args]
        return AGGREGATES[call.name](Calling(name=call.name, args=args, distinct=call.distinct, tail=tail))

    def window(self, call: WindowCall, parts: CallText) -> Text:
        frame = call.frame
        offsets = (
            [] if frame is None else [b for b in (frame.start, frame.end) if b is not None and b.value.strip("-0.")]
        )
        if frame is not None and frame.unit == "range" and offsets and not is_numeric(parts.order[0].expr.type):
            raise not_local("a RANGE of dates")
        return window_text(call, parts.args, _filter(parts.where), self.over(parts, frame))

    def grouping_id(self, keys: Sequence[Text]) -> Text:
        if not keys:
            return Text(sql="CAST(0 AS BIGINT)", type=LONG, constant=True)
        return Text(sql=f"CAST(grouping({', '.join(k.sql for k in keys)}) AS BIGINT)", type=LONG)

    def grouping_sets(self, keys: Sequence[str], sets: Sequence[Sequence[int]]) -> tuple[str, str]:
        """DuckDB gives a row for the empty set even of nothing; Spark does not."""
        if {i for chosen in sets for i in chosen} != set(range(len(keys))):
            raise not_local("a grouping key that is in no grouping set")
        body = ", ".join(f"({', '.join(keys[i] for i in chosen)})" for chosen in sets)
        return f"GROUPING SETS ({body})", "count(*) > 0" if () in map(tuple, sets) else ""

    def values(self, node: Values, rows: Sequence[Sequence[Text]], alias: str) -> tuple[str, list[Text]]:
        names = [f"c{i}" for i in range(node.arity)] or ["c0"]
        same = self.align(rows) if rows else []
        body = ", ".join(f"({', '.join(t.sql for t in row) or '0'})" for row in same)
        body = body or f"({', '.join(['NULL'] * len(names))})"
        kinds = [t.type for t in same[0]] if same else [VOID] * node.arity
        columns = [Text(sql=f"{alias}.c{i}", type=k, bare=True) for i, k in enumerate(kinds)]
        return f"(VALUES {body}) AS {alias}({', '.join(names)})", columns

    def unnest(self, node: Unnest, args: Sequence[Text], alias: str) -> tuple[str, list[Text]]:
        made = _unnested(node.generator, args)
        kinds, items = [k for k, _ in made], [f"{sql} AS c{i}" for i, (_, sql) in enumerate(made)]
        join = "LEFT JOIN" if node.outer else "CROSS JOIN"
        line = f"{join} LATERAL (SELECT {', '.join(items)}) AS {alias}{' ON TRUE' if node.outer else ''}"
        return line, [Text(sql=f"{alias}.c{i}", type=k, bare=True) for i, k in enumerate(kinds)]

    def opaque(self, node: Opaque) -> str:
        raise not_local(f"a query that is not understood ({node.reason})")

    def align(self, parts: Sequence[Sequence[Text]]) -> list[list[Text]]:
        kinds = [common([t.type for t in column]) for column in zip(*parts, strict=True)]
        return [[convert(t, k) for t, k in zip(part, kinds, strict=True)] for part in parts]


def common(kinds: Sequence[DataType]) -> DataType:
    """The type that values of several become."""
    found = kinds[0]
    for kind in kinds[1:]:
        wider = found if kind == found else common_type(found, kind)
        if wider is None or UNKNOWN in {found, kind}:
            raise not_local("values of types that only Spark can unite")
        found = wider
    return found


def _filter(where: Text | None) -> str:
    return "" if where is None else f" FILTER (WHERE {where.sql})"


def _literal(lit: Lit, kind: DataType) -> tuple[str, Level]:
    value = lit.value
    negative = Level.UNARY if value.startswith("-") else Level.ATOM
    match lit.kind:
        case "null" | "boolean":
            return lit.text, Level.ATOM
        case "int" if abs(int(value)) < 2**31:
            return value, negative
        case "int" | "tinyint" | "smallint" | "bigint" | "decimal":
            return f"CAST({literal(value)} AS {duck_type(kind)})" if len(value) > 18 else _cast(value, kind), Level.ATOM
        case "float" | "double":
            return f"CAST({literal(value)} AS {duck_type(kind)})", Level.ATOM
        case "string":
            return _string(value), Level.ATOM
        case "date" if match := _DATE.fullmatch(value):
            return f"DATE '{match[1]}-{int(match[2]):02}-{int(match[3]):02}'", Level.ATOM
        case "timestamp" if _TIME.fullmatch(value):
            return f"TIMESTAMPTZ '{value.strip()}'", Level.ATOM
        case "timestamp_ntz" if _TIME.fullmatch(value):
            return f"TIMESTAMP '{value.strip()}'", Level.ATOM
        case "interval" if match := _INTERVAL.fullmatch(value):
            return f"INTERVAL '{match[1]}' {match[2].upper()}", Level.ATOM
    raise not_local(f"the literal {lit}")


def _cast(value: str, kind: DataType) -> str:
    return f"CAST({value} AS {duck_type(kind)})"


def _string(value: str) -> str:
    """A string on one line."""
    if "\0" in value:
        raise not_local("a text with a NUL character")
    if not any(c in value for c in "\n\r\t"):
        return literal(value)
    return "E'" + "".join(_ESCAPES.get(c, c) for c in value) + "'"


def _unnested(generator: str, args: Sequence[Text]) -> list[tuple[DataType, str]]:
    """The columns that a generator makes."""
    source = args[0] if len(args) == 1 else Text(sql="")
    match generator, source.type:
        case "explode", Array(element):
            return [(element, f"unnest({source.sql})")]
        case "posexplode", Array(element):
            position = f"CAST(generate_subscripts({source.sql}, 1) - 1 AS INTEGER)"
            return [(INT, position), (element, f"unnest({source.sql})")]
        case "explode", Map(key, value):
            return [(key, f"unnest(map_keys({source.sql}))"), (value, f"unnest(map_values({source.sql}))")]
    raise not_local(f"{generator}() of such a value")

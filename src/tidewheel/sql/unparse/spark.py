"""Spark SQL: every function passes through by its name; only what has a syntax of its own stands here."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from tidewheel.ir.parts import AggCall, JoinKey, WindowCall
from tidewheel.ir.rel import JoinKind, Opaque, Query, Rel, Unnest, Values
from tidewheel.ir.scalar import Call, Lit
from tidewheel.names import quote
from tidewheel.sql.unparse.dialect import CallText, Dialect, SortText
from tidewheel.sql.unparse.plans import PlanWriter
from tidewheel.sql.unparse.texts import LEVELS, Level, Text, function, infix, made_of

_SUFFIX: Final = {"int": "", "tinyint": "Y", "smallint": "S", "bigint": "L", "float": "F", "double": "D"}
_INTEGERS: Final = frozenset({"int", "tinyint", "smallint", "bigint"})
_ESCAPES: Final = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
TOO_MANY_ROWS: Final = "more than one row returned by a subquery used as an expression"
_IGNORING: Final = """
any approx_count_distinct array_agg avg bit_and bit_or bit_xor bool_and bool_or collect_list collect_set corr
count count_if covar_pop covar_samp every kurtosis max mean median min percentile percentile_approx regr_avgx
regr_avgy skewness some std stddev stddev_pop stddev_samp sum try_avg try_sum var_pop var_samp variance
"""
_IGNORE_NULLS: Final = frozenset(_IGNORING.split())
"""Aggregates to which a NULL argument is no row at all: over a window, a FILTER becomes a CASE in their argument."""


def to_spark(query: Query) -> str:
    """The plan as one Spark SQL query whose columns have the query's names."""
    return rel_to_spark(query.rel, query.names)


def rel_to_spark(rel: Rel, names: Sequence[str]) -> str:
    if isinstance(rel, Opaque) and tuple(c.name for c in rel.columns) == tuple(names):
        return rel.sql
    return PlanWriter(SparkDialect(), rel).query(rel, names)


class SparkDialect(Dialect):
    joins_after_unnest: ClassVar[bool] = False
    shared: ClassVar[str] = ""
    joins: ClassVar[dict[JoinKind, str]] = {
        "inner": "JOIN", "left": "LEFT JOIN", "full": "FULL JOIN", "semi": "LEFT SEMI JOIN", "anti": "LEFT ANTI JOIN",
    }  # fmt: skip

    def quote(self, name: str) -> str:
        return quote(name)

    # --- scalars ---

    def literal(self, lit: Lit) -> Text:
        kind, value = lit.kind, lit.value
        negative = Level.UNARY if value.startswith("-") else Level.ATOM
        match kind:
            case "string":
                return Text(sql=quote_string(value), constant=True)
            case "date" | "timestamp" | "timestamp_ntz":
                return Text(sql=f"{kind.upper()} {quote_string(value)}", constant=True)
            case "decimal":
                text = value if "." in value and "e" not in value.lower() else f"{value}BD"
                return Text(sql=text, level=negative, constant=True)
            case "float" | "double" if not re.fullmatch(r"-?[0-9.]+(e[+-]?[0-9]+)?", value, re.IGNORECASE):
                return Text(sql=f"{kind}({quote_string(value)})", constant=True)
            case _ if kind in _SUFFIX:
                named = kind.upper() if kind in _INTEGERS else None
                return Text(sql=value + _SUFFIX[kind], level=negative, constant=True, literal=named)
            case _:
                return Text(sql=lit.text, constant=True)

    def call(self, call: Call, args: Sequence[Text]) -> Text:
        name = call.name
        if name in LEVELS:
            return infix(name.upper(), args, LEVELS[name])
        if name in _FORMS:
            return _FORMS[name](args)
        if name == "get_field" and isinstance(field := call.args[1], Lit):
            return made_of(f"{args[0].at(Level.ATOM)}.{self.name(field.value)}", args)
        plain = re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", name, re.ASCII)
        return function(name if plain else quote(name), args)

    def cast(self, arg: Text, to: str, *, lenient: bool) -> Text:
        return made_of(f"{'TRY_CAST' if lenient else 'CAST'}({arg.sql} AS {to})", [arg])

    def function_value(self, params: Sequence[str], body: Text) -> Text:
        head = params[0] if len(params) == 1 else f"({', '.join(params)})"
        return replace(made_of(f"{head} -> {body.sql}", [body]), stable=False)

    # --- clauses ---

    def key(self, key: JoinKey, left: Text, right: Text) -> Text:
        if key.kind == "in":
            return made_of(f"coalesce({infix('=', [left, right], Level.COMPARE).sql}, TRUE)", [left, right])
        return infix(key.kind, [left, right], Level.COMPARE)

    def sort(self, key: SortText) -> str:
        """Spark puts NULLs first when ascending and last when descending, unless told otherwise."""
        default = key.nulls_first != key.descending
        nulls = "" if default else f" NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        return f"{key.expr.sql}{' DESC' if key.descending else ''}{nulls}"

    def aggregate(self, call: AggCall, parts: CallText) -> Text:
        if call.name == "single_value":
            return _single_value(parts)
        inner = ", ".join(a.sql for a in parts.args) or ("*" if call.name == "count" else "")
        text = f"{call.name}({'DISTINCT ' if call.distinct else ''}{inner})"
        if parts.order:
            text += f" WITHIN GROUP (ORDER BY {', '.join(map(self.sort, parts.order))})"
        text += _filter(parts.where)
        return Text(sql=text + (" IGNORE NULLS" if call.ignore_nulls else ""))

    def window(self, call: WindowCall, parts: CallText) -> Text:
        args = parts.args
        if parts.where is not None:
            args = _filtered(call.name, args, parts.where)
        inner = ", ".join(a.sql for a in args) or ("*" if call.name == "count" else "")
        nulls = " IGNORE NULLS" if call.ignore_nulls else ""
        return Text(sql=f"{call.name}({inner}){nulls} {self.over(parts, call.frame)}")

    def grouping_id(self, keys: Sequence[Text]) -> Text:
        return Text(sql="grouping_id()") if keys else Text(sql="0L", constant=True)

    def grouping_sets(self, keys: Sequence[str], sets: Sequence[Sequence[int]]) -> tuple[str, str]:
        if not sets:
            return ", ".join(keys), "FALSE"
        body = ", ".join(f"({', '.join(keys[i] for i in chosen)})" for chosen in sets)
        return f"{', '.join(keys)} GROUPING SETS ({body})", ""

    def values(self, node: Values, rows: Sequence[Sequence[Text]], alias: str) -> tuple[str, list[Text]]:
        names = [f"c{i}" for i in range(node.arity)] or ["c0"]
        body = ", ".join(f"({', '.join(t.sql for t in row) or '0'})" for row in rows)
        body = body or f"({', '.join(['NULL'] * len(names))})"
        columns = [Text(sql=f"{alias}.c{i}", bare=True) for i in range(node.arity)]
        return f"VALUES {body} AS {alias}({', '.join(names)})", columns

    def unnest(self, node: Unnest, args: Sequence[Text], alias: str) -> tuple[str, list[Text]]:
        names = [f"c{i}" for i in range(node.arity)]
        call = f"{node.generator}({', '.join(a.sql for a in args)})"
        line = f"LATERAL VIEW {'OUTER ' if node.outer else ''}{call} {alias} AS {', '.join(names)}"
        return line, [Text(sql=f"{alias}.{n}", bare=True) for n in names]

    def opaque(self, node: Opaque) -> str:
        return node.sql.rstrip().removesuffix(";")


def quote_string(value: str) -> str:
    r"""A string literal on one line. Spark would replace a variable in ${...} even in here, and read \012 as octal."""
    escaped = "".join(_ESCAPES.get(c, c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}") for c in value)
    return "'" + escaped.replace("${", "\\u0024{") + "'"


def _filter(where: Text | None) -> str:
    return "" if where is None else f" FILTER (WHERE {where.sql})"


def _single_value(parts: CallText) -> Text:
    where = _filter(parts.where)
    error = f"raise_error({quote_string(TOO_MANY_ROWS)})"
    return Text(sql=f"CASE WHEN count(*){where} > 1 THEN {error} ELSE first({parts.args[0].sql}){where} END")


def _filtered(name: str, args: Sequence[Text], where: Text) -> list[Text]:
    """Arguments that are NULL where the condition is not true: Spark has no FILTER over a window."""
    if name not in _IGNORE_NULLS:
        raise NotImplementedError(f"{name} with FILTER over a window")
    first = args[0].sql if args else "1"
    return [Text(sql=f"CASE WHEN {where.sql} THEN {first} END"), *args[1:]]


def _prefixed(sign: str, level: Level) -> Callable[[Sequence[Text]], Text]:
    return lambda args: made_of(f"{sign}{args[0].at(Level.ATOM if level == Level.UNARY else level)}", args, level=level)


def _suffixed(words: str) -> Callable[[Sequence[Text]], Text]:
    return lambda args: made_of(f"{args[0].at(Level.OTHER)} {words}", args, level=Level.COMPARE)


def _matches(word: str) -> Callable[[Sequence[Text]], Text]:
    def write(args: Sequence[Text]) -> Text:
        escape = f" ESCAPE {args[2].sql}" if len(args) > 2 else ""
        text = f"{args[0].at(Level.OTHER)} {word} {args[1].at(Level.OTHER)}{escape}"
        return made_of(text, args, level=Level.COMPARE)

    return write


def _in(args: Sequence[Text]) -> Text:
    choices = ", ".join(a.sql for a in args[1:])
    return made_of(f"{args[0].at(Level.OTHER)} IN ({choices})", args, level=Level.COMPARE)


_FORMS: Final[dict[str, Callable[[Sequence[Text]], Text]]] = {
    "not": _prefixed("NOT ", Level.NOT),
    "negative": _prefixed("-", Level.UNARY),
    "positive": _prefixed("+", Level.UNARY),
    "bit_not": _prefixed("~", Level.UNARY),
    "isnull": _suffixed("IS NULL"),
    "isnotnull": _suffixed("IS NOT NULL"),
    "in": _in,
    "like": _matches("LIKE"),
    "ilike": _matches("ILIKE"),
    "rlike": _matches("RLIKE"),
    "get_item": lambda args: made_of(f"{args[0].at(Level.ATOM)}[{args[1].sql}]", args),
    "extract": lambda args: made_of(f"extract({args[0].sql} FROM {args[1].sql})", args),
}

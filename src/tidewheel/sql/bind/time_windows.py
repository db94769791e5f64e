"""Windows of time: GROUP BY window(ts, '1 hour'), and `window` for the column that it makes.

Spark computes the column below the SELECT, in microseconds since 1970 whatever the time zone, and leaves out rows
without a time:

    SELECT window.start AS hour, count(*) AS n FROM t GROUP BY window(ts, '1 hour')
    SELECT w.start AS hour, count(*) AS n FROM t WHERE ts IS NOT NULL GROUP BY named_struct('start', ..., 'end', ...)

Here the query is rewritten in the same way: one window of fixed length to a SELECT, without overlaps. The rest is for
Spark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from tidewheel.ir.scalar import Call, Lit, Scalar
from tidewheel.sql.bind.context import Context
from tidewheel.sql.bind.text import NotBoundError
from tidewheel.types import TIMESTAMP

NAME: Final = "window"
_CLAUSES: Final = ("expressions", "group", "having", "order", "qualify")
_MICROS: Final = {
    "microsecond": 1, "millisecond": 1000, "second": 10**6, "minute": 60 * 10**6, "hour": 3600 * 10**6,
    "day": 86400 * 10**6, "week": 7 * 86400 * 10**6,
}  # fmt: skip
_LENGTH: Final = re.compile(r"\s*(?:interval\s+)?(?P<count>\d+)\s+(?P<unit>[a-z]+?)s?\s*", re.IGNORECASE)


def rewritten(select: exp.Expr) -> exp.Expr:
    """The same SELECT, with the window in place of its column, over rows that have a time."""
    calls = [c for key in _CLAUSES for c in _own(select.args.get(key)) if _is_call(c)]
    if not calls:
        return select
    if len({c.sql() for c in calls}) > 1:
        raise NotBoundError("time-window", "several windows of time")
    if calls[0].this.lower() != NAME:
        raise NotBoundError("time-window", f"{calls[0].this.lower()}()")
    if any(t.alias_or_name.lower() == NAME for t in select.find_all(exp.Table, exp.Subquery)):
        raise NotBoundError("time-window", "window() beside a relation of that name")
    if not calls[0].expressions:  # refused where it is bound
        return select
    changed = select.copy()
    aliases = {i.alias.lower() for i in select.expressions if isinstance(i, exp.Alias)}
    for key in _CLAUSES:
        if key == "order" and NAME in aliases:  # its own columns come first there
            continue
        for column in [c for c in _own(changed.args.get(key)) if isinstance(c, exp.Column)]:
            _replace(column, calls[0])
    where = changed.args.get("where")
    has_time = exp.Not(this=exp.Is(this=calls[0].expressions[0].copy(), expression=exp.Null()))
    both = has_time if where is None else exp.And(this=exp.Paren(this=where.this), expression=has_time)
    changed.set("where", exp.Where(this=both))
    return changed


def _is_call(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in {NAME, "session_window", "window_time"}


def _own(value: object) -> Iterator[exp.Expr]:
    """The nodes of a clause, but for those of queries inside it."""
    todo = list(value) if isinstance(value, list) else [value]
    while todo:
        node = todo.pop()
        if isinstance(node, exp.Expr) and not isinstance(node, exp.Query):
            yield node
            for child in node.args.values():
                todo += child if isinstance(child, list) else [child]


def _replace(column: exp.Column, call: exp.Expr) -> None:
    """`window` is the call, `window.start` a field of it; as a column of the result it keeps its name."""
    parts = [p.name for p in column.parts]
    if parts[0].lower() != NAME or len(parts) > 2 or isinstance(column.this, exp.Star):
        return
    new: exp.Expr = call.copy()
    if len(parts) == 2:
        new = exp.Dot(this=new, expression=exp.to_identifier(parts[1]))
    elif column.arg_key == "expressions" and isinstance(column.parent, exp.Select):
        new = exp.Alias(this=new, alias=exp.to_identifier(parts[0]))
    column.replace(new)


def time_window(exprs: Context, node: exp.Expr) -> Scalar:
    """The struct of start and end, of a window that does not overlap with the next."""
    if exprs.clause not in {"SELECT", "GROUP BY", "HAVING", "ORDER BY", "QUALIFY"}:
        raise NotBoundError("time-window", f"window() in {exprs.clause}")
    if exprs.scope.find([NAME]):
        raise NotBoundError("time-window", "window() beside a column of that name")
    args = node.expressions
    length, *rest = [_micros(a) for a in args[1:]]
    if rest and rest[0] != length:
        raise NotBoundError("time-window", "windows of time that overlap")
    time = exprs.bind(args[0])
    if exprs.checks.visit(time, node) != TIMESTAMP:
        raise NotBoundError("time-window", "a window of something else than a TIMESTAMP")
    micros = Call("unix_micros", (time,))
    since = Call("-", (micros, _long(rest[1] % length if len(rest) > 1 else 0)))
    start = Call("-", (micros, Call("pmod", (since, _long(length)))))
    end = Call("+", (start, _long(length)))
    ends = [Call("timestamp_micros", (moment,)) for moment in (start, end)]
    return Call("named_struct", (Lit("string", "start"), ends[0], Lit("string", "end"), ends[1]))


def _long(value: int) -> Lit:
    return Lit("bigint", str(value))


def _micros(node: exp.Expr) -> int:
    """A length written as a text, as '1 hour'; months have none."""
    match = _LENGTH.fullmatch(node.name) if isinstance(node, exp.Literal) and node.is_string else None
    if match is None or match["unit"].lower() not in _MICROS or not int(match["count"]):
        raise NotBoundError("time-window", "a window of such a length")
    return int(match["count"]) * _MICROS[match["unit"].lower()]

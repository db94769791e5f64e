"""PIVOT and UNPIVOT, as aggregates with filters and as stacked columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlglot import exp

from tidewheel.ir.coercion import common_of, is_numeric
from tidewheel.ir.parts import AggCall
from tidewheel.ir.rel import Aggregate, Filter, Project, Rel, Unnest
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lit, Scalar, columns, conjunction
from tidewheel.ir.typing import type_of, types_of
from tidewheel.sql.bind.exprs import Exprs
from tidewheel.sql.bind.found import Found
from tidewheel.sql.bind.scope import AGGREGATE, Entry, Scope, Source, named, placeholder_number
from tidewheel.sql.bind.text import NotBoundError
from tidewheel.types import to_sql


class FromClause(Protocol):
    """The FROM clause around a pivot."""

    @property
    def outer(self) -> Scope | None:
        """The scope of the query around it."""

    def exprs(self, scope: Scope, found: Found, clause: str) -> Exprs:
        """Binds expressions over some columns."""


def bind_pivot(sources: FromClause, source: Source, node: exp.Expr) -> tuple[Rel, tuple[Entry, ...]]:
    """What a source becomes, and its columns."""
    if len(node.args.get("fields") or ()) != 1:
        raise NotBoundError("pivot", "PIVOT with several FOR clauses")
    rel, names = (_unpivot if node.args.get("unpivot") else _pivot)(sources, source, node)
    alias = node.args.get("alias")
    qualifier = alias.name if alias is not None else None
    return rel, tuple(named(names, qualifier))


def _pivot(sources: FromClause, source: Source, node: exp.Expr) -> tuple[Rel, list[str]]:
    """PIVOT (sum(x) FOR c IN (1, 2)): groups of all other columns, one filtered aggregate for each value.

    A value that a group lacks gives NULL, for count() too: Spark pivots groups that exist.
    """
    found = Found()
    scope = Scope(list(source.entries), sources.outer, types=types_of(source.rel))
    exprs = sources.exprs(scope, found, "PIVOT")
    exprs.aggregates = True
    field = node.args["fields"][0]
    if not isinstance(field, exp.In) or not isinstance(field.this, exp.Column):
        raise NotBoundError("pivot", "PIVOT over several columns")
    chosen = exprs.bind(field.this)
    calls, names = [], []
    for item in node.expressions:
        number = placeholder_number(exprs.bind(item.unalias()), AGGREGATE)
        if number is None:
            raise NotBoundError("pivot", "an expression over aggregates in PIVOT")
        calls.append(found.aggregates[number])
        names.append(item.alias or (item.sql(dialect="spark").lower() if len(node.expressions) > 1 else ""))
    used = columns(chosen) | {c for call in calls for s in call.scalars for c in columns(s)}
    keys = [e for e in source.entries if e.in_star and e.index not in used]
    filtered: list[AggCall] = []
    values: list[Scalar] = []
    labels: list[str] = []
    for value_node in field.expressions:
        value = exprs.bind(value_node.this if isinstance(value_node, exp.PivotAlias) else value_node.unalias())
        kinds = [exprs.checks.visit(s, value_node) for s in (chosen, value)]
        exprs.checks.comparable(kinds, "the column and the values of PIVOT", value_node)
        label = value_node.alias or _label(value)
        test = Call("<=>", (chosen, value))
        filtered.append(AggCall(name="count", where=test))
        present = Col(len(keys) + len(filtered) - 1)
        for call, name in zip(calls, names, strict=True):
            where = test if call.where is None else conjunction([test, call.where])
            filtered.append(AggCall(
                name=call.name, args=call.args, distinct=call.distinct, where=where, order=call.order,
                ignore_nulls=call.ignore_nulls,
            ))  # fmt: skip
            result = Col(len(keys) + len(filtered) - 1)
            values.append(Case(((Call(">", (present, Lit("int", "0"))), result),)))
            labels.append(f"{label}_{name}" if len(calls) > 1 else label)
    grouped = Aggregate(input=source.rel, keys=tuple(Col(e.index) for e in keys), calls=tuple(filtered))
    exprs_out = (*(Col(i) for i in range(len(keys))), *values)
    return Project(input=grouped, exprs=exprs_out), [*(e.name for e in keys), *labels]


def _label(value: Scalar) -> str:
    if isinstance(value, Lit) and value.kind in {"string", "int", "tinyint", "smallint", "bigint", "date"}:
        return value.value
    raise NotBoundError("pivot", "a pivot value without a name")


def _unpivot(sources: FromClause, source: Source, node: exp.Expr) -> tuple[Rel, list[str]]:
    """UNPIVOT (v FOR n IN (a, b)): the other columns, a name and a value for each column that is not NULL."""
    scope = Scope(list(source.entries), sources.outer, types=types_of(source.rel))
    exprs = sources.exprs(scope, Found(), "UNPIVOT")
    field = node.args["fields"][0]
    if len(node.expressions) != 1 or not isinstance(field, exp.In):
        raise NotBoundError("pivot", "UNPIVOT of several columns at once")
    value_name, label_name = node.expressions[0].name, field.this.name
    cells: list[Scalar] = []
    used: set[int] = set()
    for item in field.expressions:
        inner = item.this if isinstance(item, exp.PivotAlias) else item.unalias()
        if not isinstance(inner, exp.Column):
            raise NotBoundError("pivot", "UNPIVOT of an expression")
        value = exprs.bind(inner)
        used |= columns(value)
        cells += [Lit("string", item.alias or inner.name), value]
    exprs.checks.common([exprs.checks.visit(c, node) for c in cells[1::2]], "the columns of UNPIVOT", node)
    cells[1::2] = _of_one_type(cells[1::2], source.rel)
    kept = [e for e in source.entries if e.in_star and e.index not in used]
    rows = Lit("int", str(len(cells) // 2))
    stacked = Unnest(input=source.rel, generator="stack", args=(rows, *cells), arity=2)
    label, value = Col(source.rel.width), Col(source.rel.width + 1)
    nulls = node.args.get("include_nulls")
    rel: Rel = stacked if nulls else Filter(input=stacked, predicate=Call("isnotnull", (value,)))
    exprs_out = (*(Col(e.index) for e in kept), label, value)
    return Project(input=rel, exprs=exprs_out), [*(e.name for e in kept), label_name, value_name]


def _of_one_type(values: Sequence[Scalar], rel: Rel) -> Sequence[Scalar]:
    """The values cast to the type they have in common: stack() takes no others."""
    kinds = [type_of(v, types_of(rel)) for v in values]
    if len(set(kinds)) == 1:
        return values
    common = common_of(kinds)
    if common is None or not all(is_numeric(k) for k in kinds):
        raise NotBoundError("pivot", "UNPIVOT of columns of different types, unless they are numbers")
    return [v if k == common else Cast(v, to_sql(common)) for v, k in zip(values, kinds, strict=True)]

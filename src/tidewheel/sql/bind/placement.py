"""Subqueries, and columns of the query around, where Spark does not let them stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from tidewheel.ir.scalar import Scalar, walk
from tidewheel.sql.bind.correlation import is_correlated
from tidewheel.sql.bind.found import Found, Subquery
from tidewheel.sql.bind.grouping import Grouping
from tidewheel.sql.bind.scope import AGGREGATE, OUTER, SUBQUERY, WINDOW, Scope, mentions, placeholder_number
from tidewheel.sql.bind.text import SqlText


def check_uncorrelated(text: SqlText, subqueries: Sequence[Subquery], scope: Scope, clause: str) -> None:
    """A value for each row is computed where rows are filtered or selected, not where they are joined or sorted."""
    for subquery in subqueries:
        if _is_value_of_row(subquery, scope):
            raise text.error(
                f"a subquery in {clause} cannot read the columns of the query around it",
                subquery.node,
                code="misplaced-subquery",
                hint="Compute it as a column of a subquery in FROM.",
            )


def check_sorted(text: SqlText, subqueries: Sequence[Subquery], scope: Scope) -> None:
    """ORDER BY takes a subquery's value only, and one value for all rows."""
    check_uncorrelated(text, subqueries, scope, "ORDER BY")
    for subquery in subqueries:
        if subquery.kind != "scalar":
            raise text.error(
                "EXISTS and IN with a subquery cannot stand in ORDER BY",
                subquery.node,
                code="misplaced-subquery",
                hint="Select it, and order by its name.",
            )


def check_grouped(grouping: Grouping, items: Sequence[tuple[Scalar, exp.Expr]]) -> None:
    """The keys and the select list of a grouped query."""
    found, scope, text = grouping.exprs.found, grouping.exprs.scope, grouping.exprs.text
    for value, node in zip(grouping.keys, grouping.nodes, strict=True):
        if mentions(value, OUTER):
            raise _outer(text, node)
    grouped = any(mentions(k, SUBQUERY) for k in grouping.keys)
    for value, node in items:
        if mentions(value, WINDOW):
            continue
        if _reads_outer(value, found):
            raise _outer(text, node)
        if not grouped and any(_is_value_of_row(found.subqueries[n], scope) for n in _numbers(value, SUBQUERY)):
            raise text.error(
                "a subquery that reads the grouped query is neither grouped nor aggregated",
                node,
                code="not-grouped",
                hint="Compute it in a query around this one.",
            )


def _outer(text: SqlText, node: exp.Expr) -> Exception:
    return text.error(
        "a grouped subquery cannot select or group by a column of the query around it",
        node,
        code="unknown-column",
        detail="It sees such columns in WHERE and HAVING.",
        hint="Use the column outside the subquery.",
    )


def _reads_outer(value: Scalar, found: Found) -> bool:
    """Where an alias is used beside its definition, Spark selects in two steps; the second may read anything."""
    if mentions(value, OUTER) and not found.lateral:
        return True
    return any(mentions(s, OUTER) for n in _numbers(value, AGGREGATE) for s in found.aggregates[n].scalars)


def _is_value_of_row(subquery: Subquery, scope: Scope) -> bool:
    return subquery.kind == "scalar" and is_correlated(subquery.query.rel, scope.id)


def _numbers(value: Scalar, kind: str) -> Iterator[int]:
    return (n for s in walk(value) if (n := placeholder_number(s, kind)) is not None)

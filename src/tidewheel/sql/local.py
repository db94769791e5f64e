"""What the local engine may run: constructs and functions on which DuckDB and Spark were shown to agree.

Each name has a case in tests/spark/test_local_functions.py that runs on both. Anything else is refused by name:
the two differ in cast(1.5 as int), upper of a German sharp s, concat with NULL,
log(10), dayofweek, avg of decimals and more.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from tidewheel.errors import UserError
from tidewheel.sql.text import escape_quotes

FUNCTIONS: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Count, exp.Sum, exp.Min, exp.Max, exp.Coalesce, exp.Abs, exp.Length,
        exp.Case, exp.If, exp.Nullif, exp.Greatest, exp.Least, exp.RowNumber, exp.Rank, exp.DenseRank,
        exp.Lag, exp.Lead, exp.And, exp.Or, exp.Exists, exp.Any, exp.Cast,
    }
)  # fmt: skip
CASTS = frozenset({"DATE", "DOUBLE"})
REFUSED = (
    exp.Cube,
    exp.Rollup,
    exp.Lateral,
    exp.Pivot,
    exp.Div,
    exp.IntDiv,
    exp.Mod,
    exp.Like,
    exp.ILike,
    exp.RegexpLike,
)


def to_duckdb(sql: str, relation: str | None) -> str:
    """The text in DuckDB's dialect, if all of it is on the list."""
    tree = sqlglot.parse_one(escape_quotes(sql), read="spark").transform(_strict_cast)
    for node in tree.walk():
        refused = isinstance(node, REFUSED)
        unknown = isinstance(node, exp.Func) and type(node) not in FUNCTIONS
        narrowing = isinstance(node, exp.Cast) and node.to.this.name not in CASTS
        if refused or unknown or narrowing:
            raise UserError(
                f"the local engine does not run {_name(node)}",
                code="not-local",
                relation=relation,
                detail="It runs only what was shown to give the same answers as Spark.",
                hint="Use the Spark engine: leave out `engine: local`.",
            )
    return tree.sql(dialect="duckdb")


def _strict_cast(node: exp.Expr) -> exp.Expr:
    """Sqlglot takes CAST for the lenient kind; under ANSI, which a project has by default, it raises."""
    if isinstance(node, exp.TryCast) and not node.args.get("safe"):
        return exp.Cast(this=node.this, to=node.to)
    return node


def _name(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return f"{node.name}()"
    return node.sql_name() + "()" if isinstance(node, exp.Func) else node.key.upper()

"""Writes docs/sql-support.md: what becomes of each construct is asked of the binder, so the page cannot be wrong.

    python -m tests.sql_support

The constructs stand in tests/sql_support.txt: `## theme`, then lines `construct: example`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.golden.test_bind import CATALOG
from tidewheel.delta.change import Kind
from tidewheel.errors import TidewheelError
from tidewheel.ir.norm import normalize
from tidewheel.ir.props import clock_of
from tidewheel.ir.rel import Opaque
from tidewheel.ir.tree import relations
from tidewheel.optimize.maintenance import changes, upkeep_of
from tidewheel.sql.bind import SqlText, bind_view
from tidewheel.sql.text import find_moving, tokenize

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "sql-support.md"
CONSTRUCTS = HERE / "sql_support.txt"
TEMPLATE = HERE / "sql_support.md"
REASONS: Final = {
    "aggregate-of-nothing": "A correlated subquery with an aggregate whose value over no rows is not known.",
    "cast-type": "A cast to a type that is not known.",
    "collation": "`COLLATE`.",
    "declared-function": "A function of your own, declared under `functions:` in `tidewheel.yml`.",
    "generator": "A function that makes rows, whose columns are not known before it runs, or which stands beside"
    " aggregates or window functions.",
    "group-option": "A `GROUP BY` with an option that is not known.",
    "grouping-id": "`grouping_id()` of some of the keys, or in another order than theirs.",
    "grouping-sets": "More than 4,096 grouping sets.",
    "identifier": "A name that is computed, by `IDENTIFIER()`.",
    "interval": "An interval that is not one constant with one unit or range of units.",
    "join-kind": "A kind of join that is not known.",
    "join-option": "A join with an option that is not known.",
    "lateral-join": "A `LATERAL` join other than inner and left, or a generator joined with a condition.",
    "limit-expression": "`LIMIT` or `OFFSET` of an expression.",
    "long-number": "A number of more than 38 digits.",
    "named-arguments": "Arguments by name, or a function whose result has the names of its arguments (`arrays_zip`).",
    "nested-subquery": "A subquery in the operand of `IN (SELECT ...)`.",
    "nested-window": "A window function over another one.",
    "no-total-order": "A limit or a window function whose order cannot be made total: a `MAP` has no order, a `RANGE`"
    " frame with bounds has one sort key only, a window may have neither a partition nor an order to complete.",
    "order-by-distinct": "`SELECT DISTINCT` with a limit, ordered by an expression over what is selected.",
    "ordered-argument": "An aggregate with `ORDER BY` among its arguments.",
    "outer-aggregate": "An aggregate of the outer query inside of a subquery.",
    "pipe-syntax": "The pipe operator `|>`.",
    "pivot": "`PIVOT` or `UNPIVOT` of several columns at once or of expressions.",
    "recursive-cte": "A recursive query.",
    "select-option": "A part of `SELECT` that is not known.",
    "session-settings": "Not in the query: the project switches ANSI mode off, or changes what decimals lose.",
    "set-operation-option": "A set operation with an option that is not known.",
    "star-except-field": "`* EXCEPT` of a field, or of a column with its table.",
    "string-literal": "A string that the parser does not read as Spark does.",
    "struct-star": "The star of something that is not known to be a struct.",
    "subquery-in-on": "A subquery in the `ON` of an outer or a lateral join.",
    "subquery-in-order": "A subquery in the `ORDER BY` of a set operation.",
    "subquery-in-window": "A subquery in a window function.",
    "table-function": "A function in `FROM` that does not make rows of its arguments, such as `range()`.",
    "table-option": "A table with an option, such as a sample or a version.",
    "too-deep": "A query that is nested too deeply.",
    "tuple-in-as-value": "`IN` with several columns that is not a filter of its own.",
    "time-window": "`window()` of another length than a fixed one, with overlaps or of anything but a `TIMESTAMP`, two"
    " of them in a `SELECT`, `session_window()`, `window_time()`.",
    "transform": "`TRANSFORM` with a script.",
    "unknown-expression": "An expression that is not known.",
    "unsigned-shift": "The operator `>>>`.",
    "unknown-relation-kind": "Something in `FROM` that is not known.",
    "unknown-statement": "A query that is not a `SELECT`, `VALUES` or set operation.",
    "variant-path": "A path into a `VARIANT`: `v:a.b`.",
    "window-frame": "A window frame other than `ROWS` and `RANGE` with constant bounds.",
}  # fmt: skip
"""Why a query is recomputed; every reason that the binder can give."""


def outcome(sql: str) -> str:
    """What becomes of a query, in a word or two."""
    if find_moving(tokenize(sql)):
        return "refused: [non-deterministic](errors.md#non-deterministic)"
    try:
        bound = bind_view(SqlText(sql=sql), CATALOG)
    except TidewheelError as error:
        return f"refused: [{error.code}](errors.md#{error.code})"
    if isinstance(bound.query.rel, Opaque):
        return f"recomputed: [{bound.query.rel.reason}](#reasons-for-recomputing)"
    return "bound" if bound.sql == sql else "bound, [completed](#orders-that-are-completed)"


def upkeep(sql: str) -> str:
    """By which method a view of this query is maintained when rows only come, and when rows come and go."""
    try:
        query = normalize(bind_view(SqlText(sql=sql), CATALOG).query)
    except TidewheelError:
        return "|"
    if find_moving(tokenize(sql)) or isinstance(query.rel, Opaque):
        return "full | full" if isinstance(query.rel, Opaque) else "|"
    if clock_of(query.rel) != "none":
        return "full | full"
    names = [name.lower() for name in relations(query.rel)]
    if not names:
        return "none | none"
    kept = upkeep_of(query.rel, query.names)
    if not all(stored.can_be_changed for stored in kept.stored):
        return "full | full"
    states = f", {len(kept.states)} {'state' if len(kept.states) == 1 else 'states'}" if kept.states else ""
    kinds: tuple[Kind, Kind] = ("append", "mixed")
    methods = [changes(kept, dict.fromkeys(names, kind))[0][-1].method for kind in kinds]
    return f"{methods[0]} | {methods[1]}{states}"


def code(text: str) -> str:
    """Text as code in a cell of a table."""
    fence = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")


def tables() -> Iterator[str]:
    """A table for each theme."""
    for block in CONSTRUCTS.read_text("utf-8").strip().split("\n\n"):
        title, *lines = block.splitlines()
        yield f"{title}\n\n| Construct | Example | | Inserts | Deletes, updates |\n|---|---|---|---|---|"
        for name, _, sql in (line.partition(": ") for line in lines):
            yield f"| {name} | {code(sql)} | {outcome(sql)} | {upkeep(sql)} |"
        yield ""


def completions() -> Iterator[str]:
    yield "| As written | As it runs |\n|---|---|"
    for sql in (
        "SELECT a, b, s FROM t ORDER BY b DESC LIMIT 3",
        "SELECT a, row_number() OVER (PARTITION BY a ORDER BY b) AS n FROM t",
        "SELECT sum(b) OVER (ORDER BY a ROWS 2 PRECEDING) AS x FROM t",
        "SELECT a, s, ntile(4) OVER (ORDER BY sum(b)) AS q FROM t GROUP BY a, s",
    ):
        yield f"| {code(sql)} | {code(bind_view(SqlText(sql=sql), CATALOG).sql)} |"


def reasons() -> Iterator[str]:
    yield "| Code | What is in the query |\n|---|---|"
    yield from (f"| `{name}` | {text.replace('|', chr(92) + '|')} |" for name, text in sorted(REASONS.items()))


def schemas() -> Iterator[str]:
    yield "| Table | Columns |\n|---|---|"
    for relation in CATALOG.values():
        key = f"; key {', '.join(itertools.chain(*relation.keys))}" if relation.keys else ""
        yield f"| `{relation.name}` | {code(', '.join(map(str, relation.columns)))}{key} |"


def render() -> str:
    text = TEMPLATE.read_text("utf-8")
    for name, part in {"tables": tables, "completions": completions, "reasons": reasons, "schemas": schemas}.items():
        text = text.replace(f"<!-- {name} -->", "\n".join(part()).strip())
    return text


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")

"""Orders that leave ties, completed: the answer of row_number() must not hang on chance.

The tie-breakers go into the plan and, as text, into the query that Spark runs: both then mean the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlglot import parse_one
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import TokenType

from tidewheel.errors import TidewheelError
from tidewheel.ir.parts import SortKey
from tidewheel.ir.rel import Rel
from tidewheel.ir.scalar import Col, Scalar
from tidewheel.names import quote
from tidewheel.sql.bind.environment import Environment
from tidewheel.sql.bind.found import Found, WindowSpec
from tidewheel.sql.bind.orders import check_orderable, is_total
from tidewheel.sql.bind.scope import Scope
from tidewheel.sql.bind.text import NotBoundError, SqlText
from tidewheel.sql.bind.windows import depends_on_ties
from tidewheel.sql.dialect import PlainSpark

if TYPE_CHECKING:
    from tidewheel.sql.bind.grouping import Grouping

_FRAME: Final = frozenset({TokenType.ROWS, TokenType.RANGE})


def complete_window(
    env: Environment, rel: Rel, spec: WindowSpec, partition: Sequence[Scalar], order: tuple[SortKey, ...],
    scope: Scope, grouping: Grouping | None,
) -> tuple[SortKey, ...]:  # fmt: skip
    """The order of a window, total if the function can tell equals apart."""
    given = {k.expr for k in order}
    if not depends_on_ties(spec) or is_total(rel, given, partition):
        return order
    if grouping is None:
        entries = [e for e in scope.star() if Col(e.index) not in given and Col(e.index) not in partition]
        columns = [e.index for e in entries]
        texts = [f"{quote(e.qualifier)}.{quote(e.name)}" if e.qualifier else quote(e.name) for e in entries]
    else:
        columns = [i for i in range(len(grouping.keys)) if Col(i) not in given and Col(i) not in partition]
        texts = [_key_text(grouping, i) for i in columns]
        if grouping.sets is not None:
            columns.append(len(grouping.keys))
            texts.append("grouping_id()")
    if not columns:
        return order
    if (
        spec.frame is not None
        and spec.frame[0] == "range"
        and any(b is not None and b.value != "0" for b in spec.frame[1:])
    ):
        raise NotBoundError(
            "no-total-order", "a function that tells equals apart, in a RANGE frame, which has one order"
        )
    check_orderable(rel, columns)
    env.note("a window's order with ties: the other columns decide among equals")
    _insert(env, spec, ", ".join(texts), ordered=bool(order))
    return (*order, *(SortKey(expr=Col(i)) for i in columns))


def _key_text(grouping: Grouping, position: int) -> str:
    """A grouping key as the window's order repeats it: Spark must see that it is the key, and so must we."""
    text = grouping.nodes[position].sql(dialect=PlainSpark)
    exprs = replace(grouping.exprs, text=SqlText(sql=text), found=Found(), aliases={})
    try:
        again = exprs.bind(parse_one(text, dialect=PlainSpark))
    except (NotBoundError, TidewheelError, ParseError):
        again = None
    if again != grouping.keys[position]:
        raise NotBoundError("no-total-order", "a window over groups, whose order cannot be completed")
    return text


def _insert(env: Environment, spec: WindowSpec, texts: str, *, ordered: bool) -> None:
    over = spec.node
    parts = [*(over.args.get("partition_by") or ())]
    clause = over.args.get("order")
    if clause is not None:
        parts += clause.expressions
    if not parts:
        raise NotBoundError("no-total-order", "a window function over rows in no order")
    last = max(env.text.range(p)[1] for p in parts)
    position = _end_of_item(env, last)
    env.text.insert(position, f", {texts} " if ordered else f" ORDER BY {texts} ")


def _end_of_item(env: Environment, last: int) -> int:
    """Where the frame begins or OVER ends, from the last position known in it; calls in it may still be open."""
    tokens = env.text.tokens
    before = [t for t in tokens if t.start <= last]
    opened = 0
    for token in reversed(before):  # parentheses opened since the OVER clause began
        if token.token_type == TokenType.OVER:
            opened -= 1
            break
        opened += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
    depth = max(opened, 0)
    for token in tokens[len(before) :]:
        if depth == 0 and (token.token_type in _FRAME or token.token_type == TokenType.R_PAREN):
            return int(token.start)
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
    return len(env.text.sql)

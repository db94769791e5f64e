"""Scalars as SQL text: one walk for all dialects, without recursion."""

from __future__ import annotations

from collections.abc import Sequence

from tidewheel.ir.parts import SortKey
from tidewheel.ir.scalar import Call, Case, Cast, Col, Lambda, Lit, Param, Scalar, children
from tidewheel.sql.unparse.dialect import Dialect, SortText
from tidewheel.sql.unparse.texts import Text


def write(dialect: Dialect, scalar: Scalar, columns: Sequence[Text]) -> Text:
    """The scalar over columns that are written so."""
    todo: list[tuple[Scalar, bool]] = [(scalar, False)]
    done: list[Text] = []
    while todo:
        node, ready = todo.pop()
        below = children(node)
        if below and not ready:
            todo.append((node, True))
            todo.extend((child, False) for child in reversed(below))
            continue
        inner = done[len(done) - len(below) :]
        del done[len(done) - len(below) :]
        done.append(_node(dialect, node, inner, columns))
        if isinstance(node, Col) and node is not scalar:
            done[-1] = _column(done[-1])
    (text,) = done
    return text


def _column(column: Text) -> Text:
    """A column inside an expression. Spark types `price * 2` by the digit, but with a column of twos by its type."""
    if column.literal is None:
        return column
    return Text(sql=f"CAST({column.sql} AS {column.literal})", type=column.type, constant=True)


def _node(dialect: Dialect, node: Scalar, below: list[Text], columns: Sequence[Text]) -> Text:
    match node:
        case Col(index):
            return columns[index]
        case Lit():
            return dialect.literal(node)
        case Call():
            return dialect.call(node, below)
        case Cast(_, to, lenient):
            return dialect.cast(below[0], to, lenient=lenient)
        case Case(branches, otherwise):
            pairs = [(below[2 * i], below[2 * i + 1]) for i in range(len(branches))]
            return dialect.case(pairs, None if otherwise is None else below[-1])
        case Param(number):
            return Text(sql=f"x{number}", constant=True, stable=False)
        case Lambda(params):
            return dialect.function_value([f"x{p.number}" for p in params], below[0])


def write_order(dialect: Dialect, order: Sequence[SortKey], columns: Sequence[Text]) -> list[SortText]:
    return [SortText(write(dialect, k.expr, columns), k.descending, k.nulls_first) for k in order]

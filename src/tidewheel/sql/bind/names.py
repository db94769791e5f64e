"""Names: columns, aliases and fields of structs; and stars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from tidewheel.errors import did_you_mean
from tidewheel.ir.scalar import Call, Col, Lit, Scalar
from tidewheel.sql.bind.context import Context, only
from tidewheel.sql.bind.scope import AGGREGATE, WINDOW, Entry, mentions, outer_column
from tidewheel.sql.bind.text import NotBoundError
from tidewheel.types import UNKNOWN, DataType, Struct

CLOCK_WORDS: Final = frozenset({"current_date", "current_timestamp", "localtimestamp", "current_time", "current_user"})


def column(exprs: Context, node: exp.Expr) -> Scalar:
    parts = [p.name for p in node.parts] if isinstance(node, exp.Column) else [node.name]
    if isinstance(node.this, exp.Star):
        return star(exprs, node)
    if len(parts) == 1 and re.fullmatch(r"[\d.]+BD", parts[0], re.IGNORECASE) and not node.this.quoted:
        return Lit("decimal", parts[0][:-2])
    for level in reversed(exprs.params):
        if parts[0].lower() in level:
            return _fields(level[parts[0].lower()], parts[1:])
    return resolved(exprs, parts, node)


def star(exprs: Context, node: exp.Expr) -> Scalar:
    raise exprs.text.error("a star cannot stand here", node, code="misplaced-star", hint="Name the column.")


def identifier(exprs: Context, node: exp.Expr) -> Scalar:
    for level in reversed(exprs.params):
        if node.name.lower() in level:
            return level[node.name.lower()]
    return resolved(exprs, [node.name], node)


def dot(exprs: Context, node: exp.Expr) -> Scalar:
    if isinstance(node.expression, exp.Identifier):
        return _fields(exprs.bind(node.this), [node.expression.name])
    raise NotBoundError("unknown-expression", "a name in several parts")


def resolved(exprs: Context, parts: Sequence[str], node: exp.Expr) -> Scalar:
    alias = exprs.aliases.get(parts[0].lower())
    if exprs.aliases_first and alias is not None:
        return _fields(alias, parts[1:])
    found = exprs.scope.find(parts)
    if found:
        entry, rest = _one(exprs, found, parts, node)
        exprs.found.seen.append((entry.index, node))
        return _fields(Col(entry.index), rest, exprs.types[entry.index] if entry.index < len(exprs.types) else UNKNOWN)
    if alias is not None:
        return _lateral(exprs, alias, parts, node)
    outer = exprs.scope.outer
    if outer is not None and (found := outer.find(parts)):
        entry, rest = _one(exprs, found, parts, node)
        outer.seen.append((entry.index, node))
        return _fields(outer_column(outer, entry.index), rest)
    if len(parts) == 1 and parts[0].lower() in CLOCK_WORDS:
        return Call(parts[0].lower())
    if outer is not None and outer.outer is not None and outer.outer.find(parts):
        raise exprs.text.error(
            f'column "{".".join(parts)}" is two queries further out',
            node,
            code="unknown-column",
            detail="A subquery sees the columns of the query around it, not of those around that.",
        )
    raise _unknown(exprs, parts, node)


def _lateral(exprs: Context, alias: Scalar, parts: Sequence[str], node: exp.Expr) -> Scalar:
    if parts[0].lower() in exprs.repeated:
        raise exprs.text.error(
            f'column "{parts[0]}" is ambiguous',
            node,
            code="ambiguous-column",
            detail="Several columns are named so.",
        )
    if exprs.inside == "aggregate" and (mentions(alias, AGGREGATE) or mentions(alias, WINDOW)):
        raise exprs.text.error(
            f'"{parts[0]}" is an aggregate and cannot be aggregated again', node, code="nested-aggregate"
        )
    exprs.found.lateral = exprs.found.lateral or exprs.clause == "SELECT"
    return _fields(alias, parts[1:])


def _one(
    exprs: Context, found: Sequence[tuple[Entry, Sequence[str]]], parts: Sequence[str], node: exp.Expr
) -> tuple[Entry, Sequence[str]]:
    if len(found) > 1:
        owners = [f"{e.qualifier}.{e.name}" if e.qualifier else e.name for e, _ in found]
        several = len({o.lower() for o in owners}) > 1
        raise exprs.text.error(
            f'column "{".".join(parts)}" is ambiguous',
            node,
            code="ambiguous-column",
            detail=f"It may be {' or '.join(owners)}." if several else f"There are {len(found)} of this name.",
            hint="Put the table's name or alias before it." if several else "Give each a name of its own.",
        )
    return found[0]


def _unknown(exprs: Context, parts: Sequence[str], node: exp.Expr) -> Exception:
    if len(parts) > 1 and not exprs.scope.has_qualifier(parts[0]):
        return _no_table(exprs, parts[0], node)
    known = [e.name for e in exprs.scope.entries]
    name = parts[-1] if len(parts) > 1 else parts[0]
    return exprs.text.error(
        f'column "{".".join(parts)}" does not exist', node, code="unknown-column", hint=did_you_mean(name, known)
    )


def _no_table(exprs: Context, name: str, node: exp.Expr) -> Exception:
    known = sorted({e.qualifier for e in exprs.scope.entries if e.qualifier})
    return exprs.text.error(
        f'table "{name}" is not in the FROM clause', node, code="unknown-column", hint=did_you_mean(name, known)
    )


def is_star(node: exp.Expr) -> bool:
    """`*` or `t.*`."""
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def starred(exprs: Context, star: exp.Expr) -> list[tuple[str, Scalar]]:
    """The columns of `*`, `t.*` or the fields of a struct `s.*`, without those it excepts."""
    qualifier = star.args["table"].name if isinstance(star, exp.Column) else None
    found: list[tuple[str, Scalar]] = [(e.name, Col(e.index)) for e in exprs.scope.star(qualifier)]
    exprs.found.seen += [(e.index, star) for e in exprs.scope.star(qualifier)]
    if qualifier is not None and not found:
        found = _struct_star(exprs, qualifier, star)
    inner = star.this if isinstance(star, exp.Column) else star
    only(inner, "except_", "except")
    for excepted in inner.args.get("except_") or inner.args.get("except") or []:
        if isinstance(excepted, exp.Column) and excepted.table:
            raise NotBoundError("star-except-field", "EXCEPT of a column with its table or of a field")
        name = excepted.name.lower()
        if not any(n.lower() == name for n, _ in found):
            raise exprs.text.error(f'column "{excepted.name}" does not exist', excepted, code="unknown-column")
        found = [(n, v) for n, v in found if n.lower() != name]
    return found


def _struct_star(exprs: Context, name: str, star: exp.Expr) -> list[tuple[str, Scalar]]:
    columns = exprs.scope.find([name])
    if not columns:
        raise _no_table(exprs, name, star)
    entry, _ = _one(exprs, columns, [name], star)
    kind = exprs.types[entry.index] if entry.index < len(exprs.types) else UNKNOWN
    if not isinstance(kind, Struct):
        raise NotBoundError("struct-star", f"{name}.* of something that is not known to be a struct")
    return [(f.name, _fields(Col(entry.index), [f.name])) for f in kind.fields]


def _fields(value: Scalar, fields: Sequence[str], kind: DataType = UNKNOWN) -> Scalar:
    """Fields of a struct, named as its type names them where that is known; a map's keys tell case apart."""
    for name in fields:
        known = kind.fields if isinstance(kind, Struct) else ()
        field_ = next((f for f in known if f.name.lower() == name.lower()), None)
        kind = UNKNOWN if field_ is None else field_.type
        value = Call("get_field", (value, Lit("string", name if field_ is None else field_.name)))
    return value

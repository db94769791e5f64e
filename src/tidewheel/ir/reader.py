"""The canonical text of scalars and their kin, read back.

Infix calls always stand in parentheses, so nothing has a precedence, and the text of a plan is cheap to read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Final, NoReturn, TypeVar, cast

from tidewheel.ddl import parse_schema
from tidewheel.errors import InternalError
from tidewheel.ir.forms import NOW, Delta, Form, Snapshot
from tidewheel.ir.parts import AggCall, Column, Frame, JoinKey, KeyKind, SortKey, WindowCall
from tidewheel.ir.scalar import FALSE, INFIX, NULL, TRUE, Call, Case, Cast, Col, Lambda, Lit, Param, Scalar

T = TypeVar("T")
_TOKEN: Final = re.compile(
    r"\s*('(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|-?\d+\.(?!\w)|-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?(?:BD|[YSLDF])?\b"
    r"|\w+|<=>|<=|>=|<>|\|\||[-+*/%&|^=<>(),:.\[\]])"
)
_NUMBER: Final = re.compile(r"(-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)(BD|[YSLDF])?")
_KINDS: Final = {"Y": "tinyint", "S": "smallint", "L": "bigint", "F": "float", "D": "double", "BD": "decimal"}
_UNESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
_CONSTANTS: Final = {"NULL": NULL, "TRUE": TRUE, "FALSE": FALSE}


@functools.lru_cache(maxsize=4096)
def parse_scalar(text: str) -> Scalar:
    """The scalar that has this canonical text."""
    reader = Reader(text)
    scalar = reader.scalar()
    reader.end()
    return scalar


class Reader:
    """The tokens of one line."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.tokens = _TOKEN.findall(line)
        self.at = 0

    def fail(self, what: str) -> NoReturn:
        raise InternalError(f"a plan's text cannot be read: {what}", code="bad-plan-text", detail=self.line)

    def peek(self, ahead: int = 0) -> str:
        position = self.at + ahead
        return self.tokens[position] if position < len(self.tokens) else ""

    def more(self) -> bool:
        return self.at < len(self.tokens)

    def word(self) -> str:
        token = self.peek()
        self.at += 1
        return token or self.fail("it ends too early")

    def accept(self, token: str) -> bool:
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.accept(token):
            self.fail(f'expected "{token}", found "{self.peek()}"')

    def end(self) -> None:
        if self.more():
            self.fail(f'"{self.peek()}" is left over')

    def number(self) -> int:
        return int(self.word())

    def name(self) -> str:
        token = self.word()
        return token[1:-1].replace("``", "`") if token[0] == "`" else token

    def list_of(self, one: Callable[[], T]) -> list[T]:
        found = [one()]
        while self.accept(","):
            found.append(one())
        return found

    def listed(self, one: Callable[[], T]) -> list[T]:
        """A list in parentheses, which may be empty."""
        self.expect("(")
        found = [] if self.peek() == ")" else self.list_of(one)
        self.expect(")")
        return found

    def source_until(self, token: str) -> str:
        """Tokens up to one, as they are written in codes such as `no-total-order`."""
        found = []
        while self.peek() != token:
            found.append(self.word())
        self.expect(token)
        return "".join(found)

    def schema(self) -> tuple[Column, ...]:
        self.expect("(")
        body = self._nested()
        fields = parse_schema(body, unknown=True) if body else ()
        return tuple(Column(f.name, f.type, f.nullable) for f in fields)

    def _nested(self) -> str:
        """The tokens up to the parenthesis that closes, with spaces between: what a type is written in."""
        depth, found = 1, []
        while depth:
            token = self.word()
            depth += (token == "(") - (token == ")")
            found.append(token)
        return " ".join(found[:-1])

    def scalar(self) -> Scalar:
        token = self.word()
        first = token[0]
        if first == "(":
            return self._infix()
        if first == "'":
            return Lit("string", unquote(token))
        if first.isdigit() or (first == "-" and len(token) > 1):
            return _number(token)
        following = self.peek()
        if following == "(":
            return self._call(token)
        if token == "CASE":
            return self._case()
        if following[:1] == "'" and (special := self._typed(token)) is not None:
            return special
        if first == "c" and token[1:].isdigit():
            return Col(int(token[1:]))
        if first == "x" and token[1:].isdigit():
            return Param(int(token[1:]))
        return _CONSTANTS.get(token) or Lit("word", token)

    def _infix(self) -> Scalar:
        args = [self.scalar()]
        operator = self.peek()
        while self.accept(operator):
            args.append(self.scalar())
        if operator not in INFIX:
            self.fail(f'"{operator}" is no operator')
        self.expect(")")
        return Call(operator, tuple(args))

    def _call(self, name: str) -> Scalar:
        if name in {"CAST", "TRY_CAST"}:
            self.expect("(")
            arg = self.scalar()
            self.expect("AS")
            return Cast(arg, _tight(self._nested()), lenient=name == "TRY_CAST")
        if name == "lambda":
            self.expect("(")
            params = tuple(Param(int(w[1:])) for w in self.list_of(self.word))
            self.expect(":")
            body = self.scalar()
            self.expect(")")
            return Lambda(params, body)
        return Call(name, tuple(self.listed(self.scalar)))

    def _case(self) -> Scalar:
        branches = []
        while self.accept("WHEN"):
            condition = self.scalar()
            self.expect("THEN")
            branches.append((condition, self.scalar()))
        otherwise = self.scalar() if self.accept("ELSE") else None
        self.expect("END")
        return Case(tuple(branches), otherwise)

    def _typed(self, word: str) -> Lit | None:
        match word:
            case "X":
                return Lit("binary", self.word()[1:-1])
            case "DATE" | "TIMESTAMP" | "TIMESTAMP_NTZ":
                return Lit(word.lower(), unquote(self.word()))
            case "INTERVAL":
                parts = [self.word(), self.word()]
                if self.accept("TO"):
                    parts += ["TO", self.word()]
                return Lit("interval", " ".join(parts))
        return None

    def form(self) -> Form:
        if self.accept("at"):
            return Snapshot(self.word())
        if self.accept("from"):
            start = self.word()
            self.expect("to")
            return Delta(start, self.word())
        return NOW

    def sort_key(self) -> SortKey:
        expr = self.scalar()
        return SortKey(expr=expr, descending=self.word() == "desc", nulls_first=self.word() == "first")

    def join_key(self) -> JoinKey:
        left, kind, right = self.scalar(), self.word(), self.scalar()
        return JoinKey(left=left, right=right, kind=cast("KeyKind", kind))

    def agg_call(self) -> AggCall:
        name = self.word()
        self.expect("(")
        distinct = self.accept("distinct")
        args = [] if self.peek() == ")" else self.list_of(self.scalar)
        self.expect(")")
        ignore_nulls = self._ignores_nulls()
        order: list[SortKey] = []
        if self.accept("order"):
            self.expect("[")
            order = self.list_of(self.sort_key)
            self.expect("]")
        where = self.scalar() if self.accept("where") else None
        return AggCall(
            name=name, args=tuple(args), distinct=distinct, where=where, order=tuple(order), ignore_nulls=ignore_nulls
        )

    def window_call(self) -> WindowCall:
        name, args = self.word(), tuple(self.listed(self.scalar))
        ignore_nulls = self._ignores_nulls()
        where = self.scalar() if self.accept("where") else None
        frame = None
        if self.accept("frame"):
            self.expect("[")
            rows = self.word() == "rows"
            start = self._bound()
            self.expect("to")
            end = self._bound()
            self.expect("]")
            frame = Frame(unit="rows" if rows else "range", start=start, end=end)
        return WindowCall(name=name, args=args, frame=frame, where=where, ignore_nulls=ignore_nulls)

    def _bound(self) -> Lit | None:
        if self.accept("unbounded"):
            return None
        bound = self.scalar()
        return bound if isinstance(bound, Lit) else self.fail("a window's bound is not constant")

    def _ignores_nulls(self) -> bool:
        if self.accept("ignore"):
            self.expect("nulls")
            return True
        return False


def _number(token: str) -> Lit:
    match = _NUMBER.fullmatch(token)
    if match is None:
        raise InternalError(f"{token} is no number", code="bad-plan-text")
    digits, suffix = match[1], match[2] or ""
    return Lit(_KINDS.get(suffix, "decimal" if "." in digits else "int"), digits)


def _tight(kind: str) -> str:
    """A type whose tokens were spread out, as `to_sql` writes it."""
    closed = re.sub(r" ?([(<]) ?| ?([)>])", r"\1\2", kind).replace(" , ", ", ").replace(" :", ":")
    return re.sub(r"(\d), (\d)", r"\1,\2", closed)


def unquote(token: str) -> str:
    return re.sub(r"\\(.)", lambda m: _UNESCAPED.get(m[1], m[1]), token[1:-1])

"""Random scalar expressions over typed columns: valid, and so bounded that none of them raises an error."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from tests.fuzz.functions import FUNCTIONS
from tests.fuzz.kinds import (
    BIG,
    BOOLEAN,
    COLUMN_TYPES,
    DATE,
    DECIMALS,
    DOUBLE,
    INT,
    INTEGERS,
    SMALL,
    STRING,
    TINY,
    Info,
    arithmetic,
    common,
    info_of,
    is_dyadic,
    is_numeric,
    limit,
    literal,
    literal_type,
    value,
    zero,
)
from tidewheel.ir.scalar import NULL, Call, Case, Cast, Col, Lit, Scalar, columns
from tidewheel.ir.typing import type_of
from tidewheel.types import DataType, Decimal, Primitive, to_sql

COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=", "<=>")
_DAY_PARTS: Final = ("year", "month", "day", "quarter")


@dataclass(frozen=True, slots=True)
class Expr:
    scalar: Scalar
    info: Info

    @property
    def type(self) -> DataType:
        return self.info.type


Production: TypeAlias = Callable[[int], Expr | None]


class Scalars:
    """Expressions over the columns of one input. `depth` is how many more calls may be nested."""

    def __init__(self, rng: random.Random, infos: Sequence[Info]) -> None:
        self.rng = rng
        self.columns = [Expr(Col(i), info) for i, info in enumerate(infos)]

    # --- entries ---

    def any(self, depth: int) -> Expr:
        """An expression of some type, more often than not of one that the input has."""
        rng = self.rng
        if self.columns and rng.random() < 0.8:
            return self.of(rng.choice(self.columns).type, depth)
        return self.of(rng.choices([t for t, _ in COLUMN_TYPES], [w for _, w in COLUMN_TYPES])[0], depth)

    def of(self, kind: DataType, depth: int) -> Expr:
        """An expression of exactly this type."""
        found = None
        if depth > 0 and self.rng.random() < 0.75:
            if kind in FUNCTIONS and self.rng.random() < 0.2:
                return self._function(kind, depth - 1)
            found = self.rng.choice(self._productions(kind))(depth - 1)
        if found is None:
            return self.leaf(kind)
        return found if found.type == kind else self.leaf(kind)

    def leaf(self, kind: DataType) -> Expr:
        fitting = [c for c in self.columns if c.type == kind]
        if fitting and self.rng.random() < 0.85:
            return self.rng.choice(fitting)
        if kind == BOOLEAN and self.columns and self.rng.random() < 0.9:
            tested = self.rng.choice(self.columns)
            operator = self.rng.choice(COMPARISONS)
            return self._boolean(Call(operator, (tested.scalar, self.constant(tested.type).scalar)))
        return self.constant(kind)

    def has(self, kind: DataType) -> bool:
        return any(c.type == kind for c in self.columns)

    def constant(self, kind: DataType) -> Expr:
        if self.rng.random() < 0.07:
            return Expr(Cast(NULL, to_sql(kind)), info_of(kind))
        return Expr(literal(value(self.rng, kind), kind), info_of(kind))

    def column(self) -> Expr:
        """A column, if there is one."""
        return self.rng.choice(self.columns) if self.columns else self.constant(INT)

    def number(self, depth: int) -> Expr:
        """A number of any type."""
        rng = self.rng
        fitting = [c for c in self.columns if is_numeric(c.type)]
        if depth == 0 or rng.random() < 0.4:
            if fitting and rng.random() < 0.85:
                return rng.choice(fitting)
            return self.constant(rng.choice((*INTEGERS, *DECIMALS, INT, INT, DOUBLE)))
        return self._arithmetic(depth - 1) or self.number(0)

    def predicate(self, depth: int) -> Expr:
        """A condition that is true of a good part of the rows, and mostly depends on them."""
        found = self._predicate(depth)
        for _ in range(2):
            if columns(found.scalar):
                break
            found = self._predicate(depth)
        return found

    def _predicate(self, depth: int) -> Expr:
        rng = self.rng
        if depth > 1 and rng.random() < 0.4:
            parts = tuple(self.predicate(depth - 1).scalar for _ in range(rng.choice((2, 2, 3))))
            return self._boolean(Call("or" if rng.random() < 0.75 else "and", parts))
        if self.columns and rng.random() < 0.45:
            return self._likely(rng.choice(self.columns))
        return self.of(BOOLEAN, depth)

    def _likely(self, tested: Expr) -> Expr:
        """A condition that most values of a column satisfy."""
        if self.rng.random() < 0.5:
            return self._boolean(Call("isnotnull", (tested.scalar,)))
        unlikely = literal(value(self.rng, tested.type), tested.type)
        return self._boolean(Call(self.rng.choice(("<>", "<>", ">=", "<=")), (tested.scalar, unlikely)))

    # --- productions ---

    def _function(self, kind: DataType, depth: int) -> Expr:
        known = [f for f in FUNCTIONS[kind] if any(c.type in f[1] for c in self.columns)]
        name, wanted = self.rng.choice(known or FUNCTIONS[kind])
        args = [Expr(a, Info(kind)) if isinstance(a, Lit) else self.of(a, depth) for a in wanted]
        bound = max([400.0, *(a.info.bound for a in args)])
        return Expr(Call(name, tuple(a.scalar for a in args)), Info(kind, bound=bound))

    def _productions(self, kind: DataType) -> Sequence[Production]:
        anything: list[Production] = [lambda d: self._case(kind, d), lambda d: self._coalesce(kind, d)]
        match kind:
            case Decimal():
                return [*anything, *[lambda d: self._to_number(kind, d)] * 2, lambda d: self._extreme(kind, d),
                        lambda d: self._unary(kind, d), lambda d: self._sum(kind, d)]  # fmt: skip
            case _ if kind == BOOLEAN:
                return [*anything, *[self._comparison] * 6, self._null_test, self._null_test, self._in, self._in,
                        self._not, self._logic, self._logic, self._like]  # fmt: skip
            case _ if kind in INTEGERS:
                return [*anything, *[lambda d: self._sum(kind, d)] * 3, lambda d: self._unary(kind, d),
                        lambda d: self._extreme(kind, d), lambda d: self._remainder(kind, d),
                        lambda d: self._to_number(kind, d), lambda d: self._measure(kind, d),
                        lambda d: self._measure(kind, d)]  # fmt: skip
            case _ if kind == DOUBLE:
                return [*anything, self._double_sum, self._double_sum, self._quotient, self._to_double,
                        lambda d: self._unary(kind, d), lambda d: self._extreme(kind, d)]  # fmt: skip
            case _ if kind == STRING:
                return [*anything, self._concat, self._concat, self._letters, self._letters, self._substring,
                        self._to_string, lambda d: self._extreme(kind, d)]  # fmt: skip
            case _ if kind == DATE:
                return [*anything, self._add_days, self._add_days, self._last_day, lambda d: self._extreme(kind, d)]
        return [*anything, lambda d: self._extreme(kind, d)]

    @staticmethod
    def _boolean(scalar: Scalar) -> Expr:
        return Expr(scalar, Info(BOOLEAN))

    def _pair(self, depth: int) -> tuple[Expr, Expr]:
        """Two expressions that can be compared; numbers of two types now and then."""
        first = self.any(depth)
        if is_numeric(first.type) and self.rng.random() < 0.2:
            second = self.number(depth)
            if common(first.type, second.type) is not None:
                return first, second
        return first, self.of(first.type, depth)

    def _comparison(self, depth: int) -> Expr:
        a, b = self._pair(depth)
        if self.rng.random() < 0.5:
            b = self.constant(b.type)
        return self._boolean(Call(self.rng.choice(COMPARISONS), (a.scalar, b.scalar)))

    def _null_test(self, depth: int) -> Expr:
        name = "isnotnull" if self.rng.random() < 0.7 else "isnull"
        return self._boolean(Call(name, (self.any(depth).scalar,)))

    def _in(self, depth: int) -> Expr:
        tested = self.any(min(depth, 1))
        size = self.rng.randint(1, 4)
        options = [literal(value(self.rng, tested.type), tested.type) for _ in range(size)]
        options += [self.of(tested.type, 0).scalar] if self.rng.random() < 0.3 else []
        options += [NULL] if self.rng.random() < 0.1 else []
        return self._boolean(Call("in", (tested.scalar, *options)))

    def _not(self, depth: int) -> Expr:
        return self._boolean(Call("not", (self.of(BOOLEAN, depth).scalar,)))

    def _logic(self, depth: int) -> Expr:
        parts = tuple(self.of(BOOLEAN, depth).scalar for _ in range(self.rng.choice((2, 2, 3))))
        return self._boolean(Call(self.rng.choice(("and", "or", "or")), parts))

    def _like(self, depth: int) -> Expr:
        pattern = self.rng.choice(("a%", "%b", "%", "_", "a_c", "%b%", "", "a\\%b"))
        return self._boolean(Call("like", (self.of(STRING, depth).scalar, Lit("string", pattern))))

    def _case(self, kind: DataType, depth: int) -> Expr:
        branches = []
        values = []
        for _ in range(self.rng.choice((1, 1, 2))):
            values.append(self._near(kind, depth))
            branches.append((self.of(BOOLEAN, depth).scalar, values[-1].scalar))
        otherwise = None
        if self.rng.random() < 0.8:
            values.append(self.of(kind, depth))
            otherwise = values[-1].scalar
        return Expr(Case(tuple(branches), otherwise), self._merged(values))

    def _near(self, kind: DataType, depth: int) -> Expr:
        """An expression of this type, or of one that widens to it."""
        if is_numeric(kind) and self.rng.random() < 0.15:
            found = self.number(min(depth, 1))
            if common(found.type, kind) == kind:
                return found
        return self.of(kind, depth)

    def _merged(self, values: Sequence[Expr]) -> Info:
        kind = values[0].type
        for v in values[1:]:
            widened = common(kind, v.type)
            kind = v.type if widened is None else widened
        exact = all(v.info.exact for v in values) and (kind != DOUBLE or all(is_dyadic(v.info) for v in values))
        return Info(kind, exact, max(v.info.bound for v in values))

    def _coalesce(self, kind: DataType, depth: int) -> Expr:
        values = [self._near(kind, depth), self.of(kind, depth)]
        if self.rng.random() < 0.2:
            return Expr(Call("nullif", tuple(v.scalar for v in values)), values[0].info)
        if self.rng.random() < 0.3:
            values.append(self.of(kind, 0))
        return Expr(Call("coalesce", tuple(v.scalar for v in values)), self._merged(values))

    def _extreme(self, kind: DataType, depth: int) -> Expr:
        values = [self.of(kind, depth), self._near(kind, depth)]
        values += [self.of(kind, 0)] if self.rng.random() < 0.3 else []
        name = self.rng.choice(("greatest", "least"))
        return Expr(Call(name, tuple(v.scalar for v in values)), self._merged(values))

    def _unary(self, kind: DataType, depth: int) -> Expr:
        inner = self.of(kind, depth)
        return Expr(Call(self.rng.choice(("negative", "abs")), (inner.scalar,)), inner.info)

    def _sum(self, kind: DataType, depth: int) -> Expr | None:
        """Arithmetic that happens to give this very type."""
        found = self._arithmetic(depth)
        if found is None or found.type == kind or not is_numeric(found.type):
            return found
        return self._cast(found, kind)

    def _arithmetic(self, depth: int) -> Expr | None:
        a, b = self.number(depth), self.number(depth)
        operator = self.rng.choice(("+", "+", "-", "-", "*"))
        if self.rng.random() < 0.3:
            b = self._small_literal(a.type)
        if isinstance(a.type, Decimal) and self.rng.random() < 0.15:
            return self._decimal(a, b)
        kind = arithmetic(operator, self._effective(a, b.type), self._effective(b, a.type))
        if isinstance(kind, Decimal) and kind.precision >= 38 and self.rng.random() < 0.9:
            return None
        bound = a.info.bound * b.info.bound if operator == "*" else a.info.bound + b.info.bound
        if bound * 2 >= limit(kind):
            return None
        exact = a.info.exact and b.info.exact
        if kind == DOUBLE:
            exact = exact and is_dyadic(a.info) and is_dyadic(b.info) and (operator != "*" or isinstance(b.scalar, Lit))
        return Expr(Call(operator, (a.scalar, b.scalar)), Info(kind, exact, bound))

    def _decimal(self, a: Expr, b: Expr) -> Expr | None:
        """A quotient, a remainder or a rounded one."""
        if self.rng.random() < 0.5 or b.type == DOUBLE:
            name = self.rng.choice(("round", "floor", "ceil"))
            call = Call(name, (a.scalar, *([Lit("int", "1")] if name == "round" else [])))
            kind = type_of(call, [c.type for c in self.columns])
            return Expr(call, Info(kind, bound=a.info.bound + 1)) if isinstance(kind, Decimal | Primitive) else None
        operator = self.rng.choice(("/", "%"))
        kind = arithmetic(operator, a.type, self._effective(b, a.type))
        divisor = b.scalar if isinstance(b.scalar, Lit) else Call("nullif", (b.scalar, zero(b.type)))
        smallest = 10.0**-b.type.scale if isinstance(b.type, Decimal) else 1.0
        bound = a.info.bound / smallest if operator == "/" else a.info.bound
        if bound * 2 >= limit(kind) or not isinstance(kind, Decimal):
            return None
        return Expr(Call(operator, (a.scalar, divisor)), Info(kind, bound=bound))

    def _effective(self, operand: Expr, other: DataType) -> DataType:
        """An integer literal beside a decimal counts by its digits: 5 is DECIMAL(1,0) there; but a TINYINT does not."""
        if isinstance(operand.scalar, Lit) and operand.type in {SMALL, INT, BIG} and isinstance(other, Decimal):
            return literal_type(operand.scalar)
        return operand.type

    def _small_literal(self, kind: DataType) -> Expr:
        if isinstance(kind, Decimal) and self.rng.random() < 0.5:
            lit = Lit("decimal", self.rng.choice(("0.5", "1.25", "2.0", "0.05", "10.0")))
            return Expr(lit, Info(literal_type(lit), bound=10.0))
        if kind == DOUBLE:
            return Expr(Lit("double", self.rng.choice(("0.5", "2.0", "-1.0"))), Info(DOUBLE, bound=2.0))
        lit = Lit("int", str(self.rng.choice((1, 2, 3, 10))))
        return Expr(lit, Info(INT, bound=10.0))

    def _remainder(self, kind: DataType, depth: int) -> Expr | None:
        a = self.of(kind, depth)
        if kind not in {INT, BIG}:
            return None
        divisor = literal(self.rng.choice((2, 3, -3)), kind)
        return Expr(Call(self.rng.choice(("%", "%", "pmod")), (a.scalar, divisor)), Info(kind, bound=3.0))

    def _cast(self, inner: Expr, kind: DataType) -> Expr | None:
        """A conversion between numbers that cannot overflow."""
        if inner.info.bound + 1 >= limit(kind) or inner.type == DOUBLE:
            return None
        exact = kind != DOUBLE or is_dyadic(inner.info)
        return Expr(Cast(inner.scalar, to_sql(kind)), replace(inner.info, type=kind, exact=exact))

    def _to_number(self, kind: DataType, depth: int) -> Expr | None:
        return self._cast(self.number(depth), kind)

    def _to_double(self, depth: int) -> Expr | None:
        return self._cast(self.number(depth), DOUBLE)

    def _measure(self, kind: DataType, depth: int) -> Expr | None:
        """Integers made from strings and dates."""
        rng = self.rng
        if kind != INT:
            return None
        choice = rng.random()
        if choice < 0.4 or (self.has(STRING) and not self.has(DATE)):
            return Expr(Call("length", (self.of(STRING, depth).scalar,)), Info(INT, bound=200.0))
        if choice < 0.7:
            part = rng.choice(_DAY_PARTS)
            return Expr(Call(part, (self.of(DATE, depth).scalar,)), Info(INT, bound=3000.0))
        args = (self.of(DATE, depth).scalar, self.of(DATE, depth).scalar)
        return Expr(Call("datediff", args), Info(INT, bound=40000.0))

    def _double_sum(self, depth: int) -> Expr | None:
        a, b = self.of(DOUBLE, depth), self.of(self.rng.choice((DOUBLE, DOUBLE, INT)), depth)
        operator = self.rng.choice(("+", "-", "*"))
        if operator == "*":
            b = self._small_literal(DOUBLE)
        bound = a.info.bound * b.info.bound if operator == "*" else a.info.bound + b.info.bound
        exact = a.info.exact and b.info.exact
        return Expr(Call(operator, (a.scalar, b.scalar)), Info(DOUBLE, exact, bound)) if bound < 1e9 else None

    def _quotient(self, depth: int) -> Expr | None:
        kind = self.rng.choice((INT, INT, BIG, DOUBLE))
        a, b = self.of(kind, depth), self.of(kind, depth)
        zero = literal(0.0 if kind == DOUBLE else 0, kind)
        divisor = Call("nullif", (b.scalar, zero))
        if self.rng.random() < 0.4:
            divisor = literal(2.0 if kind == DOUBLE else 3, kind)  # type: ignore[assignment]
        return Expr(Call("/", (a.scalar, divisor)), Info(DOUBLE, exact=False, bound=a.info.bound * 4))

    def _concat(self, depth: int) -> Expr:
        parts = tuple(self.of(STRING, depth).scalar for _ in range(self.rng.choice((2, 2, 3))))
        return Expr(Call(self.rng.choice(("||", "concat")), parts), Info(STRING))

    def _letters(self, depth: int) -> Expr:
        name = self.rng.choice(("upper", "lower", "trim", "ltrim", "rtrim"))
        return Expr(Call(name, (self.of(STRING, depth).scalar,)), Info(STRING))

    def _substring(self, depth: int) -> Expr:
        numbers = [Lit("int", str(self.rng.choice((1, 1, 2, 0, -1))))]
        numbers += [Lit("int", str(self.rng.choice((0, 1, 1, 2))))] if self.rng.random() < 0.8 else []
        return Expr(Call("substring", (self.of(STRING, depth).scalar, *numbers)), Info(STRING))

    def _to_string(self, depth: int) -> Expr:
        kind = self.rng.choice((INT, BIG, DATE, BOOLEAN, *DECIMALS))
        return Expr(Cast(self.of(kind, depth).scalar, "STRING"), Info(STRING))

    def _add_days(self, depth: int) -> Expr:
        days: Scalar = Lit("int", str(self.rng.choice((0, 1, 1, -1, 30))))
        if self.rng.random() < 0.3:
            days = self.leaf(self.rng.choice((INT, INT, SMALL, TINY))).scalar
            if self._is_large(days):
                days = Lit("int", "2")
        return Expr(Call(self.rng.choice(("date_add", "date_sub")), (self.of(DATE, depth).scalar, days)), Info(DATE))

    def _is_large(self, scalar: Scalar) -> bool:
        return isinstance(scalar, Col) and self.columns[scalar.index].info.bound > 40000

    def _last_day(self, depth: int) -> Expr:
        return Expr(Call("last_day", (self.of(DATE, depth).scalar,)), Info(DATE))

"""GROUP BY: keys, grouping sets, and what expressions become once rows are grouped."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from tidewheel.ir.scalar import Call, Cast, Col, Lit, Scalar, children, rebuild
from tidewheel.sql.bind.context import Context
from tidewheel.sql.bind.orders import ordinal
from tidewheel.sql.bind.scope import AGGREGATE, WINDOW, mentions, placeholder_number
from tidewheel.sql.bind.text import NotBoundError, count

Items = Sequence[tuple[str, Scalar, exp.Expr]]
_COMMUTATIVE = frozenset({"+", "*", "=", "<=>", "<>", "and", "or", "&", "|", "^"})
_MOST_SETS = 4096


@dataclass(slots=True)
class Grouping:
    """The keys of a grouped SELECT, the source text of each, and its grouping sets if it has several."""

    exprs: Context
    keys: tuple[Scalar, ...]
    nodes: tuple[exp.Expr, ...]
    sets: tuple[tuple[int, ...], ...] | None

    def lift(self, scalar: Scalar) -> Scalar:
        """An expression over the FROM clause as one over the groups."""
        places = {ordered(k): i for i, k in reversed(list(enumerate(self.keys)))}
        return self._lift(scalar, places)

    def _lift(self, scalar: Scalar, places: dict[Scalar, int]) -> Scalar:
        position = places.get(ordered(scalar))
        if position is not None and (self.sets is not None or not isinstance(scalar, Lit)):
            return Col(position)
        number = placeholder_number(scalar, AGGREGATE)
        if number is not None:
            return Col(len(self.keys) + (self.sets is not None) + number)
        if isinstance(scalar, Call) and scalar.name in {"#grouping", "#grouping_id"}:
            return self._grouping(scalar, places)
        if isinstance(scalar, Col):
            raise self._ungrouped(scalar.index)
        before = children(scalar)
        after = [self._lift(c, places) for c in before]
        return scalar if all(a is b for a, b in zip(after, before, strict=True)) else rebuild(scalar, after)

    def _ungrouped(self, index: int) -> Exception:
        scope = self.exprs.scope
        node = next((n for i, n in [*self.exprs.found.seen, *scope.seen] if i == index), None)
        name = next((e.name for e in scope.entries if e.index == index), str(index + 1))
        return self.exprs.text.error(
            f'column "{name}" is neither grouped nor aggregated',
            node,
            code="not-grouped",
            hint="Add it to GROUP BY, or wrap it in an aggregate such as any_value().",
        )

    def _grouping(self, call: Call, places: dict[Scalar, int]) -> Scalar:
        """grouping(k) is one bit of the grouping id, grouping_id() all of it, grouping_id(a, b) those of a and b."""
        node = next((n for c, n in self.exprs.found.groupings if c == call), None)
        if self.sets is None:
            raise self.exprs.text.error(
                f"{call.name[1:]}() needs GROUPING SETS, ROLLUP or CUBE", node, code="misplaced-grouping"
            )
        group_id, last = Col(len(self.keys)), len(self.keys) - 1
        positions = []
        for arg in call.args:
            position = places.get(ordered(arg))
            if position is None:
                raise self.exprs.text.error(
                    f"an argument of {call.name[1:]}() is not a grouping key", node, code="misplaced-grouping"
                )
            positions.append(position)
        if call.name == "#grouping":
            if len(positions) != 1:
                raise self.exprs.text.error("grouping() takes one argument", node, code="wrong-arguments")
            return Cast(_bit(group_id, last - positions[0]), "TINYINT")
        if not positions or positions == list(range(last + 1)):
            return group_id
        raise NotBoundError("grouping-id", "grouping_id() of some of the keys")


def _bit(value: Scalar, position: int) -> Scalar:
    shifted = value if position == 0 else Call("shiftright", (value, Lit("int", str(position))))
    return Call("&", (shifted, Lit("bigint", "1")))


def ordered(scalar: Scalar) -> Scalar:
    """The scalar with the arguments of commutative calls in one order: GROUP BY a + b admits SELECT b + a."""
    below = [ordered(c) for c in children(scalar)]
    if isinstance(scalar, Call) and scalar.name in _COMMUTATIVE:
        below.sort(key=lambda s: s.text)
    return rebuild(scalar, below)


def bind_grouping(exprs: Context, group: exp.Expr | None, items: Items) -> Grouping:
    """The keys and sets of a GROUP BY clause; without one, a single group."""
    if group is None:
        return Grouping(exprs, (), (), None)
    for key, value in group.args.items():
        if value and key not in {"expressions", "rollup", "cube", "grouping_sets", "all", "totals"}:
            raise NotBoundError("group-option", f"{key} of GROUP BY")
    if group.args.get("all"):
        plain = [(v, n) for _, v, n in items if not mentions(v, AGGREGATE) and not mentions(v, WINDOW)]
        return Grouping(exprs, tuple(v for v, _ in plain), tuple(n.unalias() for _, n in plain), None)
    reader = _Reader(exprs, items)
    factors: list[list[tuple[int, ...]]] = []
    several = False
    elements = list(group.expressions)
    with_ = [e for k in ("rollup", "cube") for e in group.args.get(k) or ()]
    if with_:
        (only,) = with_
        elements = [type(only)(expressions=elements)]
    if older := group.args.get("grouping_sets"):  # GROUP BY a, b GROUPING SETS (...): the sets say all
        for element in elements:
            reader.sets(element)
        elements = older
    for element in elements:
        sets = reader.sets(element)
        several = several or isinstance(element, (exp.Rollup, exp.Cube, exp.GroupingSets))
        factors.append(sets)
    if not several:
        return Grouping(exprs, tuple(reader.keys), tuple(reader.nodes), None)
    if _product(len(f) for f in factors) > _MOST_SETS:
        raise NotBoundError("grouping-sets", "more than 4096 grouping sets")
    combined = tuple(tuple(sorted({k for part in parts for k in part})) for parts in itertools.product(*factors))
    return Grouping(exprs, tuple(reader.keys), tuple(reader.nodes), combined)


def _product(numbers: object) -> int:
    result = 1
    for n in numbers:  # type: ignore[attr-defined]
        result *= n
    return result


class _Reader:
    """Elements of GROUP BY as lists of sets of key positions."""

    def __init__(self, exprs: Context, items: Items) -> None:
        self.exprs, self.items = exprs, items
        self.keys: list[Scalar] = []
        self.nodes: list[exp.Expr] = []

    def sets(self, element: exp.Expr) -> list[tuple[int, ...]]:
        match element:
            case exp.Rollup():
                parts = [self.together(e) for e in element.expressions]
                return [_joined(parts[:n]) for n in range(len(parts), -1, -1)]
            case exp.Cube():
                parts = [self.together(e) for e in element.expressions]
                chosen = itertools.product([True, False], repeat=len(parts))
                return [_joined([p for p, c in zip(parts, choice, strict=True) if c]) for choice in chosen]
            case exp.GroupingSets():
                return [s for e in element.expressions for s in self.sets(e)]
        return [self.together(element)]

    def together(self, element: exp.Expr) -> tuple[int, ...]:
        """The keys of one element: an expression, or several in parentheses."""
        if isinstance(element, exp.Tuple):
            return _joined([self.together(e) for e in element.expressions])
        if isinstance(element, exp.Paren):
            return self.together(element.this)
        value, node = self.key(element)
        if value not in self.keys:
            self.keys.append(value)
            self.nodes.append(node)
        return (self.keys.index(value),)

    def key(self, node: exp.Expr) -> tuple[Scalar, exp.Expr]:
        position = ordinal(node)
        if position is not None:
            if not 1 <= position <= len(self.items):
                raise self.exprs.text.error(
                    f"GROUP BY {position} is out of range",
                    node,
                    code="bad-ordinal",
                    detail=f"The query selects {count(len(self.items), 'column')}.",
                )
            _, value, item = self.items[position - 1]
            return self._checked(value, node), item.unalias()
        aliases = {name.lower(): (value, item) for name, value, item in reversed(self.items) if item.alias}
        self.exprs.aliases = {name: value for name, (value, _) in aliases.items()}
        value = self._checked(self.exprs.bind(node), node)
        name = node.name.lower()
        if isinstance(node, exp.Column) and name in aliases and not self.exprs.scope.find([p.name for p in node.parts]):
            return value, aliases[name][1].unalias()
        return value, node

    def _checked(self, value: Scalar, node: exp.Expr) -> Scalar:
        if mentions(value, AGGREGATE):
            raise self.exprs.text.error("GROUP BY cannot contain an aggregate", node, code="misplaced-aggregate")
        if mentions(value, WINDOW):
            raise self.exprs.text.error("a window function cannot stand in GROUP BY", node, code="misplaced-window")
        return value


def _joined(parts: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(sorted({k for part in parts for k in part}))

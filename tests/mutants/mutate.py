"""All small changes of a module: each is one edit of its syntax tree, as a careless hand might make it.

Signs and comparisons turn around, old and new or left and right change places, a term, a condition, a key or a whole
statement is forgotten, `<=>` becomes `=`, a number is off by one. Annotations, messages and docstrings stay.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

SWAPS: Final = {
    "old": "new", "new": "old", "left": "right", "right": "left", "<=>": "=", "=": "<=>", ">": "<", "<": ">",
    "<=": "<", ">=": ">", "<>": "=", "+": "-", "-": "+", "semi": "anti", "anti": "semi", "inner": "left",
    "full": "left", "except": "intersect", "in": "=", "isnull": "isnotnull", "isnotnull": "isnull",
    "least": "greatest", "greatest": "least", "min": "max", "max": "min", "sum": "count", "count": "sum",
    "mixed": "append", "append": "mixed", "coalesce": "greatest",
}  # fmt: skip
"""Texts within plans."""
NAMES: Final = {
    "left": "right", "right": "left", "old": "new", "new": "old", "come": "gone", "gone": "come", "coming": "going",
    "going": "coming", "comes": "goes", "goes": "comes", "PLUS": "MINUS", "MINUS": "PLUS", "any": "all", "all": "any",
    "min": "max", "max": "min", "conjunction": "disjunction", "disjunction": "conjunction",
}  # fmt: skip
"""Variables, attributes and functions."""
WRAPPERS: Final = frozenset({
    "Distinct", "Filter", "Cast", "consolidated", "in_types_of", "_not_null", "semi_join", "reversed", "sorted",
})  # fmt: skip
"""Calls that give something like their first argument: leaving one out is a mistake that runs."""
COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of one file: the choice among the changes of one place."""

    file: str
    line: int
    within: str
    before: str
    after: str
    place: int
    choice: int
    copy: int
    """Which of several like it in one function."""

    @property
    def key(self) -> str:
        """A name that survives edits elsewhere in the file."""
        more = f" #{self.copy}" if self.copy > 1 else ""
        return f"{self.file} {self.within}: {self.before} -> {self.after}{more}"

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.key.partition(' ')[2]}"

    def applied(self, source: str) -> str:
        """The text of the file with the change."""
        tree = ast.parse(source)
        target = list(_places(tree))[self.place][0]
        _replace(tree, target, list(_changes(target))[self.choice])
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def mutants(file: str, source: str) -> Iterator[Mutant]:
    """Every change of a module that we know how to make, in the order of its lines."""
    tree = ast.parse(source)
    known = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | set(dir(builtins))
    seen: Counter[tuple[str, str, str]] = Counter()
    for place, (node, within) in enumerate(_places(tree)):
        for choice, new in enumerate(_changes(node)):
            if isinstance(new, ast.Name) and isinstance(node, ast.Name) and new.id not in known:
                continue
            name = (within, _text(node), _text(new))
            seen[name] += 1
            yield Mutant(
                file=file,
                line=getattr(node, "lineno", 0),
                within=within,
                before=name[1],
                after=name[2],
                place=place,
                choice=choice,
                copy=seen[name],
            )


def _text(node: ast.AST | None) -> str:
    return " ".join(ast.unparse(node).split()) if node is not None else "nothing"


def _places(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """All that may be changed: what runs in functions and methods, and the tables of constants they read."""
    for statement in tree.body:
        match statement:
            case ast.FunctionDef():
                yield from _function(statement, statement.name)
            case ast.ClassDef():
                for inner in statement.body:
                    if isinstance(inner, ast.FunctionDef):
                        yield from _function(inner, f"{statement.name}.{inner.name}")
            case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
                pass
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                yield from ((node, "module") for node in _inner(value))


def _function(function: ast.FunctionDef, name: str) -> Iterator[tuple[ast.AST, str]]:
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    for statement in body:
        yield from ((node, name) for node in _inner(statement))


def _inner(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom):
        return
    yield node
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "ctx", "op", "ops"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _inner(child)


def _changes(node: ast.AST) -> Iterator[ast.AST | None]:
    """What may stand in place of a node; None if it is left out."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            yield ast.Compare(node.left, [COMPARISONS[type(op)]()], node.comparators)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for i in range(len(values)):
                rest = values[:i] + values[i + 1 :]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(op=ast.Add() | ast.Sub(), left=left):
            yield left
            yield ast.BinOp(left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(number)):
            yield ast.Constant(number + 1)
        case ast.Constant(value=str(text)) if text in SWAPS:
            yield ast.Constant(SWAPS[text])
        case ast.Name(id=name) if name in NAMES:
            yield ast.Name(NAMES[name], node.ctx)
        case ast.Attribute(attr=name) if name in NAMES:
            yield ast.Attribute(node.value, NAMES[name], node.ctx)
        case ast.IfExp(body=body, orelse=orelse):
            yield body
            yield orelse
        case ast.List(elts=[_, _, *_] as items) | ast.Tuple(elts=[_, _, *_] as items) if _is_sequence(node):
            for i in range(len(items)):
                yield type(node)([*items[:i], *items[i + 1 :]], ast.Load())
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in WRAPPERS:
            given = args[0] if args else next(k.value for k in keywords if k.arg == "input")
            yield given
        case ast.comprehension(ifs=[_, *_]):
            yield ast.comprehension(node.target, node.iter, [], node.is_async)
        case ast.If(orelse=[]):
            yield ast.Pass()
        case ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield ast.Pass()


def _is_sequence(node: ast.List | ast.Tuple) -> bool:
    """Is a part of this left out easily: not of a pair that is taken apart at once."""
    parts = node.elts
    return isinstance(node, ast.List) or any(isinstance(p, ast.Starred) for p in parts) or len(parts) > 2


def _replace(tree: ast.AST, target: ast.AST, new: ast.AST | None) -> None:
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, field, new)
                return
            if isinstance(value, list) and any(v is target for v in value):
                setattr(parent, field, [new if v is target else v for v in value])
                return

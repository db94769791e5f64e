"""Generators: functions that make rows of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tidewheel.ir.rel import Unnest
from tidewheel.tvr.reference.compiler import EvalScope, Typed, common, compile_all, converted
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.values import Row, Value
from tidewheel.types import INT, Array, DataType, Map, Struct, to_sql


@dataclass(frozen=True, slots=True)
class Generator:
    """The types of the columns that are made, and the rows of them."""

    types: tuple[DataType, ...]
    run: Callable[[Row], Sequence[Row]]


def compile_generator(rel: Unnest, scope: EvalScope) -> Generator:
    args = compile_all(rel.args, scope)
    match rel.generator.removesuffix("_outer"):
        case "explode":
            return _explode(args[0])
        case "posexplode":
            plain = _explode(args[0])
            return Generator((INT, *plain.types), lambda row: [(i, *made) for i, made in enumerate(plain.run(row))])
        case "inline":
            return _inline(args[0], rel.arity)
        case "stack":
            return _stack(args, rel.arity)
    raise Unsupported(f"the generator {rel.generator}")


def _explode(value: Typed) -> Generator:
    """A row for each element of an array, or for each pair of a map; none of NULL."""
    match value.type:
        case Array(element):
            return Generator((element,), lambda row: [(v,) for v in value.run(row) or ()])
        case Map(k, v):
            return Generator((k, v), lambda row: list(value.run(row) or ()))
    raise Unsupported(f"explode of {to_sql(value.type)}")


def _inline(value: Typed, arity: int) -> Generator:
    """A row of fields for each struct of an array; of NULLs for a struct that is NULL."""
    match value.type:
        case Array(Struct(fields)) if len(fields) == arity:
            nulls = (None,) * arity
            return Generator(
                tuple(f.type for f in fields), lambda row: [nulls if v is None else v for v in value.run(row) or ()]
            )
    raise Unsupported(f"inline of {to_sql(value.type)}")


def _stack(args: Sequence[Typed], arity: int) -> Generator:
    """stack(n, v1, v2, ...): the values in n rows, the last one filled up with NULLs."""
    count, values = args[0].run(()), args[1:]
    if not isinstance(count, int) or count <= 0:
        raise EvaluationError("bad-argument", "a stack has at least one row")
    kinds = tuple(common(values[i::arity]) for i in range(arity))
    runs = [converted(v, kinds[i % arity]).run for i, v in enumerate(values)]

    def run(row: Row) -> Sequence[Row]:
        flat: list[Value] = [one(row) for one in runs]
        flat += [None] * (count * arity - len(flat))
        return [tuple(flat[i * arity : (i + 1) * arity]) for i in range(count)]

    return Generator(kinds, run)

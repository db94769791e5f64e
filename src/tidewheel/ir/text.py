"""Plans as text: printed for people, goldens and the cache; read back to the very same plan.

One line for each operator, its inputs below it and further in; a part that is used more than once is written once,
as `let`, and then named by `use`:

    let 1
      aggregate by c0 compute sum(c1)
        scan orders (o_day DATE, o_amount DECIMAL(12,2))
    query best
      aggregate compute max(c1)
        use 1
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, cast

from tidewheel.errors import InternalError
from tidewheel.ir.reader import Reader, unquote
from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Opaque,
    Project,
    Query,
    Rel,
    Scan,
    SetOp,
    TopK,
    Union,
    Unnest,
    Values,
    Window,
)  # fmt: skip
from tidewheel.ir.scalar import TRUE, quote_text
from tidewheel.ir.tree import nodes
from tidewheel.types import name_to_sql


def print_query(query: Query, remark: Callable[[Rel], str] | None = None) -> str:
    """The whole of a bound view; a remark on each operator, if asked for, is for people: it is not read back."""
    head = f"query {', '.join(map(name_to_sql, query.names))}"
    notes = [f"note {quote_text(n)}" for n in query.notes]
    return "\n".join([*notes, *_lines(query.rel, head, remark)]) + "\n"


def print_rel(rel: Rel) -> str:
    """One plan, without names."""
    return "\n".join(_lines(rel, "plan")) + "\n"


def _lines(root: Rel, head: str, remark: Callable[[Rel], str] | None = None) -> Iterator[str]:
    uses = Counter(i.digest for node in nodes(root) for i in node.inputs)
    shared: dict[bytes, int] = {}
    for node in nodes(root):
        if uses[node.digest] > 1 and node.inputs:
            yield f"let {len(shared) + 1}"
            yield from _tree(node, shared, remark)
            shared[node.digest] = len(shared) + 1
    yield head
    yield from _tree(root, shared, remark)


def _tree(root: Rel, shared: dict[bytes, int], remark: Callable[[Rel], str] | None) -> Iterator[str]:
    todo = [(root, 1)]
    while todo:
        node, at = todo.pop()
        if node.digest in shared:
            yield f"{'  ' * at}use {shared[node.digest]}"
            continue
        said = remark(node) if remark is not None else ""
        yield f"{'  ' * at}{node.line}{f'  -- {said}' if said else ''}"
        todo.extend((i, at + 1) for i in reversed(node.inputs))


def parse_query(text: str) -> Query:
    """What `print_query` printed."""
    rel, names, notes = _parse(text)
    return Query(rel=rel, names=names, notes=notes)


def parse_rel(text: str) -> Rel:
    return _parse(text)[0]


def _parse(text: str) -> tuple[Rel, tuple[str, ...], tuple[str, ...]]:
    notes: list[str] = []
    names: tuple[str, ...] = ()
    shared: dict[int, Rel] = {}
    block: list[tuple[int, str]] = []
    heads: list[tuple[str, list[tuple[int, str]]]] = []
    for line in text.splitlines():
        stripped = line.lstrip(" ")
        if stripped.startswith("note ") and stripped == line:
            notes.append(unquote(line[5:]))
        elif stripped == line:
            block = []
            heads.append((line, block))
        else:
            block.append(((len(line) - len(stripped)) // 2, stripped))
    rel: Rel | None = None
    for head, lines in heads:
        rel = _block(lines, shared)
        if head.startswith("let "):
            shared[int(head[4:])] = rel
        elif head.startswith("query"):
            reader = Reader(head[5:])
            names = tuple(reader.list_of(reader.name)) if reader.more() else ()
    if rel is None:
        raise InternalError("a plan's text is empty", code="bad-plan-text")
    return rel, names, tuple(notes)


def _block(lines: list[tuple[int, str]], shared: dict[int, Rel]) -> Rel:
    """Read a tree from its last line upwards, so that a node's inputs are there before it."""
    waiting: dict[int, list[Rel]] = {}
    for depth, line in reversed(lines):
        inputs = tuple(reversed(waiting.pop(depth + 1, [])))
        node = shared[int(line[4:])] if line.startswith("use ") else _node(line, inputs)
        waiting.setdefault(depth, []).append(node)
    (root,) = waiting[1]
    return root


def _node(line: str, inputs: tuple[Rel, ...]) -> Rel:
    if not inputs:
        return _leaf(line)
    reader = Reader(line)
    kind = reader.word()
    node = _NODES[kind](reader, inputs)
    reader.end()
    return node


@functools.lru_cache(maxsize=4096)
def _leaf(line: str) -> Rel:
    reader = Reader(line)
    match reader.word():
        case "scan":
            relation, form, columns = reader.name(), reader.form(), reader.schema()
            keys = []
            while reader.accept("key"):
                keys.append(tuple(int(t[1:]) for t in reader.listed(reader.word)))
            node: Rel = Scan(relation=relation, columns=columns, keys=tuple(keys), form=form)
        case "values":
            arity, rows = reader.number(), []
            while reader.more():
                rows.append(tuple(reader.listed(reader.scalar)))
            node = Values(rows=tuple(rows), arity=arity)
        case "opaque":
            reason = reader.source_until("reads")
            reads = tuple(reader.listed(reader.name))
            reader.expect("gives")
            columns = reader.schema()
            reader.expect("runs")
            node = Opaque(sql=unquote(reader.word()), reads=reads, columns=columns, reason=reason)
        case other:
            reader.fail(f"no operator is called {other}")
    reader.end()
    return node


def _filter(reader: Reader, inputs: tuple[Rel, ...]) -> Rel:
    return Filter(input=inputs[0], predicate=reader.scalar())


def _project(reader: Reader, inputs: tuple[Rel, ...]) -> Rel:
    return Project(input=inputs[0], exprs=tuple(reader.list_of(reader.scalar)) if reader.more() else ())


def _join(reader: Reader, inputs: tuple[Rel, ...]) -> Rel:
    kind = cast("JoinKind", reader.word())
    keys = tuple(reader.list_of(reader.join_key)) if reader.accept("on") else ()
    residual = reader.scalar() if reader.accept("where") else TRUE
    return Join(kind=kind, left=inputs[0], right=inputs[1], keys=keys, residual=residual)


def _aggregate(reader: Reader, inputs: tuple[Rel, ...]) -> Rel:
    keys = tuple(reader.list_of(reader.scalar)) if reader.accept("by") else ()
    sets = None
    if reader.accept("sets"):
        found = []
        while reader.peek() == "(":
            found.append(tuple(reader.listed(reader.number)))
        sets = tuple(found)
    calls = tuple(reader.list_of(reader.agg_call)) if reader.accept("compute") else ()
    return Aggregate(input=inputs[0], keys=keys, calls=calls, sets=sets)


def _window(reader: Reader, inputs: tuple[Rel, ...]) -> Rel:
    partition = tuple(reader.list_of(reader.scalar)) if reader.accept("partition") else ()
    order = tuple(reader.list_of(reader.sort_key)) if reader.accept("order") else ()
    reader.expect("compute")
    return Window(input=inputs[0], partition=partition, order=order, calls=tuple(reader.list_of(reader.window_call)))


def _topk(reader: Reader, inputs: tuple[Rel, ...]) -> Rel:
    order = tuple(reader.list_of(reader.sort_key)) if reader.accept("order") else ()
    limit = reader.number() if reader.accept("limit") else None
    offset = reader.number() if reader.accept("offset") else 0
    return TopK(input=inputs[0], order=order, limit=limit, offset=offset)


def _unnest(reader: Reader, inputs: tuple[Rel, ...]) -> Rel:
    outer = reader.accept("outer")
    generator, args = reader.word(), tuple(reader.listed(reader.scalar))
    reader.expect("width")
    return Unnest(input=inputs[0], generator=generator, args=args, arity=reader.number(), outer=outer)


def _setop(kind: str) -> Callable[[Reader, tuple[Rel, ...]], Rel]:
    def build(reader: Reader, inputs: tuple[Rel, ...]) -> Rel:
        everything = reader.accept("all")
        if kind == "except":
            return SetOp(kind="except", all=everything, left=inputs[0], right=inputs[1])
        return SetOp(kind="intersect", all=everything, left=inputs[0], right=inputs[1])

    return build


_NODES: Final[dict[str, Callable[[Reader, tuple[Rel, ...]], Rel]]] = {
    "filter": _filter,
    "project": _project,
    "join": _join,
    "aggregate": _aggregate,
    "distinct": lambda _, inputs: Distinct(input=inputs[0]),
    "union": lambda _, inputs: Union(parts=inputs),
    "except": _setop("except"),
    "intersect": _setop("intersect"),
    "window": _window,
    "topk": _topk,
    "unnest": _unnest,
}

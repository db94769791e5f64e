"""Plans as SQL text: each operator joins the SELECT of its input if it fits in there, else it reads it as a subquery.

Aliases (t0, t1, ...) are unique in the whole text, so that texts of columns never need to be renamed. The columns of a
subquery are called c0, c1, ... by position. What is used more than once, or nested too deeply, becomes a CTE.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, assert_never

from tidewheel.ir.forms import NOW
from tidewheel.ir.functions import can_raise
from tidewheel.ir.parts import SortKey
from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Opaque,
    Project,
    Rel,
    Scan,
    SetOp,
    TopK,
    Union,
    Unnest,
    Values,
    Window,
)  # fmt: skip
from tidewheel.ir.scalar import TRUE, Col, Scalar, conjuncts, walk
from tidewheel.ir.tree import nodes
from tidewheel.ir.typing import types_of
from tidewheel.sql.unparse.blocks import Block, Clause, fits, indented, lines_of
from tidewheel.sql.unparse.columns import columns_under, default_names, unused_prefix
from tidewheel.sql.unparse.dialect import CallText, Dialect, SortText
from tidewheel.sql.unparse.joins import add_join, add_not_in
from tidewheel.sql.unparse.scalars import write, write_order
from tidewheel.sql.unparse.texts import Level, Text

_DEEPEST: Final = 16


class PlanWriter:
    """One query's text in one dialect."""

    def __init__(self, dialect: Dialect, root: Rel) -> None:
        self.dialect = dialect
        self.aliases = 0
        self.ctes: list[tuple[str, list[str]]] = []
        self.shared: dict[bytes, tuple[str, Block]] = {}
        self.done: dict[bytes, Block] = {}
        self.prefix = unused_prefix(root)

    def query(self, root: Rel, names: Sequence[str]) -> str:
        """The text of a whole plan whose columns have names."""
        block = self._blocks(root)
        quoted = [self.dialect.name(n) for n in names]
        if block.body is not None and quoted != default_names(len(block.columns)):
            block = self.nested(block)
        main = self.lines(block, quoted)
        lines: list[str] = []
        for i, (name, body) in enumerate(self.ctes):
            lines += [
                f"{'' if i else 'WITH '}{name} AS {self.dialect.shared}(",
                *body,
                ")," if i + 1 < len(self.ctes) else ")",
            ]
        return "\n".join([*lines, *main])

    def _blocks(self, root: Rel) -> Block:
        """Write every node after its inputs; what has several users is written once."""
        uses = Counter(i.digest for node in nodes(root) for i in node.inputs)
        for node in nodes(root):
            if isinstance(node, Scan | Values):
                continue
            block = self.node(node, [self._input(i) for i in node.inputs])
            if uses[node.digest] > 1:
                self.shared[node.digest] = (self.cte(block), block)
            else:
                self.done[node.digest] = block
        return self._input(root)

    def _input(self, node: Rel) -> Block:
        if isinstance(node, Scan | Values):
            return self.node(node, [])
        if node.digest in self.shared:
            return self.use(*self.shared[node.digest])
        return self.done.pop(node.digest)

    # --- subqueries ---

    def alias(self) -> str:
        self.aliases += 1
        return f"t{self.aliases - 1}"

    def lines(self, block: Block, names: Sequence[str]) -> list[str]:
        if block.body is not None:
            return list(block.body)
        both = self.dialect.conjunction
        return lines_of(block, names, both(block.where), both(block.having))

    def cte(self, block: Block) -> str:
        name = f"{self.prefix}{len(self.ctes) + 1}"
        lines = self.lines(block, default_names(len(block.columns)))
        self.ctes.append((name, indented(lines)))
        return name

    def use(self, name: str, block: Block) -> Block:
        """A block that reads a CTE."""
        alias = self.alias()
        return Block(columns=columns_under(alias, block.columns), source=(f"{name} AS {alias}",), items=1)

    def nested(self, block: Block) -> Block:
        """A block that reads another one as a subquery."""
        if block.depth >= _DEEPEST:
            return self.use(self.cte(block), block)
        alias = self.alias()
        lines = self.lines(block, default_names(len(block.columns)))
        source = ("(", *indented(lines), f") AS {alias}")
        return Block(columns=columns_under(alias, block.columns), source=source, items=1, depth=block.depth + 1)

    def text(self, scalar: Scalar, block: Block) -> Text:
        return write(self.dialect, scalar, block.columns)

    def condition(self, scalar: Scalar, columns: Sequence[Text]) -> Text:
        return self.dialect.predicate(write(self.dialect, scalar, columns))

    def conditions(self, scalar: Scalar, columns: Sequence[Text]) -> tuple[Text, ...]:
        """The parts of an AND, each by itself."""
        return tuple(self.condition(part, columns) for part in conjuncts(scalar))

    # --- operators ---

    def node(self, node: Rel, inputs: Sequence[Block]) -> Block:
        match node:
            case Scan():
                return self._scan(node)
            case Values():
                return self._values(node)
            case Opaque():
                return self._opaque(node)
            case Filter():
                return self._filter(node, *inputs)
            case Project():
                # Engines compute the SELECT list of every row before LIMIT leaves most of them out.
                early = inputs[0].sorted and any(can_raise(e, types_of(node.input)) for e in node.exprs)
                return self._project(node.exprs, self.nested(inputs[0]) if early else inputs[0])
            case Join(kind="anti", keys=(key,)) if key.kind == "in" and node.residual == TRUE:
                return add_not_in(self, key, *inputs)
            case Join():
                return add_join(self, node, *inputs)
            case Aggregate():
                return self._aggregate(node, *inputs)
            case Distinct():
                block = inputs[0] if inputs[0].stage <= Clause.DISTINCT else self.nested(inputs[0])
                self.dialect.told_apart(block.columns)
                return replace(block, distinct=True)
            case Union():
                return self._compound("UNION ALL", inputs)
            case SetOp():
                self.dialect.told_apart([c for i in inputs for c in i.columns])
                return self._compound(f"{node.kind.upper()}{' ALL' if node.all else ''}", inputs)
            case Window():
                return self._window(node, *inputs)
            case TopK():
                return self._topk(node, *inputs)
            case Unnest():
                return self._unnest(node, *inputs)
        assert_never(node)

    def _scan(self, node: Scan) -> Block:
        if node.form != NOW:
            raise ValueError(f"{node.label}: what an engine reads has a name")
        alias, name = self.alias(), self.dialect.name
        columns = tuple(Text(sql=f"{alias}.{name(c.name)}", type=c.type, bare=True) for c in node.columns)
        return Block(columns=columns, source=(f"{name(node.relation)} AS {alias}",), items=1)

    def _values(self, node: Values) -> Block:
        rows = [[write(self.dialect, s, ()) for s in row] for row in node.rows]
        if len(rows) == 1:
            return Block(columns=tuple(rows[0]))
        alias = self.alias()
        item, columns = self.dialect.values(node, rows, alias)
        nothing = () if rows else (Text(sql="FALSE", constant=True),)
        return Block(columns=tuple(columns), source=(item,), items=1, where=nothing)

    def _opaque(self, node: Opaque) -> Block:
        """The user's own text in a CTE, not indented: a string in it may hold line breaks."""
        names = default_names(node.width)
        name = f"{self.prefix}{len(self.ctes) + 1}"
        body = f"SELECT * FROM (\n{self.dialect.opaque(node)}\n) AS {self.alias()}({', '.join(names)})"
        self.ctes.append((name, [body]))
        return self.use(
            name, Block(columns=tuple(Text(sql=n, type=c.type) for n, c in zip(names, node.columns, strict=True)))
        )

    def _filter(self, node: Filter, block: Block) -> Block:
        joins = block.stage == Clause.SOURCE or (block.stage == Clause.GROUPED and not block.sets)
        if not joins or not fits(block, [node.predicate], kept=True):
            block = self.nested(block)
        conditions = self.conditions(node.predicate, block.columns)
        if block.group is not None:
            return replace(block, having=block.having + conditions)
        return replace(block, where=block.where + conditions)

    def _project(self, exprs: Sequence[Scalar], block: Block) -> Block:
        unfit = block.stage in {Clause.DISTINCT, Clause.CLOSED} or not fits(block, exprs)
        used = {c.index for e in exprs for c in walk(e) if isinstance(c, Col)}
        # Without an aggregate in it, SELECT 1 FROM t would no longer give one row.
        ungrouped = block.group == "" and not block.having and not used & (block.aggregates or frozenset())
        if unfit or ungrouped:
            block = self.nested(block)
        columns = tuple(self.text(e, block) for e in exprs)
        if block.group != "":
            return replace(block, columns=columns)
        left = frozenset(
            i
            for i, e in enumerate(exprs)
            if any(isinstance(c, Col) and c.index in (block.aggregates or ()) for c in walk(e))
        )
        return replace(block, columns=columns, aggregates=left)

    def _window(self, node: Window, block: Block) -> Block:
        scalars = [*node.partition, *(k.expr for k in node.order), *(s for c in node.calls for s in c.scalars)]
        if block.stage > Clause.SOURCE or not fits(block, scalars, kept=True):
            block = self.nested(block)
        keys = [self.text(s, block) for s in (*node.partition, *(k.expr for k in node.order))]
        columns = list(block.columns)
        if any(k.fragile for k in keys):
            # DuckDB takes no key of a window that may raise, unless it is a column.
            block = self.nested(replace(block, columns=(*columns, *keys)))
            columns, keys = list(block.columns[: len(columns)]), list(block.columns[len(columns) :])
        partition = list(self.dialect.told_apart(keys[: len(node.partition)]))
        sorts = zip(keys[len(partition) :], node.order, strict=True)
        order = [SortText(text, k.descending, k.nulls_first) for text, k in sorts]
        for call in node.calls:
            args = [self.text(a, block) for a in call.args]
            where = None if call.where is None else self.condition(call.where, block.columns)
            parts = CallText(args=args, where=where, order=order, partition=partition)
            columns.append(replace(self.dialect.window(call, parts), constant=False))
        return replace(block, columns=tuple(columns), windowed=True)

    def _topk(self, node: TopK, block: Block) -> Block:
        if node.limit is None and not node.offset:
            return block
        fitting = block.stage <= Clause.GROUPED and not block.sets
        if not fitting or not fits(block, [k.expr for k in node.order], kept=True):
            block = self.nested(block)
        order = self._order(node.order, block)
        return replace(block, order=tuple(order), limit=node.limit, offset=node.offset, sorted=True)

    def _order(self, order: Sequence[SortKey], block: Block) -> list[str]:
        """Sort keys; a constant one says nothing, and a number would be read as a column's position."""
        written = write_order(self.dialect, order, block.columns)
        return [self.dialect.sort(k) for k in written if not k.expr.constant]

    def _unnest(self, node: Unnest, block: Block) -> Block:
        if block.stage > Clause.SOURCE or not block.source or not fits(block, node.args):
            block = self.nested(block)
        args = [self.text(a, block) for a in node.args]
        alias = self.alias()
        line, columns = self.dialect.unnest(node, args, alias)
        return replace(
            block,
            columns=(*block.columns, *columns),
            source=(*block.source, line),
            items=block.items + 1,
            unnested=not self.dialect.joins_after_unnest,
        )

    def _compound(self, operator: str, inputs: Sequence[Block]) -> Block:
        """Queries with an operator between them, each with the same columns."""
        parts = [self.nested(b) if b.body is not None and b.depth >= _DEEPEST else b for b in inputs]
        for i, texts in enumerate(self.dialect.align([b.columns for b in parts])):
            fixed = parts[i].stage in {Clause.DISTINCT, Clause.CLOSED}
            if fixed and tuple(texts) != parts[i].columns:
                parts[i] = self.nested(parts[i])
        columns = self.dialect.align([b.columns for b in parts])
        names = default_names(len(columns[0]))
        body: list[str] = []
        depth = 0
        for part, texts in zip(parts, columns, strict=True):
            lines = self.lines(replace(part, columns=tuple(texts)), names)
            flat = part.body is None or operator == part.operator == "UNION ALL"
            body += [operator] if body else []
            body += lines if flat and not part.sorted else ["(", *indented(lines), ")"]
            depth = max(depth, part.depth + (not flat))
        made = tuple(Text(sql=n, type=c.type) for n, c in zip(names, columns[0], strict=True))
        return Block(columns=made, body=tuple(body), operator=operator, depth=depth)

    def _aggregate(self, node: Aggregate, block: Block) -> Block:
        scalars = [*node.keys, *(s for c in node.calls for s in c.scalars)]
        keys = node.keys
        if block.stage > Clause.SOURCE or not fits(block, scalars):
            block = self.nested(block)
        texts = list(self.dialect.told_apart([self.text(k, block) for k in keys]))
        several = node.sets is not None and not (len(node.sets) == 1 and not keys)
        if not _group_as_written(texts, several=several):
            block, texts = self._computed_below(block, texts, dummy=several)
        args = [self._call(node, i, block) for i in range(len(node.calls))]
        columns = list(texts[: len(keys)])
        group, held = ", ".join(t.sql for t in texts), tuple[Text, ...]()
        if several and node.sets is not None:
            columns.append(self.dialect.grouping_id(texts if keys else []))
            group, condition = self.dialect.grouping_sets([t.sql for t in texts], node.sets)
            held = (Text(sql=condition),) if condition else ()
        elif node.sets is not None:
            columns.append(self.dialect.grouping_id([]))
        first = len(columns)
        columns += args
        if not columns:
            held = (Text(sql="count(*) >= 0"),)
        return replace(
            block,
            columns=tuple(columns),
            group=group,
            sets=several,
            aggregates=frozenset(range(first, len(columns))),
            having=held,
        )

    def _call(self, node: Aggregate, index: int, block: Block) -> Text:
        call = node.calls[index]
        parts = CallText(
            args=[self.text(a, block) for a in call.args],
            where=None if call.where is None else self.condition(call.where, block.columns),
            order=write_order(self.dialect, call.order, block.columns),
            partition=[],
        )
        return replace(self.dialect.aggregate(call, parts), constant=False)

    def _computed_below(self, block: Block, texts: Sequence[Text], *, dummy: bool) -> tuple[Block, list[Text]]:
        """The keys of a GROUP BY as columns of a subquery, which come after its own."""
        width = len(block.columns)
        extra = list(texts) or ([Text(sql="0", constant=True)] if dummy else [])
        block = self.nested(replace(block, columns=(*block.columns, *extra)))
        return replace(block, columns=block.columns[:width]), list(block.columns[width:])


def _group_as_written(texts: Sequence[Text], *, several: bool) -> bool:
    """May these keys stand in a GROUP BY: a number would be a position, and equal ones would become one.

    DuckDB does not know `a OR b` again within `x OR (a OR b)`, which it reads as an OR of three.
    """
    distinct = len({t.sql for t in texts}) == len(texts)
    usable = all(not t.constant and t.stable and (t.bare or not several) and t.level > Level.AND for t in texts)
    return distinct and usable and bool(texts or not several)

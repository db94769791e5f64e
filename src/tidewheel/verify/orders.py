"""What may differ between a view and its query, because it hangs on the order in which rows come."""

from __future__ import annotations

import itertools
from typing import Final

from tidewheel.ir.aggregates import AGGREGATES
from tidewheel.ir.order import Hang, OrderDependence, order_given
from tidewheel.ir.rel import Opaque, Query, Rel
from tidewheel.project.graph import Graph, View
from tidewheel.sql.text import tokenize
from tidewheel.types import Schema
from tidewheel.verify.compare import Allowance

BY_CHANCE: Final = "it may differ by chance: which rows it has depends on the order of rows"
_ORDERED: Final = frozenset(name for name, facts in AGGREGATES.items() if facts.ordered)


class Orders:
    """What hangs on the order of rows in views, each after those that it reads."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.columns: dict[str, dict[str, Hang]] = {}
        self.by_chance: set[str] = set()

    def add(self, view: View, query: Query) -> None:
        """Take in a view whose inputs are known."""
        order = self._order(view, query.rel)
        self.columns[view.name.lower()] = {n.lower(): h for n, h in zip(query.names, order.columns, strict=False)}
        if order.rows:
            self.by_chance.add(view.name)

    def decides_rows(self, view: str) -> bool:
        """May the view have other rows each time."""
        return view in self.by_chance

    def allowance(self, view: str, schema: Schema) -> Allowance:
        known = self.columns.get(view.lower(), {})
        hangs = [known.get(name.lower(), Hang.NOT) for name in schema.names]
        return Allowance.of(schema.names, hangs, schema)

    def of(self, rel: Rel) -> OrderDependence:
        """What hangs on the order of rows in a plan over views that were taken in."""
        return order_given(self.columns)(rel)

    def _order(self, view: View, rel: Rel) -> OrderDependence:
        order = self.of(rel)
        if any(name in self.by_chance for name in self.graph.inputs[view.name]):
            return OrderDependence(order.columns, rows=True)
        if not isinstance(rel, Opaque):
            return order
        hangs = any(any(self.columns.get(name.lower(), {}).values()) for name in self.graph.inputs[view.name])
        return OrderDependence(order.columns, rows=hangs or _calls_ordered(view.sql))


def _calls_ordered(sql: str) -> bool:
    """Is an aggregate called that depends on the order of rows, as far as the text shows."""
    tokens = tokenize(sql)
    return any(a.text.lower() in _ORDERED and b.text == "(" for a, b in itertools.pairwise(tokens))

"""All rules, in the order in which they are tried on a node.

Two kinds only. A rule of a node looks at one node and its inputs and is tried on every node, from the bottom up, until
none fires. A rule of the plan looks at all of it at once, between two such rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tidewheel.ir.norm.extract_join_keys import extract_join_keys
from tidewheel.ir.norm.factor_disjunctions import factor_disjunctions
from tidewheel.ir.norm.flatten_unions import flatten_unions
from tidewheel.ir.norm.fold_constants import fold_constants
from tidewheel.ir.norm.merge_filters import merge_filters
from tidewheel.ir.norm.merge_projects import merge_projects
from tidewheel.ir.norm.propagate_empty import propagate_empty
from tidewheel.ir.norm.prune_columns import prune_columns
from tidewheel.ir.norm.push_condition_into_join_inputs import push_condition_into_join_inputs
from tidewheel.ir.norm.push_filter_into_join import push_filter_into_join
from tidewheel.ir.norm.push_filter_through_aggregate import push_filter_through_aggregate
from tidewheel.ir.norm.push_filter_through_distinct import push_filter_through_distinct
from tidewheel.ir.norm.push_filter_through_project import push_filter_through_project
from tidewheel.ir.norm.push_filter_through_setop import push_filter_through_setop
from tidewheel.ir.norm.push_filter_through_union import push_filter_through_union
from tidewheel.ir.norm.push_filter_through_unnest import push_filter_through_unnest
from tidewheel.ir.norm.push_filter_through_window import push_filter_through_window
from tidewheel.ir.norm.remove_distinct import remove_distinct
from tidewheel.ir.norm.remove_distinct_of_semi_join import remove_distinct_of_semi_join
from tidewheel.ir.norm.remove_empty_part import remove_empty_part
from tidewheel.ir.norm.remove_identity_project import remove_identity_project
from tidewheel.ir.norm.remove_true_filter import remove_true_filter
from tidewheel.ir.norm.simplify_booleans import simplify_booleans
from tidewheel.ir.norm.turn_aggregate_into_distinct import turn_aggregate_into_distinct
from tidewheel.ir.norm.turn_outer_join_into_inner import turn_outer_join_into_inner
from tidewheel.ir.rel import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Project,
    Rel,
    SetOp,
    TopK,
    Union,
    Unnest,
    Values,
    Window,
)  # fmt: skip

_COMPUTING: Final = (Filter, Project, Join, Aggregate, Window, TopK, Unnest, Values)
_EVERYTHING: Final = (*_COMPUTING, Distinct, Union, SetOp)


@dataclass(frozen=True, slots=True, kw_only=True)
class NormRule:
    """A rule and the kinds of nodes it may fire on.

    One that `specializes` makes another node of its input: it does not fire if that is a costly part which others use
    too, for then it would be computed twice.
    """

    apply: Callable[[Any], Iterator[Rel]]
    on: tuple[type, ...]
    specializes: bool = False

    @property
    def name(self) -> str:
        return self.apply.__name__


NODE_RULES: Final = (
    NormRule(apply=fold_constants, on=_COMPUTING),
    NormRule(apply=simplify_booleans, on=_COMPUTING),
    NormRule(apply=propagate_empty, on=_EVERYTHING),
    NormRule(apply=remove_empty_part, on=(Union, Join, SetOp)),
    NormRule(apply=remove_true_filter, on=(Filter,)),
    NormRule(apply=factor_disjunctions, on=(Filter, Join)),
    NormRule(apply=merge_filters, on=(Filter,)),
    NormRule(apply=push_filter_through_project, on=(Filter,)),
    NormRule(apply=turn_outer_join_into_inner, on=(Filter,), specializes=True),
    NormRule(apply=push_filter_into_join, on=(Filter,), specializes=True),
    NormRule(apply=push_filter_through_aggregate, on=(Filter,), specializes=True),
    NormRule(apply=push_filter_through_union, on=(Filter,), specializes=True),
    NormRule(apply=push_filter_through_distinct, on=(Filter,), specializes=True),
    NormRule(apply=push_filter_through_setop, on=(Filter,), specializes=True),
    NormRule(apply=push_filter_through_window, on=(Filter,), specializes=True),
    NormRule(apply=push_filter_through_unnest, on=(Filter,), specializes=True),
    NormRule(apply=push_condition_into_join_inputs, on=(Join,)),
    NormRule(apply=extract_join_keys, on=(Join,)),
    NormRule(apply=remove_distinct_of_semi_join, on=(Join,)),
    NormRule(apply=merge_projects, on=(Project,)),
    NormRule(apply=remove_identity_project, on=(Project,)),
    NormRule(apply=flatten_unions, on=(Union,), specializes=True),
    NormRule(apply=turn_aggregate_into_distinct, on=(Aggregate,)),
    NormRule(apply=remove_distinct, on=(Distinct,)),
)
PLAN_RULES: Final = (NormRule(apply=prune_columns, on=()),)
RULES: Final = {rule.name: rule for rule in (*NODE_RULES, *PLAN_RULES)}
"""Every rule by its name: the one in its file, in tests, in traces and in `disabled`."""

"""All ways to the change of an operator, by name, in order of preference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidewheel.delta.change import DeltaPlan, difference
from tidewheel.delta.forms import DeltaRule, Forms
from tidewheel.delta.groups import by_groups, by_sets, varying
from tidewheel.delta.joins import by_keys, by_parts, by_terms, full_as_union
from tidewheel.delta.linear import filtered, projected, united, unnested
from tidewheel.ir.rel import Aggregate, Distinct, Filter, Join, Project, Rel, SetOp, TopK, Union, Unnest, Window


def by_difference(forms: Forms, rel: Rel) -> DeltaPlan | None:
    """d(X) = X_new - X_old.

    Nothing that may vary is computed for both, however deep it lies. Wrong, if sums come out differently:

        SELECT count(*) FROM (SELECT t, row_number() OVER (ORDER BY id) AS n
                              FROM (SELECT id, sum(x) OVER (PARTITION BY g) AS t FROM s)) WHERE t >= 0.3

    A row of 0.30000000000000004 that was counted is taken away as one of 0.3, or not at all.
    """
    if not any(forms.delta(part) is not None for part in rel.inputs):
        return None
    for node in varying(forms, rel):
        forms.keep(node)
    forms.wants(rel)
    return difference(forms.whole(rel, "new"), forms.whole(rel, "old"))


def _rule(name: str, apply: Callable[[Forms, Any], DeltaPlan | None]) -> DeltaRule:
    return DeltaRule(name, apply, (apply.__doc__ or "").strip())


LAST: Final = _rule("difference", by_difference)
"""What is left if no other rule applies."""
RULES: Final[dict[type[Rel], tuple[DeltaRule, ...]]] = {
    Filter: (_rule("filter", filtered),),
    Project: (_rule("project", projected),),
    Unnest: (_rule("unnest", unnested),),
    Union: (_rule("union", united),),
    Join: (
        _rule("join-terms", by_terms),
        _rule("join-parts", by_parts),
        _rule("full-join-as-union", full_as_union),
        _rule("join-keys", by_keys),
    ),
    Aggregate: (_rule("grouping-sets", by_sets), _rule("groups", by_groups)),
    Distinct: (_rule("distinct-rows", by_groups),),
    SetOp: (_rule("setop-rows", by_groups),),
    Window: (_rule("window-partitions", by_groups),),
    TopK: (),
}
NAMES: Final = (*(rule.name for rules in RULES.values() for rule in rules), LAST.name)

"""Mutants that no test can notice, each with the reason."""

from __future__ import annotations

from typing import Final

EQUIVALENT: Final[dict[str, str]] = {
    "delta/partials.py _divides_exactly: 38 -> 39": "so many digits leave the quotient too few in any case",
    "delta/partials.py _divides_exactly: 38 -> 39 #2": "so many digits leave the quotient too few in any case",
    "delta/groups.py split_sets: not isinstance(rel, Aggregate) or rel.sets is None -> rel.sets is None": (
        "only aggregates are asked; the check is for the type checker"
    ),
    "delta/joins.py _term: number < lead -> number <= lead": "no input follows itself",
    "delta/maintain.py _change: None if change is None else (change, 'groups') -> (change, 'groups')": (
        "the input is known to have changed"
    ),
    "delta/rules.py by_difference: forms.wants(rel) -> pass": "asking for all rows says the same",
    "delta/maintain.py _merge: 'coalesce' -> 'greatest'": "the greatest of a condition and FALSE is the same",
}

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
    "delta/joins.py by_parts: total(parts) if parts else None -> total(parts)": (
        "only the change of what changed is asked for, and so there are parts"
    ),
    "delta/joins.py by_keys: if not domains: return None -> pass": "only the change of what changed is asked for",
    "delta/rules.py by_difference: forms.wants(rel) -> pass": "asking for all rows says the same",
    "optimize/exploration.py _Pushed.__init__: super().__init__() -> pass": (
        "what it makes once is kept for what is pushed further down in one go, and this pushes one step at a time"
    ),
    "optimize/exploration.py Exploration.moves: nodes(rel) if rel.digest not in self._moves else () -> nodes(rel)": (
        "what is known is looked at once more, and found"
    ),
    "optimize/maintenance.py _asked: for digest, rel in asked.items() if digest != upkeep.view.rel.digest -> "
    "for digest, rel in asked.items()": "a view is arranged as no state of its own, whether it is asked for or not",
    "delta/maintain.py _merge: 'coalesce' -> 'greatest'": "the greatest of a condition and FALSE is the same",
}

"""One case on every evaluator, and what counts as a difference.

The reference evaluator says what is right. Against it stand: DuckDB on the unparsed plan; both again on the normalized
plan, with some rules switched off at random; the binder, which must read our own text back to an equivalent plan; and
Spark, which is the judge when two of us disagree.

Outcomes agree when the bags of rows are equal, or when both raise. Generated expressions do not raise, except in the
last projection of a few cases, over every row, where no engine may get around it. One thing is excused: a normalized
plan may raise less, since what raised may have been in a column that nobody reads. Whoever declines a case (a function
outside the local engine's list, one that the reference has no rule for) does not take part; how often that happens is
counted and shown.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tests.fuzz.local import Local
from tests.fuzz.outcomes import Broken, Declined, Outcome, Raised, Rows, bag
from tests.fuzz.tables import Case, Data
from tidewheel.ir.norm import RULES, normalize
from tidewheel.ir.rel import Opaque, Query
from tidewheel.ir.text import parse_query, print_query
from tidewheel.ir.typing import types_of
from tidewheel.sql.bind import bind
from tidewheel.sql.bind.catalog import CatalogRelation
from tidewheel.sql.unparse import to_spark
from tidewheel.tvr.reference.errors import EvaluationError, Unsupported
from tidewheel.tvr.reference.evaluate import Result, Table, compute


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Who disagreed with the reference, and how."""

    case: Case
    who: str
    expected: Outcome
    found: Outcome

    @property
    def kind(self) -> tuple[str, str, str]:
        """What a smaller case must have in common with this one to be a case of the same thing."""
        return self.who, type(self.expected).__name__, type(self.found).__name__

    def __str__(self) -> str:
        return f"{self.case.label}: {self.who} differs\nreference:\n{self.expected}\n{self.who}:\n{self.found}"


@dataclass(slots=True, kw_only=True)
class Verdict:
    """All that was learned from one case."""

    outcomes: dict[str, Outcome]
    difference: Difference | None = None


def reference(case: Case, query: Query | None = None) -> Outcome:
    """The case on the reference evaluator."""
    result = computed(query or case.query, {t.name: Table(t.columns, t.rows) for t in case.tables})
    if not isinstance(result, Result):
        return result
    if case.types is not None and result.types != case.types:
        return Broken(f"its types are {result.types}")
    return bag(result.rows)


def computed(query: Query, tables: Mapping[str, Table]) -> Result | Raised | Declined | Broken:
    """What the reference gives, or what it did instead."""
    try:
        return compute(query.rel, tables)
    except EvaluationError as error:
        return Raised(str(error))
    except Unsupported as error:
        return Declined(str(error))
    except Exception:  # noqa: BLE001  the reference must not fail in any other way
        return Broken(traceback.format_exc(limit=-6))


def agree(expected: Outcome, found: Outcome) -> bool:
    match expected, found:
        case Broken(), _:
            return False
        case _, Broken():
            return False
        case Declined(), _:
            return True
        case _, Declined():
            return True
        case Rows(a), Rows(b):
            return a == b
    return isinstance(expected, Raised) and isinstance(found, Raised)


def _raises_less(expected: Outcome, found: Outcome) -> bool:
    return isinstance(expected, Raised) and isinstance(found, Rows)


class Comparison:
    """The evaluators that need no JVM, ready to run one case after another."""

    def __init__(self) -> None:
        self.local = Local()

    def check(self, case: Case) -> Verdict:
        """Run all; stop at the first that differs from the reference."""
        expected = reference(case)
        verdict = Verdict(outcomes={"reference": expected})
        for who, run in self._others(case):
            found = run()
            verdict.outcomes[who] = found
            if not agree(expected, found) and not (_raises_less(expected, found) and "normalized" in who):
                verdict.difference = Difference(case=case, who=who, expected=expected, found=found)
                break
        return verdict

    def _others(self, case: Case) -> Iterator[tuple[str, Callable[[], Outcome]]]:
        yield "text", lambda: _text(case)
        yield "types", lambda: _types(case)
        yield "local", lambda: self.local.run(case)
        try:
            query = normalized(case)
        except Exception:  # noqa: BLE001  the rules must not fail
            failure = Broken(traceback.format_exc(limit=-6))
            yield "normalized", lambda: failure
            return
        if query != case.query:
            yield "normalized", lambda: reference(case, query)
            yield "local normalized", lambda: self.local.run(case, query)
        if _is_bound_again(case):
            yield "bound", lambda: bound_again(case)


def normalized(case: Case) -> Query:
    """The case's query after normalization, with the rules that its label leaves out."""
    rng = random.Random(f"rules {case.label}")
    share = rng.choice((0.0, 0.0, 0.2, 0.5))
    return normalize(case.query, disabled=frozenset(r for r in RULES if rng.random() < share))


def _is_bound_again(case: Case) -> bool:
    """Kept cases, and one seed in four, since parsing SQL takes as long as all the rest."""
    return not case.label.startswith("seed") or random.Random(f"bind {case.label}").random() < 0.25


def bound_again(case: Case) -> Outcome:
    """The plan's text for Spark, bound to a plan again, on the reference."""
    catalog = {t.name.lower(): _relation(t) for t in case.tables}
    try:
        query = bind(to_spark(case.query), catalog)
    except Exception:  # noqa: BLE001  our own text is valid
        return Broken(f"{traceback.format_exc(limit=-6)}\n{to_spark(case.query)}")
    if isinstance(query.rel, Opaque):
        return Declined(f"it is opaque: {query.rel.reason}")
    if tuple(n.lower() for n in query.names) != tuple(n.lower() for n in case.query.names):
        return Broken(f"its columns are called {query.names}")
    return reference(case, query)


def _relation(table: Data) -> CatalogRelation:
    keys = tuple(tuple(table.columns[i].name for i in key) for key in table.keys)
    return CatalogRelation(name=table.name, columns=table.columns, keys=keys)


def _text(case: Case) -> Outcome:
    """Does the plan's text read back to the very same plan?"""
    text = print_query(case.query)
    again = parse_query(text)
    return Declined("it takes no part") if again == case.query and print_query(again) == text else Broken(text)


def _types(case: Case) -> Outcome:
    """Are the derived types those that the generator meant?"""
    kinds = types_of(case.query.rel)
    if case.types is None or kinds == case.types:
        return Declined("it takes no part")
    return Broken(f"expected {case.types}\nderived {kinds}")

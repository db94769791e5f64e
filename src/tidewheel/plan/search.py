"""The program that brings one view up to date from changes: the cheapest that its rules give."""

from __future__ import annotations

from dataclasses import dataclass

from tidewheel.errors import UserError
from tidewheel.optimize.exploration import TooLargeError
from tidewheel.optimize.maintenance import explored, looked_at
from tidewheel.optimize.priced import PricedWay
from tidewheel.optimize.trace import Trace, trace_of
from tidewheel.optimize.valuation import Decision
from tidewheel.plan.binding.reading import Reading
from tidewheel.plan.defined.maintenance import NotMaintained
from tidewheel.plan.memory import Memo
from tidewheel.plan.plan import Reason
from tidewheel.plan.pricing.pricing import Pricing
from tidewheel.program import Program, program_of


class StateMissingError(Exception):
    """A change needs rows as they were computed before, and these are not stored."""


def program_for(pricing: Pricing, reading: Reading, *, quick: bool = False) -> Program | NotMaintained:
    """The changes of the view and its states, by the cheapest rules."""
    found = searched(pricing, reading, quick=quick)
    return found if isinstance(found, NotMaintained) else found.program


@dataclass(frozen=True, slots=True)
class FoundProgram:
    """What was found, what was looked at on the way, and the price over what would be read, if that was needed."""

    program: Program
    trace: Trace
    priced: tuple[Reading, PricedWay] | None = None


def searched(pricing: Pricing, reading: Reading, *, quick: bool = False) -> FoundProgram | NotMaintained:
    """The changes of the view and its states by the cheapest rules, and what was looked at on the way.

    What was planned is at hand when it is run, and at the next refresh if changes and tables are about as large. If
    they are not, what there is to choose from is still known, and is only priced anew.
    """
    upkeep = reading.upkeep
    kinds = tuple(sorted((name.lower(), delta.kind) for name, delta in reading.deltas.items()))
    changed = {name: delta.rows.bit_length() for name, delta in reading.deltas.items()}
    sizes = tuple((name, changed.get(name), reading.size(name).bit_length()) for name in sorted(reading.entry.inputs))
    named = pricing.placement.names_changes(len(upkeep.states))
    copies, options, memory = pricing.placement.is_for_spark, pricing.options, pricing.memory
    key = (upkeep.signature, tuple(s.columns for s in upkeep.stored), kinds, quick, named, options.exploration)
    priced: tuple[Reading, PricedWay] | None = None

    def forms() -> Memo:
        return explored(upkeep, dict(kinds), quick=quick, named=named, options=options.exploration)

    def planned() -> tuple[Program, Trace]:
        nonlocal priced
        looked = looked_at(*memory.memos.get(key, forms), pricing.decide(reading))
        if not looked.is_sound():
            raise StateMissingError
        chosen = looked.choose.made if isinstance(looked.choose, Decision) else {}
        program = program_of(looked, chosen, copies=copies)
        if program.intermediates and not copies:
            program, priced = _cheaper(pricing, reading, program_of(looked, {}, copies=False), program)
        return program, trace_of(looked)

    try:
        program, trace = memory.programs.get((key, sizes, pricing.placement, options), planned)
        return FoundProgram(program, trace, priced)
    except TooLargeError:
        return NotMaintained(Reason("too-many-forms", "its change has too many forms to be planned"))
    except StateMissingError:
        return NotMaintained(Reason("no-state", "it was built without a state that its change must be read from"))
    except (RecursionError, UserError) as error:
        return NotMaintained(Reason("too-deep", f"its change cannot be planned ({type(error).__name__})"))


def _cheaper(pricing: Pricing, reading: Reading, *programs: Program) -> tuple[Program, tuple[Reading, PricedWay]]:
    """Of some programs the first that is the cheapest over the files that each would read.

    The search prices a goal by itself. Where it stands in a statement, what that asks for bounds the files of the goal,
    too: to make a result for two readers may cost more than to compute a small part of it for each.
    """
    first = reading.anew()
    readings = [first.again() for _ in programs]  # what was seen for one of them need not be looked at for the next
    ways = [pricing.from_changes(read.view, read, each) for read, each in zip(readings, programs, strict=True)]
    best = min(range(len(programs)), key=lambda n: ways[n].seconds)
    return programs[best], (readings[best], ways[best])

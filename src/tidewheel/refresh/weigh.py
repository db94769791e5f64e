"""The choice between changes and full, for all views of a run together.

A view that is recomputed has no change that those below it could be brought up to date from: they are recomputed with
it. So it is weighed together with them. Now and then the arm that loses is tried all the same, if it is not much worse:
a prediction that is never put to the test stays as wrong as it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tidewheel.optimize.arms import Arm, Learned
from tidewheel.refresh.look import Look
from tidewheel.refresh.plan import Reason, Step

MARGIN: Final = 0.8
LEAST = 0.3
"""Full must be so much cheaper, by share and in seconds."""
TRY_EVERY: Final = 30
TRY_UP_TO: Final = 2.0
"""The losing arm is tried once in so many refreshes of a view, and if it is predicted to take at most so many times
as long: trials take a few percent of the time."""


def weigh(look: Look) -> None:
    """Turn steps from changes to full where that is cheaper, those below first; then see what to try."""
    graph = look.definition.graph
    for name in reversed(graph.order):
        together = [name, *(below for below in graph.order if below in graph.descendants(name))]
        open_ = [look.steps[n] for n in together if n in look.steps and look.steps[n].builds]
        from_changes = [s for s in open_ if s.method != "full"]
        if look.steps[name] not in from_changes or not all(_is_free(look, s) for s in from_changes):
            continue
        cost, full = (sum(s.arms[i].seconds for s in from_changes) for i in (0, 1))
        if full < MARGIN * cost and cost - full > LEAST:
            for step in from_changes:
                look.steps[step.view] = in_full(step, cheaper(step))
    learned = look.chooser.pricing.learned
    for name, step in look.steps.items():
        if _is_free(look, step) and not any(look.steps[r].builds for r in graph.readers(name) if r in look.steps):
            tried = trial(step, learned)
            if tried is not None:
                look.steps[name] = tried


def _is_free(look: Look, step: Step) -> bool:
    """Is it for the cost to decide."""
    view = look.definition.graph.views[step.view]
    return len(step.arms) == 2 and view.options.refresh == "auto"


def cheaper(step: Step) -> Reason:
    changes, full = step.arms
    return Reason("cheaper", f"that is cheaper: {full.seconds:.1f} s, from changes {changes.seconds:.1f} s")


def in_full(step: Step, why: Reason) -> Step:
    return replace(step, method="full", full=why, arms=(step.arms[1], step.arms[0]))


def trial(step: Step, learned: Learned) -> Step | None:
    """The step by its other arm, if that is due; None if not."""
    chosen, other = step.arms
    memory = learned.memory(step.view, other.name)
    if chosen.seconds < LEAST or other.seconds > TRY_UP_TO * chosen.seconds:
        return None
    if memory is not None and memory.last < TRY_EVERY:
        return None
    why = Reason("trial", "it is tried now and then, to see whether the prediction still holds")
    arms: tuple[Arm, ...] = (other, chosen)
    if other.name == "full":
        return replace(step, method="full", full=why, arms=arms, trial=True)
    return replace(step, method=other.method, full=None, arms=arms, trial=True)

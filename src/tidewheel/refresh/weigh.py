"""The choice between changes and full, for all views of a run together.

A view that is recomputed has no change that those below it could be brought up to date from: they are recomputed with
it. So it is weighed together with them. Now and then the arm that loses is tried all the same, if it is not much worse:
a prediction that is never put to the test stays as wrong as it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tidewheel.optimize.arms import Learned
from tidewheel.refresh.look import Look
from tidewheel.refresh.plan import Reason, Step

MARGIN: Final = 0.9
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
        if not _is_from_changes(look.steps[name]):
            continue
        below = [look.steps[n] for n in graph.descendants(name)]
        together = [look.steps[name], *filter(_is_from_changes, below)]
        if not all(_is_free(look, step) for step in together):
            continue
        cost, full = (sum(step.arms[i].seconds for step in together) for i in (0, 1))
        if full < MARGIN * cost and cost - full > LEAST:
            for step in together:
                look.steps[step.view] = replace(
                    step, method="full", full=cheaper(step), arms=(step.arms[1], step.arms[0])
                )
    learned = look.chooser.pricing.learned
    for name, step in look.steps.items():
        if _is_free(look, step) and not any(look.steps[reader].builds for reader in graph.readers(name)):
            look.steps[name] = trial(step, learned) or step


def _is_from_changes(step: Step) -> bool:
    return step.builds and step.method != "full"


def _is_free(look: Look, step: Step) -> bool:
    """Is it for the cost to decide."""
    return len(step.arms) == 2 and look.definition.graph.views[step.view].options.refresh == "auto"


def cheaper(step: Step) -> Reason:
    changes, full = step.arms
    return Reason("cheaper", f"that is cheaper: {full.seconds:.1f} s, from changes {changes.seconds:.1f} s")


def trial(step: Step, learned: Learned) -> Step | None:
    """The step by its other arm, if that is due; None if not."""
    chosen, other = step.arms
    memory = learned.memory(step.view, other.name)
    if chosen.seconds < LEAST or other.seconds > TRY_UP_TO * chosen.seconds:
        return None
    if memory is not None and memory.last < TRY_EVERY:
        return None
    why = Reason("trial", "it is tried now and then, to see whether the prediction still holds")
    full = why if other.name == "full" else None
    return replace(step, method=other.method, full=full, arms=(other, chosen), trial=True)

"""The choice for all views of a run together: by which way each is brought up to date, and what is read once.

Each view was priced by itself, as if the changes of all that it reads were known. Now and then the way that loses is
tried all the same, if it is not much worse: a prediction that is never put to the test stays as wrong as it is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from tidewheel.methods import is_full
from tidewheel.optimize.graph_choice import GraphChoice, OpenPart, OpenView, choose_ways
from tidewheel.optimize.learning import Learned
from tidewheel.optimize.options import PlannerOptions
from tidewheel.optimize.priced import PricedWay
from tidewheel.optimize.trials import OpenTrial, affordable_trials
from tidewheel.plan.binding.parts import Parts, Sharing
from tidewheel.plan.candidates import Chooser
from tidewheel.plan.context import PlanContext
from tidewheel.plan.plan import Reason, Step
from tidewheel.plan.pricing.sharing import worth_sharing


def choose(context: PlanContext, chooser: Chooser) -> tuple[Sharing, ...]:
    """Let every step that could be taken from changes be taken by its best way; what is read once for several."""
    steps = {name: step for name, step in context.steps.items() if name in chooser.candidates and step.builds}
    offered = worth_sharing(chooser.pricing, {name: chooser.candidates[name] for name in steps})
    options = chooser.pricing.options
    choice = choose_ways([_open(context, step, steps) for step in steps.values()], _parts(offered, options), options)
    going = {name for name, way in choice.ways.items() if way == "changes"}
    shared = tuple(s.only(going) for s in offered if s.part.name in choice.parts and going & set(s.views))
    _share(context, chooser, shared)
    for name in steps:
        _take(context, name, choice)
    _try_others(context, chooser.pricing.learned, options)
    return shared


def _open(context: PlanContext, step: Step, steps: Collection[str]) -> OpenView:
    """The ways that a view may take: only from changes, if its options say so."""
    ways = [way for way in step.ways if way.name == "changes" or _is_free(context, step)]
    reads = tuple(name for name in step.inputs if name in steps)
    return OpenView(name=step.view, seconds={way.name: way.seconds for way in ways}, reads=reads)


def _is_free(context: PlanContext, step: Step) -> bool:
    """Is it for the cost to decide."""
    return context.definition.graph.views[step.view].options.refresh == "auto"


def _parts(offered: Sequence[Sharing], options: PlannerOptions) -> list[OpenPart]:
    return [OpenPart(name=s.part.name, making=s.making + options.share_gain, saves=s.saves) for s in offered]


def _share(context: PlanContext, chooser: Chooser, shared: Sequence[Sharing]) -> None:
    """Let what is shared be this, and price the views that read it again, each with its share."""
    chooser.inputs.parts = Parts(shared)
    for name in sorted({view for sharing in shared for view in sharing.views}):
        candidate = chooser.candidates[name]
        way = chooser.pricing.from_changes(name, candidate.reading.anew(), candidate.program)
        context.steps[name] = replace(context.steps[name], predicted=way)


def _take(context: PlanContext, name: str, choice: GraphChoice) -> None:
    step, way = context.steps[name], choice.ways[name]
    changes, taken = step.priced("changes"), step.priced(way)
    if way != "changes" and changes is not None and taken is not None:
        context.steps[name] = step.taking(way, full=_cheaper(taken, changes))


def _cheaper(way: PricedWay, changes: PricedWay) -> Reason:
    so = ", with the difference to what was stored for the views that read it" if way.name == "difference" else ""
    return Reason("cheaper", f"that is cheaper{so}: {way.seconds:.1f} s, from changes {changes.seconds:.1f} s")


def _try_others(context: PlanContext, learned: Learned, options: PlannerOptions) -> None:
    """Take the trials that are due, as many as a run may have: they take turns."""
    graph = context.definition.graph
    due: list[Step] = []
    for name, step in context.steps.items():
        read = any(context.steps[reader].builds for reader in graph.readers(name))
        if step.rejected and _is_free(context, step) and not read and not _is_forced(context, step):
            trial = _trial(step, learned, options)
            due += [] if trial is None else [trial]
    run = sum(_seconds(step) for step in context.steps.values())
    trials = {trial.view: trial for trial in due}
    for name in affordable_trials([_open_trial(trial, learned) for trial in due], run, options):
        context.steps[name] = trials[name]


def _open_trial(trial: Step, learned: Learned) -> OpenTrial:
    memory = None if trial.predicted is None else learned.memory(trial.view, trial.predicted.name)
    return OpenTrial(
        view=trial.view, seconds=_seconds(trial), waited=math.inf if memory is None else float(memory.last)
    )


def _seconds(step: Step) -> float:
    return 0.0 if step.predicted is None else step.predicted.seconds


def _is_forced(context: PlanContext, step: Step) -> bool:
    """Is it recomputed because a view that it reads is, whose change will not be known."""
    return any(name in context.steps and is_full(context.steps[name].method) for name in step.inputs)


def _trial(step: Step, learned: Learned, options: PlannerOptions) -> Step | None:
    """The step by its other way, if that is due; None if not."""
    chosen = step.predicted
    other = step.priced("changes" if is_full(step.method) else "full")
    if chosen is None or other is None:
        return None
    memory = learned.memory(step.view, other.name)
    if chosen.seconds < options.least_trial or other.seconds > options.try_up_to * chosen.seconds:
        return None
    if memory is not None and memory.last < options.try_every:
        return None
    why = Reason("trial", "it is tried now and then, to see whether the prediction still holds")
    return step.taking(other.name, full=why if other.name == "full" else None, trial=True)

"""From a search's choice to a program: what was chosen to be made once has a name, everything else stands in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from tidewheel.delta.forms import is_simple
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import nodes
from tidewheel.optimize.extraction import expanded
from tidewheel.optimize.upkeep import Explored, Statement
from tidewheel.program.growth import pieces
from tidewheel.program.options import ProgramOptions
from tidewheel.program.program import Intermediate, Program, Step, references


def program_of(
    looked: Explored, chosen: Mapping[bytes, float], *, copies: bool, options: ProgramOptions | None = None
) -> Program:
    """The statements of a view over what is stored and over intermediates.

    `chosen` are goals that are worth making once, by the digests of their references, with the rows that are expected.
    One that turns out to be read once is not made: by one step, where an engine computes once what one statement reads
    twice; at one place, where it `copies`. An engine that copies gets no statement beyond a bound, whatever was chosen.
    """
    goals = dict(chosen)
    while True:
        program = _Extraction(looked, goals).program()
        lonely = [step.reference.digest for step in program.intermediates if not _is_shared(step, program, copies)]
        if not lonely:
            break
        goals = {digest: rows for digest, rows in goals.items() if digest not in lonely}
    return _bounded(program, (options or ProgramOptions()).most_operators) if copies else program


@dataclass(frozen=True, slots=True)
class _Extraction:
    """Expands plans up to some goals."""

    looked: Explored
    goals: Mapping[bytes, float]

    def program(self) -> Program:
        steps: dict[bytes, Step] = {}
        for number, statement in enumerate(self.looked.statements):
            made = self._over(statement)
            for intermediate in self._below(made.rel, steps):
                steps[intermediate.reference.digest] = intermediate
            steps[b"statement %d" % number] = made
        return Program(tuple(steps.values()))

    def _over(self, statement: Statement) -> Statement:
        return statement.expanded(self.looked.memo, self.looked.choose, self.goals)

    def _below(self, rel: Rel, known: Collection[bytes]) -> Iterator[Intermediate]:
        """What a plan reads and is not made yet, each after what it reads itself."""
        seen: set[bytes] = set()
        todo = [(scan, False) for scan in references(rel)]
        plans: dict[bytes, Rel] = {}
        while todo:
            scan, ready = todo.pop()
            if ready:
                yield Intermediate(scan, plans[scan.digest], self.goals[scan.digest])
            elif scan.digest not in seen and scan.digest not in known:
                seen.add(scan.digest)
                plans[scan.digest] = self._plan(scan)
                todo.append((scan, True))
                todo += [(below, False) for below in references(plans[scan.digest])]

    def _plan(self, scan: Scan) -> Rel:
        memo, choose = self.looked.memo, self.looked.choose
        return expanded(choose(memo.goals[scan.digest]).plan, memo, choose, self.goals)


def _is_shared(step: Intermediate, program: Program, copies: bool) -> bool:
    """Is it worth a name: not what is as quickly read from where it is stored."""
    reads = _reads_as_tree if copies else _reads_once
    return not is_simple(step.rel) and sum(reads(each.rel, step.reference) for each in program.steps) > 1


def _reads_once(rel: Rel, scan: Scan) -> int:
    return int(any(node.digest == scan.digest for node in nodes(rel)))


def _reads_as_tree(rel: Rel, scan: Scan) -> int:
    """How often a plan reads an intermediate, with what is copied."""
    times = Counter({rel.digest: 1})
    for node in reversed(list(nodes(rel))):
        for below in node.inputs:
            times[below.digest] += times[node.digest]
    return times[scan.digest]


def _bounded(program: Program, most: int) -> Program:
    """With further intermediates where a plan, with what is copied, has more operators than an engine should see."""
    steps: list[Step] = []
    made: dict[bytes, Scan] = {}
    for step in program.steps:
        match step:
            case Intermediate(rel=rel):
                before, (over,) = pieces([rel], most, made)
                steps += [*before.values(), replace(step, rel=over)]
            case Statement(change=change, doubt=None):
                before, (over,) = pieces([change.rel], most, made)
                steps += [*before.values(), replace(step, change=replace(change, rel=over))]
            case Statement(change=change, doubt=doubt) if doubt is not None:
                before, (over, beyond) = pieces([change.rel, doubt], most, made)
                steps += [*before.values(), replace(step, change=replace(change, rel=over), doubt=beyond)]
        made |= {digest: piece.reference for digest, piece in before.items()}
    return Program(tuple(steps))

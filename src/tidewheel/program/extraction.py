"""From a search's choice to a program: what was chosen to be made once has a name, everything else stands in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from tidewheel.delta.forms import is_simple
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import nodes
from tidewheel.optimize.cost import uses_of
from tidewheel.optimize.extraction import expanded
from tidewheel.optimize.maintenance import Explored, Statement
from tidewheel.program.growth import pieces
from tidewheel.program.options import ProgramOptions
from tidewheel.program.program import Intermediate, Program, Step, can_be_made, references


def program_of(
    looked: Explored, chosen: Mapping[bytes, float], *, copies: bool, options: ProgramOptions | None = None
) -> Program:
    """The statements of a view over what is stored and over intermediates.

    `chosen` are goals that are worth making once, by the digests of their references, with the rows that are expected.
    One that turns out to be read once is not made: by one step, where an engine computes once what one statement reads
    twice; at one place, where it `copies`. An engine that copies gets no statement beyond a bound, whatever was chosen.
    """
    named = [digest for digest in chosen if can_be_made(looked.memo.goals[digest].reference)]
    read = _Reads(looked, copies=copies).several(named) if named else set[bytes]()
    program = _Extraction(looked, {digest: chosen[digest] for digest in read}).program()
    return _bounded(program, (options or ProgramOptions()).most_operators) if copies else program


class _Reads:
    """How often goals are read, worked out over references: nothing is expanded to find out."""

    def __init__(self, looked: Explored, *, copies: bool) -> None:
        self.looked, self.copies = looked, copies
        self._direct: dict[bytes, dict[bytes, int]] = {}

    def several(self, goals: Collection[bytes]) -> set[bytes]:
        """Of some goals those that are read more than once if they are made, all others standing in place."""
        made = set(goals)
        while True:
            counts = self._counted(made)
            left = {digest for digest in made if counts[digest] > 1 and not self._is_simple(digest, made)}
            if left == made:
                return made
            made = left

    def _counted(self, made: Collection[bytes]) -> Counter[bytes]:
        """Reads of what is made by statements, and by whatever else is made and read."""
        below: dict[bytes, Counter[bytes]] = {}
        counts: Counter[bytes] = Counter()
        todo = [self._in(statement.rel) for statement in self.looked.statements]
        seen: set[bytes] = set()
        while todo:
            found = self._reached(todo.pop(), made, below)
            counts.update(found if self.copies else found.keys())
            todo += [self._of(digest) for digest in found.keys() - seen]
            seen |= found.keys()
        return counts

    def _reached(
        self, direct: Mapping[bytes, int], made: Collection[bytes], below: dict[bytes, Counter[bytes]]
    ) -> Counter[bytes]:
        """What is read of what is made, through all that stands in place; `below` remembers that for each goal."""
        waiting = [digest for digest in direct if digest not in made]
        while waiting:
            digest = waiting[-1]
            missing = [d for d in self._of(digest) if d not in made and d not in below]
            if digest not in below and missing:
                waiting += missing
                continue
            below.setdefault(digest, self._summed(self._of(digest), made, below))
            waiting.pop()
        return self._summed(direct, made, below)

    def _summed(
        self, direct: Mapping[bytes, int], made: Collection[bytes], below: Mapping[bytes, Counter[bytes]]
    ) -> Counter[bytes]:
        found: Counter[bytes] = Counter()
        for digest, times in direct.items():
            for each, more in {digest: 1}.items() if digest in made else below[digest].items():
                found[each] += times * more
        return found

    def _of(self, digest: bytes) -> dict[bytes, int]:
        if digest not in self._direct:
            self._direct[digest] = self._in(self._plan(digest))
        return self._direct[digest]

    def _in(self, rel: Rel) -> dict[bytes, int]:
        """The goals that a plan refers to, and how often."""
        uses = uses_of(rel, shared=not self.copies)
        return {node.digest: int(times) for node, times in uses if node.digest in self.looked.memo.goals}

    def _is_simple(self, digest: bytes, made: Collection[bytes]) -> bool:
        """Is it as quickly read from where it is stored."""
        while is_simple(plan := self._plan(digest)):
            (scan,) = (node for node in nodes(plan) if not node.inputs)
            if scan.digest not in self.looked.memo.goals or scan.digest in made:
                return True
            digest = scan.digest
        return False

    def _plan(self, digest: bytes) -> Rel:
        return self.looked.choose(self.looked.memo.goals[digest]).plan


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

"""What a program is: statements in the order in which they run, and named intermediates that these read.

    made #3f2a  := join of orders before and the delta of customers
    state s1    := groups of #3f2a, now and before
    view        := #3f2a with what changed in s1

An engine that computes twice what is written twice, as Spark does, reads an intermediate as often as it likes. What is
read has a name that starts with `#` and is made from a digest: it is never parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tidewheel.ir.forms import CHANGE
from tidewheel.ir.parts import Column
from tidewheel.ir.rel import Rel, Scan
from tidewheel.ir.tree import nodes
from tidewheel.ir.typing import nullable_of, types_of
from tidewheel.optimize.maintenance import Statement
from tidewheel.types import VOID, DataType, Primitive, holds

MADE = "#"


@dataclass(frozen=True, slots=True)
class Intermediate:
    """A result that is computed once, and by which scan it is read."""

    reference: Scan
    rel: Rel
    rows: float | None = None
    """How many are expected, if that was estimated."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.reference.columns)


Step: TypeAlias = Intermediate | Statement


@dataclass(frozen=True, slots=True)
class Program:
    """Steps in the order in which they run: each reads only what was made before it, and what is made is read."""

    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        made: set[bytes] = set()
        read: set[bytes] = set()
        for step in self.steps:
            found = {scan.digest: scan for scan in references(step.rel)}
            if missing := [scan.relation for digest, scan in found.items() if digest not in made]:
                raise ValueError(f"a step reads {', '.join(sorted(missing))}, which is not there yet")
            read |= found.keys()
            if isinstance(step, Intermediate):
                if step.reference.digest in made:
                    raise ValueError(f"{step.reference.relation} is made twice")
                made.add(step.reference.digest)
        if made - read:
            raise ValueError(f"{len(made - read)} intermediates are made that nobody reads")

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(step for step in self.steps if not isinstance(step, Intermediate))

    @property
    def intermediates(self) -> tuple[Intermediate, ...]:
        return tuple(step for step in self.steps if isinstance(step, Intermediate))

    @property
    def reads_its_changes(self) -> bool:
        """Does a step read the change that a statement gives, so that they must run one after the other.

        An intermediate may be the only one that does: before that statement, there is nothing for it to read.
        """
        names = {statement.stored.name for statement in self.statements}
        scans = (node for step in self.steps for node in nodes(step.rel) if isinstance(node, Scan))
        return any(scan.form == CHANGE and scan.relation in names for scan in scans)


def can_be_made(rel: Rel) -> bool:
    """Can the rows of a plan be held under a name: no table has a column of NULLs of no type, or of intervals."""
    return not any(holds(kind, _has_no_table) for kind in types_of(rel))


def _has_no_table(kind: DataType) -> bool:
    return kind == VOID or (isinstance(kind, Primitive) and kind.name.startswith("interval"))


def is_reference(scan: Scan) -> bool:
    """Does a scan read an intermediate: no relation of a project can have such a name."""
    return scan.relation.startswith(MADE)


def references(rel: Rel) -> Iterator[Scan]:
    """The intermediates that a plan reads, each once."""
    return (node for node in nodes(rel) if isinstance(node, Scan) and is_reference(node))


def reference_to(rel: Rel) -> Scan:
    """A scan that stands for a plan: no goal of a memo is referred to by the same."""
    facts = enumerate(zip(types_of(rel), nullable_of(rel), strict=True))
    columns = tuple(Column(f"c{i}", kind, null) for i, (kind, null) in facts)
    return Scan(relation=f"{MADE}piece {rel.fingerprint()[:20]}", columns=columns)

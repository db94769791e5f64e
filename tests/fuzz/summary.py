"""What a run of cases covered: operators, kinds, results, and how fast it went."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.fuzz.compare import Verdict
from tests.fuzz.outcomes import Declined, Raised, Rows
from tests.fuzz.tables import Case
from tidewheel.ir.rel import Aggregate, Join, Rel, SetOp, TopK, Unnest, Window
from tidewheel.ir.tree import nodes


@dataclass(slots=True)
class Summary:
    """Counts that add up over workers."""

    cases: int = 0
    results: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    nonempty: Counter[str] = field(default_factory=Counter)
    declined: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, case: Case, verdict: Verdict) -> None:
        self.cases += 1
        expected = verdict.outcomes["reference"]
        match expected:
            case Rows(rows):
                self.results["with rows" if rows else "empty"] += 1
            case Raised():
                self.results["raised"] += 1
            case _:
                self.results["declined or broken"] += 1
        features = {f for node in nodes(case.query.rel) for f in features_of(node)}
        self.operators.update(features)
        if isinstance(expected, Rows) and expected.bag:
            self.nonempty.update(features)
        for who, outcome in verdict.outcomes.items():
            if isinstance(outcome, Declined) and who not in {"text", "types"}:
                self.declined[f"{who}: {outcome.reason}"] += 1

    def merge(self, other: Summary) -> None:
        self.cases += other.cases
        self.results += other.results
        self.operators += other.operators
        self.nonempty += other.nonempty
        self.declined += other.declined
        self.seconds = max(self.seconds, other.seconds)

    def __str__(self) -> str:
        lines = [f"{self.cases} cases in {self.seconds:.0f} s, {self.cases / max(self.seconds, 0.001):.0f} a second"]
        lines += ["  " + ", ".join(f"{n} {name}" for name, n in self.results.most_common())]
        lines += ["cases that contain                     cases   with rows"]
        for name, n in sorted(self.operators.items()):
            lines.append(f"  {name:36}{n:8}{100 * self.nonempty[name] // n:10} %")
        lines += ["declined"] if self.declined else []
        lines += [f"  {n:6}  {reason}" for reason, n in self.declined.most_common(20)]
        return "\n".join(lines)


def features_of(node: Rel) -> list[str]:
    """The operator, and what is special about it."""
    name = type(node).__name__.lower()
    match node:
        case Join():
            found = [f"join {node.kind}", *(f"join {node.kind} {k.kind}" for k in node.keys)]
            found += ["join with residual"] if node.residual.text != "TRUE" else []
            found += ["join without keys"] if not node.keys else []
            return found + (["self join"] if node.left == node.right else [])
        case Aggregate():
            found = [name, *(f"aggregate {c.name}" for c in node.calls)]
            found += ["aggregate distinct"] if any(c.distinct for c in node.calls) else []
            found += ["aggregate filter"] if any(c.where is not None for c in node.calls) else []
            found += ["aggregate sets"] if node.sets is not None else []
            return found if node.keys else [*found, "aggregate without keys"]
        case SetOp():
            return [f"{node.kind}{' all' if node.all else ''}"]
        case Window():
            frames = {f"window {c.frame.unit}" for c in node.calls if c.frame is not None}
            return [name, *frames, *(f"window {c.name}" for c in node.calls)]
        case TopK():
            return [name] if node.offset == 0 else [name, "topk offset"]
        case Unnest():
            return [f"unnest {node.generator}{' outer' if node.outer else ''}"]
    return [name]

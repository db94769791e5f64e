"""Golden files: a title, what is expected, a plan (or the SQL of a query), and what becomes of it.

# why this case is here
expect
plan
  filter TRUE
    scan t (a INT)
becomes
plan
  scan t (a INT)

`expect-not` has no second plan. More words on that line are options: `run-nothing` says that the plan is not to be
evaluated, for its result is left to chance.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

REWRITE = "TIDEWHEEL_REWRITE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Golden:
    """One case of a golden file."""

    file: Path
    number: int
    title: str
    fires: bool
    options: frozenset[str]
    before: str
    after: str | None = None

    @property
    def id(self) -> str:
        return f"{self.file.stem}-{self.number}"

    def __str__(self) -> str:
        head = " ".join(["expect" if self.fires else "expect-not", *sorted(self.options)])
        tail = "" if self.after is None else f"becomes\n{self.after}"
        return f"# {self.title}\n{head}\n{self.before}{tail}"


def read(file: Path) -> Iterator[Golden]:
    """The cases of a file."""
    for number, block in enumerate(file.read_text(encoding="utf-8").strip().split("\n\n"), 1):
        title, head, *lines = block.splitlines()
        words = head.split()
        if not title.startswith("# ") or words[0] not in {"expect", "expect-not"}:
            raise ValueError(f"{file.name}, case {number}: a title and then what is expected, not {title!r}, {head!r}")
        middle = lines.index("becomes") if "becomes" in lines else len(lines)
        yield Golden(
            file=file,
            number=number,
            title=title[2:],
            fires=words[0] == "expect",
            options=frozenset(words[1:]),
            before="\n".join(lines[:middle]) + "\n",
            after="\n".join(lines[middle + 1 :]) + "\n" if middle < len(lines) else None,
        )


def is_rewriting() -> bool:
    return os.environ.get(REWRITE) == "1"


def rewrite(case: Golden, after: str | None) -> None:
    """Write what became of the plan into the file, in place of what was expected."""
    cases = [replace(c, after=after) if c.number == case.number else c for c in read(case.file)]
    case.file.write_text("\n".join(map(str, cases)), encoding="utf-8")

"""Every error that Tidewheel raises on purpose.

TidewheelError
├── UserError        exit 1    the project, its SQL, its data or the call is wrong
├── PlanError        exit 2    no plan satisfies what was asked
├── StoreError       exit 3    the warehouse cannot be read or written
├── ExecutionError   exit 4    an engine failed while running
├── ConflictError    exit 6    another run won
├── InternalError    exit 70   our bug
└── InterruptError   exit 130  Ctrl-C or SIGTERM; the Python API raises KeyboardInterrupt

A message is one lower-case sentence without a full stop; `detail` explains, `hint` says what to do next,
`span` points into the user's file. `code` is stable and documented in docs/errors.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A place in a user's text: 1-based line and column, and how many characters to underline."""

    text: str
    file: str
    line: int
    column: int
    length: int = 1

    @classmethod
    def at(cls, text: str, start: int, length: int, file: str) -> Span:
        """The span of `length` characters from offset `start` of `text`."""
        start = max(0, min(start, len(text)))
        line = text.count("\n", 0, start) + 1
        column = start - (text.rfind("\n", 0, start) + 1) + 1
        return cls(text=text, file=file, line=line, column=column, length=max(1, length))

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def underlined(self) -> str:
        lines = self.text.splitlines() or [""]
        source = lines[min(self.line, len(lines)) - 1].replace("\t", " ")
        width = max(1, min(self.length, len(source) - self.column + 1))
        gutter = f"{self.line} | "
        return f"{gutter}{source}\n{' ' * (len(gutter) + self.column - 1)}{'^' * width}"


class TidewheelError(Exception):
    """The root of the tree; catch this to catch everything we raise on purpose."""

    exit_code: ClassVar[int] = 70

    def __init__(
        self,
        message: str,
        *,
        code: str,
        detail: str | None = None,
        hint: str | None = None,
        span: Span | None = None,
        relation: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.detail = detail
        self.hint = hint
        self.span = span
        self.relation = relation

    def __str__(self) -> str:
        parts = [f"{self.message} [{self.code}]"]
        if self.span:
            parts += [
                f"  at {self.span.place}",
                *("  " + line for line in self.span.underlined().splitlines()),
            ]
        if self.detail:
            parts.append(f"  {self.detail}")
        if self.hint:
            parts.append(f"  hint: {self.hint}")
        return "\n".join(parts)

    def to_dict(self) -> dict[str, object]:
        place = None
        if self.span:
            place = {"file": self.span.file, "line": self.span.line, "column": self.span.column}
        return {
            "code": self.code,
            "message": self.message,
            "detail": self.detail,
            "hint": self.hint,
            "place": place,
            "relation": self.relation,
            "exit_code": self.exit_code,
        }


class UserError(TidewheelError):
    exit_code = 1


class PlanError(TidewheelError):
    exit_code = 2


class StoreError(TidewheelError):
    exit_code = 3


class ExecutionError(TidewheelError):
    exit_code = 4


class ConflictError(TidewheelError):
    exit_code = 6


class InternalError(TidewheelError):
    exit_code = 70


class InterruptError(TidewheelError):
    exit_code = 130


class TidewheelWarning(UserWarning):
    """Something that somebody should know, and that stops nothing. The command line prints it as a note."""


VERIFY_EXIT_CODE = 5


def told(error: BaseException) -> TidewheelError:
    """An error as it is told to the user and kept in the history."""
    if isinstance(error, TidewheelError):
        return error
    if not isinstance(error, KeyboardInterrupt):
        return InternalError(f"{type(error).__name__}: {error}", code="internal-error", hint="Please report it.")
    return InterruptError(
        "interrupted",
        code="interrupted",
        hint="Run it again. What was decided will be finished by the next command, the rest was undone.",
    )


def did_you_mean(name: str, known: list[str]) -> str | None:
    """A hint with the nearest known name, if one is near; else with all of them, if they are few."""
    near = min(known, key=lambda k: (_edits(name.lower(), k.lower()), k), default=None)
    if near is not None and _is_near(name.lower(), near.lower()):
        return f'Did you mean "{near}"?'
    holding = sorted((k for k in known if len(name) > 3 and name.lower() in k.lower()), key=lambda k: (len(k), k))
    if holding:
        return f'Did you mean "{holding[0]}"?'
    return f"Known names: {', '.join(sorted(known))}." if 0 < len(known) <= 12 else None


def _is_near(name: str, other: str) -> bool:
    """As near as a slip of the fingers: `user_id` is not `order_id`, though they share most of their letters."""
    return len(name) > 2 and _edits(name, other) <= min(3, max(1, len(name) // 4))


def _edits(a: str, b: str) -> int:
    """Letters that were left out, added, replaced or swapped with the next."""
    before, last = list[int](), list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b, start=1):
            row.append(min(row[-1] + 1, last[j] + 1, last[j - 1] + (x != y)))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                row[-1] = min(row[-1], before[j - 2] + 1)
        before, last = last, row
    return last[-1]

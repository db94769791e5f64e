"""What long work is doing, on standard error: live lines on a terminal, one line for each finished part in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidewheel.cli.output import console, human_bytes

if TYPE_CHECKING:
    from tidewheel.errors import TidewheelError
    from tidewheel.run.outcome import ViewRun
    from tidewheel.verify.verdict import ViewVerdict


class Progress:
    """Hears of parts that start, end or wait, and shows them; `outcome` says in a few words how one ended."""

    def __init__(self, total: int, outcome: Callable[[Any], str]) -> None:
        self.total, self.outcome = total, outcome
        self.finished = 0
        self.live: Any = None
        self.tasks: dict[str, Any] = {}

    def __call__(self, event: str, name: str, result: Any) -> None:
        if event == "start":
            if self.live is not None:
                self.tasks[name] = self.live.add_task(name, total=None)
        elif event == "wait":
            self.finished = 0  # what was done before is done again, on the newer epoch
            self._say(name)
        elif event == "engine":
            self._say(name)
        else:
            self.finished += 1
            if self.live is not None and name in self.tasks:
                self.live.remove_task(self.tasks.pop(name))
            self._say(f"[{self.finished}/{self.total}] {name}: {self.outcome(result)}")

    def _say(self, line: str) -> None:
        if self.live is not None:
            self.live.console.print(line, markup=False)
        else:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()


def verdict(result: ViewVerdict) -> str:
    """How a view compares with its query."""
    return result.verdict


def built(result: ViewRun) -> str:
    """How the build of a view ended."""
    if result.error is not None:
        return f"failed: {cause(result.error)}"
    if result.method == "blocked":
        return f"left as it was: {result.reason.text}"
    size = "" if result.rows is None else f", {result.rows:,} rows, {human_bytes(result.bytes)}"
    return f"{result.method}{size}, {result.seconds:.1f} s"


def cause(error: TidewheelError) -> str:
    """That a query failed says less than what the engine said of it."""
    detail = error.detail if error.code == "query-failed" and error.detail else error.message
    return detail.splitlines()[0]


@contextmanager
def progress(total: int, outcome: Callable[[Any], str]) -> Iterator[Progress]:
    """A display for so many parts."""
    display = Progress(total, outcome)
    if not sys.stderr.isatty():
        yield display
        return
    from rich.progress import Progress as Bars  # noqa: PLC0415
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    with Bars(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console(stderr=True),
        transient=True,
    ) as bars:
        display.live = bars
        yield display


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A live line for work that has no parts; nothing in a pipe."""
    with progress(1, str) as display:
        display("start", what, None)
        yield

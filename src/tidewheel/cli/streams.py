"""Standard output and standard error that nobody may be reading: a closed pipe ends no command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class Unread:
    """A stream that goes on when it can no longer be written to; what is written after that is lost."""

    def __init__(self, stream: TextIO, lost: type[OSError]) -> None:
        self.stream, self.lost = stream, lost

    def write(self, text: str) -> int:
        try:
            return self.stream.write(text)
        except self.lost:
            self._to_nowhere()
            return len(text)

    def flush(self) -> None:
        try:
            self.stream.flush()
        except self.lost:
            self._to_nowhere()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def _to_nowhere(self) -> None:
        """Also what is in the buffer, and what a child process writes."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.stream.fileno())
        os.close(nowhere)


@contextmanager
def unbroken() -> Iterator[None]:
    """Results may go unread if their reader has left; notes and progress whatever the reason."""
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _opened(out, BrokenPipeError), _opened(err, OSError)
    try:
        yield
        sys.stdout.flush()
    finally:
        sys.stdout, sys.stderr = out, err


def _opened(stream: TextIO | None, lost: type[OSError]) -> Any:
    """A stream that was closed from the start is None in Python."""
    return Unread(open(os.devnull, "w", encoding="utf-8") if stream is None else stream, lost)

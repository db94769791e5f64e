"""What every refusal must be: one of our errors with a code, a sentence and a hint, and a project that is as it was."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import tidewheel as tw

_OURS_TO_CHANGE = ("warehouse/_tidewheel/history", "warehouse/_tidewheel/tmp", "warehouse/_tidewheel/cache")


def listing(root: str | Path) -> dict[str, str]:
    """Every file below a folder with a digest of its content; what links point to."""
    found = {}
    for folder, _, files in os.walk(root):
        for name in files:
            path = Path(folder) / name
            relative = path.relative_to(root).as_posix()
            if any(ours in relative for ours in _OURS_TO_CHANGE):
                continue
            content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
            found[relative] = hashlib.sha256(content).hexdigest()
    return found


@contextmanager
def refused(
    root: str | Path, code: str, *, place: str | None = None
) -> Iterator[pytest.ExceptionInfo[tw.TidewheelError]]:
    """The block raises such an error and changes nothing on disk; `place` is `file:line:column` of it."""
    before = listing(root)
    with pytest.raises(tw.TidewheelError) as caught:
        yield caught
    error = caught.value
    assert error.code == code, str(error)
    assert error.message
    assert not error.message.endswith("."), error.message
    assert "\n" not in error.message
    assert error.hint, str(error)
    assert error.exit_code in {1, 2, 3, 4, 6}
    if place is not None:
        assert error.span is not None, str(error)
        assert error.span.place == place
        assert "^" in str(error)
    assert listing(root) == before

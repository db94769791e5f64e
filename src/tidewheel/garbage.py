"""The interpreter's search for garbage, and when it is not worth it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for unreachable circles within the block.

    What is made while a view is planned lives until that is done, and is a hundred thousand small objects: to look
    through all of them again and again takes a fifth of the time, and finds nothing. What another thread makes
    meanwhile is collected afterwards.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

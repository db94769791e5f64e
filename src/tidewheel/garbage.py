"""The interpreter's search for garbage, and when it is not worth it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for unreachable circles within the block.

    What is made while views are planned is a hundred thousand small objects, beside those that are remembered of other
    plans: to look through all of them again and again takes a quarter of the time, and finds little. What another
    thread makes meanwhile is collected afterwards.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def tidied() -> Iterator[None]:
    """Circles of what was made in the block are looked for once, at its end, and only among what is that young.

    So what plans of many views take does not grow with each of them, though nothing else is collected meanwhile.
    """
    try:
        yield
    finally:
        gc.collect(0)

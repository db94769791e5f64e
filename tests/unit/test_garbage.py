"""The search for garbage rests within a block, and goes on after it as before."""

from __future__ import annotations

import gc
import weakref

import pytest

from tidewheel.garbage import tidied, uncollected


@uncollected()
def is_collecting() -> bool:
    return gc.isenabled()


def test_it_rests_within_the_block_and_goes_on_after_it() -> None:
    assert not is_collecting()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="wrong"), uncollected():
        raise ValueError("wrong")
    assert gc.isenabled()


def test_whoever_turned_it_off_keeps_it_off() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_young_circles_are_collected_after_a_block() -> None:
    class Node:
        other: Node | None = None

    with uncollected():
        with tidied():
            node = Node()
            node.other, gone = node, weakref.ref(node)
            del node
            assert gone() is not None
        assert gone() is None

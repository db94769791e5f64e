"""Something happens just before, or just after, a certain function is called for the first time.

One process is enough to tell what two would do: the other one's whole work takes place in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock


@contextmanager
def before_first(target: Any, name: str, action: Callable[[], object]) -> Iterator[None]:
    yield from _around(target, name, before=action)


@contextmanager
def after_first(target: Any, name: str, action: Callable[[], object]) -> Iterator[None]:
    yield from _around(target, name, after=action)


def _around(
    target: Any,
    name: str,
    *,
    before: Callable[[], object] | None = None,
    after: Callable[[], object] | None = None,
) -> Iterator[None]:
    original = getattr(target, name)
    calls: list[int] = []

    def wrapped(*arguments: Any, **named: Any) -> Any:
        calls.append(1)
        is_first = len(calls) == 1
        if is_first and before is not None:
            before()
        result = original(*arguments, **named)
        if is_first and after is not None:
            after()
        return result

    with mock.patch.object(target, name, wrapped):
        yield
    assert calls, f"{name} was not called: the test tells nothing"

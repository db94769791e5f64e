"""A project as its files define it: configuration, views, graph."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass

from tidewheel.errors import UserError, did_you_mean
from tidewheel.project.config import FILE, Config, load_config, place_in, resolve_path
from tidewheel.project.graph import Broken, Graph, View, build_graph
from tidewheel.project.views import read_text, read_views, view_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    root: str
    config: Config
    graph: Graph

    @property
    def warehouse(self) -> str:
        return resolve_path(self.config.warehouse, self.root)


def find_root(path: str) -> str:
    """The nearest folder from here upward that holds a tidewheel.yml."""
    start = current = os.path.abspath(path)
    while not os.path.isfile(os.path.join(current, FILE)):
        parent = os.path.dirname(current)
        if parent == current:
            raise UserError(
                f"there is no {FILE} here",
                code="no-project",
                detail=f"Looked in {start} and the folders above it.",
                hint="Run `tidewheel init` to begin a project, or go to the folder of one.",
            )
        current = parent
    return current


def load_definition(root: str, target: str | None = None) -> Definition:
    """Read a project's files; nothing is written, no engine is started."""
    text = read_text(os.path.join(root, FILE))
    config = load_config(text, FILE).for_target(target)
    return define(root, config, read_views(root, config), text)


def define(root: str, config: Config, views: Iterable[View | Broken], text: str = "") -> Definition:
    """A project of these views; what is wrong with some of them is theirs and of those below them.

    `text` is that of tidewheel.yml: options of a view that does not exist are a view that is broken there.
    """
    found = list(views)
    names = [view.name for view in found]
    missing = [Broken(name=n, file=FILE, error=_no_view(n, names, text)) for n in config.views if n not in names]
    return Definition(root=root, config=config, graph=build_graph([*found, *missing], config.sources))


def _no_view(name: str, names: list[str], text: str) -> UserError:
    return UserError(
        f'tidewheel.yml has options for view "{name}", which does not exist',
        code="unknown-view",
        span=place_in(text, ("views", name)),
        relation=name,
        hint=did_you_mean(name, sorted(names)) or "Remove the entry under `views:`.",
    )


Signature = tuple[tuple[str, int, int], ...]


def definition_signature(root: str) -> Signature:
    """Which files define the project, with size and time: equal signatures, equal definition."""
    return tuple(_stat(path) for path in (os.path.join(root, FILE), *view_files(root)))


def _stat(path: str) -> tuple[str, int, int]:
    """Size and time; of a link to nothing neither, and it is refused when it is read."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return path, -1, -1
    return path, status.st_size, status.st_mtime_ns


def is_settled(signature: Signature) -> bool:
    """Whether a later change would show: two within one tick of the file system's clock leave the same time."""
    return time.time_ns() - max((modified for _, _, modified in signature), default=0) > 50_000_000

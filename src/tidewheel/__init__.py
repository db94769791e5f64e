"""Tidewheel keeps a graph of SQL views fresh on Apache Spark.

    import tidewheel as tw
    project = tw.open("shop")
    run = project.refresh()

Importing this loads neither Spark nor Delta nor DuckDB nor Arrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewheel.errors import (
    ConflictError,
    ExecutionError,
    InternalError,
    PlanError,
    StoreError,
    TidewheelError,
    TidewheelWarning,
    UserError,
)
from tidewheel.version import __version__

if TYPE_CHECKING:
    from tidewheel.api import Project
    from tidewheel.api import create_project as create
    from tidewheel.api import open_project as open  # noqa: A004

__all__ = [
    "ConflictError",
    "ExecutionError",
    "InternalError",
    "PlanError",
    "Project",
    "StoreError",
    "TidewheelError",
    "TidewheelWarning",
    "UserError",
    "__version__",
    "create",
    "open",
]

_LAZY = {"Project": "Project", "create": "create_project", "open": "open_project"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from tidewheel import api  # noqa: PLC0415

        return getattr(api, _LAZY[name])
    raise AttributeError(f"module 'tidewheel' has no attribute {name!r}")

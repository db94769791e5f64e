"""Structured logs on standard error, off by default: `TIDEWHEEL_LOG=info tidewheel refresh`.

Events are named like failpoints (`epoch.decided`), carry names, counts and times, and never rows or secrets.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any


def event(name: str, **fields: Any) -> None:
    """Log an event, if somebody asked for logs; otherwise nothing is even imported."""
    level = os.environ.get("TIDEWHEEL_LOG")
    if level:
        _logger(level.lower()).info(name, **fields)


@cache
def _logger(level: str) -> Any:
    import logging  # noqa: PLC0415
    import sys  # noqa: PLC0415

    import structlog  # noqa: PLC0415

    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    return structlog.wrap_logger(
        structlog.WriteLogger(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(default=str),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
    )

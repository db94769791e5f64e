"""What callers of the Python API hand over, as the rest of the system takes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidewheel.errors import UserError
from tidewheel.project.lookup import a_text
from tidewheel.project.values import parse_duration
from tidewheel.store.warehouse import Warehouse

if TYPE_CHECKING:
    pass


def duration(text: str, what: str) -> float:
    try:
        return parse_duration(a_text(text, what, f'{what}="7 days"'))
    except ValueError as error:
        raise UserError(str(error), code="bad-option", hint='Write for example "7 days" or "12 hours".') from error


def is_full(fail_on: str | None) -> bool:
    if fail_on not in {None, "full"}:
        raise UserError(f'a refresh cannot fail on "{fail_on}"', code="bad-option", hint='Write "full".')
    return fail_on == "full"


def silent(*_: object) -> None:
    """No progress display."""


@contextmanager
def as_arrow(data: Any, warehouse: Warehouse) -> Iterator[Any]:
    """A Spark DataFrame is written to files first, so that it never has to fit into the driver."""
    if not type(data).__module__.startswith("pyspark."):
        yield data
        return
    import shutil  # noqa: PLC0415
    import uuid  # noqa: PLC0415

    from tidewheel.engine.spark.frames import write_frame  # noqa: PLC0415

    folder = os.path.join(warehouse.scratch, f"frame-{uuid.uuid4().hex[:8]}")
    try:
        yield write_frame(data, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)

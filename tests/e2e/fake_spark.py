"""A stand-in for Spark where the matter is whether it is asked: it counts its starts."""

from __future__ import annotations

from tidewheel.engine.local.engine import LocalEngine, LocalRun


class FakeSpark:
    """The local engine under Spark's name."""

    name = "spark"
    parallelism = 2
    is_ready = False
    starts = 0

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def start(self, size: int) -> None: ...

    def session(self, settings: dict[str, str]) -> LocalRun:
        type(self).starts += 1
        return LocalEngine(10**9, self.folder).session(settings)

    def cancel(self) -> None: ...

    def stop(self) -> None: ...

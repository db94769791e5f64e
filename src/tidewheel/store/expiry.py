"""Which epochs can be read: those that `vacuum` has not let go.

The record of an epoch that is over may stay, for it says what a later epoch still shows. Its other files go, so it is
marked before the first of them does: an epoch is readable as a whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tidewheel.errors import UserError
from tidewheel.store import disk
from tidewheel.store.epochs import Epoch, epoch_numbers, read_epoch
from tidewheel.store.warehouse import Warehouse


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochSummary:
    """One epoch that can be read. It is `carried` if it built nothing: only sources moved, or a table was dropped."""

    number: int
    time: str
    kind: Literal["built", "carried"]
    built: tuple[str, ...]
    stale: tuple[str, ...]

    @classmethod
    def of(cls, epoch: Epoch) -> EpochSummary:
        return cls(
            number=epoch.number,
            time=epoch.time,
            kind="built" if epoch.records else "carried",
            built=tuple(epoch.records),
            stale=tuple(name for name, view in epoch.views.items() if view.stale is not None),
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "epoch": self.number,
            "time": self.time,
            "kind": self.kind,
            "built": list(self.built),
            "stale": list(self.stale),
        }


def _mark(warehouse: Warehouse, number: int) -> str:
    return warehouse.own("expired", f"{number:020d}")


def is_readable(warehouse: Warehouse, number: int) -> bool:
    """Whether an epoch is there as a whole. A mark goes only after the record, so it is looked for first."""
    return not os.path.exists(_mark(warehouse, number)) and os.path.exists(warehouse.epoch(number))


def expired_numbers(warehouse: Warehouse) -> set[int]:
    return {int(name) for name in disk.list_names(warehouse.own("expired")) if name.isdigit()}


def expire(warehouse: Warehouse, number: int) -> None:
    """Say that an epoch is no longer readable, before any of its files goes."""
    disk.make_dirs(warehouse.own("expired"), "vacuum.expire")
    disk.create(_mark(warehouse, number), "", step="vacuum.expire", scratch=warehouse.scratch)


def forget(warehouse: Warehouse, number: int) -> None:
    """Take the mark back: a reader was faster, or the record itself is gone."""
    disk.remove(_mark(warehouse, number), step="vacuum.expire")


def readable_epoch(warehouse: Warehouse, number: int) -> Epoch:
    """The record of an epoch, if all of it can be read."""
    try:
        epoch = read_epoch(warehouse, number)
    except FileNotFoundError:
        raise unknown_epoch(number) from None
    if not is_readable(warehouse, number):
        raise unknown_epoch(number)
    return epoch


def readable_epochs(warehouse: Warehouse) -> Iterator[EpochSummary]:
    """All epochs that can be read, newest first."""
    expired = expired_numbers(warehouse)
    for number in reversed(epoch_numbers(warehouse)):
        if number not in expired:
            try:
                yield EpochSummary.of(read_epoch(warehouse, number))
            except FileNotFoundError:  # vacuumed since we looked
                continue


def unknown_epoch(number: int) -> UserError:
    return UserError(
        f"epoch {number} does not exist",
        code="unknown-epoch",
        detail="It was never published, or `vacuum` has removed it.",
        hint="`tidewheel epochs` lists those that can be read.",
    )

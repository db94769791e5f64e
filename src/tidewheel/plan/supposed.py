"""Changes that have not happened: what a refresh would do if some sources had changed by so much.

orders=+1%       rows come, so many in a hundred of those that are there
orders=-1%       rows go
orders=1%        rows are updated
orders=+5000     so many rows
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from tidewheel.errors import UserError
from tidewheel.names import WEIGHT
from tidewheel.plan.pricing.facts import file_like
from tidewheel.project.lookup import find_source
from tidewheel.store.deltas import DeltaFiles, with_sign
from tidewheel.store.log import DataFile
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import Schema

Direction: TypeAlias = Literal["+", "-", ""]
MOST: Final = 1e15
"""No source changes by so many rows, or percent."""
_FORM: Final = re.compile(r"(?P<name>[^=]+)=(?P<sign>[+-]?)(?P<number>\d+(\.\d+)?)(?P<percent>%?)$")


@dataclass(frozen=True, slots=True)
class Supposed:
    """How one source is supposed to change: a number of rows, or a share of those that are there."""

    direction: Direction
    number: float
    is_share: bool

    def rows(self, there: int) -> int:
        """Rows that come, go or are updated: of those that go or are updated, no more than there are."""
        return self.asked(there) if self.direction == "+" else min(self.asked(there), there)

    def asked(self, there: int) -> int:
        """Rows that the option asks for, whether there are as many or not."""
        return max(1, round(there * self.number if self.is_share else self.number))

    def times(self, factor: float) -> Supposed:
        return Supposed(self.direction, self.number * factor, self.is_share)

    def delta(self, now: TableSnapshot) -> DeltaFiles:
        """The change, of rows whose values lie where those of the source do."""
        rows = self.rows(now.rows)
        if self.direction == "+":
            return DeltaFiles(signed=False, parts=(_coming(now.schema, file_like(now.files, rows)),))
        file = file_like(now.files, rows * (2 if self.direction == "" else 1))
        if self.direction == "":
            return DeltaFiles(signed=True, parts=(_coming(with_sign(now.schema), file),))
        gone = replace(file, partition=((WEIGHT, "-1"),))
        return DeltaFiles(signed=True, parts=(_coming(with_sign(now.schema), gone, WEIGHT),))

    def after(self, now: TableSnapshot) -> TableSnapshot:
        """The source as it would be."""
        rows = self.rows(now.rows)
        if self.direction == "+":
            return replace(now, files=(*now.files, file_like(now.files, rows)))
        if self.direction == "":
            return now
        left = 1 - rows / max(now.rows, 1)
        files = tuple(replace(f, rows=round(f.rows * left), size=round(f.size * left)) for f in now.files)
        return replace(now, files=files if left else ())

    def __str__(self) -> str:
        return f"{self.direction}{self.number * 100:.3g}%" if self.is_share else f"{self.direction}{round(self.number)}"


def _coming(schema: Schema, file: DataFile, *partitions: str) -> TableSnapshot:
    return TableSnapshot(table="", version=-1, schema=schema, files=(file,), partition_columns=partitions)


def parse(texts: Iterable[str], views: Iterable[str], sources: Iterable[str]) -> dict[str, Supposed]:
    """What the option says, for each source; several may stand in one text, between commas."""
    known = list(sources)
    found: dict[str, Supposed] = {}
    for text in (part.strip() for whole in texts for part in whole.split(",") if part.strip()):
        match = _FORM.match(text)
        if match is None or not 0 < float(match["number"]) < MOST:
            raise UserError(
                f'"{text}" does not say how a source changes',
                code="bad-option",
                hint="Write SOURCE=+1% for rows that come, SOURCE=-1% for rows that go, SOURCE=1% for updates.",
            )
        name = find_source(match["name"].strip(), views, known)
        if name in found:
            raise UserError(
                f'source "{name}" is supposed to change twice',
                code="bad-option",
                hint="Give one change for each source.",
            )
        share = bool(match["percent"])
        number = float(match["number"]) / (100 if share else 1)
        found[name] = Supposed(_direction(match), number, share)
    return found


def _direction(match: re.Match[str]) -> Direction:
    return "+" if match["sign"] == "+" else "-" if match["sign"] == "-" else ""


def doubled(supposed: Mapping[str, Supposed], there: Mapping[str, int]) -> Iterator[dict[str, Supposed]]:
    """Supposed changes, larger and larger, until one of them is as large as its source."""
    factor = 2.0
    while all(s.times(factor).asked(there.get(name, 0)) <= there.get(name, 0) for name, s in supposed.items()):
        yield {name: s.times(factor) for name, s in supposed.items()}
        factor *= 2


def to_dict(supposed: Mapping[str, Supposed]) -> dict[str, str]:
    return {name: str(s) for name, s in supposed.items()}

"""Which warehouses a project has used: each has an id, and the project keeps a note of it, for each target.

So a folder that is empty, because nothing is mounted there or somebody cleaned up, is not begun anew in silence. The
notes are in `<project>/.tidewheel`, which no version control takes in: a fresh clone has none and refuses nothing.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote

from tidewheel.errors import StoreError
from tidewheel.store import disk
from tidewheel.store.warehouse import Warehouse

FOLDER = ".tidewheel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What a project knows of the warehouses of one target: their ids, by their paths as they are configured.

    The configured path stays the same when the project is copied together with its warehouse.
    """

    root: str
    target: str | None
    place: str

    @property
    def path(self) -> str:
        name = "default" if self.target is None else f"target-{quote(self.target, safe='')}"
        return os.path.join(self.root, FOLDER, f"{name}.json")

    def read(self) -> dict[str, str]:
        """The ids by path; a note that cannot be read is none."""
        try:
            body = json.loads(disk.read_text(self.path))
        except (OSError, ValueError):
            return {}
        return body if isinstance(body, dict) else {}

    def keep(self, warehouse: Warehouse) -> None:
        """Note the warehouse's id; a project that cannot be written to goes without."""
        known, found = self.read(), warehouse.id()
        if found is None or known.get(self.place) == found:
            return
        folder = os.path.dirname(self.path)
        body = json.dumps({**known, self.place: found})
        with suppress(StoreError):
            disk.make_dirs(folder, "project.note")
            disk.create(os.path.join(folder, ".gitignore"), "*\n", step="project.note", scratch=folder)
            disk.replace(self.path, body, step="project.note", scratch=folder)


def require_known(warehouse: Warehouse, notes: Notes) -> None:
    """Refuse a warehouse that is not the one that the project has used, and a place where there is none any more."""
    known = notes.read()
    if known and not warehouse.exists():
        before = "" if notes.place in known else f" It was at {', '.join(sorted(known))} before."
        raise StoreError(
            "the project's warehouse is not there",
            code="warehouse-gone",
            detail=f"Path: {warehouse.root}. This project has used a warehouse, and there is none here now.{before}",
            hint="Mount or restore it, or correct `warehouse:`. To begin anew, with no rows and no epochs: "
            "`tidewheel refresh --force` or `tidewheel ingest --force`.",
        )
    expected, found = known.get(notes.place), warehouse.id()
    if expected is not None and expected != found:
        raise StoreError(
            "the warehouse is not the one that this project has used",
            code="warehouse-changed",
            detail=f"Path: {warehouse.root}. Its id is {found}, that of the project's last run was {expected}.",
            hint="Mount or restore the one that belongs here. To go on with the one that is here: "
            "`tidewheel refresh --force` or `tidewheel ingest --force`.",
        )

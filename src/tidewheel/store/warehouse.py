"""Where things are in a warehouse.

<warehouse>/<relation>/                 a Delta table that any Delta reader can read
<warehouse>/<relation>/_data/<attempt>/ its data files; one folder for each attempt that wrote some
<warehouse>/_tidewheel/                 our own records, all JSON, all described in docs/store-protocol.md
"""

from __future__ import annotations

import json
import os
import re
import uuid
from dataclasses import dataclass

from tidewheel.errors import StoreError, UserError
from tidewheel.store import disk

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Warehouse:
    root: str

    def table(self, relation: str) -> str:
        return os.path.join(self.root, relation)

    def data(self, relation: str, attempt: str) -> str:
        return os.path.join(self.root, relation, "_data", attempt)

    def own(self, *parts: str) -> str:
        return os.path.join(self.root, "_tidewheel", *parts)

    @property
    def scratch(self) -> str:
        """Temporary files: on the same file system as everything they are linked to."""
        return self.own("tmp")

    @property
    def spill(self) -> str:
        """Temporary files of those who only read: elsewhere, if they may not write here."""
        return self.scratch if os.access(self.scratch, os.W_OK) else disk.private_dir()

    def epoch(self, number: int) -> str:
        return self.own("epochs", f"{number:020d}.json")

    def applied(self, number: int) -> str:
        return self.own("applied", f"{number:020d}.json")

    def ingests(self, source: str) -> str:
        return self.own("ingests", source)

    def exists(self) -> bool:
        """Whether a warehouse was begun here."""
        return os.path.exists(self.own("format.json"))

    def id(self) -> str | None:
        """What tells this warehouse from every other; None before it was opened for writing."""
        try:
            body = disk.read_json(self.own("id.json"), "the warehouse's id")
        except FileNotFoundError:
            return None
        found = body.get("id") if isinstance(body, dict) else None
        if not isinstance(found, str):
            raise disk.damaged("the warehouse's id", self.own("id.json"), "It holds no id")
        return found

    def open(self) -> None:
        """Make sure the warehouse exists and speaks our format; create what is missing."""
        if re.search(r"%[0-9A-Fa-f]{2}", os.path.abspath(self.root)):
            raise UserError(
                "the warehouse's path holds a percent sign and two hexadecimal digits",
                code="bad-path",
                detail=f"Path: {os.path.abspath(self.root)}. The Delta reader would take them for one character.",
                hint="Choose another folder.",
            )
        path = self.own("format.json")
        if not self.exists():
            self._create(path)
        body = disk.read_json(path, "the warehouse's format file")
        found = body.get("format") if isinstance(body, dict) else None
        if not isinstance(found, int) or found > FORMAT:
            raise StoreError(
                f"the warehouse has format {found}, this version of tidewheel reads format {FORMAT}",
                code="newer-format",
                detail=f"Path: {path}.",
                hint="Install the version of tidewheel that wrote it, or a newer one.",
            )
        if not os.path.exists(self.own("id.json")):
            body = json.dumps({"id": uuid.uuid4().hex})
            disk.create(self.own("id.json"), body, step="warehouse.id", scratch=self.scratch)

    def _create(self, path: str) -> None:
        try:
            for folder in ("epochs", "applied", "intents", "ingests", "changes", "history", "readers", "tmp"):
                os.makedirs(self.own(folder), exist_ok=True)
        except OSError as error:
            raise disk.store_error(error, self.root) from error
        disk.create(path, json.dumps({"format": FORMAT}), step="warehouse.format", scratch=self.scratch)

"""A file that landed in the folder of a source."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from urllib.parse import unquote

from tidewheel.store import disk
from tidewheel.types import Schema

NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """A file in the folder as one look saw it."""

    path: str
    name: str
    size: int
    modified: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.name.encode()).hexdigest()[:20]

    @property
    def stem(self) -> str:
        return f"{self.digest}-{self.size}-{self.modified}"

    def is_taken_as(self, path: str) -> bool:
        return os.path.basename(path).startswith((f"{self.stem}.", f"{self.stem}-"))

    def same_now(self) -> bool:
        return disk.signature(self.path) == [self.size, self.modified]

    def folder_columns(self) -> list[tuple[str, str]]:
        parts = [part.partition("=") for part in os.path.dirname(self.name).split(os.sep) if "=" in part]
        return [(unquote(name), unquote(value)) for name, _, value in parts]

    def folder_values(self, schema: Schema) -> dict[str, str | None]:
        """What the names of its folders say of columns of the schema: `day=2026-01-01/` is a day."""
        named = [(schema.find(name), value) for name, value in self.folder_columns()]
        return {field.name: None if value in {"", NULL_FOLDER} else value for field, value in named if field}

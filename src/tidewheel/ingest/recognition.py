"""Landed files that were taken before, known again by what they hold: a copied or touched file has another time.

What was found is kept in a small file, so that each is compared once. It may be lost: then it is compared again.
"""

from __future__ import annotations

import contextlib
import filecmp
import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable

from tidewheel.errors import StoreError
from tidewheel.ingest.landed import Landed
from tidewheel.store import disk
from tidewheel.store.warehouse import Warehouse

AS_IT_IS = "same"
"""Ends the name of a copy that was not converted: it may be a link to the landed file."""


def unchanged(warehouse: Warehouse, source: str, seen: Iterable[tuple[Landed, str]]) -> set[str]:
    """The names of those landed files that hold what was taken of them, given each with the path of its copy."""
    path = warehouse.own("cache", "landed", f"{source}.json")
    known = _known(path)
    found = dict[str, str]()
    same = set[str]()
    for landed, taken in seen:
        copy = os.path.basename(taken)
        if known.get(landed.stem) == copy or _holds(landed, os.path.join(warehouse.table(source), taken)):
            found[landed.stem] = copy
            same.add(landed.name)
    if not found.items() <= known.items():
        with contextlib.suppress(StoreError):
            disk.make_dirs(os.path.dirname(path), "cache.write")
            disk.replace(path, json.dumps(found), step="cache.write", scratch=warehouse.scratch)
    return same


def _known(path: str) -> dict[str, str]:
    try:
        body = json.loads(disk.read_text(path))
    except (OSError, ValueError):
        return {}
    return body if isinstance(body, dict) else {}


def _holds(landed: Landed, taken: str) -> bool:
    """By the digest in the copy's name; older copies that were not converted have none, but the same bytes.

    Such a copy that is the landed file itself, by a hard link, says nothing: whoever changed the one changed the other.
    """
    _, size, *rest = os.path.basename(taken).removesuffix(".parquet").split("-")
    try:
        if len(rest) > 1:
            return content_digest(landed.path) == rest[1]
        return (
            size == str(landed.size)
            and not os.path.samefile(landed.path, taken)
            and filecmp.cmp(landed.path, taken, shallow=False)
        )
    except FileNotFoundError:
        return False


def content_digest(path: str) -> str | None:
    """What a file holds, in short: the same for one that is packed."""
    try:
        with gzip.open(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]
    except (OSError, EOFError, zlib.error):
        return disk.digest(path)

"""Files that somebody drops into a folder, taken over into the source's own table, each once.

A landed file's name, size and time make the name of its copy: `_data/<attempt>/<name's digest>-<size>-<time>.parquet`.
So the table's log itself says which files have been taken, and a file that changed in place is seen as such. A copy
also has a digest of what the file held in its name, by which it is known again at another time; one that was not
converted says so, for it may be a link, whose rows go with those of the landed file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass

from tidewheel.errors import UserError
from tidewheel.ingest.commit import Base, CommitWork, begin, commit, discarding, newest_version
from tidewheel.ingest.files import format_of, open_file
from tidewheel.ingest.inputs import ReadOptions, schema_of_input
from tidewheel.ingest.landed import Landed
from tidewheel.ingest.recognition import AS_IT_IS, content_digest, unchanged
from tidewheel.ingest.takeover import take_over
from tidewheel.project.config import FilesSource, resolve_path
from tidewheel.schema_json import schema_from_json
from tidewheel.store import disk, log
from tidewheel.store.deltas import DeltaFiles, NoDelta, delta_of_files
from tidewheel.store.log import DataFile
from tidewheel.store.tables import open_table, read_snapshot
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema

SETTLE_SECONDS = 1.0
WIDTH = 50.0
"""Bytes that a row is thought to take while none has been taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """What a folder holds against what its table has taken: new files, changed ones, and copies of what is not there.

    It is `exact` if the rows that go are known: a landed file that was written over in place has taken the rows of its
    linked copy with it.
    """

    new: tuple[Landed, ...] = ()
    changed: tuple[Landed, ...] = ()
    stale: tuple[DataFile, ...] = ()
    exact: bool = True
    bytes_per_row: float = WIDTH
    """Of what was taken before."""

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.stale)

    @property
    def files(self) -> int:
        """How many files are not as they were taken."""
        return len(self.new) + len(self.stale)

    @property
    def gone(self) -> int:
        return len(self.stale) - len(self.changed)

    def to_dict(self) -> dict[str, int]:
        return {"new": len(self.new), "changed": len(self.changed), "gone": self.gone}

    def __str__(self) -> str:
        new = [f"{len(self.new)} new file{'s' if len(self.new) > 1 else ''}"] if self.new else []
        others = ((len(self.changed), "changed"), (self.gone, "gone"))
        return ", ".join(new + [f"{count} file{'s' if count > 1 else ''} {what}" for count, what in others if count])

    def expected(self, table: str, schema: Schema, version: int) -> DeltaFiles | NoDelta:
        """The change that taking it will be, as far as it can be told before files are opened."""
        if not self.exact:
            return NoDelta("file-replaced", "a file was written over in place, and its rows with it")
        size = sum(landed.size for landed in (*self.new, *self.changed))
        rows = max(1, round(size / self.bytes_per_row))
        come = [DataFile(path="", size=size, rows=rows)] if size else []
        return delta_of_files(table, schema, version, come, self.stale)


def look(warehouse: Warehouse, name: str, source: FilesSource, root: str) -> Landing:
    """Compare folder and table. Reads names, sizes and times; opens only files of the same size at another time."""
    taken = {_digest_of(file.path): file for file in _taken(warehouse, name)}
    new, changed, seen = [], [], set()
    for landed in _scan(name, source, root):
        seen.add(landed.digest)
        before = taken.get(landed.digest)
        if before is None:
            new.append(landed)
        elif not landed.is_taken_as(before.path):
            changed.append(landed)
    gone = [file for digest, file in taken.items() if digest not in seen]
    pairs = [(c, taken[c.digest].path) for c in changed]
    if source.on_file_change == "keep":
        pairs += _perhaps_moved(new, gone)
        gone = []
    same = unchanged(warehouse, name, pairs) if pairs else set()
    new, changed = ([landed for landed in some if landed.name not in same] for some in (new, changed))
    if (gone or changed) and source.on_file_change != "reload":
        raise _not_as_it_was(name, changed, len(gone))
    stale = (*gone, *(taken[c.digest] for c in changed))
    exact = all(_is_intact(os.path.join(warehouse.table(name), file.path)) for file in stale)
    sizes = [(file.size, file.rows) for file in taken.values() if file.rows]
    width = sum(size for size, _ in sizes) / sum(rows for _, rows in sizes) if sizes else WIDTH
    return Landing(new=tuple(new), changed=tuple(changed), stale=stale, exact=exact, bytes_per_row=width)


def _taken(warehouse: Warehouse, name: str) -> tuple[DataFile, ...]:
    version = newest_version(warehouse.table(name))
    if version < 0:
        return ()
    return read_snapshot(warehouse.table(name), version, cache=warehouse.own("cache", "deleted")).files


def _digest_of(path: str) -> str:
    return os.path.basename(path).partition("-")[0]


def _perhaps_moved(new: list[Landed], gone: list[DataFile]) -> list[tuple[Landed, str]]:
    """New files with the copies that they may be of: a file that is moved or packed keeps its time."""
    at = dict[str, list[str]]()
    for file in gone:
        at.setdefault(os.path.basename(file.path).removesuffix(".parquet").split("-")[2], []).append(file.path)
    return [(landed, path) for landed in new for path in at.get(str(landed.modified), ())]


def _is_intact(copy: str) -> bool:
    """Whether a copy holds the rows that were taken: one that is a link gets another time when the landed file does."""
    found = disk.signature(copy)
    _, _, modified, *rest = os.path.basename(copy).removesuffix(".parquet").split("-")
    if found is None or str(found[1]) == modified:
        return found is not None
    return rest[:1] == [content_digest(copy)] if AS_IT_IS in rest else bool(rest)


def _scan(name: str, source: FilesSource, root: str) -> Iterator[Landed]:
    folder = resolve_path(source.path, root)
    if not os.path.isdir(folder):
        raise UserError(
            f'the folder of source "{name}" does not exist',
            code="missing-file",
            detail=f"Path: {folder}.",
            relation=name,
            hint="Create it, or correct `path:` in tidewheel.yml.",
        )
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "_")))
        for file in sorted(files):
            kind = format_of(file)
            if file.startswith((".", "_")) or kind is None or (source.format and kind != source.format):
                continue
            path = os.path.join(where, file)
            try:
                status = os.stat(path)
            except FileNotFoundError:
                if os.path.islink(path):
                    raise _dangling(name, path) from None
                continue  # taken away since the folder was listed
            yield Landed(
                path=path,
                name=os.path.relpath(path, folder),
                size=status.st_size,
                modified=status.st_mtime_ns,
            )


def _dangling(name: str, path: str) -> UserError:
    return UserError(
        f'a file of source "{name}" is a link to nothing',
        code="missing-file",
        detail=f"Path: {path} -> {os.readlink(path)}.",
        relation=name,
        hint="Restore what it points to, or remove the link.",
    )


def _not_as_it_was(name: str, changed: list[Landed], gone: int) -> UserError:
    parts = [f'"{c.name}" changed' for c in changed[:3]] + ([f"{gone} removed"] if gone else [])
    return UserError(
        f'files of source "{name}" that were taken before are not as they were: {", ".join(parts)}',
        code="file-changed",
        relation=name,
        detail="A files source expects files to be added and never touched again.",
        hint="Restore them, or set `on_file_change` for this source: `reload` follows such changes, `keep` keeps the "
        "rows of files that were moved away.",
    )


def take(warehouse: Warehouse, name: str, source: FilesSource, root: str, *, timezone: str) -> int:
    """Take over what has landed and settled, in one commit; returns how many files. Unsettled files wait."""
    read = ReadOptions(timezone=timezone, format=source.format, delimiter=source.delimiter)
    landing = look(warehouse, name, source, root)
    if not landing:
        return 0
    ready = [landed for landed in (*landing.new, *landing.changed) if _settled(landed)]
    held_back = {c.digest for c in landing.changed} - {r.digest for r in ready}
    stale = [file for file in landing.stale if _digest_of(file.path) not in held_back]
    if not ready and not stale:
        return 0
    attempt = begin(warehouse, name)
    with discarding(attempt):
        schema = _schema(warehouse, name, source, ready, read)
        if source.declared is None:
            _refuse_unknown_folders(name, ready, schema)
        # A link shares its rows with the landed file: good only where files are never written to again.
        link = source.on_file_change == "error"
        files = [take_over(attempt, landed, schema, read, link=link) for landed in ready]
        taken = [f for f in files if f is not None]
        if taken or stale:
            commit(attempt, schema, None, lambda base: _work(base, taken, stale, exact=landing.exact))
    attempt.done()
    return len(taken)


def _refuse_unknown_folders(name: str, ready: list[Landed], schema: Schema) -> None:
    """A folder `day=2026-01-01` is a column; if no file has it, only a declaration says of which type."""
    for landed in ready:
        unknown = [column for column, _ in landed.folder_columns() if schema.find(column) is None]
        if unknown:
            raise UserError(
                f'file "{landed.name}" of source "{name}" lies in a folder of a column that the source has not: '
                f'"{unknown[0]}"',
                code="schema-changed",
                relation=name,
                hint="Declare `schema:` for the source, with that column or without it.",
            )


def _work(base: Base, taken: list[DataFile], stale: list[DataFile], *, exact: bool) -> CommitWork:
    """What is left to do on a base: another run may have looked at the same folder and taken the same files.

    It may have seen another content, too: that stays, and the next look compares it with the folder.
    """
    there = {f.path for f in base.snapshot().files}
    gone = [file for file in stale if file.path in there]
    names = {_digest_of(path) for path in there - {file.path for file in gone}}
    new = [f for f in taken if _digest_of(f.path) not in names]
    actions = [log.remove_action(f.path) for f in gone] + [log.add_action(f) for f in new]
    about = {"landed": len(new), "rows": sum(f.rows for f in new), "removed": sum(f.rows for f in gone), "exact": exact}
    return CommitWork(actions=tuple(actions), about=about)


def _settled(landed: Landed) -> bool:
    """Whether two looks at least a second apart agree; a file that is old enough needs no waiting."""
    age = time.time() - landed.modified / 1e9
    if 0 <= age < SETTLE_SECONDS:
        time.sleep(SETTLE_SECONDS - age)
    return landed.same_now()


def _schema(warehouse: Warehouse, name: str, source: FilesSource, ready: list[Landed], read: ReadOptions) -> Schema:
    """Declared, or of the table so far, or of the first file."""
    table = warehouse.table(name)
    if source.declared is not None:
        return source.declared
    if newest_version(table) >= 0:
        return schema_from_json(open_table(table).schema().to_json())
    for landed in ready:
        return schema_of_input(open_file(landed.path, None, read))
    raise UserError(
        f'source "{name}" has no files yet',
        code="no-files",
        relation=name,
        hint="Put a first file into its folder, or declare `schema:` in tidewheel.yml.",
    )

"""Files that somebody drops into a folder, taken over into the source's own table, each once.

A landed file's name, size and time make the name of its copy: `_data/<attempt>/<name's digest>-<size>-<time>.parquet`.
So the table's log itself says which files have been taken, and a file that changed in place is seen as such. A copy
that was converted also has a digest of what the file held in its name, by which it is known again at another time.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tidewheel.errors import TidewheelError, UserError
from tidewheel.ingest.commit import Base, IngestAttempt, Work, begin, commit, discarding, newest_version
from tidewheel.ingest.inputs import ENDINGS, conforming, open_file, schema_of_input, unreadable
from tidewheel.ingest.recognition import unchanged
from tidewheel.project.config import FilesSource, resolve_path
from tidewheel.store import disk, log
from tidewheel.store.footers import check_schema, describe_file, has_nanoseconds, read_footer
from tidewheel.store.log import DataFile
from tidewheel.store.tables import open_table, read_snapshot
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import Schema, schema_from_json

SETTLE_SECONDS = 1.0


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
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            return False
        return (status.st_size, status.st_mtime_ns) == (self.size, self.modified)


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """What a folder holds against what its table has taken: new files, replaced ones, and ones that are gone."""

    new: tuple[Landed, ...] = ()
    changed: tuple[Landed, ...] = ()
    stale: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.stale)


def look(warehouse: Warehouse, name: str, source: FilesSource, root: str) -> Landing:
    """Compare folder and table. Reads names, sizes and times; opens only files of the same size at another time."""
    taken = _taken(warehouse, name)
    by_digest = {_digest_of(path): path for path in taken}
    new, changed, seen = [], [], set()
    for landed in _scan(name, source, root):
        seen.add(landed.digest)
        before = by_digest.get(landed.digest)
        if before is None:
            new.append(landed)
        elif not landed.is_taken_as(before):
            changed.append(landed)
    same = unchanged(warehouse, name, ((c, by_digest[c.digest]) for c in changed)) if changed else set()
    changed = [c for c in changed if c.name not in same]
    gone = [path for digest, path in by_digest.items() if digest not in seen]
    stale = gone + [by_digest[c.digest] for c in changed]
    if stale and source.on_file_change == "error":
        raise _changed_in_place(name, changed, len(gone))
    return Landing(new=tuple(new), changed=tuple(changed), stale=tuple(stale))


def _taken(warehouse: Warehouse, name: str) -> list[str]:
    version = newest_version(warehouse.table(name))
    if version < 0:
        return []
    snapshot = read_snapshot(warehouse.table(name), version, cache=warehouse.own("cache", "deleted"))
    return [f.path for f in snapshot.files]


def _digest_of(path: str) -> str:
    return os.path.basename(path).partition("-")[0]


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
            kind = ENDINGS.get(os.path.splitext(file)[1].lower())
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


def _changed_in_place(name: str, changed: list[Landed], gone: int) -> UserError:
    parts = [f'"{c.name}" changed' for c in changed[:3]] + ([f"{gone} removed"] if gone else [])
    return UserError(
        f'files of source "{name}" that were taken before are not as they were: {", ".join(parts)}',
        code="file-changed",
        relation=name,
        detail="A files source expects files to be added and never touched again.",
        hint="Restore them, or set `on_file_change: reload` for this source to follow such changes.",
    )


def take(warehouse: Warehouse, name: str, source: FilesSource, root: str, *, timezone: str) -> int:
    """Take over what has landed and settled, in one commit; returns how many files. Unsettled files wait."""
    landing = look(warehouse, name, source, root)
    if not landing:
        return 0
    ready = [landed for landed in (*landing.new, *landing.changed) if _settled(landed)]
    held_back = {c.digest for c in landing.changed} - {r.digest for r in ready}
    stale = [path for path in landing.stale if _digest_of(path) not in held_back]
    if not ready and not stale:
        return 0
    attempt = begin(warehouse, name)
    with discarding(attempt):
        schema = _schema(warehouse, name, source, ready)
        files = [_take_over(attempt, landed, schema, source, timezone) for landed in ready]
        taken = [f for f in files if f is not None]
        if taken or stale:
            commit(attempt, schema, None, lambda base: _work(base, taken, stale))
    attempt.done()
    return len(taken)


def _work(base: Base, taken: list[DataFile], stale: list[str]) -> Work:
    """What is left to do on a base: another run may have looked at the same folder and taken the same files."""
    there = {f.path for f in base.snapshot().files}
    names = {os.path.basename(path) for path in there}
    new = [f for f in taken if os.path.basename(f.path) not in names]
    gone = [path for path in stale if path in there]
    actions = [log.remove_action(p) for p in gone] + [log.add_action(f) for f in new]
    return Work(actions=tuple(actions), about={"landed": len(new), "removed": len(gone)})


def _settled(landed: Landed) -> bool:
    """Whether two looks at least a second apart agree; a file that is old enough needs no waiting."""
    age = time.time() - landed.modified / 1e9
    if 0 <= age < SETTLE_SECONDS:
        time.sleep(SETTLE_SECONDS - age)
    return landed.same_now()


def _schema(warehouse: Warehouse, name: str, source: FilesSource, ready: list[Landed]) -> Schema:
    """Declared, or of the table so far, or of the first file."""
    table = warehouse.table(name)
    if source.declared is not None:
        return source.declared
    if newest_version(table) >= 0:
        return schema_from_json(open_table(table).schema().to_json())
    for landed in ready:
        return schema_of_input(open_file(landed.path, None))
    raise UserError(f'source "{name}" has no files yet', code="no-files", relation=name)


def _take_over(
    attempt: IngestAttempt, landed: Landed, schema: Schema, source: FilesSource, timezone: str
) -> DataFile | None:
    """Parquet by hard link or copy, others converted; None if the file changed while we worked."""
    try:
        copy = f"{landed.stem}.parquet"
        if landed.path.lower().endswith(".parquet"):
            footer = read_footer(landed.path)
            check_schema(footer.schema.to_arrow_schema(), schema, landed.path)
            _refuse_extra(footer.schema.to_arrow_schema().names, schema, landed)
        if landed.path.lower().endswith(".parquet") and not has_nanoseconds(footer.schema.to_arrow_schema()):
            # A link shares its rows with the landed file: good only where files are never written to again.
            link = source.on_file_change == "error"
            disk.link_or_copy(landed.path, os.path.join(attempt.data, copy), step="files.import", link=link)
        else:
            copy = f"{landed.stem}-{disk.digest(landed.path)}.parquet"
            _convert(landed, schema, os.path.join(attempt.data, copy), source, timezone)
    except TidewheelError as error:
        if error.code in {"disk-full", "not-writable", "io-error"}:
            raise  # our disk's fault, not the file's
        if not landed.same_now():
            return None
        raise UserError(
            f'file "{landed.name}" does not fit source "{attempt.source}": {error.message}',
            code=error.code if error.code in {"corrupt-file", "empty-file"} else "schema-changed",
            detail=error.detail,
            relation=attempt.source,
            hint="Remove or repair the file; nothing was taken.",
        ) from error
    if not landed.same_now():
        return None
    return describe_file(os.path.join(attempt.data, copy), attempt.relative(copy), schema)


def _refuse_extra(names: list[str], schema: Schema, landed: Landed) -> None:
    extra = [n for n in names if schema.find(n) is None]
    if extra:
        raise UserError(
            f"it has columns that the source has not: {', '.join(extra)}",
            code="extra-column",
            detail=f"Path: {landed.path}.",
        )


def _convert(landed: Landed, schema: Schema, target: str, source: FilesSource, timezone: str) -> None:
    import pyarrow as pa  # noqa: PLC0415

    from tidewheel.store.arrow import parquet_writer, to_arrow  # noqa: PLC0415

    opened = open_file(landed.path, schema, source.format)
    with disk.io_step("files.import", target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            with parquet_writer(target, to_arrow(schema)) as writer:
                for batch in conforming(opened, schema, required=(), timezone=timezone):
                    writer.write_batch(batch)
        except pa.ArrowException as error:
            raise unreadable(landed.path, error) from error

"""Damaged data files: named, with what to do about them. Nobody guesses at rows that cannot be read.

Checksums of pages are verified wherever we read ourselves. Arrow and Spark write them; DuckDB cannot, so in files of
the driver a flipped byte may show only in what it decodes to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tidewheel.errors import StoreError
from tidewheel.store import log

if TYPE_CHECKING:
    import pyarrow.parquet as pq

UNREADABLE = frozenset({"corrupt-file", "corrupt-log", "files-missing"})
"""What is wrong with one relation, and concerns only those that read it."""


def corrupt_file(path: str, why: BaseException | str) -> StoreError:
    """The error that names a damaged file, its relation if that is known, and the way out."""
    text = (str(why).splitlines() or [type(why).__name__])[0].rstrip(".")
    relation, hint = _advice(os.path.abspath(path))
    return StoreError(
        f'a data file of "{relation}" is damaged' if relation else "a data file is damaged",
        code="corrupt-file",
        detail=f"Path: {path}. {text}.",
        hint=hint,
        relation=relation,
    )


def _advice(path: str) -> tuple[str | None, str]:
    """Whose file it is, and what helps: views are built again, rows of sources must come from somewhere."""
    table, inside, _ = path.rpartition(f"{os.sep}_data{os.sep}")
    _, is_own, rest = path.rpartition(f"{os.sep}_tidewheel{os.sep}")
    relation = os.path.basename(table) if inside else None
    owner = None
    with suppress(StoreError):  # then its log is damaged as well
        owner = log.owner(table) if relation else None
    if owner == "view":
        return relation, f"Build the view again: `tidewheel refresh --full-refresh --select {relation}`."
    if relation and owner == "source":
        return relation, ingest_again(relation)
    if is_own and rest.startswith(f"changes{os.sep}"):
        relation = rest.split(os.sep)[1]
        return (
            relation,
            f"Build what reads the source from its rows: `tidewheel refresh --full-refresh -s {relation}+`.",
        )
    if is_own and rest.startswith(f"cache{os.sep}"):
        return None, "Delete the file: it is made again."
    return None, "Restore the file from a backup, or let whoever writes this table write it again."


def ingest_again(source: str) -> str:
    """What helps if rows of a source of ours are lost."""
    return (
        f"Restore the file from a backup. Without one, remove the source from tidewheel.yml, run `tidewheel drop "
        f"{source}`, declare it again and ingest its rows again."
    )


def files_missing(path: str, relation: str, version: int) -> StoreError:
    """The error that names a data file that is gone, and what helps."""
    hint = "Somebody else vacuumed or deleted them. `tidewheel refresh --full-refresh` builds on what is there now."
    table, inside, _ = path.rpartition(f"{os.sep}_data{os.sep}")
    with suppress(StoreError):  # then its log is damaged as well
        hint = ingest_again(relation) if inside and log.owner(table) == "source" else hint
    return StoreError(
        f'data files of "{relation}" at version {version} are gone',
        code="files-missing",
        detail=f"Path: {path}.",
        relation=relation,
        hint=hint,
    )


def check_size(path: str, size: int) -> None:
    """Refuse a file that is not as long as it was written (0 if that is not known).

    Spark takes a file without a byte for one without rows, and says nothing.
    """
    found = os.stat(path).st_size
    if found == 0 or (size and found != size):
        was = f" and was written with {size:,}" if size else ""
        raise corrupt_file(path, f"It has {found:,} bytes{was}")


@contextmanager
def reading(path: str) -> Iterator[None]:
    """What goes wrong inside is the file's fault, or the disk's; that it is not there is left to the caller."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise StoreError(
                "a data file cannot be read",
                code="io-error",
                detail=f"Path: {path}. {error}.",
                hint="Check the disk and the permissions of the folder.",
            ) from error
        raise corrupt_file(path, error) from error


@contextmanager
def opened(path: str) -> Iterator[pq.ParquetFile]:
    """A data file, read with its checksums."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    with reading(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        yield file


def find_damage(paths: Iterable[str]) -> StoreError | None:
    """What is wrong with the first damaged one of these files; every page of every file is read."""
    for path in paths:
        try:
            with opened(path) as file:
                for batch in file.iter_batches():
                    batch.validate(full=True)
        except FileNotFoundError:
            continue
        except StoreError as error:
            return error
    return None

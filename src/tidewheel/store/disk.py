"""Every operation on paths, in one place, each with its failpoints.

Two ways to publish a file, and both are atomic: `create` (write a temporary file, sync it, link it under its name:
exactly one of several writers wins) and `publish` (link a file that is already written: it also fails if somebody
has taken that file away, which is how `vacuum` fences off an abandoned attempt).
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import functools
import hashlib
import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from typing import Any, BinaryIO

from tidewheel.errors import StoreError
from tidewheel.failpoints import STEPS, failpoint


@contextlib.contextmanager
def io_step(step: str, path: str) -> Iterator[None]:
    """Surround one change on disk with its failpoints, and turn the operating system's errors into ours."""
    if step not in STEPS:
        raise KeyError(step)
    try:
        failpoint(step, "before")
        yield
        failpoint(step, "after")
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError as error:
        raise store_error(error, path) from error


def store_error(error: OSError, path: str) -> StoreError:
    """What an OSError means for somebody who runs a warehouse."""
    where = f"Path: {error.filename or path}."
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreError(
            "no space left on the warehouse's disk",
            code="disk-full",
            detail=where,
            hint="Free some space (tidewheel vacuum may help) and run again: no table is left half-written.",
        )
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT}:
        return StoreError(
            "the warehouse is not writable",
            code="not-writable",
            detail=where,
            hint="Check the owner and the permissions of the warehouse folder.",
        )
    return StoreError(
        f"cannot write: {os.strerror(error.errno or 0).lower()}",
        code="io-error",
        detail=where,
        hint="Check the disk and the folder, then run again.",
    )


def make_dirs(path: str, step: str) -> None:
    with io_step(step, path):
        try:
            os.makedirs(path, exist_ok=True)
        except (FileExistsError, FileNotFoundError) as error:  # a file stands in the way, or nothing can be made there
            raise store_error(error, path) from error


def create(path: str, data: str, *, step: str, scratch: str) -> bool:
    """Create `path` with `data` unless it exists; True for the one writer that created it."""
    with io_step(step, path):
        temporary = _write_temporary(data, scratch)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
        finally:
            os.unlink(temporary)
        sync_dir(os.path.dirname(path))
    return True


def prepare(path: str, data: str, *, step: str) -> None:
    """Write and sync a file that is not visible to anybody yet."""
    with io_step(step, path):
        _write(path, data)


def publish(prepared: str, path: str, *, step: str) -> bool:
    """Link `prepared` as `path`; False if somebody else was first, FileNotFoundError if we were fenced off.

    Once the link is there it is published, whatever fails after that: others may have built on it already. To report
    an error then would make callers do it twice.
    """
    try:
        with io_step(step, path):
            try:
                os.link(prepared, path)
            except FileExistsError:
                return False
            sync_dir(os.path.dirname(path))
    except StoreError:
        if not _is_linked(prepared):
            raise
    return True


def _is_linked(path: str) -> bool:
    """Whether a prepared file has been linked to its public name: then it has a second link."""
    try:
        return os.stat(path).st_nlink > 1
    except FileNotFoundError:
        return False


def withdraw(folder: str, *, step: str, scratch: str) -> bool:
    """Give up the right to publish from a folder; True if nothing was published, so that what was written can go.

    The folder is renamed before it is looked into, as `vacuum` does: no link can appear after the look. If `vacuum`
    was faster nobody knows here what was published: it looks after the files.
    """
    grave = os.path.join(scratch, f"withdrawn-{os.path.basename(folder)}")
    try:
        rename(folder, grave, step=step)
    except FileNotFoundError:
        return False
    published = any(_is_linked(os.path.join(grave, name)) for name in list_names(grave))
    shutil.rmtree(grave, ignore_errors=True)
    return not published


def replace(path: str, data: str, *, step: str, scratch: str) -> None:
    """Replace a file that one process may rewrite at will."""
    with io_step(step, path):
        os.replace(_write_temporary(data, scratch), path)


def append_line(path: str, line: str, *, step: str) -> None:
    """Append one line in one write, so that writers do not interleave; and not to half a line left by a crash."""
    with io_step(step, path):
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            data = ("\n" * is_torn + line + "\n").encode()
            if os.write(descriptor, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        finally:
            os.close(descriptor)


def link_or_copy(source: str, path: str, *, step: str, link: bool = True) -> None:
    """Take over a file, with its time: by hard link where that is wanted and the file system can, else by copy."""
    with io_step(step, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        if not (link and _link(os.path.realpath(source), path)):
            shutil.copyfile(source, path)
            os.utime(path, ns=(os.stat(source).st_atime_ns, os.stat(source).st_mtime_ns))


def copy_stream(stream: BinaryIO, path: str, *, step: str) -> None:
    """Write what a stream gives to a file of our own."""
    with io_step(step, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            shutil.copyfileobj(stream, file)


def _link(source: str, path: str) -> bool:
    try:
        os.link(source, path)
    except OSError:
        return False
    return True


def rename(path: str, target: str, *, step: str) -> None:
    with io_step(step, path):
        os.rename(path, target)


def remove(path: str, *, step: str) -> None:
    """Remove a file or a whole folder; not being there is fine."""
    with io_step(step, path), contextlib.suppress(FileNotFoundError):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def remove_empty_dir(path: str) -> None:
    with contextlib.suppress(OSError):
        os.rmdir(path)


@functools.cache
def private_dir() -> str:
    """A temporary folder of this process alone, for those who may not write to the warehouse; removed at the end."""
    folder = tempfile.mkdtemp(prefix="tidewheel-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def touch(path: str) -> None:
    """Show that we are alive; whether it works does not matter."""
    with contextlib.suppress(OSError):
        os.utime(path)


def _write_temporary(data: str, scratch: str) -> str:
    os.makedirs(scratch, exist_ok=True)
    temporary = os.path.join(scratch, uuid.uuid4().hex)
    _write(temporary, data)
    return temporary


def _write(path: str, data: str) -> None:
    """Write and sync a new file; half a file, when the disk is full, is taken away again."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise


def sync_dir(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_json(path: str, what: str) -> Any:
    """Read one of our own JSON files; a damaged one is named, never guessed at."""
    try:
        return json.loads(read_text(path))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(
            f"cannot read {what}",
            code="io-error",
            detail=f"Path: {path}. {error}",
            hint="Check the disk and the permissions of the warehouse folder.",
        ) from error
    except ValueError as error:
        raise damaged(what, path, str(error)) from error


def damaged(what: str, path: str, why: str) -> StoreError:
    return StoreError(
        f"{what} is damaged",
        code="corrupt-record",
        detail=f"Path: {path}. {why}.",
        hint="Restore the file from a backup; Tidewheel never writes such a file in part.",
    )


def list_names(path: str) -> list[str]:
    """Names in a folder, sorted; none if there is no folder."""
    try:
        return sorted(os.listdir(path))
    except (FileNotFoundError, NotADirectoryError):
        return []


def signature(path: str) -> list[int] | None:
    """Size and modification time: enough to see that a file was replaced."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return [status.st_size, status.st_mtime_ns]


def digest(path: str) -> str | None:
    """What a file holds, in short: the same for a copy of it, whatever its time."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]
    except FileNotFoundError:
        return None

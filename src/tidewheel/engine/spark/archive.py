"""An archive of the classes that Spark loads, which a JVM maps into memory instead of reading three hundred jars.

Starting Spark and planning its first queries takes about half as long with it. It is made once for a Java and the jars
of a Spark, by a process of its own that is left behind when the first run is over; it takes half a minute and 200 MB in
the user's cache folder. A JVM that finds it missing, damaged or made for other jars goes on without it.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import subprocess
import sys
import time
from contextlib import suppress
from typing import Final

OFF: Final = "TIDEWHEEL_CLASS_ARCHIVE"
"""The variable that keeps archives from being made and used, if it is 0."""
TRIES_EVERY: Final = 86_400.0
"""Seconds until another try, after one that failed or is still under way."""
SILENT: Final = "-Xlog:cds=off -Xlog:cds+dynamic=off"
MAKER: Final = "tidewheel.engine.spark.archiving"
"""The module that a process of its own runs."""


def folder() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "tidewheel")


def archive_of(java: str, spark_home: str) -> str:
    """Where the archive for a Java and the jars of a Spark is, if there is one."""
    parts = [os.path.realpath(java), spark_home]
    with suppress(OSError), os.scandir(os.path.join(spark_home, "jars")) as jars:
        parts += sorted(f"{jar.name} {jar.stat().st_size} {jar.stat().st_mtime_ns}" for jar in jars)
    release = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(java))), "release")
    with suppress(OSError), open(release, encoding="utf-8") as file:
        parts.append(file.read())
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]
    return os.path.join(folder(), f"spark-{key}.jsa")


def java_options(path: str) -> str:
    """What a JVM is to be told, which is nothing if there is no archive: it is then made when this process ends."""
    if os.environ.get(OFF) == "0":
        return ""
    if os.path.exists(path):
        return f"-XX:SharedArchiveFile={path} {SILENT}"
    atexit.register(make_later, path)
    return ""


def make_later(path: str) -> None:
    """Leave a process behind that makes the archive; not if one does so, or failed to lately."""
    with suppress(OSError):  # an archive is a convenience: without one everything works, only slower
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not _is_ours(f"{path}.try"):
            return
        subprocess.Popen(
            [sys.executable, "-m", MAKER, path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=os.path.dirname(path),
            start_new_session=True,
        )


def _is_ours(note: str) -> bool:
    """Is it for us to make the archive; a note says who tried last, and when."""
    with suppress(FileNotFoundError):
        if time.time() - os.stat(note).st_mtime < TRIES_EVERY:
            return False
        os.unlink(note)
    with suppress(FileExistsError):
        os.close(os.open(note, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        return True
    return False

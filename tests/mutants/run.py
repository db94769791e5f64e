"""Runs mutants: each in a copy of the package, in a process of its own, against `suite`."""

from __future__ import annotations

import compileall
import concurrent.futures
import hashlib
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.mutate import Mutant, mutants

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "tidewheel"
FILES: Final = (
    "delta/change.py", "delta/forms.py", "delta/groups.py", "delta/joins.py", "delta/layout.py", "delta/linear.py",
    "delta/maintain.py", "delta/partials.py", "delta/pruning.py", "delta/restrict.py", "delta/rules.py",
    "optimize/exploration.py", "optimize/extraction.py", "optimize/maintenance.py",
)  # fmt: skip
TIMEOUT: Final = 600


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a mutant: killed, survived, too slow, or equivalent and not run."""

    mutant: Mutant
    outcome: str
    seconds: float = 0.0


def chosen(count: int, only: str = "") -> list[Mutant]:
    """So many of all mutants, the same ones as long as the code is the same; all of them if the count is 0."""
    found = [m for file in FILES for m in mutants(file, (PACKAGE / file).read_text(encoding="utf-8"))]
    found = [m for m in found if only in m.key]
    found.sort(key=lambda m: hashlib.blake2b(m.key.encode()).digest())
    return found[:count] if count else found


def run(some: Sequence[Mutant], jobs: int) -> Iterator[Result]:
    """Each mutant's result, as they come."""
    todo = [m for m in some if m.key not in EQUIVALENT]
    yield from (Result(m, "equivalent") for m in some if m.key in EQUIVALENT)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        copies: queue.Queue[Path] = queue.Queue()
        for number in range(jobs):
            copies.put(_copied(Path(folder) / str(number)))
        for future in concurrent.futures.as_completed([pool.submit(_borrowed, copies, m) for m in todo]):
            yield future.result()


def _copied(folder: Path) -> Path:
    shutil.copytree(PACKAGE, folder / "tidewheel")
    compileall.compile_dir(folder, quiet=2)
    return folder


def _borrowed(copies: queue.Queue[Path], mutant: Mutant) -> Result:
    folder = copies.get()
    try:
        return _tried(folder, mutant)
    finally:
        copies.put(folder)


def _tried(folder: Path, mutant: Mutant) -> Result:
    file = folder / "tidewheel" / mutant.file
    source = file.read_text(encoding="utf-8")
    times = file.stat()
    start = time.monotonic()
    try:
        file.write_text(mutant.applied(source), encoding="utf-8")
        # Compiled files are known by time and size alone: leave none of the mutant behind.
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            compiled.unlink()
        return Result(mutant, suite(folder, file.stem), time.monotonic() - start)
    finally:
        file.write_text(source, encoding="utf-8")
        os.utime(file, (times.st_atime, times.st_mtime))


def suite(folder: Path, changed: str = "") -> str:
    """What the tests say of the package in a folder, of which one module was changed."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
    command = [sys.executable, "-m", "tests.mutants.suite", str(folder), changed]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return "killed"
    if done.returncode == 2:
        raise RuntimeError(done.stderr.decode())
    return "survived" if done.returncode == 0 else "killed"

"""Kept cases: one text file for each difference that was ever found, run by tests/property/test_fuzz.py forever."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from tests.fuzz.compare import Comparison, Difference
from tests.fuzz.histories import History, parse_history
from tests.fuzz.maintain import Failure, Maintenance
from tests.fuzz.shrink import shrink
from tests.fuzz.shrink_changes import shrink_history
from tests.fuzz.tables import Case, parse_case

FOLDER: Final = Path(__file__).parent / "cases"


def kept() -> list[Path]:
    return sorted(FOLDER.glob("*.case"))


def read(path: Path) -> Case:
    return parse_case(path.read_text(encoding="utf-8"), label=path.stem)


def shrunk(difference: Difference, comparison: Comparison, seconds: float = 30.0) -> Difference:
    """The same difference in the smallest case we find."""

    def fails(case: Case) -> bool:
        found = comparison.check(case).difference
        return found is not None and found.kind == difference.kind

    case = shrink(difference.case, fails, seconds)
    return comparison.check(case).difference or difference


def write(difference: Difference, folder: Path = FOLDER) -> Path:
    """Keep a difference; its name is made of who differed and of the plan."""
    return _write(folder, difference.who, ".case", difference, difference.case)


def _write(folder: Path, what: str, suffix: str, comment: object, body: object) -> Path:
    digest = hashlib.blake2b(str(body).encode(), digest_size=3).hexdigest()
    path = folder / f"{re.sub(r'[^a-z]+', '-', what.lower())}-{digest}{suffix}"
    folder.mkdir(parents=True, exist_ok=True)
    comments = "\n".join(f"# {line}" for line in str(comment).splitlines()[:40])
    path.write_text(f"{comments}\n{body}", encoding="utf-8")
    return path


# --- histories ---


def kept_histories() -> list[Path]:
    return sorted(FOLDER.glob("*.history"))


def read_history(path: Path) -> History:
    return parse_history(path.read_text(encoding="utf-8"), label=path.stem)


def shrunk_history(failure: Failure, seconds: float = 30.0) -> Failure:
    """The same failure in the smallest history we find, asking the local engine in every round."""
    maintenance = Maintenance(local_share=1.0 if failure.what in {"local", "text"} else 0.0)

    def fails(history: History) -> bool:
        found = maintenance.check(history)
        return found is not None and found.what == failure.what

    return maintenance.check(shrink_history(failure.history, fails, seconds)) or failure


def write_history(failure: Failure, folder: Path = FOLDER) -> Path:
    return _write(folder, failure.what, ".history", failure, failure.history)

"""Kept cases: one text file for each difference that was ever found, run by tests/property/test_fuzz.py forever."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from tests.fuzz.compare import Comparison, Difference
from tests.fuzz.shrink import shrink
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
    body = str(difference.case)
    digest = hashlib.blake2b(body.encode(), digest_size=3).hexdigest()
    path = folder / f"{difference.who.replace(' ', '-')}-{digest}.case"
    folder.mkdir(parents=True, exist_ok=True)
    comments = "\n".join(f"# {line}" for line in str(difference).splitlines()[:40])
    path.write_text(f"{comments}\n{body}", encoding="utf-8")
    return path

"""What a mutant must survive: some histories, the unit tests of the rules, and more histories. Stops at a failure.

Runs in a process of its own, which must read the package from the folder that it is told.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable

import pytest

import tidewheel
from tests.fuzz import cases
from tests.fuzz.generate_changes import generate_history
from tests.fuzz.histories import History
from tests.fuzz.maintain import Maintenance

SEEDS = range(150)
NEAREST = {
    "change": "test_change.py",
    "layout": "test_layout.py",
    "maintain": "test_partials.py",
    "maintenance": "test_states.py",
    "exploration": "../optimize/test_forms_asked_for.py ../optimize/test_exploration.py",
    "partials": "test_partials.py",
    "pruning": "test_pruning.py",
    "restrict": "test_restrict.py",
}
"""The tests that know a file best; of the others it is those of the rules."""
FOLDER = "tests/unit/delta"


def main(folder: str, changed: str) -> int:
    if not os.path.realpath(tidewheel.__file__).startswith(os.path.realpath(folder) + os.sep):
        print(f"{tidewheel.__file__} is not the mutant", file=sys.stderr)
        return 2
    warnings.simplefilter("error")
    kept = [cases.read_history(path) for path in cases.kept_histories()]
    nearest = [f"{FOLDER}/{name}" for name in NEAREST.get(changed, "test_rules.py").split()]
    if not _hold([*kept, *map(generate_history, SEEDS[:10])]) or not _pass(*nearest):
        return 1
    if not _hold(map(generate_history, SEEDS[10:40])) or not _pass(FOLDER, *(f"--ignore={name}" for name in nearest)):
        return 1
    return 0 if _hold(map(generate_history, SEEDS[40:])) else 1


def _pass(*arguments: str) -> bool:
    """Without the shared fixtures, which would end the process together with the first run."""
    options = ["-x", "-q", "--no-header", "--noconftest", "-p", "no:cacheprovider", "--tb=no"]
    return pytest.main([*options, *arguments]) == 0


def _hold(histories: Iterable[History]) -> bool:
    maintenance = Maintenance(local_share=0.0)
    for history in histories:
        failure = maintenance.check(history)
        if failure is not None:
            print(failure)
            return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))

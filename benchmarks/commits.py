"""The code of other commits, in worktrees of their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


def worktree(commit: str, folder: Path) -> Path:
    """The code of a commit, checked out once."""
    if not folder.exists():
        command = ["git", "-C", str(ROOT), "worktree", "add", "--detach", str(folder), commit]
        subprocess.run(command, check=True, capture_output=True)
    subprocess.run(["git", "-C", str(folder), "checkout", "--quiet", "--detach", commit], check=True)
    return folder


def environment(tree: Path) -> Mapping[str, str]:
    """That of a process that runs this code."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree)])}

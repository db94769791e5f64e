"""TPC-DS data from the official generator's port, where it is installed (`pip install tpcgen-cli`): for larger runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def find_generator() -> Path | None:
    """The program beside this Python, or on the path."""
    beside = Path(sys.executable).with_name("tpcgen-cli")
    found = str(beside) if beside.exists() else shutil.which("tpcgen-cli")
    return Path(found) if found else None


def generate_tpcds(folder: Path, scale: float = 0.01) -> dict[str, Path]:
    """Write one Parquet file for each table, named by it; at any scale customer_demographics has 1.9 million rows."""
    tool = find_generator()
    if tool is None:
        raise FileNotFoundError("tpcgen-cli is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    command = [str(tool), "tpcds", "parquet", "-s", str(scale), "-o", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return {file.stem: file for file in sorted(folder.glob("*.parquet")) if file.stem != "dbgen_version"}

"""Data sets, made once by generators from PyPI."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def generate_tpch(scale: float, folder: Path) -> None:
    """One folder for each table, made once."""
    if (folder / "done").exists():
        return
    raw = folder / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    tool = Path(sys.executable).with_name("tpchgen-cli")
    subprocess.run([str(tool), "parquet", "-s", str(scale), "-o", str(raw)], check=True, capture_output=True)
    for file in raw.glob("*.parquet"):
        (folder / file.stem).mkdir(exist_ok=True)
        file.rename(folder / file.stem / file.name)
    (folder / "done").touch()

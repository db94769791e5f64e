"""Data sets, made once by generators from PyPI."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def generate_tpch(scale: float, folder: Path) -> None:
    _generate(["tpchgen-cli", "parquet"], scale, folder)


def generate_tpcds(scale: float, folder: Path) -> None:
    _generate(["tpcgen-cli", "tpcds", "parquet"], scale, folder)


def _generate(tool: list[str], scale: float, folder: Path) -> None:
    """One folder for each table, made once."""
    if (folder / "done").exists():
        return
    raw = folder / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    command = [str(Path(sys.executable).with_name(tool[0])), *tool[1:], "-s", f"{scale:g}", "-o", str(raw)]
    subprocess.run(command, check=True, capture_output=True)
    for file in raw.glob("*.parquet"):
        (folder / file.stem).mkdir(exist_ok=True)
        file.rename(folder / file.stem / file.name)
    (folder / "done").touch()

"""Bytes flipped anywhere in data files: whatever reads them gives an answer, or an error that names a file."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw

Make = Callable[..., tw.Project]
RELATIONS = ("o", "v", "c")
COMMANDS: dict[str, Callable[[tw.Project], Any]] = {
    "show": lambda p: [p.to_arrow(name) for name in RELATIONS],
    "query": lambda p: [p.query(f"SELECT * FROM {name}") for name in RELATIONS],
    "upsert": lambda p: p.ingest("o", pa.table({"k": [9], "s": ["x"], "d": [2.0]}), mode="upsert"),
    "delete": lambda p: p.ingest("o", pa.table({"k": [9]}), mode="delete"),
    "refresh": lambda p: p.refresh(),
    "full refresh": lambda p: p.refresh(full_refresh=True),
    "verify": lambda p: p.verify(deep=True),
}
TRIALS = 30


@pytest.fixture
def project(make_project: Make) -> tw.Project:
    made = make_project(
        {"o": {"kind": "managed", "schema": "k BIGINT, s STRING, d DOUBLE", "key": ["k"]}},
        {"v": "SELECT k, s, d FROM o WHERE k > 3", "c": "SELECT s, count(*) AS n, max(k) AS top FROM v GROUP BY s"},
    )
    numbers = list(range(200))
    made.ingest("o", pa.table({"k": numbers, "s": [f"t{i % 17}" for i in numbers], "d": [i / 3 for i in numbers]}))
    made.refresh()
    made.ingest("o", pa.table({"k": [7], "s": ["t4"], "d": [1.0]}), mode="upsert")
    return made


def flip(path: Path, rng: random.Random) -> None:
    body = bytearray(path.read_bytes())
    start = rng.randrange(len(body))
    for place in range(start, min(len(body), start + rng.choice([1, 2, 6]))):
        body[place] ^= rng.randrange(1, 256)
    path.write_bytes(body)


def damage_told(command: Callable[[tw.Project], Any], project: tw.Project) -> tw.StoreError | None:
    try:
        command(project)
    except tw.StoreError as error:
        return error
    return None


@pytest.mark.parametrize("command", COMMANDS)
def test_flipped_bytes_are_an_answer_or_a_named_file(project: tw.Project, tmp_path: Path, command: str) -> None:
    rng = random.Random(command)
    for trial in range(TRIALS):
        copy = tmp_path / f"trial{trial}"
        shutil.copytree(project.root, copy)
        files = sorted((copy / "warehouse").rglob("*.parquet"))
        for path in files if trial % 2 else [rng.choice(files)]:
            flip(path, rng)
        error = damage_told(COMMANDS[command], tw.open(copy, engine="local"))
        assert error is None or (error.code, str(copy) in (error.detail or "")) == ("corrupt-file", True)

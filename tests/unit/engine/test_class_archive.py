"""The archive of Spark's classes: where it is, when it is used and made, and that it never stands in the way."""

from __future__ import annotations

import atexit
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tidewheel.engine.spark import archive, archiving
from tidewheel.engine.spark.session import _java_options
from tidewheel.project.config import SparkOptions


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """The processes that are left behind, and what is done at the end; archives are allowed."""
    found: list[Any] = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(archive.OFF, "1")
    monkeypatch.setattr(atexit, "register", lambda *call: found.append(call))
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: found.append(command))
    return found


@pytest.fixture
def spark_home(tmp_path: Path) -> Path:
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    (tmp_path / "spark" / "jars" / "core.jar").write_bytes(b"1")
    return tmp_path / "spark"


def test_other_jars_have_another_archive(made: list[Any], spark_home: Path) -> None:
    before = archive.archive_of("/usr/bin/java", str(spark_home))
    assert before == archive.archive_of("/usr/bin/java", str(spark_home))
    assert before.startswith(archive.folder())
    (spark_home / "jars" / "more.jar").write_bytes(b"2")
    assert archive.archive_of("/usr/bin/java", str(spark_home)) != before
    assert archive.archive_of("/opt/other/java", str(spark_home)) != before
    assert made == []


def test_an_archive_that_is_there_is_used(made: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "a.jsa"
    path.write_bytes(b"")
    assert f"-XX:SharedArchiveFile={path}" in archive.java_options(str(path))
    assert made == []


def test_one_that_is_missing_is_made_when_the_process_ends(made: list[Any], tmp_path: Path) -> None:
    path = str(tmp_path / "cache" / "a.jsa")
    assert archive.java_options(path) == ""
    assert made == [(archive.make_later, path)]
    archive.make_later(path)
    assert made[1][1:] == ["-m", "tidewheel.engine.spark.archiving", path]


def test_only_one_process_makes_it_and_a_failure_is_not_repeated_at_once(
    made: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "cache" / "a.jsa")
    archive.make_later(path)
    archive.make_later(path)
    assert len(made) == 1
    monkeypatch.setattr(archive, "TRIES_EVERY", -1.0)
    archive.make_later(path)
    assert len(made) == 2


def test_a_cache_folder_that_cannot_be_written_is_no_error(made: list[Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    archive.make_later(str(tmp_path / "file" / "a.jsa"))
    assert made == []


def test_it_can_be_switched_off(made: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsa").write_bytes(b"")
    off = SparkOptions(class_archive=False)
    assert _java_options(off, "/usr/bin/java", brief=False) == ""
    monkeypatch.setenv(archive.OFF, "0")
    assert archive.java_options(str(tmp_path / "a.jsa")) == ""
    assert made == []


def test_own_java_options_come_last_so_that_they_win() -> None:
    options = SparkOptions(class_archive=False, conf={"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=4"})
    text = _java_options(options, "/usr/bin/java", brief=True)
    assert text == "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:TieredStopAtLevel=4"


@pytest.mark.parametrize("place", ["configured", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"])
def test_a_collector_that_the_user_chose_is_the_only_one(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if place == "configured":
        options = SparkOptions(class_archive=False, conf={"spark.driver.extraJavaOptions": "-XX:+UseG1GC"})
    else:
        monkeypatch.setenv(place, "-XX:+UseParallelGC")
        options = SparkOptions(class_archive=False)
    assert "-XX:+UseSerialGC" not in _java_options(options, "/usr/bin/java", brief=True)


def test_old_archives_go(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / f"{number}.jsa"
        path.write_bytes(b"")
        os.utime(path, (number, number))
    archiving._keep_newest(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["2.jsa", "3.jsa", "4.jsa"]

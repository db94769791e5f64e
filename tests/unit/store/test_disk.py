"""Files that appear whole or not at all, once, and errors of the operating system in our words."""

from __future__ import annotations

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tidewheel import failpoints
from tidewheel.errors import StoreError
from tidewheel.store import disk

STEP = "cache.write"


@pytest.fixture
def scratch(tmp_path: Path) -> str:
    return str(tmp_path / "tmp")


def test_of_many_that_create_a_file_exactly_one_wins(tmp_path: Path, scratch: str) -> None:
    path = str(tmp_path / "file")
    with ThreadPoolExecutor(8) as pool:
        wins = list(pool.map(lambda i: disk.create(path, f"writer {i}", step=STEP, scratch=scratch), range(40)))
    assert wins.count(True) == 1
    assert disk.read_text(path) == f"writer {wins.index(True)}"
    assert os.listdir(scratch) == [], "nothing temporary is left"


def test_a_prepared_file_is_published_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        disk.prepare(str(tmp_path / name), name, step=STEP)
    target = str(tmp_path / "public")
    assert disk.publish(str(tmp_path / "a"), target, step=STEP)
    assert not disk.publish(str(tmp_path / "b"), target, step=STEP)
    assert disk.read_text(target) == "a"


def test_whoever_was_fenced_off_cannot_publish(tmp_path: Path) -> None:
    (tmp_path / "attempt").mkdir()
    disk.prepare(str(tmp_path / "attempt" / "x"), "x", step=STEP)
    disk.rename(str(tmp_path / "attempt"), str(tmp_path / "grave"), step=STEP)
    with pytest.raises(FileNotFoundError):
        disk.publish(str(tmp_path / "attempt" / "x"), str(tmp_path / "public"), step=STEP)
    assert not (tmp_path / "public").exists()


@pytest.mark.parametrize("published", [True, False])
def test_withdrawing_tells_whether_anything_was_published(tmp_path: Path, scratch: str, *, published: bool) -> None:
    os.makedirs(scratch)
    (tmp_path / "attempt").mkdir()
    disk.prepare(str(tmp_path / "attempt" / "x"), "x", step=STEP)
    if published:
        disk.publish(str(tmp_path / "attempt" / "x"), str(tmp_path / "public"), step=STEP)
    assert disk.withdraw(str(tmp_path / "attempt"), step=STEP, scratch=scratch) is not published
    assert not (tmp_path / "attempt").exists()
    assert (tmp_path / "public").exists() is published


def test_lines_of_concurrent_writers_do_not_mix(tmp_path: Path) -> None:
    path = str(tmp_path / "lines")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: disk.append_line(path, json.dumps({"i": i, "x": "y" * 2000}), step=STEP), range(60)))
    lines = disk.read_text(path).splitlines()  # one that was seen while it was written may have a blank one behind it
    assert sorted(json.loads(line)["i"] for line in lines if line) == list(range(60))


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk-full"), (errno.EDQUOT, "disk-full"), (errno.EACCES, "not-writable"),
        (errno.EROFS, "not-writable"), (errno.ENOTDIR, "not-writable"), (errno.EIO, "io-error"),
    ],
)  # fmt: skip
def test_an_error_of_the_system_is_told_with_a_way_out(number: int, code: str) -> None:
    found = disk.store_error(OSError(number, "x", "/some/path"), "/other")
    assert found.code == code
    assert found.hint
    assert "/some/path" in str(found)


def test_an_error_inside_a_step_names_the_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError) as caught:
        disk.make_dirs(str(tmp_path / "file" / "folder"), STEP)
    assert caught.value.code == "not-writable"
    with pytest.raises(StoreError):
        disk.make_dirs(str(tmp_path / "file"), STEP)


def test_a_step_without_a_name_is_our_bug(tmp_path: Path) -> None:
    with pytest.raises(KeyError), disk.io_step("no.such.step", str(tmp_path)):
        pass


@pytest.mark.parametrize("text", ["", "{", "\x00", "nul"])
def test_a_damaged_json_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(StoreError, match="the thing is damaged") as caught:
        disk.read_json(str(tmp_path / "x.json"), "the thing")
    assert caught.value.code == "corrupt-record"
    assert str(tmp_path / "x.json") in str(caught.value)


def test_a_missing_json_file_is_left_to_the_caller(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        disk.read_json(str(tmp_path / "x.json"), "the thing")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="cannot read"):
        disk.read_json(str(tmp_path / "folder"), "the thing")


def test_removing_takes_files_folders_and_links_and_minds_no_absence(tmp_path: Path) -> None:
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    (tmp_path / "folder" / "deep" / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    disk.remove(str(tmp_path / "link"), step=STEP)
    assert (tmp_path / "folder" / "deep" / "file").exists(), "a link goes alone"
    disk.remove(str(tmp_path / "folder"), step=STEP)
    disk.remove(str(tmp_path / "folder"), step=STEP)
    assert os.listdir(tmp_path) == []


def test_names_are_sorted_and_no_folder_has_none(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).write_text("x")
    assert disk.list_names(str(tmp_path)) == ["a", "b"]
    assert disk.list_names(str(tmp_path / "nowhere")) == disk.list_names(str(tmp_path / "a")) == []


def test_a_signature_changes_with_size_or_time(tmp_path: Path) -> None:
    path = tmp_path / "x"
    assert disk.signature(str(path)) is None
    path.write_text("one")
    seen = [disk.signature(str(path))]
    path.write_text("four")
    seen.append(disk.signature(str(path)))
    os.utime(path, ns=(1, 1))
    seen.append(disk.signature(str(path)))
    assert len({str(s) for s in seen}) == 3


def test_a_file_is_taken_over_by_link_or_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "landed").write_text("x")
    disk.link_or_copy(str(tmp_path / "landed"), str(tmp_path / "deep" / "linked"), step=STEP)
    assert (tmp_path / "deep" / "linked").stat().st_ino == (tmp_path / "landed").stat().st_ino

    def no_links(*_: object) -> None:
        raise OSError(errno.EXDEV, "another file system")

    monkeypatch.setattr(os, "link", no_links)
    disk.link_or_copy(str(tmp_path / "landed"), str(tmp_path / "deep" / "linked"), step=STEP)
    assert (tmp_path / "deep" / "linked").read_text() == "x"
    assert (tmp_path / "deep" / "linked").stat().st_ino != (tmp_path / "landed").stat().st_ino


@pytest.mark.parametrize("action", ["raise", "full"])
def test_a_failpoint_acts_at_its_place_and_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    monkeypatch.setattr(failpoints, "_hits", {})
    monkeypatch.setenv("TIDEWHEEL_FAILPOINT", f"{STEP}:before={action}@2")
    disk.make_dirs(str(tmp_path / "one"), STEP)
    with pytest.raises(StoreError):
        disk.make_dirs(str(tmp_path / "two"), STEP)
    disk.make_dirs(str(tmp_path / "three"), STEP)
    assert sorted(os.listdir(tmp_path)) == ["one", "three"]

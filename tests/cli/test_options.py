"""Options of every command: wherever they stand, from the environment, with help and completion."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

import tidewheel as tw
from tests.cli.command import PROGRAM, call, run
from tests.cli.conftest import Tidewheel
from tidewheel.cli.app import COMMANDS


@pytest.mark.parametrize("place", ["before", "after", "last"])
def test_the_project_may_be_named_anywhere(capsys: pytest.CaptureFixture[str], root: Path, place: str) -> None:
    option = ("-p", str(root))
    line = {"before": (*option, "status", "--json"), "after": ("status", *option, "--json")}
    assert call(capsys, *line.get(place, ("status", "--json", *option))).json["project"] == "shop"


def test_the_target_may_be_named_after_the_command(tidewheel: Tidewheel, root: Path, tmp_path: Path) -> None:
    config = yaml.safe_load((root / "tidewheel.yml").read_text())
    config["targets"] = {"prod": {"warehouse": str(tmp_path / "lake")}}
    (root / "tidewheel.yml").write_text(yaml.safe_dump(config))
    assert tidewheel("refresh", "-t", "prod").code == 0
    assert (tmp_path / "lake" / "daily" / "_delta_log").is_dir()


def test_what_stands_after_the_command_counts_more(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    assert call(capsys, "-p", "/nowhere", "status", "-p", str(root)).code == 0


def test_the_environment_names_project_and_target(
    capsys: pytest.CaptureFixture[str], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDEWHEEL_PROJECT", str(root))
    assert call(capsys, "status", "--json").json["project"] == "shop"
    assert "no-project" in call(capsys, "-p", "/", "status").err, "an option counts more"
    monkeypatch.setenv("TIDEWHEEL_TARGET", "nope")
    assert "unknown-target" in call(capsys, "status").err


@pytest.mark.parametrize("command", ["", *(c.__name__ for c in COMMANDS)])
def test_every_command_has_help_by_two_names(capsys: pytest.CaptureFixture[str], command: str) -> None:
    short, long = (call(capsys, *command.split(), option) for option in ("-h", "--help"))
    assert short.out.startswith("Usage: tidewheel")
    assert (short.out, short.code) == (long.out, 0)


def completed(words: str, **environment: str) -> list[str]:
    """What the shell would be offered for the last word."""
    position = str(len(words.split(" ")) - 1)
    asked = run(_TIDEWHEEL_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=position, **environment)
    return asked.out.split()


def test_the_shell_completes_commands_and_names(root: Path) -> None:
    assert completed("tidewheel sta") == ["status"]
    assert completed(f"tidewheel -p {root} explain d") == ["daily"]
    assert completed("tidewheel show o", TIDEWHEEL_PROJECT=str(root)) == ["orders"]
    assert completed(f"tidewheel explain -p {root} b") == ["best"]
    assert completed("tidewheel -p / explain d") == [], "no project, no error"


def test_completion_can_be_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")  # whichever shell runs the tests
    assert "_TIDEWHEEL_COMPLETE" in call(capsys, "--show-completion", "bash").out


def test_a_reader_that_has_seen_enough_is_no_error(root: Path) -> None:
    tw.open(root).refresh()
    line = f"{' '.join(PROGRAM[:1])} -c '{PROGRAM[2]}' -p {root} show orders | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize(
    ("line", "choices"),
    [
        ("plan --placement ", ["auto", "spark", "driver"]),
        ("ingest --mode u", ["upsert"]),
        ("ingest --format ", ["parquet", "csv", "json"]),
        ("graph --format m", ["mermaid"]),
        ("verify --engine l", ["local"]),
    ],
)
def test_the_shell_completes_choices(line: str, choices: list[str]) -> None:
    assert completed(f"tidewheel {line}") == choices


def test_help_lists_choices(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--placement auto|spark|driver" in call(capsys, "plan", "--help").out
    assert "--mode append|upsert|delete|replace" in call(capsys, "ingest", "--help").out
    assert "--format text|mermaid|dot|html|json" in call(capsys, "graph", "--help").out

"""The tutorial, executed as it is written.

A fenced block with `title=PATH` is a file to write. In a `console` block `$ ` begins a command and the lines after it
must be in its output: white space does not count, `...` stands for anything, the order of rows is free. A command must
end with 0, unless the next one is `$ echo $?`, which then shows how it ended.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
ASKS_EXIT_CODE = "echo $?"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
MAY_START_SPARK = ("tidewheel refresh", "tidewheel query", "tidewheel verify")


@dataclass(frozen=True, slots=True)
class File:
    path: str
    text: str


@dataclass(slots=True)
class Command:
    text: str
    shown: list[str] = field(default_factory=list)


def steps(markdown: str) -> Iterator[File | Command]:
    """What a reader does, in order."""
    for info, body in re.findall(r"^```([^\n]+)\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL):
        if titled := re.search(r"\btitle=(\S+)", info):
            yield File(titled[1], body)
        elif info == "console":
            yield from commands(body)


def commands(body: str) -> list[Command]:
    found: list[Command] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append(Command(line.removeprefix("$ ")))
        else:
            found[-1].shown.append(line)
    return found


@dataclass(slots=True)
class Shell:
    """A terminal in a folder: tables are drawn as a reader sees them, progress and errors come first."""

    folder: Path
    last: int = 0

    def run(self, command: str) -> str:
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            return ""
        if command == ASKS_EXIT_CODE:
            code, self.last = self.last, 0
            return str(code)
        master, terminal = pty.openpty()
        with tempfile.TemporaryFile() as errors:
            with subprocess.Popen(
                ["sh", "-c", command], cwd=self.folder, env=environment(), stdout=terminal, stderr=errors
            ) as process:
                os.close(terminal)
                output = read_all(master)
                self.last = process.wait()
            errors.seek(0)
            return ESCAPES.sub("", (errors.read() + output).decode())


def environment() -> dict[str, str]:
    found = {name: value for name, value in os.environ.items() if not name.startswith("TIDEWHEEL_")}
    found["TIDEWHEEL_CLASS_ARCHIVE"] = "0"
    path = f"{os.path.dirname(sys.executable)}{os.pathsep}{found['PATH']}"
    return found | {"PATH": path, "COLUMNS": "120", "TERM": "xterm", "NO_COLOR": "1"}


def read_all(terminal: int) -> bytes:
    """Until nobody writes any more, which Linux tells by an error."""
    parts = []
    try:
        while part := os.read(terminal, 65536):
            parts.append(part)
    except OSError:
        pass
    finally:
        os.close(terminal)
    return b"".join(parts)


def plain(line: str) -> str:
    return " ".join(line.replace("─", " ").split())


def missing(shown: list[str], output: str) -> list[str]:
    """Lines of the tutorial that the output has not."""
    lines = [plain(line) for line in output.splitlines()]
    wanted = [w for w in map(plain, shown) if w not in {"", "..."}]
    patterns = {w: re.compile(".*".join(re.escape(part) for part in w.split("..."))) for w in wanted}
    return [w for w in wanted if not any(patterns[w].fullmatch(line) for line in lines)]


def test_a_line_that_does_not_come_out_is_missed() -> None:
    assert missing([" a   1  ", "...", "b ... s"], "b 2.5 s\na 1\n") == []
    assert missing(["a 2", "b"], "a 1\nb b\n") == ["a 2", "b"]


def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    todo = list(steps(TUTORIAL.read_text("utf-8")))
    done = []
    for step, after in zip(todo, [*todo[1:], None], strict=True):
        if isinstance(step, File):
            (shell.folder / step.path).write_text(step.text, "utf-8")
            continue
        output = shell.run(step.text)
        told = isinstance(after, Command) and after.text == ASKS_EXIT_CODE
        assert shell.last == 0 or told, f"$ {step.text}\n{output}\nexit code {shell.last}"
        assert not missing(step.shown, output), f"$ {step.text}\n{output}"
        done.append(step.text)
    words = " ".join(done)
    for command in ("init", "ingest", "plan", "refresh", "show", "query", "verify", "explain", "drop", "--epoch 1"):
        assert command in words
    assert sum(command.startswith(MAY_START_SPARK) for command in done) <= 6

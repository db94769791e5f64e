"""Nothing changes the disk without a failpoint; `test_fault_kills` has that no failpoint is left untested."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import tidewheel

SOURCE = os.path.dirname(os.path.abspath(tidewheel.__file__))
HOME = "store/disk.py"
"""Where path operations live; everything in it that changes something is a step, which the names below rely on."""

ALLOWED = {
    ("arguments.py", "as_arrow", "shutil.rmtree"): "scratch of our own: a user's frame on its way in",
    ("cli/commands/drawing.py", "_write", "open"): "a file that the user asked for, outside of the warehouse",
    ("cli/streams.py", "_opened", "open"): "the null device",
    ("engine/local/engine.py", "LocalRun._copy", "COPY"): "called by run/ inside stage.data",
    ("engine/local/engine.py", "LocalRun._copy_apart", "COPY"): "called by run/ inside stage.data",
    ("engine/local/engine.py", "LocalRun._copy_apart", "os.rename"): "called by run/ inside stage.data",
    ("engine/local/engine.py", "LocalRun._copy_apart", "os.rmdir"): "called by run/ inside stage.data",
    (
        "engine/spark/archive.py",
        "_is_ours",
        "os.unlink",
    ): "the user's cache folder: an archive that is not there is not used",
    (
        "engine/spark/archive.py",
        "_is_ours",
        "os.open",
    ): "the user's cache folder: an archive that is not there is not used",
    (
        "engine/spark/archiving.py",
        "make",
        "os.replace",
    ): "the user's cache folder: an archive that is not there is not used",
    (
        "engine/spark/archiving.py",
        "make",
        "os.unlink",
    ): "the user's cache folder: an archive that is not there is not used",
    (
        "engine/spark/archiving.py",
        "_exercise",
        "parquet",
    ): "the user's cache folder: an archive that is not there is not used",
    (
        "engine/spark/archiving.py",
        "_keep_newest",
        "os.unlink",
    ): "the user's cache folder: an archive that is not there is not used",
    ("engine/spark/engine.py", "SparkRun._written", "parquet"): "called by run/ inside stage.data",
    ("engine/spark/engine.py", "_write", "parquet"): "called by run/ inside stage.data",
    ("engine/spark/engine.py", "SparkRun._write_together", "parquet"): "called by run/ inside stage.data",
    ("engine/spark/engine.py", "SparkRun._write_together", "os.rename"): "called by run/ inside stage.data",
    ("engine/spark/engine.py", "SparkRun._write_together", "shutil.rmtree"): "called by run/ inside stage.data",
    ("engine/spark/engine.py", "_remove_checksums", "os.unlink"): "called by run/ inside stage.data",
    ("engine/spark/frames.py", "write_frame", "parquet"): "scratch of our own: a user's frame on its way in",
    ("run/calibrate.py", "calibrate", "shutil.rmtree"): "scratch of our own: made-up tables",
    ("run/calibrate.py", "_tables", "pq.write_table"): "scratch of our own: made-up tables",
    ("verify/verify.py", "verify", "shutil.rmtree"): "scratch of our own: recomputed views",
    ("verify/judge.py", "Judge._copy_source", "parquet_writer"): "scratch of our own: recomputed views",
    ("store/arrow.py", "parquet_writer", "pq.ParquetWriter"): "opened for callers, which are found by its name",
    ("store/vacuum.py", "_fence", "shutil.rmtree"): "what is left of an attempt after vacuum.fence, in scratch",
}
"""Changes outside a step, each with the reason why a crash there can do no harm."""

OS_CALLS = {"link", "rename", "renames", "replace", "unlink", "remove", "rmdir", "symlink", "truncate", "write"}
SHUTIL_CALLS = {"rmtree", "copy", "copy2", "copyfile", "copytree", "move"}
ARROW_CALLS = {
    "write_table",
    "parquet_writer",
    "ParquetWriter",
    "write_csv",
    "write_dataset",
    "write_feather",
    "write_to_dataset",
}
DELTA_CALLS = {"create_checkpoint", "cleanup_metadata", "write_deltalake", "write_text", "write_bytes"}
WRITE_FLAGS = ("O_WRONLY", "O_RDWR", "O_CREAT")


@dataclass(frozen=True)
class Change:
    """One call that changes something on disk, and whether it stands inside a step."""

    module: str
    function: str
    call: str
    line: int
    in_step: bool

    @property
    def key(self) -> tuple[str, str, str]:
        return self.module, self.function, self.call


def what_it_changes(call: ast.Call) -> str | None:
    """The name of a call that changes something on disk; None for the others."""
    name = ast.unparse(call.func)
    head, _, last = name.rpartition(".")
    texts = " ".join(ast.unparse(a) for a in call.args)
    is_change = (
        (head == "os" and last in OS_CALLS)
        or (head == "shutil" and last in SHUTIL_CALLS)
        or last in ARROW_CALLS | DELTA_CALLS
        or (name == "open" and _is_write_mode(call))
        or (name == "os.open" and "os.devnull" not in texts and any(f in texts for f in WRITE_FLAGS))
    )
    if is_change:
        return name
    if last in {"execute", "_execute"} and "COPY (" in texts and " TO " in texts:
        return "COPY"
    return last if last in {"parquet", "saveAsTable", "save"} and not re.search(r"\bread(er)?\b", head) else None


def _is_write_mode(call: ast.Call) -> bool:
    modes = call.args[1:2] + [k.value for k in call.keywords if k.arg == "mode"]
    return any(isinstance(m, ast.Constant) and str(m.value)[:1] in "wax" for m in modes)


def find_changes(tree: ast.AST, module: str) -> Iterator[Change]:
    yield from _walk(tree, module, (), in_step=False)


def _walk(node: ast.AST, module: str, path: tuple[str, ...], *, in_step: bool) -> Iterator[Change]:
    for child in ast.iter_child_nodes(node):
        inner, inside = path, in_step
        if isinstance(child, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            inner, inside = (*path, child.name), False
        elif isinstance(child, ast.With):
            inside = in_step or any("io_step(" in ast.unparse(item.context_expr) for item in child.items)
        elif isinstance(child, ast.Call) and (what := what_it_changes(child)):
            yield Change(module, ".".join(path), what, child.lineno, in_step)
        yield from _walk(child, module, inner, in_step=inside)


def all_changes() -> list[Change]:
    found: list[Change] = []
    for folder, _, files in os.walk(SOURCE):
        for file in files:
            path = os.path.join(folder, file)
            module = os.path.relpath(path, SOURCE)
            if file.endswith(".py") and module != HOME:
                with open(path, encoding="utf-8") as source:
                    found += find_changes(ast.parse(source.read()), module)
    return found


def test_every_change_on_disk_stands_in_a_step_with_failpoints() -> None:
    bare = [c for c in all_changes() if not c.in_step and c.key not in ALLOWED]
    assert not bare, "\n".join(f"{c.module}:{c.line} {c.function}: {c.call}" for c in bare)


def test_every_exception_to_that_rule_is_still_there() -> None:
    found = {c.key for c in all_changes() if not c.in_step}
    assert set(ALLOWED) - found == set()


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("os.unlink(p)", ["os.unlink"]),
        ("with disk.io_step('a', p):\n    os.unlink(p)", []),
        ("with disk.io_step('a', p), open(p, 'w') as f:\n    pass", []),
        ("open(p)", []),
        ("open(p, 'rb')", []),
        ("open(p, mode='a')", ["open"]),
        ("os.open(p, os.O_RDONLY)", []),
        ("os.open(os.devnull, os.O_WRONLY)", []),
        ("os.open(p, os.O_WRONLY | os.O_CREAT)", ["os.open"]),
        ("text.replace(a, b)", []),
        ("pq.write_table(t, p)", ["pq.write_table"]),
        ("c.execute(f'COPY ({q}) TO {p} (FORMAT parquet)')", ["COPY"]),
        ("frame.write.parquet(p)", ["parquet"]),
        ("spread_over(frame, s).write.parquet(p)", ["parquet"]),
        ("session.read.schema(s).parquet(p)", []),
        ("def f():\n    with disk.io_step('a', p):\n        def g():\n            os.unlink(p)", ["os.unlink"]),
    ],
)
def test_the_search_sees_what_changes_a_disk_and_nothing_else(text: str, changes: list[str]) -> None:
    found = [c.call for c in find_changes(ast.parse(text), "m") if not c.in_step]
    assert found == changes

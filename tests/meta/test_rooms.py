"""The rooms of the source: no name twice, every module on the map, no cycles, no module that is too long."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from tests.meta.test_docs import DOCS, ROOT, headings

CODE: Final = ROOT / "src" / "tidewheel"
LONGEST: Final = 350
LONGER: Final = {
    "ir/rel.py": "a flat table: the operators of the algebra, one class after the other, a union that refers to itself",
}
"""Modules with more lines, each with the reason."""


@cache
def modules() -> dict[str, Path]:
    """All modules by their dotted names; a package by its own."""
    return {dotted(path): path for path in sorted(CODE.rglob("*.py"))}


def dotted(path: Path) -> str:
    parts = path.relative_to(CODE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(modules()[module].read_text("utf-8"))


# --- names ---


def classes() -> dict[str, list[str]]:
    """Where each class is defined, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for module in modules():
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module)
    return found


def glossary() -> list[str]:
    """The words of the glossary, as they stand there."""
    return re.findall(r"^\| \*?`?([^|`*]+?)`?\*? \|", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE)[2:]


def test_no_class_name_occurs_twice_without_a_line_in_the_glossary() -> None:
    twice = {name: places for name, places in classes().items() if len(places) > 1}
    assert {name: places for name, places in twice.items() if name not in glossary()} == {}


def test_the_glossary_is_in_order_and_has_each_word_once() -> None:
    words = [word.lower() for word in glossary()]
    assert words == sorted(set(words))


def test_names_in_the_glossary_are_those_of_the_code() -> None:
    text = (DOCS / "glossary.md").read_text("utf-8")
    assert set(re.findall(r"`([A-Z]\w+)`", text)) - classes().keys() == set()


# --- the map ---


def listed() -> set[str]:
    """The modules that docs/architecture.md names: a package in the first cell of a row, its modules in the last."""
    found: set[str] = set()
    page = (DOCS / "architecture.md").read_text("utf-8")
    assert "Modules" in headings(DOCS / "architecture.md")
    table = page[page.index("## Modules") :].split("\n## ")[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        package = re.fullmatch(r"`([\w/]+)/`", cells[0])
        if package is None:
            continue
        root = "" if package[1] == "tidewheel" else f".{package[1].replace('/', '.')}"
        found.add(f"tidewheel{root}")
        found |= {f"tidewheel{root}.{name}" for name in re.findall(r"`(\w+)`", cells[-1])}
    return found


def test_the_architecture_names_every_module_and_none_that_is_gone() -> None:
    assert set(modules()) - listed() == set(), "not on the map"
    assert listed() - set(modules()) == set(), "on the map, and not there"


# --- imports ---


def imported(module: str) -> Iterator[str]:
    """All that a module imports of ours: at the top, in functions, and for types only."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in modules():
                    yield inner
                elif node.module in modules():
                    yield node.module


def cycle_in(graph: Mapping[str, set[str]]) -> list[str]:
    """Nodes of which each leads to the next, and the last to the first; none if there is no cycle."""
    left = {node: graph[node] & graph.keys() for node in graph}
    while ends := {node for node, onward in left.items() if not onward}:
        left = {node: onward - ends for node, onward in left.items() if node not in ends}
    path = [min(left)] if left else []
    while path and path.count(path[-1]) == 1:
        path.append(min(left[path[-1]]))
    return path[path.index(path[-1]) :] if path else []


def test_no_import_leads_back() -> None:
    graph = {module: set(imported(module)) - {module} for module in modules()}
    assert " -> ".join(cycle_in(graph)) == ""


def test_a_cycle_is_found_and_printed() -> None:
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == ["b", "c", "b"]
    assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


# --- size ---


def test_no_module_is_too_long() -> None:
    sizes = {
        path.relative_to(CODE).as_posix(): len(path.read_text("utf-8").splitlines()) for path in modules().values()
    }
    long = {name for name, lines in sizes.items() if lines > LONGEST}
    assert long - LONGER.keys() == set()
    assert LONGER.keys() - long == set(), "no longer too long"

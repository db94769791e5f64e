"""The documentation and the code say the same: what one has, the other has."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import BaseModel

import tidewheel
from tidewheel import errors
from tidewheel.cli.app import app
from tidewheel.engine.spark.errors import _CODES as SPARK_CODES
from tidewheel.project import config

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
ERROR_CLASSES = {
    name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, errors.TidewheelError)
}
STALE_ONLY = {"failed"}  # given in an epoch's record, by run/runner.py, and not as the reason of a step
MODELS: dict[str, type[BaseModel]] = {
    "Top level": config.Config,
    "Spark": config.SparkOptions,
    "Managed sources": config.ManagedSource,
    "Delta sources": config.DeltaSource,
    "Files sources": config.FilesSource,
    "Views": config.ViewOptions,
    "Targets": config.Target,
}


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def headings(page: Path, level: int | None = None) -> list[str]:
    found = re.findall(r"^(#+) (.+)$", without_code(page.read_text("utf-8")), re.MULTILINE)
    return [title for marks, title in found if level in {None, len(marks)}]


def section(page: Path, title: str) -> str:
    """The text from a heading to the next one, of any level."""
    match = re.search(rf"^#+ {re.escape(title)}$(.*?)(?=^#+ |\Z)", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert match, f"{page.name} has no heading {title!r}"
    return match[1]


def slug(title: str) -> str:
    """The anchor that GitHub and most others make of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


# --- error and reason codes ---


def calls(names: set[str]) -> Iterator[ast.Call]:
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and name_of(node.func) in names:
                yield node


def name_of(function: ast.expr) -> str:
    match function:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def texts(node: ast.expr) -> set[str]:
    """The strings that an expression like `"a" if x else "b"` can give."""
    if isinstance(node, ast.IfExp):
        return texts(node.body) | texts(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def test_every_error_code_has_a_heading_and_every_heading_is_an_error_code() -> None:
    makers = ERROR_CLASSES | {"error"}  # text.error(...) knows the place in the text
    raised = {t for call in calls(makers) for k in call.keywords if k.arg == "code" for t in texts(k.value)}
    assert len(raised) > 50
    assert set(headings(DOCS / "errors.md", 2)) == raised | set(SPARK_CODES.values())


def test_error_codes_are_in_alphabetical_order() -> None:
    codes = headings(DOCS / "errors.md", 2)
    assert codes == sorted(codes)


def test_every_reason_of_a_plan_has_a_heading_and_every_such_heading_is_a_reason() -> None:
    given = {text for call in calls({"Reason", "NoDelta"}) if call.args for text in texts(call.args[0])}
    assert set(headings(DOCS / "errors.md", 3)) == given | STALE_ONLY


def test_every_exit_code_is_documented() -> None:
    codes = {getattr(errors, name).exit_code for name in ERROR_CLASSES}
    documented = re.findall(r"^\| (\d+) \|", section(DOCS / "cli.md", "Exit codes"), re.MULTILINE)
    assert sorted(map(int, documented)) == sorted(codes | {0, errors.VERIFY_EXIT_CODE})


# --- the command line ---

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
GLOBAL_OPTIONS = {name for p in typer.main.get_command(app).params for name in p.opts} | {"-h", "--help"}


def test_every_command_has_a_section_and_every_section_is_a_command() -> None:
    sections = {t.removeprefix("tidewheel ") for t in headings(DOCS / "cli.md", 2) if t.startswith("tidewheel ")}
    assert sections == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_documented_and_every_documented_option_exists(name: str) -> None:
    text = section(DOCS / "cli.md", f"tidewheel {name}")
    params = COMMANDS[name].params
    options = {o for p in params if p.param_type_name == "option" for o in p.opts} - GLOBAL_OPTIONS
    for option in options:
        assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text), f"{option} of {name} is not in cli.md"
    for argument in (p for p in params if p.param_type_name == "argument"):
        assert argument.name.upper() in text, f"{argument.name} of {name} is not in cli.md"
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
    assert mentioned <= options | GLOBAL_OPTIONS


def test_the_options_of_every_command_are_documented() -> None:
    text = section(DOCS / "cli.md", "Command line")
    assert {option for option in GLOBAL_OPTIONS if f"`{option}`" not in text} == set()


# --- configuration ---


@pytest.mark.parametrize("title", MODELS)
def test_every_option_of_the_configuration_is_documented_and_every_documented_one_exists(title: str) -> None:
    fields = {field.alias or name for name, field in MODELS[title].model_fields.items()}
    documented = re.findall(r"^\| `(\w+)` \|", section(DOCS / "configuration.md", title), re.MULTILINE)
    assert sorted(documented) == sorted(fields)


def test_every_variable_that_the_code_looks_at_is_documented() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    names = {name for text in sources for name in re.findall(r"\bTIDEWHEEL_[A-Z_]+\b", text)}
    assert names
    text = section(DOCS / "cli.md", "Environment variables")
    assert {name for name in names if f"`{name}`" not in text} == set()


# --- dependencies, exports, version ---


def test_every_dependency_has_its_reason_and_every_reason_its_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [r for listed in project["optional-dependencies"].values() for r in listed]
    wanted = {re.split(r"[^\w-]", requirement)[0] for requirement in [*project["dependencies"], *extras]}
    rows = re.findall(r"^\| (`.+?`) \|", (DOCS / "dependencies.md").read_text("utf-8"), re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`([\w-]+)`", row)} == wanted


def test_all_is_what_is_exported() -> None:
    for name in tidewheel.__all__:
        assert getattr(tidewheel, name) is not None
    own = {n for n, v in vars(tidewheel).items() if str(getattr(v, "__module__", "")).startswith("tidewheel")}
    public = {n for n in own if not n.startswith("_")} | set(tidewheel._LAZY) | {"__version__"}
    assert sorted(tidewheel.__all__) == sorted(public)


def test_everything_exported_is_documented() -> None:
    text = (DOCS / "python.md").read_text("utf-8")
    assert {name for name in tidewheel.__all__ if f"tw.{name}" not in text} == set()


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == tidewheel.__version__
    assert f"[{tidewheel.__version__}]" in headings(ROOT / "CHANGELOG.md", 2)


# --- every page ---


def links(page: Path) -> list[str]:
    return re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", without_code(page.read_text("utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        assert target.is_relative_to(ROOT), f"{link} leaves the repository"
        assert not fragment or fragment in map(slug, headings(target)), f"{link}: no such heading"


def test_every_page_is_reached_from_the_index() -> None:
    reached = {(DOCS / link.partition("#")[0]).resolve() for link in links(DOCS / "index.md")}
    assert set(PAGES) - reached <= {DOCS / "index.md"}


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_pages_are_for_users(page: Path) -> None:
    """No page names who wrote it or the place where it was written."""
    for word in (r"\bagents?\b", r"(?<![\w.])/work\b", r"design\.md"):
        assert not re.search(word, page.read_text("utf-8"), re.IGNORECASE), f"{page.name}: {word}"

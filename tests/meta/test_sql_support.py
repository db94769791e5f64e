"""docs/sql-support.md is what `python -m tests.sql_support` writes, and names every reason that the binder can give."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests import sql_support

CODE = Path(__file__).parents[2] / "src" / "tidewheel"
SOURCES = [*(CODE / "sql").rglob("*.py"), CODE / "plan" / "defined" / "bound.py"]
RAISERS = {"NotBoundError", "_refuse"}


def reasons_in_the_code() -> set[str]:
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISERS:
                found |= {a.value for a in node.args[:1] if isinstance(a, ast.Constant)}
            if isinstance(node, ast.keyword) and node.arg == "reason" and isinstance(node.value, ast.Constant):
                found.add(node.value.value)
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "reason" for t in node.targets):
                found |= {c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant)}
    return {str(value) for value in found}


def test_every_reason_of_the_binder_is_explained_and_every_explained_one_exists() -> None:
    assert set(sql_support.REASONS) == reasons_in_the_code()


def test_the_page_is_up_to_date() -> None:
    assert sql_support.PAGE.read_text("utf-8") == sql_support.render(), "run: python -m tests.sql_support"


def test_the_page_shows_what_its_words_say() -> None:
    """Each outcome of the first paragraph occurs, and most of what a user looks for is bound."""
    rows = re.findall(r"^\| .+ \| (bound|recomputed|refused)\b.* \|$", sql_support.render(), re.MULTILINE)
    assert set(rows) == {"bound", "recomputed", "refused"}
    assert rows.count("bound") > 0.7 * len(rows)

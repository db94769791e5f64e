"""Tables on a terminal: never wider than it, and what is left out is said."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tidewheel.cli.output import drawn, emit_line, human_seconds

WHY = 'source "orders": '
VIEWS = [
    (f"view_{n}_of_a_project", "merge", "driver", 10**n, "2 kB", 0.123, "full 1.31", WHY + "2 rows added " * n)
    for n in range(1, 9)
]
COLUMNS = ["view", "method", "on", "rows", "reads", "seconds", "instead", "why"]
DROP = ["instead", "reads", "rows", "on"]


def lines(width: int, rows: Sequence[tuple[object, ...]], columns: list[str], drop: list[str] | None) -> list[str]:
    text = drawn("title", columns, rows, drop=drop, width=width)
    return re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, lines(width, VIEWS, COLUMNS, DROP))) <= width


def test_a_wide_terminal_shows_everything() -> None:
    text = "\n".join(lines(200, VIEWS, COLUMNS, DROP))
    assert all(name in text for name in COLUMNS)
    assert "not shown" not in text


def test_a_narrow_one_leaves_out_the_least_important_and_says_so() -> None:
    text = lines(80, VIEWS, COLUMNS, DROP)
    head = next(line for line in text if "view" in line and "why" in line)
    assert head.split() == ["view", "method", "on", "seconds", "why"]
    assert "(not shown here: rows, reads, instead;" in "\n".join(text)


def test_names_are_not_broken() -> None:
    text = lines(80, VIEWS, COLUMNS, DROP)
    assert sum("_of_a_project" in line and "view_" in line for line in text) == len(VIEWS)


def test_columns_without_a_value_go_first_and_without_a_word() -> None:
    rows: list[tuple[object, ...]] = [("orders", None, "x" * 40)]
    text = lines(44, rows, ["source", "new files", "change"], [])
    assert "new files" not in "\n".join(text)
    assert "not shown" not in "\n".join(text)


@pytest.mark.parametrize("width", [80, 200])
def test_many_columns_of_data_are_cut_from_the_right(width: int) -> None:
    columns = [f"column_{n}" for n in range(40)]
    text = lines(width, [tuple(range(40))], columns, None)
    assert max(map(len, text)) <= width
    assert "column_0" in text[2]
    assert "column_39" in "\n".join(text), "among those that are not shown"
    assert "column_39" not in text[2]


def test_long_values_of_data_are_wrapped_whole() -> None:
    text = "".join(lines(40, [("word" * 30, "b" * 50)], ["a", "b"], None))
    assert text.count("b") >= 50


def test_an_empty_table_has_its_heading() -> None:
    assert "why" in "\n".join(lines(80, [], COLUMNS, DROP))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "-"), (0.4, "0 s"), (90, "90 s"), (150, "2 min"), (9000, "2 h"), (10**6, "12 days")],
)
def test_lengths_of_time_are_in_their_largest_unit(seconds: float | None, text: str) -> None:
    assert human_seconds(seconds) == text


def test_a_line_on_a_terminal_breaks_no_word(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    emit_line("a sentence with many words in it: " * 5)
    text = capsys.readouterr().out
    assert {word for line in text.splitlines() for word in line.split()} == {
        "a",
        "sentence",
        "with",
        "many",
        "words",
        "in",
        "it:",
    }
    assert max(map(len, text.splitlines())) <= 40

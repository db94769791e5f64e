"""Texts that almost are queries: each is taken, or refused with an error of ours; none stops a command."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys

import pytest

from tests.unit.sql.test_constructs import CATALOG, constructs
from tidewheel.errors import TidewheelError
from tidewheel.ir.rel import Opaque
from tidewheel.project.config import Config
from tidewheel.project.graph import View
from tidewheel.project.views import views_of_file
from tidewheel.sql.bind import SqlText, bind, bind_view
from tidewheel.sql.text import tokenize

PIPED = [
    "FROM t |> UNION ALL TABLE u",
    "FROM t |> UNION ALL FROM u",
    "FROM t |> EXCEPT TABLE u",
    "FROM t |> INTERSECT VALUES (1, 2)",
    "FROM t |> LIMIT 3, u",
]
TEXTS = [*PIPED, *(sql for _, sql in constructs())]
MUTATIONS = 12


def words_of(sql: str) -> list[str]:
    return [sql[t.start : t.end + 1] for t in tokenize(sql)]


def mutated(words: list[str], chance: random.Random) -> str:
    """The words with one or two of them left out, doubled, swapped or taken from another text."""
    found = list(words)
    for _ in range(chance.randint(1, 2)):
        i, j = (chance.randrange(len(found)) for _ in range(2))
        match chance.choice(["delete", "double", "swap", "insert"]):
            case "delete" if len(found) > 1:
                del found[i]
            case "swap":
                found[i], found[j] = found[j], found[i]
            case "insert":
                found.insert(i, chance.choice(words_of(chance.choice(TEXTS))))
            case _:
                found.insert(i, found[i])
    return " ".join(found)


def take(sql: str) -> None:
    """As every command does, and then as binding does; errors of ours are fine."""
    list(views_of_file(sql, "v.sql", Config(name="p")))
    with contextlib.suppress(TidewheelError):
        bind_view(SqlText(sql=sql), CATALOG)


@pytest.mark.parametrize("sql", TEXTS)
def test_no_mutation_of_a_query_raises_anything_but_an_error_of_ours(sql: str) -> None:
    chance = random.Random(sql)
    for _ in range(MUTATIONS):
        take(mutated(words_of(sql), chance))


@pytest.mark.parametrize("sql", [*PIPED, "SELECT s:b FROM t", "SELECT upper(s), s:b, a FROM t, u GROUP BY a"])
def test_what_the_parser_stumbles_over_is_left_to_spark(sql: str) -> None:
    (view,) = views_of_file(sql, "v.sql", Config(name="p"))
    assert isinstance(view, View)
    assert isinstance(bind(sql, CATALOG).rel, Opaque)


@pytest.mark.parametrize(
    "sql",
    ["WITH q AS (SELECT 1 AS a) DROP TABLE q", "SELECT a FROM t; DROP TABLE t", "(SHOW TABLES)", "FROM t |> DROP"],
)
def test_the_parser_says_nothing_on_standard_error(sql: str) -> None:
    lines = [
        "from tidewheel.project.config import Config",
        "from tidewheel.project.views import views_of_file",
        f"list(views_of_file({sql!r}, 'v.sql', Config(name='p')))",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert done.stderr == ""

"""The JSON schema of tidewheel.yml takes what we take, and refuses what editors can see to be wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import tidewheel as tw
from tests.cli.command import call
from tests.json_schema import problems
from tidewheel.demo import shop
from tidewheel.project.config import load_config
from tidewheel.project.schema import MODELINE, SCHEMA_FILE, config_schema

DOCS = Path(__file__).parents[3] / "docs"
BLOCK = re.compile(r"^```yaml[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = {
    f"{page.name} {number}": text
    for page in sorted(DOCS.glob("*.md"))
    for number, text in enumerate(BLOCK.findall(page.read_text("utf-8")))
    if "name:" in text
}


def found(body: Any) -> list[str]:
    schema = config_schema()
    return list(problems(body, schema, schema))


def test_the_documentation_has_examples() -> None:
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=EXAMPLES)
def test_every_example_of_the_documentation_is_valid(text: str) -> None:
    load_config(text, "tidewheel.yml")
    assert found(yaml.safe_load(text)) == []


def test_the_demo_is_valid(tmp_path: Path) -> None:
    tw.create(tmp_path / "shop", sources=shop.SOURCES, views=shop.views(), engine="local")
    assert found(yaml.safe_load((tmp_path / "shop" / "tidewheel.yml").read_text())) == []


def test_what_init_writes_is_valid_and_names_the_schema_beside_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert call(capsys, "init", str(tmp_path / "new")).code == 0
    text = (tmp_path / "new" / "tidewheel.yml").read_text()
    assert text.splitlines()[0] == MODELINE == f"# yaml-language-server: $schema=./{SCHEMA_FILE}"
    schema = json.loads((tmp_path / "new" / SCHEMA_FILE).read_text())
    assert list(problems(yaml.safe_load(text), schema, schema)) == []


def test_the_command_prints_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "schema").json == config_schema()
    assert call(capsys, "schema", "--json").json == config_schema()


SOURCE = {"kind": "managed", "schema": "a BIGINT"}
WRONG: dict[str, Any] = {
    "no name": {"warehouse": "./w"},
    "a misspelt option": {"name": "p", "retenton": "7 days"},
    "an unknown engine": {"name": "p", "engine": "mysql"},
    "a source of no kind": {"name": "p", "sources": {"s": {"schema": "a BIGINT"}}},
    "a source of another kind": {"name": "p", "sources": {"s": SOURCE | {"kind": "kafka"}}},
    "a managed source without a schema": {"name": "p", "sources": {"s": {"kind": "managed"}}},
    "a key that is no list": {"name": "p", "sources": {"s": SOURCE | {"key": "a"}}},
    "an option of another kind": {"name": "p", "sources": {"s": SOURCE | {"path": "./x"}}},
    "an unknown refresh": {"name": "p", "views": {"v": {"refresh": "sometimes"}}},
    "a list for a mapping": {"name": "p", "sources": []},
}


@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG)
def test_what_we_refuse_editors_mark(body: Any) -> None:
    with pytest.raises(tw.UserError):
        load_config(yaml.safe_dump(body), "tidewheel.yml")
    assert found(body)


def test_settings_of_spark_may_be_numbers_and_booleans() -> None:
    body = {"name": "p", "spark": {"conf": {"spark.sql.shuffle.partitions": 8, "spark.ui.enabled": False}}}
    load_config(yaml.safe_dump(body), "tidewheel.yml")
    assert found(body) == []

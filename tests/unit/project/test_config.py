"""tidewheel.yml: what is read, what it defaults to, and where an error points."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tidewheel.errors import UserError
from tidewheel.project.config import (
    Config,
    DeltaSource,
    FilesSource,
    ManagedSource,
    check_variables,
    load_config,
    resolve_path,
)
from tidewheel.project.values import parse_bytes, parse_duration


def load(body: dict[str, Any], **environ: str) -> Config:
    return load_config(yaml.safe_dump(body), "tidewheel.yml", environ)


def test_the_defaults_are_those_of_the_documentation() -> None:
    config = load_config("name: shop", "tidewheel.yml")
    assert (config.warehouse, config.timezone, config.engine, config.memory, config.retention) == (
        "./warehouse", "UTC", "spark", "1.6GB", "7 days"
    )  # fmt: skip
    assert config.spark.master == "local[*]"
    assert config.settings == {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.decimalOperations.allowPrecisionLoss": "true",
        "spark.sql.session.timeZone": "UTC",
    }


def test_each_kind_of_source_is_read() -> None:
    sources = {
        "a": {"kind": "managed", "schema": "x BIGINT, y STRING", "key": ["X"]},
        "b": {"kind": "delta", "path": "/lake/b", "on_schema_change": "rebuild"},
        "c": {"kind": "files", "path": "in", "format": "csv", "on_file_change": "reload"},
    }
    found = load({"name": "p", "sources": sources}).sources
    assert isinstance(found["a"], ManagedSource)
    assert found["a"].declared is not None
    assert found["a"].declared.names == ("x", "y")
    assert isinstance(found["b"], DeltaSource)
    assert found["b"].declared is None
    assert isinstance(found["c"], FilesSource)


def test_settings_of_spark_are_texts_whatever_yaml_made_of_them() -> None:
    config = load({"name": "p", "spark": {"conf": {"spark.sql.ansi.enabled": False, "spark.x": 5}}})
    assert config.spark.conf == {"spark.sql.ansi.enabled": "false", "spark.x": "5"}
    assert config.settings["spark.sql.ansi.enabled"] == "false"


def test_a_target_lies_over_the_rest() -> None:
    target = {"warehouse": "/lake", "timezone": "Asia/Tokyo", "spark": {"master": "spark://h:7077", "conf": {"b": "2"}}}
    config = load({"name": "p", "spark": {"conf": {"a": "1"}}, "targets": {"prod": target}})
    prod = config.for_target("prod")
    assert (prod.warehouse, prod.timezone, prod.spark.master) == ("/lake", "Asia/Tokyo", "spark://h:7077")
    assert prod.spark.conf == {"a": "1", "b": "2"}
    assert prod.retention == "7 days"
    assert config.for_target(None) is config


def test_variables_are_filled_in_anywhere_and_missed_only_where_they_are_used() -> None:
    body = {"name": "p", "warehouse": "${env:ROOT}/w", "targets": {"prod": {"warehouse": "${env:OTHER}"}}}
    config = load(body, ROOT="/lake")
    assert resolve_path(config.warehouse, "/project") == "/lake/w"
    assert config.for_target("prod").warehouse == "${env:OTHER}"
    with pytest.raises(UserError, match="OTHER") as caught:
        resolve_path(config.for_target("prod").warehouse, "/project")
    assert caught.value.code == "missing-variable"
    check_variables("no variable, ${ENV}, $env:X", "/project")
    with pytest.raises(UserError, match="MASTER"):
        load({"name": "p", "spark": {"master": "${env:MASTER}"}}).spark.checked("/project")


def test_paths_are_relative_to_the_project() -> None:
    assert resolve_path("./warehouse", "/project") == "/project/warehouse"
    assert resolve_path("../lake", "/project") == "/lake"
    assert resolve_path("/lake", "/project") == "/lake"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7 days", 604800),
        ("1 day", 86400),
        ("12 hours", 43200),
        ("1.5 minutes", 90),
        ("0 seconds", 0),
        ("2 WEEKS", 1209600),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "7", "days", "-1 days", "7 fortnights", "1 day 2 hours", "s", "1 s"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "size"), [("1.6GB", 1_600_000_000), ("512 MiB", 2**29), ("10kb", 10_000), ("7 b", 7), ("1 GiB", 2**30)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "5", "GB", "-1GB", "1 TB", "1.6 G"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="size"):
        parse_bytes(text)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("name: p\nretenton: 1 day\n", "unknown-option", "2:1"),
        ("name: p\nsources:\n  s:\n    kind: managed\n    shema: a INT\n", "unknown-option", "5:5"),
        ("name: p\nsources:\n  s: {kind: managed, schema: a INTT}\n", "bad-schema", "3:22"),
        ("name: p\nsources:\n  s: {kind: managed, schema: a INT, key: [b]}\n", "bad-option", "3:37"),
        (
            "name: p\nsources:\n  delta: {kind: managed, schema: a INT}\n  x-y: {kind: delta, path: p}\n",
            "bad-name",
            "4:3",
        ),
        ("name: p\ntimezone: Mars\n", "bad-option", "2:1"),
        ("name: p\nname: q\n", "bad-yaml", "1:1"),
        ("name: [p\n", "bad-yaml", "2:1"),
        ("timezone: UTC\n", "bad-option", "1:1"),
    ],
)
def test_an_error_points_at_its_line(text: str, code: str, place: str) -> None:
    with pytest.raises(UserError) as caught:
        load_config(text, "tidewheel.yml")
    assert caught.value.code == code
    assert caught.value.span is not None
    assert caught.value.span.place == f"tidewheel.yml:{place}"
    assert caught.value.hint

"""Values of tidewheel.yml that must have a form: sizes, durations, folders, schemas, time zones."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from tidewheel.ddl import parse_schema
from tidewheel.errors import UserError
from tidewheel.names import check_column_name
from tidewheel.project.paths import local_path


class RefusedError(ValueError):
    """An error of ours on its way through pydantic."""

    def __init__(self, error: UserError) -> None:
        super().__init__(error.message)
        self.error = error


def _is_local(value: str) -> str:
    try:
        local_path(value)
    except UserError as error:
        raise RefusedError(error) from error
    return value


Folder = Annotated[str, AfterValidator(_is_local)]


def is_delimiter(value: str) -> str:
    """One character of a byte that is no quote and ends no line."""
    if len(value) != 1 or not value.isascii() or value in '"\r\n\0':
        raise ValueError('must be one character, for example ";" or "\\t"')
    return value


Delimiter = Annotated[str, AfterValidator(is_delimiter)]


def _is_schema(value: str) -> str:
    try:
        for name in parse_schema(value).names:
            check_column_name(name, set())
    except UserError as error:
        raise RefusedError(error) from error  # pydantic lets only a ValueError know its place
    return value


SchemaText = Annotated[str, AfterValidator(_is_schema)]


def _is_size(value: str) -> str:
    parse_bytes(value)
    return value


def _is_duration(value: str) -> str:
    parse_duration(value)
    return value


def _is_zone(value: str) -> str:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415

    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f'unknown time zone "{value}"') from error
    return value


def _is_function(value: str) -> str:
    from tidewheel.ir.builtins import BUILTINS  # noqa: PLC0415

    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise ValueError(f'"{value}" is not the plain name of a function')
    if value.lower() in BUILTINS:
        raise ValueError(f'"{value}" is one of Spark\'s own functions')
    return value


Size = Annotated[str, AfterValidator(_is_size)]


FunctionName = Annotated[str, AfterValidator(_is_function)]


Duration = Annotated[str, AfterValidator(_is_duration)]


Zone = Annotated[str, AfterValidator(_is_zone)]


_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}


_BYTES = {"b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "kib": 1024, "mib": 1024**2, "gib": 1024**3}


def parse_duration(text: str) -> float:
    """Seconds from "7 days", "12 hours", "0 seconds"."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+?)s?\s*", text.lower())
    if not match or match[2] not in _UNITS:
        raise ValueError(f'"{text}" is not a duration; write for example "7 days"')
    return float(match[1]) * _UNITS[match[2]]


def parse_bytes(text: str) -> int:
    """Bytes from "1.6GB", "512 MiB"."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmg]?i?b)\s*", text.lower())
    if not match:
        raise ValueError(f'"{text}" is not a size; write for example "1.6GB"')
    return int(float(match[1]) * _BYTES[match[2]])

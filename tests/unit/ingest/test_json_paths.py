"""A value of a JSON file means the same whether Arrow reads its block or we do, row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidewheel.ddl import parse_schema
from tidewheel.errors import UserError
from tidewheel.ingest.files import open_file
from tidewheel.ingest.inputs import ReadOptions, conforming

KINDS = (
    "BOOLEAN", "TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "BINARY", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ",
    "ARRAY<BIGINT>", "ARRAY<DOUBLE>", "STRUCT<p: INT, q: STRING>",
)  # fmt: skip
NUMBERS = ["0", "-0", "-0.0", "1", "1.0", "1e2", "1.5", "128", "2147483648", "1e39", "1e400", "-1e400", "1e-400", "NaN"]
TEXTS = [
    "", " ", "1", "true", "YQ==", " YQ==", "2026-01-31", " 2026-01-31", "2026-02-30", "0000-01-01", "2026-01-31 10",
    "2026-01-31 10:00", "2026-01-31 10:00 ", "2026-01-31T10:00:00Z", "2026-01-31T10:00:00+01:00", "2076-07-01 12:00:00",
    "2026-10-25 02:30:00", "9999-12-31T23:59:59-10:00", "2026-01-31 10:00:00.1234567", "\u00e9",
]  # fmt: skip
SINGLE = st.sampled_from([*NUMBERS, "null", "true", *map(json.dumps, TEXTS), '"\\ud800"'])
VALUES = SINGLE | st.one_of(
    st.lists(SINGLE, max_size=2).map(lambda items: f"[{', '.join(items)}]"),
    st.tuples(st.sampled_from(["p", "P", "q", "r"]), SINGLE, SINGLE).map(
        lambda of: f'{{"{of[0]}": {of[1]}, "q": {of[2]}}}'
    ),
)


def read(path: Path, kind: str, text: str, more: str = "") -> Any:
    """What the first row is read as, or that it is refused."""
    path.write_text(f'{{"x": {text}}}\n{more}')
    schema, options = parse_schema(f"x {kind}"), ReadOptions(timezone="Europe/Berlin")
    try:
        batches = list(conforming(open_file(str(path), schema, options), schema, options))
    except UserError:
        return "refused"
    return repr(batches[0].to_pylist()[0])


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=VALUES)
def test_a_value_is_read_alike_whatever_the_rows_beside_it(tmp_path: Path, kind: str, text: str) -> None:
    odd = '{"X": null}\n'  # a name in another case is not for Arrow
    assert read(tmp_path / "a.json", kind, text) == read(tmp_path / "a.json", kind, text, odd)

"""tidewheel.yml as a JSON schema: editors complete and check the file by it."""

from __future__ import annotations

import json
from typing import Any, Final

from tidewheel.project.config import FILE, Config

SCHEMA_FILE: Final = "tidewheel.schema.json"
MODELINE: Final = f"# yaml-language-server: $schema=./{SCHEMA_FILE}"
"""The first line of a tidewheel.yml, by which editors find the schema beside it."""
PLAIN: Final = {"type": ["string", "number", "boolean"]}


def config_schema() -> dict[str, Any]:
    """What may stand in tidewheel.yml, from the very models that read it."""
    found = Config.model_json_schema(by_alias=True)
    found["$defs"]["SparkOptions"]["properties"]["conf"]["additionalProperties"] = PLAIN  # each is read as a text
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": FILE}


def schema_text() -> str:
    return json.dumps(config_schema(), indent=2) + "\n"

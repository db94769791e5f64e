"""As much of JSON Schema as the schema of tidewheel.yml uses; a keyword that is not known here is an error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
REMARKS = {"$schema", "$defs", "title", "description", "default", "discriminator"}


def problems(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "") -> Iterator[str]:
    """Where a value is not what the schema allows."""
    members = value if isinstance(value, dict) else {}
    for keyword, body in schema.items():
        match keyword:
            case "$ref":
                yield from problems(value, root["$defs"][body.removeprefix("#/$defs/")], root, at)
            case "type":
                kinds = [body] if isinstance(body, str) else body
                if not any(_is(value, kind) for kind in kinds):
                    yield f"{at}: not {body}"
            case "enum" | "const":
                if value not in (body if keyword == "enum" else [body]):
                    yield f"{at}: not {body}"
            case "anyOf" | "oneOf":
                matching = sum(not any(problems(value, option, root, at)) for option in body)
                if matching != 1 and not (matching and keyword == "anyOf"):
                    yield f"{at}: {matching} of {len(body)} match"
            case "items":
                for number, item in enumerate(value if isinstance(value, list) else []):
                    yield from problems(item, body, root, f"{at}[{number}]")
            case "required":
                yield from (f"{at}: {name} is missing" for name in body if name not in members)
            case "properties":
                for name in body.keys() & members.keys():
                    yield from problems(value[name], body[name], root, f"{at}.{name}")
            case "additionalProperties":
                others = {k: v for k, v in members.items() if k not in schema.get("properties", {})}
                if body is False:
                    yield from (f"{at}: {name} is unknown" for name in others)
                else:
                    for name, other in others.items():
                        yield from problems(other, body, root, f"{at}.{name}")
            case _ if keyword not in REMARKS:
                raise NotImplementedError(keyword)


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))

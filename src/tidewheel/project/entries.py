"""tidewheel.yml as text: where its entries stand, and what is wrong with it as YAML."""

from __future__ import annotations

from typing import Any

import yaml

from tidewheel.errors import Span, UserError


def refuse_repeated(root: Any, text: str, file: str) -> None:
    """YAML lets a later key silently replace an earlier one: of a source declared twice, one would be lost."""
    todo = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, yaml.SequenceNode):
            todo += node.value
        elif isinstance(node, yaml.MappingNode):
            todo += [value for _, value in node.value]
            keys = [key.value for key, _ in node.value]
            for key, _ in node.value:
                if isinstance(key.value, str) and keys.count(key.value) > 1:
                    raise UserError(
                        f'"{key.value}" appears twice',
                        code="bad-yaml",
                        span=Span.at(text, key.start_mark.index, len(key.value), file),
                        hint="Remove or rename one of the two.",
                    )


def bad_yaml(error: yaml.YAMLError, text: str, file: str) -> UserError:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    span = Span.at(text, mark.index, 1, file) if mark else None
    return UserError(
        f"{file} is not valid YAML",
        code="bad-yaml",
        detail=f"{problem}.",
        span=span,
        hint="Look at this line and the one before it: indentation, colons, quotes and brackets.",
    )


def find_entry(node: Any, path: tuple[Any, ...], text: str, file: str) -> Span:
    """The place of a key in the YAML text, as deep as the path can be followed."""
    mark = node.start_mark if node is not None else None
    for part in path:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        found = next(((k, v) for k, v in pairs if k.value == str(part)), None)
        if found is None:
            break
        mark, node = found[0].start_mark, found[1]
    return Span.at(text, mark.index if mark else 0, len(str(path[-1])) if path else 1, file)

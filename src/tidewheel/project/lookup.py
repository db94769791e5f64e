"""Names that somebody gives, as the project spells them; or an error that says what they are instead."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tidewheel.errors import UserError, did_you_mean


def texts(given: str | Iterable[str], what: str) -> tuple[str, ...]:
    """Several texts; one that is given alone is one, not its letters."""
    found = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (given,)
    for text in found:
        if not isinstance(text, str):
            raise UserError(
                f"`{what}` takes texts, not {type(text).__name__}",
                code="bad-option",
                hint=f'Write for example {what}=["daily"].',
            )
    return found


def a_text(given: Any, what: str, example: str) -> str:
    """A text that was given for an argument."""
    if not isinstance(given, str):
        raise UserError(
            f"`{what}` takes a text, not {type(given).__name__}",
            code="bad-option",
            hint=f"Write for example {example}.",
        )
    return given


def a_number(given: Any, what: str) -> int | None:
    """A whole number from 0 on that was given for an argument, if one was."""
    if given is not None and (not isinstance(given, int) or isinstance(given, bool) or given < 0):
        shown = given if isinstance(given, int) else type(given).__name__
        raise UserError(
            f"`{what}` takes a whole number from 0 on, not {shown}",
            code="bad-option",
            hint=f"Write for example {what}=10, or leave it out.",
        )
    return given


def a_mapping(given: Any, what: str, example: str) -> dict[str, Any]:
    """A mapping by names that was given for an argument."""
    if not isinstance(given, Mapping):
        raise UserError(
            f"`{what}` takes a mapping, not {type(given).__name__}",
            code="bad-option",
            hint=f"Write for example {what}={{{example}}}.",
        )
    return dict(given)


def project_root(folder: str | os.PathLike[str]) -> str:
    """The folder of a project that is to be written, from the root of the file system."""
    root = os.path.abspath(os.fspath(folder))
    above = root
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        raise UserError(
            f'"{above}" is a file, not a folder',
            code="bad-path",
            hint="Choose a folder for the project; it is made if it is not there.",
        )
    return root


def find_view(name: str, views: Iterable[str], sources: Iterable[str], orphans: Iterable[str] = ()) -> str:
    """A view by its name, in any case."""
    known = list(views)
    if found := spelled(a_text(name, "view", '"daily"'), known):
        return found
    if source := spelled(name, sources):
        raise UserError(
            f'"{source}" is a source, not a view',
            code="wrong-kind",
            relation=source,
            hint=f"`tidewheel show {source}` shows its rows; `source:{source}+` selects the views that read it.",
        )
    if orphan := spelled(name, orphans):
        raise UserError(
            f'"{orphan}" is an orphan: its table is there, its definition is gone',
            code="wrong-kind",
            relation=orphan,
            hint=f"`tidewheel show {orphan}` shows its rows, `tidewheel drop {orphan}` deletes its table.",
        )
    raise unknown_relation(name, known)


def find_source(name: str, views: Iterable[str], sources: Iterable[str]) -> str:
    """A source by its name, in any case."""
    known = list(sources)
    if found := spelled(a_text(name, "source", '"orders"'), known):
        return found
    if view := spelled(name, views):
        raise UserError(
            f'"{view}" is a view, not a source',
            code="wrong-kind",
            relation=view,
            hint=f"Its rows come from its query: `tidewheel explain {view}` says which sources it reads.",
        )
    raise unknown_relation(name, known)


def spelled(name: str, known: Iterable[str]) -> str | None:
    """The name as it is known, in whichever case it was given; to the letter if it is known so."""
    found = [k for k in known if k.lower() == name.lower()]
    return name if name in found else next(iter(found), None)


def unknown_relation(name: str, known: Iterable[str]) -> UserError:
    return UserError(
        f'relation "{name}" does not exist',
        code="unknown-relation",
        hint=did_you_mean(name, list(known)) or "`tidewheel status` lists the relations.",
        relation=name,
    )

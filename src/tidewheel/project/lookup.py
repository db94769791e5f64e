"""Names that somebody gives, as the project spells them; or an error that says what they are instead."""

from __future__ import annotations

import os
from collections.abc import Iterable

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
    if found := _spelled(name, known):
        return found
    if source := _spelled(name, sources):
        raise UserError(
            f'"{source}" is a source, not a view',
            code="wrong-kind",
            relation=source,
            hint=f"`tidewheel show {source}` shows its rows; `source:{source}+` selects the views that read it.",
        )
    if orphan := _spelled(name, orphans):
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
    if found := _spelled(name, known):
        return found
    if view := _spelled(name, views):
        raise UserError(
            f'"{view}" is a view, not a source',
            code="wrong-kind",
            relation=view,
            hint=f"Its rows come from its query: `tidewheel explain {view}` says which sources it reads.",
        )
    raise unknown_relation(name, known)


def _spelled(name: str, known: Iterable[str]) -> str | None:
    return next((k for k in known if k.lower() == str(name).lower()), None)


def unknown_relation(name: str, known: Iterable[str]) -> UserError:
    return UserError(
        f'relation "{name}" does not exist',
        code="unknown-relation",
        hint=did_you_mean(name, list(known)) or "`tidewheel status` lists the relations.",
        relation=name,
    )

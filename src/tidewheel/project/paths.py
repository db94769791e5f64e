"""Paths in tidewheel.yml: folders of this machine, plain or as `file:` URLs. Other schemes are refused by name."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from tidewheel.errors import UserError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?=[/\\])")
_HERE = "Give a path of this machine, as ./folder or /folder, or a URL such as file:///folder."


def local_path(text: str) -> str:
    """The path that an entry means: `./lake`, `/lake` and `file:///lake` are paths, `s3://lake` is none."""
    if not text.strip() or "\0" in text:
        raise _bad_path("the path is empty" if not text.strip() else "the path holds a null character", text)
    if text.startswith("\\\\"):
        raise _bad_path("paths of Windows are not supported", text)
    found = _SCHEME.match(text)
    if found is None and not text.lower().startswith("file:"):
        return text
    if found is not None and len(found[1]) == 1:
        raise _bad_path("paths of Windows are not supported", text)
    if found is not None and found[1].lower() != "file":
        raise UserError(
            f"{found[1]}: paths are not supported",
            code="unsupported-scheme",
            detail=f"Path: {text}. Object stores and remote file systems cannot be read or written yet.",
            hint=f"{_HERE} A network file system can be mounted.",
        )
    return _path_of_url(text)


def _path_of_url(text: str) -> str:
    """`file:///a%20b`, `file:/a%20b` and `file://localhost/a%20b` are the folder `/a b`."""
    url = urlsplit(text)
    if url.netloc.lower() not in {"", "localhost"}:
        raise _bad_path(f'the URL names the host "{url.netloc}"', text)
    if not url.path.startswith("/"):
        raise _bad_path("the URL has no path that begins with a slash", text)
    if url.query or url.fragment:
        raise _bad_path("the URL has more than a path; write ? as %3F and # as %23", text)
    path = unquote(url.path)
    if "\0" in path:
        raise _bad_path("the path holds a null character", text)
    return path


def _bad_path(message: str, text: str) -> UserError:
    return UserError(message, code="bad-path", detail=f"Path: {text!r}.", hint=_HERE)

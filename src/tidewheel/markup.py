"""What a notebook shows: small HTML tables, in which everything is text.

A notebook calls `_repr_html_` for whatever stands last in a cell: it must be cheap, and escape what users wrote.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any, Final

ROWS_SHOWN: Final = 100
_COLOURS: Final = {
    "fresh": "#2f9460",
    "equal": "#2f9460",
    "sound": "#2f9460",
    "behind": "#b9830f",
    "stale": "#c2641a",
    "full": "#b9830f",
    "broken": "#cc3d33",
    "failed": "#cc3d33",
    "blocked": "#cc3d33",
    "DIFFERENT": "#cc3d33",
    "none": "#8d96a5",
    "not built": "#8d96a5",
}
"""Words that tell at a glance; readable on light and dark pages."""


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, of: int | None = None) -> str:
    """A table with a line above it; of many rows the first, and how many more there are. `of` counts rows not given."""
    known = list(rows)
    total = len(known) if of is None else of
    head = "".join(f'<th style="text-align:left">{html.escape(name)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in known[:ROWS_SHOWN])
    rest = f"<p>and {total - ROWS_SHOWN:,} more</p>" if total > ROWS_SHOWN else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if known else ""
    return f"<div><p><b>{html.escape(title)}</b></p>{table}{rest}</div>"


def _cell(value: Any) -> str:
    match value:
        case None:
            text = ""
        case bool():
            text = "yes" if value else "no"
        case int():
            text = f"{value:,}"
        case float():
            text = f"{value:.2f}"
        case _:
            text = str(value)
    align = "right" if isinstance(value, (int, float)) and not isinstance(value, bool) else "left"
    colour = f";color:{_COLOURS[text]};font-weight:600" if text in _COLOURS else ""
    return f'<td style="text-align:{align}{colour}">{html.escape(text)}</td>'

"""How commands print: one JSON document with --json, tables on a terminal, plain lines in a pipe."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.console import Console

    from tidewheel.errors import TidewheelError


def console(*, stderr: bool = False) -> Console:
    from rich.console import Console  # noqa: PLC0415

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def emit_json(body: Any) -> None:
    sys.stdout.write(json_text(body))


def json_text(body: Any) -> str:
    return json.dumps(_without_infinity(body), indent=2, default=_as_json, allow_nan=False) + "\n"


def _as_json(value: Any) -> str:
    """Bytes in base64, as in Spark; dates, decimals and others as they are written."""
    if isinstance(value, bytes):
        import base64  # noqa: PLC0415

        return base64.b64encode(value).decode()
    return str(value)


def _without_infinity(body: Any) -> Any:
    """JSON has no NaN and no infinity: they are written as text, as Spark does."""
    match body:
        case float() if not math.isfinite(body):
            return "NaN" if math.isnan(body) else "Infinity" if body > 0 else "-Infinity"
        case dict():
            return {key: _without_infinity(value) for key, value in body.items()}
        case list() | tuple():
            return [_without_infinity(value) for value in body]
        case _:
            return body


def emit_line(text: str) -> None:
    """A sentence; on a terminal no word of it is broken."""
    if sys.stdout.isatty():
        import textwrap  # noqa: PLC0415

        text = textwrap.fill(text, console().width, break_long_words=False, break_on_hyphens=False)
    sys.stdout.write(text + "\n")


def emit_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, drop: Sequence[str] | None = None
) -> None:
    """A table on a terminal; tab-separated lines in a pipe.

    If the terminal is too narrow, columns in `drop` are left out, the first of them first; without it, from the right.
    """
    if sys.stdout.isatty():
        sys.stdout.write(drawn(title, columns, list(rows), drop=drop, width=console().width))
        return
    sys.stdout.write("\t".join(map(_on_one_line, columns)) + "\n")
    for row in rows:
        sys.stdout.write("\t".join(_on_one_line(cell(v)) for v in row) + "\n")


GAP: Final = 3
"""Between two columns."""
NARROW: Final = {True: 24, False: 12}
"""The longest column of a report, and any one of data, is squeezed to so many characters before others are left out."""
NOTHING: Final = frozenset({"", "-"})


def drawn(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, drop: Sequence[str] | None, width: int
) -> str:
    """A table that is as wide as the terminal at most; what was left out is said below it."""
    from rich import box  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    cells = [[cell(value).translate(_UNSEEN) for value in row] for row in rows]
    places = range(len(columns))
    empty = [place for place in places[1:] if all(row[place] in NOTHING for row in cells)]
    least = places[:0:-1] if drop is None else [columns.index(name) for name in drop]
    widths = _widths(columns, cells)
    wrapped = set(places) if drop is None else {max(places[1:], key=widths.__getitem__, default=0)}
    squeezed = [min(w, NARROW[drop is not None]) if place in wrapped else w for place, w in enumerate(widths)]
    kept = _fitting(squeezed, dict.fromkeys([*empty, *least]), width)
    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for place in kept:
        table.add_column(columns[place].translate(_UNSEEN), overflow="fold", no_wrap=place not in wrapped)
    for row in cells:
        table.add_row(*(_styled(row[place]) for place in kept))
    left_out = [columns[place] for place in places if place not in {*kept, *empty}]
    out = Console(width=width, highlight=False, file=sys.stdout)
    with out.capture() as captured:
        out.print(table)
        if left_out:
            out.print(f"(not shown here: {', '.join(left_out)}; a wider terminal or --json has them)", markup=False)
    return captured.get()


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len  # noqa: PLC0415

    longest = [cell_len(name) for name in columns]
    for row in rows:
        longest = [max(most, *map(cell_len, text.split("\n"))) for most, text in zip(longest, row, strict=True)]
    return longest


def _fitting(widths: Sequence[int], order: Iterable[int], available: int) -> list[int]:
    """The columns that stay, by position, if those are left out first that `order` has first."""
    kept = list(range(len(widths)))
    for place in order:
        if sum(widths[k] + GAP for k in kept) <= available:
            break
        kept.remove(place)
    return kept


_ESCAPES = {ord("\\"): "\\\\", ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"}
_UNSEEN = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code not in {9, 10}}
"""Characters that would move the cursor, clear the screen or worse."""


def _on_one_line(text: str) -> str:
    """A value between tabs: what would end it or its line is escaped with a backslash."""
    return text.translate(_UNSEEN | _ESCAPES)


_STYLES = {
    "fresh": "green",
    "behind": "yellow",
    "full": "yellow",
    "none": "dim",
    "stale": "red",
    "failed": "bold red",
    "blocked": "red",
}


def _styled(text: str) -> str:
    from rich.markup import escape  # noqa: PLC0415

    style = _STYLES.get(text)
    return f"[{style}]{text}[/{style}]" if style else escape(text)


def cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)


def human_bytes(count: int | None) -> str:
    if count is None:
        return "-"
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return ""


def human_seconds(seconds: float | None) -> str:
    """A length of time, in its largest unit."""
    if seconds is None:
        return "-"
    for unit, size in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def show_warnings_as_notes() -> None:
    """What should be known and stops nothing: one line on standard error."""
    import warnings  # noqa: PLC0415

    from tidewheel.errors import TidewheelWarning  # noqa: PLC0415

    plain = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
        if issubclass(category, TidewheelWarning):
            sys.stderr.write(f"note: {message}\n")
        else:
            plain(message, category, *rest, **named)

    warnings.showwarning = show


def emit_error(error: TidewheelError, *, as_json: bool) -> None:
    if as_json:
        emit_json({"error": error.to_dict()})
        return
    from rich.markup import escape  # noqa: PLC0415

    out = console(stderr=True)
    out.print(f"[bold red]error[/] [dim]\\[{escape(error.code)}][/] {escape(error.message)}")
    if error.span:
        out.print(f"  [dim]at[/] {escape(error.span.place)}")
        for line in error.span.underlined().splitlines():
            out.print(f"  {escape(line)}")
    if error.detail:
        out.print(f"  {escape(error.detail)}")
    if error.hint:
        out.print(f"  [green]hint:[/] {escape(error.hint)}")

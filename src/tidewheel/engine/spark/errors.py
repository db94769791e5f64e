"""Spark's errors in our words, with the place in the user's own text."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import unquote

from tidewheel.errors import ExecutionError, StoreError, TidewheelError, UserError
from tidewheel.project.graph import View
from tidewheel.store.integrity import corrupt_file

_CODES = {
    "UNRESOLVED_COLUMN": "unknown-column",
    "MISSING_GROUP": "not-grouped",
    "AMBIGUOUS_REFERENCE": "ambiguous-column",
    "TABLE_OR_VIEW_NOT_FOUND": "unknown-relation",
    "UNRESOLVED_ROUTINE": "unknown-function",
    "MISSING_AGGREGATION": "not-grouped",
    "DATATYPE_MISMATCH": "type-mismatch",
    "PARSE_SYNTAX_ERROR": "sql-syntax",
    "COLUMN_ALREADY_EXISTS": "duplicate-column",
}
_DEAD = (
    "Answer from Java side is empty",
    "Connection refused",
    "An error occurred while trying to connect to the Java server",
    "Error while receiving",
    "Error while sending",
    "SparkContext was shut down",
    "SparkContext has been shutdown",
    "stopped SparkContext",
    "StatusCode.UNAVAILABLE",
)


def translate(error: BaseException, view: View | None) -> TidewheelError:
    """An error of Spark as one of ours: the user's fault, the engine's death, or a failed execution."""
    if isinstance(error, TidewheelError):
        return error
    if _is_dead(error):
        return ExecutionError(
            "Spark died while running",
            code="spark-died",
            detail=_first_line(error),
            relation=view.name if view else None,
            hint="Nothing was published. Look for an out-of-memory kill, give spark.driver.memory more, run again.",
        )
    if (damaged := _damaged_file(error)) is not None:
        return damaged
    condition = _condition(error)
    name = type(error).__name__
    if name in {"AnalysisException", "ParseException"}:
        return _definition_error(error, view, condition)
    return ExecutionError(
        f'view "{view.name}" failed' if view else "the query failed",
        code="query-failed",
        detail=_first_line(error),
        span=_place(error, view),
        relation=view.name if view else None,
        hint="The error comes from Spark while it ran the view's own SQL.",
    )


def _damaged_file(error: BaseException) -> StoreError | None:
    """What Spark says of a file that it could not read; None if the file is not there, or that was not the matter."""
    text = str(error)
    found = re.search(r"\[FAILED_READ_FILE[.\w]*\] Encountered error while reading file (?:file:)?/*(/.+?)\.\s", text)
    if found is None:
        return None
    path = next((p for p in (found[1], unquote(found[1])) if os.path.isfile(p)), None)
    if path is None:
        return None
    causes = re.findall(r"^Caused by: ([^\n]+)", text, flags=re.MULTILINE)
    return corrupt_file(path, causes[-1] if causes else _first_line(error))


def _definition_error(error: BaseException, view: View | None, condition: str) -> UserError:
    code = next((ours for theirs, ours in _CODES.items() if condition.startswith(theirs)), "invalid-query")
    parameters = _parameters(error)
    name = str(parameters.get("objectName") or parameters.get("name") or "").replace("`", "")
    message, hint = _as_message(_first_line(error)), None
    if code == "unknown-column":
        message = f'column "{name}" does not exist'
        near = [p.replace("`", "").strip() for p in str(parameters.get("proposal") or "").split(",") if p.strip()]
        hint = f'Did you mean "{near[0]}"?' if near else None
    elif code == "ambiguous-column":
        message = f'column "{name}" is ambiguous'
        choices = str(parameters.get("referenceNames") or "").strip("[]").replace("`", "")
        hint = f"Write one of: {choices}."
    return UserError(
        message,
        code=code,
        detail=f'In view "{view.name}".' if view else None,
        hint=hint or "Correct the SQL at this place; the message is Spark's.",
        span=_place(error, view),
        relation=view.name if view else None,
    )


def _as_message(text: str) -> str:
    """A sentence of Spark's as a message of ours: no full stop, no capital, unless it begins with a name."""
    text = text.rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _place(error: BaseException, view: View | None) -> Any:
    """Spark says offsets into the text it was given, which is the view's own."""
    if view is None:
        return None
    try:
        contexts = list(error.getQueryContext())  # type: ignore[attr-defined]
        context = next(c for c in contexts if str(c.contextType()).endswith("SQL"))
        start, stop = context.startIndex(), context.stopIndex()
    except Exception:  # noqa: BLE001  the place is a courtesy: not every error has one
        match = re.search(r"[(;] ?line (\d+),? pos (\d+)", str(error))
        if not match:
            return None
        lines = view.sql.splitlines(keepends=True)
        start = stop = sum(len(part) for part in lines[: int(match[1]) - 1]) + int(match[2])
    return view.span(start, stop - start + 1) if start >= 0 else None


def _condition(error: BaseException) -> str:
    try:
        return str(error.getCondition() or "")  # type: ignore[attr-defined]
    except Exception:  # noqa: BLE001  an error without a condition, or a dead JVM
        return ""


def _parameters(error: BaseException) -> dict[str, str]:
    try:
        return dict(error.getMessageParameters() or {})  # type: ignore[attr-defined]
    except Exception:  # noqa: BLE001  as above
        return {}


def _is_dead(error: BaseException) -> bool:
    """py4j raises a bare Py4JError, without a Java error inside, when nobody answers."""
    if isinstance(error, (ConnectionError, EOFError)) or type(error).__name__ in {"Py4JError", "Py4JNetworkError"}:
        return True
    return any(mark in str(error) for mark in _DEAD)


def _first_line(error: BaseException) -> str:
    """Spark's first sentence, without its error class, its SQLSTATE and its query plan."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    text = lines[0].strip() if lines else type(error).__name__
    if "An error occurred while calling" in text and len(lines) > 1:
        text = lines[1].lstrip(": ").strip()
    text = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", text)
    return re.sub(r"\s*SQLSTATE: \w+.*$", "", text).rstrip(".") + "."


def explain_start_failure(error: BaseException, where: str) -> ExecutionError:
    return ExecutionError(
        "Spark did not start",
        code="spark-start",
        detail=f"Master: {where}. {_first_line(error)}",
        hint="Check `spark:` in tidewheel.yml; set TIDEWHEEL_SPARK_LOG=INFO to see Spark's own log.",
    )

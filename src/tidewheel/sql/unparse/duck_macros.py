"""What a DuckDB connection defines once, so that the text of a query stays readable.

Each computes what Spark computes in ANSI mode where DuckDB's own function or operator does not.
"""

from __future__ import annotations

from typing import Final

_MACROS: Final = {
    "tw_invalid(x, kind)": "error('the text \"' || x || '\" cannot be cast to ' || kind)",
    # Evaluated in order: the second condition only for rows that the first does not decide.
    "tw_and(a, b)": "CASE WHEN a IS FALSE THEN FALSE ELSE a AND b END",
    "tw_or(a, b)": "CASE WHEN a IS TRUE THEN TRUE ELSE a OR b END",
    # Division by zero raises, unless the dividend is NULL.
    "tw_divide(a, b)": "CASE WHEN b = 0 AND a IS NOT NULL THEN error('division by zero') ELSE a / b END",
    "tw_remainder(a, b)": "CASE WHEN b = 0 AND a IS NOT NULL THEN error('division by zero') ELSE a % b END",
    "tw_quotient(a, b)": "CASE WHEN b = 0 AND a IS NOT NULL THEN error('division by zero') ELSE a // b END",
    "tw_pmod(a, b)": "CASE WHEN tw_remainder(a, b) < 0 THEN (tw_remainder(a, b) + b) % b ELSE tw_remainder(a, b) END",
    # Of whole numbers, half away from zero.
    "tw_half_up_of(a, b)": (
        "tw_quotient(a, b) + CASE WHEN abs(tw_remainder(a, b)) >= abs(b) - abs(tw_remainder(a, b)) "
        "THEN CASE WHEN (a < 0) = (b < 0) THEN 1 ELSE -1 END ELSE 0 END"
    ),
    # The list is there so that its arguments are written once: quotients of quotients would grow by seven each time.
    # Its items have no names: a lambda's `v.a` would be a column of a table v to HAVING.
    "tw_half_up(a, b)": "list_transform([row(a, b)], lambda v: tw_half_up_of(v[1], v[2]))[1]",
    # A decimal without its point.
    "tw_digits(x)": "CAST(replace(CAST(x AS VARCHAR), '.', '') AS HUGEINT)",
    "tw_substring(s, p, n)": "substring(s, CASE WHEN p = 0 THEN 1 ELSE p END, greatest(n, 0))",
    "tw_right(s, n)": "CASE WHEN n <= 0 AND s IS NOT NULL THEN '' ELSE right(s, n) END",
    "tw_lpad(s, n, p)": (
        "CASE WHEN s IS NULL OR n IS NULL OR p IS NULL THEN NULL WHEN n <= length(s) OR p = '' "
        "THEN substring(s, 1, greatest(n, 0)) ELSE lpad(s, n, p) END"
    ),
    "tw_rpad(s, n, p)": (
        "CASE WHEN s IS NULL OR n IS NULL OR p IS NULL THEN NULL WHEN n <= length(s) OR p = '' "
        "THEN substring(s, 1, greatest(n, 0)) ELSE rpad(s, n, p) END"
    ),
    # Letters beyond ASCII change case differently in Java (a German sharp s has no capital there).
    "tw_upper(s)": "CASE WHEN strlen(s) <> length(s) THEN tw_foreign('upper', s) ELSE upper(s) END",
    "tw_lower(s)": "CASE WHEN strlen(s) <> length(s) THEN tw_foreign('lower', s) ELSE lower(s) END",
    "tw_item(a, i)": (
        "CASE WHEN i < 0 OR i >= len(a) THEN error('there is no element ' || i || ' in an array of ' || len(a)) "
        "ELSE a[i + 1] END"
    ),
    "tw_sqrt(x)": "CASE WHEN x < 0 THEN CAST('NaN' AS DOUBLE) ELSE sqrt(x) END",
    "tw_sign(x)": "CASE WHEN isnan(x) THEN x ELSE CAST(sign(x) AS DOUBLE) END",
    "tw_log(x)": "CASE WHEN x > 0 THEN ln(x) END",
}
_FOREIGN: Final = "error('the local engine does not run ' || name || '() of a text that is not ASCII: ' || s)"

_SETTINGS: Final = (
    # statistics_propagation takes the rows of GROUPING SETS to be no more than those of its input: wrong sums above it.
    # SELECT sum(1) FROM (SELECT k FROM t GROUP BY GROUPING SETS ((k), (k))) may overflow the type it is packed into.
    # window_self_join turns count(*) OVER (PARTITION BY k) into a join, and may crash the process above a semi join.
    "SET disabled_optimizers = 'statistics_propagation,window_self_join'",
)
PRELUDE: Final = (
    *_SETTINGS,
    *(
        f"CREATE OR REPLACE MACRO {head} AS {body}"
        for head, body in {"tw_foreign(name, s)": _FOREIGN, **_MACROS}.items()
    ),
)
"""Statements to run once on a connection, before texts of `to_duckdb`."""

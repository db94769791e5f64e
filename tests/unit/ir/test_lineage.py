"""Column lineage, operator by operator."""

from __future__ import annotations

import pytest

from tidewheel.ir.lineage import lineage
from tidewheel.ir.rel import Filter
from tidewheel.ir.scalar import TRUE
from tidewheel.ir.text import parse_rel

T = "scan t (a BIGINT, b BIGINT, c BIGINT)"
U = "scan u (x BIGINT, y BIGINT)"


def plan(*lines: str) -> str:
    return "plan\n" + "\n".join(f"  {line}" for line in lines) + "\n"


def names(origins: frozenset[tuple[str, str]]) -> str:
    return " ".join(sorted(column for _, column in origins))


CASES: dict[str, tuple[str, list[tuple[str, str]], str]] = {
    "scan": (plan(T), [("a", ""), ("b", ""), ("c", "")], ""),
    "values": (plan("values 2 (1, 2)"), [("", ""), ("", "")], ""),
    "filter": (plan("filter (c1 > 0L)", f"  {T}"), [("a", ""), ("b", ""), ("c", "")], "b"),
    "project": (plan("project c0, (c1 + c2), 1", f"  {T}"), [("a", ""), ("b c", ""), ("", "")], ""),
    "a CASE is computed from its conditions too": (
        plan("project CASE WHEN (c0 > 0L) THEN c1 ELSE c2 END", f"  {T}"), [("a b c", "")], ""
    ),
    "join": (
        plan("join inner on c0 = c0 where (c1 < c4)", f"  {T}", f"  {U}"),
        [("a", ""), ("b", ""), ("c", ""), ("x", ""), ("y", "")],
        "a b x y",
    ),
    "semi join": (plan("join semi on c0 = c1", f"  {T}", f"  {U}"), [("a", ""), ("b", ""), ("c", "")], "a y"),
    "aggregate": (
        plan("aggregate by c0 compute sum(c1) where (c2 > 0L), count()", f"  {T}"),
        [("a", ""), ("b", "a c"), ("", "a")],
        "a",
    ),
    "one row over a filter: its value is decided by the filter, its being there by nothing": (
        plan("aggregate compute sum(c1)", "  filter (c0 > 0L)", f"    {T}"), [("b", "a")], ""
    ),
    "grouping sets": (
        plan("aggregate by c0, c1 sets (0) (1) compute max(c2)", f"  {T}"),
        [("a", ""), ("b", ""), ("", "a b"), ("c", "a b")],
        "a b",
    ),
    "an ordered aggregate": (
        plan("aggregate by c0 compute first(c1) order [c2 asc first]", f"  {T}"), [("a", ""), ("b", "a c")], "a"
    ),
    "distinct": (plan("distinct", f"  {T}"), [("a", ""), ("b", ""), ("c", "")], "a b c"),
    "union": (plan("union", "  project c0, c1", f"    {T}", f"  {U}"), [("a x", ""), ("b y", "")], ""),
    "union of filtered parts": (
        plan("union", "  project c0", "    filter (c2 > 0L)", f"      {T}", "  project c1", f"    {U}"),
        [("a y", "")],
        "c",
    ),
    "except": (plan("except", "  project c0, c1", f"    {T}", f"  {U}"), [("a", ""), ("b", "")], "a b x y"),
    "window": (
        plan("window partition c0 order c1 asc first compute sum(c2), row_number()", f"  {T}"),
        [("a", ""), ("b", ""), ("c", ""), ("c", "a b"), ("", "a b")],
        "",
    ),
    "topk": (plan("topk order c1 desc last limit 3", f"  {T}"), [("a", ""), ("b", ""), ("c", "")], "b"),
    "unnest": (
        plan("unnest explode(c0) width 1", "  scan t (a ARRAY<BIGINT>, b BIGINT)"),
        [("a", ""), ("b", ""), ("a", "")],
        "a",
    ),
    "a condition on what was aggregated": (
        plan("filter (c1 > 0L)", "  aggregate by c0 compute sum(c1)", "    filter (c2 > 0L)", f"      {T}"),
        [("a", ""), ("b", "a c")],
        "a b c",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_columns_come_from_where_they_come_from(name: str) -> None:
    text, columns, rows = CASES[name]
    found = lineage(parse_rel(text))
    assert [(names(c.values), names(c.conditions)) for c in found.columns] == columns
    assert names(found.rows) == rows


def test_origins_name_the_relation() -> None:
    found = lineage(parse_rel(plan("join inner on c0 = c0", f"  {T}", f"  {U}")))
    assert {tuple(o) for c in found.columns for o in c.values} == {
        ("t", "a"), ("t", "b"), ("t", "c"), ("u", "x"), ("u", "y")
    }  # fmt: skip


def test_columns_that_only_decide_about_rows_are_told_apart() -> None:
    text = plan("project c1", "  join inner on c0 = c0", "    filter (c2 > 0L)", f"      {T}", f"    {U}")
    assert {tuple(o) for o in lineage(parse_rel(text)).conditions_only} == {("t", "a"), ("t", "c"), ("u", "x")}


def test_a_deep_plan_needs_no_deep_stack() -> None:
    rel = parse_rel(plan(T))
    for _ in range(3000):
        rel = Filter(input=rel, predicate=TRUE)
    assert len(lineage(rel).columns) == 3

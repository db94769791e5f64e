"""What a run and `explain` say of a view: what was read of which relation, what was written, and the other ways."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from tests.conftest import MakeProject
from tidewheel.cli.explain import explain_text, trace_text
from tidewheel.plan.plan import HINTS

SOURCES = {
    "s": {"kind": "managed", "schema": "id BIGINT, g INT, x INT", "key": ["id"]},
    "names": {"kind": "managed", "schema": "g INT, name STRING", "key": ["g"]},
}
VIEWS = {
    "totals": "SELECT g, sum(x) AS total FROM s GROUP BY g",
    "named": "SELECT n.name, s.x FROM s JOIN names n ON s.g = n.g",
    "lists": "SELECT g, collect_list(x) AS xs FROM s GROUP BY g",
    "top": "SELECT id, x FROM s ORDER BY x, id LIMIT 2",
}


def rows(*values: tuple[int, int, int]) -> pa.Table:
    schema = pa.schema({"id": pa.int64(), "g": pa.int32(), "x": pa.int32()})
    return pa.table([list(column) for column in zip(*values, strict=True)], schema=schema)


def test_what_was_read_of_each_input_and_what_was_written(make_project: MakeProject) -> None:
    project = make_project(SOURCES, VIEWS)
    project.ingest("s", rows((1, 1, 10), (2, 1, 20), (3, 2, 3)))
    project.ingest("names", pa.table({"g": pa.array([1], pa.int32()), "name": ["one"]}))
    run = project.refresh()
    assert [(r.relation, r.what, r.rows) for r in run.views["named"].read] == [("s", "now", 3), ("names", "now", 1)]
    assert run.views["totals"].rows_written == 2
    project.ingest("s", rows((4, 1, 5)))
    run = project.refresh()
    read = {name: {(r.relation, r.what, r.rows) for r in view.read} for name, view in run.views.items()}
    assert read["totals"] == {("s", "change", 1), ("totals", "stored", 2)}
    assert read["named"] == {("s", "change", 1), ("names", "now", 1)}
    assert run.views["named"].rows_written == 1
    assert run.views["totals"].rows_written == 2 + 2  # a row goes and one comes; then the file anew
    last = project.explain("totals")["last"]
    assert last["run"]["read"] == [r.to_dict() for r in run.views["totals"].read]
    assert "  read     s change 1 rows, " in explain_text(project.explain("totals"))


def test_a_join_with_rows_that_cannot_match_is_left_out(make_project: MakeProject) -> None:
    """New orders with new items, as foreign keys would have it: statistics tell that no old row meets a new one."""
    sources = {
        "orders": {"kind": "managed", "schema": "id BIGINT, who INT", "key": ["id"]},
        "items": {"kind": "managed", "schema": "id BIGINT, n INT"},
    }
    project = make_project(sources, {"v": "SELECT o.id, o.who, i.n FROM orders o JOIN items i ON o.id = i.id"})

    def add(start: int, count: int) -> None:
        ids = pa.array(range(start, start + count), pa.int64())
        for source, column in (("orders", "who"), ("items", "n")):
            project.ingest(source, pa.table({"id": ids, column: pa.array(range(count), pa.int32())}))

    add(0, 100)
    project.refresh()
    add(100, 5)
    run = project.refresh()
    assert {(r.relation, r.what, r.rows) for r in run.views["v"].read} == {("orders", "change", 5), ("items", "now", 5)}
    assert not project.verify(deep=True).differences
    project.ingest("items", pa.table({"id": pa.array([7], pa.int64()), "n": pa.array([7], pa.int32())}))
    run = project.refresh()
    assert {(r.relation, r.what) for r in run.views["v"].read} == {("orders", "now"), ("items", "change")}
    assert not project.verify(deep=True).differences


def test_the_other_ways_and_what_speaks_against_them(make_project: MakeProject) -> None:
    project = make_project(SOURCES, VIEWS)
    project.ingest("s", rows((1, 1, 10)))
    project.refresh()

    def ways(view: str) -> tuple[str, dict[str, str], dict[str, str]]:
        (stored,) = project.explain(view)["upkeep"]["stored"]
        offered, not_offered = (
            {w["method"]: w["why"] for w in stored["other_ways"] if w["offered"] is wanted} for wanted in (True, False)
        )
        return stored["method"], offered, not_offered

    method, offered, not_offered = ways("totals")
    assert (method, set(offered), set(not_offered)) == (
        "merge",
        {"groups", "difference", "full"},
        {"append", "rows", "topk"},
    )
    assert ways("lists")[2]["merge"] == "collect_list cannot be merged"
    assert ways("named")[2]["append"] == "rows of its inputs may go, and rows of it with them"
    assert ways("top")[2]["groups"] == "all rows are one group"


def test_a_strict_view_is_never_recomputed_on_the_quiet(make_project: MakeProject) -> None:
    """Its change fails where recomputing would not: others are recomputed then, a strict one stays as it was."""
    sql = "SELECT a.id, 100 / (a.x - b.x) AS r FROM s a JOIN s b ON a.id = b.id + 1"
    project = make_project(SOURCES, {"loose": sql, "tight": f"-- tidewheel: {{refresh: strict}}\n{sql}"})
    project.ingest("s", rows((1, 1, 10), (2, 1, 20)))
    project.refresh()
    project.ingest("s", rows((1, 1, 20), (2, 1, 30)), mode="upsert")
    run = project.refresh()
    assert (run.views["loose"].method, run.views["loose"].reason.code) == ("full", "change-failed")
    error = run.views["tight"].error
    assert error is not None
    assert error.code == "strict-needs-full"
    assert project.to_arrow("tight")["r"].to_pylist() == [10.0]
    project.refresh(full_refresh=True, select=["tight"])
    assert not project.verify().differences


def test_what_is_built_in_full_says_why_and_what_to_do(make_project: MakeProject) -> None:
    views = {"today": "SELECT id, current_date() AS day FROM s", "below": "SELECT count(*) AS n FROM today"}
    project = make_project(SOURCES, views)
    project.ingest("s", rows((1, 1, 10)))
    project.refresh()
    project.ingest("s", rows((2, 1, 20)))
    step = project.plan().step("today")
    assert step.full is not None
    assert (step.method, step.full.code) == ("full", "clock-in-query")
    text = explain_text(project.explain("today"))
    assert "in full  for its query asks for the time" in text
    assert f"hint     {step.full.hint}" in text
    assert project.plan().step("below").to_dict()["full"]["hint"].startswith("Its changes are known again")


def test_hints_are_for_reasons_that_are_documented() -> None:
    reasons = (Path(__file__).parents[2] / "docs" / "errors.md").read_text("utf-8").partition("# Reasons")[2]
    assert all(f"### {code}\n" in reasons for code in HINTS)


def test_what_the_search_for_a_change_looked_at(make_project: MakeProject) -> None:
    views = {"outer": "SELECT n.name, s.x FROM names n LEFT JOIN s ON s.g = n.g", "now": "SELECT now() AS t FROM s"}
    project = make_project(SOURCES, views)
    project.ingest("s", rows((1, 1, 10)))
    project.refresh()
    unpriced = project.explain("outer")["trace"]
    assert all(not group["ways"] for group in unpriced["groups"])
    project.ingest("s", rows((2, 1, 5)))
    trace = project.explain("outer")["trace"]
    join = next(group for group in trace["groups"] if group["operator"].startswith("join left"))
    assert set(join["ways"]) == {"join-parts", "join-keys"}
    assert join["rule"] == min(join["ways"], key=join["ways"].__getitem__)
    assert trace["rules"]["join-terms"] == {"asked": 1, "gave": 0, "chosen": 0}
    assert trace["rules"][join["rule"]] == {"asked": 1, "gave": 1, "chosen": 1}
    text = trace_text(trace)
    assert f"    {join['form']}, by {join['rule']} (of join-parts " in text
    assert "    kept by rows\n" in text
    assert "rule                       asked    gave  chosen" in text
    assert trace_text(project.explain("now")["trace"]).startswith("there is nothing to search")

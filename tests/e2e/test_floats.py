"""Floating point numbers: sums depend on the order of rows, so nothing may rely on computing them twice alike."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.fuzz import varying
from tests.fuzz.varying import Rows, changes, unsettle
from tidewheel.refresh import compare
from tidewheel.refresh.look import Where

SOURCES = {"s": {"kind": "managed", "schema": "id BIGINT, g INT, x DOUBLE", "key": ["id"]}}
VIEWS = {
    "sums": "SELECT g, sum(x) AS total, avg(x) AS mean, stddev(x) AS spread FROM s GROUP BY g",
    "shares": "SELECT id, x / sum(x) OVER (PARTITION BY g) AS share FROM s",
    "over": "SELECT s.id, t.total FROM s JOIN (SELECT g, sum(x) AS total FROM s GROUP BY g) t ON s.g = t.g",
    "big": "SELECT g, total FROM sums WHERE total > 0",
    "all_of_it": "SELECT sum(total) AS total FROM sums",
}


def rows(rng: random.Random, ids: range) -> pa.Table:
    schema = pa.schema({"id": pa.int64(), "g": pa.int32(), "x": pa.float64()})
    values = [rng.choice([1e16, -1e16, 0.1, 3.7, 1e-9]) * rng.random() for _ in ids]
    return pa.table([list(ids), [i % 3 for i in ids], values], schema=schema)


def test_views_of_floats_stay_equal_to_their_queries(make_project: MakeProject) -> None:
    rng = random.Random(5)
    project = make_project(SOURCES, VIEWS)
    project.ingest("s", rows(rng, range(200)))
    project.refresh()
    for step in range(6):
        project.ingest("s", rows(rng, range(200 + 5 * step, 205 + 5 * step)))
        project.ingest("s", rows(rng, range(step, step + 3)), mode="upsert")
        project.ingest("s", pa.table({"id": pa.array([50 + step], pa.int64())}), mode="delete")
        run = project.refresh()
        assert not run.failed
        assert count(project) == {"sums": 3, "shares": 199 + 4 * (step + 1) + 1, "over": 199 + 4 * (step + 1) + 1}


def count(project: tw.Project) -> dict[str, int]:
    """No row is there twice because the one before it was not found."""
    return {name: project.to_arrow(name).num_rows for name in ("sums", "shares", "over")}


def test_verify_says_that_only_floating_point_numbers_differ(
    make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sums are off by more than it lets pass, as where large values cancel out; a key is not."""
    project = make_project(SOURCES, {"sums": "SELECT g, sum(x) AS total FROM s GROUP BY g", "ids": "SELECT id FROM s"})
    project.ingest("s", rows(random.Random(5), range(20)))
    project.refresh()
    assert not project.verify().differences
    monkeypatch.setattr(compare, "FLOAT_TOLERANCE", 0.0)
    unsettle(monkeypatch, random.Random(2))
    found = project.verify().views
    assert (found["sums"].equal, found["sums"].notes) == (False, (compare.BY_ROUNDING,))
    assert (found["ids"].equal, found["ids"].notes) == (True, ())


SHARES = "SELECT id, g, x / sum(x) OVER (PARTITION BY g) AS share FROM s"
COUNTED = "SELECT share, count(*) AS n FROM v GROUP BY share"
ONCE = {
    "a deviation of integers over a window": {
        "v": """SELECT id, d FROM (SELECT id, d, row_number() OVER (ORDER BY id) AS n
                FROM (SELECT id, stddev(h) OVER (PARTITION BY g) AS d FROM s)) WHERE n < 9""",
    },
    "rows numbered over shares": {
        "v": f"""SELECT id, share FROM (SELECT id, share, row_number() OVER (ORDER BY id) AS n FROM ({SHARES}))
                 WHERE n < 20""",
        "counted": COUNTED,
        "most": "SELECT max(share) AS most, count(*) AS n FROM v",
    },
    "the largest shares, joined": {
        "v": f"""SELECT r.id, r.w, q.share FROM r
                 JOIN (SELECT g, share FROM ({SHARES}) ORDER BY share DESC, g LIMIT 5) q ON q.g = r.g""",
        "counted": COUNTED,
    },
    "some of totals and subtotals": {
        "v": "SELECT g, sum(x) AS share FROM s GROUP BY ROLLUP (g) HAVING sum(x) > 12.4",
        "counted": COUNTED,
    },
}
"""Views that hold what comes out differently each time, and views that find their rows again by it."""


@pytest.mark.parametrize("name", ONCE)
def test_what_may_vary_is_computed_once(name: str, make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    stays_right(make_project, monkeypatch, ONCE[name])


def test_a_state_and_its_view_have_the_same_sums_also_where_they_are_computed_together(
    make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with `placement: spark`, where the changes of few states are computed with the view's."""
    monkeypatch.setattr(Where, "names_changes", lambda *_: False)
    sums = "SELECT g, sum(x) AS share FROM s GROUP BY g"
    views = {"v": f"{sums} HAVING sum(x) > 12.4", "counted": COUNTED}
    stays_right(make_project, monkeypatch, views)


def stays_right(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch, views: Mapping[str, str]) -> None:
    """No row is missed, so that nothing is computed in full, and changes lead from the rows before to those after."""
    rng = random.Random(1)
    unsettle(monkeypatch, random.Random(2))
    project = make_project(varying.SOURCES, dict(views))
    for step in changes(rng, {name: Rows(rng, name) for name in varying.SOURCES}, project, rounds=2):
        run = project.refresh()
        assert not run.failed
        assert step == 0 or "full" not in {view.method for view in run.views.values()}
        assert not project.verify(deep=True).differences


def test_no_row_is_taken_from_a_count_that_was_not_counted(
    make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether 0.1 + 0.2 >= 0.3 hangs on the last digit. The count may be any, but never of fewer rows than none."""
    rng = random.Random(1)
    unsettle(monkeypatch, rng)
    sums = "SELECT id, sum(x) OVER (PARTITION BY g) AS total FROM s"
    numbered = f"SELECT total, row_number() OVER (ORDER BY id) AS n FROM ({sums})"
    project = make_project(SOURCES, {"v": f"SELECT count(*) AS n FROM ({numbered}) WHERE total >= 0.3 AND n > 0"})
    for step in range(8):
        halves = [0.1, 0.2] if step % 2 else [0.2, 0.1]
        table = {"id": list(range(20)), "g": [i // 2 for i in range(20)], "x": halves * 10}
        project.ingest("s", pa.table(table), mode="upsert")
        project.refresh()
        assert 0 <= project.to_arrow("v")["n"][0].as_py() <= 20

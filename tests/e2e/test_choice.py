"""From changes or in full: what is predicted, what is chosen, what is tried, and what is learned from it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.planners import BY_COST
from tidewheel.errors import UserError
from tidewheel.optimize.learning import FORGET, Learned, WayRecord
from tidewheel.optimize.maintenance import looked_at
from tidewheel.optimize.options import PlannerOptions
from tidewheel.optimize.priced import WayName
from tidewheel.run import calibrate
from tidewheel.store import learnt
from tidewheel.store.warehouse import Warehouse

SOURCES = {"s": {"kind": "managed", "schema": "id BIGINT, g BIGINT, v BIGINT", "key": ["id"]}}
VIEWS = {
    "totals": "SELECT g, sum(v) AS total, count(*) AS n FROM s GROUP BY g",
    "large": "SELECT g, total FROM totals WHERE total > 100",
    "alone": "SELECT id, v FROM s WHERE v > 4",
}


def rows(start: int, count: int) -> pa.Table:
    ids = list(range(start, start + count))
    return pa.table({"id": ids, "g": [i % 10 for i in ids], "v": [i % 100 for i in ids]})


pytestmark = BY_COST


@pytest.fixture
def project(make_project: MakeProject) -> tw.Project:
    made = make_project(SOURCES, VIEWS)
    made.ingest("s", rows(0, 1000))
    made.refresh()
    return made


def teach(project: tw.Project, **costs: tuple[float, float]) -> None:
    """Let a view's changes and its full build take so many times as long as they are first predicted to."""
    warehouse = Warehouse(project.definition().warehouse)
    learned = Learned.from_dict(learnt.read(warehouse))
    arms: tuple[WayName, WayName] = ("changes", "full")
    views: dict[str, dict[str, WayRecord]] = {
        view: {arm: WayRecord(times=3, costs={"0": cost}) for arm, cost in zip(arms, both, strict=True)}
        for view, both in costs.items()
    }
    learnt.write(warehouse, Learned(fits=learned.fits, views={**learned.views, **views}).to_dict())


def methods(run: Any) -> dict[str, str]:
    return {name: view.method for name, view in run.views.items()}


CHEAP = {"totals": (0.001, 10.0), "large": (0.001, 10.0), "alone": (0.001, 10.0)}


def test_the_plan_predicts_both_ways_and_the_run_keeps_to_it(project: tw.Project) -> None:
    teach(project, **CHEAP)
    project.ingest("s", rows(1000, 10))
    plan = project.plan()
    for step in plan.steps:
        assert {"changes", "full"} <= {way.name for way in step.ways}
        assert step.ways[0].seconds < step.ways[1].seconds
    body = next(view for view in plan.to_dict()["views"] if view["view"] == "totals")
    assert body["predicted"]["method"] == "merge"
    assert body["rejected"][0]["method"] == "full"
    run = project.refresh()
    assert methods(run) == {s.view: s.method for s in plan.steps}
    for name, view in run.views.items():
        assert view.predicted == pytest.approx(plan.step(name).ways[0].seconds)
        assert view.instead == pytest.approx(min(way.seconds for way in plan.step(name).ways[1:]))
    assert run.views["totals"].changed == 20
    past = project.history()[0]["views"]["totals"]
    assert (past["changed"], past["trial"], past["place"]) == (20, False, "driver")
    assert past["predicted"] is not None


def test_full_is_taken_where_it_is_cheaper_and_says_so(project: tw.Project) -> None:
    teach(project, **{**CHEAP, "alone": (50.0, 0.1)})
    project.ingest("s", rows(1000, 10))
    step = project.plan().step("alone")
    assert (step.method, step.full and step.full.code) == ("full", "cheaper")
    assert step.text.endswith(f"from changes {step.ways[1].seconds:.1f} s")
    run = project.refresh()
    assert methods(run) == {"totals": "merge", "large": "rows", "alone": "full"}
    assert run.views["alone"].reason.code == "cheaper"
    assert project.verify().differences == {}


def test_a_view_is_weighed_together_with_those_that_read_it(project: tw.Project) -> None:
    """To recompute it is cheaper. The one below is not recomputed with it: the difference is taken, if that pays."""
    teach(project, **{**CHEAP, "totals": (30.0, 1.0), "large": (0.001, 5000.0)})
    project.ingest("s", rows(1000, 10))
    step = project.plan().step("totals")
    assert (step.method, step.full and step.full.code) == ("difference", "cheaper")
    run = project.refresh()
    assert methods(run) == {"totals": "difference", "large": "rows", "alone": "append"}
    assert (run.views["totals"].changed, run.views["totals"].reason.code) == (20, "cheaper")
    read = {(read.relation, read.what, read.rows) for read in run.views["totals"].read}
    assert read == {("s", "now", 1010), ("totals", "before", 10), ("totals", "now", 10)}
    assert project.verify().differences == {}
    teach(project, **CHEAP)
    project.ingest("s", rows(1500, 10))
    assert methods(project.refresh()) == {"totals": "merge", "large": "rows", "alone": "append"}
    teach(project, **{**CHEAP, "totals": (30.0, 1.0), "large": (0.001, 0.001)})
    project.ingest("s", rows(2000, 10))
    assert methods(project.refresh()) == {"totals": "full", "large": "full", "alone": "append"}
    assert project.verify().differences == {}


def test_without_a_difference_those_that_read_the_view_are_recomputed(project: tw.Project) -> None:
    """What was stored cannot be read: that is no reason to fail, for all rows are there."""
    teach(project, **{**CHEAP, "totals": (30.0, 1.0), "large": (0.001, 5000.0)})
    (stored,) = Path(project.warehouse().table("totals")).glob("_data/**/*.parquet")
    stored.write_bytes(b"x" * stored.stat().st_size)
    project.ingest("s", rows(1000, 10))
    assert project.plan().step("totals").method == "difference"
    run = project.refresh()
    assert methods(run) == {"totals": "full", "large": "full", "alone": "append"}
    assert run.views["large"].reason.code == "input-rebuilt"
    assert not list(Path(project.warehouse().table("totals")).glob("_data/*/difference"))
    assert project.verify().differences == {}


def test_the_difference_of_a_view_with_hidden_columns_is_verified(make_project: MakeProject) -> None:
    """Its change has the columns that readers see; what is stored for it has more."""
    views = {
        "means": "SELECT g, avg(v) AS mean FROM s GROUP BY g",
        "high": "SELECT g, mean FROM means WHERE mean > 20",
    }
    project = make_project(SOURCES, views)
    project.ingest("s", rows(0, 1000))
    project.refresh()
    teach(project, means=(30.0, 1.0), high=(0.001, 5000.0))
    project.ingest("s", rows(1000, 10))
    assert methods(project.refresh()) == {"means": "difference", "high": "rows"}
    assert project.verify(deep=True).differences == {}


@pytest.mark.parametrize("mode", ["incremental", "strict"])
def test_cost_decides_only_where_it_may(make_project: MakeProject, mode: str) -> None:
    project = make_project(SOURCES, VIEWS | {"alone": f"-- tidewheel: {{refresh: {mode}}}\n{VIEWS['alone']}"})
    project.ingest("s", rows(0, 1000))
    project.refresh()
    teach(project, **{**CHEAP, "alone": (50.0, 0.1)})
    project.ingest("s", rows(1000, 10))
    assert methods(project.refresh())["alone"] == "append"


def test_the_other_way_is_tried_now_and_then(project: tw.Project) -> None:
    """If it is predicted to take not much longer, and was not taken for some time."""
    teach(project, **{**CHEAP, "alone": (1.0, 1.0)})
    project.ingest("s", rows(1000, 10))
    seconds = {arm.name: arm.seconds for arm in project.plan().step("alone").ways}
    factor = (1.3 * seconds["changes"] / seconds["full"]) ** (FORGET ** -PlannerOptions().try_every)
    warehouse = Warehouse(project.definition().warehouse)
    learned = Learned.from_dict(learnt.read(warehouse))
    both = {
        "changes": WayRecord(times=40),
        "full": WayRecord(times=1, costs={"0": factor}, last=PlannerOptions().try_every),
    }
    learnt.write(warehouse, Learned(views={**learned.views, "alone": both}).to_dict())
    step = project.plan().step("alone")
    assert step.trial
    assert (step.method, step.full and step.full.code) == ("full", "trial")
    run = project.refresh()
    assert run.views["alone"].trial
    assert run.views["alone"].reason.code == "trial"
    assert not run.views["totals"].trial
    project.ingest("s", rows(2000, 10))
    assert not project.plan().step("alone").trial
    assert project.verify().differences == {}


def test_changes_are_not_tried_where_those_of_an_input_are_not_known(project: tw.Project) -> None:
    """The view that it reads is recomputed: it would be recomputed as well, and be due for a trial ever after."""
    teach(project, **{**CHEAP, "totals": (30.0, 1.0), "large": (0.7, 1.0)})
    warehouse = Warehouse(project.definition().warehouse)
    learned = Learned.from_dict(learnt.read(warehouse))
    due = {way: replace(memory, last=PlannerOptions().try_every) for way, memory in learned.views["large"].items()}
    learnt.write(warehouse, Learned(views={**learned.views, "large": due}).to_dict())
    project.ingest("s", rows(1000, 10))
    plan = project.plan()
    changes, full = (plan.step("large").priced(way) for way in ("changes", "full"))
    assert changes is not None
    assert full is not None
    assert full.seconds < changes.seconds < PlannerOptions().try_up_to * full.seconds, "it is due"
    taken = {step.view: (step.method, step.trial) for step in plan.steps if step.view != "alone"}
    assert taken == {"totals": ("full", False), "large": ("full", False)}


def test_a_view_that_had_nothing_to_do_teaches_nothing(project: tw.Project) -> None:
    """What is above it was expected to change, and did not: that it took no time says nothing of its changes."""
    teach(project, **CHEAP)
    before = Learned.from_dict(learnt.read(Warehouse(project.definition().warehouse))).memory("large", "changes")
    project.ingest("s", pa.table({"id": [5000, 5001], "g": [1, 1], "v": [7, 8]}))
    project.ingest("s", pa.table({"id": [5000, 5001]}), mode="delete")
    run = project.refresh()
    assert (run.views["totals"].method, run.views["large"].method) == ("none", "none")
    after = Learned.from_dict(learnt.read(Warehouse(project.definition().warehouse))).memory("large", "changes")
    assert before == after


def test_what_was_planned_is_planned_anew_if_a_table_that_did_not_change_has_grown(
    make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has grown between two changes of the other one: what was chosen for a small table is not for a large one."""
    plans: list[object] = []

    def counted(*given: Any) -> Any:
        plans.append(given)
        return looked_at(*given)

    monkeypatch.setattr("tidewheel.plan.search.looked_at", counted)
    project = make_project(SOURCES | {"t": SOURCES["s"]}, {"both": "SELECT s.v, t.g FROM s JOIN t ON s.id = t.id"})
    for source in ("s", "t"):
        project.ingest(source, rows(0, 8))
    project.refresh()

    def planned(source: str, new: pa.Table) -> int:
        plans.clear()
        project.ingest(source, new)
        project.refresh()
        return len(plans)

    assert planned("s", rows(8, 1)) > 0
    assert planned("s", rows(9, 1)) == 0
    planned("t", rows(8, 1000))
    assert planned("s", rows(10, 1)) > 0


@pytest.mark.parametrize("text", ["", "{", "[]", '{"fits": 1}', '{"fits": {}, "views": {"totals": {"full": 7}}}'])
def test_what_was_learned_may_be_lost(project: tw.Project, text: str) -> None:
    Path(project.definition().warehouse, "_tidewheel", "learnt.json").write_text(text)
    project.ingest("s", rows(1000, 10))
    assert not project.refresh().failed
    assert json.loads(Path(project.definition().warehouse, "_tidewheel", "learnt.json").read_text())["views"]


def test_another_definition_is_learned_anew(project: tw.Project) -> None:
    teach(project, alone=(50.0, 0.1))
    Path(project.root, "views", "alone.sql").write_text("SELECT id, v FROM s WHERE v > 60")
    project.refresh()
    learned = Learned.from_dict(learnt.read(Warehouse(project.definition().warehouse)))
    assert learned.memory("alone", "changes") is None
    full = learned.memory("alone", "full")
    assert full is not None
    assert full.times == 1


def test_calibrate(project: tw.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrate, "SIZES", {"small": 20, "middle": 100, "large": 2000})
    found = project.calibrate()
    assert found.keys() == {"driver"}
    assert all(price >= 0 for price in found["driver"]["prices"].values())
    assert found["driver"]["off"] < 5
    learned = Learned.from_dict(learnt.read(Warehouse(project.definition().warehouse)))
    assert learned.fits["driver"].samples == found["driver"]["samples"] == 30
    assert learned.views.keys() == set(VIEWS)
    project.ingest("s", rows(1000, 10))
    assert not project.refresh().failed


# --- what if ---


def test_what_if(project: tw.Project) -> None:
    teach(project, **CHEAP)
    plan = project.plan(what_if=["s=+1%"])
    assert {s.view: s.method for s in plan.steps} == {"totals": "merge", "large": "rows", "alone": "append"}
    assert plan.sources["s"].change.added == 10
    assert plan.to_dict()["what_if"] == {"s": "+1%"}
    assert project.plan().is_empty
    smaller, larger = (project.plan(what_if=f"s={size}").step("totals").ways[0] for size in ("1", "500"))
    assert smaller.estimate <= larger.estimate
    assert smaller.work.rows < larger.work.rows
    assert project.plan(what_if=["s=-1%"]).step("alone").method == "rows"
    assert project.plan(what_if=["s=2%"]).sources["s"].change.removed == 20


def test_what_if_tells_where_the_method_turns(project: tw.Project) -> None:
    rest = {**CHEAP, "large": (1e-6, 2e-6)}
    teach(project, **{**rest, "totals": (1.0, 1.0)})
    first, last = (project.plan(what_if=[f"s={n}"]).step("totals").ways for n in (1, 400))
    both = [next(arm.seconds for arm in arms if arm.name == "changes") for arms in (first, last)]
    full = next(arm.seconds for arm in first if arm.name == "full")
    teach(project, **{**rest, "totals": (1.0, PlannerOptions().full_margin * sum(both) / 2 / full)})
    plan = project.plan(what_if=["s=1"])
    assert plan.step("totals").method == "merge"
    assert {"totals", "large"} == plan.flips.keys()
    assert 1 < int(plan.flips["totals"]["s"]) < 800


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("s", "bad-option"), ("s=much", "bad-option"), ("s=+0%", "bad-option"), ("s=0", "bad-option"),
        ("s=+" + "9" * 400, "bad-option"), ("s=+1e3%", "bad-option"), ("nope=+1%", "unknown-relation"),
    ],
)  # fmt: skip
def test_what_if_must_be_understood(project: tw.Project, text: str, code: str) -> None:
    with pytest.raises(UserError) as error:
        project.plan(what_if=[text])
    assert error.value.code == code


def test_how_values_repeat_is_seen_when_a_relation_is_read(make_project: MakeProject) -> None:
    """Texts have no range: without a look at their dictionaries one in ten is taken for a value of its own."""
    sources = {"t": {"kind": "managed", "schema": "id BIGINT, kind STRING"}}
    project = make_project(sources, {"kinds": "SELECT kind, count(*) AS n FROM t GROUP BY kind"})
    many = pa.table({"id": range(20_000), "kind": [f"kind {i % 4}" for i in range(20_000)]})
    project.ingest("t", many)
    project.refresh()
    learned = Learned.from_dict(learnt.read(Warehouse(project.definition().warehouse)))
    assert learned.columns["t"].rows == 20_000
    assert learned.columns["t"].distinct["kind"] == pytest.approx(4)
    project.ingest("t", many.slice(0, 5000))
    (step,) = project.plan().steps
    assert step.ways[0].rows <= 16, "four groups go and four come, or so"
    assert project.refresh().views["kinds"].changed == 8

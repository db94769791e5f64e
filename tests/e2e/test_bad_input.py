"""Bad definitions: each is refused with a code, a sentence, the place and a way out, and nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

import tidewheel as tw
from tests.e2e.foreign import delta_rows
from tests.e2e.refusals import listing, refused

Make = Callable[..., tw.Project]


@pytest.fixture
def project(make_project: Make) -> tw.Project:
    """A project that is sound and published, before something bad comes."""
    made = make_project(
        {"orders": {"kind": "managed", "schema": "o_id BIGINT, amount DOUBLE", "key": ["o_id"]}},
        {"totals": "SELECT sum(amount) AS total FROM orders"},
    )
    made.refresh()
    return made


def write(project: tw.Project, file: str, text: str | bytes) -> None:
    path = Path(project.root, file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


VIEWS: dict[str, tuple[str, str, str | None, str]] = {
    # name: (text of views/bad.sql, code, line:column, a part of what is said)
    "syntax": ("SELECT o_id\nFRM orders WHERE", "sql-syntax", "2:5", "orders"),
    "open string": ("SELECT 'abc FROM orders", "sql-syntax", "1:23", "ends inside"),
    "open comment": ("SELECT o_id FROM orders /* why", "sql-syntax", "1:30", "ends inside"),
    "nothing": ("-- just a comment\n", "empty-view", None, "no query"),
    "unknown table": ("SELECT o_id\nFROM orderz", "unknown-relation", "2:6", 'Did you mean "orders"?'),
    "unknown in subquery": (
        "SELECT o_id FROM orders WHERE o_id IN (SELECT x FROM nowhere)", "unknown-relation", "1:54", "nowhere"
    ),
    "qualified table": ("SELECT o_id FROM lake.orders", "unknown-relation", "1:18", "lake.orders"),
    "path as table": ("SELECT * FROM parquet.`/etc`", "unknown-relation", "1:15", "parquet"),
    "dynamic table": ("SELECT * FROM IDENTIFIER('orders')", "unsupported-statement", None, "IDENTIFIER()"),
    "unnamed column": ("SELECT o_id, amount + 1 FROM orders", "unnamed-column", "1:14", "output column 2"),
    "duplicate column": ("SELECT o_id, amount AS O_ID FROM orders", "duplicate-column", "1:14", "O_ID"),
    "reserved column": ("SELECT o_id AS _tw_weight FROM orders", "reserved-name", "1:8", "_tw_weight"),
    "reserved column in union": (
        "SELECT o_id AS _TW_x FROM orders UNION ALL SELECT 1 AS y", "reserved-name", "1:8", "_TW_x"
    ),
    "cycle with itself": ("SELECT x FROM bad", "cycle", "1:15", "bad -> bad"),
    "streaming table": (
        "CREATE STREAMING TABLE t AS SELECT 1 AS x", "unsupported-statement", "1:8", "streaming tables"
    ),
    "refreshed stream": (
        "CREATE OR REFRESH STREAMING TABLE t AS SELECT 1 AS x", "unsupported-statement", "1:19", "streaming tables"
    ),
    "flow": ("CREATE FLOW f AS INSERT INTO t SELECT 1 AS x", "unsupported-statement", "1:8", "flows"),
    "temporary view": (
        "CREATE TEMPORARY VIEW t AS SELECT 1 AS x", "unsupported-statement", "1:8", "temporary views"
    ),
    "temp view": (
        "CREATE OR REPLACE TEMP VIEW t AS SELECT 1 AS x", "unsupported-statement", "1:19", "temporary views"
    ),
    "stream function": ("SELECT * FROM STREAM(orders)", "unsupported-statement", None, "STREAM()"),
    "table": ("CREATE TABLE t AS SELECT 1 AS x", "unsupported-statement", "1:1", "MATERIALIZED VIEW"),
    "insert": ("INSERT INTO orders SELECT 1, 2", "unsupported-statement", "1:1", "not a query"),
    "two selects": ("SELECT 1 AS x; SELECT 2 AS x", "unsupported-statement", "1:1", "alone"),
    "no query": ("CREATE MATERIALIZED VIEW t", "unsupported-statement", "1:26", "expected AS"),
    "random": ("SELECT o_id,\n  rand() AS r FROM orders", "non-deterministic", "2:3", "rand()"),
    "uuid": ("SELECT uuid() AS u FROM orders", "non-deterministic", "1:8", "uuid()"),
    "sample": ("SELECT o_id FROM orders TABLESAMPLE (5 ROWS)", "non-deterministic", "1:25", "TABLESAMPLE gives"),
    "moving date": ("SELECT DATE 'today' AS d FROM orders", "non-deterministic", "1:13", "'today'"),
    "options not yaml": ("-- tidewheel: {refresh: [\nSELECT 1 AS x", "bad-yaml", "1:15", "YAML"),
    "options not a mapping": ("-- tidewheel: strict\nSELECT 1 AS x", "bad-yaml", "1:15", "mapping"),
    "unknown option": ("-- tidewheel: {refesh: full}\nSELECT 1 AS x", "unknown-option", "1:15", '"refresh"'),
    "bad option": ("-- tidewheel: {refresh: never}\nSELECT 1 AS x", "bad-option", "1:15", "refresh"),
    "unknown column to cluster by": (
        "-- tidewheel: {cluster_by: [nope]}\nSELECT 1 AS x", "unknown-column", "1:29", "of cluster_by"
    ),
    "never strict": (
        "-- tidewheel: {refresh: strict}\nSELECT current_timestamp() AS x FROM orders",
        "strict-needs-full", "1:25", "can never be",
    ),
    "only a comment": ("-- only a comment\n", "empty-view", "1:1", "Write a SELECT"),
    "too deep": (f"SELECT {'(' * 500}1{')' * 500} AS x", "sql-syntax", "1:1", "too deeply"),
}  # fmt: skip


def broken(project: tw.Project, name: str = "bad") -> tw.TidewheelError:
    """What is wrong with a view, as all who touch it say it; nothing changes, and nothing else is concerned."""
    before = listing(project.root)
    error = tw.open(project.root).check().views[name].error
    assert error is not None
    assert error.hint, str(error)
    assert not error.message.endswith("."), error.message
    assert "\n" not in error.message
    plan = project.plan()
    assert (plan.step(name).method, plan.exit_code) == ("broken", 4)
    assert str(plan.step(name).error) == str(error)
    run = project.refresh()
    assert (run.views[name].method, run.exit_code, run.published) == ("broken", 4, False)
    assert str(run.views[name].error) == str(error)
    assert {n: v.method for n, v in run.views.items() if v.method != "broken"} == {"totals": "none"}
    assert project.refresh(select=["totals"]).exit_code == 0
    assert project.verify(select=["totals"]).exit_code == 0
    assert listing(project.root) == before
    return error


@pytest.mark.parametrize("case", VIEWS.values(), ids=VIEWS)
def test_a_bad_view_is_broken_with_its_place(project: tw.Project, case: tuple[str, str, str | None, str]) -> None:
    text, code, place, said = case
    write(project, "views/bad.sql", text)
    error = broken(project, next(name for name in project.views if name != "totals"))
    assert error.code == code
    assert said in str(error)
    if place:
        assert error.span is not None
        assert error.span.place == f"views/bad.sql:{place}"
        assert "^" in str(error)


@pytest.mark.parametrize("case", VIEWS.values(), ids=VIEWS)
def test_a_bad_view_is_not_added(project: tw.Project, case: tuple[str, str, str | None, str]) -> None:
    with refused(project.root, case[1]):
        project.add_view("bad", case[0])
    assert project.views == ("totals",)


NAMES = {
    "bad-view": "bad-name", "2nd": "bad-name", "_tw_x": "reserved-name", "_x": "reserved-name", "a.b": "bad-name",
    "../x": "bad-name", "ORDERS": "name-clash", "Totals": "duplicate-view", "": "bad-name",
}  # fmt: skip


@pytest.mark.parametrize(("name", "code"), NAMES.items())
def test_a_bad_name_is_refused(project: tw.Project, name: str, code: str) -> None:
    with refused(project.root, code):
        project.add_view(name, "SELECT 1 AS x")


def test_a_view_file_with_the_name_of_a_source_is_refused(project: tw.Project) -> None:
    write(project, "views/orders.sql", "SELECT 1 AS x")
    error = broken(project, "views/orders.sql")
    assert error.code == "name-clash"
    assert 'view "orders" has the name of a source' in error.message


def test_options_of_a_view_that_does_not_exist_stop_nothing_else(project: tw.Project) -> None:
    write(project, "tidewheel.yml", yaml.safe_dump({**BASE, "views": {"totls": {"tags": ["x"]}}}))
    error = broken(project, "totls")
    assert (error.code, error.hint) == ("unknown-view", 'Did you mean "totals"?')
    assert error.span is not None
    assert error.span.place.startswith("tidewheel.yml:")


def test_a_cycle_is_printed(project: tw.Project) -> None:
    for view, reads in {"a": "b", "b": "c", "c": "a"}.items():
        write(project, f"views/{view}.sql", f"SELECT *\nFROM {reads}")
    for view in ("a", "b", "c"):
        error = broken(project, view)
        assert error.code == "cycle"
        assert "a -> b -> c -> a" in error.message
        assert error.span is not None
        assert error.span.place == "views/a.sql:2:6"


def test_a_file_that_is_not_text_is_refused(project: tw.Project) -> None:
    write(project, "views/bad.sql", b"SELECT '\xff' AS x")
    assert broken(project).code == "unreadable-file"


def test_a_view_that_is_a_dangling_link_is_refused(project: tw.Project) -> None:
    Path(project.root, "views", "bad.sql").symlink_to("nowhere")
    assert broken(project).code == "unreadable-file"


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT amuont AS x FROM orders", "unknown-column"),
        ("SELECT o_id FROM orders a JOIN orders b ON a.o_id = b.o_id", "ambiguous-column"),
        ("SELECT o_id, sum(amount) AS s FROM orders", "not-grouped"),
        ("SELECT *, o_id FROM orders", "duplicate-column"),
        ("SELECT a.*, b.* FROM orders a JOIN orders b ON a.o_id = b.o_id", "duplicate-column"),
        ("SELECT no_such_function(o_id) AS x FROM orders", "unknown-function"),
        ("SELECT abs(o_id, 1) AS x FROM orders", "wrong-arguments"),
        ("SELECT abs() AS x FROM orders", "wrong-arguments"),
        ("SELECT o_id FROM orders WHERE upper(amount)", "not-boolean"),
        ("SELECT size(o_id) AS x FROM orders", "type-mismatch"),
        ("-- tidewheel: {cluster_by: [nope]}\nSELECT o_id FROM orders", "unknown-column"),
        ("-- tidewheel: {refresh: strict}\nSELECT o_id, now() AS t FROM orders", "strict-needs-full"),
    ],
)
def test_what_is_wrong_with_a_query_is_said_before_an_engine_starts(project: tw.Project, sql: str, code: str) -> None:
    write(project, "views/bad.sql", sql)
    error = broken(project)
    assert error.code == code
    assert error.relation == "bad"
    with refused(project.root, code):
        project.add_view("other", sql)
    with refused(project.root, code):
        tw.create(f"{project.root}2", sources=BASE["sources"], views={"v": sql}, engine="local")
    assert not Path(f"{project.root}2").exists()


BASE: dict[str, Any] = {
    "name": "p",
    "engine": "local",
    "sources": {"orders": {"kind": "managed", "schema": "o_id BIGINT, amount DOUBLE", "key": ["o_id"]}},
}
Edit = Callable[[dict[str, Any]], object]
CONFIGS: dict[str, tuple[Edit, str, str]] = {
    "unknown option": (lambda c: c.update(warehous="x"), "unknown-option", '"warehouse"'),
    "unknown option of a source": (lambda c: c["sources"]["orders"].update(pth="x"), "unknown-option", "pth"),
    "unknown option of a view": (lambda c: c.update(views={"totals": {"tag": ["x"]}}), "unknown-option", '"tags"'),
    "option of another kind": (
        lambda c: c["sources"]["orders"].update(path="x"), "unknown-option", "`kind: delta` and `kind: files`"
    ),
    "option of Spark in a target": (
        lambda c: c.update(targets={"p": {"spark": {"mastr": "x"}}}), "unknown-option", 'Did you mean "master"?'
    ),
    "option of a target named as another": (
        lambda c: c.update(targets={"spark": {"memry": "1GB"}}), "unknown-option", 'Did you mean "memory"?'
    ),
    "unknown kind": (lambda c: c["sources"]["orders"].update(kind="kafka"), "bad-option", "managed"),
    "no kind": (lambda c: c["sources"]["orders"].pop("kind"), "bad-option", "kind"),
    "no schema": (lambda c: c["sources"]["orders"].pop("schema"), "bad-option", "schema"),
    "unknown type": (lambda c: c["sources"]["orders"].update(schema="a BIGNUM"), "bad-schema", "bignum"),
    "bad schema": (lambda c: c["sources"]["orders"].update(schema="a BIGINT,, b INT"), "bad-schema", "expected a name"),
    "wide decimal": (lambda c: c["sources"]["orders"].update(schema="a DECIMAL(39)"), "bad-schema", "out of range"),
    "digits that are none": (lambda c: c["sources"]["orders"].update(schema="a DECIMAL(²)"), "bad-schema", "²"),
    "column twice": (lambda c: c["sources"]["orders"].update(schema="o_id INT, O_ID INT"), "bad-schema", "twice"),
    "reserved column": (lambda c: c["sources"]["orders"].update(schema="_tw_x INT"), "reserved-name", "_tw_x"),
    "unknown key": (lambda c: c["sources"]["orders"].update(key=["id"]), "bad-option", "key column"),
    "key not a list": (lambda c: c["sources"]["orders"].update(key="o_id"), "bad-option", "key"),
    "source name": (lambda c: c["sources"].update({"my-source": BASE["sources"]["orders"]}), "bad-name", "my-source"),
    "reserved source": (lambda c: c["sources"].update({"_tw_s": BASE["sources"]["orders"]}), "reserved-name", "_tw_s"),
    "two cases": (lambda c: c["sources"].update({"Orders": BASE["sources"]["orders"]}), "name-clash", "without case"),
    "time zone": (lambda c: c.update(timezone="Mars/Base"), "bad-option", "Mars/Base"),
    "retention": (lambda c: c.update(retention="a while"), "bad-option", "duration"),
    "memory": (lambda c: c.update(memory="lots"), "bad-option", "size"),
    "engine": (lambda c: c.update(engine="flink"), "bad-option", "engine"),
    "case": (lambda c: c.update(spark={"conf": {"spark.sql.caseSensitive": True}}), "bad-option", "caseSensitive"),
    "function of Spark": (lambda c: c.update(functions=["st_x", "Upper"]), "bad-option", "Spark's own"),
    "no function": (lambda c: c.update(functions=["a b"]), "bad-option", "plain name"),
    "target's retention": (lambda c: c.update(targets={"prod": {"retention": "x"}}), "bad-option", "duration"),
    "target's zone": (lambda c: c.update(targets={"prod": {"timezone": "x"}}), "bad-option", "time zone"),
    "unset warehouse": (lambda c: c.update(warehouse="${env:TW_NO_SUCH}/x"), "missing-variable", "TW_NO_SUCH"),
}  # fmt: skip


@pytest.mark.parametrize("case", CONFIGS.values(), ids=CONFIGS)
def test_a_bad_configuration_is_refused(project: tw.Project, case: tuple[Edit, str, str]) -> None:
    edit, code, said = case
    body = yaml.safe_load(yaml.safe_dump(BASE))
    edit(body)
    write(project, "tidewheel.yml", yaml.safe_dump(body))
    with refused(project.root, code) as caught:
        tw.open(project.root).refresh()
    assert said in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.place.startswith("tidewheel.yml:")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("name: p\nsources: {orders: [\n", "tidewheel.yml:3:1"),
        ("name: p\nsources:\n\torders: x\n", "tidewheel.yml:3:1"),
        ("name: p\nengine: local\nname: q\n", "tidewheel.yml:1:1"),
        ("name: p\nsources:\n  a: {kind: managed, schema: a INT}\n  a: {}\n", "tidewheel.yml:3:3"),
        ("- name: p\n", "tidewheel.yml:1:1"),
        ("", "tidewheel.yml:1:1"),
    ],
)
def test_bad_yaml_is_refused_with_its_line(project: tw.Project, text: str, place: str) -> None:
    write(project, "tidewheel.yml", text)
    with refused(project.root, "bad-yaml", place=place):
        tw.open(project.root)


@pytest.mark.parametrize("option", [{"master": "${env:TW_NO}"}, {"conf": {"spark.x": "a ${env:TW_NO} b"}}])
def test_an_unset_variable_for_spark_is_refused_before_anything_starts(project: tw.Project, option: Any) -> None:
    write(project, "tidewheel.yml", yaml.safe_dump({**BASE, "engine": "spark", "spark": option}))
    with refused(project.root, "missing-variable") as caught:
        tw.open(project.root).engine()
    assert "export TW_NO=" in (caught.value.hint or "")


def test_an_unset_path_of_a_source_is_refused(project: tw.Project) -> None:
    sources = {"orders": {"kind": "delta", "path": "${env:TW_NO_SUCH}/t"}}
    write(project, "tidewheel.yml", yaml.safe_dump({**BASE, "sources": sources}))
    with refused(project.root, "missing-variable"):
        tw.open(project.root).plan()


def test_an_unknown_target_is_refused_with_the_known_ones(project: tw.Project) -> None:
    write(project, "tidewheel.yml", yaml.safe_dump({**BASE, "targets": {"prod": {}, "test": {}}}))
    with refused(project.root, "unknown-target") as caught:
        tw.open(project.root, target="prd")
    assert caught.value.hint == 'Did you mean "prod"?'


@pytest.mark.parametrize("term", ["nope", "tag:nope", "source:nope+", "path:views/*", "+", "totals,nope"])
def test_a_bad_selection_is_refused(project: tw.Project, term: str) -> None:
    for command in (project.plan, project.refresh, project.verify):
        with refused(project.root, "bad-selection"):
            command(select=[term])


def test_a_project_that_is_not_sound_is_not_created(tmp_path: Path) -> None:
    for views in ({"v": "SELECT a FROM nowhere"}, {"v": "SELECT"}, {"../v": "SELECT 1 AS x"}, {"a-b": "SELECT 1 AS x"}):
        with pytest.raises(tw.UserError):
            tw.create(tmp_path / "new", views=views, engine="local")
        assert listing(tmp_path) == {}
        assert not (tmp_path / "new").exists()


def test_a_view_that_shares_its_file_or_has_options_is_not_dropped(project: tw.Project) -> None:
    two = "CREATE MATERIALIZED VIEW a AS SELECT 1 AS x; CREATE MATERIALIZED VIEW b AS SELECT 2 AS x"
    write(project, "views/a.sql", two)
    write(project, "tidewheel.yml", yaml.safe_dump({**BASE, "views": {"totals": {"tags": ["x"]}}}))
    for view in ("a", "b", "totals"):
        with refused(project.root, "view-in-use"):
            project.drop_view(view)
    assert set(project.views) == {"a", "b", "totals"}


def test_a_source_with_the_name_of_a_removed_view_does_not_take_over_its_table(project: tw.Project) -> None:
    Path(project.root, "views", "totals.sql").unlink()
    project.refresh()
    sources = {**BASE["sources"], "totals": {"kind": "managed", "schema": "total DOUBLE"}}
    write(project, "tidewheel.yml", yaml.safe_dump({**BASE, "sources": sources}))
    rows = pa.table({"total": [7.0]})
    for command in (project.refresh, project.plan, lambda: project.ingest("totals", rows)):
        with refused(project.root, "name-clash") as caught:
            command()
        assert "tidewheel drop totals" in (caught.value.hint or "")
    project.drop("totals")
    project.ingest("totals", rows)
    project.refresh()
    assert project.to_arrow("totals").to_pylist() == [{"total": 7.0}]


def test_a_view_with_the_name_of_a_removed_source_does_not_overwrite_its_rows(project: tw.Project) -> None:
    project.ingest("orders", pa.table({"o_id": [1], "amount": [1.0]}))
    write(project, "tidewheel.yml", yaml.safe_dump({**BASE, "sources": {}}))
    write(project, "views/totals.sql", "SELECT 1 AS x")
    write(project, "views/orders.sql", "SELECT 2 AS x")
    with refused(project.root, "name-clash"):
        project.refresh()
    assert len(delta_rows(Path(project.root, "warehouse", "orders"))) == 1

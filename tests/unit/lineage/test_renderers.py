"""Text, Mermaid, DOT and HTML of one small graph whose names and comments try to break out."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from tidewheel.ir.lineage import Origin
from tidewheel.lineage.graph import LineageGraph
from tidewheel.lineage.relations import GraphColumn, GraphRelation, PastRun

NASTY = "</script><script>alert(1)</script><!-- ' \" ` & {{script}} {{data}} \u2028 ]]> \\"


def graph() -> LineageGraph:
    run = PastRun(epoch=2, started="2026-01-01", method="merge", why="", seconds=0.25, rows=3, changed=1)
    relations = (
        GraphRelation(
            name="orders",
            kind="managed",
            state="source",
            note="no change",
            columns=(
                GraphColumn(name="day", type="DATE"),
                GraphColumn(name="amount", type="BIGINT"),
                GraphColumn(name="store", type="INT"),
            ),
        ),
        GraphRelation(
            name="daily",
            kind="view",
            state="fresh",
            reads=("orders",),
            rows=3,
            bytes=700,
            built=2,
            runs=(run,),
            comment=NASTY,
            tags=(NASTY,),
            sql=f"SELECT '{NASTY}'",
            columns=(
                GraphColumn(name="day", type="DATE", values=(Origin("orders", "day"),)),
                GraphColumn(
                    name="total", type="INT", values=(Origin("orders", "amount"),), by=(Origin("orders", "day"),)
                ),
            ),
            by=(Origin("orders", "store"), Origin("orders", "day")),
        ),
        GraphRelation(
            name=NASTY,
            kind="view",
            state="broken",
            note="it is broken",
            unknown="it is broken",
            reads=("daily",),
            columns=(GraphColumn(name=NASTY, type="STRING"),),
        ),
    )
    return LineageGraph(project=NASTY, epoch=2, time="2026-01-01T00:00:00", relations={r.name: r for r in relations})


def test_text_has_a_line_for_each_relation() -> None:
    lines = graph().to_text().splitlines()
    assert "  orders  managed  no change" in lines
    assert any(re.match(r"  daily +fresh +3 rows, merge 0\.2 s +<- orders$", line) for line in lines)
    assert "      broken: it is broken" in lines


def test_text_with_columns_says_where_they_come_from() -> None:
    text = graph().to_text(columns=True)
    assert "total  INT   <- orders.amount" in text
    assert "rows by  orders.store\n" in text, "a column that also gives values is told there"


def test_mermaid_holds_no_character_of_its_own_from_users() -> None:
    text = graph().to_mermaid(columns=True)
    assert text.startswith("flowchart LR\n")
    assert "r0 --> r1" in text
    labels = re.findall(r'^  r\d\[\(?"(.*)"\)?\]:::\w+$', text, re.MULTILINE)
    assert len(labels) == 3
    for label in labels:
        assert not re.search(r"[\"'`&{}\[\]\\]", label)
        assert not re.search(r"<(?!/?b>|br/>)", label)


def test_dot_quotes_names() -> None:
    text = graph().to_dot()
    assert '"orders" -> "daily";' in text
    quoted = NASTY.replace("\\", "\\\\").replace('"', '\\"')
    assert f'"daily" -> "{quoted}";' in text


def test_dot_with_columns_has_an_edge_for_each_origin_and_a_dashed_one_where_there_is_none() -> None:
    text = graph().to_dot(columns=True)
    assert '"orders":c1 -> "daily":c1;' in text
    assert text.count("[style=dashed]") == 1
    (label,) = re.findall(r"label=<(.*alert.*)>\];$", text, re.MULTILINE)
    assert "<script" not in label


class Page(HTMLParser):
    """What a browser would see: elements with their attributes, and the text of scripts, styles and the title."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open = tag

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self.open = ""

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.open, []).append(data)


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(graph().to_html())


def body_of(page: Page) -> Any:
    return json.loads(page.texts["script"][0])


def test_nothing_from_users_becomes_markup(page: Page) -> None:
    assert [attributes.get("id") for tag, attributes in page.elements if tag == "script"] == ["data", None]
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert page.texts["title"] == [f"{NASTY}: graph"]


def test_what_users_wrote_arrives_to_the_letter(page: Page) -> None:
    daily = body_of(page)["relations"]["daily"]
    assert daily["comment"] == NASTY
    assert daily["tags"] == [NASTY]
    assert NASTY in body_of(page)["relations"]


def test_the_script_writes_text_only(page: Page) -> None:
    script = page.texts["script"][1]
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert way not in script


def test_the_page_needs_nothing_else_and_allows_itself_nothing_else(page: Page) -> None:
    assert not [tag for tag, attributes in page.elements if {"src", "href"} & set(attributes)]
    style = page.texts["style"][0]
    assert "url(" not in style
    assert "@import" not in style
    policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    own = {
        kind: "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for kind, text in (("style", style), ("script", page.texts["script"][1]))
    }
    assert policy == f"default-src 'none'; style-src '{own['style']}'; script-src '{own['script']}'"


def test_every_relation_has_a_place_in_both_drawings(page: Page) -> None:
    body = body_of(page)
    for drawing in body["drawings"].values():
        assert set(drawing["boxes"]) == set(body["relations"])
        assert len(drawing["lanes"]) == len(body["edges"])


def test_a_notebook_shows_the_page_in_a_frame_of_its_own() -> None:
    ((tag, attributes),) = Page(graph()._repr_html_()).elements
    assert tag == "iframe"
    assert attributes["srcdoc"] == graph().to_html()
    assert attributes["sandbox"] == "allow-scripts"


def test_some_views_are_shown_with_the_sources_that_they_read() -> None:
    assert set(graph().only(["daily"]).relations) == {"orders", "daily"}

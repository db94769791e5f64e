"""The page in a real browser: drawn without an error, whatever the project holds. Skipped where Chromium is not."""

from __future__ import annotations

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

import tidewheel as tw

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here")

NASTY = "</script><script>document.title = 'broken out'</script><img src=x onerror=alert(1)> \"'"
VIEWS = {
    "daily": f"-- {NASTY}\nSELECT day, sum(n) AS total FROM orders GROUP BY day",
    "odd": 'SELECT total AS `<b>"it\'s"</b>` FROM daily',
    "wrong": "SELECT nothing FROM daily",
}


class Drawn(HTMLParser):
    """The page after its script has run: which elements there are, and the text in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def with_class(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.elements if name in (attributes.get("class") or "").split()]


def opened(page: Path, fragment: str = "") -> Drawn:
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=2000"]
    command = [str(BROWSER), *options, f"--user-data-dir={page.parent / 'browser'}", f"{page.as_uri()}{fragment}"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    return Drawn(done.stdout.decode())


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    sources = {"orders": {"kind": "managed", "schema": "day DATE, n BIGINT"}}
    project = tw.create(folder / "shop", sources=sources, views={"daily": VIEWS["daily"]}, engine="local")
    for name in ("odd", "wrong"):  # one of them is refused by whoever would write it for us
        (folder / "shop" / "views" / f"{name}.sql").write_text(VIEWS[name])
    (folder / "graph.html").write_text(project.graph().to_html(), encoding="utf-8")
    return folder / "graph.html"


def test_every_relation_and_every_edge_is_drawn(page: Path) -> None:
    drawn = opened(page)
    boxes = drawn.with_class("box")
    assert {(box["title"], box["data-state"]) for box in boxes} == {
        ("orders", "source"), ("daily", "not built"), ("odd", "not built"), ("wrong", "broken")
    }  # fmt: skip
    ways = [attributes["d"] for tag, attributes in drawn.elements if tag == "path"]
    assert len(ways) == 3
    assert all(way is not None and way.startswith("M") and "NaN" not in way for way in ways)


def test_an_address_with_a_column_shows_its_lineage(page: Path) -> None:
    drawn = opened(page, "#daily/total")
    assert [box["title"] for box in drawn.with_class("chosen")] == ["daily"]
    lit = {item["data-column"] for item in drawn.with_class("lit")}
    assert lit == {"orders\x1fn", "daily\x1ftotal", 'odd\x1f<b>"it\'s"</b>'}
    assert [row["data-column"] for row in drawn.with_class("column") if row in drawn.with_class("lit")] == [
        "daily\x1ftotal"
    ]


def test_what_users_wrote_is_text_in_the_browser_too(page: Path) -> None:
    drawn = opened(page, "#daily")
    assert NASTY in drawn.texts
    assert not [tag for tag, _ in drawn.elements if tag in {"img", "b"}]
    assert "broken out" not in drawn.texts

"""Views and what they read: order, closures, levels, clashes, cycles."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

import pytest

from tidewheel.errors import UserError
from tidewheel.project.config import load_config
from tidewheel.project.graph import Broken, Graph, View, build_graph
from tidewheel.project.select import select_views, with_ancestors
from tidewheel.project.views import views_of_file

CONFIG = load_config("name: p\nsources: {s: {kind: managed, schema: a INT}, t: {kind: managed, schema: a INT}}", "f")


def graph_of(views: Mapping[str, Iterable[str]], tags: dict[str, str] | None = None) -> Graph:
    """Views that read the named relations."""
    made: list[View | Broken] = []
    for name, reads in views.items():
        tag = f"-- tidewheel: {{tags: [{(tags or {})[name]}]}}\n" if name in (tags or {}) else ""
        froms = ", ".join(reads)
        sql = f"{tag}SELECT 1 AS x" + (f" FROM {froms}" if froms else "")
        made += views_of_file(sql, f"views/{name}.sql", CONFIG)
    return build_graph(made, CONFIG.sources)


DIAMOND = {"top": ["left", "right"], "left": ["base"], "right": ["base", "t"], "base": ["s"], "alone": []}


def test_a_view_comes_after_all_it_reads_whatever_the_order_of_files() -> None:
    names = list(DIAMOND)
    orders = set()
    for seed in range(20):
        random.Random(seed).shuffle(names)
        graph = graph_of({name: DIAMOND[name] for name in names})
        for view in graph.order:
            before = graph.order[: graph.order.index(view)]
            assert all(i in before or i in graph.sources for i in graph.inputs[view])
        orders.add(graph.order)
    assert len(orders) == 1, "the same project always has the same order"


def test_closures_and_levels() -> None:
    graph = graph_of(DIAMOND)
    assert graph.ancestors("top") == {"left", "right", "base", "s", "t"}
    assert graph.descendants("s") == {"base", "left", "right", "top"}
    assert graph.descendants("top") == set()
    assert set(graph.readers("base")) == {"left", "right"}
    assert {name: graph.level(name) for name in graph.order} == {"alone": 1, "base": 1, "left": 2, "right": 2, "top": 3}


def test_names_resolve_without_case_to_the_spelling_of_their_definition() -> None:
    graph = graph_of({"Totals": ["S"], "below": ["TOTALS"]})
    assert graph.inputs == {"Totals": ("s",), "below": ("Totals",)}


def test_deep_and_wide_graphs_cost_no_recursion_and_no_explosion() -> None:
    chain = {"v0": ["s"], **{f"v{i}": [f"v{i - 1}"] for i in range(1, 1500)}}
    assert graph_of(chain).level("v1499") == 1500
    ladder = {"a0": ["s"], "b0": ["s"]}
    for i in range(1, 40):
        ladder |= {f"a{i}": [f"a{i - 1}", f"b{i - 1}"], f"b{i}": [f"a{i - 1}", f"b{i - 1}"]}
    graph = graph_of(ladder)
    assert graph.level("a39") == 40
    assert len(graph.ancestors("a39")) == 79


@pytest.mark.parametrize(
    ("views", "cycle"),
    [
        ({"a": ["a"]}, "a -> a"),
        ({"a": ["b"], "b": ["a"]}, "a -> b -> a"),
        ({"a": ["s", "c"], "b": ["a"], "c": ["b"], "d": ["a"]}, "a -> c -> b -> a"),
        ({"x": ["p"], "p": ["q"], "q": ["r"], "r": ["q"]}, "q -> r -> q"),
    ],
)
def test_a_cycle_is_printed_as_it_is_and_no_longer(views: dict[str, list[str]], cycle: str) -> None:
    graph = graph_of(views)
    members = set(cycle.split(" -> "))
    for name in members:
        error = graph.broken[name].error
        assert error.code == "cycle"
        assert error.message.endswith(cycle)
        assert error.span is not None
    assert {n for n, b in graph.broken.items() if b.error.code == "broken-input"} == set(views) - members
    assert graph.order == ()


def test_a_diamond_is_no_cycle() -> None:
    assert set(graph_of(DIAMOND).order) == set(DIAMOND)


@pytest.mark.parametrize(
    ("views", "code", "hint"),
    [
        ({"v": ["nowhere"]}, "unknown-relation", "Known names: s, t."),
        ({"v": ["totls"], "totals": []}, "unknown-relation", 'Did you mean "totals"?'),
        ({"S": []}, "name-clash", "Rename"),
        ({"v": [], "V": []}, "duplicate-view", "Rename"),
    ],
)
def test_names_that_do_not_resolve_or_clash(views: dict[str, list[str]], code: str, hint: str) -> None:
    broken = graph_of(views).broken
    assert len(broken) == 1
    (error,) = (b.error for b in broken.values())
    assert error.code == code
    assert hint in (error.hint or "")


def test_what_is_wrong_with_a_view_concerns_it_and_those_below() -> None:
    graph = graph_of({**DIAMOND, "left": ["nowhere", "base"]})
    assert graph.order == ("alone", "base", "right")
    assert {name: b.error.code for name, b in graph.broken.items()} == {
        "left": "unknown-relation",
        "top": "broken-input",
    }
    assert graph.broken["top"].error.detail == 'View "left": relation "nowhere" does not exist.'
    assert graph.broken["top"].error.span == graph.broken["left"].error.span, "it points at the cause"
    assert graph.descendants("base") == {"left", "right", "top"}
    assert set(graph.readers("base")) == {"left", "right"}
    assert select_views(graph, ["left+"]) == {"left", "top"}
    assert select_views(graph) == set(DIAMOND)


TAGS = {"left": "x", "right": "x", "top": "y"}
SELECTED: dict[str, set[str]] = {
    "base": {"base"},
    "+left": {"left", "base"},
    "left+": {"left", "top"},
    "+left+": {"left", "base", "top"},
    "tag:x": {"left", "right"},
    "+tag:x": {"left", "right", "base"},
    "tag:x+": {"left", "right", "top"},
    "source:t": {"right"},
    "source:t+": {"right", "top"},
    "source:*+": {"base", "left", "right", "top"},
    "*": set(DIAMOND),
    "?????": {"right", "alone"},
    "LEFT": {"left"},
    "tag:x,+top": {"left", "right"},
    "tag:x,source:t": {"right"},
    "left right": {"left", "right"},
    "tag:y tag:x,l*": {"top", "left"},
}


@pytest.mark.parametrize(("term", "chosen"), SELECTED.items())
def test_the_selection_grammar(term: str, chosen: set[str]) -> None:
    assert select_views(graph_of(DIAMOND, TAGS), [term]) == chosen


def test_selections_add_up_and_exclusions_are_taken_away_last() -> None:
    graph = graph_of(DIAMOND, TAGS)
    assert select_views(graph) == set(DIAMOND)
    assert select_views(graph, ["left", "alone"]) == {"left", "alone"}
    assert select_views(graph, ["tag:x"], ["right"]) == {"left"}
    assert select_views(graph, [], ["base+"]) == {"alone"}
    assert with_ancestors(graph, frozenset({"left"})) == {"left", "base"}


@pytest.mark.parametrize("term", ["nope", "+nope", "tag:z", "source:nope", "path:x", "left,nope", "+", "tag:", "lef"])
def test_a_term_that_selects_nothing_is_refused(term: str) -> None:
    with pytest.raises(UserError) as caught:
        select_views(graph_of(DIAMOND, TAGS), [term])
    assert caught.value.code == "bad-selection"
    assert caught.value.hint


def graph_of_texts(**texts: str) -> Graph:
    views = [view for name, sql in texts.items() for view in views_of_file(sql, f"views/{name}.sql", CONFIG)]
    return build_graph(views, CONFIG.sources)


def test_of_the_words_of_a_text_that_is_not_parsed_the_names_of_relations_are_inputs() -> None:
    graph = graph_of_texts(v="FROM s JOIN T ON s.a = t.a, w, x |> DROP a", w="SELECT a FROM s")
    assert graph.inputs["v"] == ("s", "t", "w")


def test_a_word_that_would_make_a_cycle_means_no_relation() -> None:
    graph = graph_of_texts(v="FROM s |> SELECT v, w |> DROP v", w="SELECT a FROM v", x="FROM v |> SELECT w |> DROP w")
    assert graph.inputs == {"v": ("s",), "w": ("v",), "x": ("v", "w")}


def test_a_relation_that_must_be_one_is_missed_if_it_is_not_there() -> None:
    assert graph_of_texts(v="FROM nowhere |> DROP a").broken["v"].error.code == "unknown-relation"

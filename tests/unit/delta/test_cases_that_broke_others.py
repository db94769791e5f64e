"""Design, section 13: the cases that need neither a store nor Spark. Each holds with any rule switched off."""

from __future__ import annotations

import pytest

from tests.fuzz.histories import Round
from tests.unit.delta.stories import Rows, become_all, becomes, come, go, happening, play, told

JOIN = "SELECT a.g, a.x, b.y FROM a JOIN b ON a.g = b.g"
A: Rows = [(1, 10), (2, 20), (2, 20), (None, 30)]
B: Rows = [(1, 100), (2, 200), (None, 300)]


def test_both_join_inputs_change_insert_against_insert() -> None:
    play(told(JOIN, {"a": come((3, 1)), "b": come((3, 2))}, a=A, b=B))


def test_both_join_inputs_change_insert_against_delete() -> None:
    play(told(JOIN, {"a": come((1, 11)), "b": go((1, 100))}, {"a": go((2, 20)), "b": come((2, 201))}, a=A, b=B))


def test_both_join_inputs_change_delete_against_delete() -> None:
    play(told(JOIN, {"a": go((1, 10)), "b": go((1, 100))}, a=A, b=B))


def test_the_join_key_is_updated_while_the_old_partner_is_deleted() -> None:
    play(told(JOIN, {"a": becomes((1, 10), (2, 10)), "b": go((1, 100))}, a=A, b=B))


@pytest.mark.parametrize("kind", ["LEFT", "RIGHT", "FULL"])
def test_outer_joins_with_both_sides_changing(kind: str) -> None:
    sql = f"SELECT a.g, a.x, b.y, b.g AS h FROM a {kind} JOIN b ON a.g = b.g"
    rounds = (
        {"a": come((4, 1), (1, 11)), "b": go((1, 100))},
        {"a": becomes((1, 10), (2, 10)), "b": come((4, 5), (1, 101))},
        {"a": go((2, 20)), "b": go((2, 200))},
        {"a": go((2, 20), (2, 10)), "b": come((2, 7), (2, 7))},
    )
    play(told(sql, *rounds, a=A, b=B))


@pytest.mark.parametrize("word", ["", "NOT "])
def test_semi_and_anti_joins_with_both_sides_changing(word: str) -> None:
    sql = f"SELECT g, x FROM a WHERE {word}EXISTS (SELECT 1 FROM b WHERE b.g = a.g AND b.y > a.x)"
    rounds = (
        {"a": come((4, 1)), "b": go((1, 100))},
        {"b": come((4, 0), (1, 1000), (1, 2000))},
        {"a": becomes((2, 20), (4, -1)), "b": go((1, 1000))},
        {"b": go((1, 2000), (2, 200))},
    )
    play(told(sql, *rounds, a=A, b=B))


def test_a_self_join() -> None:
    sql = "SELECT l.x AS p, r.x AS q FROM a AS l JOIN a AS r ON l.g = r.g"
    play(told(sql, {"a": [*come((1, 11)), *go((2, 20))]}, {"a": becomes((1, 11), (2, 11))}, a=A))


def test_the_same_table_thrice() -> None:
    sql = "SELECT p.x AS p, q.x AS q, r.x AS r FROM a AS p JOIN a AS q ON p.g = q.g JOIN a AS r ON q.g = r.g"
    play(told(sql, {"a": [*come((1, 11), (1, 12)), *go((2, 20))]}, {"a": go((1, 10), (2, 20))}, a=A))


def test_one_of_two_identical_rows_is_deleted_through_a_projection() -> None:
    play(told("SELECT x FROM a", {"a": go((2, 20))}, {"a": go((2, 20))}, a=A))


def test_one_of_two_identical_rows_is_deleted_through_a_join() -> None:
    play(told(JOIN, {"a": go((2, 20))}, {"b": come((2, 200))}, {"a": go((2, 20))}, a=A, b=B))


def test_null_in_a_group_key() -> None:
    sql = "SELECT g, count(*) AS n, sum(x) AS s FROM a GROUP BY g"
    play(told(sql, {"a": come((None, 1))}, {"a": go((None, 30))}, {"a": go((None, 1))}, {"a": come((None, 2))}, a=A))


def test_null_in_a_composite_key() -> None:
    sql = "SELECT g, x, count(*) AS n FROM a GROUP BY g, x"
    rows: Rows = [(None, 1), (1, None), (None, None), (1, 1)]
    play(told(sql, {"a": come((None, None), (None, 1))}, {"a": go((1, None), (None, None))}, a=rows))


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "FULL JOIN"])
@pytest.mark.parametrize("equals", ["=", "<=>"])
def test_null_on_both_join_sides(kind: str, equals: str) -> None:
    sql = f"SELECT a.g, a.x, b.y FROM a {kind} b ON a.g {equals} b.g"
    rounds = ({"b": come((None, 301))}, {"a": go((None, 30)), "b": go((None, 300))}, {"a": come((None, 31))})
    play(told(sql, *rounds, a=A, b=B))


def test_a_group_that_empties_and_returns() -> None:
    sql = "SELECT g, sum(x) AS s, max(x) AS m FROM a GROUP BY g"
    counts = play(told(sql, {"a": go((2, 20), (2, 20))}, {"a": come((2, 5))}, {"a": becomes((2, 5), (2, 4))}, a=A))
    assert counts["method: merge"] == 3


def test_a_global_aggregate_over_an_emptied_table_is_one_row() -> None:
    sql = "SELECT count(*) AS n, sum(x) AS s, min(x) AS lo, avg(x) AS m FROM a"
    play(told(sql, {"a": go(*A)}, {"a": come((1, 1))}, {"a": becomes((1, 1), (1, None))}, a=A))


def test_having_crossed_up_and_down() -> None:
    sql = "SELECT g, sum(x) AS s FROM a GROUP BY g HAVING sum(x) > 25"
    rounds = ({"a": come((1, 20))}, {"a": go((1, 20))}, {"a": go((2, 20))}, {"a": come((2, 6))})
    counts = play(told(sql, *rounds, a=A))
    assert counts["method: merge"] == 4


def test_having_inside_a_cte_that_is_joined() -> None:
    sql = """WITH big AS (SELECT g, sum(x) AS s FROM a GROUP BY g HAVING sum(x) > 25)
             SELECT big.s, b.y FROM big JOIN b ON b.g = big.g"""
    rounds = (
        {"a": come((1, 20))},
        {"a": go((1, 20)), "b": come((2, 201))},
        {"a": go((2, 20)), "b": go((2, 200))},
        {"a": come((2, 6))},
    )
    play(told(sql, *rounds, a=A, b=B))


def test_the_holder_of_the_maximum_is_deleted() -> None:
    sql = "SELECT g, max(x) AS m FROM a GROUP BY g"
    rows: Rows = [(1, 5), (1, 9), (1, 9), (2, 1), (2, None)]
    rounds = ({"a": go((1, 9))}, {"a": go((1, 9))}, {"a": go((2, 1))}, {"a": [*go((1, 5)), *come((1, 4))]})
    play(told(sql, *rounds, a=rows))


def test_an_equality_with_a_maximum() -> None:
    sql = "SELECT k, x FROM t WHERE x = (SELECT max(x) FROM t)"
    rows: Rows = [(1, 1, 5), (2, 1, 9), (3, 2, 9)]
    rounds = ({"t": go((2, 1, 9))}, {"t": go((3, 2, 9))}, {"t": come((4, 1, 7))}, {"t": become_all([(1, 1, 5)], [])})
    play(told(sql, *rounds, t=rows))


def test_not_in_when_a_null_enters_and_leaves() -> None:
    sql = "SELECT x FROM a WHERE g NOT IN (SELECT g FROM b)"
    rows: Rows = [(1, 10), (2, 20), (None, 30)]
    rounds = (
        {"b": come((None, 1))},
        {"b": go((None, 1))},
        {"b": go((1, 100))},
        {"b": come((None, 2)), "a": come((3, 3), (None, 4))},
        {"b": go((None, 2))},
    )
    play(told(sql, *rounds, a=rows, b=[(1, 100)]))


def test_not_in_when_the_other_side_is_emptied_and_refilled() -> None:
    """Among nothing, even NULL is not."""
    sql = "SELECT g, x FROM a WHERE x NOT IN (SELECT g FROM b)"
    rows: Rows = [(1, None), (None, 7), (2, 5)]
    play(told(sql, {"b": go((7, None))}, {"b": come((5, None))}, {"b": go((5, None))}, a=rows, b=[(7, None)]))


def test_an_update_arrives_through_a_chained_view() -> None:
    """The first view only grows for a while; the second appends until an update reaches it as delete and insert."""
    views = {"v": "SELECT g, sum(x) AS s FROM a GROUP BY g", "w": "SELECT s + 1 AS z FROM v WHERE s > 0"}
    play(told(views, {"a": come((5, 1))}, {"a": come((5, 2))}, {"a": go((1, 10))}, a=A))


def test_an_append_stays_one_through_a_chain() -> None:
    views = {"v": "SELECT g, x FROM a WHERE x > 0", "w": "SELECT v.x, b.y FROM v JOIN b ON v.g = b.g"}
    counts = play(told(views, {"a": come((1, 1))}, {"a": come((2, 1)), "b": come((2, 2))}, a=A, b=B))
    assert counts["method: append"] == 4


DIAMOND = {
    "top": "SELECT g, x FROM a WHERE x > 0",
    "left_": "SELECT g, count(*) AS n FROM top GROUP BY g",
    "right_": "SELECT g, max(x) AS m FROM top GROUP BY g",
    "both": "SELECT l.g, l.n, r.m FROM left_ AS l JOIN right_ AS r ON l.g <=> r.g",
}


def test_a_diamond() -> None:
    play(told(DIAMOND, {"a": come((1, 50))}, {"a": go((1, 50), (2, 20))}, {"a": go((2, 20))}, a=A))


def test_a_diamond_with_a_branch_that_fails_for_a_while() -> None:
    rounds: list[Round] = [
        happening({"a": come((1, 50))}, stale=["right_", "both"]),
        happening({"a": go((1, 50), (2, 20))}, stale=["right_", "both"]),
        happening({"a": come((3, 1))}),
    ]
    play(told(DIAMOND, *rounds, a=A))


def test_a_stale_view_skips_changes_that_cancel() -> None:
    rounds: list[Round] = [
        happening({"a": come((1, 99)), "b": go((1, 100))}, stale=["v"]),
        happening({"a": go((1, 99)), "b": come((1, 100))}, stale=["v"]),
        happening({}),
    ]
    play(told(JOIN, *rounds, a=A, b=B))


def test_a_table_is_overwritten() -> None:
    sql = "SELECT a.g, count(*) AS n, sum(b.y) AS s FROM a LEFT JOIN b ON a.g = b.g GROUP BY a.g"
    play(told(sql, {"a": become_all(A, [(2, 1), (7, 7)])}, {"b": become_all(B, [(7, 1)])}, a=A, b=B))


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"])
def test_tables_are_emptied_and_refilled(kind: str) -> None:
    more = "" if "SEMI" in kind or "ANTI" in kind else ", b.y"
    sql = f"SELECT a.g, a.x{more} FROM a {kind} b ON a.g = b.g"
    rounds = ({"b": go(*B)}, {"a": go(*A)}, {"b": come(*B)}, {"a": come(*A)}, {"a": go(*A), "b": go(*B)})
    play(told(sql, *rounds, a=A, b=B))


def test_a_compaction_changes_nothing() -> None:
    rounds = [happening({"a": [], "b": []}, mixed=True), happening({"a": become_all(A, A)})]
    play(told(JOIN, *rounds, a=A, b=B))

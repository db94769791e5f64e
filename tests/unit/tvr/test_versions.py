from __future__ import annotations

import pytest

from tidewheel.tvr.versions import Delta, Interval, Snapshot, Versions, describe

V1 = Versions.at({"orders": 1, "items": 4})
V2 = Versions.at({"orders": 3, "items": 4})
V3 = Versions.at({"orders": 3, "items": 6})


def test_versions_are_equal_whatever_the_order_they_are_given_in() -> None:
    assert Versions.at({"a": 1, "b": 2}) == Versions.at({"b": 2, "a": 1})
    with pytest.raises(ValueError, match="sorted"):
        Versions((("b", 1), ("a", 2)))


def test_points_in_time_are_ordered_only_if_no_relation_goes_back() -> None:
    assert V1 <= V2 <= V3
    assert not V3 <= V1
    mixed = Versions.at({"orders": 0, "items": 9})
    assert not mixed >= V1
    assert not mixed <= V1


def test_a_snapshot_and_the_change_from_it_give_the_next_one() -> None:
    assert Snapshot(V1) + Delta(Interval(V1, V3)) == Snapshot(V3)
    assert Snapshot(V3) - Snapshot(V1) == Delta(Interval(V1, V3))
    with pytest.raises(ValueError, match="does not start"):
        Snapshot(V2) + Delta(Interval(V1, V3))


def test_adjacent_changes_add_up() -> None:
    assert Delta(Interval(V1, V2)) + Delta(Interval(V2, V3)) == Delta(Interval(V1, V3))
    with pytest.raises(ValueError, match="does not start where"):
        Delta(Interval(V1, V2)) + Delta(Interval(V1, V3))


def test_an_interval_goes_forward() -> None:
    with pytest.raises(ValueError, match="does not follow"):
        Interval(V2, V1)
    with pytest.raises(ValueError, match="does not follow"):
        Interval(V1, Versions.at({"orders": 5}))


def test_an_interval_knows_what_changed() -> None:
    assert Interval(V1, V2).changed == ("orders",)
    assert Interval(V1, V3).changed == ("items", "orders")
    assert Interval(V1, V1).is_empty


def test_only_the_relations_that_a_query_reads_matter() -> None:
    assert Interval(V1, V3).only({"items"}) == Interval(Versions.at({"items": 4}), Versions.at({"items": 6}))
    assert Delta(Interval(V1, V2)).only({"items"}).over.is_empty
    assert Snapshot(V1).only(()) == Snapshot(Versions(()))


def test_an_interval_splits_into_one_relation_at_a_time() -> None:
    steps = Interval(V1, V3).steps(["items", "orders"])
    assert [s.changed for s in steps] == [("items",), ("orders",)]
    assert steps[0] + steps[1] == Interval(V1, V3)
    with pytest.raises(ValueError, match="leaves out"):
        Interval(V1, V3).steps(["items"])


def test_forms_are_described_in_words() -> None:
    assert describe(Snapshot(V1)) == "snapshot at items@4, orders@1"
    assert describe(Delta(Interval(V1, V2))) == "change over items@4, orders@1..3"
    assert describe(Delta(Interval(V2, V2))) == "no change at items@4, orders@3"
    assert describe(Snapshot(Versions(()))) == "snapshot at always"

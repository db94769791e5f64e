"""The two lanes of `make test` have every test between them, and one that fails fails the run."""

from __future__ import annotations

import pytest

from tests import lanes


@pytest.mark.parametrize("everything", [False, True])
def test_every_test_is_in_one_lane(everything: bool) -> None:
    marks = {name: arguments[1] for name, arguments in lanes.lanes(2, everything=everything).items()}
    assert marks["local"] == f"not {marks['spark']}"


@pytest.mark.parametrize(
    ("codes", "expected"),
    [([0, 0], 0), ([0, 1], 1), ([1, 0], 1), ([0, 5], 0), ([5, 5], 5), ([5, 1], 5), ([0, -9], 247)],
)
def test_one_lane_that_fails_fails_the_run(codes: list[int], expected: int) -> None:
    assert lanes.judge(codes) == expected

"""Floating point numbers, at random: values of any size within exact bounds, and sums that never come out alike."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import tidewheel as tw
from tests.conftest import MakeProject
from tests.fuzz import varying
from tests.fuzz.varying import Queries, Rows, changes, unsettle
from tidewheel.plan.placement import Placement

# --- values that come out differently each time ---


def follow(seed: int, make_project: MakeProject, monkeypatch: pytest.MonkeyPatch, *, views: int, rounds: int) -> None:
    """Every view equals its query, every change leads from the rows before to those after, and no row is missed."""
    rng = random.Random(f"varying {seed}")
    unsettle(monkeypatch, random.Random(f"factors {seed}"))
    if seed % 2:  # as with `placement: spark`
        monkeypatch.setattr(Placement, "names_changes", lambda *_: False)
    project = make_project(varying.SOURCES, Queries(rng).views(views), name=f"p{seed}")
    rows = {name: Rows(rng, name) for name in varying.SOURCES}
    for _ in changes(rng, rows, project, rounds):
        run = project.refresh()
        assert not run.failed
        assert not {"rows-missing", "change-failed", "no-state"} & {view.reason.code for view in run.views.values()}
        assert not project.verify(deep=True).differences


@pytest.mark.parametrize("seed", [12, 65])
def test_nothing_that_may_vary_is_computed_twice(
    seed: int, make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow(seed, make_project, monkeypatch, views=3, rounds=2)


@pytest.mark.long
def test_nothing_that_may_vary_is_computed_twice_in_many_projects(
    make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(40):
        with monkeypatch.context() as patch:
            follow(seed, make_project, patch, views=3, rounds=5)


# --- values of any size ---

SOURCES = {
    "s": {"kind": "managed", "schema": "id BIGINT, g INT, x DOUBLE, y FLOAT", "key": ["id"]},
    "r": {"kind": "managed", "schema": "id BIGINT, g INT", "key": ["id"]},
}
VIEWS = {
    "sums": "SELECT g, sum(x) AS total, avg(x) AS mean, sum(y) AS small, stddev_pop(x) AS spread FROM s GROUP BY g",
    "extremes": "SELECT g, min(x) AS low, max(x) AS high, count(*) AS n FROM s GROUP BY g",
    "windows": "SELECT id, g, sum(x) OVER (PARTITION BY g) AS total FROM s",
    "joined": "SELECT r.id, t.total FROM r JOIN (SELECT g, sum(x) AS total FROM s GROUP BY g) t ON r.g = t.g",
    "large": "SELECT g, sum(x) AS total FROM s GROUP BY g HAVING sum(x) > 0.5",
    "largest": """WITH q AS (SELECT g, sum(x) AS total FROM s GROUP BY g)
                  SELECT g, total FROM q WHERE total = (SELECT max(total) FROM q)""",
    "positive": "SELECT g, total FROM sums WHERE total > 0",
    "first_sums": "SELECT g, total FROM sums ORDER BY total DESC NULLS LAST, g LIMIT 2",
    "highest": "SELECT g, total FROM sums WHERE total = (SELECT max(total) FROM sums)",
    "counted": "SELECT total, count(*) AS n FROM joined GROUP BY total",
    "different": "SELECT DISTINCT total FROM windows",
    "both": "SELECT total FROM sums UNION SELECT total FROM joined",
    "twice": "SELECT a.g FROM sums a JOIN windows w ON a.g = w.g AND a.total = w.total",
    "of_window": "SELECT total, min(id) AS first, count(*) AS n FROM windows GROUP BY total",
}
SIZES = (1e16, -1e16, 1e16, -1e16, 0.1, 0.2, 3.7, 1e-9, -1e-9, 1e150, -1e150)
ODD = (0.0, -0.0, None, math.nan, math.inf, -math.inf)
NAN = "NaN"


@pytest.mark.parametrize("seed", [1])
def test_sums_of_values_of_any_size_are_within_bounds(seed: int, make_project: MakeProject) -> None:
    for step in Sized(seed, make_project).rounds(4):
        step.check()


@pytest.mark.long
def test_sums_of_values_of_any_size_are_within_bounds_for_long(make_project: MakeProject) -> None:
    for seed in range(10, 30):
        for step in Sized(seed, make_project).rounds(12):
            step.check()


class Sized:
    """A project over numbers of very different size, and what must hold for each of its views."""

    def __init__(self, seed: int, make_project: MakeProject) -> None:
        self.rng = random.Random(f"sized {seed}")
        self.project: tw.Project = make_project(SOURCES, VIEWS, name=f"sized{seed}")
        self.odd = self.rng.choice((0.0, 0.0, 0.1))
        self.rows: dict[int, tuple[int, Any, Any]] = {}
        self.next = 0

    def rounds(self, many: int) -> Any:
        groups = list(range(6))
        self.project.ingest("r", pa.table({"id": groups * 2, "g": groups * 2}).slice(0, 6))
        self._put(range(40))
        for _ in range(many):
            run = self.project.refresh()
            assert not run.failed
            assert "rows-missing" not in {view.reason.code for view in run.views.values()}
            yield self
            self._put(range(self.next, self.next + self.rng.choice((0, 1, 5))))
            self._put(self.rng.sample(sorted(self.rows), 2))
            gone = self.rng.sample(sorted(self.rows), self.rng.choice((1, 3)))
            self.rows = {i: row for i, row in self.rows.items() if i not in gone}
            self.project.ingest("s", pa.table({"id": pa.array(gone, pa.int64())}), mode="delete")
            at = self.rng.choice(groups)
            self.project.ingest("r", pa.table({"id": [at], "g": [self.rng.choice(groups)]}), mode="upsert")

    def _put(self, ids: Any) -> None:
        made = {i: (self.rng.randrange(5), self._value(), self._value(small=True)) for i in ids}
        self.next = max([self.next, *(i + 1 for i in made)])
        self.rows |= made
        if made:
            columns = list(zip(*made.values(), strict=True))
            kinds = (pa.int32(), pa.float64(), pa.float32())
            arrays = [pa.array(list(made), pa.int64()), *map(pa.array, columns, kinds)]
            self.project.ingest("s", pa.table(arrays, names=["id", "g", "x", "y"]), mode="upsert")

    def _value(self, *, small: bool = False) -> Any:
        if self.rng.random() < self.odd:
            return self.rng.choice(ODD)
        return self.rng.choice(SIZES[4:9] if small else SIZES) * self.rng.random()

    # --- what must hold ---

    def check(self) -> None:
        self.of_groups()
        self.of_readers()

    def groups(self) -> dict[int, list[float]]:
        found: dict[int, list[float]] = defaultdict(list)
        for g, x, _ in self.rows.values():
            found[g] += [] if x is None else [x]
        return found

    def of_groups(self) -> None:
        """Each group once, each sum within n * eps * sum|x| of the exact one, and one sum for all rows of a group."""
        groups = self.groups()
        for name in ("sums", "extremes"):
            assert sorted(row["g"] for row in self.view(name)) == sorted(groups)
        for row in self.view("sums"):
            values = groups[row["g"]]
            assert is_sum(row["total"], values), (row, values)
            assert is_sum(row["mean"], values, len(values) or 1), (row, values)
        for row in self.view("extremes"):
            values = sorted(groups[row["g"]], key=order)
            assert row["n"] == sum(g == row["g"] for g, *_ in self.rows.values())
            ends = (values[0], values[-1]) if values else (None, None)
            assert tuple(map(same, ends)) == (same(row["low"]), same(row["high"]))
        windows = self.view("windows")
        assert sorted(row["id"] for row in windows) == sorted(self.rows)
        assert all(self.rows[row["id"]][0] == row["g"] for row in windows)
        assert len({(row["g"], same(row["total"])) for row in windows}) == len(groups)
        assert all(is_sum(row["total"], groups[row["g"]]) for row in windows)
        for row in self.view("large"):
            assert order(row["total"]) > (False, 0.5)
            assert is_sum(row["total"], groups[row["g"]])
        sure = {g for g, values in groups.items() if values and surely_above(0.5, values)}
        assert sure <= {row["g"] for row in self.view("large")}
        assert bool(self.view("largest")) == any(groups.values())
        assert all(is_sum(row["total"], groups[row["g"]]) for row in self.view("largest"))

    def of_readers(self) -> None:
        """What is read from a view's stored sums is consistent with them to the letter."""
        sums = {row["g"]: row["total"] for row in self.view("sums")}
        rows = [(g, same(t)) for g, t in sums.items()]
        positive = [(g, same(t)) for g, t in sums.items() if t is not None and order(t) > (False, 0.0)]
        assert sorted(positive, key=str) == sorted(self.pairs("positive"), key=str)
        first = sorted(
            ((g, t) for g, t in sorted(sums.items()) if t is not None), key=lambda row: order(row[1]), reverse=True
        )
        first += [(g, t) for g, t in sorted(sums.items()) if t is None]
        assert Counter((g, same(t)) for g, t in first[:2]) == Counter(self.pairs("first_sums"))
        known = [order(t) for t in sums.values() if t is not None]
        highest = [(g, same(t)) for g, t in sums.items() if t is not None and order(t) == max(known)]
        assert Counter(highest) == Counter(self.pairs("highest"))
        joined = Counter(same(row["total"]) for row in self.view("joined"))
        assert joined == Counter({same(row["total"]): row["n"] for row in self.view("counted")})
        windows = self.view("windows")
        totals = Counter(same(row["total"]) for row in windows)
        assert Counter(totals.keys()) == Counter(same(row["total"]) for row in self.view("different"))
        assert totals == Counter({same(row["total"]): row["n"] for row in self.view("of_window")})
        both = {t for _, t in rows} | joined.keys()
        assert Counter(both) == Counter(same(row["total"]) for row in self.view("both"))
        equal = Counter(w["g"] for w in windows if w["total"] is not None and same(sums[w["g"]]) == same(w["total"]))
        assert equal == Counter(row["g"] for row in self.view("twice"))

    def view(self, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.project.to_arrow(name).to_pylist()
        return found

    def pairs(self, name: str) -> list[tuple[int, Any]]:
        return [(row["g"], same(row["total"])) for row in self.view(name)]


def same(value: float | None) -> Any:
    """A value by which rows are told apart: all NaN are one, and so are both zeros."""
    if value is None:
        return None
    return NAN if math.isnan(value) else value + 0.0


def order(value: float) -> tuple[bool, float]:
    """By what values are sorted: NaN is greater than all others, also than infinity."""
    return (True, 0.0) if math.isnan(value) else (False, value)


def exact(values: list[float]) -> tuple[Fraction, Fraction]:
    """The sum, and by how much a sum in another order may be off."""
    eps = Fraction(2) ** -52
    return sum(map(Fraction, values), Fraction()), len(values) * eps * sum(abs(Fraction(v)) for v in values)


def is_sum(found: float | None, values: list[float], parts: int = 1) -> bool:
    if not values:
        return found is None
    if found is None:
        return False
    odd = [v for v in values if not math.isfinite(v)]
    if odd:
        return bool(same(found) == same(sum(odd)))
    total, bound = exact(values)
    return abs(Fraction(found) - total / parts) <= 2 * bound / parts


def surely_above(limit: float, values: list[float]) -> bool:
    odd = [v for v in values if not math.isfinite(v)]
    if odd:
        return order(sum(odd)) > (False, limit)
    total, bound = exact(values)
    return total - bound > limit

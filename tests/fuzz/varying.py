"""Random projects whose views hold values that come out differently each time: sums of floating point numbers.

Where such a sum is computed twice, its two values differ in the last digits, by the order in which rows come, or not at
all: whether a plan relies on them being equal shows by chance only. Here it shows each time: an aggregate that adds
floating point numbers is off by a tiny factor, another one for each place in the text of a statement where it stands,
far less than `verify` lets pass. So what is compared with itself, or taken out of what is stored, must have been
computed once.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pytest

import tidewheel as tw
from tidewheel.engine.local import ability, engine
from tidewheel.sql.unparse import duck_aggregates
from tidewheel.sql.unparse.duck_aggregates import Calling, Writer
from tidewheel.sql.unparse.texts import Text, made_of
from tidewheel.types import DOUBLE

SOURCES = {
    "s": {"kind": "managed", "schema": "id BIGINT, g INT, h INT, x DOUBLE, y FLOAT", "key": ["id"]},
    "r": {"kind": "managed", "schema": "id BIGINT, g INT, w DOUBLE", "key": ["id"]},
}
ADDS = ("sum", "avg", "mean", "stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop")
GROUPS = 4
OFF = 1e-13


def unsettle(monkeypatch: pytest.MonkeyPatch, rng: random.Random) -> None:
    """Let every evaluation of a sum of floating point numbers come out differently."""

    def unsettled(write: Writer) -> Writer:
        def written(call: Calling) -> Text:
            made = write(call)
            if made.type != DOUBLE:
                return made
            factor = repr(1 + rng.randrange(-1000, 1000) * OFF)
            return made_of(f"({made.sql} * CAST({factor} AS DOUBLE))", [made], kind=DOUBLE)

        return written

    for name in ADDS:
        monkeypatch.setitem(duck_aggregates.AGGREGATES, name, unsettled(duck_aggregates.AGGREGATES[name]))
    monkeypatch.setattr(engine, "in_duckdb", ability.in_duckdb.__wrapped__)  # no text is used again


# --- views ---


@dataclass(frozen=True, slots=True)
class Made:
    """A query, and the names of its columns: those of integers, the ones that tell rows apart, those of floats."""

    sql: str
    whole: tuple[str, ...]
    floats: tuple[str, ...]
    unique: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.whole, *self.floats)


class Queries:
    """Random queries over sources and views."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.aliases = 0
        self.relations = [
            Made("s", ("id", "g", "h"), ("x", "y"), ("id",)),
            Made("r", ("id", "g"), ("w",), ("id",)),
        ]

    def views(self, number: int) -> dict[str, str]:
        found = {}
        for i in range(number):
            made = self.query(self.rng.choice((1, 2, 2, 3, 3, 4)))
            name = f"v{i}"
            found[name] = made.sql
            self.relations.append(replace(made, sql=name))
        return found

    def query(self, depth: int) -> Made:
        if depth == 0:
            at = self.rng.choice(self.relations) if self.rng.random() < 0.5 else self.relations[-1]
            return replace(at, sql=f"SELECT {', '.join(at.names)} FROM {at.sql}")
        makers = (
            [self.groups] * 3 + [self.window] * 2 + [self.selection, self.threshold, self.top, self.computed]
            + [self.join] * 3 + [self.distinct, self.union, self.numbered, self.setop, self.twice]
        )  # fmt: skip
        for _ in range(20):
            made = self.rng.choice(makers)(depth - 1)
            if made is not None and made.whole and made.floats:
                return made
        return self.query(depth - 1)

    def alias(self) -> str:
        self.aliases += 1
        return f"q{self.aliases}"

    def sum_of(self, floats: Sequence[str], whole: Sequence[str], more: Sequence[str] = ()) -> str:
        call = self.rng.choice(("sum", "sum", "sum", "avg", "stddev", "var_pop", *more))
        if call in {"stddev", "var_pop"} and self.rng.random() < 0.3:
            return f"{call}({self.rng.choice(whole)})"
        return f"{call}({self.rng.choice(floats)})"

    def constant(self) -> str:
        return f"{self.rng.choice((0.3, 3, 10, 40)) * self.rng.uniform(0.5, 2):.9f}"

    def groups(self, depth: int) -> Made | None:
        below, q = self.query(depth), self.alias()
        calls = [self.sum_of(below.floats, below.whole, ("min", "max")) for _ in range(self.rng.choice((1, 1, 2)))]
        names = tuple(f"f{i}" for i in range(len(calls)))
        values = ", ".join(f"{c} AS {n}" for c, n in zip(calls, names, strict=True))
        kind = self.rng.random()
        keys = [k for k in below.whole if k != "id" or self.rng.random() < 0.2]
        if kind < 0.15 or not keys:
            return Made(f"SELECT CAST(count(*) AS INT) AS g, {values} FROM ({below.sql}) {q}", ("g",), names, ("g",))
        chosen = tuple(self.rng.sample(keys, self.rng.choice((1, 1, min(2, len(keys))))))
        listed = ", ".join(chosen)
        by, having = listed, ""
        if kind < 0.3:
            by = self.rng.choice((f"ROLLUP({listed})", f"GROUPING SETS (({listed}), ())"))
        if self.rng.random() < 0.25:
            having = f" HAVING {calls[0]} > {self.constant()}"
        unique = () if by != listed else chosen
        return Made(f"SELECT {listed}, {values} FROM ({below.sql}) {q} GROUP BY {by}{having}", chosen, names, unique)

    def window(self, depth: int) -> Made | None:
        below, q = self.query(depth), self.alias()
        if "wf" in below.floats:
            return None
        call, key = self.sum_of(below.floats, below.whole), self.rng.choice(below.whole)
        over = self.rng.choice((f"PARTITION BY {key}", f"PARTITION BY {key}", ""))
        if below.unique and self.rng.random() < 0.3:
            over += f" ORDER BY {', '.join(below.unique)}"
        sql = f"SELECT {', '.join(below.names)}, {call} OVER ({over}) AS wf FROM ({below.sql}) {q}"
        return Made(sql, below.whole, (*below.floats, "wf"), below.unique)

    def numbered(self, depth: int) -> Made | None:
        below, q = self.query(depth), self.alias()
        if "rn" in below.whole:
            return None
        call = self.rng.choice(("row_number()", "rank()", "dense_rank()", "ntile(3)"))
        over = self.rng.choice(("", "", f"PARTITION BY {self.rng.choice(below.whole)} "))
        ends = ", ".join((self.rng.choice(below.floats) + " DESC", *below.whole))
        numbered = f"SELECT {', '.join(below.names)}, {call} OVER ({over}ORDER BY {ends}) AS rn FROM ({below.sql}) {q}"
        made = Made(numbered, (*below.whole, "rn"), below.floats, below.unique)
        if self.rng.random() < 0.5:
            sql = f"SELECT * FROM ({numbered}) {self.alias()} WHERE rn <= {self.rng.randint(1, 5)}"
            return replace(made, sql=sql)
        return made

    def selection(self, depth: int) -> Made | None:
        below, q = self.query(depth), self.alias()
        wanted = f"{self.rng.choice(below.floats)} {self.rng.choice('<>')} {self.constant()}"
        return replace(below, sql=f"SELECT * FROM ({below.sql}) {q} WHERE {wanted}")

    def threshold(self, depth: int) -> Made | None:
        below, q = self.query(depth), self.alias()
        other = self.query(min(depth, 1))
        value = self.sum_of(other.floats, other.whole, ("max", "min"))
        scalar = f"(SELECT {value} * 0.7130917 + 0.0130917 FROM ({other.sql}) {self.alias()})"
        wanted = f"{self.rng.choice(below.floats)} {self.rng.choice('<>')} {scalar}"
        return replace(below, sql=f"SELECT * FROM ({below.sql}) {q} WHERE {wanted}")

    def top(self, depth: int) -> Made | None:
        below, q = self.query(depth), self.alias()
        order = f"{self.rng.choice(below.floats)} {self.rng.choice(('ASC', 'DESC'))}, {', '.join(below.whole)}"
        inner = f"SELECT * FROM ({below.sql}) {q} ORDER BY {order} LIMIT {self.rng.randint(1, 6)}"
        return replace(below, sql=f"SELECT * FROM ({inner}) {self.alias()}")

    def computed(self, depth: int) -> Made | None:
        below, q = self.query(depth), self.alias()
        a, b = (f"CAST({self.rng.choice(below.floats)} AS DOUBLE)" for _ in range(2))
        value = self.rng.choice((f"{a} / ({b} + 1.5)", f"{a} * 2", f"{a} + {b}", f"abs({a})"))
        flag = f"CASE WHEN {a} > {self.constant()} THEN 1 ELSE 0 END"
        whole = ", ".join(below.whole)
        sql = f"SELECT {whole}, {flag} AS t{depth}, {value} AS c{depth} FROM ({below.sql}) {q}"
        if f"t{depth}" in below.whole:
            return None
        return Made(sql, (*below.whole, f"t{depth}"), (f"c{depth}",), below.unique)

    def join(self, depth: int) -> Made | None:
        left, right = self.query(depth), self.query(self.rng.randint(0, depth))
        a, b = self.alias(), self.alias()
        shared = [k for k in left.whole if k in right.whole]
        key = self.rng.choice(shared) if shared else None
        if key is None:
            return None
        on = f"{a}.{key} = {b}.{key}"
        kind = self.rng.choice(("JOIN", "JOIN", "LEFT JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN", "FULL JOIN"))
        if self.rng.random() < 0.2:
            on += f" AND {a}.{self.rng.choice(left.floats)} > {b}.{self.rng.choice(right.floats)} * 0.913097"
        if kind in {"LEFT SEMI JOIN", "LEFT ANTI JOIN"}:
            sql = f"SELECT {a}.* FROM ({left.sql}) {a} {kind} ({right.sql}) {b} ON {on}"
            return replace(left, sql=sql)
        new = [n for n in right.floats if n not in left.floats]
        columns = [f"{a}.{n}" for n in left.names] + [f"{b}.{n}" for n in new]
        if kind == "FULL JOIN":
            columns[0] = f"coalesce({a}.{left.names[0]}, {b}.{key}) AS {left.names[0]}"
        unique = left.unique if kind != "FULL JOIN" and right.unique == (key,) else ()
        sql = f"SELECT {', '.join(columns)} FROM ({left.sql}) {a} {kind} ({right.sql}) {b} ON {on}"
        return Made(sql, left.whole, (*left.floats, *new), unique)

    def distinct(self, depth: int) -> Made | None:
        below, q = self.query(depth), self.alias()
        whole = tuple(self.rng.sample(below.whole, self.rng.randint(1, len(below.whole))))
        sql = f"SELECT DISTINCT {', '.join((*whole, *below.floats))} FROM ({below.sql}) {q}"
        return Made(sql, whole, below.floats)

    def union(self, depth: int) -> Made | None:
        one, other = self.query(depth), self.query(self.rng.randint(0, depth))
        kind = self.rng.choice(("UNION ALL", "UNION"))
        return self._together(one, other, kind)

    def setop(self, depth: int) -> Made | None:
        one, other = self.query(depth), self.query(0)
        return self._together(one, other, self.rng.choice(("EXCEPT", "INTERSECT", "EXCEPT ALL")))

    def _together(self, one: Made, other: Made, kind: str) -> Made:
        parts = []
        for made in (one, other):
            whole, value = self.rng.choice(made.whole), self.rng.choice(made.floats)
            parts.append(
                f"SELECT CAST({whole} AS BIGINT) AS g, CAST({value} AS DOUBLE) AS f0 FROM ({made.sql}) {self.alias()}"
            )
        return Made(f" {kind} ".join(parts), ("g",), ("f0",))

    def twice(self, depth: int) -> Made | None:
        """One subquery, read twice."""
        below, w = self.query(depth), f"w{self.alias()}"
        key, a = self.rng.choice(below.whole), self.rng.choice(below.floats)
        call = self.sum_of(below.floats, below.whole, ("max", "min"))
        sql = (
            f"WITH {w} AS ({below.sql}) SELECT a.{', a.'.join(below.names)}, b.tw FROM {w} a "
            f"JOIN (SELECT {key}, {call} AS tw FROM {w} GROUP BY {key}) b ON a.{key} = b.{key} "
            f"WHERE a.{a} > b.tw * 0.30117"
        )
        return Made(sql, below.whole, (*below.floats, "tw")) if "tw" not in below.floats else None


# --- changes ---


class Rows:
    """The rows of a source while they change."""

    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng, self.name = rng, name
        self.next = 0
        self.ids: list[int] = []

    def table(self, ids: Sequence[int]) -> pa.Table:
        values = [self.rng.uniform(0.5, 10) for _ in ids]
        columns: dict[str, pa.Array] = {
            "id": pa.array(ids, pa.int64()),
            "g": pa.array([self.rng.randrange(GROUPS) for _ in ids], pa.int32()),
        }
        if self.name == "r":
            return pa.table({**columns, "w": pa.array(values, pa.float64())})
        hs = pa.array([self.rng.randrange(3) for _ in ids], pa.int32())
        ys = pa.array([self.rng.uniform(0.5, 10) for _ in ids], pa.float32())
        return pa.table({**columns, "h": hs, "x": pa.array(values, pa.float64()), "y": ys})

    def append(self, project: tw.Project, many: int) -> None:
        ids = list(range(self.next, self.next + many))
        self.next += many
        self.ids += ids
        project.ingest(self.name, self.table(ids))

    def upsert(self, project: tw.Project, many: int) -> None:
        ids = self.rng.sample(self.ids, min(many, len(self.ids)))
        if ids:
            project.ingest(self.name, self.table(ids), mode="upsert")

    def delete(self, project: tw.Project, many: int) -> None:
        ids = self.rng.sample(self.ids, min(many, len(self.ids)))
        if ids:
            self.ids = [i for i in self.ids if i not in ids]
            project.ingest(self.name, pa.table({"id": pa.array(ids, pa.int64())}), mode="delete")


def changes(rng: random.Random, rows: Mapping[str, Rows], project: tw.Project, rounds: int) -> Iterator[int]:
    """Rounds of changes; whoever takes one refreshes."""
    rows["s"].append(project, rng.choice((12, 30)))
    rows["r"].append(project, 6)
    yield 0
    for number in range(1, rounds + 1):
        for name in rng.choice((["s"], ["s"], ["r"], ["s", "r"])):
            for step in rng.sample((Rows.append, Rows.upsert, Rows.delete), rng.choice((1, 2))):
                step(rows[name], project, rng.choice((1, 2, 4)))
        yield number

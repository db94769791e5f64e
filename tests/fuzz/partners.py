"""Random views of the shapes for which auxiliary states are offered: joins with groups, and EXISTS over joins."""

from __future__ import annotations

import random

from tests.unit.delta.stories import SCHEMAS

OUTER = ("t", "u", "a")
COLUMNS = {name: [field.split()[0] for field in SCHEMAS[name].split(", ")] for name in (*OUTER, "b")}
KEYS = ("b.g", "b.g", "b.y", "b.g + b.y", "coalesce(b.g, 1)")
CALLS = ("count(*)", "count(b.y)", "sum(b.y)", "avg(b.y)", "max(b.y)", "min(b.g)", "count(b.y) FILTER (WHERE b.g > 1)")


class Partners:
    """One view after the other, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"partners {seed}")

    def view(self) -> str:
        """Rows of some tables joined with groups of `b`, and something above them."""
        names = self.rng.sample(OUTER, self.rng.choice([1, 1, 2, 2, 3]))
        keys = self.rng.choices(KEYS, k=self.rng.choice([1, 1, 2]))
        matches = [f"{self._column(names)} {self._equal()} q.k{i}" for i in range(len(keys))]
        if self.rng.random() < 0.2:
            matches.append(f"q.n >= {self._column(names)}")
        rows = (
            f"SELECT {self._column(names)} AS o1, {self._column(names)} AS o2, q.n AS n, q.k0 AS k "
            f"FROM {self._outer(names)} JOIN {self._groups(keys, names)} AS q ON {' AND '.join(matches)} "
            f"WHERE {' AND '.join(self._conditions(names))}"
        )
        return self._above(rows)

    def _outer(self, names: list[str]) -> str:
        text = names[0]
        for i, name in enumerate(names[1:], 1):
            pairs = range(self.rng.choice([1, 1, 2]))
            on = [f"{self._column(names[:i])} {self._equal()} {self._column([name])}" for _ in pairs]
            text += f" JOIN {name} ON {' AND '.join(on)}"
        return text

    def _conditions(self, names: list[str]) -> list[str]:
        compared = self.rng.choices(["<", "<=", "=", "<>", ">"], k=self.rng.choice([1, 1, 2]))
        found = [f"{self._column(names)} {by} {self.rng.choice([1, 2])}" for by in compared]
        if self.rng.random() < 0.3:
            among = f"SELECT g FROM {self.rng.choice(['a', 'b', 'u'])} WHERE g IS NOT NULL"
            found.append(f"{self._column(names)} {self._maybe_not()}IN ({among})")
        if self.rng.random() < 0.3:
            matched = f"p.g {self._equal()} {self._column(names)}"
            found.append(f"{self._maybe_not()}EXISTS (SELECT 1 FROM b AS p JOIN u AS r ON p.y = r.k WHERE {matched})")
        return found

    def _groups(self, keys: list[str], names: list[str]) -> str:
        joined = " JOIN a ON b.g = a.x" if "a" not in names and self.rng.random() < 0.25 else ""
        where, having = self.rng.choice(["", "", " WHERE b.y < 3"]), self.rng.choice(["", "", " HAVING count(*) > 1"])
        shown = ", ".join(f"{key} AS k{i}" for i, key in enumerate(keys))
        by = ", ".join(dict.fromkeys(keys))
        return f"(SELECT {shown}, {self.rng.choice(CALLS)} AS n FROM b{joined}{where} GROUP BY {by}{having})"

    def _above(self, rows: str) -> str:
        return self.rng.choice(
            [
                rows,
                rows,
                f"SELECT o1, sum(n) AS s, count(*) AS c FROM ({rows}) GROUP BY o1",
                f"SELECT o1, count(*) AS c FROM ({rows}) GROUP BY o1 HAVING count(*) > 1",
                f"SELECT * FROM ({rows}) ORDER BY n DESC, o1 LIMIT 2",
                f"SELECT x, g FROM a WHERE {self._maybe_not()}EXISTS (SELECT 1 FROM ({rows}) AS z WHERE z.o1 = a.x)",
                f"SELECT o1, n, rank() OVER (PARTITION BY o2 ORDER BY n) AS r FROM ({rows})",
                f"SELECT o1, n FROM ({rows}) UNION ALL SELECT x, 1 FROM a",
                f"SELECT o1, o2, sum(n) AS s FROM ({rows}) GROUP BY ROLLUP (o1, o2)",
            ]
        )

    def _column(self, names: list[str]) -> str:
        name = self.rng.choice(names)
        return f"{name}.{self.rng.choice(COLUMNS[name])}"

    def _equal(self) -> str:
        return self.rng.choice(["=", "=", "=", "<=>"])

    def _maybe_not(self) -> str:
        return self.rng.choice(["", "NOT "])

"""What one CTE of a made-up query may do; each step is a text over the names of what it reads.

All relations between steps have the same four BIGINT columns, so that any step may follow any other:

    id    never NULL, and in no two rows the same: a join by it never multiplies rows
    g     a group, often NULL
    x     never NULL, less than 1000 in size: sums are taken modulo
    y     may be NULL, as small

So a query over tens of rows gives tens of rows, however deep it is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

Step = Callable[[random.Random, str], str]
"""A text over one relation."""
Merge = Callable[[random.Random, str, str], str]
"""A text over two relations."""

EPOCH: Final = "DATE '2024-01-01'"
STAGING: Final[Mapping[str, str]] = {
    "accounts": f"""SELECT account_id AS id, coalesce(parent_id, 0) % 5 AS g,
    CAST(length(account_name) AS BIGINT) AS x, CAST(datediff(created_on, {EPOCH}) AS BIGINT) AS y
  FROM accounts WHERE account_name IS NOT NULL""",
    "users": f"""SELECT user_id AS id, account_id AS g,
    CAST(CASE WHEN is_active THEN 7 ELSE 3 END AS BIGINT) AS x, CAST(datediff(signed_up_on, {EPOCH}) AS BIGINT) AS y
  FROM users""",
    "orders": f"""SELECT order_id AS id, account_id AS g,
    CAST(CASE channel WHEN 'web' THEN 1 WHEN 'sales' THEN 20 ELSE 300 END AS BIGINT) AS x,
    CAST(datediff(ordered_on, {EPOCH}) AS BIGINT) AS y
  FROM orders WHERE status <> 'cancelled'""",
    "order_items": """SELECT order_id AS id, max(product_id) AS g, sum(coalesce(quantity, 0)) % 1000 AS x,
    CAST(sum(unit_price * quantity) AS BIGINT) % 1000 AS y
  FROM order_items GROUP BY order_id""",
    "payments": """SELECT payment_id AS id, order_id AS g, CAST(coalesce(amount, 0) AS BIGINT) % 1000 AS x,
    CAST(CASE WHEN status = 'settled' THEN 1 END AS BIGINT) AS y
  FROM payments""",
    "events": f"""SELECT user_id AS id, g, x, y FROM (
    SELECT user_id, CAST(minute_of_day AS BIGINT) % 6 AS g, CAST(coalesce(value, 0) AS BIGINT) AS x,
      CAST(datediff(event_day, {EPOCH}) AS BIGINT) AS y,
      row_number() OVER (PARTITION BY user_id ORDER BY event_day DESC, minute_of_day, event_type, value) AS place
    FROM events
  ) AS e WHERE place = 1 AND user_id IS NOT NULL""",
    "touches": """SELECT user_id AS id, count(DISTINCT campaign) AS g, count(*) AS x,
    CAST(sum(cost) AS BIGINT) % 1000 AS y
  FROM touches WHERE user_id IS NOT NULL GROUP BY user_id""",
    "stock_moves": """SELECT product_id AS id, count_if(kind = 'issue') AS g, sum(coalesce(quantity, 0)) % 1000 AS x,
    CAST(max(quantity) AS BIGINT) AS y
  FROM stock_moves WHERE product_id IS NOT NULL GROUP BY product_id""",
    "tickets": f"""SELECT ticket_id AS id, account_id AS g, CAST(coalesce(priority, 4) AS BIGINT) AS x,
    CAST(datediff(closed_on, {EPOCH}) AS BIGINT) AS y
  FROM tickets""",
    "subscriptions": """SELECT subscription_id AS id, account_id AS g, CAST(coalesce(seats, 1) AS BIGINT) AS x,
    plan_id AS y
  FROM subscriptions WHERE started_on IS NOT NULL""",
    "products": """SELECT product_id AS id, CAST(length(category) AS BIGINT) AS g,
    CAST(coalesce(list_price, 0) AS BIGINT) AS x, CAST(unit_cost AS BIGINT) AS y
  FROM products""",
    "calendar": """SELECT CAST(day_no AS BIGINT) AS id, count(*) AS g, CAST(max(dayofweek(day)) AS BIGINT) AS x,
    CAST(max(CASE WHEN is_workday THEN 1 END) AS BIGINT) AS y
  FROM calendar WHERE day_no IS NOT NULL GROUP BY day_no""",
}


# --- over one relation ---


def scored(rng: random.Random, a: str) -> str:
    low, high = rng.randint(1, 50), rng.randint(100, 400)
    return f"""SELECT id, g,
    CASE WHEN x < {low} THEN (x + {high}) % 1000 WHEN y IS NULL THEN 1 WHEN y > {low} THEN (x + y) % 1000 ELSE x
    END AS x,
    coalesce(y, g) AS y
  FROM {a}"""


def filtered(rng: random.Random, a: str) -> str:
    over = rng.choice((7, 11, 13))
    tests = (f"x % {over} <> {rng.randrange(over)}", f"(y IS NULL OR y % {over} <> {rng.randrange(over)})")
    return f"SELECT id, g, x, y FROM {a} WHERE {rng.choice(tests)}"


def first_of_group(rng: random.Random, a: str) -> str:
    parts = rng.choice(("g, id % 7", "x % 31, id % 3", "id % 23"))
    order = rng.choice(("x DESC, id", "id", "y, id DESC"))
    return f"""SELECT id, g, x, y FROM (
    SELECT id, g, x, y, row_number() OVER (PARTITION BY {parts} ORDER BY {order}) AS place FROM {a}
  ) AS p WHERE place = 1"""


def joined_with_its_groups(rng: random.Random, a: str) -> str:
    kind = rng.choice(("JOIN", "LEFT JOIN", "LEFT JOIN"))
    having = rng.choice(("", " HAVING count(*) > 1")) if kind == "LEFT JOIN" else ""
    return f"""SELECT l.id, l.g, (l.x + coalesce(r.total, 0)) % 1000 AS x, r.most AS y
  FROM {a} AS l
  {kind} (SELECT g, sum(x) AS total, max(y) AS most FROM {a} GROUP BY g{having}) AS r ON r.g = l.g"""


def against_total(rng: random.Random, a: str) -> str:
    return f"""SELECT id, g, ((SELECT sum(x) FROM {a}) + x) % 1000 AS x, y % {rng.randint(3, 9)} AS y FROM {a}"""


def running_sum(rng: random.Random, a: str) -> str:
    frame = rng.choice(("", f" ROWS BETWEEN {rng.randint(1, 3)} PRECEDING AND CURRENT ROW"))
    return f"""SELECT id, g, sum(x) OVER (PARTITION BY g ORDER BY id{frame}) % 1000 AS x,
    lag(y) OVER (PARTITION BY g ORDER BY id) AS y
  FROM {a}"""


def ranked(rng: random.Random, a: str) -> str:
    function = rng.choice(("rank", "dense_rank", "row_number"))
    return f"""SELECT id,
    CAST({function}() OVER (PARTITION BY g ORDER BY x DESC, id) AS BIGINT) % {rng.randint(3, 6)} AS g,
    (x + count(*) OVER (PARTITION BY g)) % 1000 AS x, max(y) OVER (PARTITION BY g) AS y
  FROM {a}"""


def sessions(rng: random.Random, a: str) -> str:
    return f"""SELECT id, sum(starts) OVER (PARTITION BY g ORDER BY id) AS g, x, y FROM (
    SELECT id, g, x, y,
      CASE WHEN x - lag(x) OVER (PARTITION BY g ORDER BY id) < {rng.randint(5, 90)} THEN 0 ELSE 1 END AS starts
    FROM {a}
  ) AS s"""


def grouped(rng: random.Random, a: str) -> str:
    key = rng.choice(("id % 29", "(id + coalesce(g, 0)) % 37", "x % 41"))
    return f"""SELECT {key} AS id, min(g) AS g, sum(x) % 1000 AS x, count(y) AS y FROM {a} GROUP BY {key}"""


def distinct_groups(rng: random.Random, a: str) -> str:
    return f"""SELECT id, count(*) AS g, max(x) AS x, min(x) AS y
  FROM (SELECT DISTINCT id % {rng.randint(19, 31)} AS id, x FROM {a}) AS d GROUP BY id"""


# --- over two relations; that of the first has the more to say ---


def enriched(rng: random.Random, a: str, b: str) -> str:
    kind, on = rng.choice(
        (("JOIN", "l.id % 9 + 1"), *(("LEFT JOIN", on) for on in ("l.id", "l.id", "l.g", "l.g % 8 + 1")))
    )
    return f"""SELECT l.id, coalesce(l.g, r.g) AS g, (l.x + coalesce(r.x, 0)) % 1000 AS x, coalesce(r.y, l.y) AS y
  FROM {a} AS l {kind} {b} AS r ON r.id = {on}"""


def left_joined(rng: random.Random, a: str, b: str) -> str:
    more = rng.choice(("", " AND r.x > l.x", " AND r.y IS NOT NULL"))
    return f"""SELECT l.id, r.g AS g, (l.x + coalesce(r.x, 1)) % 1000 AS x, coalesce(l.y, r.y) AS y
  FROM {a} AS l LEFT JOIN {b} AS r ON r.id = l.id{more}"""


def full_joined(_: random.Random, a: str, b: str) -> str:
    return f"""SELECT coalesce(l.id, r.id) AS id, coalesce(l.g, r.g) AS g,
    (coalesce(l.x, 0) + coalesce(r.x, 0)) % 1000 AS x, r.y AS y
  FROM {a} AS l FULL JOIN {b} AS r ON r.id = l.id"""


def kept_if_there(rng: random.Random, a: str, b: str) -> str:
    text = f"SELECT l.id, l.g, l.x, l.y FROM {a} AS l"
    choices = (
        f"{text} WHERE EXISTS (SELECT 1 FROM {b} AS r WHERE r.id % 8 = l.id % 8 AND r.x <> l.x)",
        f"{text} WHERE l.id % 7 IN (SELECT r.id % 7 FROM {b} AS r)",
        f"{text} LEFT SEMI JOIN {b} AS r ON r.g = l.g OR r.id = l.id",
    )
    return rng.choice(choices[:2] if rng.random() < 0.9 else choices)


def kept_if_missing(rng: random.Random, a: str, b: str) -> str:
    text = f"SELECT l.id, l.g, l.x, l.y FROM {a} AS l"
    return rng.choice(
        (
            f"{text} WHERE NOT EXISTS (SELECT 1 FROM {b} AS r WHERE r.id = l.id AND r.x % 6 = l.x % 6)",
            f"{text} WHERE l.id NOT IN (SELECT r.id + 3 FROM {b} AS r WHERE r.x % 5 = 2)",
            f"{text} LEFT ANTI JOIN {b} AS r ON r.id = l.id AND r.x % 4 = 1",
        )
    )


def joined_with_groups(rng: random.Random, a: str, b: str) -> str:
    aggregate = rng.choice(("sum(x)", "max(x)", "count(DISTINCT x)"))
    return f"""SELECT l.id, l.g, (l.x + coalesce(r.total, 0)) % 1000 AS x, l.y
  FROM {a} AS l LEFT JOIN (SELECT g, {aggregate} AS total FROM {b} GROUP BY g) AS r ON r.g = l.g"""


def grouped_join(rng: random.Random, a: str, b: str) -> str:
    kind = rng.choice(("JOIN", "LEFT JOIN"))
    return f"""SELECT l.id % 43 AS id, max(r.g) AS g, sum(l.x + coalesce(r.x, 0)) % 1000 AS x, count(r.id) AS y
  FROM {a} AS l {kind} {b} AS r ON r.id = l.id GROUP BY l.id % 43"""


def windowed_join(rng: random.Random, a: str, b: str) -> str:
    order = rng.choice(("l.id", "l.x, l.id"))
    return f"""SELECT l.id, l.g,
    (l.x + coalesce(sum(r.x) OVER (PARTITION BY l.g ORDER BY {order}), 0)) % 1000 AS x,
    lead(r.y) OVER (PARTITION BY l.g ORDER BY {order}) AS y
  FROM {a} AS l LEFT JOIN {b} AS r ON r.id = l.id"""


def merged(_: random.Random, a: str, b: str) -> str:
    return f"""SELECT id, max(g) AS g, sum(x) % 1000 AS x, min(y) AS y
  FROM (SELECT id, g, x, y FROM {a} UNION ALL SELECT id, g, x, y FROM {b}) AS u GROUP BY id"""


# --- over many ---


def joined_all(names: list[str]) -> str:
    """A report with a column of each."""
    columns = [f"r{n}.x AS x{n}" if n % 2 else f"coalesce(r{n}.x, 0) AS x{n}" for n in range(1, len(names))]
    joins = [f"\nLEFT JOIN {name} AS r{n} ON r{n}.id = r0.id" for n, name in enumerate(names) if n]
    return f"SELECT {', '.join(['r0.id', 'r0.g', 'r0.x', 'r0.y', *columns])}\nFROM {names[0]} AS r0{''.join(joins)}"


def union_of(rng: random.Random, names: list[str]) -> str:
    """Ten branches, as event types are brought together; an id may be in several of them."""
    branches = [
        f"SELECT id, g, (x + {n}) % 1000 AS x, {rng.choice(('y', 'g AS y'))}"
        f" FROM {rng.choice(names) if n else names[0]}"
        f" WHERE {'id' if n % 2 else 'x'} % 10 = {n}"
        for n in range(10 - len(names) + 1)
    ]
    branches += [f"SELECT id, g, x, y FROM {name} WHERE x % 3 <> 1" for name in names[1:]]
    return "\n  UNION ALL ".join(branches)


def one_row_each(_: random.Random, a: str) -> str:
    """What a union gives, with one row for an id again."""
    return f"SELECT id, max(g) AS g, sum(x) % 1000 AS x, min(y) AS y FROM {a} GROUP BY id"

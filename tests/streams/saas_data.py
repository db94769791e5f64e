"""The first rows of the business behind the large queries: tens of rows for a source times a scale, by seed."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

Row = tuple[Any, ...]
FIRST_DAY: Final = dt.date(2024, 1, 1)
DAYS: Final = 63
"""Nine weeks, in the calendar; a few things happen before and after."""
COUNTS: Final[Mapping[str, int]] = {
    "accounts": 12,
    "users": 24,
    "plans": 4,
    "plan_prices": 10,
    "subscriptions": 20,
    "products": 10,
    "orders": 36,
    "order_items": 60,
    "payments": 40,
    "events": 70,
    "touches": 36,
    "stock_moves": 40,
    "tickets": 20,
    "calendar": DAYS,
}
FIXED: Final = ("plans", "plan_prices", "calendar")
"""However large the business is."""
EVENT_TYPES: Final = (
    "visit",
    "view",
    "search",
    "cart",
    "checkout",
    "purchase",
    "signup",
    "invite",
    "export",
    "login",
)


class SaasRows:
    """Makes rows; `number` is the first column of the key where there is one, and grows with what is made."""

    def __init__(self, seed: int, scale: int = 1) -> None:
        self.random, self.scale = random.Random(seed), scale
        self.counts = {name: count if name in FIXED else count * scale for name, count in COUNTS.items()}
        self.makers: Mapping[str, Callable[[int], Row]] = {
            "accounts": self._account,
            "users": self._user,
            "plans": self._plan,
            "plan_prices": self._plan_price,
            "subscriptions": self._subscription,
            "products": self._product,
            "orders": self._order,
            "order_items": self._order_item,
            "payments": self._payment,
            "events": self._event,
            "touches": self._touch,
            "stock_moves": self._stock_move,
            "tickets": self._ticket,
            "calendar": self._calendar,
        }

    def tables(self) -> dict[str, list[Row]]:
        found = {name: [make(n) for n in range(1, self.counts[name] + 1)] for name, make in self.makers.items()}
        for name in ("events", "touches", "stock_moves"):
            found[name] += self.random.sample(found[name], 4)
        return found

    def row(self, name: str, number: int) -> Row:
        return self.makers[name](number)

    def _account(self, number: int) -> Row:
        parent = self._maybe(self._id("accounts"), 0.5)
        segment = self._one("small", "middle", "large")
        return (number, f"account {number}", segment, self._one("de", "fr", "us"), parent, self._day(-60, 20))

    def _user(self, number: int) -> Row:
        role = self._one("admin", "member", "viewer")
        return (number, self._id("accounts"), role, self._day(-30, 40), self.random.random() < 0.8)

    def _plan(self, number: int) -> Row:
        return (number, f"plan-{number}", 1 + number % 3, 5 * number)

    def _plan_price(self, number: int) -> Row:
        """Each plan has a price from one day to the next change, the last one without an end."""
        plan, turn = 1 + (number - 1) % self.counts["plans"], (number - 1) // self.counts["plans"]
        last = number + self.counts["plans"] > self.counts["plan_prices"]
        start = FIRST_DAY + dt.timedelta(days=30 * turn - 30)
        return (plan, start, None if last else start + dt.timedelta(days=30), self._money(10, 200))

    def _subscription(self, number: int) -> Row:
        start = self._day(-20, 45)
        end = self._maybe(start + dt.timedelta(days=self.random.randint(5, 50)), 0.5)
        seats, status = self.random.randint(1, 30), self._one("active", "trial", "cancelled")
        return (number, self._id("accounts"), self._id("plans"), seats, start, end, status)

    def _product(self, number: int) -> Row:
        weight = self.random.randint(1, 400) / 8
        category = self._one("hardware", "books", "training")
        return (number, f"product {number}", category, self._money(20, 90), self._money(5, 20), weight)

    def _order(self, number: int) -> Row:
        status = self._one("paid", "paid", "open", "cancelled")
        channel = self._one("web", "sales", "partner")
        return (number, self._id("accounts"), self._id("users"), self._day(0, DAYS), channel, status)

    def _order_item(self, number: int) -> Row:
        """The lines go round the orders, so that the keys differ."""
        order, line = 1 + (number - 1) % self.counts["orders"], 1 + (number - 1) // self.counts["orders"]
        discount = self._one(0, 0, 5, 10, None)
        return (order, line, self._id("products"), self.random.randint(1, 9), self._money(10, 90), discount)

    def _payment(self, number: int) -> Row:
        status = self._one("settled", "settled", "failed", "refunded")
        method = self._one("card", "wire")
        return (number, self._id("orders"), self._day(1, DAYS), self._money(10, 400), method, status)

    def _event(self, number: int) -> Row:
        minute = self.random.randrange(0, 1440, 7)
        kind = EVENT_TYPES[min(int(self.random.expovariate(0.3)), len(EVENT_TYPES) - 1)]
        return (
            1 + number % (9 * self.scale),
            kind,
            self._day(0, 20),
            minute,
            self._maybe(self.random.randint(0, 50), 0.9),
        )

    def _touch(self, number: int) -> Row:
        medium = self._one("search", "social", "mail", "direct")
        return (1 + number % (15 * self.scale), f"campaign {number % 4}", medium, self._day(0, 40), self._money(0, 9))

    def _stock_move(self, number: int) -> Row:
        kind = self._one("receipt", "issue", "correction", "return")
        return (1 + number % self.counts["products"], self._day(-3, DAYS), kind, self.random.randint(1, 40))

    def _ticket(self, number: int) -> Row:
        opened = self._day(0, DAYS)
        closed = self._maybe(opened + dt.timedelta(days=self.random.randint(0, 9)), 0.7)
        priority, score = self.random.randint(1, 4), self._maybe(self.random.randint(1, 5), 0.6)
        return (number, self._id("accounts"), self._id("users"), opened, closed, priority, score)

    def _calendar(self, number: int) -> Row:
        day = FIRST_DAY + dt.timedelta(days=number - 1)
        week = day - dt.timedelta(days=day.weekday())
        return (day, number, week, day.replace(day=1), day.weekday() < 5)

    def _id(self, name: str) -> int | None:
        """That of a row, of one that will come, or now and then none."""
        return self.random.randint(1, self.counts[name] + 1) if self.random.random() < 0.96 else None

    def _day(self, first: int, last: int) -> dt.date:
        return FIRST_DAY + dt.timedelta(days=self.random.randint(first, last))

    def _money(self, least: int, most: int) -> Decimal:
        return Decimal(self.random.randint(100 * least, 100 * most)).scaleb(-2)

    def _one(self, *values: Any) -> Any:
        return self.random.choice(values)

    def _maybe(self, value: Any, share: float) -> Any:
        return value if self.random.random() < share else None

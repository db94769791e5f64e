"""What happens in the demo shop, day by day: orders, returns, movements of stock, clicks."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from itertools import accumulate
from math import ceil, sqrt
from random import Random
from typing import NamedTuple

from tidewheel.demo.catalog import CATEGORIES, FIRST, Catalog, date_of, home, pick

WEEKDAYS = (0.95, 0.93, 0.96, 1.0, 1.07, 1.12, 0.97)
BASKETS = (1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6)
QUANTITIES = (1, 1, 1, 1, 1, 1, 2, 2, 3)
CHANNELS = ("app",) * 5 + ("web",) * 3 + ("store",) * 3
COUPONS = ("WELCOME10", "welcome10", " WELCOME10", "SPRING5", "spring5")
"""As people type them."""
NO_DISCOUNT, SMALL, WELCOME, FLASH = Decimal("0.00"), Decimal("0.05"), Decimal("0.10"), Decimal("0.20")
REASONS = ("broken", "broken", "not as shown", "changed my mind", "changed my mind", None)
PAGE_VIEWS = (1, 1, 1, 1, 2, 2, 3, 4)
DELIVERY_CYCLE = 14
RETURN_DAYS = range(4, 14)

Movement = tuple[dt.date, int, str, int]
"""Day, product, kind, quantity."""
Click = tuple[int, str, int | None, int | None, str]
"""Microseconds since 1970 in UTC, visitor, customer, product, page."""
Visit = tuple[str, int | None, list[tuple[str, int | None]]]
"""Visitor, customer, and the pages opened, with the product where it is a product's page."""


class Line(NamedTuple):
    order: int
    line: int
    product: int
    quantity: int
    price: Decimal
    discount: Decimal


class TradeOrder(NamedTuple):
    id: int
    customer: int
    date: dt.date
    channel: str
    coupon: str | None
    cancelled: bool
    """The customer cancels it on the day after."""
    lines: list[Line]


class Return(NamedTuple):
    id: int
    day: int
    sold: Line
    quantity: int
    reason: str | None


def demand(seed: int, scale: float, day: int) -> tuple[int, bool]:
    """The number of orders of a day, and whether it has a flash sale, as the last Friday of a month does."""
    date = date_of(day)
    rng = Random(f"{seed}:demand:{day}")
    orders = 210 * scale * (1 + 0.003 * (day - FIRST)) * WEEKDAYS[date.weekday()] * (0.95 + 0.1 * rng.random())
    flash = date.weekday() == 4 and (date + dt.timedelta(days=7)).month != date.month
    if flash:
        orders *= 1.9
    elif rng.random() < 0.025:
        orders *= 0.35  # the web shop was down for hours
    return max(2, round(orders)), flash


class Trading:
    """A day follows from seed, scale and day alone, so it can be made without all the days before it."""

    def __init__(self, seed: int, scale: float) -> None:
        self.seed = seed
        self.scale = scale
        self.catalog = Catalog(seed, scale)
        self._orders: dict[int, list[TradeOrder]] = {}
        self._returns: dict[int, list[Return]] = {}
        self._flow: dict[int, dict[str, Counter[int]]] = {}

    def _rng(self, what: str, day: int) -> Random:
        return Random(f"{self.seed}:{what}:{day}")

    # --- orders ---

    def orders(self, day: int) -> list[TradeOrder]:
        """All orders placed on a day, those cancelled later too."""
        if day < FIRST:
            return []
        if day not in self._orders:
            self._orders[day] = self._place_orders(day)
        return self._orders[day]

    def _place_orders(self, day: int) -> list[TradeOrder]:
        rng = self._rng("orders", day)
        count, flash = demand(self.seed, self.scale, day)
        first_id = 100_001 + sum(demand(self.seed, self.scale, d)[0] for d in range(FIRST, day))
        products = self.catalog.products(day)
        baskets = self._baskets(rng, day, count)
        date = date_of(day)
        orders = []
        for order_id, basket in zip(range(first_id, first_id + count), baskets, strict=True):
            coupon = pick(rng, COUPONS) if rng.random() < 0.15 else None
            discount = _discount(coupon, flash=flash)
            lines = [
                Line(order_id, n, p, _quantity(rng), products[p - 1].price, discount) for n, p in enumerate(basket, 1)
            ]
            buyer, channel, cancelled = self._buyer(rng, day), pick(rng, CHANNELS), rng.random() < 0.02
            orders.append(TradeOrder(order_id, buyer, date, channel, coupon, cancelled, lines))
        return orders

    def _baskets(self, rng: Random, day: int, count: int) -> list[list[int]]:
        """The products of each order, none twice; what goes together is often bought together."""
        picks = iter(self.popular(rng, day, count * max(BASKETS)))
        baskets = []
        for _ in range(count):
            basket = [next(picks)]
            for _ in range(pick(rng, BASKETS) - 1):
                product = self._companion(basket[-1]) if rng.random() < 0.3 else next(picks)
                if product not in basket:
                    basket.append(product)
            baskets.append(basket)
        return baskets

    def popular(self, rng: Random, day: int, count: int) -> list[int]:
        """Ids of products, drawn by how well each sells at that time of the year."""
        season = [_season(category.season, day) for category in CATEGORIES]
        weights = (w * season[i % len(season)] for i, w in enumerate(self.catalog.popularity, 1))
        return rng.choices(range(1, self.catalog.size + 1), cum_weights=list(accumulate(weights)), k=count)

    def _companion(self, product: int) -> int:
        return (product * 7 + 2) % self.catalog.size + 1

    def _buyer(self, rng: Random, day: int) -> int:
        """A newcomer of the last month, or any customer, the older ones more often."""
        now = self.catalog.customer_count(day)
        before = self.catalog.customer_count(day - 30)
        if now > before and rng.random() < 0.01 * min(30, day - FIRST + 1):
            return before + 1 + int((now - before) * rng.random())
        return 1 + int(now * rng.random() ** 1.3)

    def cancelled(self, day: int) -> list[TradeOrder]:
        """The orders that are cancelled on a day."""
        return [order for order in self.orders(day - 1) if order.cancelled]

    # --- returns ---

    def returns(self, day: int) -> list[Return]:
        """What comes back on a day."""
        return [r for lag in RETURN_DAYS for r in self._returns_of(day - lag) if r.day == day]

    def _returns_of(self, sold_on: int) -> list[Return]:
        if sold_on not in self._returns:
            rng = self._rng("returns", sold_on)
            lines = [line for order in self.orders(sold_on) if not order.cancelled for line in order.lines]
            back = [line for line in lines if rng.random() < home(line.product).return_rate and line.quantity]
            self._returns[sold_on] = [
                Return(
                    line.order * 10 + line.line,
                    sold_on + pick(rng, RETURN_DAYS),
                    line,
                    1 + int(rng.random() * line.quantity),
                    pick(rng, REASONS),
                )
                for line in back
            ]
        return self._returns[sold_on]

    # --- stock ---

    def movements(self, day: int) -> list[Movement]:
        """The day's lines of the stock log; the first day opens it."""
        date = date_of(day)
        kinds = {**self.flow(day), "delivery": self._deliveries(day)}
        if day == FIRST:
            kinds = {"opening": self._opening(), **kinds}
        return [(date, p, kind, n) for kind, moved in kinds.items() for p, n in sorted(moved.items()) if n]

    def flow(self, day: int) -> dict[str, Counter[int]]:
        """What leaves and comes back on a day, by kind and product."""
        if day not in self._flow:
            sale, cancel, back, loss = Counter[int](), Counter[int](), Counter[int](), Counter[int]()
            for order in self.orders(day):
                for line in order.lines:
                    sale[line.product] -= line.quantity
            for order in self.cancelled(day):
                for line in order.lines:
                    cancel[line.product] += line.quantity
            for returned in self.returns(day):
                if returned.reason != "broken":
                    back[returned.sold.product] += returned.quantity
            rng = self._rng("loss", day)
            for _ in range(max(1, self.catalog.size // 80) if day >= FIRST else 0):
                loss[1 + int(rng.random() * self.catalog.size)] -= 1
            self._flow[day] = {"sale": sale, "cancel": cancel, "return": back, "loss": loss}
        return self._flow[day]

    def _deliveries(self, day: int) -> Counter[int]:
        """Every product is filled up once in a cycle with what has left since the last time."""
        due = range((-day) % DELIVERY_CYCLE, self.catalog.size + 1, DELIVERY_CYCLE)
        flows = [moved for d in range(day - DELIVERY_CYCLE, day) for moved in self.flow(d).values()]
        return Counter({p: max(0, -sum(moved[p] for moved in flows)) for p in due if p})

    def _opening(self) -> Counter[int]:
        """Stock for one delivery cycle in the best season, with more or less to spare."""
        weights = [w * max(home(p).season) for p, w in enumerate(self.catalog.popularity, 1)]
        drawn = weights.copy()
        for product, weight in enumerate(drawn, 1):
            weights[self._companion(product) - 1] += 0.3 * weight
        units_a_day = 950 * self.scale / sum(weights)
        opening = Counter[int]()
        for product, weight in enumerate(weights, 1):
            spare = 1.0 + 1.1 * self._rng("opening", product).random()
            expected = DELIVERY_CYCLE * units_a_day * weight
            opening[product] = ceil(expected * spare + 3 * sqrt(expected) + 3)
        return opening

    # --- clicks ---

    def clicks(self, day: int) -> tuple[list[Click], list[Click]]:
        """The clicks of a day: those that reach us at once, and those that reach us a day late."""
        rng = self._rng("clicks", day)
        count = demand(self.seed, self.scale, day)[0]
        wanted = iter(self.popular(rng, day, 3 * count * max(PAGE_VIEWS)))
        visits = [_buying(order) for order in self.orders(day) if order.channel == "web"]
        for _ in range(3 * count):
            customer = self._buyer(rng, day) if rng.random() < 0.25 else None
            visitor = _cookie(customer) if customer else f"{rng.getrandbits(40):010x}"
            visits.append((visitor, customer, _browsing(rng, [next(wanted) for _ in range(pick(rng, PAGE_VIEWS))])))
        midnight = (date_of(day) - dt.date(1970, 1, 1)).days * 86_400_000_000
        prompt: list[Click] = []
        late: list[Click] = []
        for visit in visits:
            (late if rng.random() < 0.01 else prompt).extend(_timed(rng, midnight, visit))
        return prompt, late


def _season(ends: tuple[float, float], day: int) -> float:
    start, end = ends
    return start + (end - start) * min(1.0, (day - FIRST) / -FIRST)


def _discount(coupon: str | None, *, flash: bool) -> Decimal:
    if flash:
        return FLASH
    if coupon is None:
        return NO_DISCOUNT
    return WELCOME if coupon.strip().upper() == "WELCOME10" else SMALL


def _quantity(rng: Random) -> int:
    """Now and then zero: the line stays when the customer takes the goods out of the basket."""
    return 0 if rng.random() < 0.004 else pick(rng, QUANTITIES)


def _cookie(customer: int) -> str:
    return f"{customer * 0x9E3779B1 % (1 << 40):010x}"


def _buying(order: TradeOrder) -> Visit:
    steps: list[tuple[str, int | None]] = [("product", line.product) for line in order.lines]
    steps += [("cart", None), ("checkout", None), ("paid", None)]
    return _cookie(order.customer), order.customer, steps


def _browsing(rng: Random, products: list[int]) -> list[tuple[str, int | None]]:
    steps: list[tuple[str, int | None]] = [("home", None)] if rng.random() < 0.5 else []
    if steps and rng.random() < 0.3:
        return steps
    steps += [("product", product) for product in products]
    if rng.random() < 0.13:
        steps.append(("cart", None))
        if rng.random() < 0.4:
            steps.append(("checkout", None))
    return steps


def _timed(rng: Random, midnight: int, visit: Visit) -> list[Click]:
    """The steps of a visit, all within one day; one in three hundred is sent twice."""
    visitor, customer, steps = visit
    time = midnight + int((6 + 8.5 * (rng.random() + rng.random())) * 3_600_000_000)
    clicks: list[Click] = []
    for page, product in steps:
        time += 2_000_000 + int(rng.random() * 100_000_000)
        clicks.append((time, visitor, customer, product, page))
        if rng.random() < 0.003:
            clicks.append(clicks[-1])
    return clicks

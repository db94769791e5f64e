"""Who buys in the demo shop and what it sells: the rows as first written down, and how they change."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import NamedTuple, TypeVar

T = TypeVar("T")

LAST_DAY = dt.date(2026, 3, 31)
"""Day 0, the last day of the first load: the next day opens a month."""
FIRST = -89
"""The first day of trade, counted from `LAST_DAY`."""

LINES_OF_GOODS = ("Harbour", "Willow", "Amber", "Drift", "Saltmarsh", "Lantern", "Cove", "Heron")
CLEARANCE = "Clearance"


class Category(NamedTuple):
    name: str
    goods: tuple[str, ...]
    price: tuple[int, int]
    """Lowest and highest list price, in whole units of money."""
    season: tuple[float, float]
    """Demand at the first and at the last day of the first load, 1 being the average product."""
    return_rate: float


CATEGORIES = (
    Category(
        "Coffee",
        ("Espresso", "House Blend", "Decaf", "Cold Brew", "Ristretto", "Mocha", "Green Beans"),
        (8, 24),
        (1.5, 1.4),
        0.01,
    ),
    Category(
        "Tea",
        ("Assam", "Sencha", "Earl Grey", "Rooibos", "Mint", "Oolong", "Chai"),
        (5, 18),
        (1.6, 0.9),
        0.01,
    ),
    Category(
        "Kitchen",
        ("Kettle", "Skillet", "Whisk", "Scale", "Mill", "Ladle", "Casserole"),
        (15, 120),
        (0.9, 0.9),
        0.03,
    ),
    Category(
        "Glassware",
        ("Tumbler", "Carafe", "Goblet", "Bowl", "Jar", "Vase", "Decanter"),
        (9, 60),
        (0.8, 0.9),
        0.08,
    ),
    Category(
        "Linen",
        ("Apron", "Towel", "Runner", "Napkins", "Throw", "Cushion", "Oven Mitt"),
        (12, 80),
        (0.7, 0.7),
        0.06,
    ),
    Category(
        "Garden",
        ("Trowel", "Planter", "Seed Mix", "Gloves", "Watering Can", "Rake", "Bird House"),
        (4, 45),
        (0.4, 1.8),
        0.02,
    ),
    Category(
        "Books",
        ("Cookbook", "Almanac", "Atlas", "Field Guide", "Journal", "Novel", "Songbook"),
        (14, 48),
        (0.9, 0.8),
        0.01,
    ),
    Category("Toys", ("Puzzle", "Kite", "Top", "Blocks", "Sailboat", "Yo-yo", "Marbles"), (7, 55), (0.6, 0.8), 0.04),
)

CITIES = {
    "Germany": ("Hamburg", "Bremen", "Berlin", "Leipzig", "Köln"),
    "Netherlands": ("Amsterdam", "Utrecht", "Groningen"),
    "Denmark": ("Aarhus", "København", "Odense"),
    "France": ("Nantes", "Lille", "Lyon", "Rennes"),
    "Ireland": ("Cork", "Galway"),
}
COUNTRIES = (
    "Germany",
    "Germany",
    "Germany",
    "Netherlands",
    "Netherlands",
    "Denmark",
    "France",
    "France",
    "Ireland",
)
FIRST_NAMES = (
    "Ada", "Bram", "Clara", "Daan", "Elif", "Finn", "Greta", "Hugo", "Ines", "Jonas", "Katja", "Liam",
    "Mette", "Noor", "Oskar", "Petra", "Quentin", "Rosa", "Sören", "Tilda", "Umut", "Vera", "Wim", "Yara",
)  # fmt: skip
LAST_NAMES = (
    "Andersen", "Bakker", "Claassen", "Dubois", "Egger", "Fischer", "Girard", "Hansen", "Ito", "Jensen",
    "Kaya", "Lemaire", "Murphy", "Novak", "Olsen", "Petit", "Quinn", "Richter", "Smit", "Thomsen", "Unger",
    "Visser", "Walsh", "Zeller",
)  # fmt: skip


class Product(NamedTuple):
    id: int
    name: str
    category: str
    price: Decimal
    cost: Decimal
    lead_days: int


class Customer(NamedTuple):
    id: int
    name: str
    city: str | None
    country: str
    joined: dt.date


def date_of(day: int) -> dt.date:
    return LAST_DAY + dt.timedelta(days=day)


def pick(rng: Random, options: Sequence[T]) -> T:
    """`rng.choice`, several times faster."""
    return options[int(rng.random() * len(options))]


def home(product_id: int) -> Category:
    """The category a product was listed under at first, which still tells how it sells and comes back."""
    return CATEGORIES[product_id % len(CATEGORIES)]


class Catalog:
    def __init__(self, seed: int, scale: float) -> None:
        self.seed = seed
        self.scale = scale
        self.size = max(24, round(400 * scale))
        self._products = [[self._listed(i) for i in range(1, self.size + 1)]]
        ranks = list(range(self.size))
        self._rng("popularity").shuffle(ranks)
        self.popularity = [1 / (rank + 4) ** 0.7 for rank in ranks]

    def _rng(self, *what: object) -> Random:
        return Random(f"{self.seed}:{what}")

    # --- products ---

    def _listed(self, product_id: int) -> Product:
        rng = self._rng("product", product_id)
        category = home(product_id)
        kind, series = divmod((product_id - 1) // len(CATEGORIES), len(LINES_OF_GOODS))
        edition, kind = divmod(kind, len(category.goods))
        name = f"{LINES_OF_GOODS[series]} {category.goods[kind]}{f' No. {edition + 1}' if edition else ''}"
        low, high = category.price
        price = _shelf_price(low + (high - low) * rng.random() ** 2)
        cost = (price * (45 + int(rng.random() * 25)) / 100).quantize(Decimal("0.01"))
        return Product(product_id, name, category.name, price, cost, 3 + int(rng.random() * 8))

    def products(self, day: int) -> list[Product]:
        """All products as they stand on a day, by id; nothing changes before day 1."""
        for d in range(len(self._products), day + 1):
            products = list(self._products[-1])
            for product in self.changed_products(d):
                products[product.id - 1] = product
            self._products.append(products)
        return self._products[max(day, 0)]

    def changed_products(self, day: int) -> list[Product]:
        """Products with a new price on a day; once a week, from day 1 on, one goes to the clearance table."""
        rng = self._rng("price", day)
        before = self.products(day - 1)
        changed = [before[i] for i in rng.sample(range(self.size), max(2, self.size // 50))]
        repriced = [p._replace(price=_shelf_price(float(p.price) * (0.92 + 0.2 * rng.random()))) for p in changed]
        if day % 7 != 1:
            return repriced
        last = repriced[-1]
        return [
            *repriced[:-1],
            last._replace(category=CLEARANCE, price=_shelf_price(float(last.price) * 0.7)),
        ]

    # --- customers ---

    def customer_count(self, day: int) -> int:
        """How many have joined by the end of a day: their ids are 1 to this."""
        return 12 + round((1900 + 34 * max(0, day - FIRST + 1)) * self.scale)

    def customer(self, customer_id: int) -> Customer:
        """A customer as first written down."""
        rng = self._rng("customer", customer_id)
        country = pick(rng, COUNTRIES)
        city = None if rng.random() < 0.12 else pick(rng, CITIES[country])
        name = f"{pick(rng, FIRST_NAMES)} {pick(rng, LAST_NAMES)}"
        return Customer(customer_id, name, city, country, date_of(self._joined(customer_id, rng)))

    def _joined(self, customer_id: int, rng: Random) -> int:
        before = self.customer_count(FIRST - 1)
        if customer_id <= before:
            return FIRST - 1 - int(rng.random() * 700)
        day = FIRST + int((customer_id - before - 1) / (34 * self.scale))
        while self.customer_count(day) < customer_id:
            day += 1
        while self.customer_count(day - 1) >= customer_id:
            day -= 1
        return day

    def joining_customers(self, day: int) -> list[Customer]:
        return [self.customer(i) for i in range(self.customer_count(day - 1) + 1, self.customer_count(day) + 1)]

    def moved_customers(self, day: int) -> list[Customer]:
        """Customers who had joined before a day and told us a new city on it."""
        rng = self._rng("move", day)
        count = self.customer_count(day - 1)
        moved = sorted(rng.sample(range(1, count + 1), max(2, count // 400)))
        customers = [self.customer(i) for i in moved]
        return [c._replace(city=pick(rng, CITIES[c.country])) for c in customers]


def _shelf_price(amount: float) -> Decimal:
    """A price a shop would print: it ends in 90 or 40 cents."""
    return Decimal(max(2, round(amount * 2)) * 50 - 10) / 100

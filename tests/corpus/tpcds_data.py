"""A tiny TPC-DS: at most a few hundred rows in a table, with sales made for each of the queries.

Each scenario below says which queries it is for. Where a query compares an amount with an average, or asks that
something is not there, the customer or the place of the scenario appears in no other one.
"""

from __future__ import annotations

import datetime as dt
import functools
from decimal import Decimal
from typing import Any

from tests.corpus.cases import HERE
from tests.corpus.fill import Filling
from tests.corpus.table import Table, read_schemas
from tests.corpus.tpcds_dims import day, fill_dimensions, time
from tests.corpus.tpcds_sales import Shop

LONERS = frozenset({31, 32, 33, 34, 35})
"""Customers who buy only in the scenarios that name them."""


@functools.cache
def tpcds_tables() -> tuple[Table, ...]:
    data = Filling(read_schemas(HERE / "tpcds" / "schema.sql"), seed=99)
    fill_dimensions(data)
    shop = Shop(data)
    for scenario in (_months, _years, _weeks, _people, _places, _returns, _orders, _thresholds, _stock):
        scenario(shop)
    _background(shop)
    return data.finish()


def _months(shop: Shop) -> None:
    """Sales of one kind of item in one month."""
    for channel in ("store", "catalog", "web"):
        for offset in range(2):
            shop.sell(channel, f"1999-03-0{offset + 1}", item=3 + offset)  # Q12, Q20, Q98
            shop.sell(channel, f"1998-05-1{offset}", item=5, addr=1)  # Q33
            shop.sell(channel, f"2001-02-1{offset}", item=5, addr=2)  # Q56
            shop.sell(channel, f"1998-09-0{offset + 1}", item=2, addr=4)  # Q60
            shop.sell(channel, f"1999-11-0{offset + 1}", item=1, at=(7 + 11 * offset, 15))  # Q71, Q3
            shop.sell(channel, f"2000-08-2{offset + 5}", item=17 + offset, promo=1)  # Q5, Q77, Q80
            shop.sell(channel, f"2000-0{offset + 2}-11", item=15, ship_days=20 + 80 * offset)  # Q62, Q99
            shop.sell(channel, f"2001-0{offset + 5}-11", item=7, at=(10 + offset, 0), mode=1)  # Q66
    shop.sell("store", "2000-11-05", item=1)  # Q42, Q52
    shop.sell("store", "1999-11-06", item=4)  # Q55
    shop.sell("store", "1998-11-06", item=3, customer=15, store=1)  # Q19
    for promo in (1, 4):
        shop.sell("store", "1998-11-08", item=6, customer=3, promo=promo, store=1)  # Q61
    shop.sell("store", "1998-05-05", item=8, store=2)  # Q8
    for item, when in ((15, 1), (16, 2)):
        for quantity, month in ((2, "02"), (40, "06"), (5, "10")):
            shop.sell("store", f"2000-{month}-0{when}", item=item, store=1, quantity=quantity)  # Q53, Q63
            shop.sell("store", f"1999-{month}-0{when}", item=17, store=1, quantity=quantity)  # Q89


def _years(shop: Shop) -> None:
    """The same customer, item or place in one year and the next."""
    for channel, later in (("store", 10), ("web", 11), ("catalog", 20)):  # Q4, Q11, Q74
        shop.sell(channel, "2001-05-05", customer=31, quantity=10, item=19)
        shop.sell(channel, "2002-05-05", customer=31, quantity=later, item=19)
    for channel in ("store", "catalog", "web"):  # Q75
        shop.sell(channel, "2001-07-07", item=17, quantity=50)
        shop.sell(channel, "2002-07-07", item=17, quantity=9)
    for year in (1999, 2000):  # Q64
        sale = shop.sell("store", f"{year}-04-04", item=14, customer=22, store=1, cdemo=30)
        shop.give_back("store", sale, f"{year}-05-04")
    sale = shop.sell("catalog", "1999-04-04", item=14, quantity=50)
    shop.give_back("catalog", sale, "1999-05-04", amount=Decimal("1.00"))
    for year, factor in ((1998, 3), (1999, 5), (2000, 2)):  # Q47, Q57
        for month in (1, 12):
            for channel in ("store", "catalog"):
                shop.sell(channel, f"{year}-{month:02}-20", item=18, store=2, quantity=factor * month, center=1)
    for channel, growth in (("store", (10, 10, 10)), ("web", (10, 20, 40))):  # Q31
        for quarter, quantity in enumerate(growth):
            shop.sell(channel, f"2000-0{quarter * 3 + 2}-14", addr=10, quantity=quantity, item=20)


def _weeks(shop: Shop) -> None:
    for offset in range(7):  # Q2, Q59
        for first, later, channel in (("2001-03-04", 371, "web"), ("2001-03-04", 364, "store")):
            start = dt.date.fromisoformat(first) + dt.timedelta(days=offset)
            shop.sell(channel, start.isoformat(), item=21, store=1)
            shop.sell(channel, (start + dt.timedelta(days=later)).isoformat(), item=21, store=1)
    for channel in ("store", "catalog", "web"):  # Q58, Q83, Q38
        shop.sell(channel, "2000-01-03", item=22, quantity=10, price=Decimal("9.90"), customer=23)
        for date in ("2000-06-30", "2000-09-27", "2000-11-17"):
            sale = shop.sell(channel, "2000-06-01", item=23, quantity=9)
            shop.give_back(channel, sale, date)


def _people(shop: Shop) -> None:
    """Who buys: demographics, households, neighbours."""
    college, degree, four = (
        shop.key("customer_demographics", cd_gender="M", cd_marital_status=marital, cd_education_status=status)
        for marital, status in (("S", "College"), ("W", "2 yr Degree"), ("M", "4 yr Degree"))
    )
    unknown = shop.key("customer_demographics", cd_gender="F", cd_marital_status="M", cd_education_status="Unknown")
    for date in ("2000-03-03", "2002-03-03"):  # Q7, Q26, Q27
        shop.sell("store", date, cdemo=college, promo=4, store=1)
        shop.sell("catalog", date, cdemo=college, promo=4)
    single = shop.key("household_demographics", hd_dep_count=1)
    profitable: dict[str, Any] = {"addr": 2, "profit": Decimal("160.00")}
    shop.sell("store", "2001-03-03", cdemo=college, hdemo=single, price=Decimal("75.00"), **profitable)  # Q13
    shop.sell("store", "2001-03-04", cdemo=degree, hdemo=single, price=Decimal("175.00"), **profitable)
    shop.sell("store", "2000-03-04", cdemo=four, price=Decimal("120.00"), **profitable)  # Q48
    shop.sell("catalog", "1998-03-04", cdemo=unknown, customer=25)  # Q18: born in a month of the list, lives in IN
    shop.sell("catalog", "1998-03-05", cdemo=unknown, customer=35)
    for customer in (12, 14, 20):  # Q10, Q35
        for channel in ("store", "web"):
            shop.sell(channel, "2002-02-02", customer=customer)
    shop.sell("store", "2001-05-05", customer=32)  # Q69: lives in KY, buys nowhere else
    for number in range(11):  # Q6: eleven neighbours buy something dear
        shop.sell("store", "2001-01-09", item=17, customer=1 + number)
    rich = shop.key("household_demographics", hd_buy_potential=">10000", hd_vehicle_count=3, hd_dep_count=5)
    for _ in range(16):  # Q34: one ticket with sixteen lines
        shop.sell("store", "1999-06-02", customer=21, hdemo=rich, store=1, ticket=7001)
    shop.sell("store", "2000-04-01", customer=24, hdemo=rich, store=4, addr=3)  # Q46, Q68, Q73: a Saturday, the first
    shop.sell("store", "2001-01-01", customer=26, hdemo=rich, store=1)  # Q79: a Monday
    busy = shop.key("household_demographics", hd_dep_count=7)
    for hdemo in (busy, shop.key("household_demographics", hd_dep_count=4), 2):
        for hour in (8, 9, 10, 11, 12, 20):
            shop.sell("store", "2000-10-10", hdemo=hdemo, at=(hour, 40 - hour % 2 * 20), store=1)  # Q88, Q96
    six = shop.key("household_demographics", hd_dep_count=6)
    for hour in (8, 19, 20):
        shop.sell("web", "2000-10-10", ship_hdemo=six, at=(hour, 5), page=1)  # Q90


def _places(shop: Shop) -> None:
    for channel in ("catalog", "web"):  # Q54: expecting customers who live in the county of a store
        shop.sell(channel, "1998-12-12", item=7, customer=33)
    shop.sell("store", "1999-01-15", customer=33, quantity=30)
    for item in range(1, 6):  # Q44: a store where some addresses are not known
        shop.sell("store", "1999-09-09", item=item, store=4, addr=None, profit=Decimal(10 + item))
        shop.sell("store", "1999-09-10", item=item + 5, store=4, profit=Decimal(100 + item))
    for channel in ("store", "catalog", "web"):
        shop.sell(channel, "2001-05-20", customer=7, item=3)  # Q15, Q45
        shop.sell(channel, "2001-05-21", customer=17, item=9)
        shop.sell(channel, "2001-08-08", item=24, nowhere=True)  # Q76
    for item, price in ((1, "99"), (2, "0.50"), (3, "90")):  # Q65: one item brings in next to nothing
        shop.sell("store", "1998-03-13", item=item, store=3, price=Decimal(price))


def _returns(shop: Shop) -> None:
    for amount, customer in enumerate((10, 11, 12, 18, 20), start=1):
        value = Decimal(amount**4)
        sale = shop.sell("store", "2000-02-20", customer=customer, store=1)
        shop.give_back("store", sale, "2000-04-20", amount=value)  # Q1
        sale = shop.sell("catalog", "2000-02-20", customer=customer)
        shop.give_back("catalog", sale, "2000-04-20", amount=value, addr=1)  # Q81
        sale = shop.sell("web", "2002-02-20", customer=customer)
        shop.give_back("web", sale, "2002-04-20", amount=value, addr=1)  # Q30
    for item, sold, back, again in (
        (11, "2001-02-02", "2001-03-03", "2001-05-05"),  # Q17
        (12, "2001-04-02", "2001-08-03", "2001-09-05"),  # Q25, Q50
        (13, "1999-09-02", "1999-10-03", "2000-09-05"),  # Q29
    ):
        for customer in (27, 28):
            sale = shop.sell("store", sold, item=item, customer=customer, store=1)
            shop.give_back("store", sale, back)
            shop.sell("catalog", again, item=item, customer=customer)
    for quantity in (14, 24):  # Q24: lives at the zip of the store
        sale = shop.sell("store", "2002-06-06", item=6, customer=34, store=1, quantity=quantity)
        shop.give_back("store", sale, "2002-07-06", reason=2)  # Q93
    for channel in ("store", "catalog", "web"):  # Q49
        sale = shop.sell(channel, "2001-12-12", quantity=90, price=Decimal("180.00"))
        shop.give_back(channel, sale, "2001-12-24", amount=Decimal("12345.67"))
    advanced = shop.key("customer_demographics", cd_marital_status="M", cd_education_status="Advanced Degree")
    sale = shop.sell("web", "2000-07-01", price=Decimal("125.00"), profit=Decimal("150.00"), page=1)  # Q85
    shop.give_back("web", sale, "2000-08-28", cdemo=advanced, addr=6)
    for customer in (3, 13):  # Q91: a customer of Edgewood or Santa Fe, seven hours behind
        sale = shop.sell("catalog", "1998-10-01", customer=customer)
        shop.give_back("catalog", sale, "1998-11-01")
    for customer, address in ((22, 3), (32, 3), (34, 4)):  # Q84, Q91 in Edgewood, Q24 beside the store
        row = shop.data.find("customer", c_customer_sk=customer)
        assert row is not None
        row.update(c_current_cdemo_sk=3, c_current_hdemo_sk=1, c_current_addr_sk=address)
    sale = shop.sell("store", "2000-02-02", customer=22, cdemo=3)
    shop.give_back("store", sale, "2000-03-02")
    sale = shop.sell("catalog", "1998-10-01", customer=22)
    shop.give_back("catalog", sale, "1998-11-01")


def _orders(shop: Shop) -> None:
    for order, warehouse in ((8001, 1), (8001, 2), (8002, 2), (8002, 3)):  # Q16, Q94, Q95
        shop.sell("catalog", "2002-01-20", order=order, warehouse=warehouse, ship_days=20, addr=1, center=1)
        sale = shop.sell("web", "1999-01-20", order=order, warehouse=warehouse, ship_days=20, addr=7, site=1)
        if order == 8002:
            shop.give_back("web", sale, "1999-04-04")


def _thresholds(shop: Shop) -> None:
    for channel, item in (("catalog", 8), ("web", 9)):  # Q32, Q92
        for discount in (1, 1, 1, 400):
            shop.sell(channel, "2000-02-15", item=item, discount=Decimal(discount))
    for channel in ("store", "catalog", "web"):  # Q14: the same brands everywhere, and a large November
        shop.sell(channel, "1999-08-18", item=24, quantity=1)
        shop.sell(channel, "2001-11-11", item=24, quantity=100, price=Decimal("150.00"))
    for number in range(6):  # Q23: an item sold often on one day, and who buys most
        shop.sell("store", "2000-05-15", item=25, customer=35, quantity=100, price=Decimal(150 + number))
    for channel in ("catalog", "web"):
        shop.sell(channel, "2000-02-15", item=25, customer=35)
    for channel, quantity in (("web", 20), ("store", 10)):  # Q51, Q78
        shop.sell(channel, "2000-03-20", item=26, customer=29, quantity=quantity)


def _stock(shop: Shop) -> None:
    for item, dates in (
        (10, ("2000-02-10", "2000-03-10")),  # Q37
        (11, ("2000-05-30", "2000-06-10")),  # Q82
        (12, ("2000-02-20", "2000-03-20")),  # Q21
    ):
        for date in dates:
            for warehouse in (1, 2):
                shop.store_up(date, item, warehouse, 150 + 10 * warehouse)
    for month in ("01", "02"):  # Q39
        for date, quantity in (("05", 1), ("12", 1), ("19", 900)):
            shop.store_up(f"2001-{month}-{date}", 15, 1, quantity)
    shop.sell("catalog", "2000-03-01", item=12)  # Q40
    shop.sell("catalog", "2000-03-21", item=12)
    shop.sell("catalog", "2000-03-01", item=10)
    shop.sell("store", "2000-03-01", item=11)
    divorced = shop.key("customer_demographics", cd_marital_status="D")
    rich = shop.key("household_demographics", hd_buy_potential=">10000")
    for number in range(2):  # Q72: ordered, not there
        date = f"1999-07-1{number + 2}"
        shop.sell("catalog", date, item=16, cdemo=divorced, hdemo=rich, quantity=50, ship_days=30)
        shop.store_up(date, 16, number + 1, 5)


def _background(shop: Shop) -> None:
    """Sales of everything to everybody, some columns NULL."""
    data = shop.data
    picks = data.random
    days = [row["d_date"] for row in data.rows["date_dim"]]
    customers = [row["c_customer_sk"] for row in data.rows["customer"] if row["c_customer_sk"] not in LONERS]
    for channel, many in (("store", 60), ("catalog", 40), ("web", 40)):
        for number in range(many):
            given: dict[str, Any] = {
                "customer": picks.choice([*customers, None]),
                "addr": picks.choice([1, 2, 3, None]),
            }
            sale = shop.sell(channel, picks.choice(days).isoformat(), quantity=picks.choice([1, 2, 3, None]), **given)
            if number % 4 == 0:
                shop.give_back(channel, sale, picks.choice(days).isoformat())
    for _ in range(40):
        shop.store_up(
            picks.choice(days).isoformat(), picks.randint(1, 28), picks.randint(1, 3), picks.choice([7, 300, None])
        )
    day(data, dt.date(2003, 1, 1))
    time(data, 23, 59)

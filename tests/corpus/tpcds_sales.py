"""Sales, returns and stock of the tiny TPC-DS, in the vocabulary of a shop instead of the schema's prefixes."""

from __future__ import annotations

import datetime as dt
import itertools
from decimal import Decimal
from typing import Any

from tests.corpus.fill import Filling
from tests.corpus.tpcds_dims import day, time

PREFIX = {"store": "s", "catalog": "c", "web": "w"}
CENT = Decimal("0.01")
_Values = dict[str, Any]


class Shop:
    """Adds rows to the fact tables; what a call leaves open follows a fixed rotation."""

    def __init__(self, data: Filling) -> None:
        self.data = data
        self.count = itertools.count(1)

    def key(self, table: str, **values: Any) -> int:
        row = self.data.find(table, **values)
        if row is None:
            raise ValueError(f"{table} has no row with {values}")
        return int(next(iter(row.values())))

    def sell(self, channel: str, date: str, *, ship_days: int = 7, nowhere: bool = False, **given: Any) -> _Values:
        """Add a sale; `given` may say item, customer, cdemo, hdemo, addr, store, promo, at, quantity, price, ..."""
        number = next(self.count)
        sold = dt.date.fromisoformat(date)
        who = {
            "customer": number % 30 + 1,
            "cdemo": number % 40 + 1,
            "hdemo": number % 30 + 1,
            "addr": number % 9 + 1,
            **{name: given[name] for name in ("customer", "cdemo", "hdemo", "addr") if name in given},
        }
        values: _Values = {
            "sold_date_sk": day(self.data, sold),
            "sold_time_sk": time(self.data, *given.get("at", (number % 12 + 6, 30))),
            "item_sk": given.get("item", number % 28 + 1),
            "promo_sk": given.get("promo", number % 4 + 1),
            **_amounts(number, given),
        }
        if channel == "store":
            values |= {f"{name}_sk": key for name, key in who.items()}
            values["store_sk"] = None if nowhere else given.get("store", number % 4 + 1)
            values["ticket_number"] = given.get("ticket", number)
        else:
            values |= {f"{side}_{name}_sk": key for name, key in who.items() for side in ("bill", "ship")}
            values["ship_hdemo_sk"] = given.get("ship_hdemo", who["hdemo"])
            values["ship_date_sk"] = day(self.data, sold + dt.timedelta(days=ship_days))
            values["ship_mode_sk"] = given.get("mode", number % 3 + 1)
            values["warehouse_sk"] = given.get("warehouse", number % 3 + 1)
            values["order_number"] = given.get("order", number)
            if nowhere:
                values |= {"ship_addr_sk": None, "ship_customer_sk": None}
            if channel == "catalog":
                values |= {"call_center_sk": given.get("center", number % 3 + 1), "catalog_page_sk": number % 3 + 1}
            else:
                values |= {
                    "web_page_sk": given.get("page", number % 3 + 1),
                    "web_site_sk": given.get("site", number % 3 + 1),
                }
        return self._add(f"{channel}_sales", PREFIX[channel] + "s_", values)

    def give_back(self, channel: str, sale: _Values, date: str, **given: Any) -> None:
        """Return what was sold; `given` may say amount, reason, cdemo, addr."""
        number = next(self.count)
        sold = {name.split("_", 1)[1]: value for name, value in sale.items()}
        side = "" if channel == "store" else "bill_"
        amount = Decimal(given.get("amount", Decimal(number % 50 + 1))).quantize(CENT)
        who: _Values = {
            "customer_sk": sold[side + "customer_sk"],
            "cdemo_sk": given.get("cdemo", sold[side + "cdemo_sk"]),
            "hdemo_sk": sold[side + "hdemo_sk"],
            "addr_sk": given.get("addr", sold[side + "addr_sk"]),
        }
        values: _Values = {
            "returned_date_sk": day(self.data, dt.date.fromisoformat(date)),
            "item_sk": sold["item_sk"],
            "reason_sk": given.get("reason", number % 3 + 1),
            "return_quantity": number % 3 + 1,
            "return_amount" if channel == "catalog" else "return_amt": amount,
            "refunded_cash": (amount / 2).quantize(CENT),
        }
        if channel == "store":
            values |= {**who, "store_sk": sold["store_sk"], "ticket_number": sold["ticket_number"]}
        else:
            values |= {f"{role}_{name}": key for name, key in who.items() for role in ("refunded", "returning")}
            values["order_number"] = sold["order_number"]
            for name in ("call_center_sk", "catalog_page_sk", "ship_mode_sk", "warehouse_sk", "web_page_sk"):
                if name in sold and (channel == "catalog") == (name != "web_page_sk"):
                    values[name] = sold[name]
        self._add(f"{channel}_returns", PREFIX[channel] + "r_", values)

    def store_up(self, date: str, item: int, warehouse: int, quantity: int | None) -> None:
        self.data.add(
            "inventory",
            inv_date_sk=day(self.data, dt.date.fromisoformat(date)),
            inv_item_sk=item,
            inv_warehouse_sk=warehouse,
            inv_quantity_on_hand=quantity,
        )

    def _add(self, table: str, prefix: str, values: _Values) -> _Values:
        return self.data.add(table, **{prefix + name: value for name, value in values.items()})


def _amounts(number: int, given: _Values) -> _Values:
    """Amounts that fit together as in the specification: list price over price over cost, times the quantity."""
    quantity = given.get("quantity", number % 100 + 1)
    price = Decimal(given.get("price", Decimal(number % 40 + 20))).quantize(CENT)
    listed, cost = price + 5, (price / 2).quantize(CENT)
    pieces = quantity or 0
    values: _Values = {
        "quantity": quantity,
        "sales_price": price,
        "list_price": listed,
        "wholesale_cost": cost,
        "ext_sales_price": pieces * price,
        "ext_list_price": pieces * listed,
        "ext_wholesale_cost": pieces * cost,
        "ext_discount_amt": Decimal(given.get("discount", pieces * 5)).quantize(CENT),
        "coupon_amt": Decimal(0 if number % 3 else 500).quantize(CENT),
        "net_paid": pieces * price,
        "net_profit": Decimal(given.get("profit", pieces * (price - cost))).quantize(CENT),
    }
    if quantity is None:
        values |= dict.fromkeys(name for name in values if name.startswith(("ext_", "net_")))
    return values

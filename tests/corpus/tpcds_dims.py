"""The dimensions of the tiny TPC-DS: few rows, whose values are the constants of the 99 queries."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from tests.corpus.fill import Filling

FIRST_DAY = dt.date(1900, 1, 2)
FIRST_DAY_SK = 2415022
DAY_NAMES = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
STORES = (  # name, city, county, zip, market, employees
    ("ese", "Fairview", "Williamson County", "35709", 8, 250),
    ("ought", "Midway", "Orange County", "24128", 8, 210),
    ("able", "Oakland", "Bronx County", "85669", 2, 300),
    ("ese", "Midway", "Williamson County", "35709", 8, 220),
)
ADDRESSES = (  # city, county, state, zip, offset
    ("Fairview", "Rush County", "GA", "85669", -5),
    ("Midway", "Toole County", "TX", "24128", -5),
    ("Edgewood", "Jefferson County", "KY", "76232", -7),
    ("Oakland", "Williamson County", "TN", "35709", -5),
    ("Fairview", "Dona Ana County", "NM", "86197", -7),
    ("Midway", "La Porte County", "IN", "60601", -5),
    ("Springfield", "Cook County", "IL", "60601", -6),
    ("Edgewood", "Orange County", "CA", "88274", -8),
    ("Oakland", "Franklin Parish", "MS", "38607", -5),
    ("Salem", "Marion County", "OR", "97301", -8),
)
ITEMS: tuple[dict[str, Any], ...] = (
    {"i_manufact_id": 128, "i_manager_id": 1, "i_category": "Books", "i_class": "personal"},
    {"i_manager_id": 1, "i_category": "Music", "i_class": "rock"},
    {"i_manager_id": 8, "i_category": "Sports", "i_class": "football"},
    {"i_manager_id": 28, "i_category": "Home", "i_class": "bedding"},
    {"i_category": "Electronics", "i_class": "portable", "i_color": "slate"},
    {"i_category": "Jewelry", "i_class": "birdal", "i_color": "peach"},
    {"i_category": "Women", "i_class": "maternity"},
    {"i_manufact_id": 977, "i_category": "Shoes", "i_class": "mens"},
    {"i_manufact_id": 350, "i_category": "Shoes", "i_class": "mens"},
    {"i_manufact_id": 677, "i_current_price": Decimal("70.00"), "i_category": "Children"},
    {"i_manufact_id": 129, "i_current_price": Decimal("65.50"), "i_category": "Children"},
    {"i_current_price": Decimal("0.99"), "i_category": "Home", "i_class": "paint"},
    {"i_manufact_id": 740, "i_manufact": "priable", "i_category": "Women", "i_color": "powder", "i_units": "Ounce",
     "i_size": "medium"},
    {"i_color": "purple", "i_current_price": Decimal("68.00"), "i_category": "Men", "i_class": "shirts"},
    {"i_category": "Books", "i_class": "personal", "i_brand": "scholaramalgamalg #14", "i_brand_id": 14},
    {"i_category": "Women", "i_class": "pants", "i_brand": "amalgimporto #1", "i_brand_id": 1},
    {"i_category": "Books", "i_class": "computers", "i_current_price": Decimal("99.00")},
    {"i_category": "Men", "i_class": "shirts", "i_current_price": Decimal("55.00")},
)  # fmt: skip
CATEGORIES = ("Books", "Children", "Electronics", "Home", "Jewelry", "Men", "Music", "Shoes", "Sports", "Women")


def fill_dimensions(data: Filling) -> None:
    _people(data)
    _places(data)
    _goods(data)


def _people(data: Filling) -> None:
    statuses = ("Advanced Degree", "College", "Unknown", "2 yr Degree", "4 yr Degree")
    demographics = [(gender, marital, status) for gender in "MF" for marital in "MSDW" for status in statuses]
    for key, (gender, marital, status) in enumerate(demographics, start=1):
        columns: dict[str, Any] = {f"cd_dep{kind}_count": key % 7 for kind in ("", "_employed", "_college")}
        data.add(
            "customer_demographics",
            cd_demo_sk=key,
            cd_gender=gender,
            cd_marital_status=marital,
            cd_education_status=status,
            **columns,
        )
    for key in range(1, 5):
        data.add(
            "income_band", ib_income_band_sk=key, ib_lower_bound=key * 20000 - 1, ib_upper_bound=key * 20000 + 9999
        )
    for key in range(1, 31):
        data.add(
            "household_demographics",
            hd_demo_sk=key,
            hd_income_band_sk=key % 4 + 1,
            hd_buy_potential=(">10000", "Unknown", "0-500")[key % 3],
            hd_dep_count=key % 10,
            hd_vehicle_count=key % 4,
        )
    for key, (city, county, state, code, offset) in enumerate(ADDRESSES, start=1):
        data.add(
            "customer_address",
            ca_address_sk=key,
            ca_address_id=f"CA{key:04}",
            ca_city=city,
            ca_county=county,
            ca_state=state,
            ca_zip=code,
            ca_country="United States",
            ca_gmt_offset=Decimal(offset).quantize(Decimal("0.01")),
        )
    for key in range(1, 41):
        _customer(data, key)


def _customer(data: Filling, key: int) -> None:
    data.add(
        "customer",
        c_customer_sk=key,
        c_customer_id=f"C{key:04}",
        c_current_cdemo_sk=key,
        c_current_hdemo_sk=key % 30 + 1,
        c_current_addr_sk=2 if key <= 12 else key % len(ADDRESSES) + 1,  # Q8 wants a dozen neighbours
        c_first_sales_date_sk=day(data, dt.date(1998, 1, 1)),
        c_first_shipto_date_sk=day(data, dt.date(1998, 2, 1)),
        c_first_name=("Ann", "Bo", "Cy", None)[key % 4],
        c_last_name=f"Family{key % 13}",
        c_preferred_cust_flag="Y" if key <= 12 or key % 2 else "N",
        c_birth_month=key % 12 + 1,
        c_birth_country=("CHILE", "TOGO", None)[key % 3],
    )


def _places(data: Filling) -> None:
    zone = Decimal("-5.00")
    for key, (name, city, county, code, market, employees) in enumerate(STORES, start=1):
        data.add(
            "store",
            s_store_sk=key,
            s_store_id=f"S{key}",
            s_store_name=name,
            s_number_employees=employees,
            s_market_id=market,
            s_city=city,
            s_county=county,
            s_state="TN" if key != 3 else "AL",
            s_zip=code,
            s_gmt_offset=zone,
        )
    for key in range(1, 4):
        data.add("warehouse", w_warehouse_sk=key, w_warehouse_name=f"Warehouse number {key} of three")
        data.add("web_site", web_site_sk=key, web_site_id=f"W{key}", web_company_name="pri" if key < 3 else "able")
        data.add("web_page", wp_web_page_sk=key, wp_char_count=5100 if key < 3 else 300)
        data.add("ship_mode", sm_ship_mode_sk=key, sm_carrier=("DHL", "BARIAN", "UPS")[key - 1])
        data.add("catalog_page", cp_catalog_page_sk=key, cp_catalog_page_id=f"P{key}")
        data.add("call_center", cc_call_center_sk=key, cc_name=f"Center {key}", cc_county="Williamson County")
        data.add("reason", r_reason_sk=key, r_reason_desc="reason 28" if key == 2 else f"reason {key}")
    for key, (mail, email, tv) in enumerate(
        (("Y", "N", "N"), ("N", "Y", "N"), ("N", "N", "Y"), ("N", "N", "N")), start=1
    ):
        data.add(
            "promotion",
            p_promo_sk=key,
            p_channel_dmail=mail,
            p_channel_email=email,
            p_channel_tv=tv,
            p_channel_event="N",
        )


def _goods(data: Filling) -> None:
    plain: list[dict[str, Any]] = [{"i_category": category} for category in CATEGORIES]
    for key, given in enumerate([*ITEMS, *plain], start=1):
        values: dict[str, Any] = {
            "i_item_sk": key,
            "i_item_id": f"I{key // 2:04}",  # two revisions of an item share its id
            "i_item_desc": f"about item {key}",
            "i_product_name": f"product {key}",
            "i_brand": f"brand #{key % 5}",
            "i_brand_id": key % 5,
            "i_class": "plain",
            "i_class_id": key % 4,
            "i_category_id": CATEGORIES.index(given.get("i_category", "Books")) + 1,
            "i_manufact_id": 200 + key,
            "i_manager_id": 50 + key,
            "i_current_price": Decimal(100 + key * 20).scaleb(-2),
            "i_color": "blue",
        }
        data.add("item", **{**values, **given})


def day(data: Filling, date: dt.date) -> int:
    """The key of this day in date_dim, which gets a row for it when there is none."""
    key = FIRST_DAY_SK + (date - FIRST_DAY).days
    if data.find("date_dim", d_date_sk=key) is None:
        weekday = date.isoweekday() % 7
        quarter = (date.month - 1) // 3 + 1
        data.add(
            "date_dim",
            d_date_sk=key,
            d_date_id=f"D{key}",
            d_date=date,
            d_month_seq=(date.year - 1900) * 12 + date.month - 1,
            d_week_seq=(date - dt.date(1899, 12, 31)).days // 7 + 1,
            d_quarter_seq=(date.year - 1900) * 4 + quarter,
            d_year=date.year,
            d_dow=weekday,
            d_moy=date.month,
            d_dom=date.day,
            d_qoy=quarter,
            d_day_name=DAY_NAMES[weekday],
            d_quarter_name=f"{date.year}Q{quarter}",
        )
    return key


def time(data: Filling, hour: int, minute: int) -> int:
    key = hour * 3600 + minute * 60
    if data.find("time_dim", t_time_sk=key) is None:
        meal = "breakfast" if 6 <= hour <= 8 else "dinner" if 17 <= hour <= 20 else None
        data.add("time_dim", t_time_sk=key, t_time=key, t_hour=hour, t_minute=minute, t_second=0, t_meal_time=meal)
    return key

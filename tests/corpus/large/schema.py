"""The sources of the large queries: a small business that sells subscriptions, and goods beside them.

Every key but that of the calendar is a number. `events`, `touches` and `stock_moves` have none: they hold duplicates.
"""

from __future__ import annotations

from typing import Any, Final

COLUMNS: Final[dict[str, str]] = {
    "accounts": "account_id BIGINT, account_name STRING, segment STRING, country STRING, parent_id BIGINT, "
    "created_on DATE",
    "users": "user_id BIGINT, account_id BIGINT, role STRING, signed_up_on DATE, is_active BOOLEAN",
    "plans": "plan_id BIGINT, plan_code STRING, tier INT, included_seats INT",
    "plan_prices": "plan_id BIGINT, valid_from DATE, valid_to DATE, monthly_price DECIMAL(10,2)",
    "subscriptions": "subscription_id BIGINT, account_id BIGINT, plan_id BIGINT, seats INT, started_on DATE, "
    "ended_on DATE, status STRING",
    "products": "product_id BIGINT, product_name STRING, category STRING, list_price DECIMAL(10,2), "
    "unit_cost DECIMAL(10,2), weight DOUBLE",
    "orders": "order_id BIGINT, account_id BIGINT, user_id BIGINT, ordered_on DATE, channel STRING, status STRING",
    "order_items": "order_id BIGINT, line_no INT, product_id BIGINT, quantity INT, unit_price DECIMAL(10,2), "
    "discount_pct INT",
    "payments": "payment_id BIGINT, order_id BIGINT, paid_on DATE, amount DECIMAL(12,2), method STRING, status STRING",
    "events": "user_id BIGINT, event_type STRING, event_day DATE, minute_of_day INT, value INT",
    "touches": "user_id BIGINT, campaign STRING, medium STRING, touched_on DATE, cost DECIMAL(10,2)",
    "stock_moves": "product_id BIGINT, moved_on DATE, kind STRING, quantity INT",
    "tickets": "ticket_id BIGINT, account_id BIGINT, user_id BIGINT, opened_on DATE, closed_on DATE, priority INT, "
    "score INT",
    "calendar": "day DATE, day_no INT, week_start DATE, month_start DATE, is_workday BOOLEAN",
}
KEYS: Final[dict[str, tuple[str, ...]]] = {
    "accounts": ("account_id",),
    "users": ("user_id",),
    "plans": ("plan_id",),
    "plan_prices": ("plan_id", "valid_from"),
    "subscriptions": ("subscription_id",),
    "products": ("product_id",),
    "orders": ("order_id",),
    "order_items": ("order_id", "line_no"),
    "payments": ("payment_id",),
    "events": (),
    "touches": (),
    "stock_moves": (),
    "tickets": ("ticket_id",),
    "calendar": ("day",),
}
SOURCES: Final[dict[str, dict[str, Any]]] = {
    name: {"kind": "managed", "schema": columns, **({"key": list(KEYS[name])} if KEYS[name] else {})}
    for name, columns in COLUMNS.items()
}
"""As they stand in tidewheel.yml."""

"""What `tidewheel init` writes."""

from __future__ import annotations

import os

from tidewheel.errors import UserError
from tidewheel.project.config import FILE
from tidewheel.project.lookup import project_root
from tidewheel.project.schema import MODELINE, SCHEMA_FILE, schema_text
from tidewheel.store import disk

_CONFIG = """\
{modeline}
# What each entry means: docs/configuration.md
name: {name}
warehouse: ./warehouse
sources:
  orders:
    kind: managed
    schema: "order_id BIGINT, day DATE, customer STRING, amount DECIMAL(12,2)"
    key: [order_id]
"""
_VIEW = """\
-- How much did we sell each day, and to how many customers?
SELECT
  day,
  count(*) AS orders,
  count(DISTINCT customer) AS customers,
  sum(amount) AS revenue
FROM orders
GROUP BY day
"""
_DATA = """\
order_id,day,customer,amount
1,2026-01-01,ada,19.90
2,2026-01-01,bob,5.00
3,2026-01-02,ada,42.50
"""
_IGNORE = "warehouse/\n"


def write_starter(folder: str) -> list[str]:
    """Write a small project that runs; never over a file that is there."""
    root = project_root(folder)
    files = {
        FILE: _CONFIG.format(modeline=MODELINE, name=os.path.basename(root).replace(" ", "_") or "project"),
        SCHEMA_FILE: schema_text(),
        os.path.join("views", "daily_revenue.sql"): _VIEW,
        "orders.csv": _DATA,
        ".gitignore": _IGNORE,
    }
    taken = [f for f in files if os.path.exists(os.path.join(root, f)) and f != ".gitignore"]
    if taken:
        raise UserError(
            f"{taken[0]} exists already",
            code="project-exists",
            detail=f"Folder: {root}.",
            hint="Choose an empty folder: tidewheel init FOLDER.",
        )
    written = []
    for name, text in files.items():
        path = os.path.join(root, name)
        if os.path.exists(path):
            continue
        disk.make_dirs(os.path.dirname(path), "project.write")
        disk.prepare(path, text, step="project.write")
        written.append(os.path.relpath(path))
    return written

"""Changes by brute force: what a change of the inputs must do to a result."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from tidewheel.ir.rel import Rel
from tidewheel.tvr.reference.evaluate import Table, evaluate
from tidewheel.tvr.reference.zset import ZSet


def delta(
    rel: Rel,
    old: Mapping[str, Table],
    new: Mapping[str, Table],
    *,
    old_now: dt.datetime | None = None,
    new_now: dt.datetime | None = None,
) -> ZSet:
    """The result over the new tables minus the result over the old ones."""
    return evaluate(rel, new, now=new_now) - evaluate(rel, old, now=old_now)


def table_delta(old: Table, new: Table) -> ZSet:
    """The change between two versions of a table."""
    return ZSet.of_rows(new.rows) - ZSet.of_rows(old.rows)

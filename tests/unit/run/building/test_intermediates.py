"""What the statements of one view read by a name: made again where another session takes over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.engine.made import VIEW, query_of, reader_of, session_of
from tidewheel.engine.local.engine import LocalEngine
from tidewheel.errors import TidewheelError
from tidewheel.run.building.intermediates import Intermediates, Recipe
from tidewheel.store.tables import TableSnapshot
from tidewheel.types import INT, Field, Schema

NAME = "_tw_made_x"


def test_what_failed_in_one_session_is_made_in_another(tmp_path: Path) -> None:
    """As a statement that is beyond the driver is run by Spark: of the two, one knows no size of it."""
    first, second = (session_of(LocalEngine(2**28, str(tmp_path))) for _ in range(2))
    second.register("below", TableSnapshot(table="", version=-1, schema=Schema((Field("c0", INT),))))
    query = reader_of("below", query_of("SELECT 1 AS a"))
    made = Intermediates(VIEW, str(tmp_path / "made"), {NAME: Recipe(query, few=True)})
    with pytest.raises(TidewheelError):
        made.provide(first, NAME)
    made.provide(second, NAME)
    assert (made.rows[NAME], made.sizes[NAME]) == (0, second.bytes(NAME))
    made.drop()
    assert not (tmp_path / "made").exists()

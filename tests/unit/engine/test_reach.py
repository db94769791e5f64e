"""Where a server of Spark is asked, by what the project says."""

from __future__ import annotations

import pytest

from tidewheel.engine.spark.reach import addresses
from tidewheel.errors import UserError
from tidewheel.project.config import SparkOptions


def test_a_remote_of_another_scheme_is_refused_by_name() -> None:
    with pytest.raises(UserError) as caught:
        addresses(SparkOptions(remote="http://x"))
    assert (caught.value.code, caught.value.message) == ("bad-option", '"http://x" is not an sc:// URL')
    assert "sc://host:15002" in (caught.value.hint or "")

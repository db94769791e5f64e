"""How the tests' projects are planned: marks that change the numbers of `make_project`."""

from __future__ import annotations

import math
from typing import Final

import pytest

from tidewheel.optimize.options import PlannerOptions

FROM_CHANGES: Final = PlannerOptions().without_full()
"""What tables so small cost is noise: methods follow from the rules, but in the tests of the choice itself."""
BY_COST: Final = pytest.mark.planner(least_gain=1e-9, least_trial=1e-9)
"""The choice itself, also between ways that take no time."""
ALL_SHARED: Final = pytest.mark.planner(share_gain=-1e9, share_rows=0)
"""Whatever two scans ask for is read once."""
ALL_AIDS: Final = pytest.mark.planner(aid_rows=0, aid_share=math.inf)
"""Auxiliary states are kept wherever they are offered, however large."""

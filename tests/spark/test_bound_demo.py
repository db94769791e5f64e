"""The demo's views refreshed, and then asked again through their bound plans: the same rows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.conftest import MakeProject
from tidewheel.demo import shop
from tidewheel.ir.norm import normalize
from tidewheel.ir.rel import Opaque
from tidewheel.plan.defined.bound import bound_view
from tidewheel.sql.unparse import to_spark

pytestmark = pytest.mark.spark

SCALE = 0.01


def test_the_demos_views_equal_their_bound_plans(make_spark_project: MakeProject) -> None:
    project = make_spark_project(shop.SOURCES, shop.views())
    for batch in shop.first_load(scale=SCALE):
        project.ingest(batch.source, batch.rows, mode=batch.mode)
    project.refresh()
    definition = project.definition()
    warehouse = project.warehouse(definition)
    with project.snapshot() as snapshot:
        for name, view in definition.graph.views.items():
            schemas = {above: snapshot.contents(above).schema for above in definition.graph.inputs[name]}
            query = bound_view(definition.config, warehouse, view, schemas).query
            assert not isinstance(query.rel, Opaque), f"{name}: {query.notes}"
            found = snapshot.sql(to_spark(normalize(query)))
            assert rows(found) == rows(snapshot.table(name)), name


def rows(frame: Any) -> Counter[str]:
    return Counter(map(repr, frame.collect()))

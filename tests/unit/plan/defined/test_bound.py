"""Views bound for a project: what cannot be brought into normal form is recomputed, not refused."""

from __future__ import annotations

import pytest

from tests.conftest import MakeProject
from tidewheel.ddl import parse_schema
from tidewheel.ir.rel import Opaque, Project
from tidewheel.plan.defined.bound import bound_view


@pytest.mark.parametrize(("terms", "kind"), [(10, Project), (520, Opaque)])
def test_an_expression_that_is_too_deep(make_project: MakeProject, terms: int, kind: type) -> None:
    sql = f"SELECT {' + '.join(['x'] * terms)} AS y FROM s"
    project = make_project({"s": {"kind": "managed", "schema": "unused INT, x INT"}}, {"deep": sql})
    definition = project.definition()
    schemas = {"s": parse_schema("unused INT, x INT")}
    bound = bound_view(definition.config, project.warehouse(), definition.graph.views["deep"], schemas)
    assert isinstance(bound.query.rel, kind)
    assert bound.sql == sql

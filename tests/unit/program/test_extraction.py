"""Programs of the changes of TPC-H and large views: what runs is what was chosen, in statements of a bounded size."""

from __future__ import annotations

import functools

import pytest

from tests.corpus import tpch_queries, tpch_tables
from tests.corpus.large import CATALOG
from tests.fuzz.ctes import large_query
from tests.unit.optimize.test_valuation import Sizes
from tidewheel.delta.change import Kind
from tidewheel.ir.norm import normalize
from tidewheel.ir.rel import Rel
from tidewheel.ir.tree import relations, replaced
from tidewheel.optimize.cost import DEFAULTS, Place
from tidewheel.optimize.maintenance import Explored, explored, looked_at, upkeep_of
from tidewheel.optimize.valuation import Decision, Venue, decide
from tidewheel.program import Program, ProgramOptions, program_of
from tidewheel.program.growth import tree_size
from tidewheel.program.program import references
from tidewheel.sql.bind import CatalogRelation, SqlText, bind_view

TPCH = {t.name.lower(): CatalogRelation.of(t.name, t.schema) for t in tpch_tables()}
SQL = {case.name: case.sql for case in tpch_queries()} | {
    f"{family}_12": large_query(family, 12, 1) for family in ("chain", "diamond", "fan")
}
MOST = ProgramOptions().most_operators


@functools.cache
def looked(name: str, place: Place, *, named: bool) -> Explored:
    catalog = CATALOG if name.endswith("_12") else TPCH
    query = normalize(bind_view(SqlText(sql=SQL[name]), catalog).query)
    mixed: dict[str, Kind] = {n.lower(): "mixed" for n in relations(query.rel)}
    venue = Venue(place=place, prices=DEFAULTS[place])
    return looked_at(
        *explored(upkeep_of(query.rel, query.names), mixed, named=named),
        lambda some, memo: decide([s.rel for s in some], memo, Sizes({}), venue),
    )


def program(name: str, place: Place, *, named: bool = True) -> Program:
    found = looked(name, place, named=named)
    chosen = found.choose.made if isinstance(found.choose, Decision) else {}
    return program_of(found, chosen, copies=place == "cluster")


def inlined(made: Program) -> list[Rel]:
    plans: dict[bytes, Rel] = {}
    for step in made.intermediates:
        plans[step.reference.digest] = replaced(step.rel, plans)
    return [replaced(statement.rel, plans) for statement in made.statements]


@pytest.mark.parametrize("place", ["cluster", "driver"])
@pytest.mark.parametrize("name", SQL)
def test_a_program_is_what_was_chosen(name: str, place: Place) -> None:
    found = looked(name, place, named=True)
    wanted = [statement.expanded(found.memo, found.choose).rel for statement in found.statements]
    assert inlined(program(name, place)) == wanted


@pytest.mark.parametrize("name", SQL)
def test_no_step_of_a_program_for_spark_is_larger_than_the_bound(name: str) -> None:
    for named in (True, False):
        assert all(tree_size(step.rel) <= MOST + 2 for step in program(name, "cluster", named=named).steps)


@pytest.mark.parametrize("name", SQL)
def test_the_driver_makes_only_what_several_statements_read(name: str) -> None:
    made = program(name, "driver")
    for step in made.intermediates:
        readers = [other for other in made.steps if step.reference.digest in {s.digest for s in references(other.rel)}]
        assert len(readers) > 1


def test_a_choice_is_the_same_program_whenever_it_is_made() -> None:
    assert program("diamond_12", "cluster") == program("diamond_12", "cluster")

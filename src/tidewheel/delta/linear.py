"""Operators that take one row at a time: what they do to a relation they do to its change."""

from __future__ import annotations

from dataclasses import replace

from tidewheel.delta.change import DeltaPlan, total
from tidewheel.delta.forms import Forms
from tidewheel.ir.rel import Filter, Project, Rel, Union, Unnest
from tidewheel.ir.scalar import Cast, Col, identity
from tidewheel.ir.typing import types_of
from tidewheel.types import UNKNOWN, to_sql


def filtered(forms: Forms, rel: Filter) -> DeltaPlan | None:
    """d(filter p X) = filter p dX."""
    below = forms.delta(rel.input)
    return None if below is None else replace(below, rel=Filter(input=below.rel, predicate=rel.predicate))


def projected(forms: Forms, rel: Project) -> DeltaPlan | None:
    """d(project e X) = project e dX."""
    below = forms.delta(rel.input)
    return None if below is None else below.through(below.rel, rel.exprs)


def unnested(forms: Forms, rel: Unnest) -> DeltaPlan | None:
    """d(unnest g X) = unnest g dX."""
    below = forms.delta(rel.input)
    if below is None:
        return None
    made = replace(rel, input=below.rel)
    width = rel.input.width
    places = [*range(width), *range(made.width - rel.arity, made.width)]
    exprs = [Col(i) for i in places] + ([Col(width)] if below.signed else [])
    return DeltaPlan(rel=Project(input=made, exprs=tuple(exprs)), signed=below.signed)


def united(forms: Forms, rel: Union) -> DeltaPlan | None:
    """d(A + B) = dA + dB, each in the types of the whole."""
    changes = [change for part in rel.parts if (change := forms.delta(part)) is not None]
    return total([in_types_of(rel, change) for change in changes]) if changes else None


def in_types_of(whole: Rel, change: DeltaPlan) -> DeltaPlan:
    """A part of a union may be of other types than the whole, and without the others it would stay so."""
    wanted, given = types_of(whole), types_of(change.rel)[: change.width]
    exprs = tuple(
        column if b in {a, UNKNOWN} else Cast(column, to_sql(b))
        for column, a, b in zip(identity(change.width), given, wanted, strict=True)
    )
    return change if exprs == identity(change.width) else change.through(change.rel, exprs)

"""Measure what work costs on this machine: a few statements over made-up tables, in the driver and on the cluster."""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tidewheel.engine.base import Engine, Output, Session
from tidewheel.engine.local.engine import LocalEngine
from tidewheel.ir.parts import AggCall, Column, JoinKey, SortKey
from tidewheel.ir.rel import Aggregate, Filter, Join, Project, Query, Rel, Scan, TopK
from tidewheel.ir.scalar import Call, Col, Lit, identity
from tidewheel.optimize.cost import DEFAULTS, Normal, Place, Prices, Work, work_of
from tidewheel.optimize.estimate import Estimator
from tidewheel.optimize.learning import Learned
from tidewheel.plan.placement import Placement
from tidewheel.plan.pricing.facts import facts_of
from tidewheel.project.config import Config, ViewOptions
from tidewheel.project.graph import View
from tidewheel.project.values import parse_bytes
from tidewheel.store import learnt
from tidewheel.store.footers import describe_file
from tidewheel.store.tables import TableSnapshot
from tidewheel.store.warehouse import Warehouse
from tidewheel.types import LONG, Field, Primitive, Schema

SIZES: Final = {"small": 2_000, "middle": 100_000, "large": 2_000_000}
SCHEMA: Final = Schema((Field("k", LONG), Field("g", LONG), Field("v", LONG), Field("s", Primitive("string"))))
ROUNDS: Final = 3
"""How often each statement is run; the first time does not count."""
LOOSE: Final = 0.05
"""How much the first prices still count against what was measured."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Prices as they were found, and how far predictions by them are off: the median factor."""

    prices: Prices
    off: float
    samples: int

    def to_dict(self) -> dict[str, Any]:
        return {"prices": self.prices.to_dict(), "off": round(self.off, 3), "samples": self.samples}


def calibrate(
    config: Config,
    warehouse: Warehouse,
    engine: Engine,
    placement: Placement,
    listener: Callable[[str, str, None], None],
) -> dict[Place, Calibrated]:
    """Measure, fit, and keep the prices for the predictions to come."""
    folder = os.path.join(warehouse.scratch, f"calibrate-{uuid.uuid4().hex[:8]}")
    places: dict[Place, Callable[[], Session]] = {}
    local = LocalEngine(parse_bytes(config.memory), warehouse.scratch)
    places["driver"] = lambda: local.session(config.settings)
    if not placement.is_local:
        places["cluster"] = lambda: engine.session(config.settings)
    learned = Learned.from_dict(learnt.read(warehouse))
    fits, found = dict(learned.fits), {}
    try:
        tables = dict(_tables(folder))
        for place, opened in places.items():
            listener("start", place, None)
            samples = list(_samples(opened(), tables, os.path.join(folder, place), shared=place == "driver"))
            fit = Normal.empty()
            for work, seconds in samples:
                fit = fit.with_sample(work, seconds)
            fits[place] = fit
            prices = fit.solved(DEFAULTS[place], LOOSE)
            factors = sorted(max(prices.seconds(w) / s, s / max(prices.seconds(w), 1e-9)) for w, s in samples)
            found[place] = Calibrated(prices, factors[len(factors) // 2], len(samples))
            listener("done", place, None)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    learnt.write(warehouse, replace(learned, fits=fits).to_dict())
    return found


def _tables(folder: str) -> Iterator[tuple[str, TableSnapshot]]:
    for name, rows in SIZES.items():
        table = os.path.join(folder, name)
        os.makedirs(table)
        numbers = pa.array(range(rows), pa.int64())
        groups = pa.array([i * 7919 % max(rows // 50, 1) for i in range(rows)], pa.int64())
        words = pa.array([f"word {i % 1000}" for i in range(rows)])
        columns = pa.table({"k": numbers, "g": groups, "v": numbers, "s": words})
        path = os.path.join(table, "rows.parquet")
        pq.write_table(columns, path)
        yield (
            name,
            TableSnapshot(table=table, version=0, schema=SCHEMA, files=(describe_file(path, "rows.parquet", SCHEMA),)),
        )


def _samples(
    session: Session, tables: dict[str, TableSnapshot], folder: str, *, shared: bool
) -> Iterator[tuple[Work, float]]:
    """Each statement with its work and the least of its times."""
    try:
        for name, snapshot in tables.items():
            session.register(name, snapshot)
        estimator = Estimator(lambda scan: facts_of(tables[scan.relation].files, scan.columns, {}))
        for number, rel in enumerate(_statements()):
            work = work_of(
                [rel],
                estimator,
                lambda s: tables[s.relation].bytes * len(s.columns) / len(SCHEMA.fields),
                shared=shared,
            )
            times, written = [], 0
            for again in range(ROUNDS):
                target = os.path.join(folder, f"{number}-{again}")
                query = Query(rel=rel, names=tuple(f"c{i}" for i in range(rel.width)))
                os.makedirs(folder, exist_ok=True)
                began = time.perf_counter()
                session.run(_VIEW, [Output(query=query, folder=target)])
                times.append(time.perf_counter() - began)
                written = sum(os.path.getsize(os.path.join(target, f)) for f in os.listdir(target))
            yield work + Work(written=float(written)), min(times[1:])
    finally:
        session.close()


def _statements() -> Iterator[Rel]:
    """All rows, some, groups, joins, the first ones; of tables of several sizes."""
    for name in SIZES:
        rows = Scan(relation=name, columns=tuple(Column(f.name, f.type) for f in SCHEMA))
        total = (AggCall(name="sum", args=(Col(2),)), AggCall(name="count"))
        yield rows
        yield Filter(input=rows, predicate=Call("=", (Col(1), Lit("bigint", "3"))))
        yield Project(input=Filter(input=rows, predicate=Call("<", (Col(0), Lit("bigint", "100")))), exprs=(Col(0),))
        yield Aggregate(input=rows, calls=total)
        yield Aggregate(input=rows, keys=(Col(1),), calls=total)
        yield Aggregate(input=rows, keys=(Col(3),), calls=total)
        yield TopK(input=rows, order=(SortKey(expr=Col(2)),), limit=10)
        small = Scan(relation="small", columns=rows.columns)
        joined = Join(kind="inner", left=small, right=rows, keys=(JoinKey(left=Col(0), right=Col(0)),))
        yield Aggregate(input=joined, keys=(Col(1),), calls=total)
        yield Join(kind="semi", left=rows, right=small, keys=(JoinKey(left=Col(0), right=Col(0)),))
        twice = Join(kind="inner", left=rows, right=rows, keys=(JoinKey(left=Col(0), right=Col(0)),))
        yield Aggregate(input=Project(input=twice, exprs=identity(4)), keys=(Col(1),), calls=total)


_VIEW: Final = View(
    name="calibration",
    sql="",
    file="",
    offset=0,
    file_text="",
    reads=(),
    fingerprint="",
    clock="none",
    deterministic=True,
    options=ViewOptions(),
)

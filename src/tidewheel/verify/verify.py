"""Does every view equal its query? delta-rs reads the tables, the engine runs the queries on the user's own text.

Nothing here goes through our own reader of records and file lists: sources and views are read by delta-rs's query
engine from their Delta logs, and the comparison is made by DuckDB, row by row, counting duplicates.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from tidewheel.engine.base import Engine
from tidewheel.plan.defined.bound import Binding
from tidewheel.plan.defined.check import wrong_as_defined
from tidewheel.project.definition import Definition
from tidewheel.store.epochs import Epoch, read_epoch
from tidewheel.store.warehouse import Warehouse
from tidewheel.verify.judge import Judge, broken_verdict
from tidewheel.verify.verdict import Verification, ViewVerdict


def verify(
    definition: Definition,
    warehouse: Warehouse,
    engine: Engine,
    epoch: Epoch,
    versions: Mapping[str, int | None],
    listener: Callable[[str, str, ViewVerdict | None], None],
    *,
    deep: bool = False,
) -> Verification:
    """Recompute views over their recorded source versions and compare them with these versions of their tables.

    `deep` also compares what is stored for their maintenance.
    """
    schemas = {name: entry.schema for name, entry in epoch.sources.items()}
    wrong = {name: view.error for name, view in definition.graph.broken.items()}
    wrong |= wrong_as_defined(Binding(definition, warehouse, schemas, epoch))
    by_cut: dict[int, list[str]] = {}
    for name in definition.graph.order:
        if name in versions and name in epoch.views and name not in wrong:
            by_cut.setdefault(epoch.views[name].as_of, []).append(name)
    folder = os.path.join(warehouse.spill, f"verify-{uuid.uuid4().hex[:8]}")
    verdicts: dict[str, ViewVerdict] = {}
    try:
        for number, names in by_cut.items():
            cut = epoch if number == epoch.number else read_epoch(warehouse, number)
            judge = Judge(definition, warehouse, engine, epoch, cut, os.path.join(folder, str(number)))
            verdicts |= _judged(judge, names, versions, listener, deep=deep)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for name, error in wrong.items():
        if name in versions and name in epoch.views:
            verdicts[name] = broken_verdict(epoch, name, error)
    views = {n: verdicts[n] for n in definition.graph.names if n in verdicts}
    return Verification(epoch=epoch.number, engine=engine.name, views=views)


def _judged(
    judge: Judge,
    names: Sequence[str],
    versions: Mapping[str, int | None],
    listener: Callable[[str, str, ViewVerdict | None], None],
    *,
    deep: bool,
) -> dict[str, ViewVerdict]:
    """Views of one cut: while the engine recomputes some, those before are compared."""
    verdicts: dict[str, ViewVerdict] = {}
    comparing: deque[tuple[str, Future[ViewVerdict]]] = deque()

    def finish(left: int) -> None:
        while len(comparing) > left:
            name, future = comparing.popleft()
            found = future.result()
            verdicts[name] = judge.deep(found) if deep and found.equal and not found.skipped else found
            listener("done", name, verdicts[name])

    with judge, ThreadPoolExecutor(max_workers=1) as pool:
        judge.begin([name for name in names if judge.skipped(name) is None])
        for name in names:
            listener("start", name, None)
            verdict = judge.skipped(name) or judge.recomputed(name)
            comparing.append((name, pool.submit(judge.compare, name, versions[name], verdict)))
            finish(1)
        finish(0)
    return verdicts

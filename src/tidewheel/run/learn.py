"""What a run teaches about costs: what its views took and gave, and how values repeat in what it read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from tidewheel.optimize.learning import Columns, Learned
from tidewheel.plan.binding.parts import MadePart
from tidewheel.run.outcome import Run
from tidewheel.store import learnt
from tidewheel.store.dictionaries import distinct_values
from tidewheel.store.tables import TableSnapshot
from tidewheel.store.warehouse import Warehouse


def learn(warehouse: Warehouse, run: Run, read: Mapping[str, TableSnapshot], made: Iterable[MadePart]) -> None:
    """Take in what the views of a run took and gave; nothing of one that read nothing, for it did not have to.

    Of relations that it read, and that have doubled since they were last looked at, it is seen how their values repeat.
    """
    new = {s.view for s in run.plan.steps if s.reason.code in {"first-build", "definition-changed"}}
    before = Learned.from_dict(learnt.read(warehouse))
    learned = before.only(run.views.keys() - new)
    for name, view in run.views.items():
        if view.way is not None and view.read:
            rows = view.rows if view.way.name == "full" else view.changed
            learned = learned.with_run(name, view.way, view.seconds - view.shared, float(rows or 0), view.states)
    for one in made:
        learned = learned.with_overlap(one.sharing.part.kind, one.sharing.estimate, one.rows)
        learned = learned.with_sample(one.sharing.place, one.sharing.work, one.seconds)
    for name, snapshot in read.items():
        if snapshot.rows > 2 * learned.columns.get(name, Columns()).rows:
            with suppress(OSError, ValueError):  # it may be gone, or be no file of ours
                learned = learned.with_columns(name, snapshot.rows, distinct_values(snapshot.paths(), snapshot.rows))
    if learned != before:
        learnt.write(warehouse, learned.to_dict())

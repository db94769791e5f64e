"""`tidewheel demo`: a shop from nothing to a verified second epoch, told as it goes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tidewheel.cli import output
from tidewheel.cli.progress import built, progress, verdict
from tidewheel.cli.rows import emit_rows
from tidewheel.errors import UserError

if TYPE_CHECKING:
    from tidewheel.api import Project
    from tidewheel.demo.shop import Batch
    from tidewheel.run.outcome import Run


def run_demo(folder: str, scale: float, *, as_json: bool) -> int:
    """Build, refresh, let a day pass, refresh, show, verify; returns the exit code."""
    from tidewheel.api import create_project  # noqa: PLC0415
    from tidewheel.demo import shop  # noqa: PLC0415

    if os.path.exists(os.path.join(folder, "tidewheel.yml")):
        raise UserError(
            f'the demo is in "{folder}" already',
            code="project-exists",
            hint=f"Look at it with `tidewheel -p {folder} status`, or delete the folder and run the demo again.",
        )
    say = _quiet if as_json else _say
    say(f"Building the shop in {folder}: {len(shop.SOURCES)} sources, {len(shop.views())} views")
    with create_project(folder, sources=shop.SOURCES, views=shop.views(), name="shop") as project:
        project.engines.brief = True
        project.engine().start(round(scale * shop.BYTES))
        load = shop.first_load(scale=scale)
        say("\n1. The first load: ingest three months of a shop's life, while Spark starts")
        _ingest(project, load, say)
        say("\n2. The first refresh: every view is built, on Spark")
        first = _refresh(project)
        say("\n3. A day passes: orders, changes of mind, returns, clicks")
        _ingest(project, shop.next_day(scale=scale), say)
        say("\n4. The second refresh: the views whose inputs changed")
        second = _refresh(project)
        say("\n5. What came out: revenue of the last days")
        rows = project.query("SELECT * FROM daily_revenue ORDER BY day DESC LIMIT 5")
        if not as_json:
            emit_rows(rows, "daily_revenue", as_json=False)
        say("\n6. Verify: every view is recomputed from its own SQL and compared, row by row")
        with progress(len(project.views), verdict) as display:
            found = project.verify(listener=display)
    if as_json:
        output.emit_json({"first": first.to_dict(), "second": second.to_dict(), "verify": found.to_dict()})
        return found.exit_code
    say(f"   {len(found.views) - len(found.differences)} of {len(found.views)} views equal their query")
    say(_NEXT.format(folder=folder))
    return found.exit_code


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _quiet(text: str) -> None:
    del text


def _ingest(project: Project, batches: list[Batch], say: Callable[[str], None]) -> None:
    for batch in batches:
        began = time.monotonic()
        result = project.ingest(batch.source, batch.rows, mode=batch.mode)
        gone = f", {result.removed:,} replaced or removed" if result.removed else ""
        seconds = time.monotonic() - began
        say(f"   {batch.source}: {batch.mode} of {batch.rows.num_rows:,} rows{gone} ({seconds:.2f} s)")


def _refresh(project: Project) -> Run:
    with progress(len(project.views), built) as display:
        return project.refresh(listener=display)


_NEXT = """
What to try next:
   tidewheel -p {folder} status
   tidewheel -p {folder} plan
   tidewheel -p {folder} explain customer_value
   tidewheel -p {folder} graph --output graph.html, then open graph.html in a browser
   tidewheel -p {folder} show top_products
   tidewheel -p {folder} query "SELECT * FROM overview ORDER BY day DESC LIMIT 3"
   edit a file in {folder}/views, then: tidewheel -p {folder} plan
   docs/tutorial.md builds a project of your own"""

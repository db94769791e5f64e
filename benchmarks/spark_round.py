"""One round of changes with every statement on Spark: the 99 TPC-DS views, and views of dozens of CTEs.

Tables are tiny: what is measured is what plans cost, not what rows do. Every view is built in full, every source
changes at random, and all views are brought up to date from these changes. For each view it is printed what both took,
how many executions, and how long one of its statements was in Catalyst at most: parsed, analyzed, optimized and
planned, by Spark's own clock. Then all tables are compared with their queries, computed by another engine.

    python benchmarks/spark_round.py                            # everything; about an hour on two cores
    python benchmarks/spark_round.py --suite tpcds --views q01 q14
    python benchmarks/spark_round.py --suite large --families chain --sizes 10 20
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, cast

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.arms import write  # noqa: E402
from pyspark.java_gateway import ensure_callback_server_started  # noqa: E402
from tests.corpus.large import large_queries  # noqa: E402
from tests.fuzz.ctes import FAMILIES, large_query  # noqa: E402
from tests.streams import tpcds  # noqa: E402
from tests.streams.rounds import Stream  # noqa: E402
from tests.streams.saas import SaasStream  # noqa: E402
from tests.streams.shadow import Shadow, stored  # noqa: E402

import tidewheel as tw  # noqa: E402
from tidewheel.demo.shop import Batch  # noqa: E402
from tidewheel.engine.spark.engine import SparkEngine, SparkRun  # noqa: E402
from tidewheel.engine.spark.session import connect  # noqa: E402
from tidewheel.project.config import SparkOptions  # noqa: E402
from tidewheel.run.outcome import Run, ViewRun  # noqa: E402

SEED: Final = 1
SIZES: Final = (10, 20, 40, 60, 100)
WARM: Final = 8
"""Queries that are planned before anything is measured."""
MOST: Final = 2.0
"""Seconds that a statement may be in Catalyst."""
PHASES: Final = ("parsing", "analysis", "optimization", "planning")


@dataclass(slots=True)
class Catalyst:
    """Seconds in Catalyst of each execution, as Spark tells its listeners.

    A machine that others use, too, makes them longer. What the thread that plans has computed from the beginning of a
    statement to its end is at least what it took in Catalyst, so the smaller of both is reported.
    """

    spark: Any
    found: list[float] = field(default_factory=list)
    statements: list[float] = field(default_factory=list)
    executions: int = 0

    def listen(self, engine: SparkEngine) -> Catalyst:
        """To all sessions that an engine will open."""
        start: Any = ensure_callback_server_started
        start(self.spark.sparkContext._gateway)  # noqa: SLF001
        opened = engine.session

        def session(settings: dict[str, str]) -> SparkRun:
            made = opened(settings)
            made.spark._jsparkSession.listenerManager().register(_Listener(self.found))  # noqa: SLF001
            for name in ("run", "write", "make"):
                setattr(made, name, self._measured(getattr(made, name)))
            return made

        engine.session = session  # type: ignore[method-assign]
        return self

    def _measured(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*arguments: Any, **named: Any) -> Any:
            began = self._computed()
            try:
                return call(*arguments, **named)
            finally:
                self.statements.append(min(self._computed() - began, max(self._told(), default=0.0)))

        return measured

    def _computed(self) -> float:
        """Seconds of the processor that the JVM's thread of this thread has had."""
        bean = self.spark._jvm.java.lang.management.ManagementFactory.getThreadMXBean()  # noqa: SLF001
        return float(bean.getCurrentThreadCpuTime()) / 1e9

    def _told(self) -> list[float]:
        self.spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(60_000)  # noqa: SLF001
        seconds, self.found[:] = list(self.found), []
        self.executions += len(seconds)
        return seconds

    def taken(self) -> tuple[int, float]:
        """Executions since it was last asked, and the longest that a statement was in Catalyst."""
        self._told()
        executions, longest = self.executions, max(self.statements, default=0.0)
        self.executions, self.statements = 0, []
        return executions, longest


class _Listener:
    """A listener of Spark's, called from the JVM."""

    def __init__(self, found: list[float]) -> None:
        self.found = found

    def onSuccess(self, _name: str, execution: Any, _duration: int) -> None:  # noqa: N802  Spark's name for it
        self.found.append(_seconds(execution))

    def onFailure(self, _name: str, execution: Any, _error: Any) -> None:  # noqa: N802
        self.found.append(_seconds(execution))

    class Java:
        implements: Final = ["org.apache.spark.sql.util.QueryExecutionListener"]


def _seconds(execution: Any) -> float:
    phases = execution.tracker().phases()
    return sum(float(phases.apply(name).durationMs()) for name in PHASES if phases.contains(name)) / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What one view took in one refresh."""

    method: str
    reason: str
    seconds: float
    executions: int
    catalyst: float

    @property
    def text(self) -> str:
        slow = "!" if self.catalyst > MOST else " "
        return f"{self.method:<11}{self.seconds:>8.2f}{self.executions:>5}{self.catalyst:>8.2f}{slow}"


class Suite:
    """A project of some views, every statement of which runs on Spark."""

    def __init__(self, folder: Path, spark: Any, stream: Stream, views: Mapping[str, str]) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        options = {"placement": "spark", "views": {name: {"refresh": "incremental"} for name in views}}
        self.project = tw.create(folder, sources=stream.sources, views=views, spark=spark, options=options)
        engine = cast("SparkEngine", self.project.engine())
        engine.parallelism = 1  # so that it is known which view an execution is of
        self.stream, self.catalyst = stream, Catalyst(spark).listen(engine)
        self.shadow = Shadow(stream.sources, {name: views[name] for name in self.project.views})

    def take(self, batches: Sequence[Batch]) -> dict[str, Taken]:
        for batch in batches:
            self.project.ingest(batch.source, batch.rows, mode=batch.mode)
            self.shadow.apply(batch)
        self.catalyst.taken()
        found: dict[str, Taken] = {}

        def told(event: str, name: str, view: ViewRun | None) -> None:
            if event in {"done", "failed"} and view is not None:
                executions, longest = self.catalyst.taken()
                found[name] = Taken(
                    method=view.method,
                    reason=view.reason.code,
                    seconds=view.seconds or 0.0,
                    executions=executions,
                    catalyst=longest,
                )
                print(f"  {name:<22}{found[name].text} {found[name].reason}", flush=True)

        self._check(self.project.refresh(listener=told))
        return found

    def _check(self, run: Run) -> None:
        for name, view in run.failed.items():
            print(f"  {name}: {view.error}")
        self.shadow.compute()
        for name in self.project.views:
            if name not in run.failed and (wrong := self.shadow.difference(name, stored(self.project.root, name))):
                raise AssertionError(f"{name} is not its query: {wrong}")


class EverySource(tpcds.TpcdsStream):
    """Rounds that leave no source as it was."""

    def round(self) -> list[Batch]:
        facts = [batch for name in tpcds.FACTS for batch in self._fact_changes(name)]
        return facts + [b for name in self.tables if name not in tpcds.FACTS for b in self._dimension_changes(name)]


def warmed(spark: Any) -> None:
    """Let Catalyst see some queries first: the first statement of a JVM is no measure of any other."""
    for name, source in tpcds.SOURCES.items():
        spark.createDataFrame([], source["schema"]).createOrReplaceTempView(name)
    for sql in [*tpcds.VIEWS.values()][:WARM]:
        with contextlib.suppress(Exception):  # what is wrong with it is for the refresh to say
            spark.sql(sql)._jdf.queryExecution().executedPlan()  # noqa: SLF001


def suites(options: argparse.Namespace) -> Iterator[tuple[str, Stream, dict[str, str]]]:
    if options.suite in {"all", "tpcds"}:
        wanted = {name: sql for name, sql in tpcds.VIEWS.items() if not options.views or name in options.views}
        yield "tpcds", EverySource(seed=SEED), wanted
    if options.suite in {"all", "large"}:
        made = {
            f"{family}_{size}": large_query(family, size, SEED) for family in options.families for size in options.sizes
        }
        wanted = {n: s for n, s in {**large_queries(), **made}.items() if not options.views or n in options.views}
        yield "large", SaasStream(SEED, share=1.0), wanted


def measured(folder: Path, spark: Any, stream: Stream, views: Mapping[str, str]) -> dict[str, dict[str, Taken]]:
    """By refresh and view."""
    suite = Suite(folder, spark, stream, views)
    found = {}
    for name, batches in (("full", stream.load()), ("changes", stream.round())):
        print(f"{name}{'method':>25}{'seconds':>15}{'exec':>6}{'Catalyst':>10}", flush=True)
        began = time.monotonic()
        found[name] = suite.take(batches)
        total, worst = time.monotonic() - began, max((t.catalyst for t in found[name].values()), default=0.0)
        slow = sorted(view for view, taken in found[name].items() if taken.catalyst > MOST)
        print(
            f"  {len(found[name])} views, {total:.1f} s in all; longest in Catalyst {worst:.2f} s, above {MOST}: {slow}"
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=("all", "tpcds", "large"), default="all")
    parser.add_argument("--views", nargs="*", default=[], help="only these")
    parser.add_argument("--families", nargs="*", default=list(FAMILIES), choices=FAMILIES)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--work", type=Path, default=Path("build/benchmarks"))
    options = parser.parse_args()
    spark = connect(SparkOptions(master="local[2]", conf={"spark.driver.memory": "6g"}), "benchmark")
    warmed(spark)
    results = {}
    for name, stream, views in suites(options):
        print(f"{name}: {len(views)} views")
        taken = measured(options.work.absolute() / "spark_round" / name, spark, stream, views)
        results[name] = {when: {view: asdict(one) for view, one in found.items()} for when, found in taken.items()}
    write(options.work, "spark-round", options, results)


if __name__ == "__main__":
    main()

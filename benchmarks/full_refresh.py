"""A full refresh of the 22 TPC-H queries as one project, against a plain PySpark script that writes them one by one.

Each arm is a process of its own, from its start to its exit, in turn, several rounds in one run: what a user would run.

    python benchmarks/full_refresh.py --scale 1 --rounds 3
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.data import generate_tpch

TEXTS = Path(__file__).parents[1] / "tests" / "corpus" / "tpch"
TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")


def queries() -> dict[str, str]:
    return {path.stem: path.read_text() for path in sorted(TEXTS.glob("q*.sql"))}


def plain(data: Path, out: Path) -> None:
    """The alternative: what somebody writes without Tidewheel, with Spark as it comes (and the same heap)."""
    from pyspark.sql import SparkSession  # noqa: PLC0415

    spark = SparkSession.builder.master("local[*]").config("spark.driver.memory", "8g").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    for table in TABLES:
        spark.read.parquet(str(data / table)).createOrReplaceTempView(table)
    for name, sql in queries().items():
        spark.sql(sql).write.mode("overwrite").parquet(str(out / name))
    spark.stop()


def tidewheel(data: Path, out: Path) -> None:
    import tidewheel as tw  # noqa: PLC0415

    sources = {t: {"kind": "files", "path": str(data / t)} for t in TABLES}
    conf = {"conf": {"spark.driver.memory": "8g"}}
    with tw.create(out, sources=sources, views=queries(), spark=None, options={"spark": conf}) as project:
        run = project.refresh()
        assert not run.failed, run.failed  # noqa: S101
        per_view = {name: view.seconds for name, view in run.views.items()}
    Path(out, "views.json").write_text(json.dumps(per_view))


def time_arm(arm: str, data: Path, out: Path) -> float:
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, __file__, "--arm", arm, "--data", str(data), "--out", str(out)]
    began = time.monotonic()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path, default=Path("build/bench"))
    parser.add_argument("--arm", choices=["plain", "tidewheel"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.arm:
        {"plain": plain, "tidewheel": tidewheel}[options.arm](options.data, options.out)
        return
    work = options.work.absolute()
    data = work / f"tpch-{options.scale:g}"
    generate_tpch(options.scale, data)
    seconds: dict[str, list[float]] = {"plain": [], "tidewheel": []}
    for round_number in range(options.rounds):
        arms = list(seconds) if round_number % 2 == 0 else list(reversed(seconds))
        for arm in arms:
            seconds[arm].append(time_arm(arm, data, work / arm))
            print(f"round {round_number + 1}: {arm} {seconds[arm][-1]:.1f} s", flush=True)
    report(options.scale, seconds, work)


def report(scale: float, seconds: dict[str, list[float]], work: Path) -> None:
    ratios = [t / p for t, p in zip(seconds["tidewheel"], seconds["plain"], strict=True)]
    result = {
        "benchmark": "full_refresh",
        "scale": scale,
        "machine": {"cores": os.cpu_count(), "platform": platform.platform(), "python": platform.python_version()},
        "seconds": seconds,
        "ratio": statistics.median(ratios),
    }
    (work / "full_refresh.json").write_text(json.dumps(result, indent=2))
    print(f"\n{'arm':<12}{'median s':>10}{'all':>30}")
    for arm, values in seconds.items():
        print(f"{arm:<12}{statistics.median(values):>10.1f}{', '.join(f'{v:.1f}' for v in values):>30}")
    print(f"tidewheel / plain: {result['ratio']:.2f} (median of {len(ratios)} rounds; at most 1 is the aim)")


if __name__ == "__main__":
    main()

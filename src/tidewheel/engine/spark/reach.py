"""Waiting for a Spark that is elsewhere: not for ever, and it is said what was waited for."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from tidewheel.errors import ExecutionError, UserError
from tidewheel.project.values import parse_duration

if TYPE_CHECKING:
    from tidewheel.project.config import SparkOptions

T = TypeVar("T")
CONNECT_PORT: Final = 15002
MASTER_PORT: Final = 7077


def addresses(options: SparkOptions) -> list[tuple[str, int]]:
    """Where a server is asked: that of Spark Connect, or the masters of a standalone cluster; none for others."""
    if options.remote:
        if not options.remote.startswith("sc://"):
            raise UserError(
                f'"{options.remote}" is not an sc:// URL',
                code="bad-option",
                hint="Write `remote: sc://host:15002`; another cluster is named by `master:`.",
            )
        return [_address(options.remote, options.remote, CONNECT_PORT)]
    if options.master.startswith("spark://"):
        hosts = options.master.removeprefix("spark://").split(",")
        return [_address(f"spark://{host}", options.master, MASTER_PORT) for host in hosts]
    return []


def _address(url: str, written: str, default: int) -> tuple[str, int]:
    try:
        parts = urlsplit(url.replace(";", "?", 1))
        host, port = parts.hostname, parts.port or default
    except ValueError:
        host, port = None, default
    if not host:
        raise UserError(
            f'"{written}" names no host',
            code="bad-option",
            hint="Write sc://host:15002 for Spark Connect, spark://host:7077 for a standalone cluster.",
        )
    return host, port


def reached(options: SparkOptions, start: Callable[[], T]) -> T:
    """What `start` gives, if the server answers in time. One that is on this machine needs no waiting for."""
    known = addresses(options)
    if not known:
        return start()
    limit = parse_duration(options.timeout)
    until = time.monotonic() + limit
    where = options.remote or options.master
    _knock(known, where, limit)
    if options.remote:
        _shake_hands(options.remote, until - time.monotonic(), options.timeout)
    return _within(until - time.monotonic(), start, where, options.timeout)


def _knock(known: list[tuple[str, int]], where: str, seconds: float) -> None:
    """Does somebody listen at one of the addresses: a closed port says so at once."""
    problem: OSError | None = None
    for address in known:
        try:
            socket.create_connection(address, timeout=seconds).close()
        except OSError as error:
            problem = error
        else:
            return
    raise unreachable(where, f"{problem or 'Nobody listens there'}.")


def _shake_hands(remote: str, seconds: float, limit: str) -> None:
    """Is it a server of Spark Connect that listens: its client would ask for minutes, and keep the process alive."""
    import grpc  # noqa: PLC0415
    from pyspark.sql.connect.client import DefaultChannelBuilder  # noqa: PLC0415

    channel = DefaultChannelBuilder(remote).toChannel()
    try:
        grpc.channel_ready_future(channel).result(timeout=max(seconds, 0.1))
    except grpc.FutureTimeoutError as error:
        raise unreachable(remote, f"It was asked, and gave no answer within {limit}.") from error
    finally:
        channel.close()


def _within(seconds: float, start: Callable[[], T], where: str, limit: str) -> T:
    """In a thread that does not keep the process alive: what hangs in a library cannot be called off."""
    try:
        return in_background(start).result(timeout=max(seconds, 0.1))
    except TimeoutError as error:
        raise unreachable(where, f"It was asked, and gave no answer within {limit}.") from error


def in_background(start: Callable[[], T]) -> Future[T]:
    """What a function gives, when it is there; an executor's thread would be waited for at the end of the process."""
    found: Future[T] = Future()

    def run() -> None:
        try:
            found.set_result(start())
        except BaseException as error:  # noqa: BLE001  it is raised again where somebody waits
            found.set_exception(error)

    threading.Thread(target=run, name="tidewheel-spark", daemon=True).start()
    return found


def unreachable(where: str, detail: str) -> ExecutionError:
    return ExecutionError(
        f"Spark does not answer at {where}",
        code="spark-unreachable",
        detail=detail,
        hint="Start it, or correct `spark:` in tidewheel.yml; `spark: {timeout: 2 minutes}` waits longer.",
    )

"""Child processes that start in milliseconds and may be killed or stopped anywhere.

pytest's own process has threads (xdist, Arrow, tokio) and must not fork. So one clean process imports everything that
is slow to import, opens nothing, and forks a child for each job: a function of `jobs`, `checks` or `readers`, by name,
with arguments and result as JSON. The server tells how each child ended, and also that it was stopped by SIGSTOP.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import traceback
from dataclasses import dataclass
from typing import Any, Self

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: by a signal, or with a result or an error."""

    signal: int | None
    value: Any = None
    error: dict[str, Any] | None = None

    @property
    def was_killed(self) -> bool:
        return self.signal == signal.SIGKILL


class Child:
    def __init__(self, server: ForkServer, pid: int, out: str) -> None:
        self.server = server
        self.pid = pid
        self.out = out
        self._ended: Ended | None = None

    def send(self, number: int) -> None:
        """Signal the child; one that has ended meanwhile is left alone."""
        if self._ended is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def wait(self) -> Ended | None:
        """Wait until the child has ended, or has been stopped: then None."""
        if self._ended is None:
            self._take(self.server.ask(op="wait", pid=self.pid)["status"])
        return self._ended

    def is_running(self) -> bool:
        """Whether the child has not ended yet."""
        if self._ended is None:
            self._take(self.server.ask(op="look", pid=self.pid)["status"])
        return self._ended is None

    def is_stopped(self) -> bool:
        """Whether the child has been stopped since the last look."""
        status = self.server.ask(op="look", pid=self.pid)["status"] if self._ended is None else None
        if status is not None and not os.WIFSTOPPED(status):
            self._take(status)
        return status is not None and os.WIFSTOPPED(status)

    def ended(self) -> Ended:
        """Wait for the end; a stopped child is continued."""
        while True:
            self.send(signal.SIGCONT)
            if (found := self.wait()) is not None:
                return found

    def value(self) -> Any:
        """The result of a child that is expected to succeed."""
        found = self.ended()
        if found.signal is not None or found.error is not None:
            raise AssertionError(self.describe(found))
        return found.value

    def describe(self, found: Ended) -> str:
        if found.error is not None:
            return f"the child failed: {found.error['trace']}"
        with open(f"{self.out}.log", encoding="utf-8", errors="replace") as file:
            return f"the child ended by signal {found.signal}; it wrote: {file.read()[-2000:]}"

    def _take(self, status: int | None) -> None:
        if status is None or os.WIFSTOPPED(status):
            return
        if os.WIFSIGNALED(status):
            self._ended = Ended(os.WTERMSIG(status))
            return
        with open(self.out, encoding="utf-8") as file:
            body = json.load(file)
        self._ended = Ended(None, body.get("value"), body.get("error"))


class ForkServer:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.count = 0

    def __enter__(self) -> Self:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        environment["PYTHONPATH"] = os.pathsep.join([ROOT, os.path.join(ROOT, "src")])
        environment.pop("TIDEWHEEL_FAILPOINT", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.forks"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=environment,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.stdin and self.process.stdout:
            self.process.stdin.close()
            self.process.wait(timeout=60)
            self.process.stdout.close()

    def ask(self, **request: Any) -> dict[str, Any]:
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the fork server is not running")
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("the fork server died")
        body: dict[str, Any] = json.loads(answer)
        return body

    def start(self, job: str, *, failpoint: str = "", **arguments: Any) -> Child:
        """Run a job in a new child, with a failpoint if one is given."""
        self.count += 1
        out = os.path.join(self.folder, f"{self.count:06d}.json")
        body = self.ask(op="start", job=job, arguments=arguments, failpoint=failpoint, out=out)
        return Child(self, body["pid"], out)

    def run(self, job: str, **arguments: Any) -> Any:
        """The result of a job that is expected to succeed."""
        return self.start(job, **arguments).value()


# --- the server's side ---


def serve() -> None:
    """Answer requests until the client goes away; then end the children that are left."""
    from tests.faults import checks, jobs, preload, readers  # noqa: F401, PLC0415  everything slow, once

    children: set[int] = set()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a child prints is no answer
    for line in sys.stdin:
        request = json.loads(line)
        match request["op"]:
            case "start":
                body = {"pid": _fork(request)}
                children.add(body["pid"])
            case "wait":
                body = {"status": _status(request["pid"], children, os.WUNTRACED)}
            case _:
                body = {"status": _status(request["pid"], children, os.WNOHANG | os.WUNTRACED)}
        answers.write(json.dumps(body) + "\n")
        answers.flush()
    for pid in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _status(pid: int, children: set[int], flags: int) -> Any:
    found, status = os.waitpid(pid, flags)
    if not found:
        return None
    if not os.WIFSTOPPED(status):
        children.discard(pid)
    return status


def _fork(request: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        _child(request)
    finally:
        os._exit(70)  # only if even reporting failed


def _child(request: dict[str, Any]) -> None:
    log = os.open(f"{request['out']}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    body = _outcome(request)
    with open(f"{request['out']}.part", "w", encoding="utf-8") as file:
        json.dump(body, file)
    os.replace(f"{request['out']}.part", request["out"])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _outcome(request: dict[str, Any]) -> dict[str, Any]:
    from tests.faults import checks, jobs, readers  # noqa: PLC0415

    if request["failpoint"]:
        os.environ["TIDEWHEEL_FAILPOINT"] = request["failpoint"]
    try:
        module, _, name = request["job"].partition(".")
        job = getattr({"jobs": jobs, "checks": checks, "readers": readers}[module], name)
        return {"value": job(**request["arguments"])}
    except BaseException as error:  # noqa: BLE001  told to the test, which decides
        return {"error": jobs.describe_error(error, traceback.format_exc())}


if __name__ == "__main__":
    serve()

"""Named places where a test may stop the process: one before and one after every step of I/O that changes something.

`TIDEWHEEL_FAILPOINT=epoch.decide:before=kill` kills the process just before it decides an epoch. Actions are `kill`
(as by kill -9), `stop` (SIGSTOP: the process sleeps until somebody continues it), `raise` (an OSError) and `full`
(an OSError that says the disk is full). `name=kill@3` acts the third time. Without the variable the cost is one lookup.
"""

from __future__ import annotations

import errno
import os
import signal

STEPS: dict[str, str] = {
    "warehouse.format": "create the file that names the store's format",
    "warehouse.id": "create the file that tells the warehouse from others",
    "ingest.attempt": "announce an ingest, so that vacuum knows its files",
    "ingest.spool": "copy a stream to a temporary file, and forget it",
    "ingest.data": "write rows to a data file",
    "ingest.change": "write the exact change of an upsert, delete or replacement",
    "ingest.prepare": "write the commit, not yet visible",
    "ingest.commit": "publish the commit",
    "ingest.done": "forget the announcement",
    "ingest.compact": "merge small files of a source",
    "files.import": "link or copy a landed file into its table",
    "claim.write": "announce a refresh",
    "stage.data": "write the result of a view",
    "epoch.prepare": "write the epoch's record, not yet visible",
    "epoch.decide": "publish the epoch",
    "apply.commit": "commit one view's Delta table",
    "apply.done": "note that the whole epoch is applied",
    "discard.attempt": "remove what a lost or failed attempt staged",
    "history.append": "append to the history of runs",
    "reader.register": "register a reader",
    "reader.release": "release a reader",
    "checkpoint.write": "write a checkpoint of a Delta log",
    "vacuum.fence": "make sure an abandoned attempt can no longer publish",
    "vacuum.expire": "mark an epoch that can no longer be read",
    "vacuum.data": "delete data files that nothing needs",
    "vacuum.epoch": "delete an epoch's record",
    "vacuum.log": "delete old commits below a checkpoint",
    "drop.table": "delete an orphan's table",
    "cache.write": "write a file that can be made again",
    "cache.plan": "keep a bound plan for the next time",
    "cache.learnt": "keep what a run taught for the next prediction",
    "project.write": "write a project file",
    "project.note": "note in the project which warehouse it uses",
}

_hits: dict[str, int] = {}


def failpoint(step: str, moment: str) -> None:
    """Act if the environment asks for it here."""
    wanted = os.environ.get("TIDEWHEEL_FAILPOINT")
    if wanted:
        _act(wanted, f"{step}:{moment}")


def _act(wanted: str, name: str) -> None:
    place, _, action = wanted.partition("=")
    if place != name:
        return
    action, _, count = action.partition("@")
    _hits[name] = _hits.get(name, 0) + 1
    if _hits[name] != int(count or 1):
        return
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif action == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif action == "full":
        raise OSError(errno.ENOSPC, "No space left on device", name)
    else:
        raise OSError(errno.EIO, "failpoint", name)

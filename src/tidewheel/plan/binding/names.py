"""Names that sessions know results by which are made on the way."""

from __future__ import annotations

from tidewheel.program import Intermediate


def made_name(view: str, step: Intermediate) -> str:
    """What sessions know an intermediate by: other views, which share them, have others of the same plan."""
    return f"_tw_made_{view}_{step.reference.fingerprint()[:16]}"

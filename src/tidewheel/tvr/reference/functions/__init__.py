"""Scalar functions by family; importing this package fills the table of them."""

from tidewheel.tvr.reference.functions import (
    codes,
    collections,
    dates,
    datetexts,
    hashes,
    numbers,
    operators,
    patterns,
    strings,
)
from tidewheel.tvr.reference.functions.registry import FUNCTIONS

__all__ = [
    "FUNCTIONS", "codes", "collections", "dates", "datetexts", "hashes", "numbers", "operators", "patterns", "strings",
]  # fmt: skip

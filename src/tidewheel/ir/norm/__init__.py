"""Normalization: equivalent plans with less in them, by small rules that each have a name, a proof and tests."""

from __future__ import annotations

from tidewheel.ir.norm.guards import empty
from tidewheel.ir.norm.normalize import normalize, without_empty
from tidewheel.ir.norm.rules import RULES, NormRule

__all__ = ["RULES", "NormRule", "empty", "normalize", "without_empty"]

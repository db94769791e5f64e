"""Scalar expressions with everything that registers itself: calls by form, functions that take lambdas."""

from tidewheel.tvr.reference import lambdas, special
from tidewheel.tvr.reference.scalars import (
    FORMS,
    EvalScope,
    Run,
    Typed,
    common,
    compile_all,
    compile_scalar,
    converted,
    signature_of,
)

__all__ = [
    "FORMS",
    "EvalScope",
    "Run",
    "Typed",
    "common",
    "compile_all",
    "compile_scalar",
    "converted",
    "lambdas",
    "signature_of",
    "special",
]  # fmt: skip

"""Moments and regressions, by their textbook definitions over doubles; NULL where a denominator is zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, TypeAlias

Values: TypeAlias = list[tuple[Any, ...]]
Numbers: TypeAlias = list[float]


def _columns(values: Values) -> tuple[Numbers, Numbers]:
    first = [float(v[0]) for v in values]
    return first, [float(v[1]) for v in values] if values and len(values[0]) > 1 else []


def _mean(xs: Numbers) -> float:
    return math.fsum(xs) / len(xs)


def _moment(xs: Numbers, power: int) -> float:
    """The sum of powers of the distances from the mean."""
    if any(not math.isfinite(x) for x in xs):
        return math.nan
    mean = _mean(xs)
    return math.fsum((x - mean) ** power for x in xs)


def _product(xs: Numbers, ys: Numbers) -> float:
    mean_x, mean_y = _mean(xs), _mean(ys)
    return math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))


def _of_one(least: int, compute: Callable[[Numbers], float | None]) -> Callable[[Values], float | None]:
    """A statistic of one column; NULL of fewer rows than it needs."""
    return lambda values: compute(_columns(values)[0]) if len(values) >= least else None


def _of_two(least: int, compute: Callable[[Numbers, Numbers], float | None]) -> Callable[[Values], float | None]:
    return lambda values: compute(*_columns(values)) if len(values) >= least else None


def _ratio(a: float, b: float) -> float | None:
    return None if b == 0 else a / b


def _variance(xs: Numbers) -> float:
    return _moment(xs, 2) / (len(xs) - 1)


def _skewness(xs: Numbers) -> float | None:
    return _ratio(math.sqrt(len(xs)) * _moment(xs, 3), math.sqrt(_moment(xs, 2) ** 3))


def _kurtosis(xs: Numbers) -> float | None:
    found = _ratio(len(xs) * _moment(xs, 4), _moment(xs, 2) ** 2)
    return None if found is None else found - 3


def _correlation(xs: Numbers, ys: Numbers) -> float | None:
    return _ratio(_product(xs, ys), math.sqrt(_moment(xs, 2) * _moment(ys, 2)))


def _slope(ys: Numbers, xs: Numbers) -> float | None:
    """The dependent variable comes first."""
    return _ratio(_product(xs, ys), _moment(xs, 2))


def _intercept(ys: Numbers, xs: Numbers) -> float | None:
    slope = _slope(ys, xs)
    return None if slope is None else _mean(ys) - slope * _mean(xs)


def _r2(ys: Numbers, xs: Numbers) -> float | None:
    if _moment(xs, 2) == 0:
        return None
    return 1.0 if _moment(ys, 2) == 0 else (_correlation(xs, ys) or 0.0) ** 2


STATISTICS: Final[dict[str, Callable[[Values], Any]]] = {
    **dict.fromkeys(("variance", "var_samp"), _of_one(2, _variance)),
    "var_pop": _of_one(1, lambda xs: _moment(xs, 2) / len(xs)),
    **dict.fromkeys(("stddev", "stddev_samp", "std"), _of_one(2, lambda xs: math.sqrt(_variance(xs)))),
    "stddev_pop": _of_one(1, lambda xs: math.sqrt(_moment(xs, 2) / len(xs))),
    "skewness": _of_one(1, _skewness),
    "kurtosis": _of_one(1, _kurtosis),
    "corr": _of_two(1, _correlation),
    "covar_pop": _of_two(1, lambda xs, ys: _product(xs, ys) / len(xs)),
    "covar_samp": _of_two(2, lambda xs, ys: _product(xs, ys) / (len(xs) - 1)),
    "regr_count": len,
    "regr_avgx": _of_two(1, lambda _, xs: _mean(xs)),
    "regr_avgy": _of_two(1, lambda ys, _: _mean(ys)),
    "regr_sxx": _of_two(1, lambda _, xs: _moment(xs, 2)),
    "regr_syy": _of_two(1, lambda ys, _: _moment(ys, 2)),
    "regr_sxy": _of_two(1, lambda ys, xs: _product(xs, ys)),
    "regr_slope": _of_two(2, _slope),
    "regr_intercept": _of_two(2, _intercept),
    "regr_r2": _of_two(1, _r2),
}

"""Quantiles of independent values, with intervals from their order.

An interval needs no law of the values: the number of values below a quantile is binomial, so the
interval has two of the ordered values as its ends ([Conover]_). Few values give no interval: that
of a median has no end below six.

References
----------
.. [Conover] W. J. Conover, Practical Nonparametric Statistics, 3rd ed., Wiley 1999, section 3.2.
"""

from __future__ import annotations

import math
import re
from functools import partial
from typing import TYPE_CHECKING

from tcphoton.analysis.interval import Interval
from tcphoton.analysis.statistics import mean_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["quantile_interval", "statistic"]

PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")


def quantile_interval(values: Iterable[float], p: float, level: float = 0.95) -> Interval:
    """Return the quantile `p` of independent values with its confidence interval.

    The quantile lies between two of the ordered values, by linear interpolation. The interval is
    from one of them to another; it has no end where the values are too few, and is around NaN for
    no values.

    Examples
    --------
    >>> quantile_interval([3.0, 1.0, 2.0, 5.0, 4.0, 7.0], 0.5)
    Interval(mean=3.5, low=1.0, high=7.0, n=6)
    >>> quantile_interval([3.0, 1.0, 2.0], 0.5)
    Interval(mean=2.0, low=-inf, high=inf, n=3)
    """
    from scipy import stats

    if not 0 < p < 1:
        raise ValueError(f"a quantile is between 0 and 1, not {p}")
    if not 0 < level < 1:
        raise ValueError(f"a level must be between 0 and 1, not {level}")
    numbers = sorted(float(value) for value in values)
    count = len(numbers)
    if count == 0:
        return Interval(math.nan, -math.inf, math.inf, 0)
    at = p * (count - 1)
    below = math.floor(at)
    above = min(below + 1, count - 1)
    middle = numbers[below] + (at - below) * (numbers[above] - numbers[below])
    outside = (1 - level) / 2
    low, high = int(stats.binom.ppf(outside, count, p)), int(stats.binom.isf(outside, count, p))
    return Interval(
        middle,
        numbers[low - 1] if low > 0 else -math.inf,
        numbers[high] if high < count else math.inf,
        count,
    )


def statistic(name: str) -> Callable[[Iterable[float]], Interval]:
    """Return what computes a statistic with its 95 % interval, by its name.

    Raises
    ------
    LookupError
        There is no such statistic.

    Examples
    --------
    >>> statistic("p90")([1.0, 2.0, 3.0]).mean, statistic("median")([1.0, 2.0, 4.0]).mean
    (2.8, 2.0)
    """
    if name == "mean":
        return mean_interval
    found = PERCENTILE.fullmatch("p50" if name == "median" else name)
    if not found or not float(found[1]):
        meant = " (did you mean 'mean'?)" if name.lower() in {"avg", "average", "means"} else ""
        raise LookupError(
            f"{name!r} is no statistic{meant}; accepted mean, median, p1 to p99, cdf, completions"
        )
    return partial(quantile_interval, p=float(found[1]) / 100)

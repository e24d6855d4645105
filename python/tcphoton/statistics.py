"""Measures across runs: means with intervals, fairness, variation.

Replications are independent runs with seeds of their own, so a mean of them has Student's t
interval [1]_. Sums run in the order of the values, through `math.fsum`, which rounds once.

References
----------
.. [1] A. M. Law, Simulation Modeling and Analysis, 5th ed., McGraw-Hill 2015, section 4.5.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import polars as pl
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Interval", "cov", "jain", "mean_interval", "summarise"]


class Interval(NamedTuple):
    """A mean with its confidence interval.

    Examples
    --------
    >>> print(Interval(mean=2.0, low=1.5, high=2.5, n=4))
    2 ± 0.5
    """

    mean: float
    low: float
    high: float
    n: int

    @property
    def half_width(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        """Return mean and half width to four digits."""
        return f"{self.mean:.4g} ± {self.half_width:.2g}"


def mean_interval(values: Iterable[float], level: float = 0.95) -> Interval:
    r"""Return the mean of independent values with its confidence interval.

    The interval is :math:`\bar x \pm t_{n-1,(1+c)/2}\, s/\sqrt n` with Student's t. A single value
    has an infinite one; so has none, around NaN.

    Parameters
    ----------
    values
        Independent replications.
    level
        The probability `c` that the interval covers the expectation.

    Examples
    --------
    >>> mean_interval([4.0, 5.0, 6.0])
    Interval(mean=5.0, low=2.5158..., high=7.4841..., n=3)
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not at {level}")
    numbers = [float(value) for value in values]
    count = len(numbers)
    if count == 0:
        return Interval(math.nan, -math.inf, math.inf, 0)
    mean = math.fsum(numbers) / count
    if count == 1:
        return Interval(mean, -math.inf, math.inf, 1)
    half = float(special.stdtrit(count - 1, (1 + level) / 2)) * _deviation(numbers, mean)
    half /= math.sqrt(count)
    return Interval(mean, mean - half, mean + half, count)


def jain(values: Iterable[float]) -> float:
    r"""Return Jain's index of fairness, :math:`(\sum x)^2 / (n \sum x^2)`.

    It is 1 when all share alike and 1/n when one has everything. Values that are all zero share
    alike; of no values it is NaN. Source: R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984, equation 1.

    Examples
    --------
    >>> jain([1, 1, 1, 1]), jain([1, 0, 0, 0]), jain([1, 3])
    (1.0, 0.25, 0.8)
    """
    numbers = [float(value) for value in values]
    if not numbers:
        return math.nan
    squares = math.fsum(value * value for value in numbers)
    if squares == 0:
        return 1.0
    return math.fsum(numbers) ** 2 / (len(numbers) * squares)


def cov(values: Iterable[float]) -> float:
    """Return the coefficient of variation: sample standard deviation over mean.

    It is NaN for fewer than two values or a mean of zero.

    Examples
    --------
    >>> cov([2.0, 4.0, 6.0])
    0.5
    """
    numbers = [float(value) for value in values]
    mean = math.fsum(numbers) / len(numbers) if numbers else 0.0
    if len(numbers) < 2 or mean == 0:  # noqa: PLR2004
        return math.nan
    return _deviation(numbers, mean) / mean


def summarise(
    table: pl.DataFrame, value: str, by: str | Sequence[str], level: float = 0.95
) -> pl.DataFrame:
    """Return the mean of a column with its interval for every group of rows.

    The groups keep the order of their first rows. Nulls do not count.

    Returns
    -------
    polars.DataFrame
        The columns `by`, then `value` (the mean), ``low``, ``high`` and ``count``.

    Examples
    --------
    >>> table = pl.DataFrame({"p": [0.1, 0.1, 0.2, 0.2], "goodput": [4.0, 6.0, 1.0, 3.0]})
    >>> summarise(table, "goodput", by="p").select("p", "goodput", "count").rows()
    [(0.1, 5.0, 2), (0.2, 2.0, 2)]
    """
    keys = [by] if isinstance(by, str) else list(by)
    rows = []
    for key, group in table.group_by(keys, maintain_order=True):
        interval = mean_interval(group.get_column(value).drop_nulls().to_list(), level)
        rows.append((*key, *interval))
    schema = {key: table.schema[key] for key in keys}
    measured = {value: pl.Float64, "low": pl.Float64, "high": pl.Float64, "count": pl.Int64}
    return pl.DataFrame(rows, schema={**schema, **measured}, orient="row")


def _deviation(numbers: list[float], mean: float) -> float:
    squares = math.fsum((number - mean) ** 2 for number in numbers)
    return math.sqrt(squares / (len(numbers) - 1))

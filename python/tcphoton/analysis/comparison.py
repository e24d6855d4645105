"""Two studies side by side: which measures moved, by how much, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scipy import stats

from tcphoton.analysis.points import of_interval, of_runs
from tcphoton.analysis.statistics import Interval, by_seed, mean_interval, paired_interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from tcphoton.runs.caveats import Caveat

__all__ = ["LEVEL", "Change", "adjusted", "chance", "changes", "welch"]

LEVEL = 0.05
"""The share of changes among those that are called so which may be chance (Benjamini and Hochberg,
J. R. Stat. Soc. B 57, 1995)."""


@dataclass(frozen=True)
class Change:
    """A measure at a point in two studies.

    Attributes
    ----------
    point
        The values of the common axes.
    measure
        The measure.
    first, second
        Its means.
    difference
        By how much the second exceeds the first: paired by seed where both have the same seeds,
        otherwise Welch's interval.
    p
        The probability of such a difference by chance; NaN for single runs.
    caveats
        What to know of the runs of both, and of the number of pairs.
    moved
        Whether it is more than chance; of single runs, whether they differ at all.
    """

    point: Mapping[str, Any]
    measure: str
    first: float
    second: float
    difference: Interval
    p: float
    caveats: tuple[Caveat, ...] = ()
    moved: bool = False

    @property
    def relative(self) -> float:
        """The difference over the first mean; infinite if that is 0."""
        if self.difference.mean == 0:
            return 0.0
        return self.difference.mean / abs(self.first) if self.first else math.inf


def changes(
    first: pl.DataFrame, second: pl.DataFrame, axes: Sequence[str], measures: Sequence[str]
) -> list[Change]:
    """Return the changes of measures from one study's rows to another's, the clearest first.

    Points are compared where both have the same values of `axes`. Rows have a column ``seed``.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"p": [1, 1, 1], "seed": [1, 2, 3]}
    >>> before = pl.DataFrame({**rows, "goodput": [5.0, 6.0, 7.0]})
    >>> after = pl.DataFrame({**rows, "goodput": [5.9, 7.1, 8.0]})
    >>> (change,) = changes(before, after, ["p"], ["goodput"])
    >>> print(change.difference, change.moved)
    1 ± 0.25 True
    """
    found = [
        _change(point, measure, one, other)
        for point, one, other in _points(first, second, axes)
        for measure in measures
        if one.get_column(measure).count() and other.get_column(measure).count()
    ]
    told = [
        replace(each, moved=not p >= LEVEL and each.difference.mean != 0)
        for each, p in zip(found, adjusted([each.p for each in found]), strict=True)
    ]
    return sorted(told, key=lambda each: (not each.moved, -abs(each.relative)))


def _points(
    first: pl.DataFrame, second: pl.DataFrame, axes: Sequence[str]
) -> Iterator[tuple[dict[str, Any], pl.DataFrame, pl.DataFrame]]:
    if not axes:
        yield {}, first, second
        return
    others = {
        tuple(map(str, values)): rows for values, rows in second.group_by(axes, maintain_order=True)
    }
    for values, rows in first.group_by(axes, maintain_order=True):
        other = others.get(tuple(map(str, values)))
        if other is not None:
            yield dict(zip(axes, values, strict=True)), rows, other


def _change(point: dict[str, Any], measure: str, one: pl.DataFrame, other: pl.DataFrame) -> Change:
    ones, others = (rows.get_column(measure).drop_nulls().to_list() for rows in (one, other))
    a, b = by_seed(one, other, measure)
    if len(a) == min(len(ones), len(others)):
        ones, others = a, b
        difference = paired_interval(b, a)
        p = chance(difference)
    else:
        difference, p = welch(others, ones)
    means = mean_interval(ones).mean, mean_interval(others).mean
    told = [*of_runs(one, measure), *of_runs(other, measure)]
    if difference.n > 1:
        told += of_interval(one, measure, difference, bounded=False)
    return Change(point, measure, *means, difference, p, tuple(told))


def welch(
    first: Sequence[float], second: Sequence[float], level: float = 1 - LEVEL
) -> tuple[Interval, float]:
    """Return by how much the mean of `first` exceeds that of `second`, and how likely by chance.

    They are independent and have different variances: B. L. Welch, Biometrika 34, 1947.
    """
    count = min(len(first), len(second))
    mean = mean_interval(first).mean - mean_interval(second).mean
    if count < 2 or len({*first}) == len({*second}) == 1:  # noqa: PLR2004
        wide = 0.0 if count > 1 else math.inf
        difference = Interval(mean, mean - wide, mean + wide, count)
        return difference, chance(difference)
    test = stats.ttest_ind(first, second, equal_var=False)
    ends = test.confidence_interval(level)
    return Interval(mean, float(ends.low), float(ends.high), count), float(test.pvalue)


def chance(difference: Interval) -> float:
    """Return the probability of a mean of differences by chance, by Student's t.

    `difference` is a 95 % interval. The probability is NaN for a single difference.
    """
    if difference.n < 2:  # noqa: PLR2004
        return math.nan
    if difference.half_width == 0:
        return 1.0 if difference.mean == 0 else 0.0
    quantile = float(stats.t.ppf(0.975, difference.n - 1))
    return float(
        2 * stats.t.sf(quantile * abs(difference.mean) / difference.half_width, difference.n - 1)
    )


def adjusted(chances: Sequence[float]) -> list[float]:
    """Return probabilities as they are after the choice among all of them; NaN stays NaN."""
    known = [p for p in chances if not math.isnan(p)]
    found = iter(stats.false_discovery_control(known).tolist() if known else [])
    return [p if math.isnan(p) else next(found) for p in chances]

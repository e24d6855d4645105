"""Measures across runs: means with intervals, comparisons, when to stop, fairness, variation.

Replications are independent runs with different seeds, so their mean has Student's t interval
[Law]_. Two scenarios with the same seeds draw common random numbers, so the interval of their
difference is computed from the differences seed by seed (section 11.2 there). Sums are computed in
the order of the values by `math.fsum`, which rounds once.

References
----------
.. [Law] A. M. Law, Simulation Modeling and Analysis, 5th ed., McGraw-Hill 2015, section 4.5.
.. [Cochran] W. G. Cochran, Sampling Techniques, 3rd ed., Wiley 1977, section 2.15.
.. [Hall] P. Hall, On the removal of skewness by transformation, J. R. Stat. Soc. B 54, 1992,
   equations 2.1 to 2.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl
from scipy import special

from tcphoton.analysis.controls import controlled, expect_surpluses, pseudo_values, without
from tcphoton.analysis.interval import Interval
from tcphoton.analysis.points import caveats_of
from tcphoton.common import toml
from tcphoton.common.arguments import expect_columns, expect_frame
from tcphoton.runs import caveats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tcphoton.runs.caveats import Caveat

    Values = Sequence[float | None]

__all__ = [
    "Interval",
    "Until",
    "controlled",
    "cov",
    "jain",
    "mean_interval",
    "paired",
    "paired_interval",
    "pseudo_values",
    "summarise",
    "summary_of",
]

FEWEST_SEEDS = 10
"""Seeds before the first check of a run-until rule, unless it says otherwise."""
MOST_SEEDS = 100
"""Maximum replications of a run-until rule."""
ROUNDING = 1e-12
"""Relative half-width of an interval that only comes from rounding, and counts as 0."""
SKEWED = 25
"""Student's t needs this many values times the square of their skewness [Cochran]_ …"""
FEWEST_IF_SKEWED = 10
"""… and of fewer than these the skewness is not known."""
MOST_NAMED = 20
"""Maximum values of a column in a message."""


def mean_interval(
    values: Iterable[float], level: float = 0.95, *, skewed: bool = False
) -> Interval:
    r"""Return the mean of independent values with its confidence interval.

    The interval is :math:`\bar x \pm t_{n-1,(1+c)/2}\, s/\sqrt n` with Student's t. It is infinite
    for a single value, and around NaN for no values. A width that only comes from rounding is 0.

    Parameters
    ----------
    values
        Independent replications.
    level
        The probability `c` that the interval covers the expectation.
    skewed
        Where ten or more values are too skewed for Student's t (fewer than 25 times the square of
        their skewness, [Cochran]_), shift and stretch its interval by that: it reaches further to
        the side of the long tail [Hall]_.

    Examples
    --------
    >>> mean_interval([4.0, 5.0, 6.0])
    Interval(mean=5.0, low=2.5158..., high=7.4841..., n=3)
    >>> waits = [2.0] * 10 + [4.0] * 6 + [9.0, 20.0, 60.0]
    >>> [round(end, 1) for end in mean_interval(waits)[1:3]]
    [0.5, 13.5]
    >>> [round(end, 1) for end in mean_interval(waits, skewed=True)[1:3]]
    [2.7, 29.5]
    """
    if not 0 < level < 1:
        raise ValueError(f"a level must be between 0 and 1, not {level}")
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        raise TypeError(f"values: numbers are expected, not {values!r}") from None
    count = len(numbers)
    if count == 0:
        return Interval(math.nan, -math.inf, math.inf, 0)
    mean = math.fsum(numbers) / count
    if count == 1:
        return Interval(mean, -math.inf, math.inf, 1)
    deviation, root = _deviation(numbers, mean), math.sqrt(count)
    student = float(special.stdtrit(count - 1, (1 + level) / 2))
    if student * deviation / root <= ROUNDING * max(map(abs, numbers)):
        return Interval(mean, mean, mean, count)
    below, above = (skewed and _if_skewed(student, numbers)) or (-student, student)
    return Interval(mean, mean - above * deviation / root, mean - below * deviation / root, count)


def paired_interval(
    first: Iterable[float],
    second: Iterable[float],
    *,
    ratio: bool = False,
    level: float = 0.95,
    skewed: bool = False,
) -> Interval:
    r"""Return by how much `first` exceeds `second`, value by value at the same seed.

    The interval of the difference is Student's t on the differences :math:`a_i - b_i`. Common
    effects of the random numbers cancel, so it is usually narrower than separate intervals.

    With `ratio` it is the ratio of the means, :math:`\bar a / \bar b`. Its interval has each
    :math:`r` for which Student's t does not exclude a mean of 0 of the differences
    :math:`a_i - r b_i` (E. C. Fieller, J. R. Stat. Soc. B 16, 1954). Where :math:`\bar b` may be 0
    the interval is unbounded.

    Parameters
    ----------
    first, second
        Values of two scenarios with the same seeds in the same order.
    ratio
        Return the ratio instead of the difference.
    level
        The probability that the interval covers the expectation.
    skewed
        As in `mean_interval`: of the differences, or with `ratio` of :math:`a_i - r b_i`, of which
        :math:`s/(\bar b\sqrt n)` is the standard error of the ratio.

    Examples
    --------
    >>> print(paired_interval([11.0, 22.0, 31.0], [10.0, 20.0, 30.0]))
    1.333 ± 1.4
    >>> print(paired_interval([22.0, 24.1, 26.1], [20.0, 22.0, 24.0], ratio=True))
    1.094 ± 0.017
    """
    pairs = [(float(one), float(other)) for one, other in zip(first, second, strict=True)]
    if not ratio:
        return mean_interval([one - other for one, other in pairs], level, skewed=skewed)
    ones = mean_interval([one for one, _ in pairs], level)
    others = mean_interval([other for _, other in pairs], level)
    count = len(pairs)
    if count == 0 or others.mean == 0:
        return Interval(math.nan, -math.inf, math.inf, count)
    mean = ones.mean / others.mean
    if count == 1:
        return Interval(mean, -math.inf, math.inf, count)
    # The squared half-widths of a, of b and of their covariance, by the same t and n.
    aa, bb = ones.half_width**2, others.half_width**2
    moved = math.fsum((one - ones.mean) * (other - others.mean) for one, other in pairs)
    quantile = float(special.stdtrit(count - 1, (1 + level) / 2))
    ab = quantile**2 * moved / ((count - 1) * count)
    # The ends are the roots of (mean a - r mean b)^2 = aa - 2 r ab + r^2 bb.
    square = others.mean**2 - bb
    middle = ones.mean * others.mean - ab
    if square <= 0:
        return Interval(mean, -math.inf, math.inf, count)
    rests = [one - mean * other for one, other in pairs]
    if skewed and (quantiles := _if_skewed(quantile, rests)):
        error = _deviation(rests, 0.0) / math.sqrt(count) / others.mean
        low, high = sorted(mean - error * each for each in quantiles)
        return Interval(mean, low, high, count)
    root = math.sqrt(max(0.0, middle**2 - square * (ones.mean**2 - aa)))
    return Interval(mean, (middle - root) / square, (middle + root) / square, count)


def paired(
    table: pl.DataFrame,
    value: str,
    first: Mapping[str, Any],
    second: Mapping[str, Any],
    *,
    ratio: bool = False,
    level: float = 0.95,
) -> Interval:
    """Compare a measure of two points of a sweep over the seeds that both have.

    Parameters
    ----------
    table
        The results of a sweep.
    value
        The measure.
    first, second
        The values of some columns that identify the rows of each point.
    ratio, level
        As in `paired_interval`.

    Raises
    ------
    LookupError
        The table has no such column, or no such point.
    ValueError
        The given values fit several points.

    Examples
    --------
    >>> table = pl.DataFrame(
    ...     {"p": [0.1, 0.1, 0.2, 0.2], "seed": [1, 2, 1, 2], "goodput": [4.0, 6.0, 1.0, 3.0]}
    ... )
    >>> print(paired(table, "goodput", {"p": 0.1}, {"p": 0.2}))
    3 ± 0
    """
    expect_frame("table", table)
    expect_columns(table, [value, "seed", *first, *second])

    def of(point: Mapping[str, Any]) -> pl.DataFrame:
        rows = _rows_of(table, point).drop_nulls(["seed", value])
        if rows.get_column("seed").is_duplicated().any():
            raise ValueError(f"{dict(point)} are several points")
        return rows

    return paired_interval(*by_seed(of(first), of(second), value), ratio=ratio, level=level)


def by_seed(
    first: pl.DataFrame, second: pl.DataFrame, value: str
) -> tuple[list[float], list[float]]:
    """Return the values of two points at the seeds that both have, in the same order."""
    columns = ["seed", pl.col(value).cast(pl.Float64)]
    ones, others = (rows.select(columns).drop_nulls() for rows in (first, second))
    both = ones.join(others, on="seed", maintain_order="left")
    return both.get_column(value).to_list(), both.get_column(f"{value}_right").to_list()


def _rows_of(table: pl.DataFrame, point: Mapping[str, Any]) -> pl.DataFrame:
    """Return the rows of a point.

    Raises
    ------
    LookupError
        There are none.
    """
    rows = table
    for key, wanted in point.items():
        try:
            found = rows.filter(pl.col(key) == wanted)
        except pl.exceptions.PolarsError:  # a text where numbers are, or vice versa
            found = rows.clear()
        if found.is_empty():
            there = rows.get_column(key).unique(maintain_order=True).to_list()
            several = ", …" * (len(there) > MOST_NAMED)
            names = ", ".join(map(repr, there[:MOST_NAMED])) + several
            raise LookupError(f"no point {dict(point)}: values of {key}: {names or 'none'}")
        rows = found
    return rows


@dataclass(frozen=True)
class Until:
    """A run-until rule: seeds are added until the intervals of measures are narrow enough.

    After each seed the half-width of Student's t interval is compared with the mean. Such repeated
    checks make the interval cover less often than its level, so a rule starts with several seeds
    (section 9.4.1 of [Law]_). For independent normal values an interval of 95 % covers in 93.6 % to
    95 % of the cases with ten seeds before the first check, in 92.1 % to 95 % with five.

    Attributes
    ----------
    measure
        The column of a sweep's results, or several: then all of them must be narrow enough.
    relative_half_width
        The ratio of half-width to mean that is narrow enough.
    at_least, at_most
        The seeds before the first check, and the maximum number of seeds. Ten is lowered to
        `at_most`.
    level
        The level of the interval.
    controls
        Surpluses that are taken out of the measures (`tcphoton.analysis.controls`).
    against
        Keys that vary, each with one of its values: a point is compared with the one that has
        these, and the half-width is that of the ratio of their means, seed by seed.

    Examples
    --------
    >>> rule = Until("goodput", relative_half_width=0.1, at_least=3)
    >>> rule.is_enough([10.0, 10.1]), rule.is_enough([10.0, 10.1, 9.9]), rule.is_enough([1, 2, 3])
    (False, True, False)
    """

    measure: str | Sequence[str]
    relative_half_width: float = 0.05
    at_least: int = FEWEST_SEEDS
    at_most: int = MOST_SEEDS
    level: float = 0.95
    controls: str | Sequence[str] = ()
    against: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse invalid values."""
        controls = (self.controls,) if isinstance(self.controls, str) else tuple(self.controls)
        object.__setattr__(self, "controls", controls)
        expect_surpluses(controls)
        if not isinstance(self.measure, str):
            object.__setattr__(self, "measure", tuple(self.measure))
        if self.at_least == FEWEST_SEEDS:
            object.__setattr__(self, "at_least", min(FEWEST_SEEDS, self.at_most))
        if not self.measures or not all(self.measures):
            raise ValueError("a rule needs at least one measure")
        if not self.relative_half_width > 0:
            raise ValueError(f"a half-width must be above 0, not {self.relative_half_width}")
        if not 2 <= self.at_least <= self.at_most <= MOST_SEEDS:  # noqa: PLR2004
            raise ValueError(
                f"2 <= at_least <= at_most <= {MOST_SEEDS}, not {self.at_least} and {self.at_most}"
            )

    @property
    def measures(self) -> tuple[str, ...]:
        """All measures of the rule."""
        return (self.measure,) if isinstance(self.measure, str) else tuple(self.measure)

    @property
    def base(self) -> str:
        """The values of the point that others are compared with, in words."""
        return ", ".join(f"{key} = {toml.inline(value)}" for key, value in self.against.items())

    def is_enough(
        self,
        values: Values,
        controls: Sequence[Values] = (),
        base: tuple[Values, Sequence[Values]] | None = None,
    ) -> bool:
        """Tell whether a measure needs no further seed; a seed without a value counts as a seed.

        The controls are those of the rule, in their order; `base` are values and controls of the
        point that this one is compared with.
        """
        if len(values) >= self.at_most:
            return True
        if len(values) < self.at_least:
            return False
        return self.is_narrow(values, controls, base)

    def is_narrow(
        self,
        values: Values,
        controls: Sequence[Values] = (),
        base: tuple[Values, Sequence[Values]] | None = None,
    ) -> bool:
        """Tell whether a measure's interval is narrow enough."""
        return self._width(values, controls, base) <= self.relative_half_width

    def foresee(
        self,
        values: Values,
        controls: Sequence[Values] = (),
        base: tuple[Values, Sequence[Values]] | None = None,
    ) -> int:
        """Return how many seeds a measure will need at the present variance."""
        if self.is_enough(values, controls, base):
            return len(values)
        ratio = self._width(values, controls, base) / self.relative_half_width
        if not math.isfinite(ratio):
            return self.at_most
        return min(max(math.ceil(len(values) * ratio**2), len(values) + 1), self.at_most)

    def controlled(self, table: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """Return a table of points with the rule's controls taken out of its measures.

        Measures and controls that the table does not have as numbers are ignored.
        """
        names = [
            name
            for name in self.measures
            if name in table.columns and table[name].dtype.is_numeric()
        ]
        controls = [name for name in self.controls if name in table.columns]
        return controlled(table, names, by, controls) if names and controls else table

    def _width(
        self,
        values: Values,
        controls: Sequence[Values],
        base: tuple[Values, Sequence[Values]] | None,
    ) -> float:
        """Return the ratio of half-width to mean; none if all values are 0."""
        found = without(values, controls)
        if base is not None:
            others = without(*base)
            pairs = [
                (one, other)
                for one, other in zip(found, others, strict=True)
                if one is not None and other is not None
            ]
            ones, twos = [one for one, _ in pairs], [other for _, other in pairs]
            if ones and ones == twos:
                return 0.0
            return paired_interval(ones, twos, ratio=True, level=self.level).half_width
        interval = mean_interval([value for value in found if value is not None], self.level)
        if interval.mean == 0:
            return 0.0 if interval.half_width == 0 else math.inf
        width = interval.half_width / abs(interval.mean)
        return math.inf if math.isnan(width) else width


def jain(values: Iterable[float]) -> float:
    r"""Return Jain's index of fairness, :math:`(\sum x)^2 / (n \sum x^2)`.

    It is 1 for equal shares and 1/n if one has everything. Values that are all zero are equal
    shares; for no values it is NaN. Source: R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984, equation
    1.

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

    The groups keep the order of their first rows. Nulls are ignored.

    Returns
    -------
    polars.DataFrame
        The columns `by`, then `value` (the mean), ``low``, ``high`` and ``count``, and ``caveats``
        if a group has one (`tcphoton.runs.caveats`).

    Warns
    -----
    CaveatWarning
        Runs have caveats about this measure, or an interval cannot be believed.

    Raises
    ------
    LookupError
        The table has no such column.

    Examples
    --------
    >>> table = pl.DataFrame({"p": [0.1, 0.1, 0.2, 0.2], "goodput": [4.0, 6.0, 1.0, 3.0]})
    >>> summarise(table, "goodput", by="p").select("p", "goodput", "count").rows()
    [(0.1, 5.0, 2), (0.2, 2.0, 2)]
    """
    summary, found = summary_of(table, value, by, level)
    caveats.warn(found, value)
    return summary


def summary_of(
    table: pl.DataFrame,
    value: str,
    by: str | Sequence[str],
    level: float = 0.95,
    of: Callable[[Iterable[float]], Interval] | None = None,
) -> tuple[pl.DataFrame, list[Caveat]]:
    """Return what `summarise` returns, with the caveats of which it warns.

    With `of` it is another statistic than the mean, with its interval.

    Raises
    ------
    LookupError
        The table has no such column.
    """
    keys = [by] if isinstance(by, str) else list(by)
    expect_frame("table", table)
    expect_columns(table, [value, *keys])
    rows: list[tuple[Any, ...]] = []
    found: list[Caveat] = []
    for key, group in table.group_by(keys, maintain_order=True):
        numbers = group.get_column(value).drop_nulls().to_list()
        interval = of(numbers) if of else mean_interval(numbers, level)
        of_group = caveats_of(group, value, interval)
        rows.append((*key, *interval, caveats.kinds(of_group) or None))
        found += of_group
    schema = {key: table.schema[key] for key in keys}
    measured = {value: pl.Float64, "low": pl.Float64, "high": pl.Float64, "count": pl.Int64}
    kinds = {caveats.COLUMN: pl.String}
    summary = pl.DataFrame(rows, schema={**schema, **measured, **kinds}, orient="row")
    return summary if found else summary.drop(caveats.COLUMN), found


def _deviation(numbers: list[float], mean: float) -> float:
    squares = math.fsum((number - mean) ** 2 for number in numbers)
    return math.sqrt(squares / (len(numbers) - 1))


def _if_skewed(student: float, numbers: Sequence[float]) -> tuple[float, float] | None:
    """Return the two quantiles of the mean's t, or `None` where they are Student's.

    Where values do not meet Cochran's rule, they are those for which Hall's transformation of t,
    which is not skewed, has Student's.
    """
    count = len(numbers)
    if count < FEWEST_IF_SKEWED:
        return None
    mean = math.fsum(numbers) / count
    squares = math.fsum((number - mean) ** 2 for number in numbers) / count
    cubes = math.fsum((number - mean) ** 3 for number in numbers) / count
    if count * squares**3 >= SKEWED * cubes**2:
        return None
    share = cubes / squares**1.5 / math.sqrt(count)
    low, high = (math.cbrt(1 + share * (end - share / 6)) for end in (-student, student))
    return 3 / share * (low - 1), 3 / share * (high - 1)

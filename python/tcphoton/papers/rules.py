"""Rules of verdicts: what a table of runs says about what a paper's words mean.

A rule is a pure function from a table, one row per point and seed, to a `Finding`. It uses only the
table: no figure, no file, no other claim. Points are compared over the seeds that both have (common
random numbers): a change is the ratio of two means with Fieller's 95 % interval, a slope has one
value per seed and Student's t. See `tcphoton.statistics`.

- *about x*: the interval overlaps x ± a quarter of x. An interval wider than this band would
  overlap almost anything, so it cannot tell.
- *grows*: the interval of the slope lies above 0.
- *hardly*: the interval of the change lies within ± 10 %.
- *at most about x*: the interval lies below x plus a quarter of x.

For the last three, an interval within the bounds agrees, one outside of them differs, and one that
includes a bound cannot tell. Points that have a single seed cannot tell either. What was not run at
all is not covered, which is no verdict: it is in no tally.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tcphoton.analysis import statistics
from tcphoton.analysis.statistics import Interval
from tcphoton.common import quantities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "AGREES",
    "CANNOT_TELL",
    "DIFFERS",
    "NOT_COVERED",
    "NOT_RUN",
    "Finding",
    "Rule",
    "Verdict",
    "about",
    "at_most_about",
    "change",
    "grows",
    "growth",
    "hardly",
    "inside",
    "not_covered",
    "replications",
    "slopes",
    "together",
    "unknown",
    "worst",
]

Verdict = Literal["agrees", "differs", "cannot tell", "not covered"]
AGREES: Verdict = "agrees"
DIFFERS: Verdict = "differs"
CANNOT_TELL: Verdict = "cannot tell"
NOT_COVERED: Verdict = "not covered"

NOT_RUN = "not run"
"""The note of what is not covered."""

QUARTER = 0.25
HARDLY = 10.0
"""Per cent."""
FEWEST = 2
"""Minimum seeds for an interval, and minimum points for a slope."""
LARGEST = 500.0
"""A logarithm beyond which a ratio is as good as infinite."""


@dataclass(frozen=True)
class Finding:
    """The result of a rule: a verdict, and the numbers on which it is based.

    Attributes
    ----------
    verdict
        ``agrees``, ``differs`` or ``cannot tell``; ``not covered`` where nothing was run.
    ours, interval, unit
        The number that decided and its 95 % interval; `None` where there is none.
    seeds
        The replications behind it.
    note
        Where the number was found, or why there is none.
    band
        The numbers that agree, from the smallest to the largest; `None` if the rule has no such
        bounds.
    settles
        Where the rule cannot tell: the half-width at which an interval around the same number
        would; `None` if none would, or the rule has no bounds.
    published
        The number that the paper prints, if the rule compares with one.
    """

    verdict: Verdict
    ours: float | None = None
    interval: tuple[float, float] | None = None
    unit: str = ""
    seeds: int = 0
    note: str = ""
    band: tuple[float, float] | None = None
    settles: float | None = None
    published: float | None = None

    @property
    def factor(self) -> float | None:
        """Our number as a multiple of the published one; `None` without one, or with 0."""
        return self.ours / self.published if self.ours is not None and self.published else None

    @property
    def one_run(self) -> tuple[float, float] | None:
        """The 95 % prediction interval of one further run; `None` if the rule has no number.

        A paper prints one run unless it says otherwise. Of n independent runs with normal
        measures the interval of the mean reaches t s / √n, and that of one run t s √(1 + 1/n): it
        is √(n + 1) times as wide, whatever the seeds. Each side of a ratio's interval is taken by
        itself, which is an approximation. Of measures with control variates it is the interval of
        a run without its surplus, and too narrow.

        Examples
        --------
        >>> from tcphoton.analysis.statistics import mean_interval
        >>> found = about(mean_interval([8.0, 10.0, 12.0]), 10.0)
        >>> [round(end, 3) for end in found.one_run]
        [0.063, 19.937]
        """
        if self.ours is None or self.interval is None or self.seeds < FEWEST:
            return None
        wider = math.sqrt(self.seeds + 1)
        low, high = (self.ours + wider * (end - self.ours) for end in self.interval)
        return low, high


Rule = Callable[[pl.DataFrame], Finding]


# What a table says, seed by seed.


def replications(table: pl.DataFrame, value: str, at: Mapping[str, Any]) -> dict[int, float]:
    """Return a measure at one point of a table, by the seed.

    Examples
    --------
    >>> table = pl.DataFrame({"p": [0.1, 0.1, 0.2], "seed": [1, 2, 1], "goodput": [4.0, 6.0, 1.0]})
    >>> replications(table, "goodput", {"p": 0.1})
    {1: 4.0, 2: 6.0}
    """
    rows = _rows(table, at, ["seed", value])
    found = dict(sorted(rows.iter_rows()))
    if len(found) < rows.height:
        raise ValueError(f"{dict(at)} is more than one point")
    return found


def change(
    table: pl.DataFrame, value: str, at: Mapping[str, Any], base: Mapping[str, Any]
) -> Interval:
    """Return the change of a measure in percent from the point `base` to `at`.

    Examples
    --------
    >>> table = pl.DataFrame({"p": [0, 0, 1, 1], "seed": [1, 2, 1, 2], "x": [2.0, 2.2, 1.0, 1.1]})
    >>> round(change(table, "x", {"p": 1}, {"p": 0}).mean, 6)
    -50.0
    """
    here, there = (replications(table, value, point) for point in (base, at))
    seeds = [seed for seed in there if seed in here]
    ratio = statistics.paired_interval(
        [there[seed] for seed in seeds], [here[seed] for seed in seeds], ratio=True
    )
    mean, low, high = (100 * (end - 1) for end in (ratio.mean, ratio.low, ratio.high))
    return Interval(mean, low, high, ratio.n)


def growth(logarithms: Iterable[float]) -> Interval:
    """Return the change in percent whose logarithm is the mean of some, seed by seed.

    Examples
    --------
    >>> round(growth([math.log(1.2), math.log(1.2)]).mean, 6)
    20.0
    """
    mean, low, high, count = statistics.mean_interval(logarithms)
    mean, low, high = (100 * math.expm1(min(end, LARGEST)) for end in (mean, low, high))
    return Interval(mean, low, high, count)


def slopes(table: pl.DataFrame, value: str, x: str, at: Mapping[str, Any]) -> list[float]:
    """Return the slope of a measure over `x`, seed by seed, by least squares.

    A seed counts if it has every existing value of `x`. Quantities are in their base unit: a slope
    over ``"20 kB"`` is per byte.

    Examples
    --------
    >>> table = pl.DataFrame({"p": [0.0, 1.0, 2.0], "seed": [1, 1, 1], "x": [1.0, 3.0, 5.0]})
    >>> slopes(table, "x", "p", {})
    [2.0]
    """
    rows = _rows(table, at, ["seed", x, value])
    curves: dict[int, dict[float, float]] = {}
    for seed, where, what in rows.iter_rows():
        curve = curves.setdefault(seed, {})
        if quantities.number(where) in curve:
            raise ValueError(f"{dict(at)} is more than one curve over {x}")
        curve[quantities.number(where)] = what
    points = rows.get_column(x).n_unique()
    if points < FEWEST:
        return []
    return [_slope(curve) for _, curve in sorted(curves.items()) if len(curve) == points]


def _rows(table: pl.DataFrame, at: Mapping[str, Any], columns: Sequence[str]) -> pl.DataFrame:
    """Return some columns of the rows at a point; none if the table lacks a column."""
    if not {*at, *columns} <= set(table.columns):
        return pl.DataFrame(schema=list(columns))
    here = table.filter(*(pl.col(key) == wanted for key, wanted in at.items()))
    return here.select(columns).drop_nulls()


def _slope(curve: Mapping[float, float]) -> float:
    xs = sorted(curve)
    ys = [curve[x] for x in xs]
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    across = math.fsum((x - mean_x) ** 2 for x in xs)
    return math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / across


# What the words of a paper mean.


def about(interval: Interval, published: float, unit: str = "%", share: float = QUARTER) -> Finding:
    """Tell whether what was measured is about the published number: within a share of it.

    Examples
    --------
    >>> ends = [(9, 11), (20, 22), (2, 18)]
    >>> [about(Interval((low + high) / 2, low, high, 5), 10).verdict for low, high in ends]
    ['agrees', 'differs', 'cannot tell']
    """
    if not _is_known(interval):
        return _too_few(interval)
    reach = share * abs(published)
    band = published - reach, published + reach
    found = replace(_finding(CANNOT_TELL, interval, unit, band), published=published)
    if interval.high < band[0] or interval.low > band[1]:
        return replace(found, verdict=DIFFERS)
    if interval.high - interval.low <= 2 * reach:
        return replace(found, verdict=AGREES)
    beyond = max(band[0] - interval.mean, interval.mean - band[1])
    return replace(found, settles=max(reach, beyond))


def inside(interval: Interval, low: float, high: float, unit: str = "%") -> Finding:
    """Tell whether what was measured lies between two bounds.

    Examples
    --------
    >>> ends = [(4, 6), (14, 16), (9, 11)]
    >>> [inside(Interval((low + high) / 2, low, high, 5), 0, 10).verdict for low, high in ends]
    ['agrees', 'differs', 'cannot tell']
    """
    if not _is_known(interval):
        return _too_few(interval)
    band = low, high
    if low < interval.low and interval.high < high:
        return _finding(AGREES, interval, unit, band)
    if interval.high < low or interval.low > high:
        return _finding(DIFFERS, interval, unit, band)
    nearest = min(abs(interval.mean - low), abs(interval.mean - high))
    return replace(_finding(CANNOT_TELL, interval, unit, band), settles=nearest or None)


def hardly(interval: Interval) -> Finding:
    """Tell whether a change is within ± 10 %."""
    return inside(interval, -HARDLY, HARDLY)


def at_most_about(interval: Interval, published: float, unit: str = "%") -> Finding:
    """Tell whether what was measured is at most about the published number."""
    return inside(interval, -math.inf, published + QUARTER * abs(published), unit)


def grows(slope: Interval, unit: str) -> Finding:
    """Tell whether a slope lies above 0."""
    return inside(slope, 0, math.inf, unit)


def unknown(note: str) -> Finding:
    """Return that a rule cannot tell, and why."""
    return Finding(CANNOT_TELL, note=note)


def not_covered() -> Finding:
    """Return that nothing was run of what a rule looks at."""
    return Finding(NOT_COVERED, note=NOT_RUN)


def worst(
    findings: Iterable[tuple[str, Finding]], badness: Callable[[float], float] = abs
) -> Finding:
    """Return the finding that decides if all must agree, with the place where it was found.

    Of several with the deciding verdict it is the one whose number has the largest `badness`. Where
    some places were not run, the others cannot agree for them.
    """
    found = list(findings)
    if not found:
        return not_covered()
    verdict = together([finding.verdict for _, finding in found])
    lacking = [(at, unknown(NOT_RUN)) for at, each in found if each.verdict == NOT_COVERED]
    if verdict == AGREES and lacking:
        return worst(lacking)
    deciding = [pair for pair in found if pair[1].verdict == verdict]

    def rank(pair: tuple[str, Finding]) -> float:
        return -math.inf if pair[1].ours is None else badness(pair[1].ours)

    at, finding = max(deciding, key=rank)
    return replace(finding, note=f"{at}: {finding.note}" if finding.note else at)


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of several that must all agree, apart from those that are not covered.

    Examples
    --------
    >>> together(["agrees", "not covered"]), together(["agrees", "cannot tell", "differs"])
    ('agrees', 'differs')
    >>> together(["not covered"])
    'not covered'
    """
    found = set(verdicts) - {NOT_COVERED}
    if not found:
        return NOT_COVERED
    return DIFFERS if DIFFERS in found else AGREES if found == {AGREES} else CANNOT_TELL


def _is_known(interval: Interval) -> bool:
    return interval.n >= FEWEST and math.isfinite(interval.low) and math.isfinite(interval.high)


def _too_few(interval: Interval) -> Finding:
    if interval.n >= FEWEST:
        return unknown("no number")
    return unknown("a single seed") if interval.n else not_covered()


def _finding(verdict: Verdict, interval: Interval, unit: str, band: tuple[float, float]) -> Finding:
    ends = interval.low, interval.high
    return Finding(verdict, interval.mean, ends, unit, interval.n, band=band)

"""Rules of verdicts: what a table of runs says about what a paper's words mean.

A rule is a pure function from a table, one row per point and seed, to a `Finding`. It uses only the
table: no figure, no file, no other claim. Points are compared over the seeds that both have (common
random numbers): a change is the ratio of two means with Fieller's 95 % interval, a slope has one
value per seed and Student's t. Where ten or more seeds are too skewed for these, Hall's
transformation removes the skewness. See `tcphoton.statistics`.

Where the words have a direction, an order or a contrast (*grows*, *lower*), the interval of our
effect decides: within the bounds the part holds, outside of them it differs, and where the interval
includes a bound it cannot tell.

Where the paper prints a number there are two questions:

- *shape*: has an effect the published sign? Our interval decides.
- *level*: could the published number be one run of ours, or is ours within a quarter of it? A paper
  prints one run unless it says otherwise, so that the number is compared with the 95 % prediction
  interval of one run, widened by the precision to which it is printed. Where this interval reaches
  further than the number itself, one run says nothing, and the part cannot tell.

A right shape at another level holds *in shape*, and how far the levels are apart is said as a
factor. More seeds narrow the interval of our mean and hardly that of one run: they never make a
true claim differ.

A threshold that is ours and not the paper's decides where it could be half or twice as large
(`robust`). Points with fewer than three seeds cannot tell. What was not run at all is not covered,
which is no verdict: it is in no tally. What no simulation can meet is out of reach.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl

from tcphoton.analysis import statistics
from tcphoton.analysis.statistics import Interval
from tcphoton.common import quantities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Verdict = Literal[
    "holds", "in shape", "in part", "cannot tell", "differs", "out of reach", "not covered"
]
HOLDS: Verdict = "holds"
IN_SHAPE: Verdict = "in shape"
IN_PART: Verdict = "in part"
CANNOT_TELL: Verdict = "cannot tell"
DIFFERS: Verdict = "differs"
OUT_OF_REACH: Verdict = "out of reach"
NOT_COVERED: Verdict = "not covered"
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""From the best; only a claim holds in part."""

NOT_RUN = "not run"
"""The note of what is not covered."""

QUARTER = 0.25
HARDLY = 10.0
"""Per cent."""
FEWEST = 3
"""Minimum seeds for a verdict: Student's t of two has no use."""
POINTS = 2
"""Minimum seeds for an interval, and minimum points for a slope."""
Points = dict[tuple[Any, ...], list[tuple[Any, ...]]]
DIVIDED: deque[tuple[pl.DataFrame, dict[tuple[tuple[str, ...], tuple[str, ...]], Points]]]
DIVIDED = deque(maxlen=8)
"""The last tables, which nobody changes, each divided by the keys that were looked for."""
LARGEST = 500.0
"""A logarithm beyond which a ratio is as good as infinite."""


Shape = Literal["holds", "reversed", "not seen"]


@dataclass(frozen=True)
class Finding:
    """The result of a rule: a verdict, and the numbers on which it is based.

    Attributes
    ----------
    verdict
        ``holds``, ``in shape``, ``differs`` or ``cannot tell``; ``not covered`` where nothing was
        run.
    ours, interval, unit
        The number that decided and its 95 % interval; `None` where there is none.
    seeds
        The replications behind it.
    note
        Where the number was found, or why there is none.
    band
        The numbers that hold, from the smallest to the largest; `None` if the rule has no such
        bounds.
    settles
        Where the rule cannot tell: the half-width at which an interval around the same number
        would; `None` if none would, or the rule has no bounds.
    published
        The number that the paper prints, if the rule compares with one.
    shape
        Of an effect whose size the paper prints: whether ours has its sign.
    run
        The 95 % prediction interval of one run, where it does not follow from `interval`.
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
    shape: Shape | None = None
    run: tuple[float, float] | None = None

    @property
    def factor(self) -> float | None:
        """Our number as a multiple of the published one; `None` without one, or with 0."""
        return self.ours / self.published if self.ours is not None and self.published else None

    @property
    def one_run(self) -> tuple[float, float] | None:
        """The 95 % prediction interval of one further run; `None` if the rule has no number.

        Examples
        --------
        >>> from tcphoton.analysis.statistics import mean_interval
        >>> found = about(mean_interval([8.0, 10.0, 12.0]), 10.0)
        >>> [round(end, 3) for end in found.one_run]
        [0.063, 19.937]
        """
        if self.ours is None or self.interval is None or self.seeds < FEWEST:
            return None
        return self.run or one_run(Interval(self.ours, *self.interval, self.seeds))


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
    rows = _rows(table, at, ("seed", value))
    found: dict[int, float] = dict(sorted(rows))
    if len(found) < len(rows):
        raise ValueError(f"{dict(at)} is more than one point")
    return found


def mean_of(values: Iterable[float]) -> Interval:
    """Return the mean of replications: by Student's t, or Hall's transformation of it."""
    return statistics.mean_interval(values, skewed=True)


def paired_of(first: Iterable[float], second: Iterable[float], *, ratio: bool = False) -> Interval:
    """Return a difference of means of the same seeds, or their ratio, as `mean_of` does a mean."""
    return statistics.paired_interval(first, second, ratio=ratio, skewed=True)


def mean_at(table: pl.DataFrame, value: str, at: Mapping[str, Any]) -> Interval:
    """Return the mean of a measure at a point."""
    return mean_of(replications(table, value, at).values())


def paired_by_seed(
    first: Mapping[int, float], second: Mapping[int, float], *, ratio: bool = False
) -> Interval:
    """Return what `paired_of` does of the seeds that both have."""
    seeds = [seed for seed in first if seed in second]
    return paired_of([first[seed] for seed in seeds], [second[seed] for seed in seeds], ratio=ratio)


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
    ratio = paired_by_seed(there, here, ratio=True)
    mean, low, high = (100 * (end - 1) for end in (ratio.mean, ratio.low, ratio.high))
    return Interval(mean, low, high, ratio.n)


def growth(logarithms: Iterable[float]) -> Interval:
    """Return the change in percent whose logarithm is the mean of some, seed by seed.

    Examples
    --------
    >>> round(growth([math.log(1.2), math.log(1.2)]).mean, 6)
    20.0
    """
    mean, low, high, count = mean_of(logarithms)
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
    rows = _rows(table, at, ("seed", x, value))
    curves: dict[int, dict[float, float]] = {}
    for seed, where, what in rows:
        curve = curves.setdefault(seed, {})
        if quantities.number(where) in curve:
            raise ValueError(f"{dict(at)} is more than one curve over {x}")
        curve[quantities.number(where)] = what
    points = len({where for _, where, _ in rows})
    if points < POINTS:
        return []
    return [_slope(curve) for _, curve in sorted(curves.items()) if len(curve) == points]


def _rows(
    table: pl.DataFrame, at: Mapping[str, Any], columns: tuple[str, ...]
) -> list[tuple[Any, ...]]:
    """Return some columns of the rows at a point; none if the table lacks a column."""
    keys, schema = tuple(sorted(at)), table.schema
    if not schema.keys() >= {*keys, *columns}:
        return []
    if all(_is_plain(schema[key], at[key]) for key in keys):
        return _points(table, keys, columns).get(tuple(at[key] for key in keys), [])
    here = table.filter(*(pl.col(key) == wanted for key, wanted in at.items()))
    return here.select(columns).drop_nulls().rows()


def _is_plain(kind: pl.DataType, wanted: object) -> bool:
    """Tell whether a value of a column is found by its hash as by a comparison."""
    if isinstance(wanted, str):
        return kind == pl.String
    if isinstance(wanted, bool):
        return kind == pl.Boolean
    is_number = isinstance(wanted, int | float) and not math.isnan(wanted)
    return is_number and (kind.is_integer() or kind == pl.Float64)


def _points(table: pl.DataFrame, keys: tuple[str, ...], columns: tuple[str, ...]) -> Points:
    """Return columns of the rows of a table by what they have of some keys.

    Many rules look at many points of one table: it is divided once for them, not once for each.
    """
    divided = next((each for known, each in tuple(DIVIDED) if known is table), None)
    if divided is None:
        divided = {}
        DIVIDED.append((table, divided))
    if (keys, columns) not in divided:
        points: Points = {}
        rows = table.drop_nulls(columns)
        here = rows.select(keys).iter_rows() if keys else itertools.repeat(())
        for point, row in zip(here, rows.select(columns).iter_rows(), strict=False):
            points.setdefault(point, []).append(row)
        divided[keys, columns] = points
    return divided[keys, columns]


def _slope(curve: Mapping[float, float]) -> float:
    xs = sorted(curve)
    ys = [curve[x] for x in xs]
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    across = math.fsum((x - mean_x) ** 2 for x in xs)
    return math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / across


# What the words of a paper mean.


def one_run(interval: Interval, of: float = 1) -> tuple[float, float]:
    """Return the 95 % prediction interval of one further run, or of the mean `of` several.

    Of n independent runs with normal measures the interval of the mean reaches t s / √n, and that
    of the mean of k further ones t s √(1/k + 1/n): it is √(1 + n/k) times as wide, whatever the
    seeds. Each side of a ratio's interval is taken by itself, which is an approximation.
    """
    wider = math.sqrt(1 + interval.n / of)
    low, high = (interval.mean + wider * (end - interval.mean) for end in interval[1:3])
    return low, high


def prediction(values: Iterable[float], of: float = 1) -> tuple[float, float] | None:
    """Return the 95 % prediction interval of one further run, from the runs themselves.

    Where positive values are skewed by more than twice the standard error of a normal sample's
    skewness, √(6/n), it is that of their logarithms: Student's t would reach below 0 and not as far
    up as the runs do. `None` if there are too few.

    Examples
    --------
    >>> [round(end) for end in prediction([8.0, 10.0, 12.0])]
    [0, 20]
    >>> [round(end) for end in prediction([2.0] * 10 + [4.0] * 6 + [9.0, 20.0, 60.0])]
    [1, 26]
    """
    numbers = list(values)
    if len(numbers) < FEWEST:
        return None
    mean = math.fsum(numbers) / len(numbers)
    squares = math.fsum((each - mean) ** 2 for each in numbers) / len(numbers)
    cubes = math.fsum((each - mean) ** 3 for each in numbers) / len(numbers)
    skewed = squares > 0 and abs(cubes) / squares**1.5 > 2 * math.sqrt(6 / len(numbers))
    if skewed and min(numbers) > 0:
        low, high = one_run(statistics.mean_interval(map(math.log, numbers)), of)
        return math.exp(low), math.exp(high)
    return one_run(statistics.mean_interval(numbers), of)


def about(
    interval: Interval,
    published: float,
    unit: str = "%",
    share: float = QUARTER,
    *,
    null: float | None = None,
    printed: float | None = None,
    of: float = 1,
    run: tuple[float, float] | None = None,
) -> Finding:
    """Judge a number that the paper prints: see the module for *shape* and *level*.

    Parameters
    ----------
    interval
        What was measured.
    published
        The number.
    unit
        Its unit.
    share
        The share of the number within which ours has its level.
    null
        What it would be without an effect, 0 of a change and 1 of a factor: its shape is the side
        of it. `None` of what has no shape.
    printed
        Half a unit of the last digit that is printed; of the last one that `published` has unless
        given.
    of
        The runs that the number is the mean of: one, unless the paper says otherwise.
    run
        The prediction interval of one run, if it does not follow from `interval`.

    Examples
    --------
    >>> ends = [(9, 11), (20, 22), (2, 18)]
    >>> found = [Interval((low + high) / 2, low, high, 100) for low, high in ends]
    >>> [about(each, 10).verdict for each in found]
    ['holds', 'differs', 'cannot tell']
    >>> about(Interval(21, 20, 22, 100), 10, null=0).verdict
    'in shape'
    """
    if not _is_known(interval):
        return _too_few(interval)
    reach = share * abs(published)
    found = inside(interval, published - reach, published + reach, unit)
    shape = None if null is None else _side(interval, published, null)
    least, most = run or one_run(interval, of)
    printed = half_a_digit(published) if printed is None else printed
    could_be = least - printed <= published <= most + printed
    is_weak = could_be and most - least > 2 * abs(published)
    verdict = found.verdict
    if verdict != HOLDS and could_be:
        verdict = CANNOT_TELL if is_weak else HOLDS
    if shape == "reversed":
        verdict = CANNOT_TELL if could_be else DIFFERS
    elif shape == "not seen" and verdict == HOLDS:
        verdict = CANNOT_TELL
    elif shape == "holds" and verdict != HOLDS and not could_be:
        verdict = IN_SHAPE
    # Where one run says nothing more seeds only help if ours is within the quarter.
    is_lost = is_weak and abs(interval.mean - published) > reach
    settles = None if is_lost or verdict != CANNOT_TELL else found.settles
    found = replace(found, published=published, shape=shape, run=(least, most), settles=settles)
    return _of_enough(replace(found, verdict=verdict))


def half_a_digit(number: float) -> float:
    """Return half a unit of the last digit of a number: the precision to which it is printed.

    Examples
    --------
    >>> half_a_digit(0.26), half_a_digit(44.0), half_a_digit(2000)
    (0.005, 0.5, 0.5)
    """
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return 0.5 * 10.0 ** min(int(exponent), 0)


def _side(interval: Interval, published: float, null: float) -> Shape:
    """Tell whether an interval lies on the published side of no effect."""
    is_above, is_below = interval.low > null, interval.high < null
    if not is_above and not is_below:
        return "not seen"
    return "holds" if is_above == (published > null) else "reversed"


def inside(interval: Interval, low: float, high: float, unit: str = "%") -> Finding:
    """Tell whether what was measured lies between two bounds.

    Examples
    --------
    >>> ends = [(4, 6), (14, 16), (9, 11)]
    >>> [inside(Interval((low + high) / 2, low, high, 5), 0, 10).verdict for low, high in ends]
    ['holds', 'differs', 'cannot tell']
    """
    if not _is_known(interval):
        return _too_few(interval)
    band = low, high
    if low < interval.low and interval.high < high:
        return _finding(HOLDS, interval, unit, band)
    if interval.high < low or interval.low > high:
        return _finding(DIFFERS, interval, unit, band)
    nearest = min(abs(interval.mean - low), abs(interval.mean - high))
    return replace(_finding(CANNOT_TELL, interval, unit, band), settles=nearest or None)


def _of_enough(finding: Finding) -> Finding:
    """Return a finding without its verdict if it is one of two seeds."""
    if finding.seeds >= FEWEST or finding.verdict == CANNOT_TELL:
        return finding
    return of_few(finding, finding.seeds)


def of_few(finding: Finding, seeds: int) -> Finding:
    """Return a finding of too few seeds, which has no verdict."""
    return replace(finding, verdict=CANNOT_TELL, shape=None, note=few_seeds(seeds))


def hardly(interval: Interval, bound: float = HARDLY, *, of: float = 1) -> Finding:
    """Tell whether a change is hardly one: within ± 10 %, a threshold of ours.

    Where a threshold of half or of twice as much would decide otherwise, a change that one run
    would not show is hardly one: of noisy measures it is known to be within ± 20 %. What may help
    is that runs differ, which is the system's; that we have few of them never does. One run has
    `of` replications.

    Examples
    --------
    >>> ends = [(-2, 2), (6, 8), (-2, 12), (13, 15), (21, 30)]
    >>> found = [Interval((low + high) / 2, low, high, 9) for low, high in ends]
    >>> [hardly(each).verdict for each in found]
    ['holds', 'in shape', 'holds', 'cannot tell', 'differs']
    """
    found = [inside(interval, -each, each) for each in (bound / 2, bound, 2 * bound)]
    if found[-1].verdict == HOLDS:
        least, most = one_run(interval, of)
        if least <= 0 <= most:
            return replace(found[1], verdict=HOLDS)
    return _robust(found)


def robust(threshold: float, rule: Callable[[float], Rule]) -> Rule:
    """Judge by a threshold that is ours: it decides where half and twice as much do alike.

    Where they do not, what holds by the threshold holds in shape, and what differs cannot tell.

    Examples
    --------
    >>> table = pl.DataFrame()
    >>> def by(percent):
    ...     return lambda _: inside(Interval(30, 29, 31, 9), percent, math.inf)
    >>> [robust(each, by)(table).verdict for each in (10, 20, 40, 80)]
    ['holds', 'in shape', 'cannot tell', 'differs']
    """
    thresholds = (threshold / 2, threshold, 2 * threshold)
    return lambda table: _robust([rule(each)(table) for each in thresholds])


def _robust(found: Sequence[Finding]) -> Finding:
    """Return what the threshold in the middle finds, as far as the others find the same."""
    middle = found[1]
    if len({each.verdict for each in found}) == 1 or middle.verdict not in {HOLDS, DIFFERS}:
        return middle
    verdict = IN_SHAPE if middle.verdict == HOLDS else CANNOT_TELL
    note = f"{middle.note}, by a threshold of ours" if middle.note else "by a threshold of ours"
    return replace(middle, verdict=verdict, note=note)


def beside(rule: Rule) -> Rule:
    """Judge what stands beside a printed number, where the paper does not print it."""
    return lambda table: replace(rule(table), published=None)


def at_most_about(
    interval: Interval,
    published: float,
    unit: str = "%",
    *,
    run: tuple[float, float] | None = None,
) -> Finding:
    """Tell whether what was measured is at most about the published number.

    The published number is a level, as in `about`, whose `run` this has.
    """
    found = inside(interval, -math.inf, published + QUARTER * abs(published), unit)
    level = about(interval, published, unit, run=run).verdict
    is_above = found.verdict == DIFFERS or (found.verdict == CANNOT_TELL and level == HOLDS)
    return replace(found, verdict=level) if is_above and level != DIFFERS else found


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
    """Return the finding that decides if all must hold, with the place where it was found.

    Of several with the deciding verdict it is the one whose number has the largest `badness`. Where
    some places were not run, the others cannot hold for them.
    """
    found = list(findings)
    if not found:
        return not_covered()
    verdict = together([finding.verdict for _, finding in found])
    lacking = [(at, unknown(NOT_RUN)) for at, each in found if each.verdict == NOT_COVERED]
    if verdict in {HOLDS, IN_SHAPE} and lacking:
        return worst(lacking)
    deciding = [pair for pair in found if pair[1].verdict == verdict]

    def rank(pair: tuple[str, Finding]) -> float:
        return -math.inf if pair[1].ours is None else badness(pair[1].ours)

    at, finding = max(deciding, key=rank)
    return replace(finding, note=f"{at}: {finding.note}" if finding.note else at)


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of several that must all hold, apart from those that are not covered.

    Examples
    --------
    >>> together(["holds", "not covered"]), together(["holds", "cannot tell", "differs"])
    ('holds', 'differs')
    >>> together(["not covered"])
    'not covered'
    """
    found = set(verdicts) - {NOT_COVERED}
    order = (DIFFERS, CANNOT_TELL, IN_SHAPE, HOLDS, OUT_OF_REACH)
    return next((each for each in order if each in found), NOT_COVERED)


def _is_known(interval: Interval) -> bool:
    return interval.n >= POINTS and math.isfinite(interval.low) and math.isfinite(interval.high)


def _too_few(interval: Interval) -> Finding:
    if interval.n >= POINTS:
        return unknown("no number")
    return unknown(few_seeds(interval.n)) if interval.n else not_covered()


def few_seeds(count: int) -> str:
    """Return the note of a point with fewer seeds than a verdict needs."""
    return "a single seed" if count == 1 else f"{count} seeds"


def _finding(verdict: Verdict, interval: Interval, unit: str, band: tuple[float, float]) -> Finding:
    ends = interval.low, interval.high
    return _of_enough(Finding(verdict, interval.mean, ends, unit, interval.n, band=band))

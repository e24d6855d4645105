"""The rules by which the ledger judges the paper's claims, beside `tcphoton.papers.comparisons`.

Each looks at some cells of the tables: at those of them that were run, which at a small scale are
fewer. Two policies are compared seed by seed, by the mean of the logarithm of their ratio with
Student's t: seeds differ in level, for the self-similar load of a few seconds is far from its mean,
and both policies have the same load; the ratio of the means with Fieller's interval has no ends
there.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from scipy import special

from tcphoton.papers.comparisons import ratios_of
from tcphoton.papers.rules import (
    CANNOT_TELL,
    DIFFERS,
    FEWEST,
    HOLDS,
    NOT_COVERED,
    QUARTER,
    Finding,
    Rule,
    about,
    few_seeds,
    growth,
    hardly,
    inside,
    mean_at,
    mean_of,
    not_covered,
    of_few,
    replications,
    unknown,
    worst,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from tcphoton.analysis.statistics import Interval

    At = Mapping[str, Any]
    Pairs = Sequence[tuple[At, At]]
    Judge = Callable[[Interval, int], Finding]

__all__ = [
    "in_each", "in_most", "in_some", "middle", "never", "pooled", "pooled_about", "pooled_change",
    "pooled_hardly", "stays_below",
]  # fmt: skip

BEST = (HOLDS, CANNOT_TELL, DIFFERS)
SEEN = 0.95
"""The probability from which an effect of seeds that cells have in common is taken for one."""


# Cell by cell.


def in_each(rules: Mapping[str, Rule], worse: Callable[[float], float] = abs) -> Rule:
    """Judge by the rules of all cells that were run, each by its name; all must agree.

    Of several that decide alike the one that is `worse` by its number is named.
    """

    def rule(table: pl.DataFrame) -> Finding:
        found = {name: each(table) for name, each in rules.items()}
        there = [pair for pair in found.items() if pair[1].verdict != NOT_COVERED]
        return worst(there, badness=worse)

    return rule


def never(value: str, cells: Mapping[str, At]) -> Rule:
    """Judge whether a count is 0 in every run of all cells."""

    def rule(table: pl.DataFrame) -> Finding:
        found = {name: _values(table, value, at) for name, at in cells.items()}
        counts = {name: each for name, each in found.items() if each}
        if not counts:
            return not_covered()
        seeds = min(map(len, counts.values()))
        if seeds < FEWEST:
            return unknown(few_seeds(seeds))
        where = max(counts, key=lambda name: max(counts[name]))
        ends = min(counts[where]), max(counts[where])
        verdict, note = (DIFFERS, where) if ends[1] else (HOLDS, "")
        return Finding(verdict, ends[1], ends, "packets", seeds, note)

    return rule


def stays_below(value: str, cells: Mapping[str, At], bound: float, unit: str) -> Rule:
    """Judge whether the mean of a measure lies below a bound in every cell."""

    def of(at: At) -> Rule:
        return lambda table: inside(mean_at(table, value, at), -math.inf, bound, unit)

    return in_each({name: of(at) for name, at in cells.items()})


def in_some(value: str, cells: Mapping[str, At], printed: tuple[float, float], unit: str) -> Rule:
    """Judge whether a number is as printed, between two numbers, in one cell or more.

    It is if ours lies between them, a quarter either way, or if one of them could be one run of
    ours; see `tcphoton.papers.rules` for the level. It differs where it surely is not in all cells.
    """

    def judged(found: Interval) -> Finding:
        within = inside(found, printed[0] * (1 - QUARTER), printed[1] * (1 + QUARTER), unit)
        ends = [about(found, end, unit).verdict for end in printed]
        verdict = min((within.verdict, *ends), key=BEST.index)
        return replace(within, verdict=verdict)

    def rule(table: pl.DataFrame) -> Finding:
        found = {name: mean_at(table, value, at) for name, at in cells.items()}
        there = {name: judged(each) for name, each in found.items() if each.n}
        if not there:
            return not_covered()
        name = min(there, key=lambda each: BEST.index(there[each].verdict))
        return replace(there[name], note=name)

    return rule


# All cells together.


def pooled(value: str, pairs: Pairs, low: float, high: float) -> Rule:
    """Judge whether a measure changes by so many percent from the second point of each pair.

    It is the geometric mean of the ratio over the pairs and seeds that were run. A seed is common
    to all pairs: where it has an effect on their ratios (an F test of 5 %), the seeds are the
    replications, otherwise each pair at each seed is one.
    """
    return _over_all(value, pairs, lambda change, _: inside(change, low, high))


def pooled_hardly(value: str, pairs: Pairs) -> Rule:
    """Judge whether a measure hardly changes from the second point of each pair, as `pooled`."""
    return _over_all(value, pairs, lambda change, of: hardly(change, of=of))


def pooled_about(value: str, pairs: Pairs, published: float) -> Rule:
    """Judge whether a measure changes by about so many percent, as `pooled`.

    The published change is that of all pairs, of one run each.
    """
    return _over_all(value, pairs, lambda change, of: about(change, published, null=0, of=of))


def _over_all(value: str, pairs: Pairs, judge: Judge) -> Rule:
    def rule(table: pl.DataFrame) -> Finding:
        found = [ratios_of(table, value, *pair) for pair in pairs]
        return _judged([{s: math.log(r) for s, r in each.items()} for each in found], judge)

    return rule


def pooled_change(value: str, here: Pairs, there: Pairs, low: float, high: float) -> Rule:
    """Judge whether a ratio of two policies changes, by so many percent, from cells to others.

    Parameters
    ----------
    value
        The measure.
    here, there
        The ratio: pairs of points in some cells, and in the same order in those they are compared
        with.
    low, high
        The change of the ratio from `there` to `here`, pooled as in `pooled`, lies between these.
    """

    def rule(table: pl.DataFrame) -> Finding:
        changes = []
        for one, other in zip(here, there, strict=True):
            ratios = [ratios_of(table, value, *pair) for pair in (one, other)]
            seeds = [seed for seed in ratios[0] if seed in ratios[1]]
            changes.append({s: math.log(ratios[0][s] / ratios[1][s]) for s in seeds})
        return _judged(changes, lambda change, _: inside(change, low, high))

    return rule


def in_most(value: str, pairs: Pairs, low: float, high: float) -> Rule:
    """Judge whether a measure is so many times smaller at the first point of most pairs.

    It is the share of the pairs, in percent, in which the second point has between `low` and
    `high` times what the first has, seed by seed; most is more than half.
    """

    def shares(table: pl.DataFrame) -> list[float]:
        found = []
        for ratios in _seed_by_seed(table, value, pairs):
            hits = sum(low <= 1 / ratio <= high for ratio in ratios)
            found.append(100 * hits / len(ratios))
        return found

    def rule(table: pl.DataFrame) -> Finding:
        return inside(mean_of(shares(table)), 50, math.inf, "% of cells")

    return rule


def middle(value: str, pairs: Pairs, low: float, high: float) -> Rule:
    """Judge whether the median over pairs of how many times smaller a measure is lies between two.

    The median is taken seed by seed.
    """

    def rule(table: pl.DataFrame) -> Finding:
        found = [
            1 / median(ratios) for ratios in _seed_by_seed(table, value, pairs) if median(ratios)
        ]
        return inside(mean_of(found), low, high, "times")

    return rule


def _judged(logarithms: Sequence[Mapping[int, float]], judge: Judge) -> Finding:
    """Judge a change over some cells, of which each has its logarithm by the seed.

    The rule is given how many runs of one cell a run of all of them has, as replications count.
    """
    cells = [each for each in logarithms if each]
    if not cells:
        return not_covered()
    seeds = sorted({seed for each in cells for seed in each})
    whole = [
        [each[seed] for each in cells] for seed in seeds if all(seed in each for each in cells)
    ]
    if _has_seeds(whole):
        found = judge(growth(math.fsum(row) / len(row) for row in whole), 1)
    else:
        found = judge(growth(value for each in cells for value in each.values()), len(cells))
    return found if len(seeds) >= FEWEST else of_few(found, len(seeds))


def _has_seeds(rows: Sequence[Sequence[float]]) -> bool:
    """Tell whether rows, one for each seed, differ by more than their cells do within them.

    It is the F test of the rows in an analysis of variance of two ways without interaction.
    """
    seeds, cells = len(rows), len(rows[0]) if rows else 0
    if seeds < 2 or cells < 2:  # noqa: PLR2004
        return False
    mean = math.fsum(value for row in rows for value in row) / (seeds * cells)
    by_seed = [math.fsum(row) / cells for row in rows]
    by_cell = [math.fsum(column) / seeds for column in zip(*rows, strict=True)]
    between = cells * math.fsum((each - mean) ** 2 for each in by_seed) / (seeds - 1)
    rest = math.fsum(
        (value - row - column + mean) ** 2
        for row, values in zip(by_seed, rows, strict=True)
        for column, value in zip(by_cell, values, strict=True)
    )
    free = (seeds - 1) * (cells - 1)
    if rest == 0:
        return between > 0
    return float(special.fdtr(seeds - 1, free, between / (rest / free))) > SEEN


def _values(table: pl.DataFrame, value: str, at: At) -> list[float]:
    return [float(each) for each in replications(table, value, at).values()]


def _seed_by_seed(table: pl.DataFrame, value: str, pairs: Pairs) -> list[list[float]]:
    """Return the ratios of all pairs, one list per seed."""
    found = [ratios_of(table, value, *pair) for pair in pairs]
    seeds = sorted({seed for each in found for seed in each})
    return [[each[seed] for each in found if seed in each] for seed in seeds]

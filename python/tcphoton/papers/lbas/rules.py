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

from tcphoton.analysis.statistics import Interval, mean_interval
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
    not_covered,
    one_run,
    replications,
    unknown,
    worst,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    At = Mapping[str, Any]
    Pairs = Sequence[tuple[At, At]]

__all__ = [
    "in_each", "in_most", "in_some", "middle", "never", "pooled", "pooled_about", "pooled_change",
    "pooled_hardly", "stays_below",
]  # fmt: skip


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
        return lambda table: inside(_mean(table, value, at), -math.inf, bound, unit)

    return in_each({name: of(at) for name, at in cells.items()})


def in_some(value: str, cells: Mapping[str, At], printed: tuple[float, float], unit: str) -> Rule:
    """Judge whether a number is as printed, between two numbers, in one cell or more.

    It is if ours lies between them, a quarter either way, or if one of them could be one run of
    ours; see `tcphoton.papers.rules` for the level. It differs where it surely is not in all cells.
    """

    def judged(found: Interval) -> Finding:
        low, high = (
            each * (1 + side * QUARTER) for each, side in zip(printed, (-1, 1), strict=True)
        )
        least, most = one_run(found)
        could_be = least <= printed[1] and printed[0] <= most
        here = inside(found, low, high, unit)
        if here.verdict != HOLDS and could_be and most - least <= 2 * printed[1]:
            return replace(here, verdict=HOLDS if found.n >= FEWEST else CANNOT_TELL)
        return here

    def rule(table: pl.DataFrame) -> Finding:
        found = {name: _mean(table, value, at) for name, at in cells.items()}
        there = {name: judged(each) for name, each in found.items() if each.n}
        if not there:
            return not_covered()
        best = (HOLDS, CANNOT_TELL, DIFFERS)
        name = min(there, key=lambda each: best.index(there[each].verdict))
        return replace(there[name], note=name)

    return rule


# All cells together.


def pooled(value: str, pairs: Pairs, low: float, high: float) -> Rule:
    """Judge whether a measure changes by so many percent from the second point of each pair.

    It is the geometric mean of the ratio over the pairs and seeds that were run. Each pair at each
    seed counts as a replication, so that what differs from cell to cell widens the interval.
    """
    return _over_all(value, pairs, lambda change: inside(change, low, high))


def pooled_hardly(value: str, pairs: Pairs) -> Rule:
    """Judge whether a measure hardly changes from the second point of each pair, as `pooled`."""
    return _over_all(value, pairs, hardly)


def pooled_about(value: str, pairs: Pairs, published: float) -> Rule:
    """Judge whether a measure changes by about so many percent, as `pooled`.

    The published change is that of all pairs, of one run each.
    """
    count = len(pairs)
    return _over_all(value, pairs, lambda change: about(change, published, null=0, of=count))


def _over_all(value: str, pairs: Pairs, judge: Callable[[Interval], Finding]) -> Rule:
    def rule(table: pl.DataFrame) -> Finding:
        found = [ratios_of(table, value, *pair) for pair in pairs]
        seeds = {seed for ratios in found for seed in ratios}
        return _judged(
            growth(math.log(r) for each in found for r in each.values()), judge, len(seeds)
        )

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
        changes, known = [], set()
        for one, other in zip(here, there, strict=True):
            ratios = [ratios_of(table, value, *pair) for pair in (one, other)]
            seeds = [seed for seed in ratios[0] if seed in ratios[1]]
            changes += [math.log(ratios[0][seed] / ratios[1][seed]) for seed in seeds]
            known |= {*seeds}
        return _judged(growth(changes), lambda change: inside(change, low, high), len(known))

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
        return inside(mean_interval(shares(table)), 50, math.inf, "% of cells")

    return rule


def middle(value: str, pairs: Pairs, low: float, high: float) -> Rule:
    """Judge whether the median over pairs of how many times smaller a measure is lies between two.

    The median is taken seed by seed.
    """

    def rule(table: pl.DataFrame) -> Finding:
        found = [
            1 / median(ratios) for ratios in _seed_by_seed(table, value, pairs) if median(ratios)
        ]
        return inside(mean_interval(found), low, high, "times")

    return rule


def _judged(change: Interval, judge: Callable[[Interval], Finding], seeds: int) -> Finding:
    """Judge a change over some cells: of two seeds of many cells there is no verdict either."""
    if not change.n:
        return not_covered()
    found = judge(change)
    if seeds < FEWEST:
        return replace(found, verdict=CANNOT_TELL, note=few_seeds(seeds))
    return found


def _mean(table: pl.DataFrame, value: str, at: At) -> Interval:
    return mean_interval(_values(table, value, at))


def _values(table: pl.DataFrame, value: str, at: At) -> list[float]:
    return [float(each) for each in replications(table, value, at).values()]


def _seed_by_seed(table: pl.DataFrame, value: str, pairs: Pairs) -> list[list[float]]:
    """Return the ratios of all pairs, one list per seed."""
    found = [ratios_of(table, value, *pair) for pair in pairs]
    seeds = sorted({seed for each in found for seed in each})
    return [[each[seed] for each in found if seed in each] for seed in seeds]

"""The rules of the paper's own; `claims.toml` names them.

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

from tcphoton.papers.comparisons import lies, ratios_of
from tcphoton.papers.lbas.measures import (
    ALL,
    DEGREES,
    IDEAL,
    LOADS,
    NOT,
    SCHEDULER,
    TABLES,
    TRIED,
    cell,
    goodput_of,
    point,
)
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
    from tcphoton.papers.comparisons import Printed

    At = Mapping[str, Any]
    Cells = Mapping[str, At]
    Pairs = Sequence[tuple[At, At]]
    Judge = Callable[[Interval, int], Finding]

BEST = (HOLDS, CANNOT_TELL, DIFFERS)
SEEN = 0.95
"""The probability from which an effect of seeds that cells have in common is taken for one."""
CLEAR = 5.0
"""Per cent from which a published goodput is ahead: it is given to a tenth, which is 1 % of 9.6
Mb/s."""
HALF = 10**0.5
"""Half an order of magnitude."""
LEAST, MOST = 10 / HALF, 100 * HALF
"""Times that count as one to two orders of magnitude: within half an order."""


# Cells, and pairs of policies in cells, as claims.toml names them.


def everywhere(
    policies: Sequence[str],
    accesses: Sequence[int] = tuple(TABLES),
    degrees: Sequence[int] = DEGREES,
    loads: Sequence[int] = LOADS,
) -> Cells:
    """Return the cells of some tables by their names."""
    return {
        f"{policy}, U = {access}, {cell(degree, load)}": point(policy, degree, load, access)
        for access in accesses
        for policy in policies
        for load in loads
        for degree in degrees
    }


def pairs_of(
    policies: Sequence[str],
    base: str = NOT,
    accesses: Sequence[int] = tuple(TABLES),
    degrees: Sequence[int] = DEGREES,
    loads: Sequence[int] = LOADS,
    *,
    cells: Sequence[Mapping[str, Any]] = (),
    ahead: int = 0,
) -> Pairs:
    """Return policies and the one that they are compared with, in some cells of some tables.

    Parameters
    ----------
    policies, base
        The policies, and the one.
    accesses, degrees, loads
        The cells; without an access rate those of the table that is looked at.
    cells
        The cells themselves instead.
    ahead
        An access rate, to take only those cells in whose table the policy is published as ahead.
    """
    wanted = [(each["access"], each["degree"], each["load"]) for each in cells] or [
        (access, degree, load)
        for access in accesses or (None,)
        for degree in degrees
        for load in loads
    ]
    return [
        (point(policy, degree, load, access), point(base, degree, load, access))
        for policy in policies
        for access, degree, load in wanted
        if not ahead or lead(ahead, policy, base, degree, load) >= CLEAR
    ]


def lead(access: int, policy: str, base: str, degree: int, load: int) -> float:
    """Return by how many percent a published goodput is ahead of another."""
    ours, theirs = (goodput_of(access, each, degree, load) for each in (policy, base))
    return 100 * (ours / theirs - 1)


KINDS = {"Cells": everywhere, "Pairs": pairs_of}
"""What makes parameters of rules, from a table of claims.toml."""


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


def never(measure: str, cells: Cells) -> Rule:
    """Judge whether a count is 0 in every run of all cells."""

    def rule(table: pl.DataFrame) -> Finding:
        found = {name: _values(table, measure, at) for name, at in cells.items()}
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


def lies_in_each(
    measure: str, cells: Cells, low: float = -math.inf, high: float = math.inf, unit: str = ""
) -> Rule:
    """Judge whether the mean of a measure lies between two bounds in every cell."""
    return in_each({name: lies(measure, at, low, high, unit) for name, at in cells.items()})


def of_the_order_in_each(measure: str, cells: Cells, published: Printed, unit: str) -> Rule:
    """Judge whether a measure is in every cell within half an order of a published one."""
    return lies_in_each(measure, cells, published / HALF, published * HALF, unit)


def more_in_each_other(measure: str, policy: str, base: str, but: list[Any]) -> Rule:
    """Judge whether a policy has more than another in each cell but some."""
    left = [(each["access"], each["degree"], each["load"]) for each in but]
    rules = {
        f"U = {access}, {cell(degree, load)}": pooled(
            measure, pairs_of([policy], base, [access], [degree], [load]), low=0
        )
        for access in TABLES
        for degree, load in ALL
        if (access, degree, load) not in left
    }
    return in_each(rules, lambda number: -number)


def in_some(measure: str, cells: Cells, printed: list[float], unit: str) -> Rule:
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
        found = {name: mean_at(table, measure, at) for name, at in cells.items()}
        there = {name: judged(each) for name, each in found.items() if each.n}
        if not there:
            return not_covered()
        name = min(there, key=lambda each: BEST.index(there[each].verdict))
        return replace(there[name], note=name)

    return rule


# All cells together.


def pooled(measure: str, pairs: Pairs, low: float = -math.inf, high: float = math.inf) -> Rule:
    """Judge whether a measure changes by so many percent from the second point of each pair.

    It is the geometric mean of the ratio over the pairs and seeds that were run. A seed is common
    to all pairs: where it has an effect on their ratios (an F test of 5 %), the seeds are the
    replications, otherwise each pair at each seed is one.
    """
    return _over_all(measure, pairs, lambda change, _: inside(change, low, high))


def pooled_hardly(measure: str, pairs: Pairs) -> Rule:
    """Judge whether a measure hardly changes from the second point of each pair, as `pooled`."""
    return _over_all(measure, pairs, lambda change, of: hardly(change, of=of))


def pooled_about(measure: str, pairs: Pairs, published: Printed) -> Rule:
    """Judge whether a measure changes by about so many percent, as `pooled`.

    The published change is that of all pairs, of one run each.
    """
    return _over_all(measure, pairs, lambda change, of: about(change, published, null=0, of=of))


def pooled_as_printed(measure: str, policy: str, base: str, access: int, load: int) -> Rule:
    """Judge whether a policy differs from another as in a table, in the geometric mean over b_D."""
    logarithms = [
        math.log(goodput_of(access, policy, degree, load) / goodput_of(access, base, degree, load))
        for degree in DEGREES
    ]
    printed = 100 * math.expm1(math.fsum(logarithms) / len(logarithms))
    return pooled_about(measure, pairs_of([policy], base, [], loads=[load]), printed)


def rarer(measure: str, pairs: Pairs, percent: float) -> Rule:
    """Judge whether there is less than so many per cent of what the second point has."""
    return pooled(measure, pairs, high=percent - 100)


def pooled_with(
    measure: str, artefact: str, other: str, policy: str, base: str,
    *, low: float = -math.inf, high: float = math.inf,
) -> Rule:  # fmt: skip
    """Judge a change under another assumption of ours, at b_D = 2, 80 % and U = 100 Mb/s."""
    key, value = TRIED[artefact][other]
    return pooled(measure, [(_tried(policy, key, value), _tried(base, key, value))], low, high)


def _tried(policy: str, key: str, value: str) -> At:
    """Return the point of a policy; the switch of ideal-JSQ has neither scheduler nor VOQs."""
    at = {**point(policy, 2, 80, 100)}
    if policy == IDEAL and key == SCHEDULER:
        return at
    if policy == IDEAL and value == "input buffer of 64 kB":
        value = "as assumed"
    return {**at, key: value}


def _over_all(value: str, pairs: Pairs, judge: Judge) -> Rule:
    def rule(table: pl.DataFrame) -> Finding:
        found = [ratios_of(table, value, *pair) for pair in pairs]
        return _judged([{s: math.log(r) for s, r in each.items()} for each in found], judge)

    return rule


def pooled_change(
    measure: str, here: Pairs, there: Pairs, low: float = -math.inf, high: float = math.inf
) -> Rule:
    """Judge whether a ratio of two policies changes, by so many percent, from cells to others.

    Parameters
    ----------
    measure
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
            ratios = [ratios_of(table, measure, *pair) for pair in (one, other)]
            seeds = [seed for seed in ratios[0] if seed in ratios[1]]
            changes.append({s: math.log(ratios[0][s] / ratios[1][s]) for s in seeds})
        return _judged(changes, lambda change, _: inside(change, low, high))

    return rule


def in_most(measure: str, pairs: Pairs, low: float = LEAST, high: float = MOST) -> Rule:
    """Judge whether a measure is so many times smaller at the first point of most pairs.

    It is the share of the pairs, in percent, in which the second point has between `low` and
    `high` times what the first has, seed by seed; most is more than half.
    """

    def shares(table: pl.DataFrame) -> list[float]:
        found = []
        for ratios in _seed_by_seed(table, measure, pairs):
            hits = sum(low <= 1 / ratio <= high for ratio in ratios)
            found.append(100 * hits / len(ratios))
        return found

    def rule(table: pl.DataFrame) -> Finding:
        return inside(mean_of(shares(table)), 50, math.inf, "% of cells")

    return rule


def reaches_in_most(measure: str, pairs: Pairs, percent: float) -> Rule:
    """Judge whether two points differ by at most so many per cent in most pairs."""
    return in_most(measure, pairs, 1 - percent / 100, 1 / (1 - percent / 100))


def middle(measure: str, pairs: Pairs, low: float = LEAST, high: float = MOST) -> Rule:
    """Judge whether the median over pairs of how many times smaller a measure is lies between two.

    The median is taken seed by seed.
    """

    def rule(table: pl.DataFrame) -> Finding:
        found = [
            1 / median(ratios) for ratios in _seed_by_seed(table, measure, pairs) if median(ratios)
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

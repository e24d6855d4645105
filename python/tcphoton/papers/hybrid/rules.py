"""The rules of the paper's own, which were written before any run; `claims.toml` names them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.papers.comparisons import all_of, at_each, between, ratios_of, values_of, within
from tcphoton.papers.hybrid.measures import (
    LOAD,
    MARGIN,
    PORTS,
    PUBLISHED,
    SEEDS,
    SEEDS_OF_LONG,
    named,
    per_second,
)
from tcphoton.papers.rules import (
    Finding,
    Rule,
    about,
    grows,
    growth,
    inside,
    mean_of,
    not_covered,
    paired_by_seed,
    replications,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tcphoton.analysis.statistics import Interval
    from tcphoton.papers.comparisons import Printed

    At = Mapping[str, Any]

NOISE = 2 * PUBLISHED["", "largest spread"] / math.sqrt(SEEDS_OF_LONG)
"""Two standard errors, as a share, of a mean over the paper's ten seeds with its largest spread."""
OF_TWO = 100 * math.sqrt(2) * NOISE
"""Per cent by which two such means may differ by chance: as likely as one that far from its own."""
VALUES: dict[str, Callable[[Any], str]] = {LOAD: per_second}
"""What names a value."""


def _is_about(ratio: Interval, factor: float) -> Finding:
    """Judge a factor, which is a word: a run counts as it is, and not as it would be rounded."""
    return about(ratio, factor, "times", null=1, of=SEEDS, printed=0.0)


def times(measure: str, at: At, base: At, published: Printed) -> Rule:
    """Judge whether a measure is about so many times that of another point.

    The factor is the published number, of figure 2, so that about 2 times is 1.5 to 2.5 times.
    """
    return lambda table: _is_about(_times(table, measure, at, base), published)


def reaches(measure: str, x: str, at: At, base: At, published: Printed) -> Rule:
    """Judge whether the largest ratio of two curves over `x` is about a factor."""

    def rule(table: pl.DataFrame) -> Finding:
        found = {
            where: _times(table, measure, {**at, x: where}, {**base, x: where})
            for where in values_of(table, x, at)
        }
        known = {where: ratio for where, ratio in found.items() if math.isfinite(ratio.mean)}
        if not known:
            return not_covered()
        where = max(known, key=lambda each: known[each].mean)
        return _found_at(VALUES.get(x, str)(where), _is_about(known[where], published))

    return rule


def further_apart(measure: str, x: str, at: At, base: At, than: float) -> Rule:
    """Judge whether two curves are further apart beyond a value of `x` than there.

    By the logarithm of their ratio, the mean of all points beyond against that there.
    """

    def logarithms(table: pl.DataFrame, where: Any) -> dict[int, float]:
        ratios = ratios_of(table, measure, *({**curve, x: where} for curve in (at, base)))
        return {seed: math.log(ratio) for seed, ratio in ratios.items()}

    def rule(table: pl.DataFrame) -> Finding:
        wheres = [where for where in values_of(table, x, at) if where > than]
        beyond = [each for where in wheres if (each := logarithms(table, where))]
        before = logarithms(table, than)
        seeds = [seed for seed in before if beyond and all(seed in each for each in beyond)]
        means = [math.fsum(each[seed] for each in beyond) / len(beyond) for seed in seeds]
        moved = (mean - before[seed] for seed, mean in zip(seeds, means, strict=True))
        return grows(growth(moved), "%")

    return rule


def no_better(measure: str, at: At, base: At, margins: list[int], percent: float) -> Rule:
    """Judge whether no larger p is better, at each arrival rate that was run."""

    def of(margin: int) -> Rule:
        def judge(load: float) -> Rule:
            here, there = ({**each, LOAD: load} for each in ({**at, MARGIN: margin}, base))
            return between(measure, here, there, -math.inf, percent)

        return at_each(LOAD, {**at, MARGIN: margin}, judge, largest=False, name=per_second)

    return all_of({f"p = {margin}": of(margin) for margin in margins})


def highest(measure: str, at: At, published: Printed, *, with_noise: bool) -> Rule:
    """Judge whether the highest mean of a rate (b/s) lies below a bound (Gb/s).

    With the noise that a mean may have and still not go above the paper's, which is as uncertain.
    """
    bound = published * (1 + NOISE) if with_noise else published

    def rule(table: pl.DataFrame) -> Finding:
        means = {}
        for where in _points(table, at):
            seeds = replications(table, measure, {**at, **where})
            means[named(where)] = mean_of([1e-9 * each for each in seeds.values()])
        known = {point: mean for point, mean in means.items() if math.isfinite(mean.mean)}
        if not known:
            return not_covered()
        top = max(known, key=lambda point: known[point].mean)
        return _found_at(top, inside(known[top], -math.inf, bound, "Gb/s"))

    return rule


def alike(measure: str, at: At, base: At, percent: float = OF_TWO) -> Rule:
    """Judge whether a measure is, within so many percent, the same at all points as at one.

    Each point that was run is compared at the values of `base`; it keeps its own of other keys.
    """

    def rule(table: pl.DataFrame) -> Finding:
        rules = {
            named(where): within(measure, {**at, **where}, {**at, **where, **base}, percent)
            for where in _points(table, at)
            if any(where[key] != wanted for key, wanted in base.items())
        }
        return all_of(rules)(table)

    return rule


def like_two_means(measure: str, at: At, base: At) -> Rule:
    """Judge whether a measure changes by no more than two means over ten seeds may differ."""
    return within(measure, at, base, OF_TWO)


def _found_at(where: str, finding: Finding) -> Finding:
    return replace(finding, note=f"{where}: {finding.note}" if finding.note else where)


def _times(table: pl.DataFrame, value: str, at: At, base: At) -> Interval:
    here, there = (replications(table, value, where) for where in (at, base))
    return paired_by_seed(here, there, ratio=True)


def _points(table: pl.DataFrame, at: At) -> list[dict[str, Any]]:
    """Return the points that a table has, in the order of their values."""
    keys = [PORTS, MARGIN, LOAD]
    if not {*at, *keys} <= set(table.columns):
        return []
    rows = table.filter(*(pl.col(key) == wanted for key, wanted in at.items()))
    return rows.select(keys).drop_nulls().unique().sort(keys).to_dicts()

"""The rules by which the ledger judges the paper's claims, beside `tcphoton.papers.comparisons`.

Each is made for a measure and the points that it compares; `tcphoton.papers.rules` says what its
words mean. They were written before any run.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.papers.comparisons import all_of, between, ratios_of, values_of
from tcphoton.papers.hybrid.measures import SEEDS
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
    from collections.abc import Callable, Iterable, Mapping

    from tcphoton.analysis.statistics import Interval

    At = Mapping[str, Any]
    Name = Callable[[At], str]

__all__ = ["alike", "further_apart", "highest", "is_times", "reaches"]


def _is_about(ratio: Interval, factor: float) -> Finding:
    """Judge a factor, which is a word: a run counts as it is, and not as it would be rounded."""
    return about(ratio, factor, "times", null=1, of=SEEDS, printed=0.0)


def is_times(value: str, at: At, base: At, factor: float) -> Rule:
    """Judge whether a measure is about so many times that of another point.

    The factor is the published number, of figure 2, so that about 2 times is 1.5 to 2.5 times.
    """
    return lambda table: _is_about(_times(table, value, at, base), factor)


def reaches(
    value: str,
    x: str,
    curves: tuple[At, At],
    factor: float,
    *,
    low: float,
    name: Callable[[Any], str],
) -> Rule:
    """Judge whether the largest ratio of two curves from a value of `x` on is about a factor.

    Parameters
    ----------
    value, x
        The measure, and the key that it is over.
    curves
        The points of the curve, and of the one that it is compared with, without `x`.
    factor
        The published factor.
    low
        The smallest value of `x` that counts.
    name
        What a value of `x` is called.
    """

    def rule(table: pl.DataFrame) -> Finding:
        found = {}
        for where in values_of(table, x, curves[0]):
            if where >= low:
                at, base = ({**curve, x: where} for curve in curves)
                found[where] = _times(table, value, at, base)
        known = {where: ratio for where, ratio in found.items() if math.isfinite(ratio.mean)}
        if not known:
            return not_covered()
        where = max(known, key=lambda each: known[each].mean)
        return _found_at(name(where), _is_about(known[where], factor))

    return rule


def further_apart(value: str, x: str, curves: tuple[At, At], base: Any, *, low: float) -> Rule:
    """Judge whether two curves are further apart from a value of `x` on than at another.

    By the logarithm of their ratio, the mean of all points from `low` on against that at `base`.
    """

    def logarithms(table: pl.DataFrame, where: Any) -> dict[int, float]:
        ratios = ratios_of(table, value, *({**curve, x: where} for curve in curves))
        return {seed: math.log(ratio) for seed, ratio in ratios.items()}

    def rule(table: pl.DataFrame) -> Finding:
        wheres = [where for where in values_of(table, x, curves[0]) if where >= low]
        beyond = [each for where in wheres if (each := logarithms(table, where))]
        before = logarithms(table, base)
        seeds = [seed for seed in before if beyond and all(seed in each for each in beyond)]
        means = [math.fsum(each[seed] for each in beyond) / len(beyond) for seed in seeds]
        moved = (mean - before[seed] for seed, mean in zip(seeds, means, strict=True))
        return grows(growth(moved), "%")

    return rule


def highest(value: str, at: At, keys: Iterable[str], bound: float, *, name: Name) -> Rule:
    """Judge whether the highest mean of a rate lies below a bound.

    Parameters
    ----------
    value, at
        The measure in b/s, and what all points have in common.
    keys
        The keys that name a point; every point that was run is checked.
    bound
        The bound in Gb/s.
    name
        What a point is called.
    """
    keys = list(keys)

    def rule(table: pl.DataFrame) -> Finding:
        means = {}
        for where in _points(table, at, keys):
            seeds = replications(table, value, {**at, **where})
            means[name(where)] = mean_of([1e-9 * each for each in seeds.values()])
        known = {point: mean for point, mean in means.items() if math.isfinite(mean.mean)}
        if not known:
            return not_covered()
        top = max(known, key=lambda point: known[point].mean)
        return _found_at(top, inside(known[top], -math.inf, bound, "Gb/s"))

    return rule


def alike(value: str, at: At, keys: Iterable[str], base: At, *, bound: float, name: Name) -> Rule:
    """Judge whether a measure is, within so many percent, the same at all points as at one.

    Parameters
    ----------
    value, at
        The measure, and what all points have in common.
    keys
        The keys that name a point; every point that was run is checked.
    base
        The values of some keys that a point is compared at; it keeps its own of the others.
    bound
        Percent.
    name
        What a point is called.
    """
    keys = list(keys)

    def rule(table: pl.DataFrame) -> Finding:
        rules = {
            name(where): between(value, {**at, **where}, {**at, **where, **base}, -bound, bound)
            for where in _points(table, at, keys)
            if any(where[key] != wanted for key, wanted in base.items())
        }
        return all_of(rules)(table)

    return rule


def _found_at(where: str, finding: Finding) -> Finding:
    return replace(finding, note=f"{where}: {finding.note}" if finding.note else where)


def _times(table: pl.DataFrame, value: str, at: At, base: At) -> Interval:
    here, there = (replications(table, value, where) for where in (at, base))
    return paired_by_seed(here, there, ratio=True)


def _points(table: pl.DataFrame, at: At, keys: list[str]) -> list[dict[str, Any]]:
    """Return the points that a table has, in the order of their values."""
    if not {*at, *keys} <= set(table.columns):
        return []
    rows = table.filter(*(pl.col(key) == wanted for key, wanted in at.items()))
    return rows.select(keys).drop_nulls().unique().sort(keys).to_dicts()

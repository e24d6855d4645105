"""Rules that compare points of a table, of which the claims of several papers are made.

Each is made for a measure and the points that it compares; `tcphoton.papers.rules` says what its
words mean. Changes are in per cent.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis.controls import RAW
from tcphoton.analysis.statistics import Interval
from tcphoton.common import quantities
from tcphoton.papers.rules import (
    QUARTER,
    Finding,
    Rule,
    about,
    change,
    grows,
    hardly,
    inside,
    mean_at,
    mean_of,
    not_covered,
    one_run,
    paired_by_seed,
    prediction,
    replications,
    robust,
    slopes,
    worst,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    At = Mapping[str, Any]
    Printed = float


# Levels.


def lies(
    measure: str, at: At, low: float = -math.inf, high: float = math.inf, unit: str = ""
) -> Rule:
    """Judge whether a measure lies between two bounds."""

    def rule(table: pl.DataFrame) -> Finding:
        return inside(mean_at(table, measure, at), low, high, unit)

    return rule


def is_about(
    measure: str,
    at: At,
    published: Printed,
    unit: str = "",
    tolerance: float = QUARTER,
    *,
    printed: float | None = None,
    runs: float = 1.0,
) -> Rule:
    """Judge whether a measure is about a published number, the mean of so many runs."""

    def rule(table: pl.DataFrame) -> Finding:
        values = replications(table, measure, at).values()
        run = prediction(values, runs)
        mean = mean_of(values)
        return about(mean, published, unit, tolerance, printed=printed, of=runs, run=run)

    return rule


# A point against another.


def more(measure: str, at: At, base: At, by: float = 0.0) -> Rule:
    """Judge whether a measure is larger by more than so many per cent."""
    return between(measure, at, base, by, math.inf)


def far_more(measure: str, at: At, base: At, by: float) -> Rule:
    """Judge whether a measure is larger by much: more than so many per cent, which is ours."""
    return robust(by, lambda percent: more(measure, at, base, by=percent))


def ratios_of(table: pl.DataFrame, value: str, at: At, base: At) -> dict[int, float]:
    """Return the ratio of a measure at two points by the seed, where both are above 0."""
    here, there = (replications(table, value, point) for point in (at, base))
    return {s: here[s] / there[s] for s in here if here[s] > 0 and there.get(s, 0) > 0}


def less(measure: str, at: At, base: At) -> Rule:
    """Judge whether a measure is smaller."""
    return between(measure, at, base, -math.inf, 0)


def fewer(measure: str, at: At, base: At) -> Rule:
    """Judge whether a share is smaller: by the difference, for a share may be 0."""

    def rule(table: pl.DataFrame) -> Finding:
        here, there = (replications(table, measure, point) for point in (at, base))
        return inside(paired_by_seed(here, there), -math.inf, 0, "percentage points")

    return rule


def hardly_moves(measure: str, at: At, base: At) -> Rule:
    """Judge whether a measure hardly changes."""
    return lambda table: hardly(change(table, measure, at, base))


def between(measure: str, at: At, base: At, low: float = -math.inf, high: float = math.inf) -> Rule:
    """Judge whether the change of a measure lies between two bounds."""

    def rule(table: pl.DataFrame) -> Finding:
        return inside(change(table, measure, at, base), low, high)

    return rule


def within(measure: str, at: At, base: At, percent: float) -> Rule:
    """Judge whether a measure changes by less than so many per cent, up or down."""
    return between(measure, at, base, -percent, percent)


def changes_by(
    measure: str,
    at: At,
    base: At,
    published: Printed,
    tolerance: float = QUARTER,
    *,
    printed: float | None = None,
    runs: float = 1.0,
    down: bool = False,
) -> Rule:
    """Judge whether a measure changes by about so many per cent, or falls by them.

    A run has its surpluses, if the table has them.
    """

    def rule(table: pl.DataFrame) -> Finding:
        raw = f"{measure}{RAW}"
        both = [
            change(table, each, at, base)
            for each in (measure, raw if raw in table.columns else measure)
        ]
        moved, of_a_run = map(_negative, both) if down else both
        run = one_run(of_a_run, runs)
        return about(moved, published, share=tolerance, null=0, printed=printed, of=runs, run=run)

    return rule


def _negative(interval: Interval) -> Interval:
    """Return a fall instead of a change."""
    return Interval(-interval.mean, -interval.high, -interval.low, interval.n)


# Curves.


def rises_with(
    measure: str, x: str, at: At, unit: str = "", scale: float = 1.0, *, down: bool = False
) -> Rule:
    """Judge whether the slope of a measure over `x` lies above 0, or below it."""

    def rule(table: pl.DataFrame) -> Finding:
        slope = mean_of([scale * each for each in slopes(table, measure, x, at)])
        return inside(slope, -math.inf, 0, unit) if down else grows(slope, unit)

    return rule


def falls_with(measure: str, x: str, at: At, unit: str = "", scale: float = 1.0) -> Rule:
    """Judge whether the slope of a measure over `x` lies below 0."""
    return rises_with(measure, x, at, unit, scale=scale, down=True)


# Several that must all hold.


def all_of(rules: Mapping[str, Rule], *, largest: bool = True) -> Rule:
    """Judge by several rules that must all agree; the one that decides is named.

    Of several that decide alike it is the one with the largest number, or the smallest.
    """

    def rule(table: pl.DataFrame) -> Finding:
        found = [(name, each(table)) for name, each in rules.items()]
        return worst(found, badness=abs if largest else lambda number: -number)

    return rule


# Every point that was run.


def at_each(
    x: str,
    at: At,
    judge: Callable[[Any], Rule],
    low: float = -math.inf,
    high: float = math.inf,
    *,
    largest: bool = True,
    name: Callable[[Any], str] = str,
) -> Rule:
    """Judge by a rule for each value of `x` that was run, all of which must agree.

    Parameters
    ----------
    x, at
        The key, and the point at which its values are looked for.
    judge
        Makes the rule for a value.
    low, high
        The smallest and the largest value that counts.
    largest
        As in `all_of`.
    name
        What a value is called.
    """

    def rule(table: pl.DataFrame) -> Finding:
        wanted = [
            value for value in values_of(table, x, at) if low <= quantities.number(value) <= high
        ]
        return all_of({name(value): judge(value) for value in wanted}, largest=largest)(table)

    return rule


def for_some(x: str, low: float, high: float, rule: Rule) -> Rule:
    """Judge by the rows with some of the values of `x`: those between two numbers."""

    def judged(table: pl.DataFrame) -> Finding:
        if x not in table.columns:
            return not_covered()
        kept = [
            each is not None and low <= quantities.number(each) <= high
            for each in table.get_column(x)
        ]
        return rule(table.filter(pl.Series(kept, dtype=pl.Boolean)))

    return judged


def values_of(table: pl.DataFrame, x: str, at: At) -> list[Any]:
    """Return the values of a key at a point, from the smallest quantity to the largest."""
    if not {x, *at} <= set(table.columns):
        return []
    rows = table.filter(*(pl.col(name) == wanted for name, wanted in at.items()))
    return sorted(rows.get_column(x).drop_nulls().unique(), key=quantities.number)


WORDS: dict[str, Callable[..., Rule]] = {
    "about": is_about,
    "lies": lies,
    "more": more,
    "far-more": far_more,
    "less": less,
    "fewer": fewer,
    "hardly": hardly_moves,
    "changes": changes_by,
    "between": between,
    "within": within,
    "rises": rises_with,
    "falls": falls_with,
}
"""The rules that claims name, whose keys are the parameters."""

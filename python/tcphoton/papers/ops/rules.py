"""The rules of the paper's own, which were written before any run; `claims.toml` names them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tcphoton.analysis.statistics import Interval
from tcphoton.common import quantities
from tcphoton.papers.comparisons import all_of, lies, values_of
from tcphoton.papers.ops.measures import FAIRNESS
from tcphoton.papers.rules import (
    HARDLY,
    Finding,
    Rule,
    change,
    hardly,
    inside,
    mean_of,
    not_covered,
    paired_by_seed,
    paired_of,
    replications,
    robust,
    unknown,
    worst,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    At = Mapping[str, Any]
    Curves = dict[int, dict[float, float]]

BEND = 10.0
"""Percent of a line's rise by which points may lie off it and still be on a straight line: the
house's "hardly"."""
CLOSE = 0.01
"""How far Jain's index is below 1 and still close to it: a coefficient of variation of ten per cent
between the flows gives 1 / (1 + 0.1²)."""
FEWEST = 3
"""Points that have a line."""


# Every point that was run.


def close_to_1(at: At) -> Rule:
    """Judge whether a fairness is close to 1."""
    return robust(CLOSE, lambda off: lies(FAIRNESS, at, 1 - off, math.inf, unit=""))


def near(measure: str, x: str, at: At, value: Any, percent: float = HARDLY) -> Rule:
    """Judge whether a measure at each value of `x` is, within so many percent, that at one.

    The bound is a threshold of ours, as in `tcphoton.papers.rules.hardly`.
    """

    def rule(table: pl.DataFrame) -> Finding:
        others = [other for other in values_of(table, x, at) if other != value]
        return all_of(
            {
                str(other): _hardly(measure, {**at, x: other}, {**at, x: value}, percent)
                for other in others
            }
        )(table)

    return rule


def _hardly(value: str, at: At, base: At, bound: float) -> Rule:
    return lambda table: hardly(change(table, value, at, base), bound)


# Curves.


def straight(measure: str, x: str, at: At) -> Rule:
    """Judge whether a measure is linear in `x`.

    A straight line of least squares goes through each seed's points. At each of them the mean over
    the seeds of how far it lies off the line, over the mean rise of the lines from end to end, is
    compared with ± 10 %; the point furthest off decides.
    """

    def rule(table: pl.DataFrame) -> Finding:
        curves = _curves(table, measure, x, at)
        points = sorted({point for curve in curves.values() for point in curve})
        whole = [curve for _, curve in sorted(curves.items()) if len(curve) == len(points)]
        if not whole:
            return not_covered()
        if len(points) < FEWEST:
            return unknown("too few points")
        lines = [_line(curve) for curve in whole]
        rises = [slope * (points[-1] - points[0]) for slope, _ in lines]
        return worst(
            [
                (f"{point:g}", hardly(paired_of(off, rises, ratio=True), BEND))
                for point, off in _residuals(whole, lines, points)
            ]
        )

    return rule


def _residuals(
    curves: list[dict[float, float]], lines: list[tuple[float, float]], points: list[float]
) -> list[tuple[float, list[float]]]:
    """Return how far each point lies off its line, a number per seed, a hundred times."""
    return [
        (
            point,
            [
                100 * (curve[point] - slope * point - start)
                for curve, (slope, start) in zip(curves, lines, strict=True)
            ],
        )
        for point in points
    ]


def milder(measure: str, x: str, at: At, turn: float, high: float) -> Rule:
    """Judge whether a measure falls less steeply beyond a value of `x` than up to it.

    The fall from the turn to the largest `x`, over that from the smallest `x` to the turn, each by
    the unit of `x`, in percent; it is below `high`.
    """

    def steepness(table: pl.DataFrame) -> Interval:
        curves = _curves(table, measure, x, at)
        points = sorted({point for curve in curves.values() for point in curve})
        if len(points) < FEWEST or turn not in points[1:-1]:
            return mean_of([])
        first, last = points[0], points[-1]
        whole = [curve for curve in curves.values() if {first, turn, last} <= set(curve)]
        sharp = [(curve[first] - curve[turn]) / (turn - first) for curve in whole]
        mild = [100 * (curve[turn] - curve[last]) / (last - turn) for curve in whole]
        return paired_of(mild, sharp, ratio=True)

    return lambda table: inside(steepness(table), -math.inf, high)


def _curves(table: pl.DataFrame, value: str, x: str, at: At) -> Curves:
    """Return a measure over `x` in base units, by the seed."""
    found: Curves = {}
    for point in values_of(table, x, at):
        for seed, measure in replications(table, value, {**at, x: point}).items():
            found.setdefault(seed, {})[quantities.number(point)] = measure
    return found


def _line(curve: Mapping[float, float]) -> tuple[float, float]:
    """Return slope and intercept of the straight line of least squares."""
    mean_x, mean_y = math.fsum(curve) / len(curve), math.fsum(curve.values()) / len(curve)
    across = math.fsum((x - mean_x) ** 2 for x in curve)
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, y in curve.items()) / across
    return slope, mean_y - slope * mean_x


# Two measures, and two changes.


def is_that_of(measure: str, other: str, at: At) -> Rule:
    """Judge whether a measure is, within ten percent, another one of the same runs."""

    def rule(table: pl.DataFrame) -> Finding:
        ours, theirs = (replications(table, each, at) for each in (measure, other))
        percent = {seed: 100 * each for seed, each in ours.items()}
        ratio = paired_by_seed(percent, theirs, ratio=True)
        off = Interval(ratio.mean - 100, ratio.low - 100, ratio.high - 100, ratio.n)
        return hardly(off)

    return rule


def gains_more(measure: str, at: At, base: At, than_at: At, than_base: At) -> Rule:
    """Judge whether a measure changes more, in percent, from a base than from another."""

    def rule(table: pl.DataFrame) -> Finding:
        gains = (_gains(table, measure, *pair) for pair in ((at, base), (than_at, than_base)))
        return inside(paired_by_seed(*gains), 0, math.inf, "percentage points")

    return rule


def _gains(table: pl.DataFrame, value: str, at: At, base: At) -> dict[int, float]:
    here, there = (replications(table, value, point) for point in (at, base))
    return {seed: 100 * (here[seed] / there[seed] - 1) for seed in here if there.get(seed)}

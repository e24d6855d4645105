"""The rules of the paper's own, each made for a session and a point; `claims.toml` names them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis.controls import RAW
from tcphoton.analysis.statistics import Interval
from tcphoton.common import quantities
from tcphoton.papers.comparisons import values_of
from tcphoton.papers.obs.measures import LARGEST, LOSS, SIZE, SMALLEST, TIMEOUT
from tcphoton.papers.rules import (
    CANNOT_TELL,
    DIFFERS,
    FEWEST,
    HOLDS,
    Finding,
    about,
    at_most_about,
    change,
    grows,
    hardly,
    inside,
    mean_at,
    mean_of,
    not_covered,
    one_run,
    paired_of,
    replications,
    slopes,
    worst,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcphoton.papers.comparisons import Printed
    from tcphoton.papers.rules import Rule

    At = Mapping[str, Any]

EQUAL = 2.0
"""Percent within which a throughput equals a rate; the sources vary by some tenths of one."""
FULL = 95.0
"""Percent of its source's rate from which a session is at its full rate."""
KNEE = "200 kB"
FIG_3 = {LOSS: 0.002, TIMEOUT: "1 ms"}
"""The points of figure 3 with the shorter timeout."""


# Throughput.


def equals_its_rate(session: str, at: At) -> Rule:
    """Judge whether the throughput is the source's rate at every burst size."""

    def rule(table: pl.DataFrame) -> Finding:
        shares = _at_each_size(table, f"{session}.share", at)
        return worst((size, hardly(_off(share), EQUAL)) for size, share in shares)

    return rule


def _at_each_size(table: pl.DataFrame, measure: str, at: At) -> list[tuple[str, Interval]]:
    """Return the mean of a measure at every burst size that was run."""
    sizes = values_of(table, SIZE, at)
    return [(size, mean_at(table, measure, {**at, SIZE: size})) for size in sizes]


def _off(share: Interval) -> Interval:
    """Return by how many percent a share is off the whole."""
    return Interval(share.mean - 100, share.low - 100, share.high - 100, share.n)


def loses(session: str, at: At, percent: float) -> Rule:
    """Judge whether more than so many percent of the rate are lost, at every burst size."""

    def rule(table: pl.DataFrame) -> Finding:
        found = []
        for size, share in _at_each_size(table, f"{session}.share", at):
            lost = Interval(100 - share.mean, 100 - share.high, 100 - share.low, share.n)
            found.append((size, inside(lost, percent, math.inf)))
        return worst(found, badness=lambda lost: -lost)

    return rule


def _gains(table: pl.DataFrame, session: str, p: float) -> dict[int, float]:
    """Return what the largest bursts add to the smallest, in percent of the source's rate."""
    small, large = (
        replications(table, f"{session}.share", {LOSS: p, TIMEOUT: "1 ms", SIZE: size})
        for size in (SMALLEST, LARGEST)
    )
    return {seed: large[seed] - small[seed] for seed in large if seed in small}


def gains_little(session: str, p: float, percent: float) -> Rule:
    """Judge what the largest bursts instead of the smallest add, by the source's rate."""
    return lambda table: inside(
        mean_of(_gains(table, session, p).values()), -math.inf, percent, "% of the rate"
    )


def gains_less(session: str, p: float, than: float) -> Rule:
    """Judge whether larger bursts add less than at another drop probability."""

    def rule(table: pl.DataFrame) -> Finding:
        here, there = (_gains(table, session, each) for each in (p, than))
        less = [here[seed] - there[seed] for seed in here if seed in there]
        return inside(mean_of(less), -math.inf, 0, "% of the rate")

    return rule


def _full_rate_between(session: str, table: pl.DataFrame, at: At) -> tuple[float, float]:
    """Return the largest size (kB) up to which it is surely less, and the first where it is not."""
    below, is_below = 0.0, True
    for size, share in _at_each_size(table, f"{session}.share", at):
        if share.n < FEWEST:
            is_below = False
            continue
        if share.low >= FULL:
            return below, quantities.number(size) / 1e3
        is_below = is_below and share.high < FULL
        below = quantities.number(size) / 1e3 if is_below else below
    return below, math.inf


def reaches_full_rate_earlier(slow: str, fast: str, at: At) -> Rule:
    """Judge whether a session is at its full rate at half the burst size of another, or less."""

    def rule(table: pl.DataFrame) -> Finding:
        if not values_of(table, SIZE, at):
            return not_covered()
        early, late = (_full_rate_between(each, table, at) for each in (slow, fast))
        note = f"{slow} Mb/s: {_range(early)}, {fast}: {_range(late)}"
        if early[1] <= late[0] / 2:
            return Finding(HOLDS, note=note)
        if early[0] >= late[1] / 2:
            return Finding(DIFFERS, note=note)
        return Finding(CANNOT_TELL, note=note)

    return rule


def _range(bounds: tuple[float, float]) -> str:
    low, high = bounds
    if not math.isfinite(high):
        return f"> {low:g} kB"
    return f"{low:g} … {high:g} kB" if low else f"≤ {high:g} kB"


# Delay.


def beyond_200(session: str, at: At, high: float) -> Rule:
    """Judge how much less the delay grows beyond 200 kB than up to there.

    Less than so many percent of the slope up to there.
    """
    ends = [quantities.number(each) for each in (SMALLEST, KNEE, LARGEST)]

    def rule(table: pl.DataFrame) -> Finding:
        first, middle, last = (
            replications(table, f"{session}.delay", {**FIG_3, **at, SIZE: each})
            for each in (SMALLEST, KNEE, LARGEST)
        )
        seeds = [seed for seed in middle if seed in first and seed in last]
        beyond = [100 * (last[seed] - middle[seed]) / (ends[2] - ends[1]) for seed in seeds]
        up_to = [(middle[seed] - first[seed]) / (ends[1] - ends[0]) for seed in seeds]
        return inside(paired_of(beyond, up_to, ratio=True), -math.inf, high)

    return rule


def _longer_timeout(
    session: str, at: At, table: pl.DataFrame
) -> list[tuple[str, Interval, tuple[float, float]]]:
    """Return by how many percent a timeout of 5 ms raises the delay, at every burst size.

    With each the prediction interval of one run, which has its surpluses.
    """
    found, measure = [], f"{session}.delay"
    raw = f"{measure}{RAW}"
    long = {**FIG_3, **at, TIMEOUT: "5 ms"}
    for size in values_of(table, SIZE, long):
        points = {**long, SIZE: size}, {**long, SIZE: size, TIMEOUT: "1 ms"}
        of_a_run = change(table, raw if raw in table.columns else measure, *points)
        found.append((size, change(table, measure, *points), one_run(of_a_run)))
    return found


def adds_at_most(session: str, at: At, published: Printed) -> Rule:
    """Judge how much a timeout of 5 ms adds to the delay at any burst size."""

    def rule(table: pl.DataFrame) -> Finding:
        found = _longer_timeout(session, at, table)
        judged = [(size, at_most_about(each, published, run=run)) for size, each, run in found]
        return worst(judged, lambda x: x)

    return rule


def adds_about(session: str, at: At, published: Printed) -> Rule:
    """Judge the largest increase itself, which the paper gives as a number."""

    def rule(table: pl.DataFrame) -> Finding:
        found = [each for each in _longer_timeout(session, at, table) if each[1].n]
        if not found:
            return not_covered()
        _, top, run = max(found, key=lambda each: each[1].mean)
        return about(top, published, null=0, run=run)

    return rule


def timeout_matters_less(measure: str, p: float, than: float) -> Rule:
    """Judge how much smaller the change at a p is than at another, ignoring the signs."""

    def rule(table: pl.DataFrame) -> Finding:
        low, high = (_timeout_changes(table, measure, each) for each in (than, p))
        seeds = [seed for seed in low if seed in high]
        signs = [math.copysign(1, math.fsum(each[seed] for seed in seeds)) for each in (low, high)]
        less = [signs[0] * low[seed] - signs[1] * high[seed] for seed in seeds]
        return inside(mean_of(less), 0, math.inf, "percentage points")

    return rule


def _timeout_changes(table: pl.DataFrame, measure: str, p: float) -> dict[int, float]:
    """Return by how many percent 8 ms instead of 1 ms change a measure, by the seed."""
    at = {LOSS: p, SIZE: KNEE}
    short, long = (replications(table, measure, {**at, TIMEOUT: t}) for t in ("1 ms", "8 ms"))
    return {seed: 100 * (long[seed] / short[seed] - 1) for seed in long if short.get(seed)}


def grows_with_p(measure: str, up_to: float) -> Rule:
    """Judge the slope over p of the delay's mean over all burst sizes that every p has."""

    def rule(table: pl.DataFrame) -> Finding:
        if not {LOSS, SIZE, TIMEOUT, measure} <= set(table.columns):
            return not_covered()
        rows = table.filter(pl.col(TIMEOUT) == "1 ms", pl.col(LOSS) <= up_to)
        rows = rows.drop_nulls(measure)
        everywhere = pl.col(LOSS).n_unique().over(SIZE, "seed") == rows.get_column(LOSS).n_unique()
        rows = rows.filter(everywhere)
        complete = pl.col(SIZE).n_unique().over("seed") == rows.get_column(SIZE).n_unique()
        means = rows.filter(complete).group_by(LOSS, "seed", maintain_order=True)
        each = slopes(means.agg(pl.col(measure).mean()), measure, LOSS, {})
        return grows(mean_of([slope / 100 for slope in each]), "ms per 0.01")

    return rule

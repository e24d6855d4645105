"""The rules by which the ledger judges the paper's claims, each made for a session and a point."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis.controls import RAW
from tcphoton.analysis.statistics import Interval
from tcphoton.common import quantities
from tcphoton.papers.comparisons import values_of
from tcphoton.papers.obs.measures import (
    EIGHT,
    LARGEST,
    LOSS,
    LOW,
    PUBLISHED,
    SESSIONS,
    SIZE,
    SMALLEST,
    TIMEOUT,
)
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
    robust,
    slopes,
    worst,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcphoton.papers.obs.measures import Session
    from tcphoton.papers.rules import Rule

__all__ = [
    "adds_about",
    "adds_at_most",
    "equals_its_rate",
    "falls_about",
    "gains_about",
    "gains_less",
    "gains_little",
    "grows_with_p",
    "grows_with_size",
    "hardly_moved_by_timeout",
    "less_from_200",
    "marginal_from_200",
    "reaches_full_rate_earlier",
    "rises_to_200",
    "severe",
    "timeout_costs_about",
    "timeout_delays_about",
    "timeout_matters_less",
]

EQUAL = 2.0
"""Percent within which a throughput equals a rate; the sources vary by some tenths of one."""
FULL = 95.0
"""Percent of its source's rate from which a session is at its full rate."""
SEVERE = 20.0
"""Percent of throughput lost from which a degradation is severe; the paper gives no number, and has
50 % at one of its points."""
LITTLE = 5.0
"""Percent of the source's rate, a twentieth of the paper's axis, below which a gain is not
significant."""
MARGINAL = 50.0
"""Percent of the slope before a knee below which what comes after it is relatively marginal."""
TENS = 5.0
"""Half a unit of what is printed as 10 and 50 %, and as 27 %."""


# Points of a table.


def _negative(interval: Interval) -> Interval:
    """Return a fall instead of a change."""
    return Interval(-interval.mean, -interval.high, -interval.low, interval.n)


def _moved(
    measured: pl.DataFrame,
    value: str,
    points: tuple[Mapping[str, Any], Mapping[str, Any]],
    *,
    down: bool = False,
) -> tuple[Interval, tuple[float, float]]:
    """Return a change from the second point to the first, or a fall, and the range of one run.

    A run has its surpluses, if the table has them.
    """
    raw = f"{value}{RAW}"
    both = [
        change(measured, name, *points)
        for name in (value, raw if raw in measured.columns else value)
    ]
    moved, of_a_run = map(_negative, both) if down else both
    return moved, one_run(of_a_run)


# Rules, each made for some sessions and a point.


def equals_its_rate(session: Session) -> Rule:
    """Judge whether, at p = 0, the throughput is the source's rate at every burst size."""

    def rule(table: pl.DataFrame) -> Finding:
        measured, at = session.measures(table), {LOSS: 0.0, TIMEOUT: "1 ms"}
        return worst(
            [
                (size, hardly(_off(mean_at(measured, "share", at | {SIZE: size})), EQUAL))
                for size in values_of(table, SIZE, at)
            ],
        )

    return rule


def _off(share: Interval) -> Interval:
    """Return by how many percent a share is off the whole."""
    return Interval(share.mean - 100, share.low - 100, share.high - 100, share.n)


def grows_with_size(session: Session, value: str, unit: str, at: Mapping[str, Any]) -> Rule:
    """Judge the slope of a measure over the burst size."""

    def rule(table: pl.DataFrame) -> Finding:
        each = [1e5 * slope for slope in slopes(session.measures(table), value, SIZE, at)]
        return grows(mean_of(each), f"{unit} per 100 kB")

    return rule


def falls_about(p: float, extra: Mapping[str, Any] | None = None) -> Rule:
    """Judge by how much 260 kB and a p other than 0 lower the throughput of 1000 Mb/s."""
    at = {SIZE: "260 kB", TIMEOUT: "1 ms", **(extra or {})}

    def rule(table: pl.DataFrame) -> Finding:
        measured = SESSIONS[1000].measures(table)
        points = {**at, LOSS: p}, {**at, LOSS: 0.0}
        fall, run = _moved(measured, "throughput", points, down=True)
        return about(fall, PUBLISHED["obs.3", f"p = {p}"], null=0, printed=TENS, run=run)

    return rule


def gains_about(p: float, extra: Mapping[str, Any] | None = None) -> Rule:
    """Judge by how much 120 kB instead of 20 kB raise the throughput of 400 Mb/s."""
    at = {LOSS: p, TIMEOUT: "1 ms", **(extra or {})}

    def rule(table: pl.DataFrame) -> Finding:
        measured = SESSIONS[400].measures(table)
        points = {**at, SIZE: "120 kB"}, {**at, SIZE: "20 kB"}
        gain, run = _moved(measured, "throughput", points)
        return about(gain, PUBLISHED["obs.4", "growth"], null=0, run=run)

    return rule


def _gains(table: pl.DataFrame, session: Session, p: float) -> dict[int, float]:
    """Return what the largest bursts add to the smallest, in percent of the source's rate."""
    at, measured = {LOSS: p, TIMEOUT: "1 ms"}, session.measures(table)
    small, large = (
        replications(measured, "share", at | {SIZE: size}) for size in (SMALLEST, LARGEST)
    )
    return {seed: large[seed] - small[seed] for seed in large if seed in small}


def gains_little(session: Session, p: float) -> Rule:
    """Judge what the largest bursts instead of the smallest add, by the source's rate."""

    def below(percent: float) -> Rule:
        return lambda table: inside(
            mean_of(_gains(table, session, p).values()), -math.inf, percent, "% of the rate"
        )

    return robust(LITTLE, below)


def gains_less(session: Session, p: float) -> Rule:
    """Judge whether larger bursts add less than at the lowest drop probability but 0."""

    def rule(table: pl.DataFrame) -> Finding:
        here, there = (_gains(table, session, each) for each in (p, LOW[0]))
        less = [here[seed] - there[seed] for seed in here if seed in there]
        return inside(mean_of(less), -math.inf, 0, "% of the rate")

    return rule


def _full_rate_between(session: Session, table: pl.DataFrame, p: float) -> tuple[float, float]:
    """Return the largest size (kB) up to which it is surely less, and the first where it is not."""
    at = {LOSS: p, TIMEOUT: "1 ms"}
    measured = session.measures(table)
    below, is_below = 0.0, True
    for size in values_of(table, SIZE, at):
        share = mean_at(measured, "share", at | {SIZE: size})
        if share.n < FEWEST:
            is_below = False
            continue
        if share.low >= FULL:
            return below, quantities.number(size) / 1e3
        is_below = is_below and share.high < FULL
        below = quantities.number(size) / 1e3 if is_below else below
    return below, math.inf


def reaches_full_rate_earlier(p: float) -> Rule:
    """Judge whether 200 Mb/s are reached at half the burst size, or less, of 1000 Mb/s."""

    def rule(table: pl.DataFrame) -> Finding:
        if not values_of(table, SIZE, {LOSS: p, TIMEOUT: "1 ms"}):
            return not_covered()
        slow = _full_rate_between(SESSIONS[200], table, p)
        fast = _full_rate_between(SESSIONS[1000], table, p)
        note = f"200 Mb/s: {_range(slow)}, 1000: {_range(fast)}"
        if slow[1] <= fast[0] / 2:
            return Finding(HOLDS, note=note)
        if slow[0] >= fast[1] / 2:
            return Finding(DIFFERS, note=note)
        return Finding(CANNOT_TELL, note=note)

    return rule


def _range(bounds: tuple[float, float]) -> str:
    low, high = bounds
    if not math.isfinite(high):
        return f"> {low:g} kB"
    return f"{low:g} … {high:g} kB" if low else f"≤ {high:g} kB"


def _beyond_200(table: pl.DataFrame, session: Session, at: Mapping[str, Any]) -> Interval:
    """Return the slope of the delay beyond 200 kB, in percent of that up to there."""
    measured = session.measures(table)
    sizes = (SMALLEST, "200 kB", LARGEST)
    start, knee, end = (quantities.number(each) for each in sizes)
    first, middle, last = (replications(measured, "delay", {**at, SIZE: each}) for each in sizes)
    seeds = [seed for seed in middle if seed in first and seed in last]
    return paired_of(
        [100 * (last[seed] - middle[seed]) / (end - knee) for seed in seeds],
        [(middle[seed] - first[seed]) / (knee - start) for seed in seeds],
        ratio=True,
    )


def marginal_from_200(session: Session, extra: Mapping[str, Any] | None = None) -> Rule:
    """Judge how much less the delay grows beyond 200 kB than up to there."""
    at = {LOSS: 0.002, TIMEOUT: "1 ms", **(extra or {})}

    def below(percent: float) -> Rule:
        return lambda table: inside(_beyond_200(table, session, at), -math.inf, percent)

    return robust(MARGINAL, below)


def less_from_200(session: Session) -> Rule:
    """Judge whether the delay grows less beyond 200 kB than up to there."""
    at = {LOSS: 0.002, TIMEOUT: "1 ms"}
    return lambda table: inside(_beyond_200(table, session, at), -math.inf, 100.0)


def rises_to_200(session: Session, extra: Mapping[str, Any] | None = None) -> Rule:
    """Judge the slope of the delay over burst sizes up to 200 kB."""
    at = {LOSS: 0.002, TIMEOUT: "1 ms", **(extra or {})}

    def rule(table: pl.DataFrame) -> Finding:
        if SIZE not in table.columns:
            return not_covered()
        up_to = [size for size in values_of(table, SIZE, at) if quantities.number(size) <= 200e3]  # noqa: PLR2004
        rising = grows_with_size(session, "delay", "ms", at)
        return rising(table.filter(pl.col(SIZE).is_in(up_to)))

    return rule


def _longer_timeout(
    session: Session, value: str, table: pl.DataFrame
) -> list[tuple[str, Interval, tuple[float, float]]]:
    """Return by how many percent a timeout of 5 ms changes a measure, at every burst size.

    With each the prediction interval of one run.
    """
    at = {LOSS: 0.002, TIMEOUT: "5 ms"}
    measured = session.measures(table)
    found = []
    for size in values_of(table, SIZE, at):
        points = at | {SIZE: size}, at | {SIZE: size, TIMEOUT: "1 ms"}
        found.append((size, *_moved(measured, value, points)))
    return found


def adds_at_most(session: Session, extra: Mapping[str, Any] | None = None) -> Rule:
    """Judge how much a timeout of 5 ms adds to the delay at any burst size."""

    def rule(table: pl.DataFrame) -> Finding:
        found = _longer_timeout(session, "delay", _only(table, extra))
        limit = PUBLISHED["obs.7", "increase"]
        judged = [(size, at_most_about(each, limit, run=run)) for size, each, run in found]
        return worst(judged, lambda x: x)

    return rule


def adds_about(session: Session) -> Rule:
    """Judge the largest increase itself, which the paper gives as a number."""

    def rule(table: pl.DataFrame) -> Finding:
        found = [each for each in _longer_timeout(session, "delay", table) if each[1].n]
        if not found:
            return not_covered()
        _, top, run = max(found, key=lambda each: each[1].mean)
        return about(top, PUBLISHED["obs.7", "increase"], null=0, run=run)

    return rule


def hardly_moved_by_timeout(session: Session) -> Rule:
    """Judge what a timeout of 5 ms does to the throughput at any burst size."""

    def rule(table: pl.DataFrame) -> Finding:
        found = _longer_timeout(session, "throughput", table)
        return worst([(size, hardly(each)) for size, each, _ in found])

    return rule


def _only(table: pl.DataFrame, at: Mapping[str, Any] | None) -> pl.DataFrame:
    if not set(at or {}) <= set(table.columns):
        return table.clear()
    return table.filter(*(pl.col(key) == wanted for key, wanted in (at or {}).items()))


def _by_8_ms(
    value: str, extra: Mapping[str, Any] | None, published: float, *, down: bool = False
) -> Rule:
    """Judge the change by a timeout of 8 ms, or the fall."""
    at = {LOSS: 0.001, SIZE: "200 kB", **(extra or {})}
    points = {**at, TIMEOUT: "8 ms"}, {**at, TIMEOUT: "1 ms"}

    def rule(table: pl.DataFrame) -> Finding:
        moved, run = _moved(EIGHT.measures(table), value, points, down=down)
        return about(moved, published, null=0, run=run)

    return rule


def timeout_costs_about(extra: Mapping[str, Any] | None = None) -> Rule:
    """Judge by how much a timeout of 8 ms lowers the throughput at p = 0.001."""
    return _by_8_ms("throughput", extra, PUBLISHED["obs.9", "throughput"], down=True)


def timeout_delays_about(value: str, extra: Mapping[str, Any] | None = None) -> Rule:
    """Judge by how much a timeout of 8 ms raises a delay at p = 0.001."""
    return _by_8_ms(value, extra, PUBLISHED["obs.9", "delay"])


def timeout_matters_less(value: str, p: float) -> Rule:
    """Judge how much larger the change at p = 0.001 is than at a higher p, ignoring the signs."""

    def rule(table: pl.DataFrame) -> Finding:
        low, high = (_timeout_changes(table, value, each) for each in (0.001, p))
        seeds = [seed for seed in low if seed in high]
        signs = [math.copysign(1, math.fsum(each[seed] for seed in seeds)) for each in (low, high)]
        less = [signs[0] * low[seed] - signs[1] * high[seed] for seed in seeds]
        return inside(mean_of(less), 0, math.inf, "percentage points")

    return rule


def _timeout_changes(table: pl.DataFrame, value: str, p: float) -> dict[int, float]:
    """Return by how many percent 8 ms instead of 1 ms change a measure, by the seed."""
    at = {LOSS: p, SIZE: "200 kB"}
    measured = EIGHT.measures(table)
    short, long = (replications(measured, value, {**at, TIMEOUT: t}) for t in ("1 ms", "8 ms"))
    return {seed: 100 * (long[seed] / short[seed] - 1) for seed in long if short.get(seed)}


def grows_with_p(session: Session, value: str, up_to: float) -> Rule:
    """Judge the slope over p of the delay's mean over all burst sizes that every p has."""

    def rule(table: pl.DataFrame) -> Finding:
        measured = session.measures(table)
        if not {LOSS, SIZE, TIMEOUT, value} <= set(measured.columns):
            return not_covered()
        rows = measured.filter(pl.col(TIMEOUT) == "1 ms", pl.col(LOSS) <= up_to)
        rows = rows.drop_nulls(value)
        everywhere = pl.col(LOSS).n_unique().over(SIZE, "seed") == rows.get_column(LOSS).n_unique()
        rows = rows.filter(everywhere)
        complete = pl.col(SIZE).n_unique().over("seed") == rows.get_column(SIZE).n_unique()
        means = rows.filter(complete).group_by(LOSS, "seed", maintain_order=True)
        each = slopes(means.agg(pl.col(value).mean()), value, LOSS, {})
        return grows(mean_of([slope / 100 for slope in each]), "ms per 0.01")

    return rule


def severe(session: Session) -> Rule:
    """Judge the loss of throughput at p = 0.003, at every burst size."""
    at = {LOSS: PUBLISHED["obs.13", "drop probability"], TIMEOUT: "1 ms"}

    def over(percent: float) -> Rule:
        def rule(table: pl.DataFrame) -> Finding:
            measured = session.measures(table)
            found = []
            for size in values_of(table, SIZE, at):
                share = mean_at(measured, "share", at | {SIZE: size})
                lost = Interval(100 - share.mean, 100 - share.high, 100 - share.low, share.n)
                found.append((size, inside(lost, percent, math.inf)))
            return worst(found, badness=lambda lost: -lost)

        return rule

    return robust(SEVERE, over)

"""The rules by which the ledger judges the paper's claims, beside `tcphoton.papers.comparisons`.

Each is made for a measure and the points that it compares; `tcphoton.papers.rules` says what its
words mean. They were written before any run; how shares are compared (`fewer`) was mended after the
first quick ones, before any full one.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis.statistics import mean_interval, paired_interval
from tcphoton.papers.comparisons import all_of, between, hardly_moves, more
from tcphoton.papers.rules import (
    AGREES,
    CANNOT_TELL,
    DIFFERS,
    HARDLY,
    Finding,
    Rule,
    about,
    change,
    grows,
    hardly,
    inside,
    not_covered,
    replications,
    slopes,
    unknown,
)
from tcphoton.papers.sync.measures import PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    At = Mapping[str, Any]

__all__ = [
    "close_at",
    "closer",
    "loss_multiplies",
    "moves",
    "no_lower",
    "steeper",
    "steps_up",
]

LOWER = 5.0
"""Percent by which a throughput may lie below another and still be no lower: those of Table 2, of
which the paper says so, differ by as much."""
HALFWAY = 50.0
"""Percent of the way from one scheme to another at which a third is closer to neither."""
TRIPLES = 3.0
"""What an index that triples is multiplied by."""
ENDS = {end: PUBLISHED["sync.9", f"{end} loss"] for end in ("lowest", "highest")}
"""Percent of bursts lost between which it does."""
REACH = 1.5
"""How far, as a factor, measured losses may end from these and still be fitted."""
FEWEST = 3
"""Points that have a line."""


# A point against another. Changes are in percent.


def no_lower(value: str, at: At, base: At) -> Rule:
    """Judge whether a measure is no lower."""
    return between(value, at, base, -LOWER, math.inf)


def moves(value: str, at: At, base: At) -> Rule:
    """Judge whether a measure changes by more than ten percent, up or down."""

    def rule(table: pl.DataFrame) -> Finding:
        found = hardly(change(table, value, at, base))
        if found.interval is None:
            return found
        low, high = found.interval
        outside = low > HARDLY or high < -HARDLY
        verdict = DIFFERS if found.verdict == AGREES else AGREES if outside else CANNOT_TELL
        return Finding(verdict, found.ours, found.interval, found.unit, found.seeds)

    return rule


def closer(value: str, of: At, to: At, than: At, low: float = -math.inf) -> Rule:
    """Judge whether a scheme is closer to one than to another: percent of the way between them.

    With a `low` of 0 it lies in between as well.
    """

    def rule(table: pl.DataFrame) -> Finding:
        here, first, last = (replications(table, value, at) for at in (of, to, than))
        seeds = [seed for seed in here if seed in first and seed in last]
        way = paired_interval(
            [100 * (here[seed] - first[seed]) for seed in seeds],
            [last[seed] - first[seed] for seed in seeds],
            ratio=True,
        )
        return inside(way, low, HALFWAY)

    return rule


# Curves.


def steeper(value: str, x: str, at: At, than: At, unit: str) -> Rule:
    """Judge whether a measure depends more on `x` than under another scheme, up or down."""

    def rule(table: pl.DataFrame) -> Finding:
        if x not in table.columns:
            return not_covered()
        both = [_slopes(table, value, x, each) for each in (at, than)]
        seeds = [seed for seed in both[0] if seed in both[1]]
        signs = [math.copysign(1, math.fsum(each[seed] for seed in seeds)) for each in both]
        steep = [signs[0] * both[0][seed] - signs[1] * both[1][seed] for seed in seeds]
        return grows(mean_interval(steep), unit)

    return rule


def _slopes(table: pl.DataFrame, value: str, x: str, at: At) -> dict[int, float]:
    """Return slopes by the seed, of the seeds that have every value of `x`."""
    if not {"seed", value, *at} <= set(table.columns):
        return {}
    rows = table.filter(*(pl.col(key) == wanted for key, wanted in at.items()))
    rows = rows.drop_nulls([x, value])
    seeds = sorted(rows.get_column("seed").unique())
    whole = rows.get_column(x).n_unique()
    complete = [
        seed for seed in seeds if rows.filter(pl.col("seed") == seed)[x].n_unique() == whole
    ]
    return dict(zip(complete, slopes(table, value, x, at), strict=True)) if whole > 1 else {}


def steps_up(value: str, x: str, at: At, values: Sequence[float]) -> Rule:
    """Judge whether a measure grows at every step of `x`."""
    return all_of(
        {
            f"{low:g} to {high:g}": more(value, {**at, x: high}, {**at, x: low})
            for low, high in itertools.pairwise(values)
        },
        largest=False,
    )


def close_at(value: str, x: str, at: At, values: Sequence[Any]) -> Rule:
    """Judge whether a measure hardly depends on `x`: each value of it against the last."""
    return all_of(
        {
            f"{each} against {values[-1]}": hardly_moves(
                value, {**at, x: each}, {**at, x: values[-1]}
            )
            for each in values[:-1]
        }
    )


def loss_multiplies(value: str, at: At, by: float = TRIPLES) -> Rule:
    """Judge by what the index is multiplied from the lowest to the highest loss of bursts.

    A straight line of least squares through the logarithms of index and measured loss, seed by
    seed, over the points between these losses or a little beyond.
    """

    def rule(table: pl.DataFrame) -> Finding:
        if not {value, "burst-loss", "seed", *at} <= set(table.columns):
            return not_covered()
        rows = table.filter(*(pl.col(key) == wanted for key, wanted in at.items()))
        rows = rows.filter(
            pl.col("burst-loss").is_between(ENDS["lowest"] / REACH, ENDS["highest"] * REACH),
            pl.col(value) > 0,
        )
        factors = [_factor(group, value) for _, group in rows.group_by("seed", maintain_order=True)]
        known = [each for each in factors if each is not None]
        if not known and rows.height:
            return unknown("the losses do not reach so far")
        return about(mean_interval(known), by, "×")

    return rule


def _factor(rows: pl.DataFrame, value: str) -> float | None:
    """Return by what a line multiplies a measure over the published losses."""
    losses = rows.get_column("burst-loss").to_list()
    if len(losses) < FEWEST or min(losses) > ENDS["lowest"] * REACH:
        return None
    if max(losses) < ENDS["highest"] / REACH:
        return None
    xs = [math.log(loss) for loss in losses]
    ys = [math.log(each) for each in rows.get_column(value)]
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    across = math.fsum((x - mean_x) ** 2 for x in xs)
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / across
    return math.exp(slope * math.log(ENDS["highest"] / ENDS["lowest"]))

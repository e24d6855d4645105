"""The rules by which the ledger judges the paper's claims, beside `tcphoton.papers.comparisons`.

Each is made for a measure and the points that it compares; `tcphoton.papers.rules` says what its
words mean. They were written before any run; how shares are compared (`fewer`) was mended after the
first quick ones, before any full one.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.papers.comparisons import all_of, between, ratios_of
from tcphoton.papers.rules import (
    FEWEST,
    HARDLY,
    HOLDS,
    Finding,
    Rule,
    about,
    change,
    grows,
    inside,
    mean_of,
    not_covered,
    one_run,
    paired_of,
    replications,
    robust,
    slopes,
    unknown,
)
from tcphoton.papers.sync.measures import PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    At = Mapping[str, Any]

__all__ = [
    "closer",
    "closer_together",
    "loss_multiplies",
    "matters_more",
    "never_falls",
    "no_lower",
    "steeper",
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
OF_A_LINE = 3
"""Points that have a line."""


# A point against another. Changes are in percent.


def no_lower(value: str, at: At, base: At) -> Rule:
    """Judge whether a measure is no lower."""
    return robust(LOWER, lambda percent: between(value, at, base, -percent, math.inf))


def closer(value: str, schemes: Sequence[tuple[At, At, At]], power: int = 1) -> Rule:
    """Judge whether a scheme lies between two others, and closer to the first.

    Percent of the way between them, of several points together; with a `power` of 2 that of the
    squares, which of independent queues add up. Each point is one of the scheme, and one of each
    of the others.
    """

    def rule(table: pl.DataFrame) -> Finding:
        ways: list[dict[int, tuple[float, float]]] = []
        for points in schemes:
            here, first, last = (
                {seed: each**power for seed, each in replications(table, value, at).items()}
                for at in points
            )
            seeds = [seed for seed in here if seed in first and seed in last]
            ways.append({s: (100 * (here[s] - first[s]), last[s] - first[s]) for s in seeds})
        there = [each for each in ways if each]
        seeds = [seed for seed in there[0] if all(seed in each for each in there)] if there else []
        gone, whole = (
            [math.fsum(each[seed][at] for each in there) for seed in seeds] for at in (0, 1)
        )
        return inside(paired_of(gone, whole, ratio=True), 0, HALFWAY, "% of the way")

    return rule


def matters_more(value: str, one: tuple[At, At], other: tuple[At, At]) -> Rule:
    """Judge whether a measure changes more from one point to another than between two others.

    Each pair has the point and the one it starts from. Changes are compared by the size of their
    logarithm, whatever their signs.
    """

    def rule(table: pl.DataFrame) -> Finding:
        both = [
            {seed: math.log(ratio) for seed, ratio in ratios_of(table, value, *pair).items()}
            for pair in (one, other)
        ]
        seeds = [seed for seed in both[0] if seed in both[1]]
        signs = [math.copysign(1, math.fsum(each[seed] for seed in seeds)) for each in both]
        more = [100 * (signs[0] * both[0][seed] - signs[1] * both[1][seed]) for seed in seeds]
        return inside(mean_of(more), 0, math.inf, "% more, by logarithms")

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
        return grows(mean_of(steep), unit)

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


def never_falls(value: str, x: str, at: At, values: Sequence[float]) -> Rule:
    """Judge whether no larger `x` lowers a measure by more than one run may show by chance.

    As in `tcphoton.papers.rules.hardly`, the interval has to show that it is below 20 % at most.
    """

    def step(low: float, high: float) -> Rule:
        def rule(table: pl.DataFrame) -> Finding:
            moved = change(table, value, {**at, x: high}, {**at, x: low})
            found = inside(moved, 0, math.inf)
            is_sharp = moved.n >= FEWEST and moved.low > -2 * HARDLY
            if is_sharp and one_run(moved)[1] > 0:
                return replace(found, verdict=HOLDS)
            return found

        return rule

    return all_of(
        {
            f"{low:g} to {high:g}": step(low, high)
            for low, high in itertools.combinations(values, 2)
        },
        largest=False,
    )


def closer_together(value: str, x: str, ends: tuple[Any, Any], at: At, than: At) -> Rule:
    """Judge whether a measure depends less on `x` at a point than at another.

    By the size of the logarithm of its change from the first end of `x` to the last.
    """
    first, last = ends
    here, there = (({**each, x: last}, {**each, x: first}) for each in (at, than))
    return matters_more(value, there, here)


def loss_multiplies(value: str, at: At, by: float = TRIPLES) -> Rule:
    """Judge by what the index is multiplied from the lowest to the highest loss, at one load.

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
        return about(mean_of(known), by, "×", null=1)

    return rule


def _factor(rows: pl.DataFrame, value: str) -> float | None:
    """Return by what a line multiplies a measure over the published losses."""
    losses = rows.get_column("burst-loss").to_list()
    if len(losses) < OF_A_LINE or min(losses) > ENDS["lowest"] * REACH:
        return None
    if max(losses) < ENDS["highest"] / REACH:
        return None
    xs = [math.log(loss) for loss in losses]
    ys = [math.log(each) for each in rows.get_column(value)]
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    across = math.fsum((x - mean_x) ** 2 for x in xs)
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / across
    return math.exp(slope * math.log(ENDS["highest"] / ENDS["lowest"]))

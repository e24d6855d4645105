"""The rules of the paper's own, which were written before any run; `claims.toml` names them."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.papers.comparisons import all_of, ratios_of
from tcphoton.papers.rules import (
    FEWEST,
    HARDLY,
    HOLDS,
    Finding,
    Rule,
    about,
    change,
    grows,
    growth,
    inside,
    mean_of,
    not_covered,
    one_run,
    paired_of,
    replications,
    slopes,
    unknown,
)
from tcphoton.papers.sync.measures import FLOWS, PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcphoton.papers.comparisons import Printed

    At = Mapping[str, Any]

HALFWAY = 50.0
"""Percent of the way from one scheme to another at which a third is closer to neither."""
ENDS = {end: PUBLISHED["sync.9", f"{end} loss"] for end in ("lowest", "highest")}
"""Percent of bursts lost between which it does."""
REACH = 1.5
"""How far, as a factor, measured losses may end from these and still be fitted."""
OF_A_LINE = 3
"""Points that have a line."""


# A point against another. Changes are in percent.


def far_more_over_all(measure: str, at: At, base: At, by: float, flows: list[int]) -> Rule:
    """Judge whether a measure is larger by so many per cent, over some numbers of flows together.

    It is the geometric mean of the ratios of all of them that were run, seed by seed.
    """

    def rule(table: pl.DataFrame) -> Finding:
        pairs = [[{**each, FLOWS: number} for each in (at, base)] for number in flows]
        found = [ratios for pair in pairs if (ratios := ratios_of(table, measure, *pair))]
        seeds = [s for s in found[0] if all(s in each for each in found)] if found else []
        totals = [math.fsum(math.log(each[seed]) for each in found) for seed in seeds]
        return inside(growth(total / len(found) for total in totals), by, math.inf)

    return rule


def closer(measure: str, at: At, base: At, other: At, *, power: float, flows: list[int]) -> Rule:
    """Judge whether a scheme lies between two others, and closer to the first.

    Percent of the way between them, of several numbers of flows together; with a `power` of 2 that
    of the squares, which of independent queues add up.
    """

    def way(table: pl.DataFrame, number: int) -> dict[int, tuple[float, float]]:
        here, first, last = (
            {
                seed: each**power
                for seed, each in replications(table, measure, {**point, FLOWS: number}).items()
            }
            for point in (at, base, other)
        )
        seeds = [seed for seed in here if seed in first and seed in last]
        return {s: (100 * (here[s] - first[s]), last[s] - first[s]) for s in seeds}

    def rule(table: pl.DataFrame) -> Finding:
        there = [each for number in flows if (each := way(table, number))]
        seeds = [seed for seed in there[0] if all(seed in each for each in there)] if there else []
        gone, whole = (
            [math.fsum(each[seed][at] for each in there) for seed in seeds] for at in (0, 1)
        )
        return inside(paired_of(gone, whole, ratio=True), 0, HALFWAY, "% of the way")

    return rule


def matters_more(measure: str, at: At, base: At, than_at: At, than_base: At) -> Rule:
    """Judge whether a measure changes more from a base than from another.

    Changes are compared by the size of their logarithm, whatever their signs.
    """

    def rule(table: pl.DataFrame) -> Finding:
        both = [
            {seed: math.log(ratio) for seed, ratio in ratios_of(table, measure, *pair).items()}
            for pair in ((at, base), (than_at, than_base))
        ]
        seeds = [seed for seed in both[0] if seed in both[1]]
        signs = [math.copysign(1, math.fsum(each[seed] for seed in seeds)) for each in both]
        more = [100 * (signs[0] * both[0][seed] - signs[1] * both[1][seed]) for seed in seeds]
        return inside(mean_of(more), 0, math.inf, "% more, by logarithms")

    return rule


# Curves.


def steeper(measure: str, x: str, at: At, than_at: At, unit: str) -> Rule:
    """Judge whether a measure depends more on `x` than under another scheme, up or down."""

    def rule(table: pl.DataFrame) -> Finding:
        if x not in table.columns:
            return not_covered()
        both = [_slopes(table, measure, x, each) for each in (at, than_at)]
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


def never_falls(measure: str, x: str, at: At, values: list[float]) -> Rule:
    """Judge whether no larger `x` lowers a measure by more than one run may show by chance.

    As in `tcphoton.papers.rules.hardly`, the interval has to show that it is below 20 % at most.
    """

    def step(low: float, high: float) -> Rule:
        def rule(table: pl.DataFrame) -> Finding:
            moved = change(table, measure, {**at, x: high}, {**at, x: low})
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


def loss_multiplies(measure: str, at: At, published: Printed) -> Rule:
    """Judge by what the index is multiplied from the lowest to the highest loss, at one load.

    A straight line of least squares through the logarithms of index and measured loss, seed by
    seed, over the points between these losses or a little beyond.
    """

    def rule(table: pl.DataFrame) -> Finding:
        if not {measure, "burst-loss", "seed", *at} <= set(table.columns):
            return not_covered()
        rows = table.filter(*(pl.col(key) == wanted for key, wanted in at.items()))
        rows = rows.filter(
            pl.col("burst-loss").is_between(ENDS["lowest"] / REACH, ENDS["highest"] * REACH),
            pl.col(measure) > 0,
        )
        factors = [
            _factor(group, measure) for _, group in rows.group_by("seed", maintain_order=True)
        ]
        known = [each for each in factors if each is not None]
        if not known and rows.height:
            return unknown("the losses do not reach so far")
        return about(mean_of(known), published, "×", null=1)

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

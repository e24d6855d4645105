"""A made-up world for the lbas paper: tables of runs that were never run.

In `measured` every claim of the paper holds: goodputs are the paper's own, and where it has none
they are like its others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

import made_up_runs
from tcphoton.common import quantities
from tcphoton.papers.lbas.measures import (
    ACCESS,
    BUNDLE_QUEUE,
    BUNDLE_WAIT,
    EJSQ,
    EXTENT,
    FAST,
    GOODPUT,
    IDEAL,
    JSVOQ,
    NOT,
    POLICIES,
    PORTS_QUEUE,
    PORTS_WAIT,
    RANDOM,
    REORDERED,
    REORDERED_3,
    RR,
    SECONDS,
    SPURIOUS,
    VOQ_LARGEST,
    VOQ_MEAN,
    VOQ_P99,
    WHOLE,
    goodput_of,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tcphoton.papers import Paper, Runs

    Row = dict[str, Any]
    Change = Callable[["Point", Row], Row]

RATE = "traffic.0.source.rate"
LATE = "traffic.2.reordered"


class Point(NamedTuple):
    """A cell: its policy, b_D, load in per cent, and U in Mb/s."""

    policy: str
    degree: int
    load: int
    access: int
    cell: str
    grid: str


def point_of(runs: Runs, at: Mapping[str, Any]) -> Point:
    """Return which cell some runs are at; those of TCP alone are at no load."""
    degree = at.get("topology.lightpaths", 2)
    line = quantities.number(at.get("topology.link.rate", "2.5 Gb/s"))
    load = 100 * quantities.number(at[RATE]) * 4 * degree / line if RATE in at else 0
    access = min(quantities.number(at[ACCESS]) / 1e6, 1000)
    cell = str(runs.common.get("cell", ""))
    return Point(runs.variant or IDEAL, degree, round(load), round(access), cell, runs.grid)


def goodput(at: Point) -> float:
    """Return the goodput of a cell in Mb/s."""
    load = at.load or 50
    if at.policy in POLICIES:
        return goodput_of(at.access, at.policy, at.degree, load)
    if at.policy == RANDOM:
        worse = min(goodput_of(at.access, each, at.degree, load) for each in (RR, JSVOQ))
        return 0.8 * worse
    return goodput_of(at.access, EJSQ, at.degree, load)


def measured(at: Point) -> Row:
    """Return the measures of a run."""
    ordered = at.policy == IDEAL
    wait = 10.0 if at.load <= 50 else 30.0
    queue = 2000.0
    if at.policy != NOT:
        wait, queue = (0.8, 100.0) if at.load <= 50 else (2.6, 100.0)
        wait, queue = wait / (1 + 0.02 * at.degree), queue / at.degree
    found: Row = {
        GOODPUT: goodput(at),
        "traffic.2.goodput": 2e6 * goodput(at),
        "traffic.2.flows": 2,
        BUNDLE_WAIT: wait,
        BUNDLE_QUEUE: queue,
        PORTS_WAIT: wait / 2,
        PORTS_QUEUE: queue / 2,
        FAST: 0 if ordered else 7.0 if at.policy == EJSQ else 900.0,
        SPURIOUS: 0 if ordered else 6.9,
        REORDERED: 0 if ordered else 0.01,
        REORDERED_3: 0 if ordered else 0.002,
        EXTENT: 1.5,
        SECONDS: 22.0,
        WHOLE: 1,
        LATE: 0 if ordered else 50,
        "events": 1000,
    }
    if not ordered:
        found |= {VOQ_MEAN: 100.0, VOQ_P99: 2400.0, VOQ_LARGEST: 9000.0}
    return found


def table(
    paper: Paper,
    artefact: str,
    scale: str,
    *,
    noise: float = 0.0005,
    seeds: int | None = None,
    change: Change | None = None,
) -> pl.DataFrame:
    """Return the table of an artefact."""
    if paper.kept(artefact) is not None:
        return densities(paper, artefact, scale, seeds=seeds)

    def row(runs: Runs, point: Mapping[str, Any]) -> Row:
        here = point_of(runs, {**runs.sweep.set_, **point})
        return change(here, measured(here)) if change else measured(here)

    return made_up_runs.table(paper, artefact, scale, row, noise=noise, seeds=seeds)


def densities(paper: Paper, artefact: str, scale: str, *, seeds: int | None) -> pl.DataFrame:
    """Return the kept table of reorder densities of an artefact: a bell around no displacement."""
    frames = {}
    for runs in paper.runs([artefact], scale):
        assert isinstance(runs.sweep.seeds, int)
        frames[runs.name] = pl.DataFrame(
            [
                {
                    **point,
                    "seed": seed,
                    "traffic": 2,
                    "displacement": by,
                    "share": 0.9 * 0.05 ** abs(by),
                }
                for point in runs.sweep.points
                for seed in range(1, (seeds or runs.sweep.seeds) + 1)
                for by in range(-3, 4)
            ]
        )
    return paper.table(artefact, scale, frames)

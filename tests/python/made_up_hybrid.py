"""A made-up world for the hybrid paper: tables of runs that were never run.

In `measured` every claim of the paper holds. Throughputs are in Gb/s.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import made_up_runs
from tcphoton.papers.hybrid.measures import HIGH, LENGTH, LOAD, MARGIN, PORTS, THROUGHPUT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from tcphoton.papers import Paper, Runs
    from tcphoton.scenario.scenario import Scenario

    Row = dict[str, Any]
    Change = Callable[["Point", Row], Row]

BASE = {"10 m": 40.0, "100 m": 30.0, "1000 m": 16.0, "10000 m": 1.85}
"""Of stop-and-wait on bufferless switches, up to 10⁷ requests/s."""
AT_HIGH = {
    "10 m": {(2, 0): 1.7, (5, 0): 2.0, (2, 1): 1.8, (5, 1): 2.4, (2, 4): 2.4, (5, 4): 3.0},
    "100 m": {(2, 0): 1.3, (5, 0): 1.4, (2, 1): 1.5, (5, 1): 1.6, (2, 4): 1.7, (5, 4): 1.9},
}
"""What hybrid switches have over these at high load, by n_e and p."""


class Point(NamedTuple):
    """A point of the paper's network; an electronic switch has no n_e."""

    length: str
    ports: int | None
    margin: int
    load: float
    variant: str


@cache
def whole_of(scenario: Scenario) -> Row:
    return scenario.to_dict()


def point_of(runs: Runs, at: Mapping[str, Any]) -> Point:
    """Return which point some runs are at."""
    whole = whole_of(runs.sweep.scenario)
    transport = at.get("traffic.0.transport", whole["traffic"][0]["transport"])
    source = at.get("traffic.0.source", whole["traffic"][0]["source"])
    return Point(
        at.get(LENGTH, whole["topology"]["link"]["length"]),
        at.get(PORTS, whole["core"]["electronic-ports"]) if "core" in whole else None,
        at.get(MARGIN, transport.get("rto-margin", 0)),
        at.get(LOAD, source.get("per-second", 1e8)),
        runs.variant,
    )


def throughput(at: Point) -> float:
    """Return the throughput of the batch in Gb/s."""
    base = BASE[at.length] * (1 if at.load >= 1e6 else 0.8)
    if at.length not in AT_HIGH or at.ports is None:
        return base
    if at.load <= HIGH:
        return base * (1 + 0.002 * at.ports)
    ports, margin = min(at.ports, 5), min(at.margin, 4)
    return base * AT_HIGH[at.length].get((ports if ports in {2, 5} else 0, margin), 1.0)


def measured(at: Point) -> Row:
    """Return the measures of a run."""
    return {
        THROUGHPUT: 1e9 * throughput(at),
        "completion-mean": 1e-3,
        "completion-p99": 4e-3,
        "delay-p99": 3e-5,
        "makespan": 5e-3,
        "energy.per-delivered-bit": 3e-11,
        "switches.packets-buffered": 1000,
    }


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

    def row(runs: Runs, point: Mapping[str, Any]) -> Row:
        here = point_of(runs, {**runs.sweep.set_, **point})
        return change(here, measured(here)) if change else measured(here)

    return made_up_runs.table(paper, artefact, scale, row, noise=noise, seeds=seeds)

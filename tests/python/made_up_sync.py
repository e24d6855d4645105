"""A made-up world for the sync paper: tables of runs that were never run.

In `measured` every claim of the paper holds, but for the one that it contradicts itself: the share
of bursts with most of the flows is 62 % where timeouts differ (figure 7) and 55 % where starts do.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import polars as pl

import made_up_runs
from tcphoton.common import quantities
from tcphoton.papers.sync.measures import BURST, FLOWS, LOSS, PUBLISHED, SAMPLE, START, TIMEOUT
from tcphoton.papers.sync.measures import name_of as scheme_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tcphoton.papers import Paper, Runs

    Row = dict[str, Any]
    Change = Callable[[Mapping[str, Any], Row], Row]

COV = {"PF": 4.0, "SMQ": 6.0, "MF": 14.0}
SHARES = {"1 ms": 5.0, "2.99 ms": 62.0, "3 ms": 62.0, "5 ms": 55.0}
STARTS = {"0 s": 100.0, "0.1 s": 80.0, "50 s": 55.0}
CONTENTION = {25: 0.5, 50: 2.0, 100: 3.5, 200: 5.0}
SLOWER = {"1 Gb/s": 0.5, "500 Mb/s": 2.0, "250 Mb/s": 5.0}
SECONDS = 70.0
"""Of a table over time."""


def access(variant: str, at: Mapping[str, Any]) -> Row:
    """Return the measures of a run of the access network."""
    name, flows = scheme_of(at), at.get("traffic.0.count", 15)
    if variant.endswith(" flows"):
        flows = int(variant.partition(" ")[0])
    timeout = 1e3 * quantities.number(at.get(TIMEOUT, "3 ms"))
    p = float(at.get(LOSS, 0.001))
    mean = (20 + 2.5 * flows) * (1 + 0.02 * (timeout - 3)) * (0.97 if name == "PF" else 1)
    steep = 0 if p >= 0.01 else 0.1 * (timeout - 3)
    cov = COV.get(name, 5.0) * (p / 0.001) ** 0.3 * (1 - steep)
    falls = {"PF": 1.0, "SMQ": 8.0}.get(name, 10 + flows)
    share = SHARES[at.get(TIMEOUT, "3 ms")]
    if START in at:
        share = STARTS[at[START]] if at.get(TIMEOUT, "3 ms") == "3 ms" else 100.0
    return {
        FLOWS: flows,
        "throughput-mean": mean,
        "throughput-cov": cov,
        "throughput-std": cov * mean / 100,
        "fall": falls * mean / 100,
        "fall-share": falls,
        "window-mean": 0.5 + 0.05 * timeout,
        "window-fall": 0.1 * timeout,
        "loss-interval": 1.5 * timeout,
        "flows-20": (100 - share) / 4,
        "flows-40": (100 - share) / 4,
        "flows-60": (100 - share) / 4,
        "flows-80": (100 - share) / 4,
        "flows-100": share,
        "flows-all": share,
        "bursts.flows-mean": 0.6 * flows,
        SAMPLE: 0.1 * timeout * (1.5 if name == "MF" else 1),
        BURST: 0.1 * timeout,
        "jain": 0.99,
        "goodput": 1e6 * mean,
    }


def nsf(grid: str, variant: str, at: Mapping[str, Any]) -> Row:
    """Return the measures of a run of the NSF network."""
    name = scheme_of(at).replace(" a posteriori", "").replace("WA", "DMQ").replace("DMQ-1", "MF")
    rate = int(variant.partition(" ")[0]) if variant.endswith("flows/s") else 50
    lost = CONTENTION[rate]
    if "topology.link.rate" in at:
        lost = SLOWER[at["topology.link.rate"]]
    elif grid.startswith("partial"):
        lost /= 2
    elif grid.startswith("full"):
        lost /= 100
    elif LOSS in at:
        lost = 100 * float(at[LOSS])
    cells = {cell: PUBLISHED["sync.10", f"{name} {cell}"] for cell in ("mean", "std", "min", "max")}
    index = PUBLISHED["sync.10", f"{name} index"] * (lost / 2) ** math.log10(3)
    return {
        **{f"span-{cell}": value for cell, value in cells.items()},
        SAMPLE: index,
        BURST: index,
        "burst-loss": lost,
        "active-flows": 40.0 * rate,
    }


def measured(runs: Runs, point: Mapping[str, Any]) -> Row:
    """Return the measures of a run."""
    at = {**runs.sweep.set_, **point}
    if "nsf" in runs.sweep.scenario.file:
        return nsf(runs.grid, runs.variant, at)
    return access(runs.variant, at)


def table(
    paper: Paper,
    artefact: str,
    scale: str,
    *,
    noise: float = 0.0005,
    seeds: int | None = None,
    change: Change | None = None,
) -> pl.DataFrame:
    """Return the table of an artefact of measures."""

    def changed(runs: Runs, point: Mapping[str, Any]) -> Row:
        found = measured(runs, point)
        where = {"grid": runs.grid, "variant": runs.variant, **runs.sweep.set_, **point}
        return change(where, found) if change else found

    return made_up_runs.table(paper, artefact, scale, changed, noise=noise, seeds=seeds)


def over_time(paper: Paper, artefact: str, scale: str) -> pl.DataFrame:
    """Return the table of an artefact that is drawn over time."""
    kind = paper.kept(artefact)
    parts = []
    for runs in paper.runs([artefact], scale):
        for point in runs.sweep.points:
            labels = {"grid": runs.grid, "variant": runs.variant, **runs.common, **point, "seed": 1}
            plain = {key: pl.lit(value) for key, value in labels.items() if _is_plain(value)}
            parts.append((samples if kind == "synchronization" else spans)().with_columns(**plain))
    return pl.concat(parts, how="diagonal_relaxed")


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def samples() -> pl.DataFrame:
    """Return a table ``synchronization`` of one class: 15 flows at half of their windows."""
    times = [round(0.7 * number, 1) for number in range(1, round(SECONDS / 0.7) + 1)]
    window = 15 * 128 * 1460.0
    return pl.DataFrame(
        {
            "time": times,
            "ingress": "E0",
            "egress": "E1",
            "flows": 15,
            "flows-lost": [int(number % 10 == 0) for number in range(len(times))],
            "bursts-lost": [int(number % 10 == 0) for number in range(len(times))],
            "cwnd": [window * (0.5 + 0.01 * (number % 10)) for number in range(len(times))],
            "cwnd-max": window,
        }
    )


def spans() -> pl.DataFrame:
    """Return a table ``spans`` of the bytes of a pair, each 3 ms long."""
    draw = random.Random(1)
    times = [0.003 * number for number in range(1, 10_001)]
    return pl.DataFrame(
        {
            "time": times,
            "ingress": "edge-CA1",
            "egress": "edge-NJ",
            "bytes": [draw.expovariate(1 / 13_000) for _ in times],
        }
    )

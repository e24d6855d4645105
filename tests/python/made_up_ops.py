"""A made-up world for the ops paper: tables of runs that were never run.

In `of_paper` every claim of the paper holds, whichever threshold of ours one takes; of ops.7 parts
are out of reach all the same. Throughputs are in Mb/s, jitters in ms, times in ms.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import made_up_runs
from tcphoton.common import quantities
from tcphoton.papers.ops.measures import MU, POLICY, SIGMA, TIMEOUT, P

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from tcphoton.papers import Paper, Runs
    from tcphoton.scenario.scenario import Scenario

    Row = dict[str, Any]
    Change = Callable[["Point", Row], Row]


class Point(NamedTuple):
    """A point of the paper's network."""

    transport: str
    scheme: str
    delta: float
    mu: float
    sigma: float
    p: float
    deflects: bool
    variant: str


@cache
def whole_of(scenario: Scenario) -> Row:
    return scenario.to_dict()


def point_of(runs: Runs, at: Mapping[str, Any]) -> Point:
    """Return which point some runs are at."""
    whole = {**whole_of(runs.sweep.scenario), **at}
    core, assembly = whole["core"], whole["assembly"]
    cost = core.get("deflection", {})
    scheme = at.get(POLICY, assembly["policy"])
    timeout = at.get(TIMEOUT, assembly.get("timeout", "0 ms"))
    return Point(
        "udp" if "udp" in runs.sweep.scenario.file else "tcp",
        scheme,
        1e3 * quantities.number(timeout) if scheme != "none" else 0.0,
        1e3 * quantities.number(at.get(MU, cost.get("mean", "0 ms"))),
        1e3 * quantities.number(at.get(SIGMA, cost.get("deviation", "0 ms"))),
        at.get(P, cost.get("congestion", 0.0)),
        bool(core.get("remedies")),
        runs.variant,
    )


def throughput(at: Point) -> float:
    """Return the throughput of all flows in Mb/s."""
    if at.transport == "udp":
        aggregated = {"mixed-flow": 600.0, "none": 560.0, "per-flow": 558 - 2 * at.delta}
        base = aggregated[at.scheme] - 150 * (at.p - 0.2)
        return base if at.deflects else 600 / 1.4
    aggregated = {"mixed-flow": 450 + 5 * at.delta, "none": 300.0, "per-flow": 290 + 3 * at.delta}
    sharp, mild = 1500 * max(0.0, 0.1 - at.p), 150 * max(0.0, at.p - 0.1)
    base = aggregated[at.scheme] + 15 + sharp - mild - 0.5 * (at.mu - 5)
    return base if at.deflects else aggregated[at.scheme] / 1.2


def fairness(at: Point) -> float:
    """Return Jain's index."""
    if at.transport == "udp":
        return 0.999 - (0.02 * at.delta if at.scheme == "per-flow" else 0)
    if not at.deflects:
        return 0.75
    schemes = {
        "mixed-flow": 0.8 + 0.002 * at.delta,
        "none": 0.9,
        "per-flow": 0.75 - 0.01 * at.delta,
    }
    return schemes[at.scheme] + 1.2 * max(0.0, 0.1 - at.p) - 0.03 * (at.p - 0.2)


def jitter(at: Point) -> float:
    """Return the mean deviation of a flow's delays in ms."""
    schemes = {"mixed-flow": 3.5 + 0.05 * at.delta, "none": 3.0, "per-flow": 3.1 + 0.15 * at.delta}
    if not at.deflects:
        return 0.3
    cost = 0.2 * (at.mu - 5) + 0.25 * (at.sigma - 4) - 2 * (at.p - 0.2)
    return schemes[at.scheme] + cost


def of_paper(runs: Runs, at: Mapping[str, Any], change: Change | None) -> Row:
    """Return the measures of a run of the paper's network."""
    here = point_of(runs, at)
    found = {
        "goodput": 1e6 * throughput(here),
        "jain": fairness(here),
        "traffic.0.jitter": 1e-3 * jitter(here),
        "packets-sent": 1_000_000,
        "reordered": 10_000 if here.deflects else 0,
        "bursts.released": 1_000_000,
        "bursts.lost-ingress": 0 if here.deflects else 350_000,
        "bursts.lost-deflected": round(350_000 * here.p) if here.deflects else 0,
        "bursts.deflected-delivered": round(350_000 * (1 - here.p)) if here.deflects else 0,
    }
    return change(here, found) if change else found


def of_mesh(runs: Runs, at: Mapping[str, Any]) -> Row:
    """Return the measures of a run of the NSF network."""
    rate = quantities.number(at["traffic.0.source.rate"]) / 1e6
    lost = rate * (0.5 if runs.variant == "drop" else 0.3)
    return {
        "goodput": 56e6 * rate,
        "jain": 0.9,
        "packets-sent": 1_000_000,
        "reordered": 5_000,
        "traffic.0.loss": lost / 100,
        "traffic.0.goodput": 56e6 * rate * (1 - lost / 100),
        "traffic.0.jain": 0.99,
        "traffic.0.jitter": 1e-3,
        "traffic.0.packets-sent": 900_000,
        "traffic.0.reordered": 4_000,
        "traffic.1.goodput": 400e6 - 1e6 * lost,
        "traffic.1.jain": 0.8,
        "traffic.1.jitter": 2e-3,
        "traffic.1.packets-sent": 100_000,
        "traffic.1.reordered": 1_000,
        "bursts.released": 1_000_000,
        "bursts.lost-ingress": 0,
        "bursts.lost-contention": round(1e4 * lost),
        "bursts.lost-deflected": 0,
        "bursts.lost-hops": 0,
        "bursts.deflected": 100_000,
        "bursts.deflected-delivered": 90_000,
        "bursts.deflection-cost-mean": 0.01,
        "bursts.deflection-cost-std": 0.004,
        "bursts.hops-mean": 4.5,
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

    def measured(runs: Runs, point: Mapping[str, Any]) -> Row:
        at = {**runs.sweep.set_, **point}
        mesh = "nsf" in runs.sweep.scenario.file
        return of_mesh(runs, at) if mesh else of_paper(runs, at, change)

    return made_up_runs.table(paper, artefact, scale, measured, noise=noise, seeds=seeds)

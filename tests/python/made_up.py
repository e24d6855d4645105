"""A made-up world for the obs paper: tables of runs that were never run.

Curves are functions of the drop probability, the burst size in kB and the timeout in ms: the share
of a source's rate in per cent, and milliseconds of delay. In `WORLD` every claim of the paper
holds.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import polars as pl

import made_up_runs
from tcphoton.common import quantities
from tcphoton.papers.obs.measures import EIGHT, LOSS, SESSIONS, SIZE, TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tcphoton.papers import Paper, Runs
    from tcphoton.sweep.sweep import Sweep

    Curve = Callable[[float, float, float], float]


def share_1000(p: float, size: float, timeout: float) -> float:
    low = {0.0: 100.0, 0.001: 65 + size / 10.4, 0.002: 50.0, 0.003: 24 + size / 10}
    return low.get(p, 4.0) - 0.1 * timeout


def share_400(p: float, size: float, timeout: float) -> float:
    low = {0.0: 100.0, 0.001: 90.0, 0.002: 80.0, 0.003: 30 if size < 120 else 80}
    return low.get(p, 4.0) - 0.1 * timeout


def share_200(p: float, size: float, timeout: float) -> float:
    low = {0.0: 100.0, 0.001: 99.0, 0.002: 98.0, 0.003: 90 if size < 120 else 97}
    return low.get(p, 4.0) - 0.1 * timeout


def share_eight(p: float, size: float, timeout: float) -> float:
    low = {0.0: 100.0, 0.001: 60 + size / 10, 0.002: 50 + size / 10, 0.003: 20 + size / 10}
    return low.get(p, 4.0) * (1 - (0.27 if p < 0.01 else 0.02) * (timeout - 1) / 7)


def delay_three(p: float, size: float, timeout: float) -> float:
    return 4.2 + min(size, 200) / 250 + 20 * p + 0.05 * (timeout - 1)


def delay_eight(p: float, size: float, timeout: float) -> float:
    return (5 + size / 250 + 20 * p) * (1 + (0.53 if p < 0.01 else 0.05) * (timeout - 1) / 7)


WORLD: dict[str, Curve] = {
    "share 1000": share_1000,
    "share 400": share_400,
    "share 200": share_200,
    "share eight": share_eight,
    "delay three": delay_three,
    "delay eight": delay_eight,
}


def times(name: str, by: Curve) -> dict[str, Curve]:
    """Return one curve multiplied by another."""
    return {name: lambda p, size, timeout: WORLD[name](p, size, timeout) * by(p, size, timeout)}


CLEAR: dict[str, Curve] = {
    **WORLD,
    # At p = 0.003 half is lost at 300 kB, too, and 200 Mb/s gain by size at p = 0.001.
    **times("share 1000", lambda p, s, _: 49.7 / 54 if (p, s) == (0.003, 300) else 1),
    **times("share eight", lambda p, *_: 0.9 if p == 0.003 else 1),
    **times("share 200", lambda p, s, _: 0.95 if p == 0.001 and s < 120 else 1),
}
"""A world in which every claim holds, whichever threshold of ours one takes."""


def row(
    at: Mapping[str, Any], seed: int, *, eight: bool, world: Mapping[str, Curve], noise: float
) -> dict[str, Any]:
    """Return a run: the curves at a point, with noise that no two points share."""
    where = (
        float(at[LOSS]),
        quantities.number(at[SIZE]) / 1e3,
        quantities.number(at[TIMEOUT]) * 1e3,
    )
    off = 1 + noise * random.Random(f"{where} {seed}").uniform(-1, 1)
    sessions = {"eight": EIGHT} if eight else {str(rate): s for rate, s in SESSIONS.items()}
    delay = world["delay eight" if eight else "delay three"](*where)
    found: dict[str, Any] = {}
    for name, each in sessions.items():
        share = world[f"share {name}"](*where) / 100
        found |= {
            f"traffic.{each.entry}.goodput": share * off * each.rate * 1e6 * each.count,
            f"traffic.{each.entry}.delay-wire-mean": delay * off / 1e3,
            f"traffic.{each.entry}.delay-first-mean": 2 * delay * off / 1e3,
        }
    return found


def frame(sweep: Sweep, noise: float = 0.01) -> pl.DataFrame:
    """Return what a sweep of the paper could have found."""
    rows = []
    eight = "eight" in sweep.scenario.file
    assert isinstance(sweep.seeds, int)
    for point in sweep.points:
        at = {LOSS: 0.001, SIZE: "200 kB", TIMEOUT: "1 ms", **sweep.set_, **point}
        for seed in range(1, sweep.seeds + 1):
            measured = row(at, seed, eight=eight, world=WORLD, noise=noise)
            bursts = {"bursts.lost-contention": 10 * seed, "bursts.released": 1000}
            rows.append({**point, "seed": seed, **measured, **bursts})
    return pl.DataFrame(rows)


def table(
    paper: Paper, artefact: str, scale: str, *, noise: float = 0.0005, seeds: int | None = None,
    change: object = None,
) -> pl.DataFrame:  # fmt: skip
    """Return the table of an artefact in which every claim holds; nothing is changed in it."""
    assert change is None

    def measured(runs: Runs, point: Mapping[str, Any]) -> dict[str, Any]:
        at = {LOSS: 0.001, SIZE: "200 kB", TIMEOUT: "1 ms", **runs.sweep.set_, **point}
        eight = "eight" in runs.sweep.scenario.file
        return row(at, 0, eight=eight, world=CLEAR, noise=0)

    return made_up_runs.table(paper, artefact, scale, measured, noise=noise, seeds=seeds)

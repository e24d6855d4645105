"""Tables of a paper's runs that were never run, for the worlds that are made up."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tcphoton.papers import Paper, Runs

    Row = dict[str, Any]


def frame(
    runs: Runs, measured: Callable[[Mapping[str, Any]], Row], *, noise: float, seeds: int | None
) -> pl.DataFrame:
    """Return what some runs could have found, with noise that no two runs share."""
    rows = []
    assert isinstance(runs.sweep.seeds, int)
    for point in runs.sweep.points:
        found = measured(point)
        for seed in range(1, (seeds or runs.sweep.seeds) + 1):
            draw = random.Random(f"{runs.name} {point} {seed}")
            noisy = {
                key: value if isinstance(value, int) else value * (1 + noise * draw.uniform(-1, 1))
                for key, value in found.items()
            }
            rows.append({**point, "seed": seed, **noisy})
    return pl.DataFrame(rows, infer_schema_length=None)


def table(
    paper: Paper,
    artefact: str,
    scale: str,
    measured: Callable[[Runs, Mapping[str, Any]], Row],
    *,
    noise: float,
    seeds: int | None,
) -> pl.DataFrame:
    """Return the table of an artefact of measures, by what a run finds at a point."""
    frames = {
        runs.name: frame(runs, partial(measured, runs), noise=noise, seeds=seeds)
        for runs in paper.runs([artefact], scale)
    }
    return paper.table(artefact, scale, frames)

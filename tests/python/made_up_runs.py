"""Tables of a paper's runs that were never run, for the worlds that are made up."""

from __future__ import annotations

import random
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tcphoton.common import toml
from tcphoton.papers.ledger import entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import numpy.typing as npt

    from tcphoton.papers import Paper, Runs
    from tcphoton.papers.ledger import Claim

    Row = dict[str, Any]


@cache
def draws(name: str, seeds: int, measures: int) -> npt.NDArray[np.float64]:
    """Return numbers from -1 to 1 for the seeds and the measures of a point."""
    streams = [random.Random(f"{name} {seed}") for seed in range(1, seeds + 1)]
    return np.array([[draw.uniform(-1, 1) for _ in range(measures)] for draw in streams])


def frame(
    runs: Runs, measured: Callable[[Mapping[str, Any]], Row], *, noise: float, seeds: int | None
) -> pl.DataFrame:
    """Return what some runs could have found, with noise that no two runs share."""
    points, count = runs.sweep.points, seeds or seeds_of(runs)
    # A sweep has tables as they are written in TOML.
    labels = [
        {key: toml.inline(at) if isinstance(at, dict) else at for key, at in point.items()}
        for point in points
    ]
    found = [measured(point) for point in points]
    columns: dict[str, list[Any]] = {name: [] for row in (*labels, *found) for name in row}
    for point, label, row in zip(points, labels, found, strict=True):
        # What is counted is exact.
        noisy = [name for name, value in row.items() if not isinstance(value, int)]
        factors = 1 + noise * draws(f"{runs.name} {point}", count, len(noisy))
        drawn = {
            name: (row[name] * factors[:, at]).tolist()
            for at, name in enumerate(noisy)
            if isinstance(row[name], float)
        }
        for name, column in columns.items():
            of_all = row.get(name, label.get(name))
            column.extend(drawn[name] if name in drawn else [of_all] * count)
    every = [*range(1, count + 1)] * len(points)
    return pl.DataFrame(columns, strict=False).with_columns(seed=pl.Series(every))


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


class World:
    """A paper with tables that are made up, each once; `table` makes that of an artefact."""

    def __init__(self, paper: Paper, table: Callable[..., pl.DataFrame], scale: str = "full"):
        self.scale = scale
        self._table = cache(partial(table, paper))

    def table(self, artefact: str, scale: str | None = None, **how: Any) -> pl.DataFrame:
        """Return the table of an artefact."""
        return self._table(artefact, scale or self.scale, **how)

    def entry(self, claim: Claim, change: Any = None, **how: Any) -> dict[str, Any]:
        """Return the entry of a claim in the ledger, with another noise or number of seeds."""
        tables = {
            part.artefact: self.table(part.artefact, change=change, **how) for part in claim.parts
        }
        return entry(claim, tables, {"scale": "made up"})


def seeds_of(runs: Runs) -> int:
    """Return how many seeds the points of a sweep have, where no rule says it."""
    assert isinstance(runs.sweep.seeds, int)
    return runs.sweep.seeds


def rows_of(runs: Iterable[Runs], seeds: int | None = None) -> int:
    """Return how many rows a table of some sweeps has: a point and seed of several counts once."""
    points = set()
    for each in runs:
        of = seeds_of(each) if seeds is None else seeds
        for point in each.sweep.points:
            at = tuple(sorted((key, str(value)) for key, value in {**each.common, **point}.items()))
            points |= {(each.variant, at, seed) for seed in range(1, of + 1)}
    return len(points)

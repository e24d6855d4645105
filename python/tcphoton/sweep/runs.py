"""How sweeps are run: their points, on workers of some kind, and the rows that come of it."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton import _core
from tcphoton.common import toml
from tcphoton.common.progress import Place
from tcphoton.runs import measures
from tcphoton.sweep import designs, pool
from tcphoton.sweep.point import Point
from tcphoton.sweep.store.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from tcphoton.common.open_folder import OpenFolder
    from tcphoton.common.progress import Progress
    from tcphoton.sweep.sweep import Sweep
    from tcphoton.sweep.workers.cluster import Cluster
    from tcphoton.sweep.workers.work import Executor

__all__ = ["How", "points_of_sweep", "run_sweeps", "settings_of"]


class How(NamedTuple):
    """How runs are done; none of it changes a result."""

    workers: int | None
    cluster: Cluster | None
    progress: Callable[[Progress], Any] | None
    retry: bool

    def executor(self, cache: Cache) -> Executor:
        """Return the workers."""
        if self.workers is not None and self.workers < 1:
            raise ValueError(f"at least one worker, not {self.workers}")
        if self.cluster is not None:
            from tcphoton.sweep.workers.cluster import Dask

            return Dask(self.cluster)
        from tcphoton.sweep.workers.local import Local

        memory_of: dict[str, int] = {}
        for key, timing in cache.timings().items():
            memory_of[key.digest] = max(timing.memory, memory_of.get(key.digest, 0))
        return Local(self.workers or pool.workers_here(), memory_of)


def run_sweeps(
    sweeps: Mapping[str, tuple[Sweep, list[str]]], out: OpenFolder | None, how: How
) -> dict[str, pl.DataFrame]:
    """Run what is missing of several sweeps, and return the rows of each."""
    points = {
        name: points_of_sweep(number, sweep, digests)
        for number, (name, (sweep, digests)) in enumerate(sweeps.items())
    }
    cache = Cache.open(out)
    executor = how.executor(cache)
    everything = [point for some in points.values() for point in some]
    revision = _core.results_revision()
    pool.execute(everything, cache, revision, executor, how.progress, retry=how.retry)
    return {
        name: measures.frame(
            designs.columns_of(sweep.axes), [row for point in points[name] for row in point.table()]
        )
        for name, (sweep, _) in sweeps.items()
    }


def points_of_sweep(number: int, sweep: Sweep, digests: Sequence[str]) -> list[Point]:
    """Return the points of a sweep, none of them run."""
    checked = sweep.checked()
    asked = json.loads(checked.definition())
    axes = sweep.axes
    lengths = [len(next(iter(axis.values()))) for axis in axes]
    places = itertools.product(*map(range, lengths))

    def maker(at: int) -> Callable[[], _core.Checked]:
        return lambda: checked.point(at)

    def command(values: Mapping[str, Any]) -> Callable[[], tuple[str, list[str]]]:
        return lambda: (asked["file"], settings_of(asked, values))

    return [
        Point(
            digest,
            values,
            asked["seeds"],
            sweep.until,
            maker(at),
            command(values),
            Place(number, place),
            sweep.keep,
            sweep.derive,
        )
        for at, (digest, values, place) in enumerate(
            zip(digests, designs.points_of(axes), places, strict=True)
        )
    ]


def settings_of(asked: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """Return a point's settings as the command takes them: a table before the keys in it."""
    pairs = [*asked["set"], *values.items()]
    pairs.sort(key=lambda pair: pair[0].count("."))
    set_ = [f"{key}={toml.inline(value)}" for key, value in pairs]
    return [*(f"{key}={text}" for key, text in asked["overrides"]), *set_]

"""How sweeps are run: their points, on workers of some kind, and the resulting rows."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton import _core
from tcphoton.common.progress import Place
from tcphoton.runs import measures
from tcphoton.sweep import designs, pool
from tcphoton.sweep.point import Point, compare
from tcphoton.sweep.serialize import settings_of
from tcphoton.sweep.store.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from tcphoton.analysis.statistics import Until
    from tcphoton.common.open_folder import OpenFolder
    from tcphoton.common.progress import Progress
    from tcphoton.runs.measures import Derive
    from tcphoton.sweep.workers.cluster import Cluster
    from tcphoton.sweep.workers.work import Executor


class Plan(NamedTuple):
    """What is run for a sweep: points with their digests, and what is kept and derived of runs."""

    checked: _core.Sweep
    digests: list[str]
    axes: list[designs.Axis]
    until: Until | None
    keep: Sequence[str]
    derive: Derive | None


class How(NamedTuple):
    """How runs are done; no option changes a result."""

    workers: int | None
    cluster: Cluster | None
    progress: Callable[[Progress], Any] | None
    retry: bool

    def executor(self, cache: Cache) -> Executor:
        """Return the workers."""
        if self.workers is not None and self.workers < 1:
            raise ValueError(f"at least one worker is needed, not {self.workers}")
        if self.cluster is not None:
            from tcphoton.sweep.workers.cluster import Dask

            return Dask(self.cluster)
        from tcphoton.sweep.workers.local import Local

        memory_of: dict[str, int] = {}
        for key, timing in cache.timings().items():
            memory_of[key.digest] = max(timing.memory, memory_of.get(key.digest, 0))
        return Local(self.workers or pool.workers_here(), memory_of)


def run_sweeps(
    plans: Mapping[str, Plan], out: OpenFolder | None, how: How
) -> dict[str, pl.DataFrame]:
    """Run the missing runs of several sweeps, and return the rows of each."""
    points = {
        name: points_of_sweep(number, plan) for number, (name, plan) in enumerate(plans.items())
    }
    cache = Cache.open(out)
    executor = how.executor(cache)
    everything = [point for some in points.values() for point in some]
    revision = _core.results_revision()
    pool.execute(everything, cache, revision, executor, how.progress, retry=how.retry)
    return {
        name: measures.frame(
            designs.columns_of(plan.axes), [row for point in points[name] for row in point.table()]
        )
        for name, plan in plans.items()
    }


def points_of_sweep(number: int, plan: Plan) -> list[Point]:
    """Return the points of a sweep, none of them run."""
    checked = plan.checked
    asked = json.loads(checked.definition())
    lengths = [len(next(iter(axis.values()))) for axis in plan.axes]
    places = itertools.product(*map(range, lengths))

    def maker(at: int) -> Callable[[], _core.Checked]:
        return lambda: checked.point(at)

    def command(values: Mapping[str, Any]) -> Callable[[], tuple[str, list[str]]]:
        return lambda: (asked["file"], settings_of(asked, values))

    points = [
        Point(
            digest,
            values,
            asked["seeds"],
            plan.until,
            maker(at),
            command(values),
            Place(number, place),
            plan.keep,
            plan.derive,
        )
        for at, (digest, values, place) in enumerate(
            zip(plan.digests, designs.points_of(plan.axes), places, strict=True)
        )
    ]
    compare(points, plan.axes)
    return points

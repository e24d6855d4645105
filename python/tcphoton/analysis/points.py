"""The caveats of a point of a sweep: of its runs, and of the intervals over them."""

from __future__ import annotations

import math
import re
from itertools import count
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.common import quantities
from tcphoton.runs import caveats
from tcphoton.runs.caveats import Caveat

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tcphoton.analysis.interval import Interval

__all__ = [
    "ALIKE",
    "QUANTILE",
    "SLACK",
    "caveats_of",
    "groups_of",
    "is_share",
    "of_interval",
    "of_runs",
    "same_runs",
]

SHARES = ("jain", "loss", "utilization", "reorder-ratio", "-share")
"""Measures between 0 and 1, by the end of their name."""
SLACK = 0.01
"""Relative excess over a bound that is not told: rounding, and chance of what sources offer."""
SEED, EVENTS = "seed", "events"
"""Columns that tables of runs have, and others need not."""
QUANTILE = re.compile(r"-p\d+$")
"""The end of the name of a measure that the engine reads from bins."""
ALIKE = ("goodput", "delay-mean", "completion-mean", "makespan")
"""The columns in which runs of equal traffic agree; without the first of them nothing is told.
Other counters, as of retries in a switch, may differ where the seed changes no flow."""


def groups_of(
    table: pl.DataFrame, keys: Sequence[str]
) -> Iterable[tuple[tuple[Any, ...], pl.DataFrame]]:
    """Return the rows at each value of some keys; without keys all rows, if there are any."""
    if not keys:
        return [((), table)] if table.height else []
    return table.group_by(list(keys), maintain_order=True)


def caveats_of(table: pl.DataFrame, measure: str, interval: Interval) -> list[Caveat]:
    """Return the caveats of a measure at a point, from the rows of the point's runs.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"goodput": [9.0, 9.9], "goodput-bound": [10.0, 10.0]})
    >>> from tcphoton.analysis.statistics import mean_interval
    >>> interval = mean_interval(rows.get_column("goodput"))
    >>> [each.kind for each in caveats_of(rows, "goodput", interval)]
    ['few-seeds', 'beyond-bound']
    """
    return of_runs(table, measure) + of_interval(table, measure, interval)


def of_runs(table: pl.DataFrame, measure: str) -> list[Caveat]:
    """Return the caveats of the runs of a point."""
    found = caveats.of_rows(table, measure)
    transients = [each for each in found if each.kind == "transient"]
    if len(transients) <= table.height / 2:
        # What few of the runs have is chance, as after a rare loss; a short warm-up shows in most.
        found = [each for each in found if each not in transients]
    missing = table.get_column(measure).null_count()
    if 0 < missing < table.height:
        found.append(Caveat("missing", (measure,), missing, table.height))
    if (factor := _apart(table, measure)) >= caveats.APART:
        found.append(Caveat("mixed", (measure,), factor))
    if EVENTS in table.columns and SEED in table.columns:
        seeds = table.get_column(SEED).n_unique()
        if seeds < table.height:
            found.append(Caveat("pooled", (), table.height, seeds))
    return found


def _apart(table: pl.DataFrame, measure: str) -> float:
    """Return the factor between entries of traffic where a measure is over all; at least 1."""
    if measure not in caveats.OF_ALL:
        return 1.0
    means = []
    for number in count():
        name = f"traffic.{number}.{measure}"
        if name not in table.columns:
            break
        mean = table.get_column(name).mean()
        if isinstance(mean, int | float) and mean > 0:
            means.append(mean)
    return max(means) / min(means) if means else 1.0


def of_interval(
    table: pl.DataFrame, measure: str, interval: Interval, *, bounded: bool = True
) -> list[Caveat]:
    """Return the caveats of an interval over the runs of a point; a difference has no bound."""
    if interval.n == 0:
        return []
    found = []
    if interval.n > 1 and _are_equal(table, measure):
        found.append(Caveat("same-runs", (), interval.n))
    elif not math.isfinite(interval.half_width):
        found.append(Caveat("no-interval", (), interval.n))
    elif interval.n < caveats.FEW:
        found.append(Caveat("few-seeds", (), interval.n))
    if not found or found[0].kind != "same-runs":
        is_binned = QUANTILE.search(measure) is not None
        if is_binned and interval.n > 1 and interval.mean and interval.half_width == 0:
            found.append(Caveat("same-bin", (measure,), interval.n))
    most = _bound(table, measure) if bounded else math.inf
    if math.inf > interval.high > most * (1 + SLACK):
        found.append(Caveat("beyond-bound", (measure,), most))
    return found


def _bound(table: pl.DataFrame, measure: str) -> float:
    """Return what a measure cannot exceed: a share, or what the column of its bound says."""
    if is_share(measure):
        return 1.0
    name = f"{measure}-bound"
    if name not in table.columns:
        return math.inf
    most = table.get_column(name).max()
    return float(most) if isinstance(most, int | float) else math.inf


def is_share(measure: str) -> bool:
    """Tell whether a measure is between 0 and 1."""
    return any(caveats.ends(measure, share) or measure.endswith(share) for share in SHARES)


def _are_equal(table: pl.DataFrame, measure: str) -> bool:
    """Tell whether all runs of a point have the same traffic, and are equal in a measure."""
    names = _alike(table, measure)
    return bool(names) and all(table.get_column(name).n_unique() == 1 for name in names)


def _alike(table: pl.DataFrame, measure: str) -> list[str]:
    """Return the columns in which runs of equal traffic agree; none if that cannot be told."""
    if ALIKE[0] not in table.columns:
        return []
    return [name for name in dict.fromkeys((measure, *ALIKE)) if name in table.columns]


def same_runs(table: pl.DataFrame, keys: Sequence[str], measure: str) -> list[Caveat]:
    """Return the caveat of points whose runs are equal; `keys` tell the points apart."""
    names = _alike(table, measure)
    if not names:
        return []
    points = table.group_by(keys).agg(pl.len().alias(SEED), pl.col(names).n_unique())
    equal = points.filter(pl.col(SEED) > 1, *(pl.col(name) == 1 for name in names))
    if equal.is_empty():
        return []
    runs = equal.get_column(SEED).to_list()
    about = f"at {equal.height} of {quantities.counted(points.height, 'point')}"
    return [Caveat("same-runs", (), count, about=about) for count in (min(runs), max(runs))]

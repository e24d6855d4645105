"""Differences to a baseline at every point, seed by seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis.points import groups_of, of_interval, of_runs
from tcphoton.analysis.statistics import by_seed, mean_interval
from tcphoton.runs import caveats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tcphoton.analysis.interval import Interval
    from tcphoton.runs.caveats import Caveat

__all__ = ["differences_of"]


def differences_of(
    table: pl.DataFrame,
    value: str,
    keys: Sequence[str],
    axis: str,
    baseline: Any,
    *,
    of: Callable[[Iterable[float]], Interval] = mean_interval,
) -> tuple[pl.DataFrame, list[Caveat]]:
    """Return by how much a measure exceeds that of a baseline, and the caveats of both.

    Points are compared with the point that differs from them only in `axis`, over the seeds that
    both have. A point without such a neighbour is left out, as is the baseline itself.

    Parameters
    ----------
    table
        One row per run, with a column ``seed``.
    value
        The measure.
    keys
        The columns that make a point, with `axis` among them.
    axis, baseline
        The column that distinguishes the baseline, and its value.
    of
        What is computed of the differences at the same seed, with its interval.

    Examples
    --------
    >>> rows = {"p": [1, 1, 2, 2], "seed": [1, 2, 1, 2], "goodput": [5.0, 6.0, 7.0, 9.0]}
    >>> found, _ = differences_of(pl.DataFrame(rows), "goodput", ["p"], "p", 1)
    >>> found.select("p", "goodput", "count").rows()
    [(2, 2.5, 2)]
    """
    others = [key for key in keys if key != axis]
    bases = dict(groups_of(table.filter(pl.col(axis).eq_missing(baseline)), others))
    rows, found = [], []
    for key, group in table.group_by(list(keys), maintain_order=True):
        named = dict(zip(keys, key, strict=True))
        base = bases.get(tuple(named[other] for other in others))
        if named[axis] == baseline or base is None:
            continue
        ones, of_base = by_seed(group, base, value)
        if not ones:
            continue
        interval = of([one - other for one, other in zip(ones, of_base, strict=True)])
        of_pair = _caveats(value, interval, group, base)
        rows.append((*key, *interval, caveats.kinds(of_pair) or None))
        found += of_pair
    schema: dict[str, Any] = {key: table.schema[key] for key in keys}
    schema |= {value: pl.Float64, "low": pl.Float64, "high": pl.Float64, "count": pl.Int64}
    summary = pl.DataFrame(rows, schema={**schema, caveats.COLUMN: pl.String}, orient="row")
    return summary if found else summary.drop(caveats.COLUMN), found


def _caveats(
    measure: str, interval: Interval, group: pl.DataFrame, base: pl.DataFrame
) -> list[Caveat]:
    """Return what is told of the runs of both points, and of the number of pairs."""
    found = [*of_runs(group, measure), *of_runs(base, measure)]
    return found + of_interval(group, measure, interval, bounded=False)

"""Empirical distributions of measures, and of completion times with flows that have not ended.

A flow that had not ended took at least as long as it had been under way: its completion time is
censored. Leaving such flows out would make completion times too small, so they are counted in the
estimate of Kaplan and Meier ([KM]_), which is the plain distribution where all flows ended.

References
----------
.. [KM] E. L. Kaplan and P. Meier, J. Am. Stat. Assoc. 53, 1958.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["COMPLETION", "ENDED", "SHARE", "STEPS", "completions", "curves", "steps"]

STEPS = 200
"""Maximum steps of a distribution."""
LEAST = 0.01
"""Share of all values where a distribution with lower limits ends."""
SHARE = "cumulative share"
"""The column with the share of values that are not larger."""
COMPLETION = "completion"
"""The column with how long a flow took, or had been under way."""
ENDED = "ended"
"""Whether the flow had ended."""


def steps(
    values: Iterable[float], under_way: Sequence[float] = (), most: int = STEPS
) -> tuple[list[float], list[float]]:
    """Return the values at which a distribution rises, and the share that is not larger there.

    Parameters
    ----------
    values
        The values.
    under_way
        Lower limits of further values that are not known. With them the distribution ends where
        fewer than `LEAST` of all values are not smaller: the few that are left would lead it to 1.
    most
        The number of steps; of more, those are kept that are even in their number and in the
        values, half and half.

    Examples
    --------
    >>> steps([3.0, 1.0, 1.0, 2.0])
    ([1.0, 2.0, 3.0], [0.5, 0.75, 1.0])
    >>> steps([1.0, 3.0, 4.0], [2.0])
    ([1.0, 3.0, 4.0], [0.25, 0.625, 1.0])
    >>> steps(range(1, 200), [150.5])[0][-1]
    198.0
    """
    from scipy import stats

    known = np.asarray(list(values), dtype=float)
    if not known.size:
        return [], []
    found = stats.ecdf(stats.CensoredData(known, right=np.asarray(under_way, dtype=float))).cdf
    at, share = found.quantiles, found.probabilities
    rises = np.diff(share, prepend=0.0) > 0
    at, share = at[rises], share[rises]
    if len(under_way):
        every = np.sort(np.concatenate([known, np.asarray(under_way, dtype=float)]))
        left = len(every) - np.searchsorted(every, at)
        at, share = at[left >= LEAST * len(every)], share[left >= LEAST * len(every)]
    if len(at) > most:
        half = most // 2
        by_number = np.arange(half) * (len(at) - 1) // (half - 1)
        by_value = np.searchsorted(at, np.linspace(at[0], at[-1], most - half))
        kept = np.union1d(by_number, by_value)
        at, share = at[kept], share[kept]
    return at.tolist(), share.tolist()


def completions(flows: pl.DataFrame, run: Sequence[str]) -> pl.DataFrame:
    """Return how long each flow with a size took, or had been under way when its run ended.

    The end of a run is the last instant that its table has.

    Parameters
    ----------
    flows
        Tables of flows.
    run
        The columns that distinguish runs.

    Examples
    --------
    >>> flows = pl.DataFrame({"start": [0.0, 1.0], "end": [3.0, None], "size": [9, 9]})
    >>> completions(flows, []).select("completion", "ended").rows()
    [(3.0, True), (2.0, False)]
    """
    last = pl.max_horizontal("start", "end").max()
    ends = pl.col("end").fill_null(last.over(run) if run else last)
    return flows.with_columns(
        (ends - pl.col("start")).alias(COMPLETION), pl.col("end").is_not_null().alias(ENDED)
    ).filter(pl.col("size").is_not_null(), pl.col("start").is_not_null())


def curves(table: pl.DataFrame, value: str, by: Sequence[str]) -> pl.DataFrame:
    """Return the distribution of a column for every group of rows, with the columns `by`.

    Values of rows whose column ``ended`` is false are lower limits.
    """
    groups = table.group_by(list(by), maintain_order=True) if by else [((), table)]
    found = []
    for key, group in groups:
        known = group.drop_nulls(value)
        ended = pl.col(ENDED) if ENDED in known.columns else pl.lit(value=True)
        values, limits = (
            known.filter(which).get_column(value).to_list() for which in (ended, ~ended)
        )
        at, share = steps(values, limits)
        found += [(*key, *each) for each in zip(at, share, strict=True)]
    schema = {name: table.schema[name] for name in by} | {value: pl.Float64, SHARE: pl.Float64}
    return pl.DataFrame(found, schema=schema, orient="row")

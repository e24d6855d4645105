"""The abstract path's p, µ and σ that fit what real deflection does in a mesh.

Of the optical packets that lost a contention

- p is the share that was lost, at any node and by any contention,
- µ and σ are those with which max(0, N(µ, σ)) has the mean and the deviation of the delay of the
  delivered ones beyond that of the shortest path.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.analysis.theory import truncated_normal_moments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LOST = ("lost-contention", "lost-deflected", "lost-hops")
BISECTIONS = 100


class Path(NamedTuple):
    """An abstract path: p, and µ and σ in s."""

    p: float
    mu: float
    sigma: float


def cut_normal(mean: float, deviation: float) -> tuple[float, float]:
    """Return µ and σ with which max(0, N(µ, σ)) has a mean and a deviation.

    The inverse of `tcphoton.theory.truncated_normal_moments`, by bisection: the ratio of deviation
    and mean falls as µ/σ grows.

    Examples
    --------
    >>> mu, sigma = cut_normal(10, 5)
    >>> cut = truncated_normal_moments(mu, sigma)
    >>> round(cut.mean, 9), round(cut.deviation, 9)
    (10.0, 5.0)
    """
    if deviation == 0:
        return mean, 0.0
    low, high = -6.0, mean / deviation + 1
    for _ in range(BISECTIONS):
        z = (low + high) / 2
        cut = truncated_normal_moments(z, 1.0)
        if cut.deviation * mean > deviation * cut.mean:
            low = z
        else:
            high = z
    sigma = mean / truncated_normal_moments(low, 1.0).mean
    return low * sigma, sigma


def path(rows: Iterable[Mapping[str, Any]]) -> Path | None:
    """Return the path that fits some runs, rows of a sweep's table; none where none was deflected.

    The runs count as one: by the optical packets that each of them delivered over other paths.
    """
    lost = delivered = first = second = 0.0
    for row in rows:
        bursts = {key: row.get(f"bursts.{key}") or 0 for key in (*LOST, "deflected-delivered")}
        if count := bursts["deflected-delivered"]:
            mean, deviation = (
                row[f"bursts.deflection-cost-{moment}"] for moment in ("mean", "std")
            )
            first += count * mean
            second += count * (mean**2 + deviation**2)
        delivered += count
        lost += sum(bursts[key] for key in LOST)
    if not delivered:
        return None
    mean = first / delivered
    return Path(
        lost / (lost + delivered),
        *cut_normal(mean, math.sqrt(max(0.0, second / delivered - mean**2))),
    )

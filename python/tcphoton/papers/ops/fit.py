"""The abstract path's p, µ and σ that fit what real deflection does in a mesh.

``python -m tcphoton.papers.ops.fit`` runs the NSF network of ``nsf.toml`` with ``deflect`` at each
load of the artefact ``mesh`` and prints the products of the grid ``mesh-abstract``, which
``sweeps.toml`` holds. Of the optical packets that lost a contention

- p is the share that was lost, at whatever node and whichever contention,
- µ and σ are those with which max(0, N(µ, σ)) has the mean and the deviation of the delay of the
  delivered ones beyond that of the shortest way.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.analysis.theory import truncated_normal_moments
from tcphoton.common import toml
from tcphoton.papers.ops.measures import MU, SIGMA, P
from tcphoton.papers.paper import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tcphoton.papers.paper import Paper

__all__ = ["Path", "cut_normal", "path", "products"]

LOAD = "traffic.0.source.rate"
GRID = "mesh-abstract"
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

    The runs count as one: by the optical packets that each of them delivered over other ways.
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


def products() -> str:
    """Run the mesh at full scale and return the text of the grid's products at both scales."""
    paper = load("ops")
    fits = _fits(paper)
    texts = []
    for scale in ("full", "quick"):
        (product,) = paper.plan["grids"]["mesh"][scale]
        for rate in product["over"][LOAD]:
            texts += [f"[[grids.{GRID}.{scale}]]", f"seeds = {product['seeds']}"]
            texts += [
                f'set."{key}" = {toml.inline(value)}'
                for key, value in product.get("set", {}).items()
            ]
            over = {
                LOAD: rate,
                P: round(fits[rate].p, 5),
                MU: f"{1e3 * fits[rate].mu:.2f} ms",
                SIGMA: f"{1e3 * fits[rate].sigma:.2f} ms",
            }
            texts += [f'over."{key}" = {toml.inline([value])}' for key, value in over.items()]
            texts.append("")
    return "\n".join(texts)


def _fits(paper: Paper) -> dict[str, Path]:
    (mesh,) = (runs for runs in paper.runs(["mesh"], "full") if runs.variant == "deflect")
    fits = {}
    for (rate,), group in mesh.sweep.run().group_by(LOAD):
        found = path(group.iter_rows(named=True))
        assert found is not None, rate
        fits[str(rate)] = found
    return fits


if __name__ == "__main__":
    sys.stdout.write(products())

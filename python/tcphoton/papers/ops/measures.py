"""What the paper measures, from the tables of its runs.

*Throughput* is the goodput of all flows together, for UDP the bits received; *fairness* is Jain's
index over the 500 flows (equation (1) of the paper); *jitter* is the standard deviation of the
delays of a flow's packets, averaged over the flows. The aggregation interval of a row is the name
of its variant, where the grid has no column for it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis.theory import truncated_normal_moments
from tcphoton.common import quantities
from tcphoton.papers.published import published

if TYPE_CHECKING:
    from collections.abc import Mapping

PUBLISHED = published("ops")
GRID, VARIANT = "grid", "variant"
DELTA = VARIANT
"""The column that has Δ in the grids of figures 3 to 5."""
POLICY, TIMEOUT = "assembly.policy", "assembly.timeout"
MU, SIGMA = "core.deflection.mean", "core.deflection.deviation"
P = "core.deflection.congestion"
BASE_MU, BASE_SIGMA = "5 ms", "4 ms"

THROUGHPUT, FAIRNESS, JITTER = "goodput", "jain", "traffic.0.jitter"
"""The figures of merit as a sweep has them: b/s, a number, and s."""
REORDERED, FORMULA = "reordered-share", "jitter-formula"
"""Of `measured`: percent of the packets sent, and s."""

PACKET = 8 * PUBLISHED["", "IP packet"]
"""Bits of an IP packet."""
LOAD = 1e6 * PUBLISHED["", "offered UDP load"]
LIMIT = 1e6 * PUBLISHED["", "core rate"]
"""The size limit in bits of an optical packet, for each second of Δ."""


def measured(table: pl.DataFrame) -> pl.DataFrame:
    """Add what figures and rules are about and no engine has.

    These are ``reordered-share`` (percent of the packets sent), ``deflected-share`` (percent of
    the optical packets delivered), ``optical-loss`` and ``contention`` (percent of the optical
    packets formed: lost, and lost or deflected), and ``jitter-formula`` (s, see `closed_form`; of
    rows with mixed-flow aggregation, deflection and Δ = 1 ms).
    """
    found = {name: _column(table, name) for name in ("packets-sent", "reordered")}
    bursts = {
        name: _column(table, f"bursts.{name}") for name in ("released", "deflected-delivered")
    }
    lost = [pl.col(name).fill_null(0) for name in table.columns if _is_loss(name)]
    delivered = bursts["released"] - pl.sum_horizontal(pl.lit(0), *lost)
    table = table.with_columns(
        (100 * found["reordered"] / found["packets-sent"]).alias(REORDERED),
        (100 * bursts["deflected-delivered"] / delivered).alias("deflected-share"),
        (100 * (bursts["released"] - delivered) / bursts["released"]).alias("optical-loss"),
        (
            100
            * (bursts["released"] - delivered + bursts["deflected-delivered"])
            / bursts["released"]
        ).alias("contention"),
    )
    formula = [_formula(row) for row in table.iter_rows(named=True)]
    return table.with_columns(pl.Series(FORMULA, formula, dtype=pl.Float64))


def _column(table: pl.DataFrame, name: str) -> pl.Expr:
    return pl.col(name) if name in table.columns else pl.lit(None, dtype=pl.Float64)


def _is_loss(name: str) -> bool:
    return name.startswith("bursts.lost-")


def _formula(row: Mapping[str, Any]) -> float | None:
    share = row["deflected-share"]
    if share is None or not math.isfinite(share):
        return None
    mean, deviation = (
        quantities.number(row.get(key) or base)
        for key, base in ((MU, BASE_MU), (SIGMA, BASE_SIGMA))
    )
    return closed_form(share / 100, mean, deviation, aggregation_variance(1e-3))


def aggregation_variance(interval: float) -> float:
    r"""Return the variance of the delay in mixed-flow aggregation that ends by its size (s²).

    An optical packet holds the k packets with which it reaches the size limit B0 Δ. The packet that
    is the j-th of them waits for k - j more of a Poisson process of rate :math:`\lambda`, so that

    .. math:: \operatorname{Var} W = \frac{(k^2-1)/12 + (k-1)/2}{\lambda^2}

    The timer is left out: at L = 800 Mb/s and Δ = 1 ms some 3 % of the optical packets end by it.

    Parameters
    ----------
    interval
        The aggregation interval Δ in s.

    Examples
    --------
    >>> round(1e3 * aggregation_variance(1e-3) ** 0.5, 3)  # ms
    0.238
    """
    packets = math.ceil(LIMIT * interval / PACKET)
    rate = LOAD / PACKET
    return ((packets**2 - 1) / 12 + (packets - 1) / 2) / rate**2


def closed_form(share: float, mean: float, deviation: float, aggregation: float = 0.0) -> float:
    r"""Return the jitter of flows whose packets are deflected independently of each other (s).

    With q the share of the delivered packets that were deflected

    .. math:: \sqrt{q E[t_c^2] - (q E[t_c])^2 + \operatorname{Var} W}

    Parameters
    ----------
    share
        q.
    mean, deviation
        µ and σ of the deflection cost tc = max(0, N(µ, σ)) in s.
    aggregation
        The variance of the aggregation delay W in s².

    Examples
    --------
    >>> closed_form(0.5, 0.010, 0.0)
    0.005
    """
    cost = truncated_normal_moments(mean, deviation)
    return math.sqrt(share * cost.square - (share * cost.mean) ** 2 + aggregation)

r"""Synchronization of TCP flows in burst-switched networks: the measures of its paper.

Flows are synchronized when they lose at the same time, because their segments share a burst that is
lost, and so reduce their windows together. The measures are those of O. González de Dios,
A. M. Guidotti, C. Raffaelli, K. Ramantas and K. Vlachos, On transmission control protocol
synchronization in optical burst switching, Photonic Network Communications, 2009. Each is a pure
function of counts or samples; `tcphoton.papers.sync` applies them to runs. The related measure of
fairness is Jain's index, `tcphoton.statistics.jain`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from tcphoton.analysis import statistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "CLASSES",
    "Spans",
    "aggregate_throughput",
    "classes",
    "coefficient_of_variation",
    "fall",
    "index",
    "mean_flows",
    "most_packets",
    "normalized_window",
    "spans",
]

CLASSES = 5
"""Classes of the distinct flows in a burst (figures 7, 9 and 10 of the paper), each 20 % wide."""
BITS = 8
PICOSECONDS = 10**12


def index(lost: Iterable[float], active: float | Iterable[float]) -> float:
    r"""Return the synchronization index: of the flows that could have lost, the share that did.

    .. math:: I = \frac{\sum_i N_{di}}{N_F \sum_i N_{sdi}} \tag{1}

    :math:`N_{di}` are the flows that lost something in sample i, each counted once regardless of
    how many segments it lost; :math:`N_{sdi}` is 1 for a sample in which at least one did, else 0.
    If flows start and end during the run, there are :math:`N_{Fi}` of them in a sample, and the
    index is :math:`\sum_i N_{di} / \sum_i N_{Fi}` over the samples with a loss. A sample may be a
    span of time, or a lost burst.

    Parameters
    ----------
    lost
        The flows that lost, sample by sample.
    active
        The flows that were active: one number, or one per sample.

    Returns
    -------
    float
        Between 0 and 1; NaN where nothing was lost.

    Examples
    --------
    All of three flows lose in every sample with a loss, and exactly one of them does:

    >>> index([3, 0, 3], 3)
    1.0
    >>> index([1, 0, 1, 0, 1], 3) == 1 / 3
    True

    Flows that start and end:

    >>> index([2, 0, 1], [4, 100, 8])
    0.25
    >>> index([0, 0], 5)
    nan
    """
    pairs = [(some, of) for some, of in _with(lost, active) if some > 0]
    of_all = math.fsum(of for _, of in pairs)
    return math.fsum(some for some, _ in pairs) / of_all if of_all else math.nan


def aggregate_throughput(windows: Iterable[float], rtt: float | Iterable[float]) -> float:
    r"""Return the aggregate throughput of some flows, in b/s.

    .. math:: \sum_{i=1,\dots,N_f} CW_i / RTT_i \tag{4}

    Parameters
    ----------
    windows
        Their congestion windows, in bytes, none above the maximum window.
    rtt
        Their round-trip times, in seconds: one for all, or one per flow.

    Examples
    --------
    >>> aggregate_throughput([5e4, 1e5], 0.4)
    3000000.0
    >>> aggregate_throughput([5e4, 1e5], [0.2, 0.4])
    4000000.0
    """
    return math.fsum(BITS * window / time for window, time in _with(windows, rtt))


def coefficient_of_variation(values: Iterable[float]) -> float:
    r"""Return the coefficient of variation (CoV) of an aggregate throughput, :math:`s / \bar x`.

    Section 3.2 of the paper: "the standard deviation of the aggregate throughput divided by the
    mean value of the aggregate throughput".

    Examples
    --------
    >>> coefficient_of_variation([2e6, 4e6, 6e6])
    0.5
    """
    return statistics.cov(values)


def normalized_window(window: float, largest: float, flows: int = 1) -> float:
    r"""Return the normalized congestion window, :math:`\sum_k cwnd_k / (W_{max} N_F)`.

    Section 3.2 of the paper: "the sum of congestion windows of all flows normalized by the maximum
    value of congestion window multiplied by NF".

    Parameters
    ----------
    window
        The sum of the flows' congestion windows, none above the maximum.
    largest
        The maximum window of a flow, in the same unit.
    flows
        How many flows there are.

    Examples
    --------
    >>> normalized_window(960, 128, 15)
    0.5
    """
    return window / (largest * flows)


def fall(values: Sequence[float], lost: Sequence[float]) -> float:
    r"""Return how far a throughput falls on average around a sample with a loss.

    The mean of :math:`x_{i-1} - x_{i+1}` over the samples i in which a flow lost. A sender reduces
    its window a round trip after the loss, so the sample after it shows the reduction. It is NaN
    where no sample has both neighbours and a loss.

    Examples
    --------
    >>> fall([10, 11, 6, 7, 8], [0, 1, 0, 0, 0])
    4.0
    >>> fall([10, 11], [0, 1])
    nan
    """
    falls = [values[at - 1] - values[at + 1] for at in range(1, len(values) - 1) if lost[at] > 0]
    return math.fsum(falls) / len(falls) if falls else math.nan


def mean_flows(flows: Iterable[int], bursts: Iterable[int]) -> float:
    """Return the mean number of distinct flows in a burst.

    Parameters
    ----------
    flows, bursts
        A number of distinct flows, and how many bursts had that number.

    Examples
    --------
    >>> mean_flows([1, 4], [3, 1])
    1.75
    """
    pairs = list(zip(flows, bursts, strict=True))
    total = sum(count for _, count in pairs)
    return sum(some * count for some, count in pairs) / total if total else math.nan


def classes(flows: Iterable[int], bursts: Iterable[int], of: int) -> list[float]:
    """Return the share of bursts that hold up to 20, 40, 60, 80 and 100 % of the flows.

    A class includes its upper bound: a burst with 9 of 15 flows, 60 %, belongs to the third.

    Parameters
    ----------
    flows, bursts
        A number of distinct flows, and how many bursts had that number.
    of
        All flows.

    Examples
    --------
    >>> classes([3, 9, 15], [1, 2, 1], of=15)
    [0.25, 0.0, 0.5, 0.0, 0.25]
    """
    counts = [0] * CLASSES
    for some, count in zip(flows, bursts, strict=True):
        if not 1 <= some <= of:
            raise ValueError(f"a burst holds 1 to {of} of {of} flows, not {some}")
        counts[math.ceil(CLASSES * some / of) - 1] += count
    total = sum(counts)
    return [count / total if total else math.nan for count in counts]


def most_packets(timeout: float, size: int, rate: float) -> int:
    """Return the maximum number of packets in a burst, if one link brings all of them.

    They arrive a transmission time apart, and one that arrives at the timeout is included.

    Parameters
    ----------
    timeout
        Seconds from the first packet of the burst.
    size
        Bytes of a packet on the wire.
    rate
        The link's rate in b/s.

    Examples
    --------
    >>> [most_packets(timeout, 1500, 100e6) for timeout in (1e-3, 3e-3, 5e-3)]
    [9, 26, 42]
    >>> [most_packets(timeout, 1040, 100e6) for timeout in (1e-3, 3e-3, 5e-3)]
    [13, 37, 61]
    """
    apart = round(PICOSECONDS * BITS * size / rate)
    return round(PICOSECONDS * timeout) // apart + 1


class Spans(NamedTuple):
    """A throughput that is measured in short spans of time: Table 2 of the paper, in b/s."""

    mean: float
    std: float
    low: float
    high: float


def spans(sizes: Iterable[float], length: float) -> Spans:
    """Return mean, standard deviation, minimum and maximum of a throughput over spans.

    Parameters
    ----------
    sizes
        The bytes that arrived in each span, empty spans included.
    length
        The length of a span in seconds.

    Examples
    --------
    >>> spans([0, 375, 750], 3e-3)
    Spans(mean=1000000.0, std=1000000.0, low=0.0, high=2000000.0)
    """
    rates = [BITS * size / length for size in sizes]
    if not rates:
        return Spans(math.nan, math.nan, math.nan, math.nan)
    mean = math.fsum(rates) / len(rates)
    squares = math.fsum((rate - mean) ** 2 for rate in rates)
    std = math.sqrt(squares / (len(rates) - 1)) if len(rates) > 1 else math.nan
    return Spans(mean, std, min(rates), max(rates))


def _with(
    values: Iterable[float], others: float | Iterable[float]
) -> Iterable[tuple[float, float]]:
    """Pair values with others, or each with the same one."""
    if isinstance(others, int | float):
        return ((value, others) for value in values)
    return zip(values, others, strict=True)

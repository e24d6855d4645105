r"""Formulas to compare simulations with.

TCP rates are in packets per second and times in seconds. Queues have an arrival rate and a service
rate in packets per second; `places` counts all packets that a finite queue holds, including the one
in service. A *wait* is the time before service.

References
----------
.. [PFTK] J. Padhye, V. Firoiu, D. Towsley, J. Kurose, Modeling TCP Reno performance: a simple model
   and its empirical validation, IEEE/ACM Trans. Networking 8(2), 2000.
.. [MSMO] M. Mathis, J. Semke, J. Mahdavi, T. Ott, The macroscopic behavior of the TCP congestion
   avoidance algorithm, ACM Computer Communication Review 27(3), 1997.
.. [Gibbens] R. J. Gibbens, S. K. Sargood, C. Van Eijl, F. P. Kelly, H. Azmoodeh, R. N. Macfadyen,
   N. W. Macfadyen, Fixed-point models for the end-to-end performance analysis of IP networks, 13th
   ITC Specialist Seminar, 2000.
.. [Kleinrock] L. Kleinrock, Queueing Systems, volume 1, Wiley 1975.
.. [Takagi] H. Takagi, Queueing Analysis, volume 2: Finite Systems, North-Holland 1993.
.. [Erlang] A. K. Erlang, Solution of some problems in the theory of probabilities of significance
   in automatic telephone exchanges, Elektroteknikeren 13, 1917.
.. [Jagerman] D. L. Jagerman, Some properties of the Erlang loss function, Bell System Technical
   Journal 53(3), 1974.
.. [Engset] T. O. Engset, Die Wahrscheinlichkeitsrechnung zur Bestimmung der Wählerzahl in
   automatischen Fernsprechämtern, Elektrotechnische Zeitschrift 39(31), 1918.
.. [Iversen] V. B. Iversen, Teletraffic Engineering and Network Planning, DTU Fotonik 2015, chapters
   4 and 5.
.. [Greene] W. H. Greene, Econometric Analysis, 7th ed., Pearson 2012, section 19.3.2.
.. [JKB] N. L. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions, volume 1,
   2nd ed., Wiley 1994, chapter 14.
"""

from __future__ import annotations

import math
import operator
from collections import deque
from itertools import accumulate
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from tcphoton.analysis.loss_systems import Congestion, engset, erlang_b, erlang_b_load

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Congestion",
    "FiniteQueue",
    "FixedPoint",
    "Moments",
    "engset",
    "erlang_b",
    "erlang_b_load",
    "lone_transfer",
    "mathis",
    "md1_wait",
    "md1k",
    "mm1_wait",
    "mm1k",
    "padhye",
    "padhye_over_erlang",
    "stop_and_wait_rate",
    "total_over_largest",
    "truncated_log_normal_moments",
    "truncated_normal_moments",
]

RAREST = math.log(1e-300)
"""The logarithm of a loss too small to occur in any run."""


def padhye(p: float, rtt: float, t0: float, b: float = 1, wmax: float = math.inf) -> float:
    r"""Return the sending rate of a long TCP Reno flow, the full model of [PFTK]_.

    With :math:`q = 1-p`, the mean window without a limit is (equation 13)

    .. math:: E[W] = \frac{2+b}{3b} + \sqrt{\frac{8q}{3bp} + \left(\frac{2+b}{3b}\right)^2}

    A loss ends in a timeout with the probability (equation 24)

    .. math:: \hat Q(w) = \min\left(1, \frac{(1-q^3)(1+q^3(1-q^{w-3}))}{1-q^w}\right)

    and a sequence of timeouts lasts :math:`T_0 f(p)/q` with :math:`f(p) = 1+p+2p^2+4p^3+8p^4+16p^5+
    32p^6` (equation 29). The rate is (equation 32)

    .. math:: B = \frac{q/p + E[W] + \hat Q/q}{R(\frac b2 E[W]+1) + \hat Q T_0 f(p)/q}

    and where the limit `wmax` lies below :math:`E[W]`

    .. math:: B = \frac{q/p + W_m + \hat Q/q}
        {R(\frac b8 W_m + \frac{q}{pW_m} + 2) + \hat Q T_0 f(p)/q}

    Parameters
    ----------
    p
        The probability that a packet is lost, given that it is the first in its window.
    rtt, t0
        Round-trip time and first timeout in seconds.
    b
        Packets that one ACK acknowledges.
    wmax
        The receiver's limit on the window in packets.

    Returns
    -------
    float
        Packets sent per second, including lost ones.

    Examples
    --------
    >>> round(padhye(0.01, rtt=0.1, t0=0.2), 1)
    115.7
    >>> padhye(0.001, rtt=0.1, t0=1.0, wmax=8) < 8 / 0.1
    True
    """
    _probability(p)
    q = 1 - p
    offset = (2 + b) / (3 * b)
    window = offset + math.sqrt(8 * q / (3 * b * p) + offset**2)
    if window < wmax:
        rounds = b / 2 * window + 1
    else:
        window = wmax
        rounds = b / 8 * window + q / (p * window) + 2
    # Differences from 1, so that a loss too rare for 1 - p to differ from 1 keeps its digits.
    each = math.log1p(-p)
    past_three = math.exp(3 * each) * -math.expm1((window - 3) * each)
    timeout = min(1.0, math.expm1(3 * each) * (1 + past_three) / math.expm1(window * each))
    backoff = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    return (q / p + window + timeout / q) / (rtt * rounds + timeout * t0 * backoff / q)


class FixedPoint(NamedTuple):
    """The equilibrium of TCP flows on a link without a buffer.

    Attributes
    ----------
    loss
        The share of packets that is lost.
    rate
        Packets that each flow sends per second, including lost ones.
    load
        The load of the link by all flows in erlang.
    """

    loss: float
    rate: float
    load: float


def padhye_over_erlang(
    flows: float,
    channels: float,
    service: float,
    *,
    rtt: float,
    t0: float,
    b: float = 1,
    wmax: float = math.inf,
) -> FixedPoint:
    r"""Return the rate of TCP flows over a link without a buffer, which their own load makes lossy.

    The rate of a flow decreases with the loss ([PFTK]_, `padhye`), and the loss increases with the
    load ([Erlang]_, `erlang_b`). Both are consistent at

    .. math:: p = B(A, m), \qquad A = \frac{N}{\mu}\,\text{padhye}(p)

    which is one point, because the rate is decreasing (except for a step at a `wmax` where `b` is
    1). It is found by bracketing the logarithm of p. Such fixed points are those of Gibbens et al.
    ([Gibbens]_).

    The assumptions are: all packets together arrive as a Poisson process (in fact those of a TCP
    come in trains, and a link of few flows loses more); a lost packet is the first of its window,
    as in [PFTK]_; and round-trip times are those without load, because nothing waits. The
    distribution of packet lengths matters only through its mean.

    Parameters
    ----------
    flows
        N, all alike.
    channels
        m: packets that the link carries simultaneously.
    service
        μ: packets that one channel carries per second.
    rtt, t0, b, wmax
        As for `padhye`; a timeout is no shorter than a round trip.

    Raises
    ------
    ValueError
        There are no flows, no channels, no times, or a timeout is shorter than a round trip.

    Examples
    --------
    >>> found = padhye_over_erlang(10, channels=4, service=1000, rtt=0.05, t0=0.2)
    >>> round(found.loss, 4), round(found.rate, 1), round(found.load, 3)
    (0.0265, 120.4, 1.204)
    """
    for what, number in (
        ("flows", flows), ("channels", channels), ("service", service), ("rtt", rtt), ("t0", t0),
    ):  # fmt: skip
        if not 0 < number < math.inf:
            raise ValueError(f"{what} must be finite and more than 0, not {number}")
    if t0 < rtt:
        raise ValueError(f"a timeout of {t0} s is shorter than the round trip of {rtt} s")
    from scipy.optimize import brentq

    def at(p: float) -> FixedPoint:
        rate = padhye(p, rtt, t0, b, wmax)
        load = flows * rate / service
        return FixedPoint(erlang_b(load, channels), rate, load)

    def excess(log_p: float) -> float:
        lost = at(math.exp(log_p)).loss
        return (math.log(lost) if lost > 0 else 2 * RAREST) - log_p

    if excess(RAREST) <= 0:
        return at(math.exp(RAREST))._replace(loss=0.0)
    p = math.exp(brentq(excess, RAREST, -1e-15, xtol=1e-14, rtol=1e-14))
    return at(p)._replace(loss=p)


def mathis(p: float, rtt: float, b: float = 1) -> float:
    r"""Return the rate of a long TCP flow that never times out (equation 3 of [MSMO]_).

    .. math:: B = \frac{1}{R} \sqrt{\frac{3}{2bp}}

    Examples
    --------
    >>> round(mathis(0.01, rtt=0.1), 1)
    122.5
    """
    _probability(p)
    return math.sqrt(3 / (2 * b * p)) / rtt


def mm1_wait(arrivals: float, services: float) -> float:
    r"""Return the mean wait in M/M/1, :math:`\rho/(\mu-\lambda)` ([Kleinrock]_, section 3.2).

    Examples
    --------
    >>> mm1_wait(80, 100)
    0.04
    """
    load = _stable(arrivals, services)
    return load / (services - arrivals)


def md1_wait(arrivals: float, services: float) -> float:
    r"""Return the mean wait in M/D/1, :math:`\rho/(2\mu(1-\rho))` (Pollaczek and Khinchine).

    [Kleinrock]_, equation 5.71 with no variance of service.

    Examples
    --------
    >>> round(md1_wait(80, 100), 9)
    0.02
    """
    load = _stable(arrivals, services)
    return load / (2 * services * (1 - load))


class FiniteQueue(NamedTuple):
    """Mean wait of accepted packets in seconds, and the share of rejected packets."""

    wait: float
    loss: float


def mm1k(arrivals: float, services: float, places: int) -> FiniteQueue:
    r"""Return the wait and loss of M/M/1/K ([Kleinrock]_, section 3.6).

    .. math:: P_n \propto \rho^n, \quad n = 0 \dots K; \qquad \text{loss} = P_K

    Examples
    --------
    >>> mm1k(100, 100, places=4).loss
    0.2
    """
    load = arrivals / services
    _places(places)
    # Weights relative to the largest keep a large K from overflowing.
    weights = [load ** (n - places if load > 1 else n) for n in range(places + 1)]
    total = math.fsum(weights)
    return _finite([weight / total for weight in weights], arrivals, services)


def md1k(arrivals: float, services: float, places: int) -> FiniteQueue:
    r"""Return the wait and loss of M/D/1/K.

    The queue seen by departures is a Markov chain with :math:`a_k = e^{-\rho}\rho^k/k!` arrivals a
    service. Equal flows up and down across each level give its distribution without a subtraction
    (with :math:`A_k = \sum_{m>k} a_m`)

    .. math:: \pi_{j+1} a_0 = \pi_0 A_j + \sum_{i=1}^{j} \pi_i A_{j-i+1},
        \quad j = 0 \dots K-2

    and with :math:`\pi` normalised, :math:`P_j = \pi_j/(\pi_0+\rho)` for :math:`j<K` and
    :math:`P_K = 1 - 1/(\pi_0+\rho)` ([Takagi]_, section 5.1).

    Examples
    --------
    >>> round(md1k(100, 100, places=1).loss, 12)  # Erlang's formula: rho / (1 + rho)
    0.5
    >>> abs(md1k(80, 100, places=200).wait - md1_wait(80, 100)) < 1e-9
    True
    """
    load = arrivals / services
    _places(places)
    departures = _departures(load, places)
    scale = departures[0] + load
    chances = [chance / scale for chance in departures]
    return _finite([*chances, max(0.0, 1 - 1 / scale)], arrivals, services)


class Moments(NamedTuple):
    """The first two moments of a distribution: E[X] and E[X²]."""

    mean: float
    square: float

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(max(0.0, self.square - self.mean**2))


def truncated_normal_moments(mean: float, deviation: float) -> Moments:
    r"""Return the moments of :math:`\max(0, N(\mu, \sigma))`: all mass below 0 is moved to 0.

    With :math:`z = \mu/\sigma`, the normal distribution :math:`\Phi` and its density
    :math:`\varphi` ([Greene]_, theorem 19.3)

    .. math:: E[X] = \mu\Phi(z) + \sigma\varphi(z), \qquad
        E[X^2] = (\mu^2 + \sigma^2)\Phi(z) + \mu\sigma\varphi(z)

    Parameters
    ----------
    mean, deviation
        :math:`\mu` and :math:`\sigma` of the normal distribution before it is cut at 0, in the same
        unit.

    Examples
    --------
    >>> truncated_normal_moments(5, 0)
    Moments(mean=5.0, square=25.0)
    >>> cut = truncated_normal_moments(0, 1)
    >>> round(cut.mean, 6), round(cut.square, 6)  # 1 / sqrt(2 pi), and half of the variance
    (0.398942, 0.5)
    """
    if deviation < 0:
        raise ValueError(f"a standard deviation must not be negative: {deviation}")
    if deviation == 0:
        fixed = max(0.0, float(mean))
        return Moments(fixed, fixed**2)
    z = mean / deviation
    below = _normal(z)
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return Moments(
        mean * below + deviation * density,
        (mean**2 + deviation**2) * below + mean * deviation * density,
    )


def truncated_log_normal_moments(mu: float, sigma: float, largest: float = math.inf) -> Moments:
    r"""Return the moments of a log-normal distribution, conditional on at most `largest`.

    Larger draws are rejected. With :math:`a = (\ln m - \mu)/\sigma` and the normal distribution
    :math:`\Phi` ([JKB]_, section 14.3)

    .. math:: E[X^r] = e^{r\mu + r^2\sigma^2/2}\, \frac{\Phi(a - r\sigma)}{\Phi(a)}

    Parameters
    ----------
    mu, sigma
        Mean and standard deviation of the logarithm; the latter is more than 0.
    largest
        m, in the unit of the moments.

    Examples
    --------
    >>> round(truncated_log_normal_moments(9.48, 2.46, 5e6).mean)  # bytes
    131311
    >>> round(truncated_log_normal_moments(9.48, 2.46).mean)
    269898
    """
    if not sigma > 0 or not largest > 0:
        raise ValueError(f"the deviation and the bound must be above 0, not {sigma} and {largest}")
    a = (math.log(largest) - mu) / sigma

    def moment(r: int) -> float:
        whole = math.exp(r * mu + (r * sigma) ** 2 / 2)
        return whole * _normal(a - r * sigma) / _normal(a)

    return Moments(moment(1), moment(2))


def total_over_largest(
    count: int, mu: float, sigma: float, largest: float = math.inf, steps: int = 2000
) -> float:
    r"""Return the expected ratio of the sum of some log-normal numbers to the largest of them.

    Given that the largest of n is x, the others follow the distribution cut at x, so that

    .. math:: E\left[\frac{\sum_i X_i}{\max_i X_i}\right]
        = 1 + (n-1) \int \frac{E[X \mid X \le x]}{x} \,\mathrm dF(x)^n

    If all n transfers have the same rate and start together, the batch is delivered at that ratio
    times the rate of one.

    Parameters
    ----------
    count
        n.
    mu, sigma, largest
        The distribution, as in `truncated_log_normal_moments`.
    steps
        Points of the midpoint rule, evenly spread over :math:`F(x)^n`.

    Examples
    --------
    >>> round(total_over_largest(500, 9.48, 2.46, 5e6), 1), total_over_largest(1, 9.48, 2.46)
    (15.9, 1.0)
    """
    if count == 1:
        return 1.0
    below = _normal((math.log(largest) - mu) / sigma)
    law = NormalDist(mu, sigma)
    shares = []
    for step in range(steps):
        chance = below * math.pow((step + 0.5) / steps, 1 / count)
        x = math.exp(law.inv_cdf(chance))
        shares.append(truncated_log_normal_moments(mu, sigma, x).mean / x)
    return 1 + (count - 1) * math.fsum(shares) / steps


def stop_and_wait_rate(
    length: float,
    *,
    rate: float = 10e9,
    packet: float = 9000,
    control: float = 64,
    links: int = 6,
    delay_per_km: float = 5e-6,
    store_and_forward: bool = False,
) -> float:
    r"""Return the rate of a lone stop-and-wait connection in b/s: one packet of data per cycle.

    The packet and its acknowledgment pass n links of length l each, and switches that forward them
    without storing:

    .. math:: B = \frac{8 P}{2 n l d + 8 (P + C) / R}

    If each switch stores a packet before sending it, both are sent n times instead of once.

    Parameters
    ----------
    length
        l, the length of a link in m.
    rate
        R, the rate of every link in b/s.
    packet, control
        P and C, the bytes on the wire of a packet, all of them data, and of an acknowledgment.
    links
        n.
    delay_per_km
        d, the propagation delay per km, in s.
    store_and_forward
        Whether switches store packets.

    Examples
    --------
    >>> [round(stop_and_wait_rate(length) / 1e9, 4) for length in (10, 100, 1000, 10_000)]
    [9.1706, 5.4335, 1.0706, 0.1186]
    """
    flight = 2 * links * length * delay_per_km / 1000
    sent = 8 * (packet + control) / rate
    return 8 * packet / (flight + sent * (links if store_and_forward else 1))


def lone_transfer(
    size: float,
    rates: Sequence[float],
    rtt: float,
    *,
    segment: int = 1460,
    header: int = 47,
    initial_window: int = 1,
    ssthresh: float = math.inf,
    handshake: bool = True,
) -> float:
    r"""Return the time until the sink of a TCP connection without competition has a file.

    The first link is the slowest, so packets wait only at the source, whose queue is unlimited.
    Each ACK of new data increases the window: by a segment below `ssthresh`, above it by
    :math:`m^2/w` (RFC 5681, equations 2 and 3). Every segment is acknowledged immediately. When the
    window fills the path, the first link is always busy: then the rate of the data is that of the
    link times segment over segment and header, and the rest of the time is due to the start.
    times segment over segment and header, and what is missing to it is the start.

    Parameters
    ----------
    size
        Bytes of the file.
    rates
        b/s of the links from source to sink that store each packet before they send it; ACKs pass
        them backwards.
    rtt
        Propagation there and back in s.
    segment, header
        Bytes of data of a full segment, and of its headers on the wire; an ACK has the size of a
        header.
    initial_window
        Segments.
    ssthresh
        Bytes at which slow start ends.
    handshake
        Whether SYN and SYN-ACK go first.

    Examples
    --------
    >>> rates = [10e6, 2.5e9, 10e6]
    >>> round(8e-6 * 10e6 / lone_transfer(10e6, rates, rtt=0.02, ssthresh=65535), 2)
    9.56
    >>> round(10 * 1460 / 1507, 2)
    9.69
    """
    per_byte = [8 / rate for rate in rates]
    there = rtt / 2 + (segment + header) * math.fsum(per_byte[1:])
    back = rtt / 2 + header * math.fsum(per_byte)
    idle = arrived = 0.0
    full, rest = divmod(int(size), segment)
    count = full + bool(rest)
    acks: deque[float] = deque()
    now = 2 * back if handshake else 0.0
    window = float(initial_window * segment)
    sent = 0
    while True:
        while sent < count and (len(acks) + 1) * segment <= window:
            sent += 1
            data = rest if rest and sent == count else segment
            idle = max(idle, now) + (data + header) * per_byte[0]
            if sent == count:
                # A short segment may catch up with the one before it at the last link.
                last = (data + header) * per_byte[-1]
                return max(
                    idle + there - (segment - data) * math.fsum(per_byte[1:]), arrived + last
                )
            arrived = idle + there
            acks.append(arrived + back)
        now = acks.popleft()
        window += segment if window < ssthresh else segment**2 / window


def _normal(z: float) -> float:
    """Return the normal distribution."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


def _departures(load: float, places: int) -> list[float]:
    """Return the queue at departures in M/D/1/K: the distribution over 0 … K - 1."""
    factors = (load / k for k in range(1, places + 40 + int(8 * load)))
    arriving = list(accumulate(factors, operator.mul, initial=math.exp(-load)))
    tails = list(accumulate(reversed(arriving)))[::-1]  # tails[k] = P(at least k arrive)
    chain = [1.0]
    for level in range(places - 1):
        up = [chain[i] * tails[level - i + 2] for i in range(1, level + 1)]
        chain.append((chain[0] * tails[level + 1] + math.fsum(up)) / arriving[0])
        if chain[-1] > 1e200:  # noqa: PLR2004 - only the proportions matter
            chain = [weight / chain[-1] for weight in chain]
    total = math.fsum(chain)
    return [weight / total for weight in chain]


def _finite(chances: list[float], arrivals: float, services: float) -> FiniteQueue:
    """Return wait and loss of a queue with these probabilities at arrivals, by Little's law."""
    loss = chances[-1]
    mean = math.fsum(n * chance for n, chance in enumerate(chances))
    return FiniteQueue(wait=max(0.0, mean / (arrivals * (1 - loss)) - 1 / services), loss=loss)


def _probability(p: float) -> None:
    if not 0 < p < 1:
        raise ValueError(f"a loss probability must be between 0 and 1, not {p}")


def _stable(arrivals: float, services: float) -> float:
    load = arrivals / services
    if not 0 <= load < 1:
        raise ValueError(f"a load of {load:g} has no steady state")
    return load


def _places(places: int) -> None:
    if places < 1:
        raise ValueError(f"a queue needs at least one place, not {places}")

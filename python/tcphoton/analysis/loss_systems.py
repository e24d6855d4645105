r"""Loss systems: the loss of systems without waiting, by the formulas of Erlang and Engset.

Both are valid for any distribution of the durations of calls (packets, bursts); their mean is the
unit of time here. Both are computed by a recursion of the inverse, which only adds positive numbers
and so loses no digit, even for thousands of servers.

The sources are listed in `tcphoton.theory`, where users find these functions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = ["Congestion", "engset", "erlang_b", "erlang_b_load"]

LARGE = 50.0
"""A load from which the integral of a fraction of a server has a smooth integrand."""

LEAST_LOG = -1e4
"""Represents the logarithm of a number that is too small."""


def erlang_b(load: float, servers: float) -> float:
    r"""Return the probability that all servers are busy, :math:`B(A, n)` ([Erlang]_).

    .. math:: \frac 1{B(A, n)} = 1 + \frac nA \frac 1{B(A, n-1)}, \qquad B(A, 0) = 1

    For a number of servers that is not an integer it is the continuous extension ([Jagerman]_,
    theorem 3), whose integral is only needed for the fraction:

    .. math:: \frac 1{B(A, x)} = \int_0^\infty e^{-u} \left(1 + \frac uA\right)^x \,\mathrm du

    Parameters
    ----------
    load
        A: calls that start in the mean duration of a call, in erlang; 0 or more.
    servers
        n: 0 or more.

    Raises
    ------
    ValueError
        A load or a number of servers is negative or infinite.

    Examples
    --------
    >>> round(erlang_b(10, 10), 5), round(erlang_b(1, 5), 6), round(erlang_b(84.064, 100), 5)
    (0.21458, 0.003067, 0.01)
    >>> erlang_b(10, 10) < erlang_b(10, 9.5) < erlang_b(10, 9)
    True
    """
    _not_negative("a load", load)
    _not_negative("a number of servers", servers)
    if load == 0:
        return 1.0 if servers == 0 else 0.0
    whole = math.floor(servers)
    fraction = servers - whole
    inverse = _inverse_of_fraction(load, fraction) if fraction else 1.0
    for step in range(1, whole + 1):
        inverse = 1 + (fraction + step) / load * inverse
        if math.isinf(inverse):
            break
    return 1 / inverse


def erlang_b_load(blocking: float, servers: float) -> float:
    r"""Return the load at which servers lose a share of the calls: the inverse of `erlang_b`.

    The loss grows with the load. The carried load is at most the number of servers, so
    :math:`A \le n/(1-B)`, which brackets the load.

    Parameters
    ----------
    blocking
        B: between 0 and 1.
    servers
        n: more than 0.

    Returns
    -------
    float
        The load in erlang, to about 12 digits; fewer as B comes close to 1.

    Raises
    ------
    ValueError
        A share is not between 0 and 1, or there are no servers.

    Examples
    --------
    >>> [round(erlang_b_load(0.01, servers), 3) for servers in (1, 5, 10, 20, 100)]
    [0.01, 1.361, 4.461, 12.031, 84.064]
    """
    if not 0 < blocking < 1:
        raise ValueError(f"a share that is lost lies between 0 and 1, not at {blocking}")
    _not_negative("a number of servers", servers)
    if servers == 0:
        raise ValueError("without servers everything is lost at any load")
    from scipy.optimize import brentq

    aim = math.log(blocking)

    def excess(log_load: float) -> float:
        lost = erlang_b(math.exp(log_load), servers)
        return (math.log(lost) if lost > 0 else LEAST_LOG) - aim

    high = math.log(servers) - math.log1p(-blocking)
    while excess(high) < 0:  # only by rounding
        high += 1e-6
    low = high - 1
    while excess(low) > 0:
        low -= 2 * (high - low)
    return math.exp(brentq(excess, low, high, xtol=1e-14, rtol=1e-14))


class Congestion(NamedTuple):
    """The share of time in which all servers are busy, and the share of calls that arrive then."""

    time: float
    call: float


def engset(sources: int, servers: int, intensity: float) -> Congestion:
    r"""Return the loss of a finite number of sources ([Engset]_, [Iversen]_).

    A source is idle or has one call; it is idle again immediately after a lost call. With
    :math:`E(S, n)` the share of time, and a call seeing the state of the other sources:

    .. math:: \frac 1{E(S, n)} = 1 + \frac{n}{(S - n + 1)\,\alpha} \frac 1{E(S, n-1)}, \quad
        E(S, 0) = 1; \qquad \text{call congestion} = E(S - 1, n)

    For many sources of little intensity, :math:`S\alpha = A`, both are Erlang's `erlang_b`.

    Parameters
    ----------
    sources
        S: 1 or more.
    servers
        n: 0 or more.
    intensity
        α: calls that an idle source starts in the mean duration of a call; 0 or more. A source
        without competition is busy α/(1 + α) of the time.

    Raises
    ------
    ValueError
        There is no source, or a number is negative, not an integer or infinite.

    Examples
    --------
    >>> found = engset(sources=4, servers=2, intensity=1 / 3)
    >>> round(found.time, 4), round(found.call, 4)  # 6/9 : (1 + 4/3 + 6/9), 3/9 : (1 + 1 + 3/9)
    (0.2222, 0.1429)
    >>> engset(sources=2, servers=2, intensity=1)
    Congestion(time=0.25, call=0.0)
    """
    _not_negative("an intensity", intensity)
    for what, number, least in (("sources", sources, 1), ("servers", servers, 0)):
        if number != math.floor(number) or number < least:
            raise ValueError(f"a number of {what} is whole and at least {least}, not {number}")
    return Congestion(
        _engset_time(sources, servers, intensity), _engset_time(sources - 1, servers, intensity)
    )


def _engset_time(sources: int, servers: int, intensity: float) -> float:
    """Return the share of time in which so many sources keep all servers busy."""
    if servers > sources or (intensity == 0 and servers > 0):
        return 0.0
    inverse = 1.0
    for busy in range(1, servers + 1):
        inverse = 1 + busy / (sources - busy + 1) / intensity * inverse
        if math.isinf(inverse):
            break
    return 1 / inverse


def _inverse_of_fraction(load: float, fraction: float) -> float:
    """Return 1/B for less than one server: the integral, or its incomplete gamma function."""
    if load <= LARGE:
        from scipy.special import gammaincc

        tail = float(gammaincc(fraction + 1, load)) * math.gamma(fraction + 1)
        return math.exp(load - fraction * math.log(load)) * tail
    from scipy.integrate import quad

    def integrand(u: float) -> float:
        return math.exp(fraction * math.log1p(u / load) - u)

    return float(quad(integrand, 0, math.inf, epsabs=0, epsrel=1e-13)[0])


def _not_negative(what: str, number: float) -> None:
    if not 0 <= number < math.inf:
        raise ValueError(f"{what} must be finite and 0 or more, not {number}")

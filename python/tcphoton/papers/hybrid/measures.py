"""The keys that the paper varies, what it measures, and the names of both.

*Throughput* is what the batch of transfers delivers, over the time from its first data to the end
of its last transfer. The columns of a table name a point: the length of the links, the electronic
ports of a switch (n_e), the packet durations that are added to the timer (p), and the arrival rate
of requests.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tcphoton.papers.published import published

if TYPE_CHECKING:
    from collections.abc import Mapping

PUBLISHED = published("hybrid")
GRID, VARIANT = "grid", "variant"
LENGTH = "topology.link.length"
PORTS = "core.electronic-ports"
MARGIN = "traffic.0.transport.rto-margin"
LOAD = "traffic.0.source.per-second"
THROUGHPUT = "batch-throughput"
"""The figure of merit as a sweep has it, in b/s."""

HIGH = 10 ** PUBLISHED["", "power of ten of high load"]
"""Requests per second beyond which the paper calls a load high."""
SEEDS, SEEDS_OF_LONG = 100, 10
"""The paper's seeds for links of 10 and 100 m ("a hundred times"), and for 1000 and 10,000 m ("ten
times")."""
LENGTHS = ("10 m", "100 m", "1000 m", "10000 m")


def point(length: str, ports: int, margin: int, load: float | None = None) -> dict[str, Any]:
    """Return a point, or the curve over the arrival rate that it is on."""
    at: dict[str, Any] = {LENGTH: length, PORTS: ports, MARGIN: margin}
    return at if load is None else {**at, LOAD: load}


def per_second(load: float) -> str:
    """Return an arrival rate as text.

    Examples
    --------
    >>> per_second(1e7), per_second(3e8)
    ('10^7/s', '3·10^8/s')
    """
    power = math.floor(math.log10(load) + 1e-9)
    digits = f"{load / 10**power:g}"
    tens = f"10^{power}/s"
    return tens if digits == "1" else f"{digits}·{tens}"


def named(at: Mapping[str, Any]) -> str:
    """Return the name of a point, as short as it can be.

    Examples
    --------
    >>> named({PORTS: 5, MARGIN: 4, LOAD: 1e8})
    'n_e = 5, p = 4, 10^8/s'
    """
    terms = []
    if PORTS in at:
        terms.append(f"n_e = {at[PORTS]}")
    if MARGIN in at:
        terms.append(f"p = {at[MARGIN]}")
    if LOAD in at:
        terms.append(per_second(at[LOAD]))
    return ", ".join(terms)

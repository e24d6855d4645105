"""What the claims of several figures share: settings, bounds, and how points are named."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tcphoton.papers.comparisons import at_each
from tcphoton.papers.hybrid.measures import LOAD, PUBLISHED, SEEDS_OF_LONG, per_second

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tcphoton.papers.rules import Rule

    At = Mapping[str, Any]

__all__ = [
    "BEFORE",
    "BOUNDS",
    "DOUBLE",
    "FACTOR",
    "FIGURES",
    "HYBRIDS",
    "LIMITS",
    "LONG",
    "MOST",
    "NOISE",
    "NOT_MUCH",
    "NO_BETTER",
    "OF_TWO",
    "OVER",
    "SAW",
    "SAWL",
    "at_loads",
]

FIGURES = {"10 m": "fig2a", "100 m": "fig2b"}
"""The artefact of each length of a data centre."""
LONG = ("1000 m", "10000 m")
HYBRIDS = (2, 5)
MOST = 5
"""The larger of the paper's two numbers of electronic ports."""
SAW, SAWL = 0, 4
"""p of stop-and-wait, and the p > 1 that the paper has of stop-and-wait longer."""
NOT_MUCH = 25.0
"""Per cent by which throughputs may differ and still not differ much: the house's "about"."""
DOUBLE = 2.0
NO_BETTER = 5.0
"""Per cent by which a throughput may lie above another and still not be better."""
BEFORE = 3e6
"""About 10⁷ requests/s: within half a power of ten."""
OVER = PUBLISHED["hybrid.2", "gain"]
FACTOR = PUBLISHED["hybrid.5", "factor"]
BOUNDS = {length: PUBLISHED["hybrid.6", f"bound at {length}"] for length in LONG}
NOISE = 2 * PUBLISHED["", "largest spread"] / math.sqrt(SEEDS_OF_LONG)
"""Two standard errors, as a share, of a mean over the paper's ten seeds with its largest spread."""
OF_TWO = 100 * math.sqrt(2) * NOISE
"""Per cent by which two such means may differ by chance: as likely as one that far from its own."""
LIMITS = {length: bound * (1 + NOISE) for length, bound in BOUNDS.items()}
"""What a mean may reach and still not go above the paper's, whose own mean is as uncertain."""


def at_loads(
    curve: At,
    judge: Callable[[float], Rule],
    low: float = -math.inf,
    high: float = math.inf,
    *,
    largest: bool = True,
) -> Rule:
    """Judge at each arrival rate between two bounds that was run."""
    return at_each(LOAD, curve, judge, low, high, largest=largest, name=per_second)

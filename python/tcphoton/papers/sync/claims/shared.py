"""What the claims of several figures share: settings, bounds, and how points are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tcphoton.papers.comparisons import is_about
from tcphoton.papers.sync.measures import FLOWS, LOSS, PUBLISHED, TIMEOUT, TOP, scheme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcphoton.papers.rules import Rule


__all__ = [
    "COUNTS",
    "DRAWN",
    "FLAT",
    "GIVEN",
    "LONG",
    "MF",
    "MIDDLE",
    "MUCH",
    "PF",
    "SAW",
    "SHORT",
    "SMQ",
    "TIMEOUTS",
    "WHOLE",
    "given",
    "share_of_bursts",
    "with_flows",
]

PF, MF, SMQ = (scheme(name).at for name in ("PF", "MF", "SMQ"))
DRAWN = (10, 15, 25)
"""Numbers of flows that figures 2, 3, 4 and 11 draw."""
COUNTS = (10, 15, 20, 25)
SHORT, MIDDLE, LONG = TIMEOUTS = ("1 ms", "3 ms", "5 ms")
GIVEN = 0.001
"""Table 1's drop probability."""
FLAT = SAW = 10.0
"""Per cent: a throughput is nearly flat with a coefficient of variation below it (the house's
"hardly"), and a saw-tooth where it falls by more around a loss."""
WHOLE = 98.0
"""Per cent of bursts from which all are meant."""
MUCH = 50.0
"""Per cent more from which a deviation is much higher, a threshold of ours."""


def with_flows(flows: int, which: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scheme's rows with so many flows."""
    return {**which, FLOWS: flows}


def given(timeout: str) -> dict[str, Any]:
    """Return the rows of a timeout at Table 1's drop probability."""
    return {TIMEOUT: timeout, LOSS: GIVEN}


def share_of_bursts(claim: str, what: str, at: Mapping[str, Any]) -> Rule:
    """Judge a share of bursts that are nearly full by the number that the paper has for it."""
    return is_about(TOP, at, PUBLISHED[claim, what])

"""What the claims of several figures share: settings, bounds, and how points are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tcphoton.papers.sync.measures import FLOWS, LOSS, PUBLISHED, TIMEOUT, scheme

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = [
    "COUNTS",
    "DRAWN",
    "FLAT",
    "GIVEN",
    "HALF",
    "LONG",
    "MF",
    "MIDDLE",
    "PF",
    "SAW",
    "SHORT",
    "SMQ",
    "TIMEOUTS",
    "TWICE",
    "WHOLE",
    "band",
    "given",
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
HALF = 3.5
"""Percentage points around a published share of bursts. The paper has 62 % and 55 % for one
setting: with half their distance a measured share cannot be both."""
WHOLE = 98.0
"""Per cent of bursts from which all are meant."""
TWICE = 100.0
"""Per cent more from which a deviation is much higher."""


def with_flows(flows: int, which: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scheme's rows with so many flows."""
    return {**which, FLOWS: flows}


def given(timeout: str) -> dict[str, Any]:
    """Return the rows of a timeout at Table 1's drop probability."""
    return {TIMEOUT: timeout, LOSS: GIVEN}


def band(claim: str, what: str) -> tuple[float, float]:
    """Return the bounds around a published share of bursts."""
    published = PUBLISHED[claim, what]
    return published - HALF, published + HALF

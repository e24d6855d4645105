"""What the claims of several figures share: settings, bounds, and how points are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tcphoton.papers.obs.measures import LOSS as P
from tcphoton.papers.obs.measures import SESSIONS, TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "ASSUMED",
    "ASSUMED_OF_EIGHT",
    "ASSUMED_OF_THREE",
    "FAST",
    "SLOW",
    "WINDOW",
    "assumptions",
    "delays_at",
    "stored",
    "variants",
]

FAST, SLOW = SESSIONS[1000], SESSIONS[200]
WINDOW = ("no validation", "validation", "ssthresh from flight")
ASSUMED = ("warm-up of 2 s", "ingress drops", "no fibre delays", "one void", "first fit")
ASSUMED_OF_THREE = (
    "as assumed",
    *ASSUMED,
    "access at 100 Gb/s",
    "no access links",
    "no access links; drops",
)
ASSUMED_OF_EIGHT = ("as assumed", *ASSUMED, "four edges on C1")


def variants(three: bool) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Give name, artefact and rows of each assumption under which a claim is looked at again."""
    network = "three" if three else "eight"
    for variant in WINDOW:
        yield variant, "window", {"grid": f"window-{network}", "variant": variant}
    for seconds in (5, 20, 60):
        at = {"grid": f"length-{network}", "run.duration": f"{seconds} s"}
        yield f"{seconds} s", "length", at


def assumptions(three: bool) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Give name, artefact and rows of each other assumption of ours."""
    network = "three" if three else "eight"
    for variant in ASSUMED_OF_THREE if three else ASSUMED_OF_EIGHT:
        at = {"grid": f"assumptions-{network}", "variant": variant}
        yield variant, "assumptions", at


def stored(three: bool) -> dict[str, Any]:
    """Return the rows of the runs with store-and-forward switches."""
    network = "three" if three else "eight"
    return {"grid": f"forwarding-{network}", "variant": "store-and-forward"}


def delays_at(p: float, timeout: str) -> dict[str, Any]:
    """Return the rows of a drop probability and a timeout."""
    return {P: p, TIMEOUT: timeout}

"""The same rules under other assumptions of ours, each at one point."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from tcphoton.papers.comparisons import between, more
from tcphoton.papers.hybrid.claims.shared import (
    BEFORE,
    BOUNDS,
    DOUBLE,
    FACTOR,
    FIGURES,
    HYBRIDS,
    LIMITS,
    LONG,
    MOST,
    NO_BETTER,
    NOT_MUCH,
    OF_TWO,
    OVER,
    SAW,
    SAWL,
)
from tcphoton.papers.hybrid.measures import (
    LENGTH,
    LOAD,
    MARGIN,
    PORTS,
    THROUGHPUT,
    VARIANT,
    named,
    per_second,
    point,
)
from tcphoton.papers.hybrid.rules import highest, is_times
from tcphoton.papers.parts import under

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton.papers.hybrid.claims.shared import At
    from tcphoton.papers.ledger import Part
    from tcphoton.papers.rules import Rule

__all__ = ["ASSUMED", "BATCHES", "HIGH_TRIED", "LOW_TRIED", "TRIED", "elsewhere"]

ASSUMED = (
    "as assumed",
    "cut-through buffers",
    "T from T′",
    "Karn",
    "the latest copy timed",
    "no set-up or release",
    "a path a flow",
    "buffers of 90 kB",
    "buffers of 900 kB",
    "servers that are idle first",
    "headers within the 9 kB",
    "larger files clipped",
)
BATCHES = (
    "500 files up to 5 MB",
    "256 files up to 1.6 MB",
    "1000 files up to 15 MB",
    "1024 files without a limit",
)
TRIED = {"assumptions": ASSUMED, "batch": BATCHES}
"""Other assumptions by the artefact that tries them."""
LOW_TRIED, HIGH_TRIED = BEFORE, 1e8
"""The arrival rates at which they are tried."""


def elsewhere(claim: str) -> Iterator[Part]:
    """Give the rules of a claim under each of the other assumptions."""
    for artefact, variants in TRIED.items():
        yield from under(variants, artefact, claim, partial(_rules, artefact=artefact))


def _rules(variant: str, artefact: str) -> dict[str, list[tuple[str, str, Rule]]]:
    found: dict[str, list[tuple[str, str, Rule]]] = {}
    for length in FIGURES:
        for claim, name, published, rule in _of_length(variant, length):
            found.setdefault(claim, []).append((f"{length}, {name}", published, rule))
    found["hybrid.1"].append(
        ("10 m, n_e = 5 over 0", f"about {DOUBLE:g} times", _ratio(variant, (5, SAW), DOUBLE))
    )
    found["hybrid.5"] = [
        ("10 m", f"about {FACTOR:g} times", _ratio(variant, (MOST, SAWL), FACTOR)),
    ]
    if artefact == "batch":
        found["hybrid.6"] = [*_of_long(variant)]
    else:
        found["hybrid.4"] = [
            (f"{length}, p = 8 over 4", "no better",
             between(THROUGHPUT, _tried(variant, length, MOST, 8, HIGH_TRIED),
                     _tried(variant, length, MOST, SAWL, HIGH_TRIED), -math.inf, NO_BETTER))
            for length in FIGURES
        ]  # fmt: skip
    return found


def _tried(variant: str, length: str, ports: int, margin: int, load: float) -> At:
    return {VARIANT: variant, **point(length, ports, margin, load)}


def _ratio(variant: str, of: tuple[int, int], factor: float) -> Rule:
    at = _tried(variant, "10 m", *of, HIGH_TRIED)
    return is_times(THROUGHPUT, at, _tried(variant, "10 m", 0, SAW, HIGH_TRIED), factor)


def _of_length(variant: str, length: str) -> Iterator[tuple[str, str, str, Rule]]:
    def at(ports: int, margin: int, load: float = HIGH_TRIED) -> At:
        return _tried(variant, length, ports, margin, load)

    low = (at(MOST, SAW, LOW_TRIED), at(0, SAW, LOW_TRIED))
    near = between(THROUGHPUT, *low, -NOT_MUCH, NOT_MUCH)
    yield "hybrid.1", f"n_e = 5, {per_second(LOW_TRIED)}", "not much", near
    for ports in HYBRIDS:
        gain = more(THROUGHPUT, at(ports, SAWL), at(0, SAW), by=OVER)
        yield "hybrid.2", f"n_e = {ports}", f"over {OVER:g} %", gain
    for ports, fewer in ((2, 0), (MOST, 2)):
        gain = more(THROUGHPUT, at(ports, SAWL), at(fewer, SAWL))
        yield "hybrid.3", f"n_e = {ports} over {fewer}", "better", gain
    ahead = more(THROUGHPUT, at(MOST, SAW), at(0, SAW))
    yield "hybrid.7", f"n_e = 5, {per_second(HIGH_TRIED)}", "ahead", ahead


def _of_long(variant: str) -> Iterator[tuple[str, str, Rule]]:
    for length in LONG:
        at, keys = {VARIANT: variant, LENGTH: length}, (PORTS, MARGIN, LOAD)
        below = highest(THROUGHPUT, at, keys, LIMITS[length], name=named)
        yield f"{length}, highest mean", f"at most {BOUNDS[length]:g} Gb/s", below
        best, base = (_tried(variant, length, *it, HIGH_TRIED) for it in ((MOST, SAWL), (0, SAW)))
        alike = between(THROUGHPUT, best, base, -OF_TWO, OF_TWO)
        yield f"{length}, n_e = 5 and p = 4", "almost the same", alike

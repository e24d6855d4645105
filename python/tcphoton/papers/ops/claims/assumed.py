"""The same rules under other assumptions of ours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tcphoton.papers.comparisons import between, changes_by, far_more, less, lies, more
from tcphoton.papers.ops.claims.shared import (
    CLOSE,
    FAR,
    GAIN,
    LARGE,
    MIXED,
    NO_HIGHER,
    NONE,
    PER_FLOW,
    SCHEMES,
    SHARPLY,
    SLIGHTLY,
    SMALL,
    TURN,
    At,
    rows_of,
)
from tcphoton.papers.ops.measures import (
    BASE_DELTA,
    FAIRNESS,
    JITTER,
    POLICY,
    THROUGHPUT,
    TIMEOUT,
    VARIANT,
    P,
)
from tcphoton.papers.parts import under

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton.papers.ledger import Part
    from tcphoton.papers.rules import Rule

__all__ = ["ASSUMED_OF_TCP", "ASSUMED_OF_UDP", "elsewhere"]

ASSUMED_OF_TCP = (
    "as assumed",
    "minimum RTO of 0.2 s",
    "window of 64 segments",
    "segments of 1460 B",
    "delayed acknowledgments",
    "no limited transmit",
    "access queues of 50 packets",
    "restarting timer",
    "guard of 1 us",
    "from the start",
    "5 s from the start",
    "10 s from the start",
    "20 s",
    "120 s",
)
ASSUMED_OF_UDP = (
    "as assumed",
    "access queues of 50 packets",
    "restarting timer",
    "guard of 1 us",
    "from the start",
    "20 s",
    "120 s",
)


def _assumed(transport: str, variant: str, scheme: str, delta: str = BASE_DELTA) -> At:
    """Return a point of the sensitivity runs; without aggregation there is no timer to restart."""
    if scheme == NONE:
        variant = "as assumed" if variant == "restarting timer" else variant
        return rows_of(f"assumptions-{transport}", NONE, {VARIANT: variant})
    return {VARIANT: variant, POLICY: SCHEMES[scheme], TIMEOUT: delta}


def elsewhere(claim: str) -> Iterator[Part]:
    """Give the rules of a claim under each of the other assumptions."""
    for transport, variants, rules in (
        ("tcp", ASSUMED_OF_TCP, _rules_of_tcp),
        ("udp", ASSUMED_OF_UDP, _rules_of_udp),
    ):
        yield from under(variants, f"assumptions-{transport}", claim, rules)


def _ends(transport: str, variant: str) -> Iterator[At]:
    """Return mixed-flow at the smallest and at the largest Δ, then per-flow at both."""
    for scheme in (MIXED, PER_FLOW):
        for delta in (SMALL, LARGE):
            yield _assumed(transport, variant, scheme, delta)


def _rules_of_tcp(variant: str) -> dict[str, list[tuple[str, str, Rule]]]:
    mixed, none, apart = (_assumed("tcp", variant, each) for each in (MIXED, NONE, PER_FLOW))
    mixed_small, mixed_large, apart_small, apart_large = _ends("tcp", variant)
    without = rows_of("assumptions-tcp", "without", {VARIANT: variant})
    lossless, turn = (
        rows_of("assumptions-tcp", "p", {VARIANT: variant, P: p}) for p in (0.0, TURN)
    )
    return {
        "ops.1": [
            ("mixed-flow over none", "much higher", far_more(THROUGHPUT, mixed, none, FAR)),
            ("mixed-flow over per-flow", "much higher", far_more(THROUGHPUT, mixed, apart, FAR)),
        ],
        "ops.2": [
            ("per-flow over none, Δ = 10 ms", "higher", more(THROUGHPUT, apart_large, none)),
            ("per-flow over none, Δ = 0.1 ms", "no higher",
             between(THROUGHPUT, apart_small, none, -math.inf, NO_HIGHER)),
        ],
        "ops.3": [
            ("mixed-flow, 10 ms over 0.1 ms", "grows", more(THROUGHPUT, mixed_large, mixed_small)),
            ("per-flow, 10 ms over 0.1 ms", "grows", more(THROUGHPUT, apart_large, apart_small)),
        ],
        "ops.4": [
            ("mixed-flow against none", "lower", less(FAIRNESS, mixed, none)),
            ("per-flow against none", "lower", less(FAIRNESS, apart, none)),
            ("mixed-flow, 10 ms over 0.1 ms", "rises slightly",
             between(FAIRNESS, mixed_large, mixed_small, 0, SLIGHTLY)),
            ("per-flow, 10 ms against 1 ms", "falls", less(FAIRNESS, apart_large, apart)),
        ],
        "ops.8": [
            ("throughput", f"about {GAIN:g} %", changes_by(THROUGHPUT, mixed, without, GAIN)),
            ("fairness", "improves", more(FAIRNESS, mixed, without)),
        ],
        "ops.12": [
            ("throughput, p = 0.1 against 0", "falls sharply",
             between(THROUGHPUT, turn, lossless, -math.inf, -SHARPLY)),
            ("fairness, p = 0.1 against 0", "an obvious drop", less(FAIRNESS, turn, lossless)),
        ],
    }  # fmt: skip


def _rules_of_udp(variant: str) -> dict[str, list[tuple[str, str, Rule]]]:
    mixed, none, apart = (_assumed("udp", variant, each) for each in (MIXED, NONE, PER_FLOW))
    mixed_small, mixed_large, apart_small, apart_large = _ends("udp", variant)
    return {
        "ops.5": [
            ("mixed-flow over none", "higher", more(THROUGHPUT, mixed, none)),
            ("per-flow against none", "lower", less(THROUGHPUT, apart, none)),
        ],
        "ops.6": [
            ("mixed-flow", "close to 1", lies(FAIRNESS, mixed, CLOSE, math.inf, unit="")),
            ("per-flow, 10 ms against 0.1 ms", "falls", less(FAIRNESS, apart_large, apart_small)),
        ],
        "ops.7": [
            ("mixed-flow over none", "higher", more(JITTER, mixed, none)),
            ("per-flow over none", "higher", more(JITTER, apart, none)),
            ("mixed-flow over per-flow, Δ = 0.1 ms", "higher",
             more(JITTER, mixed_small, apart_small)),
            ("mixed-flow against per-flow, Δ = 10 ms", "lower",
             less(JITTER, mixed_large, apart_large)),
        ],
    }  # fmt: skip

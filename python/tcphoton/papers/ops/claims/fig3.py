"""The claims on TCP under the schemes of aggregation: figure 3."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tcphoton.papers.comparisons import between, far_more, less, more
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.ops.claims.assumed import elsewhere
from tcphoton.papers.ops.claims.shared import (
    FAR,
    LARGE,
    MIXED,
    NO_HIGHER,
    NONE,
    PER_FLOW,
    SCHEMES,
    SMALL,
    against,
    at_delta,
    grows,
    rises_slightly,
    rows_of,
)
from tcphoton.papers.ops.measures import BASE_DELTA, FAIRNESS, THROUGHPUT
from tcphoton.papers.rules import robust

if TYPE_CHECKING:
    from tcphoton.papers.rules import Rule

__all__ = ["CLAIMS"]


def _no_higher(delta: str) -> Rule:
    per_flow, none = at_delta("tcp", PER_FLOW, delta), rows_of("tcp", NONE)
    return robust(
        NO_HIGHER, lambda percent: between(THROUGHPUT, per_flow, none, -math.inf, percent)
    )


CLAIMS = (
    Claim(
        "ops.1",
        "TCP throughput: mixed-flow aggregation lies far over per-flow and over none.",
        "Mixed-flow aggregation achieves much higher TCP throughput than per-flow aggregation and "
        "no aggregation.",
        "Far: by more than 20 %, which the paper calls a significant improvement elsewhere; at "
        "every Δ from the baseline of 1 ms on. Δ = 0.1 ms is shown beside: with a size limit of "
        "five packets all schemes are nearly the same.",
        tuple(
            part
            for base in (PER_FLOW, NONE)
            for part in against(
                f"over {base}",
                "much higher",
                "fig3a",
                lambda at, base: far_more(THROUGHPUT, at, base, FAR),
                ("tcp", MIXED, base),
            )
        ),
        sensitivity=tuple(elsewhere("ops.1")),
    ),
    Claim(
        "ops.2",
        "TCP throughput: per-flow aggregation beats none only at large Δ.",
        "Per-flow aggregation achieves higher throughput than no aggregation only at large "
        "aggregation intervals.",
        "Higher at the largest Δ, 10 ms; no higher, or by less than 5 %, a threshold of ours, at "
        "the smallest, 0.1 ms. From where on it is higher is not printed; 1 ms is shown beside.",
        (
            Part(
                f"Δ = {LARGE}",
                "higher",
                "fig3a",
                more(THROUGHPUT, at_delta("tcp", PER_FLOW, LARGE), rows_of("tcp", NONE)),
            ),
            *(
                Part(
                    f"Δ = {delta}",
                    "no higher",
                    "fig3a",
                    _no_higher(delta),
                    counts=delta == SMALL,
                )
                for delta in (SMALL, BASE_DELTA)
            ),
        ),
        sensitivity=tuple(elsewhere("ops.2")),
        changes=(
            "No higher was asked at 1 ms, too, the middle of a logarithmic axis: the text has no "
            "number for large. Ours cross between 0.2 and 0.5 ms. The words are the reason. Under "
            "the old rule: differs.",
        ),
    ),
    Claim(
        "ops.3",
        "TCP throughput grows with Δ under both schemes.",
        "For both mixed-flow aggregation and per-flow aggregation, TCP throughput increases with "
        "Δ.",
        "The slope over Δ lies above 0 for both.",
        tuple(
            Part(name, "grows", "fig3a", grows("tcp", THROUGHPUT, scheme, 1e-6, "Mb/s"))
            for scheme, name in SCHEMES.items()
        ),
        sensitivity=tuple(elsewhere("ops.3")),
    ),
    Claim(
        "ops.4",
        "Aggregation lowers TCP's fairness; mixed-flow's rises slightly with Δ, per-flow's falls "
        "at large Δ.",
        "In general, packet aggregation degrades the TCP fairness. […] With mixed-flow "
        "aggregation, TCP fairness index slightly increases with Δ. […] For per-flow aggregation, "
        "however, TCP fairness index decreases when Δ is large.",
        "Lower than without aggregation at every Δ from 1 ms on. Slightly: from 0.1 to 10 ms "
        "mixed-flow's index rises by less than 10 %. Per-flow's is lower at 10 ms than at 1 ms.",
        (
            *(
                part
                for scheme, name in SCHEMES.items()
                for part in against(
                    f"{name} against none",
                    "lower",
                    "fig3b",
                    lambda at, base: less(FAIRNESS, at, base),
                    ("tcp", scheme, NONE),
                )
            ),
            Part(
                "mixed-flow, 10 ms over 0.1 ms",
                "rises slightly",
                "fig3b",
                rises_slightly(FAIRNESS, "tcp", MIXED),
            ),
            Part(
                "per-flow, 10 ms against 1 ms",
                "falls",
                "fig3b",
                less(
                    FAIRNESS,
                    at_delta("tcp", PER_FLOW, LARGE),
                    at_delta("tcp", PER_FLOW, BASE_DELTA),
                ),
            ),
        ),
        sensitivity=tuple(elsewhere("ops.4")),
    ),
)

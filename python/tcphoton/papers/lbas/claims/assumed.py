"""The same rules under other assumptions of ours, at b_D = 2, 80 % and U = 100 Mb/s."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tcphoton.papers.lbas.claims.shared import HIGH, OVER, change
from tcphoton.papers.lbas.measures import (
    ACCESS,
    EJSQ,
    HOST_QUEUE,
    HOST_QUEUES,
    IDEAL,
    NOT,
    RR,
    VARIANT,
    cell,
)
from tcphoton.papers.ledger import Part
from tcphoton.papers.rules import HARDLY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton.papers.lbas.claims.shared import At

__all__ = ["CELL", "COMPARED", "SCHEDULER", "SSTHRESH", "TRIED", "elsewhere"]

SCHEDULER, SSTHRESH, CELL = "core.scheduler", "traffic.2.transport.initial-ssthresh", "cell"
TRIED: dict[str, dict[str, tuple[str, str]]] = {
    "iterations": {
        "iSLIP with 1 iteration": (SCHEDULER, '{ kind = "islip", iterations = 1 }'),
        "iSLIP with 4 iterations": (SCHEDULER, '{ kind = "islip", iterations = 4 }'),
        "PIM with 1 iteration": (SCHEDULER, '{ kind = "pim", iterations = 1 }'),
        "maximum size": (SCHEDULER, '{ kind = "maximum-size" }'),
    },
    "ssthresh": {
        "ssthresh 65,535 B": (SSTHRESH, "65535 B"),
        "ssthresh unlimited": (SSTHRESH, "unlimited"),
    },
    "host-queue": {
        f"{name} at the host": (HOST_QUEUE, value) for name, value in HOST_QUEUES.items()
    },
    "assumptions": {
        "as assumed": (CELL, "as assumed"),
        "input buffer of 64 kB": (CELL, "input buffer of 64 kB"),
        "7 B of framing a packet": (CELL, "7 B of framing a packet"),
        "one RTT": (CELL, "one RTT"),
        "buffers of 1 MB": (CELL, "buffers of 1 MB"),
    },
}
"""What is tried instead, by artefact and name: a key and its value."""
COMPARED = {
    "lbas.2": (
        (IDEAL, NOT, 0.0, math.inf, "better"),
        (RR, IDEAL, -math.inf, -OVER, "over 60 % less"),
    ),
    "lbas.3": ((EJSQ, RR, 0.0, math.inf, "better"),),
    "lbas.7": ((EJSQ, NOT, -math.inf, HARDLY, "below"),),
}  # fmt: skip


def elsewhere(claim: str) -> Iterator[Part]:
    """Give the rules of a claim under each of the other assumptions."""
    for artefact, ways in TRIED.items():
        for name, (key, value) in ways.items():
            for policy, base, low, high, said in COMPARED[claim]:
                here, there = (_tried(each, key, value) for each in (policy, base))
                rule = change(here, there, low, high)
                yield Part(f"{name}, {policy} against {base}", said, artefact, rule)


def _tried(policy: str, key: str, value: str) -> At:
    """Return the point of a policy; the switch of ideal-JSQ has neither scheduler nor VOQs."""
    at: dict[str, Any] = {VARIANT: policy, ACCESS: "100 Mb/s", CELL: cell(2, HIGH)}
    if policy == IDEAL and key == SCHEDULER:
        return at
    if policy == IDEAL and value == "input buffer of 64 kB":
        value = "as assumed"
    return {**at, key: value}

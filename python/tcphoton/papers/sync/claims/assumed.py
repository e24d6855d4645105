"""The same rules in the access network under other assumptions, and with one queue for all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tcphoton.papers.comparisons import far_more, lies, more
from tcphoton.papers.parts import under
from tcphoton.papers.sync.claims.shared import (
    DRAWN,
    FLAT,
    MF,
    MIDDLE,
    MUCH,
    PF,
    SAW,
    SMQ,
    WHOLE,
    share_of_bursts,
    with_flows,
)
from tcphoton.papers.sync.measures import SAMPLE, START, TIMEOUT, TOP
from tcphoton.papers.sync.rules import closer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton.papers.ledger import Part
    from tcphoton.papers.rules import Rule

__all__ = ["ASSUMED_OF_ACCESS", "on_access", "on_one_queue"]

ASSUMED_OF_ACCESS = (
    "as assumed",
    "packets of 1040 B",
    "electronic way back",
    "queue of 50 packets",
    "round trip of 200 ms",
    "receivers 100 ms away",
    "from the start",
    "minimum RTO of 1 s",
)


def on_access(claim: str) -> Iterator[Part]:
    """Give a rule of the access network under other assumptions."""
    return under(ASSUMED_OF_ACCESS, "assumptions-access", claim, _rules_of_access)


def _rules_of_access(variant: str) -> dict[str, list[tuple[str, str, Rule]]]:
    mixed, apart = ({**at, "variant": variant} for at in (MF, PF))
    return {
        "sync.1": [("PF", "nearly flat", lies("throughput-cov", apart, -math.inf, FLAT))],
        "sync.4": [("T = 3 ms", "62 %", share_of_bursts("sync.4", "T = 3 ms", mixed))],
        "sync.8": [("MF over PF", "much higher", far_more("throughput-std", mixed, apart, MUCH))],
    }


def on_one_queue(claim: str) -> Iterator[Part]:
    """Give the rules of the access network where all flows share one queue and one link."""
    return under(["one queue for all"], "one-queue", claim, lambda _: _rules_of_one_queue())


def _rules_of_one_queue() -> dict[str, list[tuple[str, str, Rule]]]:
    mixed, static, apart = (with_flows(DRAWN[-1], at) for at in (MF, SMQ, PF))
    together, spread = (
        {"grid": "one-queue-starts", START: start, TIMEOUT: MIDDLE} for start in ("0 s", "50 s")
    )
    return {
        "sync.1": [
            ("PF", "nearly flat", lies("throughput-cov", apart, -math.inf, FLAT)),
            ("MF", "saw-tooth", lies("fall-share", mixed, SAW, math.inf)),
            ("SMQ, from PF to MF", "in between, closer to PF",
             closer("throughput-cov", [(static, apart, mixed)], power=2)),
        ],
        "sync.4": [("T = 3 ms", "62 %", share_of_bursts("sync.4", "T = 3 ms", spread))],
        "sync.6": [
            ("starting together", "100 %", lies(TOP, together, WHOLE, math.inf)),
            ("starting within 50 s", "55 %",
             share_of_bursts("sync.6", "starting within 50 s", spread)),
        ],
        "sync.8": [("MF over PF", "much higher", far_more("throughput-std", mixed, apart, MUCH))],
        "sync.13": [("MF over PF, index", "higher", more(SAMPLE, mixed, apart))],
    }  # fmt: skip

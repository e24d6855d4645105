"""The claims on packets that are reordered, and on a choice at random."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tcphoton.papers.lbas.claims.shared import NO_LIMIT, everywhere, pairs_of
from tcphoton.papers.lbas.measures import (
    EJSQ,
    FAST,
    GOODPUT,
    IDEAL,
    JSVOQ,
    PUBLISHED,
    RANDOM,
    REORDERED,
    RR,
)
from tcphoton.papers.lbas.rules import never, pooled, rare, stays_below
from tcphoton.papers.ledger import Claim, Part

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["CLAIMS"]

REORDERS = "traffic.2.reordered"
FEW = PUBLISHED["lbas.4", "most fast retransmits"]
UNIT = "a file of 500 MB"


def _in_order() -> Iterator[Part]:
    every = everywhere([IDEAL])
    yield Part("ideal-JSQ, packets that came late", "never", "reordering", never(REORDERS, every))
    fast = rare(FAST, everywhere([EJSQ], [1000]), FEW, UNIT)
    yield Part("e-JSQ, U = 1000, fast retransmits", "at most about 10", "reordering", fast)
    for access in (10, 100):
        fast = rare(FAST, everywhere([EJSQ], [access]), FEW, UNIT)
        name = f"e-JSQ, U = {access}, fast retransmits"
        yield Part(name, "at most about 10", "reordering", fast, counts=False)
    share = stays_below(REORDERED, everywhere([EJSQ]), 1.0, "% of packets")
    yield Part("e-JSQ, packets that came late", "rare", "reordering", share, counts=False)


def _by_chance() -> Iterator[Part]:
    for policy in (RR, JSVOQ):
        both = pooled(GOODPUT, pairs_of([RANDOM], policy, (100, 1000)), -math.inf, 0)
        yield Part(f"Random against {policy}", "worse", "random", both)
    for access in (100, 1000):
        for policy in (RR, JSVOQ):
            rule = pooled(GOODPUT, pairs_of([RANDOM], policy, (access,)), -math.inf, 0)
            name = f"U = {access}, Random against {policy}"
            yield Part(name, "worse", "random", rule, counts=False)


CLAIMS = (
    Claim(
        "lbas.4",
        "ideal-JSQ never reorders a packet; e-JSQ's fast retransmits are rare, 5 to 10 in a "
        "transfer of 500 MB at U = 1000.",
        "However, it is interesting to note that this goodput reduction comes from very "
        "infrequent Fast Retransmit episodes (e.g. 5-10 events during the transmission of a 500 "
        "MB file).",
        "Never: no data packet of TCP came behind a later one in any run of ideal-JSQ. Rare: for "
        "each b_D and ρ at U = 1000, a connection has at most about 10 fast retransmits, that is "
        "12.5, for each 500 MB that it delivers; fewer are no less rare, and cells without a loss "
        "of goodput have none in the paper either. Those at U = 10 and 100, whose files are "
        "smaller, and the share of late packets, below 1 %, are shown beside.",
        tuple(_in_order()),
        changes=(NO_LIMIT,),
        because=(
            "At a load of 80 % with three and four lightpaths e-JSQ reorders more than published: "
            "38 and 51 fast retransmits a file for 5 to 10; why is open."
        ),
    ),
    Claim(
        "lbas.6",
        "Random is worse than RR and JSVOQ.",
        "Results for the Random AS case are not shown since their performance is worse than the "
        "one of RR and JSVOQ algorithms.",
        "The sentence is about performance as a whole, and names no cell: the geometric mean of "
        "the ratio of goodputs over all cells at U = 100 and 1000 and all seeds that both have is "
        "below 1, against RR and against JSVOQ. At U = 10 nothing much is lost. Each U by itself "
        "is shown beside.",
        tuple(_by_chance()),
        changes=(NO_LIMIT,),
    ),
)

"""The claims on how many flows a burst holds: figures 7, 9 and 10."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tcphoton.papers.comparisons import fewer, lies
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.sync.claims.assumed import on_access, on_one_queue
from tcphoton.papers.sync.claims.shared import LONG, MIDDLE, SHORT, WHOLE, band, given
from tcphoton.papers.sync.measures import START, TIMEOUT, TOP

if TYPE_CHECKING:
    from tcphoton.papers.rules import Rule

__all__ = ["CLAIMS"]


def _share(name: str) -> Rule:
    """Judge a share of bursts by the number that the paper has for it."""
    return lies(TOP, given(name.removeprefix("T = ")), *band("sync.4", name))


SHARES = (
    "Shares are compared by their difference in percentage points and no longer by their quotient, "
    "which has no interval where a share may be 0. Changed after the first quick runs, before any "
    "full one."
)

CLAIMS = (
    Claim(
        "sync.4",
        "Bursts that hold more than 80 % of the flows (MF, 15 flows): most with a timeout of 3 ms, "
        "about 62 %; about 55 % with 5 ms; fewer with 1 ms. Section 3.3 has 55 % for the setting "
        "that has 62 % here (sync.6), and both cannot be.",
        "The percentage of bursts with the highest number of flows inside reaches its highest "
        "value, about 62%, for timeout=3 ms. […] When the timeout is very high, the percentage of "
        "bursts with a high number of flows inside decreases, since more flows are awaiting longer "
        "for acknowledgments. Still, the percentage of burst with at least one segment per flow is "
        "55%.",
        "p = 0.001. The share of bursts in the class 80 to 100 % lies within 3.5 percentage points "
        "of 62 % with 3 ms and of 55 % with 5 ms: half the distance of the two numbers that the "
        "paper has for 3 ms, so that no share is both. With 3 ms it lies above those with 5 and "
        "with 1 ms.",
        (
            Part(f"T = {MIDDLE}", "about 62 %", "fig7", _share(f"T = {MIDDLE}")),
            Part(f"T = {LONG}", "about 55 %", "fig7", _share(f"T = {LONG}")),
            *(
                Part(
                    f"T = {other} against {MIDDLE}",
                    "fewer",
                    "fig7",
                    fewer(TOP, given(other), given(MIDDLE)),
                )
                for other in (SHORT, LONG)
            ),
        ),
        sensitivity=(*on_access("sync.4"), *on_one_queue("sync.4")),
        changes=(SHARES,),
        because=(
            "Two runs differ by some 15 percentage points, and the rule allows 3.5: ten seeds "
            "cannot show the published 62 and 55 %. More bursts are full after 1000 s than "
            "before."
        ),
    ),
    Claim(
        "sync.6",
        "With T = 3 ms and all flows starting together 100 % of bursts hold every flow; with "
        "starts over 50 s about 55 %. Figure 7 has 62 % for the latter (sync.4), and both cannot "
        "be.",
        "Figure 9 shows that when the flows start their transmission at the same time, there are "
        "100% of bursts with at least one segment per flow, i.e., complete flow synchronization. "
        "In contrast, when flows start their transmission in a range of 0–50 s the percentage of "
        "the bursts with at least one segment per flows is 55% and the distribution of the flows "
        "is more uniform (see Fig. 10). […] if the range of their arrival time grows, then the "
        "flows get less synchronized.",
        "MF, 15 flows, p = 0.001. The figures have classes of 20 % of the flows, so the share is "
        "that of the class 80 to 100 %: above 98 % where all start together, within 3.5 percentage "
        "points of 55 % with starts over 50 s. Beside: bursts that hold every flow, and figure 9's "
        "other timeouts. (Of one queue for all, a burst of 1 ms has room for 9 packets.)",
        (
            Part(
                "starting together",
                "100 %",
                "fig10",
                lies(TOP, {START: "0 s", TIMEOUT: MIDDLE}, WHOLE, math.inf),
            ),
            Part(
                "starting within 50 s",
                "55 %",
                "fig10",
                lies(
                    TOP, {START: "50 s", TIMEOUT: MIDDLE}, *band("sync.6", "starting within 50 s")
                ),
            ),
            Part(
                "within 0.1 s against together",
                "fewer",
                "fig10",
                fewer(TOP, *({START: start, TIMEOUT: MIDDLE} for start in ("0.1 s", "0 s"))),
                counts=False,
            ),
            Part(
                "within 50 s against 0.1 s",
                "fewer",
                "fig10",
                fewer(TOP, *({START: start, TIMEOUT: MIDDLE} for start in ("50 s", "0.1 s"))),
                counts=False,
            ),
            *(
                Part(
                    f"every flow, {name}",
                    published,
                    "fig10",
                    lies("flows-all", {START: start, TIMEOUT: MIDDLE}, low, high),
                    counts=False,
                )
                for name, start, published, low, high in (
                    ("starting together", "0 s", "100 %", WHOLE, math.inf),
                    (
                        "starting within 50 s",
                        "50 s",
                        "55 %",
                        *band("sync.6", "starting within 50 s"),
                    ),
                )
            ),
            *(
                Part(
                    f"starting together, T = {timeout}",
                    "100 %",
                    "fig9",
                    lies(TOP, {START: "0 s", TIMEOUT: timeout}, WHOLE, math.inf),
                    counts=False,
                )
                for timeout in (SHORT, LONG)
            ),
        ),
        sensitivity=tuple(on_one_queue("sync.6")),
        changes=(SHARES,),
        because=(
            "Two runs differ by some 15 percentage points, and the rule allows 3.5: ten seeds "
            "cannot show the published 55 %. The order of the three starts is as published."
        ),
    ),
)

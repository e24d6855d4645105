"""The claims on the congestion factor and what deflection gains: figure 8."""

from __future__ import annotations

import math

from tcphoton.papers.comparisons import at_each, between, less, rises_with
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.ops.claims.assumed import elsewhere
from tcphoton.papers.ops.claims.shared import (
    SHARPLY,
    TURN,
    WITHOUT,
    close_to_1,
    letter,
    rows_of,
    with_p,
)
from tcphoton.papers.ops.measures import BASE_P, FAIRNESS, JITTER, THROUGHPUT, P
from tcphoton.papers.ops.rules import beyond, gains_more, milder, near, straight
from tcphoton.papers.rules import HARDLY, robust

__all__ = ["CLAIMS"]


def _close_to_1(artefact: str, transport: str, grid: str, x: str) -> Part:
    at = rows_of(transport, grid)
    rule = at_each(x, at, lambda value: close_to_1({**at, x: value}))
    return Part(f"{transport.upper()} fairness, every {letter(x)}", "close to 1", artefact, rule)


CLAIMS = (
    Claim(
        "ops.11",
        "UDP throughput falls linearly in p; fairness stays close to 1.",
        "For UDP, the throughput decreases linearly with respect to p, because the amount of "
        "packet losses is proportional to p. […] Regarding fairness, UDP can achieve almost "
        "perfect fairness irrespective of p.",
        "p from 0 to 1. The slope lies below 0, and no point lies further off the straight line of "
        "least squares than 10 % of the line's fall. The index is 0.99 or more at every p.",
        (
            Part(
                "slope over p",
                "decreases",
                "fig8",
                rises_with(
                    THROUGHPUT, P, rows_of("udp", "p"), "Mb/s per 0.1", scale=1e-7, down=True
                ),
            ),
            Part("off the line", "linear", "fig8", straight(THROUGHPUT, P, rows_of("udp", "p"))),
            _close_to_1("fig8", "udp", "p", P),
        ),
    ),
    Claim(
        "ops.12",
        "TCP throughput falls sharply from p = 0 to 0.1, and fairness drops; beyond, throughput "
        "falls mildly, fairness hardly.",
        "For TCP, in contrast, the throughput drops sharply as p increases from 0 to 0.1, and then "
        "keeps on decreasing more mildly. […] For TCP, the fairness index shows an obvious drop "
        "when p increases from 0 to 0.1, similar to the throughput performance. The increase of p "
        "beyond that does not show much effect on the fairness index.",
        "Sharply: the throughput falls by more than 10 %, a threshold of ours, from 0 to 0.1. An "
        "obvious drop: the fairness is lower. Mildly: from 0.1 to 1 the throughput falls, by less "
        "than half as much, ours, for each 0.1. Hardly: at each larger p the index is within 10 %, "
        "ours, of that at 0.1, or one run would not show the difference.",
        (
            Part(
                "throughput, p = 0.1 against 0",
                "falls sharply",
                "fig8",
                robust(
                    SHARPLY,
                    lambda percent: between(
                        THROUGHPUT, with_p("tcp", TURN), with_p("tcp", 0.0), -math.inf, -percent
                    ),
                ),
            ),
            Part(
                "fairness, p = 0.1 against 0",
                "an obvious drop",
                "fig8",
                less(FAIRNESS, with_p("tcp", TURN), with_p("tcp", 0.0)),
            ),
            Part(
                "throughput from p = 0.1 on",
                "falls",
                "fig8",
                beyond(
                    P,
                    TURN,
                    rises_with(
                        THROUGHPUT, P, rows_of("tcp", "p"), "Mb/s per 0.1", scale=1e-7, down=True
                    ),
                ),
            ),
            Part(
                "throughput, steepness beyond",
                "milder",
                "fig8",
                milder(THROUGHPUT, P, rows_of("tcp", "p"), TURN),
            ),
            Part(
                "fairness from p = 0.1 on",
                "hardly",
                "fig8",
                beyond(P, TURN, near(FAIRNESS, P, rows_of("tcp", "p"), TURN, HARDLY)),
            ),
        ),
        sensitivity=tuple(elsewhere("ops.12")),
        changes=(
            'The fairness had to fall by more than 10 %, too: "sharply" is said of the throughput. '
            "The words are the reason. Under the old rule: differs.",
        ),
        because=(
            "The fairness falls by 3 to 9 % in runs of 5 to 10 s, by 2 % in 20 s and not in 60 s: "
            "it is a transient, and the paper does not say how long its runs are. In 20 s ops.8 "
            "and 12 hold, and ops.4 cannot be told."
        ),
    ),
    Claim(
        "ops.13",
        "A larger p gives a smaller UDP jitter.",
        "Our results also show that larger p leads to smaller UDP delay jitter, because fewer "
        "deflected packets are received.",
        "The slope over p lies below 0, p from 0 to 1.",
        (
            Part(
                "slope over p",
                "falls",
                "fig8",
                rises_with(JITTER, P, rows_of("udp", "p"), "ms per 0.1", scale=1e2, down=True),
            ),
        ),
    ),
    Claim(
        "ops.14",
        "Deflection can raise UDP throughput by even more than TCP's; UDP fairness is close to 1 "
        "with and without it.",
        "With or without deflection, UDP can always achieve very good fairness. Regarding "
        "throughput, as UDP does not have any back-off mechanism in response to out-of-order "
        "packet delivery, deflected packets directly account for throughput improvement, and the "
        "improvement can be even more prominent than TCP.",
        "Mixed-flow, Δ = 1 ms, p = 0.2: what deflection adds to the throughput in per cent is more "
        "for UDP than for TCP. The index of UDP is 0.99 or more with and without it. p = 0 and 0.1 "
        "are shown beside.",
        (
            *(
                Part(
                    f"UDP's gain over TCP's, p = {p:g}",
                    "even more",
                    "deflection",
                    gains_more(
                        THROUGHPUT,
                        (with_p("udp", p), rows_of("udp", "without")),
                        (with_p("tcp", p), WITHOUT),
                    ),
                    counts=p == BASE_P,
                )
                for p in (BASE_P, 0.0, TURN)
            ),
            *(
                Part(
                    f"UDP fairness, {name}",
                    "close to 1",
                    "deflection",
                    close_to_1(at),
                )
                for name, at in (
                    ("with deflection", with_p("udp", BASE_P)),
                    ("without", rows_of("udp", "without")),
                )
            ),
        ),
    ),
)

"""The claims of the paper in the order of its sheet, with what is looked at for each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tcphoton.papers.comparisons import (
    at_each,
    between,
    changes_by,
    hardly_moves,
    less,
    lies,
    more,
    rises_with,
)
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.ops.measures import (
    BASE_DELTA,
    BASE_MU,
    BASE_P,
    BASE_SIGMA,
    DELTA,
    FAIRNESS,
    FORMULA,
    GRID,
    JITTER,
    MU,
    POLICY,
    PUBLISHED,
    REORDERED,
    SIGMA,
    THROUGHPUT,
    TIMEOUT,
    VARIANT,
    P,
)
from tcphoton.papers.ops.rules import (
    beyond,
    gains_more,
    is_that_of,
    milder,
    near,
    of_measured,
    straight,
)
from tcphoton.papers.parts import under
from tcphoton.papers.rules import HARDLY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tcphoton.papers.rules import Rule

__all__ = ["ASSUMED_OF_TCP", "ASSUMED_OF_UDP", "CLAIMS"]

FAR = 20.0
"""Per cent from which a throughput is far over another: what the paper calls significant."""
NO_HIGHER = 5.0
"""Per cent by which a throughput may lie above another and still not beat it."""
SLIGHTLY = SHARPLY = HARDLY
"""Per cent: a change is slight below the house's "hardly", and sharp beyond it."""
EQUAL = 2.0
"""Per cent within which a throughput does not depend on something at all."""
CLOSE = 0.99
"""Jain's index from which it is close to 1: a coefficient of variation of ten per cent between the
flows gives 1 / (1 + 0.1²)."""
GAIN = PUBLISHED["ops.8", "gain by deflection"]
TURN = PUBLISHED["ops.12", "end of the sharp drop"]
SMALL, LARGE = "0.1 ms", "10 ms"
"""The smallest and the largest Δ."""
FROM_BASE = 1e-3
"""Seconds of Δ from which schemes are compared: Table I's value. Below it an optical packet holds
hardly more than one IP packet, and where it holds one, all schemes are the same."""

MIXED, PER_FLOW, NONE = "mixed", "per-flow", "none"
SCHEMES = {MIXED: "mixed-flow", PER_FLOW: "per-flow"}
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

At = dict[str, Any]


def _at(transport: str, grid: str, more: Mapping[str, Any] | None = None) -> At:
    return {GRID: f"{transport}-{grid}", **(more or {})}


def _delta(transport: str, scheme: str, delta: str) -> At:
    return _at(transport, scheme, {DELTA: delta})


# Schemes of aggregation, figures 3 to 5.


def _against(
    name: str,
    published: str,
    artefact: str,
    judge: Callable[[At, At], Rule],
    schemes: tuple[str, str, str],
) -> Iterator[Part]:
    """Compare a scheme with another at every Δ from the baseline on; below it is shown beside."""
    transport, scheme, base = schemes

    def at(delta: str) -> Rule:
        there = _delta(transport, base, delta) if base in SCHEMES else _at(transport, base)
        return judge(_delta(transport, scheme, delta), there)

    every = at_each(DELTA, _at(transport, scheme), at, low=FROM_BASE)
    yield Part(name, published, artefact, every)
    yield Part(f"{name}, Δ = {SMALL}", published, artefact, at(SMALL), counts=False)


def _grows(transport: str, value: str, scheme: str, scale: float, unit: str) -> Rule:
    """Judge the slope of a measure over Δ."""
    return rises_with(value, DELTA, _at(transport, scheme), f"{unit} per ms", scale=scale * 1e-3)


def _falls_over(transport: str, scheme: str, scale: float, unit: str) -> Rule:
    at = _at(transport, scheme)
    return rises_with(FAIRNESS, DELTA, at, f"{unit} per ms", scale=scale * 1e-3, down=True)


def _end_to_end(value: str, transport: str, scheme: str, low: float, high: float) -> Rule:
    """Judge how much a measure changes from the smallest Δ to the largest."""
    large, small = (_delta(transport, scheme, each) for each in (LARGE, SMALL))
    return between(value, large, small, low, high)


# The deflection cost and the congestion factor, figures 6 to 8.


def _with_p(transport: str, p: float) -> At:
    return _at(transport, "p", {P: p})


def _close_to_1(artefact: str, transport: str, grid: str, x: str) -> Part:
    at = _at(transport, grid)
    rule = at_each(x, at, lambda value: lies(FAIRNESS, {**at, x: value}, CLOSE, math.inf, unit=""))
    return Part(f"{transport.upper()} fairness, every {_letter(x)}", "close to 1", artefact, rule)


def _letter(x: str) -> str:
    return {MU: "µ", SIGMA: "σ", P: "p", DELTA: "Δ"}[x]


# The same rules under other assumptions of ours.


def _assumed(transport: str, variant: str, scheme: str, delta: str = BASE_DELTA) -> At:
    """Return a point of the sensitivity runs; without aggregation there is no timer to restart."""
    if scheme == NONE:
        variant = "as assumed" if variant == "restarting timer" else variant
        return _at(f"assumptions-{transport}", NONE, {VARIANT: variant})
    return {VARIANT: variant, POLICY: SCHEMES[scheme], TIMEOUT: delta}


def _elsewhere(claim: str) -> Iterator[Part]:
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
    without = _at("assumptions-tcp", "without", {VARIANT: variant})
    lossless, turn = (_at("assumptions-tcp", "p", {VARIANT: variant, P: p}) for p in (0.0, TURN))
    return {
        "ops.1": [
            ("mixed-flow over none", "much higher", more(THROUGHPUT, mixed, none, by=FAR)),
            ("mixed-flow over per-flow", "much higher", more(THROUGHPUT, mixed, apart, by=FAR)),
        ],
        "ops.2": [
            ("per-flow over none, Δ = 10 ms", "higher", more(THROUGHPUT, apart_large, none)),
            ("per-flow over none, Δ = 1 ms", "no higher",
             between(THROUGHPUT, apart, none, -math.inf, NO_HIGHER)),
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
            ("fairness, p = 0.1 against 0", "falls sharply",
             between(FAIRNESS, turn, lossless, -math.inf, -SHARPLY)),
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


BASE = _with_p("tcp", BASE_P)
WITHOUT = _at("tcp", "without")
SHORT_RANGE = {MU: 10e-3, SIGMA: 4e-3}
"""A point in the middle of the ranges that are taken for µ and σ, in s."""

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
            for part in _against(
                f"over {base}",
                "much higher",
                "fig3a",
                lambda at, base: more(THROUGHPUT, at, base, by=FAR),
                ("tcp", MIXED, base),
            )
        ),
        sensitivity=tuple(_elsewhere("ops.1")),
    ),
    Claim(
        "ops.2",
        "TCP throughput: per-flow aggregation beats none only at large Δ.",
        "Per-flow aggregation achieves higher throughput than no aggregation only at large "
        "aggregation intervals.",
        "Higher at the largest Δ, 10 ms; no higher, or by less than 5 %, at 0.1 and 1 ms.",
        (
            Part(
                f"Δ = {LARGE}",
                "higher",
                "fig3a",
                more(THROUGHPUT, _delta("tcp", PER_FLOW, LARGE), _at("tcp", NONE)),
            ),
            *(
                Part(
                    f"Δ = {delta}",
                    "no higher",
                    "fig3a",
                    between(
                        THROUGHPUT,
                        _delta("tcp", PER_FLOW, delta),
                        _at("tcp", NONE),
                        -math.inf,
                        NO_HIGHER,
                    ),
                )
                for delta in (SMALL, BASE_DELTA)
            ),
        ),
        sensitivity=tuple(_elsewhere("ops.2")),
    ),
    Claim(
        "ops.3",
        "TCP throughput grows with Δ under both schemes.",
        "For both mixed-flow aggregation and per-flow aggregation, TCP throughput increases with "
        "Δ.",
        "The slope over Δ lies above 0 for both.",
        tuple(
            Part(name, "grows", "fig3a", _grows("tcp", THROUGHPUT, scheme, 1e-6, "Mb/s"))
            for scheme, name in SCHEMES.items()
        ),
        sensitivity=tuple(_elsewhere("ops.3")),
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
                for part in _against(
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
                _end_to_end(FAIRNESS, "tcp", MIXED, 0, SLIGHTLY),
            ),
            Part(
                "per-flow, 10 ms against 1 ms",
                "falls",
                "fig3b",
                less(
                    FAIRNESS,
                    _delta("tcp", PER_FLOW, LARGE),
                    _delta("tcp", PER_FLOW, BASE_DELTA),
                ),
            ),
        ),
        sensitivity=tuple(_elsewhere("ops.4")),
    ),
    Claim(
        "ops.5",
        "UDP throughput (L = 800 Mb/s): mixed-flow over none over per-flow, hardly depending on Δ.",
        "Regarding throughput, like the TCP case, mixed-flow aggregation achieves higher values "
        "than per-flow aggregation and no aggregation, because it reduces contention and hence "
        "packet losses. On the other hand, unlike TCP, per-flow aggregation achieves lower "
        "throughput than no aggregation. […] We also observe that UDP throughput does not show "
        "much dependence on Δ.",
        "In this order at every Δ from 1 ms on. Hardly: from 0.1 to 10 ms a throughput changes by "
        "less than 10 %.",
        (
            *_against(
                "mixed-flow over none",
                "higher",
                "fig4a",
                lambda at, base: more(THROUGHPUT, at, base),
                ("udp", MIXED, NONE),
            ),
            *_against(
                "mixed-flow over per-flow",
                "higher",
                "fig4a",
                lambda at, base: more(THROUGHPUT, at, base),
                ("udp", MIXED, PER_FLOW),
            ),
            *_against(
                "per-flow against none",
                "lower",
                "fig4a",
                lambda at, base: less(THROUGHPUT, at, base),
                ("udp", PER_FLOW, NONE),
            ),
            *(
                Part(
                    f"{name}, 10 ms against 0.1 ms",
                    "hardly",
                    "fig4a",
                    _end_to_end(THROUGHPUT, "udp", scheme, -HARDLY, HARDLY),
                )
                for scheme, name in SCHEMES.items()
            ),
        ),
        sensitivity=tuple(_elsewhere("ops.5")),
    ),
    Claim(
        "ops.6",
        "UDP fairness is close to 1 for mixed-flow and none; per-flow's falls as Δ grows.",
        "Regarding fairness, both mixed-flow aggregation and no aggregation achieve almost perfect "
        "fairness. Per-flow aggregation, however, achieves fairness degrading as Δ increases.",
        "Close to 1: an index of 0.99 or more, which is that of flows with a coefficient of "
        "variation of 10 %, at every Δ. Per-flow's slope over Δ lies below 0.",
        (
            Part(
                "mixed-flow, every Δ",
                "close to 1",
                "fig4b",
                at_each(
                    DELTA,
                    _at("udp", MIXED),
                    lambda delta: lies(
                        FAIRNESS, _delta("udp", MIXED, delta), CLOSE, math.inf, unit=""
                    ),
                ),
            ),
            Part(
                "none",
                "close to 1",
                "fig4b",
                lies(FAIRNESS, _at("udp", NONE), CLOSE, math.inf, unit=""),
            ),
            Part("per-flow", "falls", "fig4b", _falls_over("udp", PER_FLOW, 1e3, "thousandths")),
            Part(
                "per-flow, 10 ms",
                "close to 1",
                "fig4b",
                lies(FAIRNESS, _delta("udp", PER_FLOW, LARGE), CLOSE, math.inf, unit=""),
                counts=False,
            ),
        ),
        sensitivity=tuple(_elsewhere("ops.6")),
    ),
    Claim(
        "ops.7",
        "Both schemes raise UDP jitter above none's; it grows with Δ; mixed-flow's exceeds "
        "per-flow's at small Δ and is below it at large Δ.",
        "Packet aggregation introduces aggregation delay which increases the delay jitter. The "
        "larger Δ is, the larger delay jitter results. […] We hence observe that mixed-flow "
        "aggregation results in larger delay jitter than per-flow aggregation when Δ is not very "
        "large. […] Therefore, mixed-flow aggregation can achieve a smaller delay jitter than "
        "per-flow aggregation when Δ is large.",
        "Above none at every Δ from 1 ms on; slopes over Δ above 0; mixed-flow above per-flow at "
        "0.1 and at 1 ms, below it at 10 ms.",
        (
            *(
                part
                for scheme, name in SCHEMES.items()
                for part in _against(
                    f"{name} over none",
                    "higher",
                    "fig5",
                    lambda at, base: more(JITTER, at, base),
                    ("udp", scheme, NONE),
                )
            ),
            *(
                Part(name, "grows", "fig5", _grows("udp", JITTER, scheme, 1e3, "ms"))
                for scheme, name in SCHEMES.items()
            ),
            *(
                Part(
                    f"mixed-flow over per-flow, Δ = {delta}",
                    "higher",
                    "fig5",
                    more(JITTER, _delta("udp", MIXED, delta), _delta("udp", PER_FLOW, delta)),
                )
                for delta in (SMALL, BASE_DELTA)
            ),
            Part(
                f"mixed-flow against per-flow, Δ = {LARGE}",
                "lower",
                "fig5",
                less(JITTER, _delta("udp", MIXED, LARGE), _delta("udp", PER_FLOW, LARGE)),
            ),
        ),
        sensitivity=tuple(_elsewhere("ops.7")),
    ),
    Claim(
        "ops.8",
        "Deflection raises TCP throughput by about 20 % and improves fairness, although packets "
        "are reordered.",
        "We can see that deflection routing significantly improves TCP throughput (∼20 %), "
        "although it results in out-of-order packet delivery. […] Moreover, deflection routing "
        "also improves TCP fairness.",
        "Mixed-flow, Δ = 1 ms, p = 0.2, µ = 5 ms: the throughput is higher by about 20 %, that is "
        "by 15 to 25 %; the index is higher; some packets come out of order. Other µ are shown "
        "beside.",
        (
            Part(
                "throughput",
                f"about {GAIN:g} %",
                "fig6",
                changes_by(THROUGHPUT, _at("tcp", "mu", {MU: BASE_MU}), WITHOUT, GAIN),
            ),
            Part(
                "fairness",
                "improves",
                "fig6",
                more(FAIRNESS, _at("tcp", "mu", {MU: BASE_MU}), WITHOUT),
            ),
            Part(
                "packets reordered",
                "some",
                "fig6",
                of_measured(lies(REORDERED, _at("tcp", "mu", {MU: BASE_MU}), 0, math.inf)),
            ),
            *(
                Part(
                    f"throughput, µ = {mu}",
                    f"about {GAIN:g} %",
                    "fig6",
                    changes_by(THROUGHPUT, _at("tcp", "mu", {MU: mu}), WITHOUT, GAIN),
                    counts=False,
                )
                for mu in ("0 ms", "20 ms")
            ),
        ),
        sensitivity=tuple(_elsewhere("ops.8")),
    ),
    Claim(
        "ops.9",
        "TCP throughput and fairness hardly depend on µ (a slight fall of the throughput) or on σ.",
        "As can be seen, however, the throughput and fairness index do not show much dependency on "
        "µ. […] We observe a slightly decreasing trend of throughput, which is mainly because "
        "larger µ results in larger average round-trip time (RTT). Our simulation results also "
        "show that the standard deviation of the deflection cost σ does not affect TCP throughput "
        "and fairness either.",
        "Hardly: at each µ up to 20 ms, and each σ up to 10 ms, a value is within 10 % of that of "
        "Table I's 5 and 4 ms. A slight fall: the slope of the throughput over µ lies below 0.",
        (
            *(
                Part(
                    f"{name}, {letter}",
                    "hardly",
                    artefact,
                    near(value, x, _at("tcp", grid), base, HARDLY),
                )
                for letter, artefact, grid, x, base in (
                    ("µ", "fig6", "mu", MU, BASE_MU),
                    ("σ", "fig6-sigma", "sigma", SIGMA, BASE_SIGMA),
                )
                for name, value in (("throughput", THROUGHPUT), ("fairness", FAIRNESS))
            ),
            Part(
                "throughput over µ",
                "falls slightly",
                "fig6",
                rises_with(THROUGHPUT, MU, _at("tcp", "mu"), "Mb/s per ms", scale=1e-9, down=True),
            ),
            *(
                Part(
                    f"{name}, µ = 20 ms against 0",
                    "hardly",
                    "fig6",
                    hardly_moves(
                        value, _at("tcp", "mu", {MU: "20 ms"}), _at("tcp", "mu", {MU: "0 ms"})
                    ),
                    counts=False,
                )
                for name, value in (("throughput", THROUGHPUT), ("fairness", FAIRNESS))
            ),
        ),
    ),
    Claim(
        "ops.10",
        "UDP jitter is linear in µ and in σ.",
        "Our simulation results indicate that the average delay jitter increases linearly with "
        "both µ and σ, as shown in Fig. 7.",
        "The slope lies above 0, and no point lies further off the straight line of least squares "
        "than 10 % of the line's rise; µ from 0 to 20 ms, σ from 0 to 10 ms. Beside: µ from 10 ms "
        "and σ from 4 ms on; and jitter against √(q E[tc²] − (q E[tc])² + Var W), with q the "
        "measured share of delivered optical packets that were deflected, the moments of tc = "
        "max(0, N(µ, σ)), and W the aggregation delay.",
        (
            *(
                Part(
                    f"slope over {_letter(x)}",
                    "increases",
                    "fig7",
                    rises_with(JITTER, x, _at("udp", grid), "ms per ms"),
                )
                for x, grid in ((MU, "mu"), (SIGMA, "sigma"))
            ),
            *(
                Part(
                    f"off the line over {_letter(x)}",
                    "linear",
                    "fig7",
                    straight(JITTER, x, _at("udp", grid)),
                )
                for x, grid in ((MU, "mu"), (SIGMA, "sigma"))
            ),
            *(
                Part(
                    f"off the line over {_letter(x)} from {1e3 * SHORT_RANGE[x]:g} ms",
                    "linear",
                    "fig7",
                    beyond(x, SHORT_RANGE[x], straight(JITTER, x, _at("udp", grid))),
                    counts=False,
                )
                for x, grid in ((MU, "mu"), (SIGMA, "sigma"))
            ),
            *(
                Part(
                    f"closed form, {_letter(x)} = {value}",
                    "the same",
                    "fig7",
                    of_measured(is_that_of(JITTER, FORMULA, _at("udp", grid, {x: value}))),
                    counts=False,
                )
                for x, grid, value in (
                    (MU, "mu", "0 ms"),
                    (MU, "mu", BASE_MU),
                    (MU, "mu", "20 ms"),
                    (SIGMA, "sigma", "0 ms"),
                    (SIGMA, "sigma", "10 ms"),
                )
            ),
        ),
    ),
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
                rises_with(THROUGHPUT, P, _at("udp", "p"), "Mb/s per 0.1", scale=1e-7, down=True),
            ),
            Part("off the line", "linear", "fig8", straight(THROUGHPUT, P, _at("udp", "p"))),
            _close_to_1("fig8", "udp", "p", P),
        ),
    ),
    Claim(
        "ops.12",
        "TCP throughput and fairness fall sharply from p = 0 to 0.1; beyond, throughput falls "
        "mildly, fairness hardly.",
        "For TCP, in contrast, the throughput drops sharply as p increases from 0 to 0.1, and then "
        "keeps on decreasing more mildly. […] For TCP, the fairness index shows an obvious drop "
        "when p increases from 0 to 0.1, similar to the throughput performance. The increase of p "
        "beyond that does not show much effect on the fairness index.",
        "Sharply: by more than 10 % from 0 to 0.1. Mildly: from 0.1 to 1 the throughput falls, by "
        "less than half as much for each 0.1. Hardly: at each larger p the index is within 10 % of "
        "that at 0.1.",
        (
            *(
                Part(
                    f"{name}, p = 0.1 against 0",
                    "falls sharply",
                    "fig8",
                    between(value, _with_p("tcp", TURN), _with_p("tcp", 0.0), -math.inf, -SHARPLY),
                )
                for name, value in (("throughput", THROUGHPUT), ("fairness", FAIRNESS))
            ),
            Part(
                "throughput from p = 0.1 on",
                "falls",
                "fig8",
                beyond(
                    P,
                    TURN,
                    rises_with(
                        THROUGHPUT, P, _at("tcp", "p"), "Mb/s per 0.1", scale=1e-7, down=True
                    ),
                ),
            ),
            Part(
                "throughput, steepness beyond",
                "milder",
                "fig8",
                milder(THROUGHPUT, P, _at("tcp", "p"), TURN),
            ),
            Part(
                "fairness from p = 0.1 on",
                "hardly",
                "fig8",
                beyond(P, TURN, near(FAIRNESS, P, _at("tcp", "p"), TURN, HARDLY)),
            ),
        ),
        sensitivity=tuple(_elsewhere("ops.12")),
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
                rises_with(JITTER, P, _at("udp", "p"), "ms per 0.1", scale=1e2, down=True),
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
                        (_with_p("udp", p), _at("udp", "without")),
                        (_with_p("tcp", p), WITHOUT),
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
                    lies(FAIRNESS, at, CLOSE, math.inf, unit=""),
                )
                for name, at in (
                    ("with deflection", _with_p("udp", BASE_P)),
                    ("without", _at("udp", "without")),
                )
            ),
        ),
    ),
    Claim(
        "ops.15",
        "UDP throughput does not depend on µ or σ.",
        "For the same reason, UDP throughput is independent of µ and σ.",
        "At each µ up to 20 ms, and each σ up to 10 ms, it is within 2 % of that of Table I's 5 "
        "and 4 ms.",
        tuple(
            Part(
                _letter(x),
                "independent",
                "fig7",
                near(THROUGHPUT, x, _at("udp", grid), base, EQUAL),
            )
            for x, grid, base in ((MU, "mu", BASE_MU), (SIGMA, "sigma", BASE_SIGMA))
        ),
    ),
)

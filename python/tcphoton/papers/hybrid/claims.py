"""The claims of the paper in the order of its sheet, with what is looked at for each."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from tcphoton.papers.comparisons import all_of, at_each, between, hardly_moves, more
from tcphoton.papers.hybrid.measures import (
    HIGH,
    LENGTH,
    LOAD,
    MARGIN,
    PORTS,
    PUBLISHED,
    SEEDS_OF_LONG,
    THROUGHPUT,
    VARIANT,
    named,
    per_second,
    point,
)
from tcphoton.papers.hybrid.rules import alike, highest, is_times, reaches
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.parts import under
from tcphoton.papers.rules import HARDLY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tcphoton.papers.rules import Rule

    At = Mapping[str, Any]

__all__ = ["ASSUMED", "BATCHES", "CLAIMS", "LIMITS", "TRIED"]

FIGURES = {"10 m": "fig2a", "100 m": "fig2b"}
"""The artefact of each length of a data centre."""
LONG = ("1000 m", "10000 m")
HYBRIDS = (2, 5)
MOST = 5
"""The larger of the paper's two numbers of electronic ports."""
SAW, SAWL = 0, 4
"""p of stop-and-wait, and the p > 1 that the paper has of stop-and-wait longer."""

NOT_MUCH = 25.0
"""Per cent by which throughputs may differ and still not differ much: the house's "about"."""
DOUBLE = 2.0
NO_BETTER = 5.0
"""Per cent by which a throughput may lie above another and still not be better."""
ABOVE_HIGH = math.nextafter(HIGH, math.inf)
"""High load is more than 10⁷ requests/s."""
BEFORE, BEYOND = 3e6, 3e7
"""About 10⁷ requests/s: within half a power of ten."""
OVER = PUBLISHED["hybrid.2", "gain"]
FACTOR = PUBLISHED["hybrid.5", "factor"]
NOTHING_BEYOND = int(PUBLISHED["hybrid.4", "p beyond which nothing is gained"])
BOUNDS = {length: PUBLISHED["hybrid.6", f"bound at {length}"] for length in LONG}
NOISE = 2 * PUBLISHED["", "largest spread"] / math.sqrt(SEEDS_OF_LONG)
"""Two standard errors, as a share, of a mean over the paper's ten seeds with its largest spread."""
LIMITS = {length: bound * (1 + NOISE) for length, bound in BOUNDS.items()}
"""What a mean may reach and still not go above the paper's, whose own mean is as uncertain."""

ASSUMED = (
    "as assumed",
    "cut-through buffers",
    "T from T′",
    "Karn",
    "the answered copy timed",
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


# Curves against the arrival rate.


def _at_loads(
    curve: At,
    judge: Callable[[float], Rule],
    low: float = -math.inf,
    high: float = math.inf,
    *,
    largest: bool = True,
) -> Rule:
    """Judge at each arrival rate between two bounds that was run."""
    return at_each(LOAD, curve, judge, low, high, largest=largest, name=per_second)


def _gain(
    at: At, base: At, by: float = 0.0, low: float = -math.inf, high: float = math.inf
) -> Rule:
    """Judge whether a curve lies by more than so many per cent above another."""
    return _at_loads(
        at,
        lambda load: more(THROUGHPUT, {**at, LOAD: load}, {**base, LOAD: load}, by=by),
        low,
        high,
        largest=False,
    )


def _same(at: At, base: At, bound: float, high: float) -> Rule:
    """Judge whether two curves are the same up to an arrival rate, within so many per cent."""
    return _at_loads(
        at,
        lambda load: between(THROUGHPUT, {**at, LOAD: load}, {**base, LOAD: load}, -bound, bound),
        high=high,
    )


def _each_length(parts: Callable[[str], Iterator[tuple[str, str, Rule, bool]]]) -> Iterator[Part]:
    for length, artefact in FIGURES.items():
        for name, published, rule, counts in parts(length):
            yield Part(f"{length}, {name}", published, artefact, rule, counts)


def _saw_alike(length: str) -> Iterator[tuple[str, str, Rule, bool]]:
    """Give the parts of hybrid.1 that both lengths have."""
    bufferless = point(length, 0, SAW)
    for ports in HYBRIDS:
        hybrid = point(length, ports, SAW)
        yield (
            f"n_e = {ports}, up to {per_second(HIGH)}",
            "not much",
            _same(hybrid, bufferless, NOT_MUCH, HIGH),
            True,
        )
        yield (
            f"n_e = {ports}, high load",
            "better",
            _gain(hybrid, bufferless, low=ABOVE_HIGH),
            True,
        )
    yield (
        f"n_e = {MOST}, within 10 %, up to {per_second(HIGH)}",
        "not much",
        _same(point(length, MOST, SAW), bufferless, HARDLY, HIGH),
        False,
    )


def _doubles(length: str, ports: int) -> Rule:
    curves = (point(length, ports, SAW), point(length, 0, SAW))
    return reaches(THROUGHPUT, LOAD, curves, DOUBLE, low=ABOVE_HIGH, name=per_second)


def _longer(length: str) -> Iterator[tuple[str, str, Rule, bool]]:
    """Give the parts of hybrid.2."""
    vanilla = point(length, 0, SAW)
    over = f"over {OVER:g} %"
    for ports in HYBRIDS:
        curve = point(length, ports, SAWL)
        gain = _gain(curve, vanilla, OVER, low=ABOVE_HIGH)
        yield f"n_e = {ports}, p = {SAWL}, high load", over, gain, True
    for ports in HYBRIDS:
        gain = _gain(point(length, ports, 1), vanilla, OVER, low=ABOVE_HIGH)
        yield f"n_e = {ports}, p = 1, high load", over, gain, False
    for load in (1e5, 1e6, HIGH):
        at, base = {**point(length, MOST, SAWL), LOAD: load}, {**vanilla, LOAD: load}
        gain = more(THROUGHPUT, at, base, by=OVER)
        yield f"n_e = {MOST}, p = {SAWL}, {per_second(load)}", over, gain, False


def _more_ports(length: str) -> Iterator[tuple[str, str, Rule, bool]]:
    """Give the parts of hybrid.3."""
    for margin in (1, SAWL, SAW):
        for ports, fewer in ((2, 0), (MOST, 2)):
            gain = _gain(point(length, ports, margin), point(length, fewer, margin), low=ABOVE_HIGH)
            name = f"p = {margin}, n_e = {ports} over {fewer}, high load"
            yield name, "better", gain, margin != SAW
    for ports, fewer in ((2, 0), (MOST, 2)):
        gain = _gain(point(length, ports, SAWL), point(length, fewer, SAWL), high=HIGH)
        name = f"p = {SAWL}, n_e = {ports} over {fewer}, up to {per_second(HIGH)}"
        yield name, "better", gain, False


def _no_better(length: str, ports: int) -> Rule:
    """Judge whether no larger p is better than 4, at each arrival rate that was run."""
    base = point(length, ports, NOTHING_BEYOND)

    def rules(margin: int) -> Rule:
        at = point(length, ports, margin)
        return _at_loads(
            at,
            lambda load: between(
                THROUGHPUT, {**at, LOAD: load}, {**base, LOAD: load}, -math.inf, NO_BETTER
            ),
            largest=False,
        )

    return all_of({f"p = {margin}": rules(margin) for margin in (6, 8)})


def _three_times(length: str, ports: int, margin: int) -> Rule:
    at, base = point(length, ports, margin), point(length, 0, SAW)
    return _at_loads(
        at,
        lambda load: is_times(THROUGHPUT, {**at, LOAD: load}, {**base, LOAD: load}, FACTOR),
        low=ABOVE_HIGH,
    )


def _far(length: str) -> Iterator[tuple[str, str, Rule, bool]]:
    """Give the parts of hybrid.6."""
    at, keys, bound = {LENGTH: length}, (PORTS, MARGIN, LOAD), BOUNDS[length]
    published = f"at most {bound:g} Gb/s"

    def below(limit: float) -> Rule:
        return highest(THROUGHPUT, at, keys, limit, name=named)

    yield "highest mean", published, below(LIMITS[length]), True
    yield "highest mean, without the noise of ten seeds", published, below(bound), False
    alone = {PORTS: 0, MARGIN: SAW}
    every = alike(THROUGHPUT, at, keys, alone, bound=HARDLY, name=named)
    yield "every n_e and p against n_e = 0, p = 0", "almost the same", every, True


def _parting(length: str) -> Iterator[tuple[str, str, Rule, bool]]:
    """Give the parts of hybrid.7."""
    bufferless = point(length, 0, SAW)
    for ports in HYBRIDS:
        hybrid = point(length, ports, SAW)
        together = _same(hybrid, bufferless, HARDLY, BEFORE)
        yield f"n_e = {ports}, up to {per_second(BEFORE)}", "together", together, True
        parted = _gain(hybrid, bufferless, HARDLY, low=BEYOND)
        yield f"n_e = {ports}, from {per_second(BEYOND)}", "parted", parted, ports == MOST


# The same rules under other assumptions of ours, each at one point.


def _elsewhere(claim: str) -> Iterator[Part]:
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
    yield (
        "hybrid.7",
        f"n_e = 5, {per_second(LOW_TRIED)}",
        "together",
        hardly_moves(THROUGHPUT, *low),
    )
    parted = more(THROUGHPUT, at(MOST, SAW), at(0, SAW), by=HARDLY)
    yield "hybrid.7", f"n_e = 5, {per_second(HIGH_TRIED)}", "parted", parted


def _of_long(variant: str) -> Iterator[tuple[str, str, Rule]]:
    for length in LONG:
        at, keys = {VARIANT: variant, LENGTH: length}, (PORTS, MARGIN, LOAD)
        below = highest(THROUGHPUT, at, keys, LIMITS[length], name=named)
        yield f"{length}, highest mean", f"at most {BOUNDS[length]:g} Gb/s", below
        ends = (_tried(variant, length, *each, HIGH_TRIED) for each in ((MOST, SAWL), (0, SAW)))
        yield f"{length}, n_e = 5 and p = 4", "almost the same", hardly_moves(THROUGHPUT, *ends)


CLAIMS = (
    Claim(
        "hybrid.1",
        "SAW (p = 0): n_e makes little difference, except at high load, where the hybrid switch "
        "reaches about twice the throughput at 10 m.",
        "When we consider links of 10 m and 100 m for the case of SAW p = 0 and different n_e "
        "values, we see that the results do not differ much, except at high load, where the hybrid "
        "switch performs better, reaching double the throughput for l_link = 10 m.",
        "High load is more than 10⁷ requests/s, as the paper has it. Not much: at each arrival "
        "rate up to 10⁷ the throughput of n_e = 2 and of 5 is within 25 % of that of 0, about the "
        "same; within 10 % is shown beside. Better: at each high load it is higher. Reaching "
        "double: the largest ratio of n_e = 5 to 0 at high load is about 2, that is 1.5 to 2.5; "
        "n_e = 2 is shown beside.",
        (
            *_each_length(_saw_alike),
            *(
                Part(
                    f"10 m, n_e = {ports}, largest ratio at high load",
                    "double",
                    FIGURES["10 m"],
                    _doubles("10 m", ports),
                    counts=ports == MOST,
                )
                for ports in (MOST, 2)
            ),
        ),
        sensitivity=tuple(_elsewhere("hybrid.1")),
    ),
    Claim(
        "hybrid.2",
        "SAWL on hybrid switches: over 50 % more than SAW on bufferless ones (10 and 100 m).",
        "If we consider SAWL (p > 1), we see that for data-center networks composed of hybrid "
        "switches we have a gain of more than 50% with respect to the bufferless networks using "
        "vanilla SAW.",
        "p = 4, the one p > 1 of the paper; n_e = 2 and 5; both lengths; at each high load, more "
        "than 10⁷ requests/s, for the sentence names no load and a network that waits for requests "
        "gains nothing. p = 1, and lower loads, are shown beside.",
        tuple(_each_length(_longer)),
        sensitivity=tuple(_elsewhere("hybrid.2")),
    ),
    Claim(
        "hybrid.3",
        "More electronic ports, more throughput.",
        "The bigger n_e, the better the throughput.",
        "The sentence speaks of SAWL: for p = 1 and 4, at both lengths and each high load, n_e = 2 "
        "over 0 and 5 over 2. p = 0, and lower loads, are shown beside.",
        tuple(_each_length(_more_ports)),
        sensitivity=tuple(_elsewhere("hybrid.3")),
    ),
    Claim(
        "hybrid.4",
        "p over 4 brings nothing more.",
        "During our simulations, we have found that increasing p to more than 4 does not provide "
        "better results, meaning that a packet could be buffered four times before RTO.",
        "With p = 6 and 8 the throughput is not higher than with 4, or by less than 5 %; n_e = 2 "
        "and 5, both lengths, at 10⁶, 10⁷ and 10⁸ requests/s.",
        tuple(
            Part(
                f"{length}, n_e = {ports}, p = 6 and 8 over 4",
                "no better",
                "more-p",
                _no_better(length, ports),
            )
            for length in FIGURES
            for ports in HYBRIDS
        ),
        sensitivity=tuple(_elsewhere("hybrid.4")),
    ),
    Claim(
        "hybrid.5",
        "Above 10⁷ requests/s at 10 m: SAWL on hybrid switches about 3 times SAW on bufferless "
        "ones.",
        "At high load (more than 10^7 requests/s) the throughput is increased by a factor of 3 in "
        "the case of l_link = 10 m.",
        "p = 4 and n_e = 5 over p = 0 and n_e = 0, at each high load: about 3 times, that is 2.25 "
        "to 3.75. n_e = 2, p = 1, and 100 m are shown beside.",
        (
            Part(
                f"10 m, n_e = {MOST}, p = {SAWL}",
                f"about {FACTOR:g} times",
                "fig2a",
                _three_times("10 m", MOST, SAWL),
            ),
            *(
                Part(
                    f"{length}, n_e = {ports}, p = {margin}",
                    f"about {FACTOR:g} times",
                    FIGURES[length],
                    _three_times(length, ports, margin),
                    counts=False,
                )
                for length, ports, margin in (
                    ("10 m", 2, SAWL),
                    ("10 m", MOST, 1),
                    ("100 m", MOST, SAWL),
                )
            ),
        ),
        sensitivity=tuple(_elsewhere("hybrid.5")),
    ),
    Claim(
        "hybrid.6",
        "1000 m: almost the same for every switch and p, at most 16.6 Gb/s; 10,000 m: at most 1.9 "
        "Gb/s.",
        "We note that the throughput is almost the same for any switch for link lengths of 1000 m "
        "(or greater), and mean throughput does not go above 16.6 Gb/s for l_link = 1000 m, and "
        "1.9 Gb/s for l_link = 10000 m (not shown here due to space constraints). No gain is "
        "observed due to buffers nor algorithm design.",
        "At most: the highest mean of all n_e, p and arrival rates lies below the published bound "
        "and two standard errors of a mean over the paper's ten seeds with its spread of 0.196 of "
        "the mean (12.4 %), for the bound is such a mean; without them beside. Almost the same: "
        "at each arrival rate every n_e and p is within 10 % of n_e = 0 and p = 0. The batch that "
        "is assumed was chosen with these bounds in view, so that the first two parts are no test "
        "of the model.",
        tuple(
            Part(f"{length}, {name}", published, "long", rule, counts)
            for length in LONG
            for name, published, rule, counts in _far(length)
        ),
        sensitivity=tuple(_elsewhere("hybrid.6")),
    ),
    Claim(
        "hybrid.7",
        "SAW: hybrid switches part from bufferless ones only beyond about 10⁷ requests/s.",
        "The hybrid switch is a robust solution for heavily-loaded networks, so they could support "
        "more traffic, in our case after load = 10^7 file requests per second.",
        "About 10⁷ is within half a power of ten. Together: at each arrival rate up to 3·10⁶ the "
        "throughput of n_e = 2 and of 5 is within 10 % of that of 0. Parted: at each from 3·10⁷ on "
        "that of n_e = 5 is higher by more than 10 %; n_e = 2 is shown beside. Both lengths.",
        tuple(_each_length(_parting)),
        sensitivity=tuple(_elsewhere("hybrid.7")),
    ),
)

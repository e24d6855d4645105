"""What the claims of several figures share: settings, bounds, and how points are named."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tcphoton.papers.comparisons import at_each, between, hardly_moves, lies, rises_with
from tcphoton.papers.ledger import Part
from tcphoton.papers.ops.measures import BASE_P, DELTA, FAIRNESS, GRID, MU, PUBLISHED, SIGMA, P
from tcphoton.papers.rules import HARDLY, robust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tcphoton.papers.rules import Rule

__all__ = [
    "BASE",
    "CLOSE",
    "FAR",
    "FROM_BASE",
    "GAIN",
    "LARGE",
    "MIXED",
    "NONE",
    "NO_HIGHER",
    "PER_FLOW",
    "SCHEMES",
    "SHARPLY",
    "SLIGHTLY",
    "SMALL",
    "TURN",
    "WITHOUT",
    "At",
    "against",
    "at_delta",
    "close_to_1",
    "grows",
    "hardly_end_to_end",
    "letter",
    "rises_slightly",
    "rows_of",
    "with_p",
]

FAR = 20.0
"""Per cent from which a throughput is far over another: what the paper calls significant."""
NO_HIGHER = 5.0
"""Per cent by which a throughput may lie above another and still not beat it."""
SLIGHTLY = SHARPLY = HARDLY
"""Per cent: a change is slight below the house's "hardly", and sharp beyond it."""
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
At = dict[str, Any]


def rows_of(transport: str, grid: str, more: Mapping[str, Any] | None = None) -> At:
    """Return the rows of a grid of a transport."""
    return {GRID: f"{transport}-{grid}", **(more or {})}


def at_delta(transport: str, scheme: str, delta: str) -> At:
    """Return the rows of a scheme at a Δ."""
    return rows_of(transport, scheme, {DELTA: delta})


def against(
    name: str,
    published: str,
    artefact: str,
    judge: Callable[[At, At], Rule],
    schemes: tuple[str, str, str],
) -> Iterator[Part]:
    """Compare a scheme with another at every Δ from the baseline on; below it is shown beside."""
    transport, scheme, base = schemes

    def at(delta: str) -> Rule:
        there = at_delta(transport, base, delta) if base in SCHEMES else rows_of(transport, base)
        return judge(at_delta(transport, scheme, delta), there)

    every = at_each(DELTA, rows_of(transport, scheme), at, low=FROM_BASE)
    yield Part(name, published, artefact, every)
    yield Part(f"{name}, Δ = {SMALL}", published, artefact, at(SMALL), counts=False)


def grows(transport: str, value: str, scheme: str, scale: float, unit: str) -> Rule:
    """Judge the slope of a measure over Δ."""
    return rises_with(
        value, DELTA, rows_of(transport, scheme), f"{unit} per ms", scale=scale * 1e-3
    )


def rises_slightly(value: str, transport: str, scheme: str) -> Rule:
    """Judge whether a measure rises, by little, from the smallest Δ to the largest."""
    large, small = (at_delta(transport, scheme, each) for each in (LARGE, SMALL))
    return robust(SLIGHTLY, lambda percent: between(value, large, small, 0, percent))


def close_to_1(at: At) -> Rule:
    """Judge whether a fairness is close to 1."""
    return robust(1 - CLOSE, lambda off: lies(FAIRNESS, at, 1 - off, math.inf, unit=""))


def hardly_end_to_end(value: str, transport: str, scheme: str) -> Rule:
    """Judge whether a measure hardly changes from the smallest Δ to the largest."""
    large, small = (at_delta(transport, scheme, each) for each in (LARGE, SMALL))
    return hardly_moves(value, large, small)


def with_p(transport: str, p: float) -> At:
    """Return the rows of a transport at a p."""
    return rows_of(transport, "p", {P: p})


def letter(x: str) -> str:
    """Return the letter that a parameter has in the paper."""
    return {MU: "µ", SIGMA: "σ", P: "p", DELTA: "Δ"}[x]


BASE = with_p("tcp", BASE_P)
WITHOUT = rows_of("tcp", "without")

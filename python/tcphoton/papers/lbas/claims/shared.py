"""What the claims of several figures share: settings, bounds, and how points are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tcphoton.papers.lbas.measures import ALL, DEGREES, GOODPUT, LOADS, NOT, TABLES, cell, point
from tcphoton.papers.lbas.rules import pooled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tcphoton.papers.rules import Rule

    At = Mapping[str, Any]
    Cell = tuple[int, int]

__all__ = [
    "HIGH",
    "LOW",
    "NO_LIMIT",
    "OVER",
    "change",
    "everywhere",
    "pairs_of",
    "table_cell",
]

LOW, HIGH = LOADS
OVER = 60.0
"""Per cent that RR and JSVOQ lose at U = 100 Mb/s in every cell of Table II."""


def table_cell(access: int, degree: int, load: int) -> str:
    """Return the name of a cell of a table."""
    return f"U = {access}, {cell(degree, load)}"


def change(at: At, base: At, low: float, high: float) -> Rule:
    """Judge whether the goodput changes by so many per cent from a point to another."""
    return pooled(GOODPUT, [(at, base)], low, high)


def everywhere(policies: Iterable[str], accesses: Iterable[int] = TABLES) -> dict[str, At]:
    """Return the cells of all tables by their names."""
    return {
        f"{policy}, {table_cell(access, *each)}": point(policy, *each, access)
        for access in accesses
        for policy in policies
        for each in ALL
    }


def pairs_of(
    policies: Iterable[str],
    base: str = NOT,
    accesses: Iterable[int] = TABLES,
    degrees: Iterable[int] = DEGREES,
    loads: Iterable[int] = LOADS,
) -> list[tuple[At, At]]:
    """Return policies and the one that they are compared with, in some cells of some tables."""
    return [
        (point(policy, degree, load, access), point(base, degree, load, access))
        for policy in policies
        for access in accesses
        for degree in degrees
        for load in loads
    ]


NO_LIMIT = (
    "Departs from the sheet's profile: the queue of a TCP host's own interface has no limit, not "
    "100 frames. 100 frames overflow when ACKs come in bunches; ideal-JSQ then has 82 Mb/s at U = "
    "1000, b_D = 2 and 50 %, in place of the published 220, which needs that hardly a packet is "
    "lost. Chosen after one run of ideal-JSQ and of e-JSQ with either queue, before the first full "
    "run; the artefact host-queue has both."
)
"""What is told of every claim that looks at goodputs or fast retransmits."""

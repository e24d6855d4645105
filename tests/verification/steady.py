"""The part `steady` of ``make verify``: do bulk flows keep one bottleneck busy, as ns-2's do?

One, two and eight flows, 5 to 100 Mb/s, round trips of 5 to 200 ms, buffers of a quarter of what
the path holds to four times as much, acknowledgments delayed or not. Four presets in three
profiles, against ns-2's agents of the same names (``reference/ns2_steady.csv``). The rule of a
cell:

- *agrees*: the share of the link is within 5 % of ns-2's;
- *between*: it lies between ns-2's and that of the textbook's sawtooth of one flow, 5 % more or
  less;
- *differs*: neither.

The window rules that ns-2 has not agree where their share is at least that of the sawtooth, less
5 %: what they reduce their window to decides how high its teeth are.

``reference/steady.csv`` keeps each cell of ours with its verdict; docs/background/verification.md
says why cells of a kind differ. ``steady.py --write`` records it anew (six minutes of two cores).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl
import scenarios
from all_cores import run_all

from tcphoton import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton import Report

REFERENCE = Path(__file__).parent / "reference"
TABLE = REFERENCE / "steady.csv"
PROFILES = ("modern", "linux", "ns2-2008")
RULES = {
    "cubic": ("modern", "modern-sack", "linux", "ns2-2008"),
    "compound": ("modern",),
    "bbr1": ("modern",),
    "bbr3": ("modern",),
}
"""Window rules that are held to theory, each with the profiles in which it is."""
LEFT = {"cubic": 0.7, "bbr1": 1.0, "bbr3": 1.0}
"""What is left of a window after a loss: a half unless it is here. BBR's follows from the path."""
NEAR = 0.05
BEGIN, END = 30, 150
"""Seconds between which shares of the link are measured."""
PACKET = 1500


class Cell(NamedTuple):
    """A point of the grid."""

    flavour: str
    flows: int
    mbps: int
    ms: float
    packets: int
    delayed: int


def grid() -> Iterator[tuple[str, Cell, float | None]]:
    """Yield each profile and cell, with the share of the link that ns-2's flows have, if any."""
    table = pl.read_csv(REFERENCE / "ns2_steady.csv", comment_prefix="#")
    cells = [(Cell(*row[:6]), row[6]) for row in table.iter_rows()]
    for profile in PROFILES:
        for cell, theirs in cells:
            yield profile, cell, theirs
    paths = [cell for cell, _ in cells if cell.flavour == "newreno"]
    for rule, profiles in RULES.items():
        for profile in profiles:
            for path in paths:
                yield profile, path._replace(flavour=rule), None


def scenario(profile: str, cell: Cell) -> Scenario:
    """Return a cell in a profile; no receiver is the limit."""
    flavour, flows, mbps, ms, packets, delayed = cell
    if profile == "ns2-2008":
        transport = scenarios.transport(flavour, 1460, 10_000, 0.2)
        transport |= {"ack-every": 2, "ack-delay": "40 ms"} if delayed else {}
    else:
        key = "congestion" if flavour.startswith("bbr") else "preset"
        transport = {"kind": "tcp", key: flavour, "receive-window": "unlimited"}
        transport |= {} if delayed else {"ack-every": 1}
    access = {"rate": "1 Gb/s", "delay": "0 s", "queue": {"kind": "drop-tail", "packets": 20_000}}
    queue = {"kind": "drop-tail", "packets": packets}
    return Scenario.from_dict(
        {
            "profile": profile,
            "run": {"duration": f"{END} s", "warmup": f"{BEGIN} s"},
            "topology": {
                "kind": "dumbbell",
                "pairs": flows,
                "access": access,
                "bottleneck": {"rate": f"{mbps} Mb/s", "delay": f"{ms} ms", "queue": queue},
            },
            "traffic": [
                {
                    "from": f"left-{at}",
                    "to": f"right-{at}",
                    "transport": transport,
                    "source": {"kind": "bulk"},
                    "start": f"{100 * at} ms",
                }
                for at in range(flows)
            ],
        }
    )


def share(profile: str, cell: Cell, report: Report) -> float:
    """Return the share of the link that the packets of all flows have."""
    goodput = report.traffic["goodput"].sum()
    segment = 1460 if profile == "ns2-2008" else 1448
    return round(float(goodput) * PACKET / segment / (cell.mbps * 1e6), 4)


def sawtooth(cell: Cell) -> float:
    """Return the share of the link that one flow has which loses a packet when the buffer is full.

    In units of what the path holds the window grows from β (1 + b) to 1 + b, by a packet a round
    trip; above 1 the link is busy and the round trip is in proportion to the window. CUBIC's
    window grows more at first, so that its share is larger.
    """
    holds = cell.mbps * 1e6 * 2e-3 * cell.ms / (8 * PACKET) + 1
    buffer = cell.packets / holds
    low = (1 + buffer) * LEFT.get(cell.flavour, 0.5)
    if low >= 1:
        return 1.0
    busy = ((1 + buffer) ** 2 - 1) / 2
    return ((1 - low**2) / 2 + busy) / ((1 - low) + busy)


def verdict(cell: Cell, ours: float, theirs: float | None) -> str:
    """Return the verdict on a cell by the rules above."""
    if theirs is None:
        return "agrees" if ours >= sawtooth(cell) * (1 - NEAR) else "differs"
    if abs(ours / theirs - 1) <= NEAR:
        return "agrees"
    low, high = sorted((theirs, sawtooth(cell)))
    return "between" if low * (1 - NEAR) <= ours <= high * (1 + NEAR) else "differs"


def measured() -> pl.DataFrame:
    """Run all cells in all profiles."""
    cells = list(grid())
    reports = run_all([(scenario(profile, cell), 1) for profile, cell, _ in cells], "cells")
    rows = []
    for (profile, cell, theirs), report in zip(cells, reports, strict=True):
        ours = share(profile, cell, report)
        rows.append({"profile": profile, **cell._asdict(), "share": ours, "ns2": theirs,
                     "verdict": verdict(cell, ours, theirs)})  # fmt: skip
    return pl.DataFrame(rows)


def main() -> int:
    """Run the grid; 1 where a cell is not what is recorded."""
    found = measured()
    if sys.argv[1:] == ["--write"]:
        found.write_csv(TABLE)
    counts = found.group_by("profile", "flavour", "verdict", maintain_order=True).len()
    for row in counts.iter_rows(named=True):
        print(f"{row['profile']:<9} {row['flavour']:<8} {row['verdict']:<8} {row['len']:>4}")
    kept = pl.read_csv(TABLE)
    if found.equals(kept):
        return 0
    print(f"not what {TABLE.name} has:")
    print(found.join(kept, on=found.columns, how="anti"))
    return 1


if __name__ == "__main__":
    sys.exit(main())

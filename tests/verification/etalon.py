"""``make verify``: TCP over circuits against what the authors of reTCP measured.

M. K. Mukerjee et al., *Adapting TCP for reconfigurable datacenter networks* (NSDI 2020) published
Etalon, an emulator on which Linux hosts send over a network of circuits and packet switches, and
what they measured there. Their numbers are not in this repository: the variable `ETALON` names a
clone of https://github.com/mukerjee/etalon. The page `docs/reference/etalon.md` says what is the
same in our network and what is not, and has the table that this prints (``--write`` puts it there).

A row is the share of a circuit that connections from one rack to another use while it is there.
The rule, which is older than the table: ours *agrees* if it is within 15 % of theirs, and else
*differs* (theirs is one run without an interval). Exit code 1 where a verdict is not that of the
page.
"""

from __future__ import annotations

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import page_tables

import tcphoton as tp

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path("docs/reference/etalon.md")
SOURCE = "https://github.com/mukerjee/etalon"
NUMBERS = "experiments/buffers/graphs/nsdi2020/1581462196-nsdi2020.txt"
BOUND = 0.15
PACKET = 9000
"""Bytes of a packet, of which 52 are headers."""
WEEKS, RACKS = 3000, 25
"""A week is a round of a network of so many racks."""
SLOT, DARK, RATE = 200e-6, 20e-6, 80e9
HEAD = ("queue", "before a circuit", "transport", "ours", "theirs", "ratio", "verdict")


@dataclass(frozen=True)
class Row:
    """A point of one of their figures."""

    figure: str
    point: str
    transport: str
    queue: int
    """Packets for which a queue has room."""
    ahead: int | None = None
    """How long before a circuit opens there is room for 50, in microseconds."""


def all_rows() -> Iterator[Row]:
    """Return what is compared, in the order of their figures 4 to 9."""
    for transport in ("reno", "cubic", "dctcp"):
        yield Row("4-2_util-lat-current-all_util", transport, transport, 16)
    for figure, transport in (("5-2_util-lat-static-cubic_util", "cubic"),
                              ("8-2_util-lat-static-retcp_util", "retcp")):  # fmt: skip
        for queue in (4, 8, 16, 32, 64, 128):
            yield Row(figure, str(queue), transport, queue)
    for ahead in range(0, 3001, 300):
        yield Row("6-2_util-lat-dyn-cubic_util", str(ahead), "cubic", 16, ahead)
    yield Row("7-2_util-lat-dyn-all-1200us_util", "reno", "reno", 16, 1200)
    for ahead in range(0, 301, 50):
        yield Row("9-2_util-lat-dyn-retcp_util", str(ahead), "retcp", 16, ahead)


def scenario(row: Row) -> tp.Scenario:
    """Return the network of a row: three racks of sixteen hosts, as they had them."""
    week = RACKS - 1
    others, ours = [2, 0, 1], [1, 2, 0]
    core: dict[str, Any] = {
        "kind": "circuit",
        "schedule": "explicit",
        "slot": f"{SLOT * 1e6:g} us",
        "reconfiguration": f"{DARK * 1e6:g} us",
        "matchings": [[*[others] * (week - 1), ours]],
        "without-circuit": "packet-switches",
        "rack-queue": f"{row.queue * PACKET} B",
    }
    if row.ahead is not None:
        core["prebuffer"] = {"queue": f"{50 * PACKET} B", "ahead": f"{row.ahead} us"}
    transport: dict[str, Any] = {
        "kind": "tcp",
        "segment": f"{PACKET - 52} B",
        "min-rto": "10 ms",
        "initial-rto": "50 ms",
        "ack-delay": "2 ms",
        "congestion": "reno" if row.transport == "retcp" else row.transport,
    }
    if row.transport == "retcp":
        transport["circuits"] = "retcp"
        ahead = 600 if row.ahead is None else row.ahead
        core["tell-hosts"] = {"by": "acknowledgments", "ahead": f"{ahead} us"}
    if row.transport == "dctcp":
        core["mark-above"] = f"{10 * PACKET} B"
    electronic = {"count": 1, "link": {"rate": "10 Gb/s", "delay": "5 us"}}
    return tp.Scenario.from_dict(
        {
            "profile": "linux",
            "run": {"duration": f"{WEEKS * week * SLOT * 1e3:g} ms"},
            "topology": {
                "kind": "leaf-spine",
                "leaves": 3,
                "spines": 1,
                "hosts": 16,
                "link": {"rate": f"{RATE / 1e9:g} Gb/s", "delay": "15 us"},
                "access": {"rate": "40 Gb/s", "delay": "500 ns"},
                "packet-spines": electronic,
            },
            "core": core,
            "traffic": [
                {
                    "from": "h1-*",
                    "to": "h2-*",
                    "transport": transport,
                    "source": {"kind": "bulk"},
                    "start": {"kind": "uniform", "from": "0 s", "to": "1 ms"},
                }
            ],
        }
    )


def used(row: Row) -> float:
    """Run a row; return the share of the circuit's light that data fill, in per cent."""
    racks = tp.run(scenario(row)).tables["racks"]
    sent = racks["sent-on"][1] * (PACKET - 52) * 8
    return float(100 * sent / (WEEKS * (SLOT - DARK) * RATE))


def published(text: str, row: Row) -> float:
    """Return what they measured, in per cent."""
    block = text[text.index(f"raw util data for: {row.figure}") :]
    found = re.search(rf"\({row.point}: ([\d.]+)\)", block)
    assert found, row
    return float(found.group(1))


def told(row: Row, mine: float, theirs: float) -> tuple[str, ...]:
    """Return a row of the table."""
    queue = f"{row.queue} packets" if row.ahead is None else f"{row.queue}, then 50"
    ahead = "" if row.ahead is None else f"{row.ahead:,} µs"
    verdict = "agrees" if abs(mine - theirs) <= BOUND * theirs else "differs"
    return (
        queue, ahead, row.transport, f"{mine:.1f} %", f"{theirs:.1f} %", f"{mine / theirs:.2f}",
        verdict,
    )  # fmt: skip


def main() -> int:
    """Run the rows, if there is a folder."""
    folder = os.environ.get("ETALON")
    if folder is None:
        print(
            "ETALON names no folder: TCP over circuits is not compared with what was measured. "
            f"`git clone {SOURCE}` fetches it; set ETALON to the clone."
        )
        return 0
    numbers = Path(folder) / NUMBERS
    if not numbers.is_file():
        print(f"There is no {NUMBERS} in {folder}.")
        return 1
    text = numbers.read_text()
    rows = list(all_rows())
    with ThreadPoolExecutor(2) as pool:
        mine = list(pool.map(used, rows))
    found = [told(row, one, published(text, row)) for row, one in zip(rows, mine, strict=True)]
    return page_tables.settle(PAGE, {HEAD: found})


if __name__ == "__main__":
    sys.exit(main())

"""``make verify``: circuits against Opera's simulator, flow by flow.

W. M. Mellette et al., *Expanding across time to deliver bandwidth efficiency and low latency*
(NSDI 2020) published a simulator, the lists of flows that it was given, and the completion time of
each flow. They are not in this repository: the variable `OPERA` names a clone of
https://github.com/TritonNetworking/opera-sim. The same flows go through our network of 108 racks,
six hosts each, and six circuit switches; the page `docs/reference/opera.md` says what is the same
there and what is not, and has the table that this prints (``--write`` puts it there).

The rule, which is older than the table: flows are compared by classes of size. A median or a 99 %
quantile *agrees* if ours is within 15 % of theirs. It *differs* if the nearest ends of the two 95 %
intervals, from order statistics, are not, and else *cannot tell*. A class has at least 20 flows for
its median, and 100 for its 99 % quantile. Exit code 1 where a verdict is not that of the page.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import tcphoton as tp
from tcphoton.common import quantities

PAGE = Path("docs/reference/opera.md")
SOURCE = "https://github.com/TritonNetworking/opera-sim"
RACKS, HOSTS, SWITCHES = 108, 6, 6
EDGES = (0.0, 2e3, 15e3, 100e3, 1e6, 15e6, 1e12)
CLASSES = ("below 2 kB", "to 15 kB", "to 100 kB", "to 1 MB", "to 15 MB", "from 15 MB")
BOUND = 0.15
LEAST = {0.5: 20, 0.99: 100}
TIME = re.compile(r"FCT \d+ \d+ (\d+) ([\d.]+) ")
HEAD = ("case", "size", "flows", "quantile", "ours", "theirs", "ratio", "verdict")
SHORT = {"kind": "message", "packet": "1436 B", "window": "fixed", "base-rtt": "16 us",
         "credits": True, "min-rto": "1 ms"}  # fmt: skip
"""As NDP has it: 20 packets at once, more when the receiver asks for them."""
BULK = {"kind": "message", "packet": "1436 B", "window": "fixed", "base-rtt": "25 ms",
        "min-rto": "200 ms"}  # fmt: skip
"""Without control: a window that never fills."""


@dataclass(frozen=True)
class Case:
    """A list of flows with the times that Opera's simulator gave, and how ours is set."""

    name: str
    flows: str
    times: str
    duration: str
    short_flows: dict[str, str]
    below: float
    """Flows that are smaller use the transport of short ones."""


TRIMMED = {"queue": "12 kB", "trim": "64 B"}
SEVEN, NINE = "Figure7_datamining", "Figure9_websearch"
CASES = (
    Case(
        "Opera, data mining",
        f"{SEVEN}/opera/traffic_gen/flows_1percLoad_10sec_648hosts.htsim",
        f"{SEVEN}/opera/sim/FCT_pfab_cwnd20_1perc.txt",
        "10 s",
        {"below": "15 MB", **TRIMMED},
        15e6,
    ),
    Case(
        "RotorNet, data mining",
        f"{SEVEN}/hybrid_rotornet/traffic_gen/flows_1percLoad_10sec_648hosts.htsim",
        f"{SEVEN}/hybrid_rotornet/sim/FCT_pfab_cwnd20_1perc_RLBonly.txt",
        "10 s",
        {"below": "1 B", "queue": "100 kB"},
        0.0,
    ),
    Case(
        "Opera, web search",
        f"{NINE}/opera/traffic_gen/flows_1percLLload_1sec_648hosts.htsim",
        f"{NINE}/opera/sim/FCT_cwnd20_1perc_LL_5paths.txt",
        "1 s",
        TRIMMED,
        30e6,
    ),
)


def scenario(case: Case, folder: Path, lists: Path) -> tp.Scenario:
    """Return the network with the flows of a case, of which lists are written."""
    names = [f"h{rack}-{host}" for rack in range(RACKS) for host in range(HOSTS)]
    flows = tp.flow_lists.read(folder / case.flows, names)
    small = pl.col("size") < case.below
    traffic = []
    for name, those, transport in (("short", small, SHORT), ("bulk", ~small, BULK)):
        chosen = flows.filter(those)
        if chosen.height:
            file = lists / f"{case.name}-{name}.csv"
            chosen.write_csv(file)
            source = {"kind": "flows", "file": str(file)}
            ends = {"from": "h*", "to": "h*"}
            traffic.append({**ends, "transport": transport, "source": source})
    queue = {"kind": "trimming", "packets": 8, "headers": 100000}
    return tp.Scenario.from_dict(
        {
            "run": {"duration": case.duration},
            "topology": {
                "kind": "leaf-spine",
                "leaves": RACKS,
                "spines": SWITCHES,
                "hosts": HOSTS,
                "link": {"rate": "10 Gb/s", "delay": "250 ns"},
                "access": {"rate": "10 Gb/s", "delay": "0 s", "queue": queue},
            },
            "core": {
                "kind": "circuit",
                "schedule": "opera",
                "slot": "600 us",
                "reconfiguration": "10 us",
                "forwarding": "rotor-lb",
                "rack-queue": "1 TB",
                "short-flows": case.short_flows,
            },
            "traffic": traffic,
        }
    )


def ours(case: Case, folder: Path) -> pl.DataFrame:
    """Run a case and return sizes and completion times in seconds."""
    with tempfile.TemporaryDirectory() as lists:
        flows = tp.run(scenario(case, folder, Path(lists))).tables["flows"]
    done = flows.filter(pl.col("end").is_not_null())
    return done.select(pl.col("size").cast(pl.Float64), time=pl.col("end") - pl.col("start"))


def theirs(case: Case, folder: Path) -> pl.DataFrame:
    """Return sizes and completion times in seconds that Opera's simulator reports."""
    found = TIME.findall((folder / case.times).read_text())
    columns = {"size": pl.Float64, "time": pl.Float64}
    rows = [(float(size), float(time) * 1e-3) for size, time in found]
    return pl.DataFrame(rows, schema=columns, orient="row")


def quantile(times: np.ndarray[Any, Any], share: float) -> tuple[float, float, float]:
    """Return a quantile and the ends of its 95 % interval, from order statistics."""
    ordered, count = np.sort(times), len(times)
    spread = 1.96 * (count * share * (1 - share)) ** 0.5
    low, high = (int(np.clip(count * share + d, 0, count - 1)) for d in (-spread, spread))
    return float(np.quantile(ordered, share)), float(ordered[low]), float(ordered[high])


def verdict(mine: tuple[float, float, float], other: tuple[float, float, float]) -> str:
    """Compare two quantiles with their intervals."""
    allowed = BOUND * other[0]
    if abs(mine[0] - other[0]) <= allowed:
        return "agrees"
    apart = max(mine[1] - other[2], other[1] - mine[2], 0.0)
    return "differs" if apart > allowed else "cannot tell"


def rows(case: Case, folder: Path) -> list[tuple[str, ...]]:
    """Run a case, and return a row for each class of sizes and quantile."""
    both = [ours(case, folder), theirs(case, folder)]
    found = []
    for low, high, name in zip(EDGES, EDGES[1:], CLASSES, strict=False):
        inside = (pl.col("size") >= low) & (pl.col("size") < high)
        times = [table.filter(inside).get_column("time").to_numpy() for table in both]
        count = min(map(len, times))
        for share, least in LEAST.items():
            if count >= least:
                mine, other = (quantile(each, share) for each in times)
                shown = [quantities.text(each[0], "s") for each in (mine, other)]
                ratio = f"{mine[0] / other[0]:.2f}"
                percent = f"{100 * share:g} %"
                told = (f"{len(times[0]):,}", percent, *shown, ratio, verdict(mine, other))
                found.append((case.name, name, *told))
    return found


def table(found: list[tuple[str, ...]]) -> str:
    """Return rows as a table of the page."""
    lines = [HEAD, ("---",) * len(HEAD), *found]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def verdicts(page: str) -> list[tuple[str, str, str, str]]:
    """Return what the table of a page says: case, size, quantile and verdict of each row."""
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return [(row[0], row[1], row[3], row[-1]) for row in cells if len(row) == len(HEAD)][2:]


def main() -> int:
    """Run the cases, if there is a folder."""
    folder = os.environ.get("OPERA")
    if folder is None:
        print(
            "OPERA names no folder: no flows of Opera's simulator are compared. "
            f"`git clone {SOURCE}` fetches them; set OPERA to the clone."
        )
        return 0
    if missing := [case.flows for case in CASES if not (Path(folder) / case.flows).is_file()]:
        print(f"There is no {missing[0]} in {folder}.")
        return 1
    with ThreadPoolExecutor(2) as pool:
        found = [
            row for each in pool.map(lambda case: rows(case, Path(folder)), CASES) for row in each
        ]
    text = table(found)
    print(text)
    page = PAGE.read_text()
    if sys.argv[1:] == ["--write"]:
        first, last = (
            page.index(text.partition("\n")[0]),
            page.index("\n\n", page.index("| case |")),
        )
        PAGE.write_text(page[:first] + text.rstrip("\n") + page[last:])
        return 0
    moved = [row for row, said in zip(verdicts(text), verdicts(page), strict=False) if row != said]
    for row in moved:
        print(f"Not as {PAGE} says: {', '.join(row)}")
    return 1 if moved or len(verdicts(text)) != len(verdicts(page)) else 0


if __name__ == "__main__":
    sys.exit(main())

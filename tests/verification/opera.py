"""``make verify``: circuits against Opera's simulator, flow by flow.

W. M. Mellette et al., *Expanding across time to deliver bandwidth efficiency and low latency*
(NSDI 2020) published a simulator, the lists of flows that it was given, and the completion time of
each flow. They are not in this repository: the variable `OPERA` names a clone of
https://github.com/TritonNetworking/opera-sim. The same flows go through ours: Opera and RotorNet,
and the static expander and the 3:1 Clos with which they are compared. The page
`docs/reference/opera.md` says what is the same there and what is not, and has the tables that this
prints (``--write`` puts them there).

The rules, which are older than the tables. Flows are compared by classes of size. A median or a
99 % quantile *agrees* if ours is within 15 % of theirs. It *differs* if the nearest ends of the two
95 % intervals, from order statistics, are not, and else *cannot tell*. A class has at least 20
flows for its median, and 100 for its 99 % quantile.

The order of networks that had one load is compared in each class, for each two of which theirs are
apart (their intervals have nothing in common). It *agrees* if ours are in the same order, *differs*
if ours are apart in the other one, and else *cannot tell*.

Of heavy loads the first part of a list is taken: flows that begin before an instant and end before
a later one, in both. Exit code 1 where a verdict is not that of the page.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import page_tables
import polars as pl
from opera_networks import BULK, Network, circuits, clos, expander

import tcphoton as tp
from tcphoton.common import quantities

PAGE = Path("docs/reference/opera.md")
SOURCE = "https://github.com/TritonNetworking/opera-sim"
EDGES = (0.0, 2e3, 15e3, 100e3, 1e6, 15e6, 1e12)
CLASSES = ("below 2 kB", "to 15 kB", "to 100 kB", "to 1 MB", "to 15 MB", "from 15 MB")
BOUND = 0.15
LEAST = {0.5: 20, 0.99: 100}
TIME = re.compile(r"FCT \d+ \d+ (\d+) ([\d.]+) ([\d.]+)")
HEAD = ("case", "size", "quantiles", "flows", "ours", "theirs", "ratio", "verdict")
ORDER = ("flows", "size", "quantile", "theirs, in order", "ours", "verdict")


@dataclass(frozen=True)
class Case:
    """A list of flows with the times that Opera's simulator gave, and how ours is set."""

    network: str
    load: str
    flows: str
    times: str
    first: float
    """Flows count that begin before this instant, in seconds …"""
    until: float
    """… and end before this one, at which the run ends."""
    below: float = 1e12
    """Flows that are smaller use the transport of short ones."""

    @property
    def name(self) -> str:
        """How the page calls it."""
        return f"{self.network}, {self.load}"


SEVEN, NINE = "Figure7_datamining", "Figure9_websearch"
CLOS, EXPANDER = "3to1_clos", "u7_expander"
MINING, SEARCH = "data mining, 1 %", "web search, {} %"
CASES = (
    Case(
        "Opera",
        MINING,
        f"{SEVEN}/opera/traffic_gen/flows_1percLoad_10sec_648hosts.htsim",
        f"{SEVEN}/opera/sim/FCT_pfab_cwnd20_1perc.txt",
        10.0,
        10.0,
        15e6,
    ),
    Case(
        "RotorNet",
        MINING,
        f"{SEVEN}/hybrid_rotornet/traffic_gen/flows_1percLoad_10sec_648hosts.htsim",
        f"{SEVEN}/hybrid_rotornet/sim/FCT_pfab_cwnd20_1perc_RLBonly.txt",
        10.0,
        10.0,
        0.0,
    ),
    Case(
        "expander",
        MINING,
        f"{SEVEN}/{EXPANDER}/traffic_gen/flows_1percLoad_10sec_650hosts_u7.htsim",
        f"{SEVEN}/{EXPANDER}/sim/FCT_exp_pfab_cwnd30_q46_1perc_VLB0.txt",
        2.0,
        2.5,
    ),
    Case(
        "Clos",
        MINING,
        f"{SEVEN}/{CLOS}/traffic_gen/flows_1percLoad_10sec_648hosts_3to1.htsim",
        f"{SEVEN}/{CLOS}/sim/FCT_3to1_pfab_cwnd30_1perc.txt",
        2.0,
        2.5,
    ),
    *(
        case
        for load, first, until in ((1, 1.0, 1.0), (5, 0.2, 0.25), (10, 0.15, 0.2))
        for case in (
            Case(
                "Opera",
                SEARCH.format(load),
                f"{NINE}/opera/traffic_gen/flows_{load}percLLload_1sec_648hosts.htsim",
                f"{NINE}/opera/sim/FCT_cwnd20_{load}perc_LL_5paths.txt",
                first,
                until,
                30e6,
            ),
            Case(
                "expander",
                SEARCH.format(load),
                f"{NINE}/{EXPANDER}/traffic_gen/flows_u7exp_{load}percLLload_1sec_650hosts.htsim",
                f"{NINE}/{EXPANDER}/sim/FCT_exp_cwnd30_q46_{load}perc_VLB0.txt",
                first,
                until,
            ),
            Case(
                "Clos",
                SEARCH.format(load),
                f"{NINE}/{CLOS}/traffic_gen/flows_3to1_{load}percLLload_1sec_648hosts.htsim",
                f"{NINE}/{CLOS}/sim/FCT_3to1_cwnd30_{load}perc.txt",
                first,
                until,
            ),
        )
    ),
)


def network(case: Case, folder: Path) -> Network:
    """Return the network of a case."""
    trimmed = {"queue": "12 kB", "trim": "64 B"}
    if case.network == "Clos":
        return clos()
    if case.network == "expander":
        return expander(folder)
    if case.network == "RotorNet":
        return circuits({"below": "1 B", "queue": "100 kB"})
    return circuits({"below": f"{case.below:.0f} B", **trimmed})


def scenario(case: Case, folder: Path, lists: Path) -> tp.Scenario:
    """Return the network with the flows of a case, of which lists are written."""
    chosen = network(case, folder)
    flows = tp.flow_lists.read(folder / case.flows, chosen.hosts)
    flows = flows.filter(pl.col("start") < case.until)
    small = pl.col("size") < case.below
    traffic = []
    for name, those, transport in (("short", small, chosen.short), ("bulk", ~small, BULK)):
        listed = flows.filter(those)
        if listed.height:
            file = lists / f"{name}.csv"
            listed.write_csv(file)
            source = {"kind": "flows", "file": str(file)}
            ends = {"from": "h*", "to": "h*"}
            traffic.append({**ends, "transport": transport, "source": source})
    run = {"duration": f"{case.until} s"}
    return tp.Scenario.from_dict({"run": run, **chosen.parts, "traffic": traffic})


def ours(case: Case, folder: Path) -> pl.DataFrame:
    """Run a case and return starts, sizes and completion times of flows that ended, in seconds."""
    with tempfile.TemporaryDirectory() as lists:
        flows = tp.run(scenario(case, folder, Path(lists))).tables["flows"]
    done = flows.filter(pl.col("end").is_not_null())
    size = pl.col("size").cast(pl.Float64)
    return done.select("start", size, time=pl.col("end") - pl.col("start"))


def theirs(case: Case, folder: Path) -> pl.DataFrame:
    """Return the same of Opera's simulator."""
    found = TIME.findall((folder / case.times).read_text())
    rows = [(float(start) * 1e-3, float(size), float(time) * 1e-3) for size, time, start in found]
    columns = {"start": pl.Float64, "size": pl.Float64, "time": pl.Float64}
    return pl.DataFrame(rows, schema=columns, orient="row")


@dataclass(frozen=True)
class Quantile:
    """A quantile with the ends of its 95 % interval, from order statistics."""

    value: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, times: pl.Series, share: float) -> Quantile:
        """Compute it of so many times."""
        ordered, count = times.sort(), len(times)
        spread = 1.96 * (count * share * (1 - share)) ** 0.5
        low, high = (
            ordered[int(min(max(count * share + d, 0), count - 1))] for d in (-spread, spread)
        )
        return cls(float(np.quantile(ordered, share)), low, high, count)

    def __str__(self) -> str:
        """Show it with its unit."""
        return quantities.text(self.value, "s")


def verdict(mine: Quantile, other: Quantile) -> str:
    """Compare two quantiles with their intervals."""
    allowed = BOUND * other.value
    if abs(mine.value - other.value) <= allowed:
        return "agrees"
    apart = max(mine.low - other.high, other.low - mine.high, 0.0)
    return "differs" if apart > allowed else "cannot tell"


def within(flows: pl.DataFrame, first: float, until: float) -> pl.DataFrame:
    """Return the flows that begin and end in time."""
    ends = pl.col("start") + pl.col("time")
    return flows.filter((pl.col("start") < first) & (ends <= until))


Quantiles = dict[tuple[str, float], Quantile]
Both = tuple[pl.DataFrame, pl.DataFrame]
"""Our flows and theirs."""


def quantiles(flows: pl.DataFrame) -> Quantiles:
    """Return the quantiles of each class of sizes that has enough flows."""
    found = {}
    for low, high, name in zip(EDGES, EDGES[1:], CLASSES, strict=False):
        inside = (pl.col("size") >= low) & (pl.col("size") < high)
        times = flows.filter(inside).get_column("time")
        for share, least in LEAST.items():
            if len(times) >= least:
                found[name, share] = Quantile.of(times, share)
    return found


def rows(case: Case, both: Both) -> list[tuple[str, ...]]:
    """Return a row for each class of sizes of a case, with the quantiles that both have."""
    ours, theirs = (quantiles(within(each, case.first, case.until)) for each in both)
    found: list[tuple[str, ...]] = []
    for size in CLASSES:
        shares = [share for share in LEAST if (size, share) in ours and (size, share) in theirs]
        pairs = [(ours[size, share], theirs[size, share]) for share in shares]
        if pairs:
            verdicts = [verdict(mine, other) for mine, other in pairs]
            cells = (
                [f"{100 * share:g} %" for share in shares],
                [f"{mine.count:,}" for mine, _ in pairs[:1]],
                [str(mine) for mine, _ in pairs],
                [str(other) for _, other in pairs],
                [f"{mine.value / other.value:.2f}" for mine, other in pairs],
                verdicts if len(set(verdicts)) > 1 else verdicts[:1],
            )
            found.append((case.name, size, *map(", ".join, cells)))
    return found


def named(key: tuple[str, float]) -> tuple[str, str]:
    """Return a class and a quantile as the page has them."""
    size, share = key
    return size, f"{100 * share:g} %"


def orders(load: str, cases: dict[Case, Both]) -> list[tuple[str, ...]]:
    """Return a row for each class of sizes and quantile of the networks that had one load."""
    first, until = min(case.first for case in cases), min(case.until for case in cases)
    known = {
        case.network: [quantiles(within(each, first, until)) for each in both]
        for case, both in cases.items()
    }
    found = []
    for key in itertools.product(CLASSES, LEAST):
        pairs = {
            name: (ours[key], theirs[key])
            for name, (ours, theirs) in known.items()
            if key in ours and key in theirs
        }
        if len(pairs) > 1:
            names = sorted(pairs, key=lambda name: pairs[name][1].value)
            pairs = {name: pairs[name] for name in names}
            said = [", ".join(f"{name} {pairs[name][side]}" for name in names) for side in (1, 0)]
            found.append((load, *named(key), *said, order(pairs)))
    return found


def order(pairs: dict[str, tuple[Quantile, Quantile]]) -> str:
    """Compare the order of networks, ours with theirs; they are in the order of theirs."""
    told: dict[str, list[str]] = {}
    for one, two in itertools.combinations(pairs, 2):
        (mine, other), (mine_two, other_two) = pairs[one], pairs[two]
        if other.high < other_two.low:
            wrong = "differs" if mine.low > mine_two.high else "cannot tell"
            said = "agrees" if mine.value < mine_two.value else wrong
            told.setdefault(said, []).append(f"{one} and {two}")
    for said in ("differs", "cannot tell"):
        if said in told:
            return f"{said}: {', '.join(told[said])}"
    return "agrees" if told else "theirs are not apart"


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
        results = pool.map(lambda case: ours(case, Path(folder)), CASES)
        found = {
            case: (mine, theirs(case, Path(folder)))
            for case, mine in zip(CASES, results, strict=True)
        }
    loads = dict.fromkeys(case.load for case in CASES)
    alike = [
        row
        for load in loads
        for row in orders(load, {one: both for one, both in found.items() if one.load == load})
    ]
    alone = [row for case, both in found.items() for row in rows(case, both)]
    return page_tables.settle(PAGE, {HEAD: alone, ORDER: alike})


if __name__ == "__main__":
    sys.exit(main())

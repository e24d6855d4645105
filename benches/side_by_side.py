"""``make bench``: the engine's speed, compared with ns-2, ns-3 and htsim if they are installed.

Rates are packets that crossed a link per second of processor time, without the set-up. The programs
are run in turn (tcphoton, ns-2, ns-3, tcphoton, …), so that other load of the machine affects all
of them; the output is medians, and medians of the ratios of each round. ns-3 simulates a shorter
time, because it needs seconds per simulated second, and none of the larger networks. The targets
are those of the project's first issue.

It prints a table and writes it to ``out/bench/side-by-side.csv``, and beside it each round to
``rounds.csv`` and how quiet the machine was to ``conditions.csv``; `speed_page.py` makes a page of
them. A missing simulator is reported with its Debian
package (htsim, which has none, with the variable ``HTSIM`` that names the folder of its sources)
and skipped; it is never an error.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tcphoton import _core
from tcphoton.cli.bench import measure_once
from tcphoton.common.folder import put_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parents[1]
REFERENCES = ROOT / "tests" / "verification"
OUT = Path("out/bench")
NS3_PROGRAMS = OUT / "ns3"
HTSIM_PROGRAMS = OUT / "htsim"
FEWEST_ROUNDS = 3
TIMEOUT = 3600
"""Seconds: ns-2 takes minutes to set 65,536 flows up."""


class Shared(NamedTuple):
    """A workload that other simulators have too."""

    script: str
    flows: int
    times: str
    """What follows the seed of ns-2's and htsim's programs."""
    ns3: str = ""
    """Seconds that ns-3 simulates, if it is measured."""


SHARED = {
    "dumbbell": Shared("dumbbell", 500, "20", ns3="2"),
    "dumbbell-5000": Shared("dumbbell", 5_000, "6 10 1.5"),
    "dumbbell-50000": Shared("dumbbell", 50_000, "2 100 1.5"),
    "fat-tree": Shared("fat_tree", 128, "0.1", ns3="0.01"),
    "fat-tree-16-1024": Shared("fat_tree", 1_024, "0.015 16 1 0.005"),
    "fat-tree-16-8192": Shared("fat_tree", 8_192, "0.015 16 8 0.005"),
    "fat-tree-16-65536": Shared("fat_tree", 65_536, "0.015 16 64 0.005"),
}
SPEEDS = {"hops-1e3": 30.0, "hops-1e4": 30.0, "hops-1e5": 20.0, "dumbbell": 22.0, "fat-tree": 20.0,
          "opera": 10.0}  # fmt: skip
"""Targets in millions of packet-hops per second."""
RATIOS: dict[str, dict[str, float]] = {
    "ns-2": {"dumbbell": 5.0},
    "ns-3": {"dumbbell": 100.0},
    "htsim": {},
}
"""Targets as multiples of another simulator's packet-hops per second."""
EVENTS = {"dumbbell": 1.2}
"""Targets in events per packet-hop, maxima."""
MEMORY = {"dumbbell": 25.0}
"""Targets in MiB, maxima."""
SHARES = (
    ("a packet in flight, with its share of the fat tree of links", "hops-1e5", 100_000, 96),
    ("a TCP flow, with its share of queues and packets", "dumbbell", 500, 2048),
)
"""The divisors of memory, and targets in bytes, maxima."""

Row = dict[str, str]


class Load(NamedTuple):
    """What the machine has done so far, in processor seconds."""

    average: float
    """Runnable processes, the mean of a minute."""
    wall: float
    busy: float
    stolen: float
    """By other machines of the same host."""
    ours: float
    """By this process and those that it has waited for."""

    @classmethod
    def now(cls) -> Load:
        """Read it; what the system does not tell is not a number."""
        try:
            first = Path("/proc/stat").read_text("utf-8").splitlines()[0].split()[1:9]
            ticks = [int(text) / os.sysconf("SC_CLK_TCK") for text in first]
        except OSError:
            ticks = [float("nan")] * 8
        user, nice, system, _idle, _waiting, hard, soft, stolen = ticks
        busy = user + nice + system + hard + soft
        ours = sum(os.times()[:4])
        return cls(os.getloadavg()[0], time.monotonic(), busy, stolen, ours)

    def until(self, later: Load) -> Row:
        """Return how quiet the machine was, shares in percent of its cores."""
        whole = (later.wall - self.wall) * (os.cpu_count() or 1) / 100
        others = (later.busy - self.busy - later.ours + self.ours) / whole
        return {
            "load before": f"{self.average:.2f}",
            "load after": f"{later.average:.2f}",
            "others %": f"{max(others, 0.0):.1f}",
            "stolen %": f"{(later.stolen - self.stolen) / whole:.1f}",
        }


@dataclass
class Rival:
    """Another simulator: how its packet-hops per processor second are measured."""

    name: str
    measure: Callable[[str], float]
    """Measures a workload once."""
    workloads: frozenset[str] = frozenset(SHARED)
    """Those that it is measured with."""


@dataclass
class Measured:
    """All rounds of a workload."""

    ours: list[dict[str, float]] = field(default_factory=list)
    theirs: dict[str, list[float]] = field(default_factory=dict)

    def median(self, key: str) -> float:
        """Return the median of one of our own numbers."""
        return statistics.median(run[key] for run in self.ours)

    def rival_rate(self, rival: str) -> float | None:
        """Return the median rate of another simulator."""
        rates = self.theirs.get(rival)
        return statistics.median(rates) if rates else None

    def ratio(self, rival: str) -> float | None:
        """Return the median ratio of our rate to another simulator's, round by round."""
        rates = self.theirs.get(rival)
        if not rates:
            return None
        ours = [run["packet_hops_per_second"] for run in self.ours]
        return statistics.median(mine / other for mine, other in zip(ours, rates, strict=False))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure everything, print the table and write it."""
    parser = argparse.ArgumentParser(description="Measure the engine beside ns-2, ns-3 and htsim.")
    parser.add_argument(
        "--rounds", type=int, default=FEWEST_ROUNDS, help=f"rounds, at least {FEWEST_ROUNDS}"
    )
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="workloads; default: all")
    options = parser.parse_args(arguments)
    known = _core.workloads()
    if not set(options.workloads) <= set(known) or options.rounds < FEWEST_ROUNDS:
        parser.error(f"workloads: {', '.join(known)}; at least {FEWEST_ROUNDS} rounds")

    workloads = options.workloads or known
    rivals, absent = find_rivals() if SHARED.keys() & set(workloads) else ([], [])
    OUT.mkdir(parents=True, exist_ok=True)
    found, rows, before = {}, [], Load.now()
    for workload in workloads:
        found[workload] = take_turns(workload, rivals, options.rounds, absent)
        rows.append(row_of(workload, found[workload]))
        conditions = {"rounds": str(options.rounds), **before.until(Load.now())}
        conditions["not measured"] = " ".join(dict.fromkeys(absent))
        # Whoever interrupts it has what was measured.
        put_file(OUT / "side-by-side.csv", csv_of(rows).encode())
        put_file(OUT / "rounds.csv", csv_of(rounds_of(found)).encode())
        put_file(OUT / "conditions.csv", csv_of([conditions]).encode())
    sys.stdout.write(text_of(rows) + text_of_memory(found))
    for line in dict.fromkeys(absent):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"Written: {OUT / 'side-by-side.csv'}\n")
    return 0


def take_turns(workload: str, rivals: list[Rival], rounds: int, absent: list[str]) -> Measured:
    """Measure a workload; in each round first ours, then the others."""
    measured = Measured()
    turns = [rival for rival in rivals if workload in rival.workloads]
    for turn in range(1, rounds + 1):
        tell(f"{workload}: round {turn} of {rounds}: tcphoton")
        measured.ours.append(measure_once(workload))
        for rival in list(turns):
            tell(f"{workload}: round {turn} of {rounds}: {rival.name}")
            try:
                rate = rival.measure(workload)
            except (OSError, subprocess.SubprocessError, LookupError, ValueError) as error:
                absent.append(f"{rival.name} failed on {workload}: {said(error)}.")
                measured.theirs.pop(rival.name, None)
                turns.remove(rival)
                continue
            measured.theirs.setdefault(rival.name, []).append(rate)
    return measured


def find_rivals() -> tuple[list[Rival], list[str]]:
    """Return the installed simulators, and a line for each missing one."""
    rivals, absent = [], []
    if shutil.which("ns") is None:
        absent.append("ns-2 is not installed (Debian package ns2): not measured.")
    else:
        rivals.append(Rival("ns-2", measure_ns2))
    missing = missing_for_ns3()
    if missing:
        absent.append(f"ns-3 is not installed (Debian packages {missing}): not measured.")
    elif line := built("ns-3", [str(NS3_PROGRAMS)]):
        absent.append(line)
    else:
        small = frozenset(name for name, shared in SHARED.items() if shared.ns3)
        rivals.append(Rival("ns-3", measure_ns3, small))
    sources = os.environ.get("HTSIM")
    if not sources:
        absent.append("htsim is not there (HTSIM=folder with its sources): not measured.")
    elif line := built("htsim", [sources, str(HTSIM_PROGRAMS)]):
        absent.append(line)
    else:
        rivals.append(Rival("htsim", measure_htsim))
    return rivals, absent


def built(rival: str, arguments: list[str]) -> str:
    """Build the programs of a simulator; return why that fails, an empty text if it does not."""
    tell(f"{rival}: building its programs")
    script = REFERENCES / rival.replace("-", "") / "build.sh"
    try:
        output_of(["sh", str(script), *arguments])
    except (OSError, subprocess.SubprocessError) as error:
        return f"{rival}'s programs do not build: {said(error)}"
    return ""


def missing_for_ns3() -> str:
    """Return the missing packages of ns-3's programs, an empty text if there are none."""
    needed = {"c++": "g++", "pkg-config": "pkg-config"}
    missing = [package for program, package in needed.items() if shutil.which(program) is None]
    if "pkg-config" not in missing:
        asked = subprocess.run(["pkg-config", "--exists", "ns3-internet"], check=False)
        if asked.returncode != 0:
            missing.append("libns3-dev")
    return ", ".join(missing)


def measure_ns2(workload: str) -> float:
    """Rate ns-2, SACK at both ends."""
    shared = SHARED[workload]
    script = str(REFERENCES / "ns2" / f"{shared.script}.tcl")
    names = output_of(["ns", script, "header"])
    lines = output_of(["ns", script, "sack", "1", *shared.times.split()])
    values = next(line for line in lines.splitlines() if line.startswith("sack,"))
    return rate_of(names, values)


def measure_ns3(workload: str) -> float:
    """Rate ns-3."""
    shared = SHARED[workload]
    program = str(NS3_PROGRAMS / shared.script)
    names, values = output_of([program, f"--duration={shared.ns3}"]).splitlines()
    return rate_of(names, values)


def measure_htsim(workload: str) -> float:
    """Rate htsim."""
    shared = SHARED[workload]
    program = str(HTSIM_PROGRAMS / shared.script)
    names, values = output_of([program, "1", *shared.times.split()]).splitlines()[-2:]
    return rate_of(names, values)


def rate_of(names: str, values: str) -> float:
    """Return packet-hops per processor second from a line of CSV."""
    columns = dict(zip(names.strip().split(","), values.strip().split(","), strict=True))
    return float(columns["packet_hops"]) / float(columns["cpu_s"])


def output_of(command: list[str]) -> str:
    """Run a command and return what it prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT)
    return done.stdout


def said(error: Exception) -> str:
    """Return the last line of an error's output."""
    text = getattr(error, "stderr", None) or str(error)
    return str(text).strip().splitlines()[-1]


def row_of(workload: str, measured: Measured) -> Row:
    """Return a line of the table."""
    row = {
        "workload": workload,
        "tcphoton M hops/s": f"{measured.median('packet_hops_per_second') / 1e6:.2f}",
        "aim": aim(SPEEDS, workload, "≥ "),
    }
    for rival, aims in RATIOS.items():
        rate, ratio = measured.rival_rate(rival), measured.ratio(rival)
        row[f"{rival} M hops/s"] = "" if rate is None else f"{rate / 1e6:.3f}"
        row[f"× {rival}"] = "" if ratio is None else f"{ratio:.1f}"
        row[f"aim × {rival}"] = aim(aims, workload, "≥ ")
    return row | {
        "events/hop": f"{measured.median('events_per_packet_hop'):.3f}",
        "aim events": aim(EVENTS, workload, "≤ "),
        "memory MiB": f"{measured.median('peak_memory_bytes') / 2**20:.1f}",
        "aim MiB": aim(MEMORY, workload, "≤ "),
    }


def rounds_of(found: dict[str, Measured]) -> list[Row]:
    """Return a line for each simulator and round."""
    rates = {
        (workload, "tcphoton"): [run["packet_hops_per_second"] for run in measured.ours]
        for workload, measured in found.items()
    } | {
        (workload, rival): list(theirs)
        for workload, measured in found.items()
        for rival, theirs in measured.theirs.items()
    }
    return [
        {
            "workload": workload,
            "simulator": simulator,
            "round": str(number),
            "M hops/s": f"{rate / 1e6:.4f}",
        }
        for (workload, simulator), rounds in rates.items()
        for number, rate in enumerate(rounds, start=1)
    ]


def aim(aims: dict[str, float], workload: str, sign: str) -> str:
    """Return a target as text, empty if there is none."""
    return f"{sign}{aims[workload]:g}" if workload in aims else ""


def text_of(rows: list[Row]) -> str:
    """Return the table as text; a value not measured is a dash, and targets are under "aim"."""
    titles = ["aim" if title.startswith("aim") else title for title in rows[0]]
    lines = [titles, *([cell or "–" for cell in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ""
    for first, *others in lines:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        text += "  ".join([first.ljust(widths[0]), *cells]).rstrip() + "\n"
    return text


def text_of_memory(found: dict[str, Measured]) -> str:
    """Return the memory per packet and per flow."""
    lines = [
        f"memory of {what}: {found[workload].median('peak_memory_bytes') / count:,.0f} B "
        f"(aim ≤ {most:,} B; {workload}, whole engine / {count:,})\n"
        for what, workload, count, most in SHARES
        if workload in found
    ]
    return "\n" + "".join(lines) if lines else ""


def csv_of(rows: list[Row]) -> str:
    """Return the table as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def tell(message: str) -> None:
    """Report progress."""
    sys.stderr.write(f"{message} …\n")
    sys.stderr.flush()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)

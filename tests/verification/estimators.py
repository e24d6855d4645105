"""``make verify``: intervals cover what they say, with and without control variates.

Three systems whose expectation a formula gives: the delay of M/D/1 (Pollaczek and Khinchine), the
loss of M/D/c/c (Erlang B), and what random losses of bursts leave of a stream. The runs of 20,000
seeds are taken as 2,000 samples of ten, and as 1,250 of sixteen: how often does their 95 % interval
cover the formula, how far is the mean of the estimates from it, and how wide are the intervals?

An interval that is narrower by a factor f saves 1 - f² of the runs; a control costs no time.

    python tests/verification/estimators.py [samples of ten]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

import tcphoton as tp
from tcphoton.analysis import statistics, theory

if TYPE_CHECKING:
    from tcphoton.common.progress import Progress

OUT = Path("out/verify")
REPETITIONS = 2000
SAMPLES = (10, 16)
SEEDS = 5000
"""Runs of a sweep."""
COVERS = (0.93, 0.97)
APART = 3.5
"""Standard errors by which the mean of all estimates may be apart from the formula."""

Row = dict[str, Any]


class System(NamedTuple):
    """A system, a measure of it, and what a formula says of that."""

    name: str
    text: str
    measure: str
    controls: tuple[str, ...]
    expected: float


def main(repetitions: int = REPETITIONS) -> list[Row]:
    """Print and return a row for each system, size of a sample, and way to estimate."""
    rows = [row for system in systems() for row in look(system, repetitions)]
    OUT.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows).write_csv(OUT / "estimators.csv")
    return rows


def systems() -> list[System]:
    """The systems, with their formulas."""
    # 0.8 ms a packet at a load of 0.7; the link delays by 1 ms, and a packet takes 0.8 ms itself.
    wait = theory.md1_wait(875, 1250)
    # 20 us a packet, and a packet every 8 us: 2.5 erlang on four wavelengths.
    return [
        System("M/D/1", one_link(), "delay-mean", ("offered-surplus",), wait + 1.8e-3),
        System("Erlang B", edges(4), "loss", ("offered-surplus",), theory.erlang_b(2.5, 4)),
        # 0.6 Gb/s are not lost. What is sent in the last 20 us of 20 ms is still on its way.
        System(
            "random loss",
            edges(64, loss=0.4),
            "goodput",
            ("bursts.lost-random-surplus",),
            0.6e9 * (1 - 1e-3),
        ),
    ]


def one_link() -> str:
    """Poisson packets of one size on a link of 10 Mb/s."""
    return """
[run]
duration = "11 s"
warmup = "1 s"
[topology]
kind = "explicit"
nodes = [{ name = "a", kind = "host" }, { name = "b", kind = "host" }]
links = [{ from = "a", to = "b", rate = "10 Mb/s", delay = "1 ms",
  queue = { kind = "drop-tail", packets = 100000 } }]
[[traffic]]
from = "a"
to = "b"
transport = { kind = "udp", header = "0 B" }
source = { kind = "poisson-packets", rate = "7 Mb/s", packet = "1000 B" }
"""


def edges(channels: int, *, loss: float = 0.0) -> str:
    """Poisson packets of 2500 B, each of them a burst, 2.5 Gb/s or 1 Gb/s to channels of 1 Gb/s."""
    rate = "1 Gb/s" if loss else "2.5 Gb/s"
    return f"""
[run]
duration = "22 ms"
warmup = "2 ms"
[topology]
kind = "explicit"
nodes = [{{ name = "a", kind = "edge" }}, {{ name = "b", kind = "edge" }}]
links = [{{ from = "a", to = "b", rate = "1 Gb/s", delay = "0 s", channels = {channels} }}]
[assembly]
policy = "none"
when-busy = "drop"
loss = {loss}
[core]
kind = "packet"
[[traffic]]
from = "a"
to = "b"
transport = {{ kind = "udp", header = "0 B" }}
source = {{ kind = "poisson-packets", rate = "{rate}", packet = "2500 B" }}
"""


def look(system: System, repetitions: int) -> list[Row]:
    """Take samples of a system."""
    wanted = repetitions * SAMPLES[0]
    scenario = tp.Scenario.from_text(system.text, f"{system.name}.toml")
    found = []
    for first in range(1, wanted + 1, SEEDS):
        seeds = list(range(first, min(first + SEEDS, wanted + 1)))
        found.append(tp.Sweep(scenario, seeds=seeds).run(progress=teller(system.name, seeds)))
    sys.stderr.write("\n")
    table = pl.concat(found).select("seed", system.measure, *system.controls)
    return [
        tell(row_of(system, table, of, controls))
        for of in SAMPLES
        for controls in ((), system.controls)
    ]


def row_of(system: System, table: pl.DataFrame, of: int, controls: tuple[str, ...]) -> Row:
    """How samples of so many runs estimate the measure."""
    sample = "sample"
    rows = table.head(table.height // of * of).with_columns(
        (pl.int_range(pl.len()) // of).alias(sample)
    )
    if controls:
        rows = statistics.controlled(rows, system.measure, sample, controls)
    intervals = [
        statistics.mean_interval(group.get_column(system.measure))
        for _, group in rows.group_by(sample, maintain_order=True)
    ]
    means = statistics.mean_interval([each.mean for each in intervals], 0.6827)
    covered = sum(each.low <= system.expected <= each.high for each in intervals) / len(intervals)
    apart = (means.mean - system.expected) / means.half_width
    is_right = COVERS[0] <= covered <= COVERS[1] and abs(apart) < APART
    return {
        "system": system.name,
        "runs": of,
        "controls": ", ".join(controls),
        "coverage": covered,
        "bias, standard errors": apart,
        "relative half-width": math.fsum(each.half_width for each in intervals)
        / len(intervals)
        / system.expected,
        "verdict": "agrees" if is_right else "differs",
    }


def tell(row: Row) -> Row:
    """Print a row."""
    print(
        f"{row['verdict']:>8}  {row['system']}, {row['runs']} runs, "
        f"{row['controls'] or 'no control'}: covers {100 * row['coverage']:.1f} %, "
        f"± {100 * row['relative half-width']:.2f} %, "
        f"bias {row['bias, standard errors']:+.1f} standard errors"
    )
    return row


def teller(name: str, seeds: list[int]) -> Any:
    """What shows progress."""

    def tell_progress(progress: Progress) -> None:
        if progress.done % 100 == 0:
            sys.stderr.write(f"\r{name}: seeds {seeds[0]} to {seeds[-1]}, {progress}   ")

    return tell_progress


if __name__ == "__main__":
    ends = main(*map(int, sys.argv[1:2]))
    sys.exit(any(row["verdict"] == "differs" for row in ends))

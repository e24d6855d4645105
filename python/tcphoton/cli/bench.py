"""The engine's speed on standard workloads, each repetition in its own process.

A new process gives each repetition its own peak memory and no warm caches of another one.
The reported numbers are medians.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from typing import IO, TYPE_CHECKING

from tcphoton import _core
from tcphoton.common import child
from tcphoton.common.terminal import put_json
from tcphoton.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Measured = dict[str, float]

WHEN_NAMED = ("dumbbell-", "fat-tree-", "nsf", "lbas", "opera")
"""How the names of workloads begin that take long: they run only when they are named."""


def measure(
    workloads: Sequence[str], repeat: int, tell: Callable[[str], object]
) -> dict[str, Measured]:
    """Measure workloads (by default all except the long ones) and return the medians.

    Raises
    ------
    LookupError
        There is no workload with that name.
    EngineError
        A workload failed.
    """
    known = _core.workloads()
    for name in workloads:
        if name not in known:
            raise LookupError(f"no workload {name!r}; available: {', '.join(known)}")
    found = {}
    for name in workloads or [name for name in known if not name.startswith(WHEN_NAMED)]:
        tell(f"{name} …")
        runs = [measure_once(name) for _ in range(repeat)]
        found[name] = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    return found


def measure_once(workload: str) -> Measured:
    """Measure a workload once, in its own process.

    Raises
    ------
    EngineError
        The workload failed.
    """
    command = child.command("from tcphoton.cli.bench import main; main()", workload)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()
        raise EngineError(f"workload {workload}: {reason[-1] if reason else done.returncode}")
    measured: Measured = json.loads(done.stdout)
    return measured


def _where_known(run: Measured, key: str, factor: float) -> str:
    """Format a number that only some workloads have."""
    return f"{run[key] * factor:.1f}" if key in run else "–"


def print_table(found: dict[str, Measured], file: IO[str]) -> None:
    """Print the medians, one line per workload."""
    titles = (
        "workload",
        "M hops/s",
        "events/hop",
        "delivered",
        "memory MiB",
        "CPU s",
        "sim s",
        "M cells/s",
        "ns/slot",
    )
    rows = [
        (
            name,
            f"{run['packet_hops_per_second'] / 1e6:.2f}",
            f"{run['events_per_packet_hop']:.3f}",
            f"{run['delivered_packets']:,.0f}",
            f"{run['peak_memory_bytes'] / 2**20:.1f}",
            f"{run['cpu_seconds']:.2f}",
            f"{run['simulated_seconds']:g}",
            _where_known(run, "cells_per_second", 1e-6),
            _where_known(run, "nanoseconds_per_slot", 1.0),
        )
        for name, run in found.items()
    ]
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    for row in (titles, *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        file.write("  ".join(cells) + "\n")


def main() -> None:
    """Measure the workload that is named."""
    put_json(json.dumps(_core.bench(sys.argv[1])))

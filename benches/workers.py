"""The number of runs per second of workers: processes of this machine, compared with Dask.

``python benches/workers.py --rounds 5`` prints one line per kind of workers and length of runs: the
median over the rounds, in which all kinds are run in turn. A run is short (some milliseconds) or
takes about a second of a core. Other load affects the result: use an idle machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tcphoton as tp

if TYPE_CHECKING:
    from collections.abc import Iterator

RATES = ["5 Mb/s", "8 Mb/s"]
LENGTHS = {"short": ("20 s", 200), "a second": ("12000 s", 8)}
"""The simulation of a run, and the number of runs."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    found: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, dask(Path(folder), asked.workers) as address:
        kinds: dict[str, dict[str, Any]] = {
            "1 process": {"workers": 1},
            f"{asked.workers} processes": {"workers": asked.workers},
            f"Dask, {asked.workers} workers": {"cluster": address},
        }
        for _ in range(asked.rounds):
            for length in LENGTHS:
                for kind, options in kinds.items():
                    found.setdefault((length, kind), []).append(measure(length, options))
    for (length, kind), rates in found.items():
        spread = f"{min(rates):.2f} to {max(rates):.2f}"
        middle = statistics.median(rates)
        sys.stdout.write(f"{length:<9}  {kind:<16}  {middle:7.2f} runs/s  ({spread})\n")


def measure(length: str, options: dict[str, Any]) -> float:
    """Return the runs per second of a sweep, including the start of its workers."""
    duration, runs = LENGTHS[length]
    scenario = tp.example("mm1").with_({"run.duration": duration})
    sweep = tp.Sweep(scenario, {"traffic.0.source.rate": RATES}, seeds=runs // len(RATES))
    with tempfile.TemporaryDirectory() as out:
        began = time.perf_counter()
        table = sweep.run(out, **options)
        return table.height / (time.perf_counter() - began)


@contextmanager
def dask(folder: Path, workers: int) -> Iterator[str]:
    """Yield the address of a cluster on loopback."""
    file = folder / "scheduler.json"
    words = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)]
    processes = [_dask(*words)]
    try:
        while not file.exists():
            time.sleep(0.1)
        time.sleep(1)
        address: str = json.loads(file.read_text())["address"]
        processes += [_dask("worker", address, "--nthreads", "1") for _ in range(workers)]
        time.sleep(5)
        yield address
    finally:
        for process in processes:
            process.terminate()
            process.wait()


def _dask(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words, "--no-dashboard"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main()

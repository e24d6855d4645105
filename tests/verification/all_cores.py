"""Many runs on all cores."""

from __future__ import annotations

import itertools
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import tcphoton as tp


def run_all(tasks: list[tuple[tp.Scenario, int]], what: str) -> list[tp.Report]:
    """Run tasks on all cores, with progress on stderr."""
    started, done = time.monotonic(), itertools.count(1)

    def one(task: tuple[tp.Scenario, int]) -> tp.Report:
        report = tp.run(task[0], seed=task[1])
        n = next(done)
        left = (time.monotonic() - started) / n * (len(tasks) - n)
        sys.stderr.write(f"\r{what}: {n}/{len(tasks)}, about {left:.0f} s left   ")
        return report

    with ThreadPoolExecutor() as pool:
        reports = list(pool.map(one, tasks))
    sys.stderr.write("\n")
    return reports

"""The demonstration behind ``make demo``: five TCPs on a lossy and on a congested path.

The lossy path has 10 Gb/s and a round trip of 100 ms, so its losses alone hold the window down, as
the formulas of Padhye et al. and of Mathis et al. assume. (Tahoe lies outside of both: it starts
slowly after every loss.) The congested path is the dumbbell of the examples. Every number is a
mean over seeds with its 95 % interval; the runs share the processors as threads.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton import figures, statistics, theory
from tcphoton.examples import example
from tcphoton.folder import put_file
from tcphoton.runs import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tcphoton.results import Report
    from tcphoton.scenario import Scenario

__all__ = ["main"]

PRESETS = ("tahoe", "reno", "newreno", "sack", "cubic")
NAMES = {
    "tahoe": "Tahoe", "reno": "Reno", "newreno": "NewReno", "sack": "SACK", "cubic": "CUBIC",
}  # fmt: skip
LOSSES = (0.001, 0.005, 0.01, 0.02)
RTT = 0.1
MIN_RTO = 0.2
WARMUP = 20
LOSSY_SECONDS = 2000
LOSSY_SEEDS = 8
DUMBBELL_SEEDS = 4
FORMULAS: dict[str, Callable[[float], float]] = {
    "Padhye": lambda p: theory.padhye(p, rtt=RTT, t0=MIN_RTO),
    "Mathis": lambda p: theory.mathis(p, rtt=RTT),
}


@dataclass(frozen=True)
class Task:
    """One run: a scenario, a seed, what is varied and what is measured."""

    scenario: Scenario
    seed: int
    varied: dict[str, Any]
    measure: Callable[[Report], dict[str, float]]


def main(folder: Path = Path("out/demo")) -> int:
    """Run the demonstration, print its tables, write its figures, return the exit code."""
    started = time.monotonic()
    lossy, dumbbell = _lossy_tasks(), _dumbbell_tasks()
    try:
        rows = _run_all([*lossy, *dumbbell])
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    lossy_rows = pl.DataFrame(rows[: len(lossy)])
    dumbbell_rows = pl.DataFrame(rows[len(lossy) :])
    sys.stdout.write(_lossy_table(lossy_rows) + "\n" + _dumbbell_table(dumbbell_rows))
    folder.mkdir(parents=True, exist_ok=True)
    written = figures.save(_lossy_figure(lossy_rows), folder / "lossy-path")
    written += figures.save(_dumbbell_figure(dumbbell_rows), folder / "dumbbell")
    for name, table in (("lossy-path", lossy_rows), ("dumbbell", dumbbell_rows)):
        put_file(folder / f"{name}.csv", table.write_csv().encode())
    sys.stdout.write(
        f"\n{len(rows)} runs in {time.monotonic() - started:.0f} s. Figures and data:\n"
        + "".join(f"  {path}\n" for path in [*written, *folder.glob("*.csv")])
    )
    return 0


def _lossy_tasks() -> list[Task]:
    def measure(report: Report) -> dict[str, float]:
        return {"rate": _sum(report.flows, "packets-sent") / (LOSSY_SECONDS - WARMUP)}

    path = example("tcp-lossy-path").with_(
        {
            "run.duration": f"{LOSSY_SECONDS} s",
            "run.warmup": f"{WARMUP} s",
            "record.series": [],
            "traffic.0.transport.ack-every": 1,
            "traffic.0.transport.min-rto": f"{MIN_RTO} s",
        }
    )
    return [
        Task(
            path.with_({"traffic.0.transport.preset": preset, "topology.bottleneck.loss.p": p}),
            seed,
            {"tcp": NAMES[preset], "p": p},
            measure,
        )
        for preset in PRESETS
        for p in LOSSES
        for seed in range(1, LOSSY_SEEDS + 1)
    ]


def _dumbbell_tasks() -> list[Task]:
    def measure(report: Report) -> dict[str, float]:
        link = report.links.filter(pl.col("link") == "left -> right")
        return {
            "goodput": _sum(report.flows, "goodput") / 1e6,
            "loss": 100 * _sum(link, "dropped-queue") / _sum(link, "packets-in"),
            "jain": statistics.jain(report.flows.get_column("goodput")),
            "timeouts": _sum(report.flows, "timeouts"),
        }

    path = example("dumbbell")
    return [
        Task(
            path.with_({"traffic.0.transport.preset": preset}),
            seed,
            {"tcp": NAMES[preset]},
            measure,
        )
        for preset in PRESETS
        for seed in range(1, DUMBBELL_SEEDS + 1)
    ]


def _sum(table: pl.DataFrame, column: str) -> float:
    return math.fsum(table.get_column(column))


def _run_all(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Run all tasks on all processors; the results stand in the order of the tasks."""
    stop = threading.Event()

    def one(task: Task) -> dict[str, Any]:
        def look(*_: object) -> None:
            if stop.is_set():
                raise KeyboardInterrupt

        report = run(task.scenario, task.seed, progress=look)
        return {**task.varied, "seed": task.seed, **task.measure(report)}

    with ThreadPoolExecutor(os.cpu_count()) as pool, _progress(len(tasks)) as tell:
        running: list[Future[dict[str, Any]]] = [pool.submit(one, task) for task in tasks]
        try:
            for done in as_completed(running):
                done.result()
                tell()
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [done.result() for done in running]


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """Count runs on stderr with an estimate: a bar on a terminal, else a line now and then."""
    if sys.stderr.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("simulating", total=total)
            yield lambda: bar.advance(task)
        return

    started = told = time.monotonic()
    count = 0

    def tell() -> None:
        nonlocal count, told
        count += 1
        now = time.monotonic()
        if now - told > 5:  # noqa: PLR2004 - seconds between lines
            told = now
            left = (now - started) / count * (total - count)
            sys.stderr.write(f"{count} of {total} runs, about {left:.0f} s left\n")
            sys.stderr.flush()

    yield tell


def _lossy_table(rows: pl.DataFrame) -> str:
    means = statistics.summarise(rows, "rate", by=["tcp", "p"])
    lines = [
        "Packets a second of one flow on a path of 10 Gb/s and 100 ms that loses a share p",
        f"(mean of {LOSSY_SEEDS} seeds ± 95 % interval; below it in per cent of Padhye's formula)",
        "",
        _row("", [f"p = {p:g}" for p in LOSSES]),
    ]
    for (name,), group in means.group_by("tcp", maintain_order=True):
        found = [
            (row["rate"], (row["high"] - row["low"]) / 2, FORMULAS["Padhye"](row["p"]))
            for row in group.iter_rows(named=True)
        ]
        lines.append(_row(str(name), [f"{mean:.1f} ± {half:.1f}" for mean, half, _ in found]))
        lines.append(_row("", [f"{100 * mean / padhye:.0f} %" for mean, _, padhye in found]))
    for name, formula in FORMULAS.items():
        lines.append(_row(name, [f"{formula(p):.1f}" for p in LOSSES]))
    return "\n".join(lines) + "\n"


def _dumbbell_table(rows: pl.DataFrame) -> str:
    titles = ["goodput (Mb/s)", "loss (%)", "Jain's index", "timeouts"]
    lines = [
        "Fifty flows of ten round-trip times share 100 Mb/s",
        f"(mean of {DUMBBELL_SEEDS} seeds ± 95 % interval)",
        "",
        _row("", titles),
    ]
    for (name,), group in rows.group_by("tcp", maintain_order=True):
        cells = []
        for measure, digits in (("goodput", 2), ("loss", 2), ("jain", 3), ("timeouts", 0)):
            interval = statistics.mean_interval(group.get_column(measure))
            cells.append(f"{interval.mean:.{digits}f} ± {interval.half_width:.{digits}f}")
        lines.append(_row(str(name), cells))
    return "\n".join(lines) + "\n"


def _row(name: str, cells: Sequence[str]) -> str:
    return f"{name:<9}" + "".join(f"{cell:>17}" for cell in cells)


def _lossy_figure(rows: pl.DataFrame) -> Any:
    """Draw the rates times RTT and the root of p, which Mathis' formula holds constant."""
    scaled = rows.with_columns(pl.col("rate") * RTT * pl.col("p").sqrt())
    grid = [LOSSES[0] * (LOSSES[-1] / LOSSES[0]) ** (step / 40) for step in range(41)]
    curves = pl.DataFrame(
        [
            {"tcp": name, "p": p, "rate": formula(p) * RTT * math.sqrt(p)}
            for name, formula in FORMULAS.items()
            for p in grid
        ]
    )
    return figures.lines(
        scaled,
        x="p",
        y="rate",
        by="tcp",
        curves=curves,
        titles={"p": "probability of loss p", "rate": "rate × RTT × √p (packets)"},
        scales=("log", "linear"),
    )


def _dumbbell_figure(rows: pl.DataFrame) -> Any:
    def panel(measure: str, title: str) -> Any:
        return figures.bars(
            statistics.summarise(rows, measure, by="tcp"),
            x="tcp",
            y=measure,
            titles={"tcp": "", measure: title},
        )

    return panel("loss", "packets lost at the bottleneck (%)") | panel("jain", "Jain's index")


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:2])))

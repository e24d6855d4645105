"""A small sweep and a run, and what readers return of their folders."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import tcphoton as tp
from inline_workers import Here
from small import SMALL
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.runs import How
from tcphoton.sweep.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import polars as pl

__all__ = [
    "SCENARIO",
    "SWEEP_FILE",
    "contents",
    "made",
    "readers",
    "restored",
    "sweep",
    "work_here",
]

SCENARIO = SMALL.replace('duration = "2 s"\nwarmup = "500 ms"', 'duration = "300 ms"')
SWEEP_FILE = """
title = "A small sweep"
scenario = "small.toml"
seeds = 2
[over]
"topology.bottleneck.loss.p" = [0.01, 0.05, 0.1]
"""
TIMES = ("timings.csv",)
"""Files on which nothing depends."""
LOSS = "topology.bottleneck.loss.p"


def work_here() -> None:
    """Let sweeps of this process do their runs themselves, without processes of their own."""
    How.executor = lambda *_: Here()  # type: ignore[method-assign]


def sweep() -> Sweep:
    """Return the sweep."""
    scenario = tp.Scenario.from_text(SCENARIO, "small.toml")
    return Sweep(scenario, {LOSS: [0.01, 0.05]}, seeds=2, keep=["flows"])


def made(folder: Path) -> Path:
    """Return a folder with a sweep and one with a run, made where they are not there yet."""
    if not (folder / "run" / "report.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        work_here()
        sweep().run(folder / "sweep")
        tp.run(tp.Scenario.from_text(SCENARIO, "small.toml")).save(folder / "run")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files but those on how long runs took."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in TIMES
    }


def restored(folder: Path, files: dict[str, bytes]) -> None:
    """Bring a folder back to the files that it had."""
    now = contents(folder)
    for name in now.keys() - files.keys():
        (folder / name).unlink()
    for name, data in files.items():
        if now.get(name) != data:
            (folder / name).write_bytes(data)


def readers(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return what reads these folders, each as a function that gives plain values."""
    from tcphoton.runs.results import Report

    kept, run = folder / "sweep", folder / "run"
    return {
        "results": lambda: _plain(sweep_folder.read(kept)),
        "results --timings": lambda: _untimed(sweep_folder.read(kept, timings=True)),
        "results --table": lambda: _plain(sweep_folder.read(kept, table="flows")),
        "results --failed": lambda: _plain(sweep_folder.troubled(kept)),
        "results of a run": lambda: _plain(sweep_folder.read(run)),
        "Report.load": lambda: _report(Report.load(run)),
    }


def _untimed(kept: sweep_folder.Kept) -> Any:
    return _plain(replace(kept, table=kept.table.drop(sweep_folder.TIMING_COLUMNS, strict=False)))


def _plain(kept: sweep_folder.Kept) -> Any:
    told = [kept.title, kept.axes, kept.missing, kept.failed, kept.early]
    return json.dumps([told, _rows(kept.table)], default=str)


def _report(report: Any) -> Any:
    tables = {name: _rows(table) for name, table in report.tables.items()}
    return json.dumps([report.record, tables], default=str)


def _rows(table: pl.DataFrame) -> Any:
    return [table.columns, [repr(row) for row in table.rows()]]

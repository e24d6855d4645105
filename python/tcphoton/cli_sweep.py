"""The verbs of sweeps: ``sweep`` and ``results``."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tcphoton.command import StoppedEarlyError, say

__all__ = ["results", "sweep"]

SHOWN_POINTS = 60
"""Points that `sweep` shows; `results` shows all."""
SHOWN_ROWS = 60
"""Rows of a kept table that `results` shows; `--csv` prints all."""


def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A sweep in TOML.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep runs and results there; results/NAME unless given."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Runs at a time; all cores unless given.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Seeds a point, instead of the sweep's.")
    ] = None,
) -> None:
    """Run a grid of scenarios with several seeds each; what has run before is not run again."""
    from tcphoton.progress import Progress, show
    from tcphoton.sweep import Sweep

    asked = Sweep.load(file)
    if seeds is not None:
        asked = asked.with_seeds(seeds)
    folder = out if out is not None else Path("results") / file.stem
    last: list[Progress] = []
    try:
        with show(say) as tell:

            def progress(now: Progress) -> None:
                last[:] = [now]
                tell(now)

            table = asked.run(folder, workers=workers, progress=progress)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_interrupted(folder, last)) from None
    from tcphoton.sweep_table import print_results

    more = [asked.until.measure] if asked.until else []
    print_results(asked.title, list(asked.over), table, sys.stdout, more=more, most=SHOWN_POINTS)
    runs = f"{table.height:,} run{'' if table.height == 1 else 's'}"
    cached = f" ({last[0].cached:,} of them kept from before)" if last and last[0].cached else ""
    sys.stdout.write(f"{runs}{cached} · {folder}\n")
    early = table.height - table.get_column("stop").eq("end").sum()
    if early:
        raise StoppedEarlyError(f"{early:,} of {runs} stopped early: see the column stop")


def _interrupted(folder: Path, last: list[Any]) -> str:
    if not last:
        return "interrupted"
    return f"interrupted: {last[0].done:,} runs are kept in {folder}; the same command goes on"


def results(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results.")],
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV: a row a point and seed.")] = False,
    timings: Annotated[
        bool, typer.Option("--timings", help="Add how long runs took, when and where.")
    ] = False,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="A table that is kept of all runs, instead.")
    ] = None,
) -> None:
    """Show what a folder holds: a sweep's results, finished or not, a run, or folders of these."""
    from tcphoton import sweep_folder

    titles = {} if csv or table is not None else sweep_folder.titles_below(folder)
    if titles:
        width = max(len(name) for name in titles)
        for name, title in titles.items():
            sys.stdout.write(f"{name:<{width}}  {title}\n")
        return
    kept = sweep_folder.read(folder, timings=timings, table=table)
    if csv:
        from tcphoton.measures import csv_text

        sys.stdout.write(csv_text(kept.table))
    elif table is not None:
        from tcphoton.sweep_table import print_rows

        print_rows(f"{kept.title}: {table}", kept.table, sys.stdout, most=SHOWN_ROWS)
    else:
        from tcphoton.sweep_table import print_results

        more = [kept.measure] if kept.measure else []
        more += ["wall", "cpu"] if timings else []
        print_results(kept.title, list(kept.axes), kept.table, sys.stdout, more=more)
    if kept.missing:
        sys.stdout.flush()
        say(f"{kept.missing:,} runs are missing: `tcphoton sweep` with --out {folder} adds them")

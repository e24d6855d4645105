"""The verbs of sweeps: ``sweep`` and ``results``."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tcphoton.command import StoppedEarlyError, say

Workers = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Runs at a time; all cores unless given.")
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on the workers of this Dask scheduler, instead."),
]

__all__ = ["Cluster", "Workers", "results", "sweep"]

SHOWN_POINTS = 60
"""Points that `sweep` shows; `results` shows all."""
SHOWN_ROWS = 60
"""Rows of a kept table that `results` shows; `--csv` prints all."""


def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A sweep in TOML.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep runs and results there; results/NAME unless given."),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Seeds a point, instead of the sweep's.")
    ] = None,
    no_retry: Annotated[
        bool, typer.Option("--no-retry", help="Leave runs alone that failed before.")
    ] = False,
) -> None:
    """Run a sweep: many points with several seeds each; what has run before is not run again."""
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

            table = asked.run(
                folder, workers=workers, cluster=cluster, progress=progress, retry=not no_retry
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_interrupted(folder, last)) from None
    from tcphoton.designs import columns_of
    from tcphoton.sweep_table import print_results

    more = asked.until.measures if asked.until else ()
    keys = list(columns_of(asked.axes))
    print_results(asked.title, keys, table, sys.stdout, more=more, most=SHOWN_POINTS)
    runs = f"{table.height:,} run{'' if table.height == 1 else 's'}"
    cached = f" ({last[0].cached:,} of them kept from before)" if last and last[0].cached else ""
    sys.stdout.write(f"{runs}{cached} · {folder}\n")
    _tell_of_failures(table, runs, folder)


def _tell_of_failures(table: Any, runs: str, folder: Path) -> None:
    """Raise where runs failed, or stopped before their end."""
    stops = table.get_column("stop")
    failed = table.get_column("error").count() if "error" in table.columns else 0
    early = table.height - stops.is_in(["end", "failed"]).sum()
    problems = (
        [f"{failed:,} of {runs} failed: tcphoton results {folder} --failed"] if failed else []
    )
    problems += [f"{early:,} of {runs} stopped early: see the column stop"] if early else []
    if problems:
        raise StoppedEarlyError("; ".join(problems))


def _interrupted(folder: Path, last: list[Any]) -> str:
    if not last:
        return "interrupted"
    return f"interrupted: {last[0].done:,} runs are kept in {folder}; the same command goes on"


def results(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results.")],
    *,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV: a row a point and seed.")] = False,
    parquet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write Parquet: a row a point and seed.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only rows with this value; can be repeated."),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only these measures; can be repeated."),
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="The runs that failed, and how to run each alone.")
    ] = False,
    timings: Annotated[
        bool, typer.Option("--timings", help="Add how long runs took, when and where.")
    ] = False,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="A table that is kept of all runs, instead.")
    ] = None,
) -> None:
    """Show what a folder holds: a sweep's results, finished or not, a run, or folders of these."""
    from tcphoton import query, sweep_folder

    if failed:
        _print_failed(folder)
        return
    exported = csv or parquet is not None
    titles = {} if exported or table is not None else sweep_folder.titles_below(folder)
    if titles:
        width = max(len(name) for name in titles)
        for name, title in titles.items():
            sys.stdout.write(f"{name:<{width}}  {title}\n")
        return
    kept = sweep_folder.read(folder, timings=timings, table=table)
    rows = query.where(kept.table, where or [])
    measures = query.columns_named(rows.columns, measure or [])
    if measures and (exported or table is not None):
        heads = [name for name in (*kept.axes, "seed") if name in rows.columns]
        rows = rows.select(list(dict.fromkeys([*heads, *measures])))
    if parquet is not None:
        from tcphoton.folder import put_file
        from tcphoton.measures import parquet as as_parquet

        put_file(parquet, as_parquet(rows))
        say(f"written: {parquet}")
    if csv:
        from tcphoton.measures import csv_text

        sys.stdout.write(csv_text(rows))
    elif parquet is None and table is not None:
        from tcphoton.sweep_table import print_rows

        print_rows(f"{kept.title}: {table}", rows, sys.stdout, most=SHOWN_ROWS)
    elif parquet is None:
        from tcphoton.sweep_table import print_results

        more = [*kept.measures, *(["wall", "cpu"] if timings else [])]
        print_results(kept.title, list(kept.axes), rows, sys.stdout, more=more, only=measures)
    sys.stdout.flush()
    if kept.failed:
        say(f"{kept.failed:,} runs failed: --failed shows them")
    if kept.missing:
        say(f"{kept.missing:,} runs are missing: `tcphoton sweep` with --out {folder} adds them")


def _print_failed(folder: Path) -> None:
    """Print each run that failed, with its error and the command that does it alone."""
    from tcphoton.cache import Cache
    from tcphoton.errors import OutputError

    if not folder.is_dir():
        raise OutputError(f"{folder}: no such folder")
    failures = Cache(folder).failures()
    for key, failure in failures.items():
        sys.stdout.write(f"{key.digest}, seed {key.seed}: {failure.error}\n  {failure.replay}\n")
    if not failures:
        say(f"{folder}: no run has failed")

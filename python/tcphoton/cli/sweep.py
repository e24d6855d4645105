"""The verbs of sweeps: ``sweep`` and ``results``."""

import contextlib
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcphoton.cli.command import StoppedEarlyError, refuse_stdout, settings_of, warn
from tcphoton.cli.studies import tell_of_studies
from tcphoton.common import memory, toml
from tcphoton.common.progress import Last, Progress, show
from tcphoton.common.quantities import counted
from tcphoton.common.terminal import put, put_text, say
from tcphoton.errors import Mistake, NoMeasureError, OutputError, ScenarioError

if TYPE_CHECKING:
    from polars import DataFrame

    from tcphoton import _core
    from tcphoton.analysis.statistics import Until
    from tcphoton.sweep.folder import Kept
    from tcphoton.sweep.sweep import Sweep

Workers = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Runs in parallel; default: one per core.")
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on the workers of this Dask scheduler."),
]

Force = Annotated[
    bool, typer.Option("--force", help="Run even if less memory seems available than needed.")
]

LOOK_SECONDS = 0.7
"""Time for checking points before they run."""

SHOWN_POINTS = 60
"""Number of points that `sweep` shows; `results` shows all."""
SHOWN_ROWS = 60
"""Number of rows of a kept table that `results` shows; `--csv` prints all."""


def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A sweep in TOML.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of runs and results; default: results/NAME."),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Seeds per point; default: the sweep's.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a key at every point; repeatable."),
    ] = None,
    no_retry: Annotated[
        bool, typer.Option("--no-retry", help="Do not repeat failed runs.")
    ] = False,
    force: Force = False,
) -> None:
    """Run a sweep: many points with several seeds each; finished runs are not repeated."""
    from tcphoton.sweep.sweep import Sweep

    refuse_stdout(out)
    asked = Sweep.load(file)
    if seeds is not None:
        asked = asked.with_seeds(seeds)
    if set_:
        asked = asked.with_({key: toml.value_of(value) for key, value in settings_of(set_)})
    folder = out if out is not None else Path("results") / file.stem
    look_at_points(_checked(asked, file), str(file), force=force or cluster is not None)
    with show(say) as tell:
        last = Last(tell)
        try:
            table = asked.run(
                folder, workers=workers, cluster=cluster, progress=last, retry=not no_retry
            )
        except NoMeasureError as error:
            raise ScenarioError([placed(error, file)]) from None
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_interrupted(folder, last.now)) from None
        except OutputError as error:
            if error.is_full:
                _print_what_fits(folder)
            raise
    from tcphoton.sweep.designs import columns_of
    from tcphoton.sweep.table import print_results

    more = asked.until.measures if asked.until else ()
    keys = list(columns_of(asked.axes))
    shown = asked.until.controlled(table, keys) if asked.until else table
    print_results(
        asked.title, keys, shown, sys.stdout, labels=asked.names, more=more, most=SHOWN_POINTS
    )
    runs = counted(table.height, "run")
    cached = f" ({last.now.cached:,} of them already finished)" if last.now.cached else ""
    put(f"{runs}{cached} · {folder}")
    if asked.until is not None:
        _tell_of_width(table, keys, asked.until)
    tell_of_studies(folder)
    _tell_of_failures(table, runs, folder)


def _print_what_fits(folder: Path) -> None:
    """Show the runs that were kept before the disk was full, if there are any."""
    with contextlib.suppress(OutputError):
        from tcphoton.sweep import folder as sweep_folder
        from tcphoton.sweep.table import print_results

        kept = sweep_folder.read(folder)
        print_results(
            kept.title,
            list(kept.axes),
            kept.table,
            sys.stdout,
            labels=kept.labels,
            most=SHOWN_POINTS,
        )
        runs = counted(kept.table.height, "run")
        put(f"{runs} kept in {folder}; with space on the disk, the same command resumes")


def _checked(asked: "Sweep", file: Path) -> "_core.Sweep":
    """Return the function that makes the points.

    Raises
    ------
    ScenarioError
        The sweep has errors, which name the file, or the option that set a key.
    """
    try:
        return asked.checked()
    except ScenarioError as error:
        raise ScenarioError([_at(file, one) for one in error.mistakes]) from None


def _at(file: Path, one: Mistake) -> Mistake:
    """Return an error of a sweep with the option or the file that has it."""
    if one.file != "<sweep>":
        return one
    key = one.key.removeprefix("set.")
    name = str(file) if key == one.key else f"--set {key}"
    return Mistake.at(name, one.problem, key=key, found=one.found, accepted=one.accepted)


def look_at_points(sweep: "_core.Sweep", file: str, *, force: bool) -> None:
    """Report the warnings of a sweep, and refuse a point that needs too much memory.

    Each warning is reported once, with the values at which it holds, and what an axis changes
    besides its own key.

    Of a large grid, as many points are checked as time permits.

    Raises
    ------
    ScenarioError
        A point needs more memory than is available, and `force` is not set.
    """
    from tcphoton.sweep import designs
    from tcphoton.sweep.labels import Labels
    from tcphoton.sweep.precheck import Remarks

    definition = json.loads(sweep.definition())

    def checked(at: int, _: object) -> "_core.Checked":
        found = sweep.point(at)
        if not force:
            memory.expect_room(found, file)
        return found

    remarks = Remarks(designs.axes_of(definition), Labels.of(definition))
    try:
        remarks.look(checked, LOOK_SECONDS)
    finally:
        warn(remarks.warnings())
        for text in remarks.changes():
            say(f"{file}: {text}")


def placed(error: NoMeasureError, file: Path) -> Mistake:
    """Return the error of a rule with its line in the sweep's file."""
    lines = file.read_text("utf-8-sig").splitlines()
    rule = next((at for at, line in enumerate(lines) if "until" in line), 0)
    quoted = re.compile(f"""["']{re.escape(error.measure)}["']""")
    line = next((at for at, text in enumerate(lines, 1) if at > rule and quoted.search(text)), None)
    return error.mistake(str(file), line)


def _tell_of_failures(table: Any, runs: str, folder: Path) -> None:
    """Raise if runs failed or stopped before their end."""
    stops = table.get_column("stop")
    failed = table.get_column("error").count() if "error" in table.columns else 0
    early = table.height - stops.is_in(["end", "failed"]).sum()
    problems = (
        [f"{failed:,} of {runs} failed: tcphoton results {folder} --failed"] if failed else []
    )
    problems += (
        [f"{early:,} of {runs} stopped early: tcphoton results {folder} --failed"] if early else []
    )
    if problems:
        raise StoppedEarlyError("; ".join(problems))


def _interrupted(folder: Path, last: Progress) -> str:
    if not last.total:
        return "interrupted"
    runs, verb = counted(last.done, "run"), "is" if last.done == 1 else "are"
    return f"interrupted: {runs} {verb} kept in {folder}; the same command resumes"


def results(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results.")],
    *,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV: one row per point and seed.")
    ] = False,
    parquet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write Parquet: one row per point and seed.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Only rows with this value; repeatable: any value per key, all keys.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only these measures; repeatable."),
    ] = None,
    failed: Annotated[
        bool,
        typer.Option(
            "--failed", help="List runs that failed or stopped early, with a command for each."
        ),
    ] = False,
    timings: Annotated[
        bool, typer.Option("--timings", help="Add the duration, time and worker of each run.")
    ] = False,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="Show this kept table of all runs.")
    ] = None,
    studies: Annotated[
        bool, typer.Option("--studies", help="List the studies that the folder was asked for.")
    ] = False,
    study: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Show this study instead of the last one."),
    ] = None,
) -> None:
    """Show a folder of results: a sweep (finished or not), a run, or several of these."""
    from tcphoton.sweep import folder as sweep_folder
    from tcphoton.sweep import query

    chosen = {
        "--csv": csv,
        "--parquet": parquet is not None,
        "--measure": bool(measure),
        "--timings": timings,
        "--table": table is not None,
    }
    if studies:
        _refuse("--studies", [name for name, is_given in chosen.items() if is_given])
        _print_studies(folder)
        return
    if failed:
        _refuse("--failed", [name for name, is_given in chosen.items() if is_given])
        _print_failed(folder, where or [])
        return
    if table is not None:
        _refuse("--table", ["--timings"] if timings else [])
    if not any(chosen.values()) and not where and (titles := sweep_folder.titles_below(folder)):
        width = max(len(name) for name in titles)
        for name, title in titles.items():
            put(f"{name:<{width}}  {title}")
        return
    kept = sweep_folder.read(folder, timings=timings, table=table, study=study)
    axes = list(kept.axes)
    rows = query.where(kept.table, where or [], axes, kept.labels)
    named = query.columns_named(rows.columns, measure or [])
    if csv or parquet is not None or table is not None:
        further = sweep_folder.TIMING_COLUMNS if timings else ()
        heads = [name for name in (*axes, "seed") if name in rows.columns]
        shown = rows.select(list(dict.fromkeys([*heads, *named, *further]))) if named else rows
        _print_rows(f"{kept.title}: {table}", shown, csv=csv, parquet=parquet)
    else:
        from tcphoton.sweep.table import print_results

        spent = ["wall", "cpu"] if timings else []
        only = [*named, *spent] if named else []
        more = [*kept.measures, *spent]
        if kept.until is not None:
            rows = kept.until.controlled(rows, axes)
        print_results(kept.title, axes, rows, sys.stdout, labels=kept.labels, more=more, only=only)
    sys.stdout.flush()
    if where and kept.table.height and not rows.height:
        say("no rows: no run matches all --where options")
    _tell_of_runs(kept, folder)
    if kept.until is not None and table is None:
        _tell_of_width(kept.table, axes, kept.until)
    tell_of_studies(folder, study)


def _print_rows(title: str, rows: "DataFrame", *, csv: bool, parquet: Path | None) -> None:
    """Write rows to Parquet, print them as CSV, or print the first of them as a table."""
    if parquet is not None and str(parquet) == "-":
        from tcphoton.runs.measures import parquet as as_parquet

        sys.stdout.flush()
        sys.stdout.buffer.write(as_parquet(rows))
    elif parquet is not None:
        from tcphoton.common.folder import put_file
        from tcphoton.runs.measures import parquet as as_parquet

        put_file(parquet, as_parquet(rows), ".parquet")
        say(f"written: {parquet}")
    if csv:
        from tcphoton.runs.measures import csv_text

        put_text(csv_text(rows))
    elif parquet is None:
        from tcphoton.sweep.table import print_rows

        print_rows(title, rows, sys.stdout, most=SHOWN_ROWS)


def _refuse(option: str, others: list[str]) -> None:
    """Refuse options that have no effect together with another one.

    Raises
    ------
    LookupError
        There are such options.
    """
    if others:
        raise LookupError(f"{option} cannot be combined with {', '.join(others)}")


def _tell_of_runs(kept: "Kept", folder: Path) -> None:
    """Report which runs have no result, or only a partial one."""
    if kept.failed:
        say(f"{counted(kept.failed, 'run')} failed: --failed shows them")
    if kept.early:
        say(f"{counted(kept.early, 'run')} stopped early: --failed shows them")
    if kept.missing:
        runs = counted(kept.missing, "run")
        verb = "is" if kept.missing == 1 else "are"
        say(f"{runs} {verb} missing: `tcphoton sweep` with --out {folder} adds them")


def _tell_of_width(table: "DataFrame", axes: list[str], until: "Until") -> None:
    """Report how many points took all seeds of a rule and are still not precise enough."""
    from tcphoton.sweep import query

    if until.controls:
        of = ", ".join(until.controls)
        say(f"controlled by {of}: chance is taken out; results.csv has the measured values")
    if until.against:
        say(f"each point was compared with the one of {until.base}, by the ratio of the means")
    wide, points = query.wide(table, axes, until)
    if wide:
        say(f"{wide:,} of {counted(points, 'point')} reached at-most without a narrow interval")


def _print_studies(folder: Path) -> None:
    """Print the studies of a folder, and in what they differ from the one that is shown."""
    import polars as pl

    from tcphoton.sweep.folder import definition, read
    from tcphoton.sweep.studies import studies
    from tcphoton.sweep.table import print_rows

    known = studies(folder)
    if not known:
        definition(folder)  # reports why there are none
        raise LookupError(f"{folder}: holds one run, and no studies")
    shown = next((each for each in known if each.shown), known[-1])
    rows = []
    for each in known:
        kept = read(folder, study=each.number)
        row = {
            "study": each.number,
            "asked": each.time,
            "title": kept.title,
            "file": str(each.definition.get("file", "")),
            "points": each.points,
            "runs": kept.table.height,
            "missing": kept.missing,
            "shown": "yes" if each.shown else "",
            "differs in": each.differs(shown),
        }
        rows.append(row)
    print_rows(
        f"{folder}: studies",
        pl.DataFrame(rows),
        sys.stdout,
        most=len(rows),
    )


def _print_failed(folder: Path, where: list[str]) -> None:
    """Print each run that failed or stopped early, why, and the command that repeats it."""
    from tcphoton.sweep import folder as sweep_folder
    from tcphoton.sweep import query
    from tcphoton.sweep.store.cache import FAILED, POINTS
    from tcphoton.sweep.studies import ASKED

    if not any((folder / name).exists() for name in (ASKED, sweep_folder.RECORD)) and (
        any((folder / name).is_dir() for name in (POINTS, FAILED))
    ):
        _print_failures(folder, where)
        return
    kept = sweep_folder.troubled(folder)
    rows = query.where(kept.table, where, list(kept.axes), kept.labels)
    for row in rows.iter_rows(named=True):
        point = kept.labels.of_point({key: row[key] for key in kept.axes})
        values = [f"{kept.labels.names.get(key, key)} = {text}, " for key, text in point.items()]
        put(f"{''.join(values)}seed {row['seed']}: {row['reason']}")
        if row["replay"]:
            put(f"  {row['replay']}")
    if not rows.height:
        say(f"{folder}: no run has failed or stopped early")


def _print_failures(folder: Path, where: list[str]) -> None:
    """Print the failed runs of a folder of several sweeps, which has no keys."""
    from tcphoton.sweep.store.cache import Cache

    if where:
        raise LookupError(f"{folder}: holds runs of several sweeps, which have no keys for --where")
    failures = Cache(folder).failures()
    for key, failure in failures.items():
        put(f"{key.digest}, seed {key.seed}: {failure.error}")
        put(f"  {failure.replay}")
    if not failures:
        say(f"{folder}: no run has failed")

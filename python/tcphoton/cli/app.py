"""The command ``tcphoton``.

Results go to stdout and to files; messages and progress to stderr. Exit codes: 0 done, 2 wrong
input, 130 for Ctrl-C, 1 anything else. Heavy libraries are imported by the verbs that need them.
"""

import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from tcphoton import _core
from tcphoton.cli import compare as cli_compare
from tcphoton.cli import plot as cli_plot
from tcphoton.cli import readings as cli_readings
from tcphoton.cli import report as cli_report
from tcphoton.cli import studio as cli_studio
from tcphoton.cli import sweep as cli_sweep
from tcphoton.cli import topology as cli_topology
from tcphoton.cli import trace as cli_trace
from tcphoton.cli.command import (
    DONE,
    INTERRUPTED,
    WRONG_INPUT,
    StoppedEarlyError,
    app,
    is_utf_8,
    print_anything,
    progress_bar,
    refuse_stdout,
    say_warnings,
    verb,
    warn,
    with_settings,
)
from tcphoton.common import memory
from tcphoton.common.quantities import counted
from tcphoton.common.terminal import put, put_json, put_text, say
from tcphoton.errors import Mistake, NoMeasureError, OutputError, ScenarioError
from tcphoton.runs import run as runs
from tcphoton.scenario.scenario import Scenario

__all__ = ["app", "main"]

CHECK_SECONDS = 0.7
"""Time in which `check` builds points of a sweep, so that it answers within 2 s."""

File = Annotated[Path, typer.Argument(metavar="FILE", help="A scenario in TOML.")]
Scale = Literal["quick", "full", "demo", "claims"]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def main() -> None:
    """Run the command and exit with its code."""
    print_anything()
    say_warnings()
    try:
        app()
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(INTERRUPTED)


@app.callback(invoke_without_command=True)
def _common(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        put(f"tcphoton {_core.__version__}")
        raise typer.Exit(DONE)
    if context.invoked_subcommand is None:
        raise typer.Exit(WRONG_INPUT)


@verb
def run(
    file: File,
    *,
    seed: Annotated[int | None, typer.Option(help="Seed; default: the scenario's.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a dotted key; repeatable."),
    ] = None,
    threads: Annotated[
        str | None,
        typer.Option(metavar="N", help="Threads, or auto; results are the same on any number."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write tables and report.json to this folder."),
    ] = None,
    stream_flows: Annotated[
        bool,
        typer.Option("--stream-flows", help="Write finished flows during the run; needs --out."),
    ] = False,
    force: cli_sweep.Force = False,
    json_: Json = False,
) -> None:
    """Run a scenario; print a summary, or report.json with --json."""
    if stream_flows and out is None:
        say("--stream-flows writes to a folder: --out DIR is required")
        raise typer.Exit(WRONG_INPUT)
    refuse_stdout(out)
    settings = [*(set_ or []), *([f"run.threads={threads}"] if threads else [])]
    scenario = with_settings(_scenario(file), settings)
    if out is not None:
        from tcphoton.common.folder import Folder
        from tcphoton.sweep.studies import ASKED

        if (out / ASKED).exists():
            raise OutputError(
                f"{out}: holds a sweep, which would hide the run; choose another folder"
            )
        Folder(out, last="report.json").probe()
    warn(scenario.checked().warnings)
    if threads and "threads" in (shown := scenario.show()):
        say(f"threads: {shown['threads']}")
    with progress_bar() as progress:
        report = runs.run(scenario, seed, progress, out if stream_flows else None, force=force)
    try:
        if out is not None:
            before = _digest_in(out)
            report.save(out)
            say(f"written: {out}")
            if before not in {"", report.digest}:
                say(f"note: {out} had another run, digest {before}, which this one replaces")
    finally:  # A full disk loses nothing of what was asked on the terminal.
        if json_:
            put_json(report.to_json())
        else:
            from tcphoton.runs.summary import print_report

            print_report(report, sys.stdout)
    if report.record["stop"] != "end":
        simulated = f"{report.record['simulated']:g} s of simulated time"
        raise StoppedEarlyError(f"{report.record['stop']} at {simulated}")


def _digest_in(folder: Path) -> str:
    """Return the digest of the run that a folder has; an empty text without one."""
    from tcphoton.common import safe_read

    try:
        found = safe_read.read_value(folder / "report.json")
        return str(found.get("digest", "")) if isinstance(found, dict) else ""
    except (OSError, ValueError):
        return ""


def _scenario(file: Path) -> Scenario:
    """Read a scenario; for the name of an example, the error says how to get it.

    Raises
    ------
    ScenarioError
        It cannot be read.
    """
    try:
        return Scenario.load(file)
    except ScenarioError:
        from tcphoton.scenario import examples

        name = file.name.removesuffix(".toml")
        if file.exists() or name not in {**examples.examples(), **examples.sweeps()}:
            raise
        hint = f"an example has this name: tcphoton example {name} --out {name}.toml"
        raise ScenarioError([Mistake.at(str(file), f"no such file; {hint}")]) from None


@verb
def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Scenarios and sweeps in TOML.")
    ],
    *,
    force: cli_sweep.Force = False,
) -> None:
    """Check scenarios and sweeps: "ok", or every error with its line; warnings go to stderr."""
    mistakes = []
    for file in files:
        try:
            put(f"{file}: {_checked(file, force=force)}")
        except ScenarioError as error:
            mistakes.extend(error.mistakes + error.warnings)
    if mistakes:
        sys.stdout.flush()
        raise ScenarioError(mistakes)


def _checked(file: Path, *, force: bool) -> str:
    """Check a file and return the result; of a large grid, as many points as time permits."""
    name, text = _core.read(file)
    if not _core.is_sweep(text):
        checked = Scenario.from_text(text, name).checked()
        warn(checked.warnings)
        if not force:
            memory.expect_room(checked, name)
        return "ok"
    if not is_utf_8(file):
        accepted = "a sweep whose name is UTF-8"
        raise ScenarioError([Mistake.at(str(file), "not a name in UTF-8", accepted=accepted)])
    from tcphoton.sweep import designs
    from tcphoton.sweep.sweep import Sweep

    sweep = designs.load(name, text)
    seen = len(sweep.digests(CHECK_SECONDS))
    try:
        Sweep.of(sweep).expect_measures()
    except NoMeasureError as error:
        raise ScenarioError([cli_sweep.placed(error, file)]) from None
    cli_sweep.look_at_points(sweep, name, force=force)
    points = counted(sweep.points, "point")
    return f"ok, {points}" if seen == sweep.points else f"ok, the first {seen:,} of {points}"


verb(cli_sweep.sweep)
verb(cli_sweep.results)
verb(cli_report.report)
verb(cli_plot.plot)
verb(cli_compare.compare)


@verb
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PAPER[/ARTEFACT]]…", help="Papers, or single figures of papers."),
    ] = None,
    *,
    scale: Annotated[
        Scale,
        typer.Option(
            help="quick: minutes; full: an hour (lbas: eight); demo: as make demo (obs); claims: "
            "without studies, four hours (lbas)."
        ),
    ] = "quick",
    out: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Write tables, figures and the ledger to this folder."),
    ] = Path("results/papers"),
    workers: cli_sweep.Workers = None,
    cluster: cli_sweep.Cluster = None,
    list_: Annotated[bool, typer.Option("--list", help="List papers and their artefacts.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="Reproduce every paper.")] = False,
    reading: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="With other assumptions: a reading of the paper, or a file of one."
        ),
    ] = "",
    settle: Annotated[
        int,
        typer.Option(
            min=0,
            max=10_000,
            metavar="SEEDS",
            help="Give open verdicts up to so many seeds a point.",
        ),
    ] = 0,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge", help="Judge tables that are there anew, without a run: as after a new rule."
        ),
    ] = False,
) -> None:
    """Reproduce papers: figures, tables, and claims with their verdicts."""
    from tcphoton.papers import papers
    from tcphoton.papers import reproduce as reproduction

    if list_ or not (names or all_):
        put_text(reproduction.listing())
        if not list_:
            say("name a paper or an artefact, or give --all")
            raise typer.Exit(WRONG_INPUT)
        return
    from tcphoton.common import progress
    from tcphoton.papers import ledger
    from tcphoton.report import NAME, write

    wanted = papers() if all_ else names or []
    if judge:
        from tcphoton.papers.judge import judge as judge_again

        put_text(f"{ledger.text(judge_again(wanted, out, write))}\n")
        return
    told: list[str] = []
    with progress.show(say) as tell:
        entries = reproduction.reproduce(
            wanted,
            out,
            scale,
            workers=workers,
            cluster=cluster,
            progress=tell,
            page=write,
            reading=reading,
            settle=settle,
            told=told.append,
        )
    for line in told:
        say(line)
    put_text(f"{ledger.text(entries)}\n")
    put(f"written: {out}; to read: {out / NAME}")


verb(cli_readings.readings)


@verb
def show(
    file: File,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a dotted key; repeatable."),
    ] = None,
    cost: Annotated[
        bool,
        typer.Option("--cost", help="Run it for some seconds, and foretell what a run will take."),
    ] = False,
    json_: Json = False,
) -> None:
    """Show a scenario's topology, derived quantities and the defaults used."""
    scenario = with_settings(_scenario(file), set_ or [])
    warn(scenario.warnings())
    shown = scenario.show()
    if cost:
        from tcphoton.runs.forecast import forecast

        with progress_bar("s of a core at most") as progress:
            found = forecast(scenario, progress=progress)
        parts = {key.replace("_", "-"): each for key, each in found._asdict().items()}
        shown["cost"] = parts if json_ else str(found)
    if json_:
        put_json(json.dumps(shown, indent=2, ensure_ascii=False) + "\n")
        return
    from tcphoton.runs.summary import print_record

    print_record(shown, sys.stdout)


verb(cli_topology.topology)
verb(cli_trace.trace)
verb(cli_studio.studio)


@verb
def schema(
    reference: Annotated[
        bool, typer.Option("--reference", help="Print the reference of all keys in Markdown.")
    ] = False,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="For a sweep instead of a scenario.")
    ] = False,
    paper: Annotated[
        bool, typer.Option("--paper", help="For the files of a paper instead of a scenario.")
    ] = False,
) -> None:
    """Print the JSON Schema of scenarios, of sweeps, or of the files of a paper."""
    of = "paper_" if paper else "sweep_" if sweep else ""
    if reference:
        put_text(getattr(_core, f"{of}reference")())
    else:
        tree = json.loads(getattr(_core, f"{of}schema")())
        put_json(json.dumps(tree, indent=2, ensure_ascii=False) + "\n")


@verb
def example(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="An example.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it to a new file.")
    ] = None,
) -> None:
    """List the packaged examples, or print or write one; a sweep comes with its scenario."""
    from tcphoton.scenario import examples

    titles = examples.examples() | examples.sweeps()
    if name is None:
        width = max(len(name) for name in titles)
        for each, title in titles.items():
            put(f"{each:<{width}}  {title}")
    elif out is not None and str(out) != "-":
        for file in examples.write(name, out):
            say(f"written: {file}")
    elif name in examples.sweeps():
        put_text(examples.example_sweep(name))
    else:
        put_text(examples.example(name).text)


@verb
def bench(
    workloads: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORKLOAD]…",
            help="Workloads; default: all except the long ones (dumbbell-…, fat-tree-…, nsf, "
            "nsf-dmq-8, lbas, opera).",
        ),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Repetitions per workload.")] = 3,
    json_: Json = False,
) -> None:
    """Measure the engine's speed on standard workloads; each repetition is a new process."""
    from tcphoton.cli.bench import measure, print_table

    found = measure(workloads or [], repeat, tell=say)
    if json_:
        put_json(json.dumps({"workloads": found}, indent=2) + "\n")
    else:
        print_table(found, sys.stdout)


if __name__ == "__main__":
    main()

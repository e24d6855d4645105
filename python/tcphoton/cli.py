"""The command ``tcphoton``.

Results go to stdout and to files; messages and progress to stderr. Exit codes: 0 done, 2 wrong
input, 130 for Ctrl-C, 1 anything else. Heavy libraries are imported by the verbs that need them.
"""

import functools
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer

from tcphoton import _core
from tcphoton.errors import EngineError, Mistake, OutputError, ScenarioError
from tcphoton.runs import seed_for
from tcphoton.scenario import Scenario

__all__ = ["app", "main"]

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130

app = typer.Typer(
    name="tcphoton",
    help="Simulate TCP over electronic and optical networks, packet by packet.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A scenario in TOML.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def main() -> None:
    """Run the command and leave with its exit code."""
    _print_anything()
    try:
        app()
    except KeyboardInterrupt:
        _say("interrupted")
        sys.exit(INTERRUPTED)


class StoppedEarlyError(Exception):
    """A run that did not reach its end; its report is written and says so too."""

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(f"error: {record['stop']} at {record['simulated']:g} s of simulated time")


def verb(function: Callable[..., None]) -> Callable[..., None]:
    """Make a function a verb whose errors are messages and exit codes, never tracebacks."""

    @functools.wraps(function)
    def guarded(*arguments: Any, **options: Any) -> None:
        try:
            function(*arguments, **options)
            sys.stdout.flush()
        except BaseException as error:
            code = _explain(error)
            if code is None:
                raise
            raise typer.Exit(code) from None

    return app.command()(guarded)


def _explain(error: BaseException) -> int | None:
    """Say what went wrong and return the exit code, `None` for what is not ours to explain."""
    match error:
        case ScenarioError():
            _say(str(error))
            return WRONG_INPUT
        case BrokenPipeError():
            # Whoever read our output has gone: let the flush at exit find an open file.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAILED
        case OutputError() | LookupError():
            _say(f"error: {error.args[0]}")
            return WRONG_INPUT
        case OSError():
            _say(f"error: {error.strerror or error}")
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return WRONG_INPUT
        case KeyboardInterrupt():
            _say("interrupted")
            return INTERRUPTED
        case StoppedEarlyError():
            with suppress(OSError):
                sys.stdout.flush()
            _say(str(error))
            return FAILED
        case EngineError():
            _say(f"the engine stopped, which is a bug of tcphoton: {error}")
            return FAILED
        case MemoryError():
            _say("error: out of memory")
            return FAILED
    if type(error).__name__ == "PanicException":
        _say(f"the engine stopped, which is a bug of tcphoton: {error}")
        return FAILED
    return None


def _print_anything() -> None:
    """Write UTF-8 where no terminal says otherwise, and no character is an error anywhere."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")


def _say(message: str) -> None:
    """Write a message to stderr."""
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()


@app.callback(invoke_without_command=True)
def _common(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        sys.stdout.write(f"tcphoton {_core.__version__}\n")
        raise typer.Exit(DONE)
    if context.invoked_subcommand is None:
        raise typer.Exit(WRONG_INPUT)


@verb
def run(
    file: File,
    seed: Annotated[int | None, typer.Option(help="The seed, instead of the scenario's.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a dotted key.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write tables and report.json there.")
    ] = None,
    json_: Json = False,
) -> None:
    """Run a scenario: a summary to read, or report.json with --json."""
    scenario = _with_settings(Scenario.load(file), set_ or [])
    checked = scenario.checked()
    seed = seed_for(checked, seed)
    if out is not None:
        from tcphoton.folder import Folder

        Folder(out, last="report.json").probe()
    with _progress() as progress:
        outcome = checked.run(seed, progress)

    from tcphoton.results import Report

    report = Report.from_outcome(outcome)
    if out is not None:
        report.save(out)
        _say(f"written: {out}")
    if json_:
        sys.stdout.write(report.to_json())
    else:
        from tcphoton.summary import print_report

        print_report(report, sys.stdout)
    if report.record["stop"] != "end":
        raise StoppedEarlyError(report.record)


@verb
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Scenarios in TOML.")],
) -> None:
    """Check scenarios: "ok", or every mistake with its line."""
    mistakes = []
    for file in files:
        try:
            Scenario.load(file).checked()
        except ScenarioError as error:
            mistakes.extend(error.mistakes)
        else:
            sys.stdout.write(f"{file}: ok\n")
    if mistakes:
        sys.stdout.flush()
        raise ScenarioError(mistakes)


@verb
def show(
    file: File,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a dotted key.")
    ] = None,
    json_: Json = False,
) -> None:
    """Show a scenario's topology, derived quantities and the defaults taken."""
    shown = _with_settings(Scenario.load(file), set_ or []).show()
    if json_:
        sys.stdout.write(json.dumps(shown, indent=2, ensure_ascii=False) + "\n")
        return
    from tcphoton.summary import print_record

    print_record(shown, sys.stdout)


@verb
def schema(
    reference: Annotated[
        bool, typer.Option("--reference", help="Print the reference of all keys, in Markdown.")
    ] = False,
) -> None:
    """Print the JSON Schema of a scenario."""
    if reference:
        sys.stdout.write(_core.reference())
    else:
        tree = json.loads(_core.schema())
        sys.stdout.write(json.dumps(tree, indent=2, ensure_ascii=False) + "\n")


@verb
def example(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="An example.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it there, where no file is yet.")
    ] = None,
) -> None:
    """List the packaged examples, or print or write one."""
    from tcphoton.examples import example as find
    from tcphoton.examples import examples

    if name is None:
        titles = examples()
        width = max(len(name) for name in titles)
        for each, title in titles.items():
            sys.stdout.write(f"{each:<{width}}  {title}\n")
        return
    text = find(name).text
    if out is None:
        sys.stdout.write(text)
        return
    if out.exists():
        raise OutputError(f"{out}: exists already")
    from tcphoton.folder import put_file

    put_file(out, text.encode())
    _say(f"written: {out}")


@verb
def bench(
    workloads: Annotated[
        list[str] | None, typer.Argument(metavar="[WORKLOAD]…", help="Workloads; all unless given.")
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Repetitions of each.")] = 3,
    json_: Json = False,
) -> None:
    """Measure the engine's speed on standard workloads: medians of fresh processes."""
    from tcphoton.bench import measure, print_table

    found = measure(workloads or [], repeat, tell=_say)
    if json_:
        sys.stdout.write(json.dumps({"workloads": found}, indent=2) + "\n")
    else:
        print_table(found, sys.stdout)


def _with_settings(scenario: Scenario, settings: list[str]) -> Scenario:
    """Set the keys that the command line gives."""
    pairs = []
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            mistake = Mistake.of_file(f"--set {setting}", "not a setting", "KEY=VALUE")
            raise ScenarioError([mistake])
        pairs.append((key.strip(), value.strip()))
    return Scenario(scenario.text, scenario.file, scenario.overrides + tuple(pairs))


@contextmanager
def _progress() -> Iterator[Callable[[float, float, int], None] | None]:
    """Give a callback that draws a bar on stderr, where that is a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") in {"dumb", "unknown"}:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.fields[at]}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("run", at="")

        def tell(now: float, end: float, events: int) -> None:
            at = f"{now:.3g} of {end:g} s simulated, {events:,} events"
            bar.update(task, completed=now, total=end, at=at)

        yield tell


if __name__ == "__main__":
    main()

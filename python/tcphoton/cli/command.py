"""What the verbs share: exit codes, errors as messages, settings, a progress bar."""

from __future__ import annotations

import functools
import os
import re
import sys
import warnings
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from tcphoton.common.terminal import bar, say, visible
from tcphoton.errors import (
    DamageWarning,
    EngineError,
    FailedRunsError,
    LostClusterError,
    Mistake,
    OutputError,
    ProgramError,
    ScenarioError,
    WorkerError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tcphoton.scenario.scenario import Scenario

__all__ = [
    "DONE",
    "EXIT_CODES",
    "FAILED",
    "INTERRUPTED",
    "WRONG_INPUT",
    "StoppedEarlyError",
    "app",
    "is_utf_8",
    "print_anything",
    "progress_bar",
    "refuse_stdout",
    "say_warnings",
    "settings_of",
    "verb",
    "warn",
    "with_settings",
]

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130
EXIT_CODES = {
    DONE: "done",
    FAILED: "anything else: a run that failed or stopped early, a cluster that was lost, an error "
    "of tcphoton itself, a closed output pipe",
    WRONG_INPUT: "wrong input: a scenario with errors, a wrong option, a place that cannot be "
    "written, a cluster that does not answer",
    INTERRUPTED: "interrupted by Ctrl-C",
}
"""What each exit code means."""


class _Verbs(TyperGroup):
    """The verbs; their error messages about the command line show control characters as escapes."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; help shows a flag as one, without a value."""
        return _with_flags(super().get_params(ctx))

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Parse the options before the verb."""
        with _visible_complaints():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        """Parse the verb's arguments and run it."""
        with _visible_complaints():
            return super().invoke(ctx)


def _with_flags(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = " "
    return parameters


@contextmanager
def _visible_complaints() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # typer's own errors have no public class
        if isinstance(getattr(error, "message", None), str):
            error.message = visible(error.message)  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    name="tcphoton",
    help="Simulate TCP over electronic and optical networks, packet by packet.",
    cls=_Verbs,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class StoppedEarlyError(Exception):
    """A run that did not reach its end; its partial results are written."""


class _Verb(TyperCommand):
    """A command that accepts no empty argument: as a path it would be the current folder."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; help shows a flag as one, without a value."""
        return _with_flags(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an empty argument before it is used."""
        for before, word in zip(["", *args], args, strict=False):
            option, equals, value = word.partition("=")
            if not word or (option.startswith("--") and equals and not value):
                name = (option if word else before) or self.name
                say(f"error: {name}: an empty argument; leave it out, or give a value")
                raise typer.Exit(WRONG_INPUT)
        rest = super().parse_args(ctx, args)
        for parameter in self.params:
            values = ctx.params.get(str(parameter.name))
            for value in values if isinstance(values, list | tuple) else [values]:
                named = isinstance(value, Path) and (
                    parameter.metavar == "DIR" or self.name == "sweep"
                )
                if (isinstance(value, str) or named) and not is_utf_8(value):
                    name = next((each for each in parameter.opts if each[0] == "-"), self.name)
                    kind = "a name in UTF-8, like all names of results" if named else ""
                    say(f"error: {name}: not UTF-8; found {value}; accepted {kind or 'UTF-8'}")
                    raise typer.Exit(WRONG_INPUT)
        return rest


def verb(function: Callable[..., None]) -> Callable[..., None]:
    """Make a function a verb whose errors become messages and exit codes, never tracebacks."""

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

    return app.command(cls=_Verb)(guarded)


def _explain(error: BaseException) -> int | None:
    """Report an error and return the exit code; `None` for an error that is not ours to explain."""
    match error:
        case ScenarioError():
            for mistake in error.mistakes:
                say(str(mistake))
            return WRONG_INPUT
        case BrokenPipeError():
            # The reader of our output is gone: the flush at exit must find an open file.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAILED
        case StoppedEarlyError() | ProgramError() | FailedRunsError() | LostClusterError():
            with suppress(OSError):
                sys.stdout.flush()
            say(f"error: {error}")
            return FAILED
        case OutputError() | LookupError() | WorkerError():
            say(f"error: {error.args[0]}")
            return WRONG_INPUT
        case OSError():
            say(f"error: {error.strerror or error}")
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return WRONG_INPUT
        case KeyboardInterrupt():
            say(str(error) or "interrupted")
            return INTERRUPTED
        case EngineError():
            say(f"the engine stopped, which is a bug of tcphoton: {error}")
            return FAILED
        case MemoryError():
            say(f"error: {error}" if str(error) else "error: out of memory")
            return FAILED
    if type(error).__name__ == "PanicException":
        say(f"the engine stopped, which is a bug of tcphoton: {error}")
        return FAILED
    return None


def is_utf_8(word: object) -> bool:
    """Tell whether an argument is UTF-8; Python keeps other bytes (PEP 383)."""
    return not re.search("[\ud800-\udfff]", str(word))


def print_anything() -> None:
    """Write UTF-8 unless a terminal says otherwise; no character is an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")


def say_warnings() -> None:
    """Print warnings of damaged files as messages; all others are printed as usual."""
    plain = warnings.showwarning

    def show(  # noqa: PLR0917, as in `warnings`
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, DamageWarning):
            say(f"warning: {message}")
        else:
            plain(message, category, filename, lineno, file, line)

    warnings.showwarning = show
    warnings.simplefilter("default", DamageWarning)  # each text once


def warn(found: Iterable[Mistake]) -> None:
    """Write warnings to stderr, one per line."""
    for warning in found:
        say(str(warning))


def with_settings(scenario: Scenario, settings: list[str]) -> Scenario:
    """Set the keys given on the command line."""
    return scenario.with_texts(settings_of(settings))


def refuse_stdout(folder: Path | None) -> None:
    """Refuse ``-``, which is stdout elsewhere, as the name of a folder.

    Raises
    ------
    OutputError
        It is that.
    """
    if folder is not None and str(folder) == "-":
        raise OutputError("--out -: a folder cannot be stdout; --json and --csv print there")


def settings_of(settings: Iterable[str]) -> list[tuple[str, str]]:
    """Return the keys and values of ``KEY=VALUE``.

    Raises
    ------
    ScenarioError
        One of them is something else.
    """
    pairs = []
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            mistake = Mistake.at(f"--set {setting}", "not a setting", accepted="KEY=VALUE")
            raise ScenarioError([mistake])
        pairs.append((key.strip(), value.strip()))
    return pairs


@contextmanager
def progress_bar(
    of: str = "s simulated",
) -> Iterator[Callable[[float, float, int], None] | None]:
    """Return a callback that draws a progress bar on stderr if that is a terminal.

    Parameters
    ----------
    of
        What its first two numbers count.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") in {"dumb", "unknown"}:
        yield None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.fields[at]}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
    )
    with bar(*columns) as shown:
        task = shown.add_task("run", at="")

        def tell(now: float, end: float, events: int) -> None:
            at = f"{now:.3g} of {end:g} {of}, {events:,} events"
            shown.update(task, completed=now, total=end, at=at)

        yield tell

"""The progress of a set of runs, the estimated remaining time, and how both are shown."""

from __future__ import annotations

import math
import os
import sys
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.common.quantities import counted
from tcphoton.common.terminal import bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LINE_EVERY = 10.0
"""Seconds until the first line of progress without a terminal. Later lines have at least this
distance, and at least a tenth of the elapsed time."""

ENOUGH, TENS = 2, 10
"""Runs per unit of time from which the unit is used, and from which tenths are left out."""


@dataclass(frozen=True)
class Progress:
    """The progress of a set of runs.

    Attributes
    ----------
    done, total
        Finished runs, and all runs; those that a rule may still request are estimated.
    cached
        Those of `done` that an earlier call has finished.
    running
        Runs in progress.
    elapsed, left
        Seconds since the start, and until the end; `left` is `None` as long as it is unknown.
    share
        The finished share of the work, between 0 and 1: long runs count more.
    failed
        Those of `done` that ended with an error.
    stopping
        Ctrl-C was pressed: no more runs start, and `left` is the time until the running ones end.

    Examples
    --------
    >>> print(Progress(done=30, total=60, cached=10, running=2, elapsed=40, left=65, share=0.4))
    30 of 60 runs, 2 running, 30 runs/min, about 1 min 5 s left
    """

    done: int
    total: int
    cached: int
    running: int
    elapsed: float
    left: float | None
    share: float
    failed: int = 0
    stopping: bool = False

    @property
    def rate(self) -> float | None:
        """Runs that this call has finished per second, `None` before the first."""
        made = self.done - self.cached
        return made / self.elapsed if made > 0 and self.elapsed > 0 else None

    def __str__(self) -> str:
        """Return it as one line."""
        left = "" if self.left is None else f", about {duration(self.left)}"
        if self.stopping:
            return f"finishing {counted(self.running, 'run')}{left}: Ctrl-C again stops immediately"
        parts = [f"{self.done:,} of {self.total:,} runs"]
        parts += [f"{self.running:,} running"] if self.running else []
        parts += [f"{self.failed:,} failed"] if self.failed else []
        parts += [rate(self.rate)] if self.rate is not None else []
        return ", ".join(parts) + (f"{left} left" if left and self.done < self.total else "")


def rate(runs: float) -> str:
    """Return a rate of runs per second in a unit that is easy to read.

    Examples
    --------
    >>> rate(120.4), rate(2.25), rate(0.5), rate(1 / 1200)
    ('120 runs/s', '2.2 runs/s', '30 runs/min', '3.0 runs/h')
    """
    for unit, seconds in (("s", 1), ("min", 60), ("h", 3600)):
        count = runs * seconds
        if count >= ENOUGH or unit == "h":
            break
    return f"{count:.1f} runs/{unit}" if count < TENS else f"{count:,.0f} runs/{unit}"


def duration(seconds: float) -> str:
    """Return a duration, rounded as is appropriate for an estimate.

    Examples
    --------
    >>> duration(0.3), duration(75), duration(7500)
    ('1 s', '1 min 15 s', '2 h 5 min')
    """
    whole = max(1, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_left} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Place(NamedTuple):
    """The place of a point: its sweep, and the index of its value on every axis."""

    sweep: int
    values: tuple[int, ...]


class Estimate:
    """Estimates how long runs take, from finished runs.

    A point with finished runs takes as long as these. For another point the mean over all runs is
    multiplied, axis by axis, by the ratio of the runs with the point's value to that mean.

    Examples
    --------
    >>> estimate = Estimate()
    >>> estimate.expect(Place(0, (0, 0))) is None
    True
    >>> for place, seconds in {(0, 0): 1.0, (0, 1): 3.0}.items():
    ...     estimate.tell(Place(0, place), seconds)
    >>> estimate.expect(Place(0, (0, 1))), estimate.expect(Place(0, (1, 1)))
    (3.0, 3.0)
    """

    def __init__(self) -> None:
        self._seen: defaultdict[object, list[float]] = defaultdict(lambda: [0.0, 0])

    def tell(self, place: Place, seconds: float) -> None:
        """Record the duration of a run."""
        axes = [(place.sweep, axis, value) for axis, value in enumerate(place.values)]
        for subject in (None, place.sweep, place, *axes):
            seen = self._seen[subject]
            seen[0] += seconds
            seen[1] += 1

    def expect(self, place: Place) -> float | None:
        """Return the expected seconds of a run of a point, `None` before the first finished run."""
        exact = self._mean(place)
        if exact is not None:
            return exact
        overall = self._mean(place.sweep)
        if overall is None:
            return self._mean(None)
        factors = 1.0
        for axis, value in enumerate(place.values):
            mean = self._mean((place.sweep, axis, value))
            if mean is not None and overall > 0:
                factors *= mean / overall
        return overall * factors

    @property
    def total(self) -> float:
        """Seconds of all finished runs."""
        return self._seen[None][0]

    def _mean(self, subject: object) -> float | None:
        total, count = self._seen.get(subject, (0.0, 0))
        return total / count if count else None


class Last:
    """Remembers the last report of progress, and passes it on.

    Attributes
    ----------
    now
        The last progress; before the first report, of no runs.
    """

    def __init__(self, tell: Callable[[Progress], Any] | None) -> None:
        self.now = Progress(done=0, total=0, cached=0, running=0, elapsed=0, left=None, share=0)
        self._tell = tell

    def __call__(self, progress: Progress) -> None:
        """Record the progress."""
        self.now = progress
        if self._tell is not None:
            self._tell(progress)


@contextmanager
def show(say: Callable[[str], None]) -> Iterator[Callable[[Progress], None]]:
    """Return a callback that shows progress on stderr: a bar on a terminal, else single lines.

    Parameters
    ----------
    say
        Writes a line if there is no terminal.
    """
    if _is_terminal():
        with _bar() as tell:
            yield tell
    else:
        yield _Lines(say)


def _is_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}


class _Lines:
    """Prints a line at intervals."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.next = time.monotonic() + LINE_EVERY
        self.stopping = False

    def __call__(self, progress: Progress) -> None:
        if progress.stopping and progress.running and not self.stopping:
            self.stopping, self.next = True, 0.0
        if time.monotonic() >= self.next:
            self.say(str(progress))
            self.next = time.monotonic() + max(LINE_EVERY, progress.elapsed / 10)


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.progress import BarColumn, TextColumn

    columns = (BarColumn(), TextColumn("{task.percentage:3.0f} %"), TextColumn("{task.fields[at]}"))
    with bar(*columns) as shown:
        task = shown.add_task("sweep", total=1.0, at="")

        def tell(progress: Progress) -> None:
            share = progress.share if math.isfinite(progress.share) else 0.0
            shown.update(task, completed=share, at=str(progress))

        yield tell

"""Readings that are run and judged: the findings of all targets under each."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tcphoton import _core
from tcphoton.errors import ScenarioError
from tcphoton.papers.assumptions import Reading, overlay
from tcphoton.papers.ledger import find
from tcphoton.readings.cache import Entry, Memory, key_of
from tcphoton.sweep.store.cache import Cache
from tcphoton.sweep.store.piece import Key
from tcphoton.sweep.sweep import run_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from tcphoton.common.progress import Progress
    from tcphoton.papers.paper import Paper, Runs
    from tcphoton.papers.rules import Finding
    from tcphoton.readings.plan import Plan, Target
    from tcphoton.readings.space import Values
    from tcphoton.sweep.workers.cluster import Cluster

AT_ONCE = 4
"""Readings that are run together at least."""
ENDED = "end"
"""How a run ends that was not cut off."""


@dataclass
class Budget:
    """What a search may use up.

    Attributes
    ----------
    runs
        The most runs; `None` for any number.
    seconds
        The most seconds.
    used
        Runs that were made.
    elsewhere
        Runs of readings that another folder has judged, and the CPU seconds that they took.
    share
        The share of both that may be used up by now.
    """

    runs: int | None = None
    seconds: float | None = None
    used: int = 0
    elsewhere: tuple[int, float] = (0, 0.0)
    share: float = 1.0
    begun: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Runs that may still be made."""
        return float("inf") if self.runs is None else max(0, self.share * self.runs - self.used)

    def part(self, count: int) -> Budget:
        """Return the budget of the first of some searches that share what is left."""
        runs = None if self.runs is None else max(0, self.runs - self.used) // count
        passed = time.monotonic() - self.begun
        seconds = None if self.seconds is None else max(0.0, self.seconds - passed) / count
        return Budget(runs, seconds)

    @property
    def is_spent(self) -> bool:
        """Whether nothing may be run any more."""
        return self.left <= 0 or self.is_late

    @property
    def is_late(self) -> bool:
        """Whether the time is used up."""
        return self.seconds is not None and (
            time.monotonic() - self.begun >= self.share * self.seconds
        )


@dataclass(frozen=True)
class Runner:
    """Where and how runs are made.

    Attributes
    ----------
    folder
        Keeps the runs.
    budget
        How many are made at most.
    say
        Reports what is done.
    workers, cluster, progress
        See `tcphoton.Sweep.run`.
    """

    folder: Path
    budget: Budget
    say: Callable[[str], object]
    workers: int | None = None
    cluster: Cluster | None = None
    progress: Callable[[Progress], Any] | None = None


class _LateError(Exception):
    """The time is used up."""


@dataclass(frozen=True)
class Judged:
    """A reading with the findings of the targets.

    Attributes
    ----------
    values
        Its values.
    findings
        The findings by the targets' names; none if it could not be run.
    error
        Why it could not be run, or is not complete.
    """

    values: Values
    findings: Mapping[str, Finding] = field(default_factory=dict)
    error: str = ""


def judge(
    plan: Plan,
    targets: Sequence[Target],
    scale: str,
    readings: Sequence[Values],
    runner: Runner,
    *,
    first_seed: int = 1,
) -> list[Judged]:
    """Run readings at a scale as far as the budget goes, and return those that are complete.

    Parameters
    ----------
    plan, targets, scale
        The plan, what is judged, and the scale of the runs.
    readings
        The values of each.
    runner
        Makes the runs.
    first_seed
        The number of the first seed.
    """
    found: dict[int, Judged] = {}
    asked: list[_Asked] = []
    memory = Memory(runner.folder)
    for at, values in enumerate(readings):
        reading = Reading("", values, first_seed)
        paper = replace(plan.paper, overlay=overlay(plan.assumptions, reading))
        try:
            each = _Asked(at, paper, _runs(paper, targets, scale))
        except ScenarioError as error:
            found[at] = Judged(values, error=f"refused: {error.mistakes[0]}")
            continue
        entry = memory.get(key_of(paper, scale, each.keys, targets))
        if entry is None:
            asked.append(each)
        else:
            found[at] = Judged(values, entry.findings)
            _count(each, entry, runner)
    for some, frames in _run(_affordable(asked, runner), runner):
        entries = {}
        timings = Cache(runner.folder).timings()
        for each in some:
            if not all(name in frames for name in each.sweeps):
                continue
            own = {runs.name: frames[name] for name, runs in each.sweeps.items()}
            findings, wrong = _judged(each.paper, scale, own, targets)
            found[each.at] = Judged(readings[each.at], findings, wrong)
            if not wrong:
                cpu = sum(timings[key].cpu for key in each.keys if key in timings)
                key = key_of(each.paper, scale, each.keys, targets)
                entries[key] = Entry(findings, len(each.keys), round(cpu, 1))
        memory.put(entries)
    return [found[at] for at in sorted(found)]


def _count(asked: _Asked, entry: Entry, runner: Runner) -> None:
    """Count the cost of a reading that another folder has judged."""
    if _Known(runner.folder).missing(asked):
        runs, cpu = runner.budget.elsewhere
        runner.budget.elsewhere = (runs + entry.runs, cpu + entry.cpu)


def _runs(paper: Paper, targets: Sequence[Target], scale: str) -> list[Runs]:
    """Return the checked sweeps of a paper's targets.

    Raises
    ------
    ScenarioError
        A scenario has errors.
    """
    at = paper.at(scale)
    artefacts = dict.fromkeys(target.part.artefact for target in targets)
    found = paper.runs([each for each in artefacts if each in at], scale)
    for each in found:
        each.sweep.plan()
    return found


@dataclass(frozen=True)
class _Asked:
    """A reading that is to be run: its number, the paper under it, and its sweeps."""

    at: int
    paper: Paper
    runs: list[Runs]

    @property
    def sweeps(self) -> dict[str, Runs]:
        """Its sweeps by names that no other reading's have."""
        return {f"{self.at}/{each.name}": each for each in self.runs}

    @cached_property
    def keys(self) -> list[Key]:
        """What identifies its runs."""
        return [key for each in self.runs for key in _keys_of(each)]


def _keys_of(runs: Runs) -> list[Key]:
    """Return what identifies the runs of a sweep."""
    sweep, revision = runs.sweep, _core.results_revision()
    seeds = range(1, sweep.seeds + 1) if isinstance(sweep.seeds, int) else sweep.seeds
    return [Key(digest, seed, revision) for digest in sweep.plan().digests for seed in seeds]


def _affordable(asked: Sequence[_Asked], runner: Runner) -> list[_Asked]:
    """Return as many readings, in their order, as the budget has runs for."""
    known, budget = _Known(runner.folder), runner.budget
    found: list[_Asked] = []
    for each in asked:
        missing = known.missing(each)
        if missing and (missing > budget.left or budget.is_spent):
            break
        budget.used += missing
        found.append(each)
    return found


class _Known:
    """The runs of a folder, and those that were asked for."""

    def __init__(self, folder: Path) -> None:
        self._cache = Cache(folder)
        self._seen: set[Key] = set()

    def missing(self, asked: _Asked) -> int:
        """Return how many runs of a reading are to be made; each counts once."""
        count = 0
        for runs in asked.runs:
            for key in _keys_of(runs):
                if key not in self._seen and self._cache.load(key, runs.sweep.keep) is None:
                    count += 1
                self._seen.add(key)
        return count


def _run(
    asked: Sequence[_Asked], runner: Runner
) -> Iterator[tuple[Sequence[_Asked], dict[str, pl.DataFrame]]]:
    """Run the sweeps of readings, a few readings after the other, as far as there is time."""

    def tell(progress: Progress) -> None:
        if runner.progress is not None:
            runner.progress(progress)
        if runner.budget.is_late and progress.done < progress.total:
            raise _LateError

    def run(some: Sequence[_Asked]) -> dict[str, pl.DataFrame]:
        sweeps = {name: runs.sweep for each in some for name, runs in each.sweeps.items()}
        if not sweeps:
            return {}
        return run_all(
            sweeps, runner.folder, workers=runner.workers, cluster=runner.cluster, progress=tell
        )

    # Points of all sweeps take turns: with all readings at once none would be complete before the
    # end, and nothing be kept of them if that never comes.
    step = max(AT_ONCE, runner.workers or 0) if runner.cluster is None else max(1, len(asked))
    for at in range(0, len(asked), step):
        some = asked[at : at + step]
        if len(asked) > step:
            last = min(at + step, len(asked))
            runner.say(f"readings {at + 1} to {last} of {len(asked)}")
        try:
            yield some, run(some)
        except _LateError:
            yield some, run([each for each in some if not _Known(runner.folder).missing(each)])
            return


def _judged(
    paper: Paper,
    scale: str,
    frames: Mapping[str, pl.DataFrame],
    targets: Sequence[Target],
) -> tuple[dict[str, Finding], str]:
    """Return the findings of a reading, or what went wrong."""
    for frame in frames.values():
        if "error" in frame.columns:
            failed = frame.get_column("error").drop_nulls()
            if len(failed):
                return {}, f"{len(failed)} runs failed: {failed[0]}"
        cut = set(frame.get_column("stop").unique()) - {ENDED} if "stop" in frame.columns else set()
        if cut:
            return {}, f"runs were cut off: {', '.join(sorted(cut))}"
    wanted = dict.fromkeys(target.part.artefact for target in targets)
    at = paper.at(scale)
    made = {each: paper.table(each, scale, frames) for each in wanted if each in at}
    tables = {each: paper.seen(table) for each, table in made.items()}
    return {target.name: find(target.part, tables) for target in targets}, ""

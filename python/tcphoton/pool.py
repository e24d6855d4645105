"""Runs on all cores: what is wanted, what is there, what is at work, and how long it may take.

The engine runs without the interpreter's lock, so threads are enough. Only the calling thread looks
at signals: it waits for finished runs, hands out new ones, and reports progress.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import platform
import queue
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tcphoton import measures
from tcphoton.cache import Finished, Key, Timing
from tcphoton.errors import EngineError, hint
from tcphoton.progress import Estimate, Place, Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import polars as pl

    from tcphoton import _core
    from tcphoton.cache import Cache
    from tcphoton.measures import Derive
    from tcphoton.statistics import Until

__all__ = ["Point", "execute", "fill", "workers_here"]

TICK = 0.1
"""Seconds between two reports of progress."""
SEEN = 0.02
"""The share of a run from which on its length is told from its own pace."""

NOWHERE = Place(0, ())

Row = dict[str, Any]


def workers_here() -> int:
    """Return the number of cores that this process may use."""
    with contextlib.suppress(AttributeError):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass
class Point:
    """A point of a sweep and its runs.

    Attributes
    ----------
    digest
        The digest of its scenario.
    values
        Its values on the axes.
    seeds
        The seeds with which it starts; further ones follow the largest.
    until
        The rule that says when they are enough; without one `seeds` are all.
    checked
        Makes the scenario that the engine runs.
    keep
        The tables that are kept of each run.
    derive
        Makes further measures of a run.
    """

    digest: str
    values: Mapping[str, Any]
    seeds: Sequence[int]
    until: Until | None = None
    checked: Callable[[], _core.Checked] | None = None
    place: Place = NOWHERE
    keep: Sequence[str] = ()
    derive: Derive | None = None
    rows: dict[int, Row] = field(default_factory=dict)
    asked: int = 0
    looked: int = 0
    enough: int | None = None
    _measured: list[float | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Without a rule the seeds are enough."""
        if self.until is None:
            self.enough = len(self.seeds)

    def seed(self, at: int) -> int:
        """Return the seed with this number, counted from 0."""
        beyond = at - len(self.seeds)
        return self.seeds[at] if beyond < 0 else max(self.seeds, default=0) + 1 + beyond

    @property
    def first(self) -> int:
        """The number of seeds before the first look."""
        return max(len(self.seeds), self.until.at_least if self.until else 0)

    @property
    def most(self) -> int:
        """The number of seeds at which it ends, whatever the rule says."""
        return max(self.until.at_most, self.first) if self.until else len(self.seeds)

    def take(self, seed: int, finished: Finished) -> None:
        """Take the run of a seed: its measures, and what is derived."""
        row = measures.row(finished.record)
        if self.derive is not None:
            tables = {name: finished.tables[name] for name in self.keep}
            head = {**self.values, "seed": seed}
            try:
                row = measures.with_derived(head | row, self.derive(finished.record, tables))
            except Exception as error:
                error.add_note(f"derive, at {self}, seed {seed}")
                raise
        self.give(seed, row)

    def give(self, seed: int, row: Row) -> None:
        """Take the row of a seed, and ask the rule about each number of seeds that is whole now.

        The rule goes by the order of the seeds, so a point ends at the same seed on any number of
        workers, in whichever order runs finish.
        """
        self.rows[seed] = row
        if self.until is None:
            return
        while self.enough is None and (found := self.rows.get(self.seed(self.looked))) is not None:
            if self.until.measure not in found:
                raise LookupError(_no_measure(self.until.measure, found))
            self._measured.append(found[self.until.measure])
            self.looked += 1
            if self.looked < self.first:
                continue
            if self.looked >= self.most or self.until.is_enough(self._measured):
                self.enough = self.looked

    def table(self) -> list[Row]:
        """Return a row for every seed that counts, as far as it is there, in the seeds' order."""
        count = self.first if self.enough is None else self.enough
        count = max(count, self.looked)
        seeds = sorted(self.seed(at) for at in range(count))
        return [
            {**self.values, "seed": seed, **self.rows[seed]} for seed in seeds if seed in self.rows
        ]

    def foreseen(self) -> int:
        """Return how many seeds it will have taken in the end."""
        if self.enough is not None:
            return self.enough
        assert self.until is not None
        if self.looked < self.first:
            return self.first
        wanted = self.until.foresee(self._measured)
        return min(max(wanted, self.looked + 1), self.most)

    def __str__(self) -> str:
        """Return its values."""
        return ", ".join(f"{key} = {value}" for key, value in self.values.items())


def _no_measure(measure: str, found: Row) -> str:
    near = hint(measure, found)
    return f"until.measure: no measure {measure!r}{near}; there are: {', '.join(found)}"


def fill(point: Point, cache: Cache, revision: str) -> None:
    """Take the finished runs of a point, in their order, as many as the rule wants."""
    at = 0
    while at < (point.most if point.enough is None else point.enough):
        seed = point.seed(at)
        finished = cache.load(Key(point.digest, seed, revision), point.keep)
        if finished is not None:
            point.take(seed, finished)
        elif point.until is not None:
            break
        at += 1


def execute(
    points: Sequence[Point],
    cache: Cache,
    revision: str,
    workers: int,
    progress: Callable[[Progress], Any] | None = None,
) -> None:
    """Fill the rows of all points: from the cache, from each other, or by running.

    Whatever is raised here, in a worker or by `progress` ends the work within a slice of a run, and
    passes on. What had finished by then is kept.
    """
    work = _Work(points, cache, revision)
    started = time.monotonic()
    finished: queue.SimpleQueue[_Job] = queue.SimpleQueue()

    def tell() -> None:
        if progress is not None:
            progress(work.progress(time.monotonic() - started, workers))

    def at_work(job: _Job) -> None:
        try:
            job.run(cache, numbers.get())
        except BaseException as error:
            job.error = error
        finally:
            finished.put(job)

    numbers = _Numbers()
    tell()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="tcphoton")
    try:
        while True:
            while len(work.running) < workers and (job := work.next()) is not None:
                work.running[job.key] = job
                pool.submit(at_work, job)
            if not work.running:
                break
            with contextlib.suppress(queue.Empty):
                work.take(finished.get(timeout=TICK))
            tell()
    finally:
        for job in work.running.values():
            job.stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
    tell()


class _StoppedError(Exception):
    """The run is no longer wanted."""


class _Numbers:
    """A number for each thread that asks."""

    def __init__(self) -> None:
        self._of: dict[int, int] = {}
        self._lock = threading.Lock()

    def get(self) -> int:
        with self._lock:
            return self._of.setdefault(threading.get_ident(), len(self._of) + 1)


class _Job:
    """One run: it is made by the calling thread and done by a worker."""

    def __init__(self, key: Key, point: Point, keep: Sequence[str]) -> None:
        self.key = key
        self.point = point
        self.keep = keep
        self.stop = threading.Event()
        self.began: float | None = None
        self.share = 0.0
        self.spent = 0.0
        self.finished: Finished | None = None
        self.error: BaseException | None = None

    def run(self, cache: Cache, worker: int) -> None:
        assert self.point.checked is not None
        self.began = time.monotonic()
        # Another process may have kept it since it was asked for.
        self.finished = cache.load(self.key, self.keep)
        if self.finished is not None:
            return
        try:
            outcome = self.point.checked().run(self.key.seed, self._tick)
        except EngineError as error:
            raise EngineError(f"{error}, at {self.point}, seed {self.key.seed}") from None
        tables = self._tables(outcome)
        record = json.loads(outcome.json)
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        timing = Timing(
            outcome.wall_seconds,
            outcome.cpu_seconds,
            record["events"],
            worker,
            now,
            platform.node(),
        )
        self.finished = cache.store(self.key, record, timing, tables)
        self.spent = time.monotonic() - self.began

    def _tables(self, outcome: _core.Outcome) -> dict[str, pl.DataFrame]:
        """Return the tables that are kept."""
        if not self.keep:
            return {}
        from tcphoton.results import frame_of

        made = {table.name: table for table in outcome.tables}
        for name in self.keep:
            if name not in made:
                problem = f"keep: no table {name!r} at {self.point}{hint(name, made)}"
                raise LookupError(f"{problem}; there are: {', '.join(made)}")
        return {name: frame_of(made[name]) for name in self.keep}

    def _tick(self, now: float, end: float, events: int) -> None:
        del events
        if self.stop.is_set():
            raise _StoppedError
        self.share = now / end if end > 0 else 1.0


class _Work:
    """What is wanted of all points, and what is at work."""

    def __init__(self, points: Sequence[Point], cache: Cache, revision: str) -> None:
        self.points = points
        self.cache = cache
        self.revision = revision
        self.running: dict[Key, _Job] = {}
        self.cached = 0
        self.estimate = Estimate()
        self._timings = cache.timings()
        self._done: set[Key] = set()
        self._keep = self._kept_of_each()
        self._waiting: dict[Key, list[Point]] = {}
        self._pending: deque[_Job] = deque()
        self._undecided = [point for point in points if point.enough is None]
        self._spent = 0.0
        self._foreseen = 0
        self._left: tuple[float, float | None] = (0.0, None)
        self._next_estimate = 0.0
        self._fill()

    def _fill(self) -> None:
        """Ask for every point's first seeds: seed by seed, so that all points are known early."""
        for at in range(max((point.first for point in self.points), default=0)):
            for point in self.points:
                if at < point.first:
                    self._ask(point)

    def _kept_of_each(self) -> dict[Key, set[str]]:
        """Return the tables of each run that any of its points keeps."""
        found: dict[Key, set[str]] = {}
        for point in self.points:
            if point.keep:
                for at in range(point.most):
                    key = Key(point.digest, point.seed(at), self.revision)
                    found.setdefault(key, set()).update(point.keep)
        return found

    def _ask(self, point: Point) -> None:
        """Ask for a point's next seed."""
        key = Key(point.digest, point.seed(point.asked), self.revision)
        point.asked += 1
        if key in self._waiting:
            self._waiting[key].append(point)
            return
        keep = sorted(self._keep.get(key, ()))
        finished = self.cache.load(key, keep)
        if finished is None:
            self._waiting[key] = [point]
            self._pending.append(_Job(key, point, keep))
            return
        if key not in self._done:
            self._done.add(key)
            self.cached += 1
            if (timing := self._timings.get(key)) is not None:
                self.estimate.tell(point.place, timing.wall)
        point.take(key.seed, finished)

    def next(self) -> _Job | None:
        """Return the next run to do; where a rule decides, idle workers run ahead of it."""
        while not self._pending:
            self._undecided = [
                point
                for point in self._undecided
                if point.enough is None and point.asked < point.most
            ]
            if not self._undecided:
                return None
            self._ask(min(self._undecided, key=lambda point: point.asked - point.looked))
        return self._pending.popleft()

    def take(self, job: _Job) -> None:
        """Take a finished run, or raise what it raised."""
        del self.running[job.key]
        if job.error is not None:
            raise job.error
        assert job.finished is not None
        self._done.add(job.key)
        if job.spent:
            self.estimate.tell(job.point.place, job.spent)
            self._spent += job.spent
        for point in self._waiting.pop(job.key):
            point.take(job.key.seed, job.finished)

    def progress(self, elapsed: float, workers: int) -> Progress:
        """Return how far the work has come; an estimate of what is left costs little of it."""
        now = time.monotonic()
        if now >= self._next_estimate:
            self._foreseen = sum(_more(point) for point in self._undecided)
            self._left = self._estimate(now, elapsed, workers)
            cost = time.monotonic() - now
            self._next_estimate = now + max(TICK, 20 * cost)
        share, left = self._left
        done = len(self._done)
        total = done + len(self._waiting) + self._foreseen
        if done == total:
            share, left = 1.0, 0.0
        return Progress(done, total, self.cached, len(self.running), elapsed, left, share)

    def _estimate(self, now: float, elapsed: float, workers: int) -> tuple[float, float | None]:
        """Return the share of the work that is done, and the seconds that are left."""
        at_work = [(job, now - job.began) for job in self.running.values() if job.began is not None]
        seen = [spent / job.share for job, spent in at_work if job.share > SEEN]
        fallback = sum(seen) / len(seen) if seen else None

        def cost(point: Point) -> float | None:
            expected = self.estimate.expect(point.place)
            return fallback if expected is None else expected

        ahead, longest = 0.0, 0.0
        for job, spent in at_work:
            whole = spent / job.share if job.share > SEEN else cost(job.point)
            if whole is None:
                return 0.0, None
            rest = max(0.0, whole - spent)
            longest = max(longest, rest)
            ahead += rest
        for point, count in self._ahead():
            each = cost(point)
            if each is None:
                return 0.0, None
            longest = max(longest, each)
            ahead += count * each
        begun = sum(spent for _, spent in at_work)
        behind = self.estimate.total + begun
        share = behind / (behind + ahead) if behind + ahead > 0 else 1.0
        # Very short runs leave workers idle between them: what they have done so far tells.
        done = self._spent + begun
        pace = max(1.0, elapsed * workers / done) if done > TICK else 1.0
        return share, max(ahead * pace / workers, longest)

    def _ahead(self) -> Iterator[tuple[Point, int]]:
        """Give the points with runs that have not begun, and how many."""
        counts: dict[int, int] = {}
        by_id = {}
        for job in self._pending:
            counts[id(job.point)] = counts.get(id(job.point), 0) + 1
            by_id[id(job.point)] = job.point
        for point in self._undecided:
            counts[id(point)] = counts.get(id(point), 0) + _more(point)
            by_id[id(point)] = point
        for number, count in counts.items():
            yield by_id[number], count


def _more(point: Point) -> int:
    """Return how many seeds a point may still ask for."""
    return max(0, point.foreseen() - point.asked)

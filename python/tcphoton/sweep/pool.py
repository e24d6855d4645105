"""The runs of many points on workers: which are requested, finished, running or left.

Only the calling thread works here: it hands out tasks, takes results, stores them and reports
progress. Workers are provided by an `Executor`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from tcphoton.common.interrupts import Interrupts
from tcphoton.common.progress import Estimate, Progress
from tcphoton.common.terminal import say
from tcphoton.sweep.point import Point, fill
from tcphoton.sweep.store.cache import Timing
from tcphoton.sweep.store.piece import Failure, Finished, Key, decode
from tcphoton.sweep.workers.work import Done, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tcphoton.sweep.store.cache import Cache
    from tcphoton.sweep.workers.work import Executor, Pace

__all__ = ["Point", "execute", "fill", "workers_here"]

TICK = 0.1
"""Seconds between two reports of progress."""
SEEN = 0.02
"""The share of a run after which its duration is estimated from its own progress."""


def workers_here() -> int:
    """Return the number of cores that this process may use."""
    with contextlib.suppress(AttributeError):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def execute(
    points: Sequence[Point],
    cache: Cache,
    revision: str,
    executor: Executor,
    progress: Callable[[Progress], Any] | None = None,
    *,
    retry: bool = True,
) -> None:
    """Fill the rows of all points: from the cache, from each other, or by running.

    Ctrl-C finishes the started runs and raises `KeyboardInterrupt`; a second one stops them within
    a slice of a run. Any other exception, raised here or by `progress`, ends the work within a
    slice and propagates. Finished runs are kept. With `retry` failed runs are repeated.
    """
    work = _Work(points, cache, revision, executor, retry=retry)
    tell = progress or _say_once()
    try:
        with Interrupts() as interrupts:
            while True:
                if not interrupts.count:
                    work.feed()
                elif not work.stopping:
                    work.hold()
                if not work.running:
                    break
                tell(work.progress())
                found = executor.collect(TICK)
                if found and not interrupts.count:
                    work.feed(ahead=False)  # workers continue while results are written
                for done in found:
                    work.take(done)
        tell(work.progress())
        if interrupts.count:
            raise KeyboardInterrupt
    finally:
        executor.stop()


def _say_once() -> Callable[[Progress], None]:
    """Return a callback that reports that Ctrl-C was received, for calls without progress."""
    said = False

    def tell(progress: Progress) -> None:
        nonlocal said
        if progress.stopping and progress.running and not said:
            say(str(progress))
            said = True

    return tell


class _Work:
    """The requested runs of all points, and those that are running."""

    def __init__(
        self,
        points: Sequence[Point],
        cache: Cache,
        revision: str,
        executor: Executor,
        *,
        retry: bool,
    ) -> None:
        self.points = points
        self.cache = cache
        self.revision = revision
        self.executor = executor
        self.retry = retry
        self.running: dict[Key, Point] = {}
        self.cached = 0
        self.stopping = False
        self.estimate = Estimate()
        self._started = time.monotonic()
        self._timings = cache.timings()
        self._done: set[Key] = set()
        self._failed: set[Key] = set()
        self._keep = self._kept_of_each()
        self._waiting: dict[Key, list[Point]] = {}
        self._pending: deque[Key] = deque()
        self._undecided = [point for point in points if point.enough is None]
        self._spent = 0.0
        self._foreseen = 0
        self._left: tuple[float, float | None] = (0.0, None)
        self._next_estimate = 0.0
        self._fill()

    def _fill(self) -> None:
        """Request every point's first seeds: seed by seed, so that all points are known early."""
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
        """Request a point's next seed."""
        key = Key(point.digest, point.seed(point.asked), self.revision)
        point.asked += 1
        if key in self._waiting:
            self._waiting[key].append(point)
            return
        found: Finished | Failure | None = self.cache.load(key, self._tables(key))
        if found is None and (key in self._failed or not self.retry):
            found = self.cache.failure(key)
        if found is None:
            self._waiting[key] = [point]
            self._pending.append(key)
            return
        if key not in self._done:
            self._done.add(key)
            self.cached += 1
            if (timing := self._timings.get(key)) is not None:
                self.estimate.tell(point.place, timing.wall)
        self._give(key, found, [point])

    def _tables(self, key: Key) -> list[str]:
        return sorted(self._keep.get(key, ()))

    def feed(self, *, ahead: bool = True) -> None:
        """Hand out as many tasks as workers take; idle workers may run seeds ahead of a rule."""
        while self.executor.room() > 0 and (key := self._next(ahead=ahead)) is not None:
            # Another call on the folder may have finished it since it was requested.
            found = self.cache.load(key, self._tables(key))
            if found is not None:
                self._done.add(key)
                self._give(key, found, self._waiting.pop(key))
                continue
            point = self._waiting[key][0]
            self.running[key] = point
            # It lacks a table: the tables that it has are kept for the other users of the run.
            tables = sorted({*self._tables(key), *self.cache.tables(key)})
            self.executor.submit(Task(key, point.scenario, tables))

    def hold(self) -> None:
        """Start no more runs."""
        self.stopping = True
        self._next_estimate = 0.0
        for key in self.executor.hold():
            del self.running[key]

    def _next(self, *, ahead: bool) -> Key | None:
        while not self._pending:
            if not ahead:
                return None
            self._undecided = [
                point
                for point in self._undecided
                if point.enough is None and point.asked < point.most
            ]
            if not self._undecided:
                return None
            self._ask(min(self._undecided, key=lambda point: point.asked - point.looked))
        return self._pending.popleft()

    def take(self, done: Done) -> None:
        """Store the outcome of a run, and give it to the points that wait for it.

        Raises
        ------
        LookupError
            It cannot make a table that is to be kept.
        """
        key, point = done.key, self.running.pop(done.key)
        if done.lacks:
            raise LookupError(f"keep: {done.lacks}; at {point}, seed {key.seed}")
        found: Finished | Failure | None = None
        if done.data is not None:
            found = decode(done.data, key, self._tables(key))
        if found is not None and done.data is not None:
            about = dict(done.about)
            spent = about.pop("spent")
            self.cache.store(key, done.data, Timing(**about))
            self.estimate.tell(point.place, spent)
            self._spent += spent
        else:
            found = Failure(done.error or "its result cannot be read", point.replay(key.seed))
            self.cache.fail(key, found)
        self._done.add(key)
        self._give(key, found, self._waiting.pop(key))

    def _give(self, key: Key, found: Finished | Failure, points: Iterable[Point]) -> None:
        if isinstance(found, Failure):
            self._failed.add(key)
        for point in points:
            if isinstance(found, Failure):
                point.fail(key.seed, found)
            else:
                point.take(key.seed, found)

    def progress(self) -> Progress:
        """Return the progress; the estimate of the rest is cheap."""
        now, at_work = time.monotonic(), self.executor.at_work()
        if now >= self._next_estimate:
            self._foreseen = sum(point.ahead for point in self._undecided)
            self._left = self._estimate(now, at_work.items())
            cost = time.monotonic() - now
            self._next_estimate = now + max(TICK, 20 * cost)
        share, left = self._left
        done = len(self._done)
        total = done + len(self._waiting) + self._foreseen
        if done == total:
            share, left = 1.0, 0.0
        return Progress(
            done,
            total,
            self.cached,
            len(at_work),
            now - self._started,
            left,
            share,
            len(self._failed),
            stopping=self.stopping,
        )

    def _estimate(
        self, now: float, at_work: Iterable[tuple[Key, Pace]]
    ) -> tuple[float, float | None]:
        """Return the finished share of the work, and the remaining seconds."""
        paces = [(self.running[key], pace) for key, pace in at_work if key in self.running]
        seen = [pace.spent / pace.share for _, pace in paces if pace.share > SEEN]
        fallback = sum(seen) / len(seen) if seen else None
        begun = sum(pace.spent for _, pace in paces)
        behind = self.estimate.total + begun
        ahead, longest = 0.0, 0.0
        for point, pace in paces:
            whole = pace.spent / pace.share if pace.share > SEEN else self._cost(point, fallback)
            if whole is None:
                return 0.0, None
            longest = max(longest, whole - pace.spent)
            ahead += max(0.0, whole - pace.spent)
        if self.stopping:
            return behind / (behind + ahead) if behind + ahead > 0 else 1.0, longest
        for point, count in self._ahead():
            each = self._cost(point, fallback)
            if each is None:
                return 0.0, None
            longest = max(longest, each)
            ahead += count * each
        share = behind / (behind + ahead) if behind + ahead > 0 else 1.0
        # Between very short runs workers are idle: then the finished runs give the pace.
        workers, done = max(1, self.executor.workers), self._spent + begun
        pace_of_all = max(1.0, (now - self._started) * workers / done) if done > TICK else 1.0
        return share, max(ahead * pace_of_all / workers, longest)

    def _cost(self, point: Point, fallback: float | None) -> float | None:
        expected = self.estimate.expect(point.place)
        return fallback if expected is None else expected

    def _ahead(self) -> Iterable[tuple[Point, int]]:
        """Return the points with runs that have not started, and how many."""
        by_id = {id(point): point for point in self.points}
        counts = Counter(id(self._waiting[key][0]) for key in self._pending)
        counts.update({id(point): point.ahead for point in self._undecided})
        return [(by_id[number], count) for number, count in counts.items()]

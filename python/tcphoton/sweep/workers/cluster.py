"""Workers of a Dask cluster: runs are sent to a scheduler and returned as they finish.

Workers may come, go and die: Dask gives the tasks of a lost worker to others, and gives up on a run
that has lost several workers. Dask also counts workers on which the run was only queued behind the
one that killed them: such a run is submitted again until it has itself been started on as many.
Workers do not access our folder: a task is text, a result bytes.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import queue
import secrets
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tcphoton.common.terminal import say
from tcphoton.errors import LostClusterError, WorkerError
from tcphoton.sweep.store.piece import Key
from tcphoton.sweep.workers.local import TRIES
from tcphoton.sweep.workers.work import Done, Pace, Task, perform

if TYPE_CHECKING:
    from collections.abc import Callable

RUNNING = "running"
"""The status of a connected client."""
Cluster = Any
"""A `dask.distributed.Client`, or the address of its scheduler."""
WAIT = 10
"""Seconds in which a scheduler must answer."""
CLOSE = 2
"""Seconds in which a client must close."""
NOTICE = 2.0
"""Seconds in which a client notices that its scheduler is gone, after a connection broke."""
IDLE = 5.0
"""Seconds without any worker after which this is reported."""
SCHEMES = ("tcp", "tls", "ucx", "ws", "wss")
"""The prefix of the address of a scheduler in another process."""
LEAST = 8
"""Tasks queued at a scheduler without workers: some clusters start workers only for tasks."""
LOOK_EVERY = 1.0
"""Seconds between two checks: ours of the workers, theirs of whether a run is still wanted."""


class Dask:
    """The workers of a Dask cluster, an `Executor`.

    Parameters
    ----------
    cluster
        A client, which stays open, or the address of a scheduler.

    Raises
    ------
    WorkerError
        There is no scheduler, or `dask.distributed` is not installed.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._dask = _dask()
        self._ours = isinstance(cluster, str)
        self._client = _connected(self._dask, cluster) if self._ours else cluster
        self._address = getattr(self._client.scheduler, "address", self._client)
        self._name = f"tcphoton-{secrets.token_hex(8)}"
        self._tasks: dict[Key, Task] = {}
        self._futures: dict[Key, Any] = {}
        self._sent = 0
        self._done: queue.SimpleQueue[Key] = queue.SimpleQueue()
        self._begun: queue.SimpleQueue[Key] = queue.SimpleQueue()
        self._begins: Counter[Key] = Counter()
        self._numbers: dict[str, int] = {}
        self._at_work: dict[Key, float] = {}
        self._next_look = 0.0
        self._idle_since: float | None = None
        self._said = False
        self.workers = 0
        self._look()
        self._client.subscribe_topic(self._name, lambda event: self._begun.put(Key(*event[1])))

    def room(self) -> int:
        """Return how many tasks it would take: a few more than it has threads."""
        self._look()
        return max(0, max(LEAST, 2 * self.workers) - len(self._futures))

    def submit(self, task: Task) -> None:
        """Take a task."""
        self._tasks[task.key] = task
        self._send(task)

    def collect(self, timeout: float) -> list[Done]:
        """Wait until a task is done, for at most so many seconds, and return all finished ones."""
        keys = []
        with contextlib.suppress(queue.Empty):
            keys.append(self._done.get(timeout=timeout))
            while True:
                keys.append(self._done.get_nowait())
        found = [self._result(key) for key in keys if key in self._futures]
        return [done for done in found if done is not None]

    def at_work(self) -> dict[Key, Pace]:
        """Return the started runs; their progress is not known."""
        self._look()
        now = time.monotonic()
        return {key: Pace(now - began, 0.0) for key, began in self._at_work.items()}

    def hold(self) -> list[Key]:
        """Drop the tasks that have not started, and return them."""
        self._look(now=True)
        dropped = [key for key in self._futures if key not in self._at_work]
        self._client.cancel([self._futures[key] for key in dropped])
        for key in dropped:
            self._forget(key)
        return dropped

    def stop(self) -> None:
        """End all runs, and close the client unless it is the caller's."""
        with contextlib.suppress(OSError, TimeoutError):
            if self._futures and self._client.status == RUNNING:
                self._dask.Event(self._name, client=self._client).set()
                self._client.cancel(list(self._futures.values()))
        self._tasks.clear()
        self._futures.clear()
        self._at_work.clear()
        with contextlib.suppress(Exception):
            self._client.unsubscribe_topic(self._name)
        if self._ours:
            _close(self._client)
            self._ours = False

    def _look(self, *, now: bool = False) -> None:
        """Check the workers and their tasks."""
        if not now and time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + LOOK_EVERY
        self._check()
        # The scheduler is asked after the workers, so it knows of all started tasks: a task that it
        # no longer has either ended or lost its worker.
        self._hear()
        try:
            self.workers = sum(self._client.nthreads().values())
            busy = {name for each in self._client.processing().values() for name in each}
        except (OSError, TimeoutError):
            raise self._lost() from None
        self._tell_of_workers()
        for key in [key for key in self._at_work if self._futures[key].key not in busy]:
            del self._at_work[key]

    def _hear(self) -> None:
        """Record the runs that a worker has started, without those queued at it."""
        with contextlib.suppress(queue.Empty):
            while True:
                key = self._begun.get_nowait()
                if key in self._futures:
                    self._at_work[key] = time.monotonic()
                    self._begins[key] += 1

    def _tell_of_workers(self) -> None:
        """Report that there are no workers, once each time that there are none for some seconds."""
        if self.workers:
            self._idle_since, self._said = None, False
            return
        now = time.monotonic()
        if self._idle_since is None:
            self._idle_since = now
        if now - self._idle_since >= IDLE and not self._said:
            self._said = True
            say(f"waiting for workers at {self._address}")

    def _check(self, patience: float = 0.0) -> None:
        """Raise if the scheduler is gone: a client that reconnects has lost its runs.

        A connection may break before the client knows why: `patience` is the time for that in
        seconds.
        """
        until = time.monotonic() + patience
        while self._client.status == RUNNING:
            if time.monotonic() >= until:
                return
            time.sleep(0.05)
        raise self._lost()

    def _lost(self) -> LostClusterError:
        return LostClusterError(
            f"the scheduler at {self._address} is gone; runs that had ended are kept in the folder "
            "of results, and the same command resumes"
        )

    def _send(self, task: Task) -> None:
        """Give a task to the scheduler, under a new name."""
        self._sent += 1
        name = f"{self._name}-{self._sent}-{task.key.file}"
        future = self._client.submit(_perform, tuple(task), self._name, key=name, pure=False)
        self._futures[task.key] = future
        self._listen(task.key)

    def _listen(self, key: Key) -> None:
        self._futures[key].add_done_callback(lambda _: self._done.put(key))

    def _result(self, key: Key) -> Done | None:
        """Return the outcome of a run, `None` if it is not finished, or must be repeated.

        Raises
        ------
        WorkerError
            Its workers cannot do it.
        LostClusterError
            The scheduler is gone.
        """
        gone = (ImportError, OSError, self._dask.CancelledError)
        future = self._futures[key]
        try:
            data, about, error, lacks, worker = future.result(timeout=WAIT)
        except TimeoutError:
            self._listen(key)
            return None
        except self._dask.KilledWorker as killed:
            # Each start is reported before the worker can die of the run.
            self._hear()
            if self._begins[key] < TRIES:
                self._at_work.pop(key, None)
                self._send(self._tasks[key])
                return None
            self._forget(key)
            return Done(key, error=f"its worker died, several times: {killed}")
        except gone as problem:
            self._check(patience=NOTICE if isinstance(problem, OSError) else 0.0)
            words = f"{type(problem).__name__}: {problem}"
            raise WorkerError(f"the cluster cannot do it: {words}") from None
        self._forget(key)
        number = self._numbers.setdefault(worker, len(self._numbers) + 1)
        return Done(key, data, {**about, "worker": number}, error, lacks)

    def _forget(self, key: Key) -> None:
        del self._tasks[key], self._futures[key]
        self._begins.pop(key, None)
        self._at_work.pop(key, None)


def _perform(task: Any, name: str) -> tuple[bytes | None, dict[str, Any], str, str, str]:
    """Do a run on a worker of the cluster, until it is no longer wanted."""
    key, scenario, keep = task
    worker = _dask().get_worker()
    # The client's call waits until the scheduler has it: a worker's own message is sent later, and
    # is lost if the run kills the worker immediately.
    _dask().get_client().log_event(name, key)
    done = perform(Task(Key(*key), scenario, keep), _watch(name))
    return done.data, dict(done.about), done.error, done.lacks, worker.address


def _watch(name: str) -> Callable[[float], None]:
    """Return a function that checks at intervals whether the runs of a call are still wanted."""
    event = _dask().Event
    next_look = time.monotonic() + LOOK_EVERY

    def tick(share: float) -> None:
        nonlocal next_look
        del share
        if time.monotonic() >= next_look:
            if event(name).is_set():
                raise InterruptedError
            next_look = time.monotonic() + LOOK_EVERY

    return tick


def _dask() -> Any:
    """Return the library if it is installed."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise WorkerError("a cluster needs Dask: pip install 'tcphoton[cluster]'") from None


def _connected(dask: Any, address: str) -> Any:
    """Return a client of the scheduler at an address.

    Raises
    ------
    WorkerError
        It is not an address, or no scheduler answers there.
    """
    try:
        parts = urlsplit(address)
        whole = parts.scheme in SCHEMES and parts.hostname and parts.port
    except ValueError:
        whole = False
    if not whole:
        raise WorkerError(f"no cluster at {address}: not an address; accepted tcp://HOST:PORT")
    _silence()
    # In two steps, so that a partially started client can be closed: otherwise the garbage
    # collector closes it, which waits for what was never started.
    client = dask.Client.__new__(dask.Client)
    outcome: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()

    def connect() -> None:
        try:
            client.__init__(address, timeout=WAIT, set_as_default=False)
            outcome.put(None)
        except Exception as error:  # passed to the calling thread
            outcome.put(error)

    # In a thread, because a client waits forever if something other than a scheduler listens.
    threading.Thread(target=connect, daemon=True).start()
    try:
        problem = outcome.get(timeout=WAIT + CLOSE)
    except queue.Empty:
        client.status = "closed"
        raise WorkerError(f"no cluster at {address}: no scheduler answers there") from None
    if isinstance(problem, (OSError, ValueError, TimeoutError)):
        _close(client)
        raise WorkerError(f"no cluster at {address}: {problem}") from None
    if problem is not None:
        raise problem
    return client


def _close(client: Any) -> None:
    """Close a client in any state."""
    with contextlib.suppress(Exception):
        client.close(timeout=CLOSE)
    # A client that could not be closed is not garbage-collected, which would try to close it again.
    client.status = "closed"


def _silence() -> None:
    """Keep Dask's log off stderr: what matters in it becomes a message of ours."""
    for name in [*logging.Logger.manager.loggerDict]:
        if name.partition(".")[0] in {"distributed", "tornado"}:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)

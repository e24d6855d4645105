"""Workers that are processes of this machine, as many as cores and memory permit.

A run in its own process can be killed, run out of memory or crash without affecting others: its
worker is replaced, and the run repeated, three times at most. The processes are started here and
not by `multiprocessing`, which would run the caller's program again in each of them.

The memory of a run is not known before a similar one has ended. So the first runs start as cores
are free. Each later one starts when the peak memory of the runs of its point (of any point, if none
of its own is known) fits into the available memory minus what the running ones may still take.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from tcphoton.common import child, memory
from tcphoton.errors import WorkerError
from tcphoton.sweep.workers.work import Done, Pace, Task
from tcphoton.sweep.workers.worker import COMMAND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tcphoton.sweep.store.piece import Key

TRIES = 3
"""How often a run is started whose worker dies of it."""
FILL = 0.9
"""The share of the available memory that runs may use."""
ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Variables of libraries that would start as many threads as there are cores in each worker."""
TAIL = 300
"""Maximum characters of a dead worker's output in a message."""


class Local:
    """Worker processes of this machine, an `Executor`.

    Parameters
    ----------
    workers
        How many at a time.
    memory_of
        Bytes that runs of points have taken, by the points' digests.
    left
        Returns the available memory in bytes.
    """

    def __init__(
        self,
        workers: int,
        memory_of: Mapping[str, int] | None = None,
        left: Callable[[], int | None] = memory.available,
    ) -> None:
        self.workers = workers
        self._left = left
        self._memory = dict(memory_of or {})
        self._tries: dict[Key, int] = {}
        self._waiting: deque[Task] = deque()
        self._all: list[_Process] = []
        self._said: queue.SimpleQueue[tuple[_Process, Any, bytes | None]] = queue.SimpleQueue()

    def room(self) -> int:
        """Return how many tasks it would take."""
        busy = sum(process.task is not None for process in self._all)
        return max(0, self.workers - busy - len(self._waiting))

    def submit(self, task: Task) -> None:
        """Take a task; it starts when there is memory for it."""
        self._waiting.append(task)
        self._feed()

    def collect(self, timeout: float) -> list[Done]:
        """Wait until a task is done, for at most so many seconds, and return all finished ones."""
        found: list[Done] = []
        until = time.monotonic() + timeout
        while True:
            wait = 0.0 if found else max(0.0, until - time.monotonic())
            try:
                done = self._take(*self._said.get(timeout=wait))
            except queue.Empty:
                break
            if done is not None:
                found.append(done)
        for process in self._all:
            process.look()
        self._feed()
        return found

    def at_work(self) -> dict[Key, Pace]:
        """Return the started runs."""
        now = time.monotonic()
        return {
            process.task.key: Pace(now - process.began, process.share)
            for process in self._all
            if process.task is not None
        }

    def hold(self) -> list[Key]:
        """Drop the tasks that have not started, and return them."""
        dropped = [task.key for task in self._waiting]
        self._waiting.clear()
        return dropped

    def stop(self) -> None:
        """Kill all workers; their unfinished runs are lost."""
        for process in self._all:
            process.kill()
        for process in self._all:
            process.bury()
        self._all.clear()
        self._waiting.clear()

    def _feed(self) -> None:
        """Start waiting tasks, as far as there is memory."""
        while self._waiting:
            idle = next((process for process in self._all if process.task is None), None)
            if not self._fits(self._waiting[0], idle):
                return
            if idle is None:
                taken = {process.number for process in self._all}
                number = next(each for each in itertools.count(1) if each not in taken)
                idle = _Process(number, self._said)
                self._all.append(idle)
            idle.begin(self._waiting.popleft())

    def _fits(self, task: Task, idle: _Process | None) -> bool:
        at_work = [process for process in self._all if process.task is not None]
        left = self._left()
        if not at_work or left is None:
            return True
        growth = self._need(task) - (idle.look() if idle else 0)
        growth += sum(max(0, self._need(one.task) - one.look()) for one in at_work if one.task)
        return growth <= FILL * left

    def _need(self, task: Task) -> int:
        """Return the bytes that a run will take."""
        known = self._memory.get(task.key.digest)
        return max(self._memory.values(), default=0) if known is None else known

    def _learn(self, key: Key, size: int) -> None:
        self._memory[key.digest] = max(size, self._memory.get(key.digest, 0))

    def _take(self, process: _Process, message: Any, data: bytes | None) -> Done | None:
        """Handle a worker's message; an empty one means that the worker died."""
        if process not in self._all:
            return None
        if message is None:
            return self._lost(process)
        if "ready" in message:
            process.ready = True
            return None
        if "share" in message:
            process.share = message["share"]
            return None
        if "unfit" in message:
            raise WorkerError(message["unfit"])
        task = process.rest()
        about = {**message["about"], "worker": process.number}
        self._learn(task.key, about["memory"])
        return Done(task.key, data, about, message["error"], message["lacks"])

    def _lost(self, process: _Process) -> Done | None:
        """Forget a worker that died, and give its run to another one."""
        said, task = process.bury(), process.task
        self._all.remove(process)
        if not (process.ready or said.startswith("signal")):
            raise WorkerError(f"a worker cannot start: {said}")
        if task is None:
            return None
        # The kernel may have killed it for its memory: what it used is a lower bound.
        self._learn(task.key, process.most)
        self._tries[task.key] = tries = self._tries.get(task.key, 0) + 1
        if tries < TRIES:
            self._waiting.appendleft(task)
            return None
        return Done(task.key, error=f"its worker died {tries} times: {said}")


class _Process:
    """One worker, and a thread that reads its output."""

    def __init__(
        self, number: int, said: queue.SimpleQueue[tuple[_Process, Any, bytes | None]]
    ) -> None:
        self.number = number
        self.task: Task | None = None
        self.began = 0.0
        self.share = 0.0
        self.most = 0
        self.ready = False
        self._words = tempfile.TemporaryFile()  # noqa: SIM115, closed in `bury`
        self._process = subprocess.Popen(
            child.command(COMMAND),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env={**ONE_THREAD, **os.environ},
            process_group=0,  # Ctrl-C on the terminal must not reach it
        )
        self._thread = threading.Thread(target=self._listen, args=(said,), daemon=True)
        self._thread.start()

    def begin(self, task: Task) -> None:
        """Give it a task; if it has died, its thread reports that."""
        self.task, self.began, self.share, self.most = task, time.monotonic(), 0.0, 0
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(task).encode() + b"\n")
            self._process.stdin.flush()

    def rest(self) -> Task:
        """Return the task that it has done."""
        task, self.task = self.task, None
        assert task is not None
        return task

    def look(self) -> int:
        """Return its resident bytes, and remember the peak."""
        size = memory.held(self._process.pid)
        self.most = max(self.most, size)
        return size

    def kill(self) -> None:
        """Kill it."""
        self._process.kill()

    def bury(self) -> str:
        """Wait for its end, and return how it ended."""
        code = self._process.wait()
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        with self._words:
            self._words.seek(0)
            said = " ".join(self._words.read().decode(errors="replace")[-TAIL:].split())
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}: {said}" if said else how

    def _listen(self, said: queue.SimpleQueue[tuple[_Process, Any, bytes | None]]) -> None:
        assert self._process.stdout is not None
        pipe = self._process.stdout
        with contextlib.suppress(ValueError):  # cut off in the middle of a message
            while line := pipe.readline():
                message = json.loads(line)
                size = message.get("size")
                data = None if size is None else pipe.read(size)
                if size is not None and len(data or b"") < size:
                    break
                said.put((self, message, data))
        said.put((self, None, None))

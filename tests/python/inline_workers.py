"""Workers for tests: the test's own process, one run after the other, with faults on demand."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tcphoton.sweep.runs import How
from tcphoton.sweep.workers.work import Done, Pace, Task, perform

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from tcphoton.sweep.store.piece import Key


PROCESSES = How.executor
"""What starts the workers of a sweep where nothing takes their place."""


class Here:
    """The slow, obvious executor."""

    def __init__(self, fault: Callable[[Task], str] = lambda _: "") -> None:
        self.workers = 1
        self.fault = fault
        self.begun: Counter[tuple[str, int]] = Counter()
        self._tasks: list[Task] = []

    def room(self) -> int:
        return 1 - len(self._tasks)

    def submit(self, task: Task) -> None:
        self._tasks.append(task)

    def collect(self, timeout: float) -> list[Done]:
        del timeout
        task = self._tasks.pop()
        self.begun[task.key.digest, task.key.seed] += 1
        error = self.fault(task)
        if error:
            return [Done(task.key, error=error)]
        done = perform(task)
        return [done._replace(about={**done.about, "worker": 1})]

    def at_work(self) -> dict[Key, Pace]:
        return {task.key: Pace(0.0, 0.0) for task in self._tasks}

    def hold(self) -> list[Key]:
        return []

    def stop(self) -> None:
        self._tasks.clear()


def work_here(monkeypatch: pytest.MonkeyPatch, fault: Callable[[Task], str]) -> Here:
    """Let all sweeps of a test run here."""
    here = Here(fault)
    monkeypatch.setattr(How, "executor", lambda *_: here)
    return here

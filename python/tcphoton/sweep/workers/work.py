"""One run of a sweep as a worker does it: task and result are plain data.

Workers are given to a sweep by an `Executor`: `tcphoton.sweep.workers.local` has processes of this
machine, `tcphoton.sweep.workers.cluster` a Dask cluster. Both call `perform`, so a run gives the
same bytes on both.
"""

from __future__ import annotations

import datetime
import json
import platform
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tcphoton import _core
from tcphoton.common import memory
from tcphoton.errors import EngineError, WorkerError, hint
from tcphoton.sweep.store.piece import Key, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl


class Task(NamedTuple):
    """A run to do.

    `scenario` is the canonical scenario in TOML, `keep` the tables that are kept.
    """

    key: Key
    scenario: str
    keep: Sequence[str]


class Done(NamedTuple):
    """The outcome of a task.

    Either `data` is the piece of the run and `about` its timing, or `error` is the reason why there
    is none. `lacks` names a table that is to be kept and that the run cannot make.
    """

    key: Key
    data: bytes | None = None
    about: Mapping[str, Any] = {}
    error: str = ""
    lacks: str = ""


class Pace(NamedTuple):
    """The progress of a run: its seconds so far, and the finished share of it."""

    spent: float
    share: float


class Executor(Protocol):
    """Workers. Only one thread calls it."""

    @property
    def workers(self) -> int:
        """How many runs can run in parallel now."""
        ...

    def room(self) -> int:
        """Return how many tasks it would take."""
        ...

    def submit(self, task: Task) -> None:
        """Take a task. A lost worker's task is repeated by another one."""
        ...

    def collect(self, timeout: float) -> list[Done]:
        """Wait until a task is done, for at most so many seconds, and return all finished ones."""
        ...

    def at_work(self) -> Mapping[Key, Pace]:
        """Return the started runs."""
        ...

    def hold(self) -> list[Key]:
        """Drop the tasks that have not started, and return them."""
        ...

    def stop(self) -> None:
        """End all runs within a slice, and the workers that it has started."""
        ...


def perform(task: Task, tick: Callable[[float], Any] | None = None) -> Done:
    """Do a run. An error in it is returned, not raised.

    Parameters
    ----------
    task
        The run.
    tick
        Called at intervals with the finished share; an exception that it raises ends the run.

    Raises
    ------
    WorkerError
        This worker does not fit the task: its results would differ.
    """
    began = time.monotonic()
    key = Key(*task.key)
    if _core.results_revision() != key.revision:
        raise WorkerError(f"another version of tcphoton on the worker {platform.node()}")
    try:
        checked = _core.load("<task>", task.scenario, ())
        if checked.digest != key.digest:
            return Done(key, error=f"the worker reads a different scenario: {checked.digest}")
        outcome = checked.run(key.seed, _slices(tick), None, memory.available())
        made = {table.name: table for table in outcome.tables}
        for name in task.keep:
            if name not in made:
                problem = f"no table {name!r}{hint(name, made)}; available: {', '.join(made)}"
                return Done(key, lacks=problem)
        tables = {name: _frame(made[name]) for name in task.keep}
        record = json.loads(outcome.json)
        data = encode(key, record, tables)
    except Exception as error:
        return Done(key, error=_words(error))
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return Done(key, error=_words(error))
    about = {
        "wall": outcome.wall_seconds,
        "cpu": outcome.cpu_seconds,
        "events": record["events"],
        "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "host": platform.node(),
        "spent": time.monotonic() - began,
    }
    return Done(key, data, about)


def _slices(tick: Callable[[float], Any] | None) -> Callable[[float, float, int], Any] | None:
    if tick is None:
        return None
    return lambda now, end, _: tick(now / end if end > 0 else 1.0)


def _frame(table: _core.Table) -> pl.DataFrame:
    from tcphoton.runs.results import frame_of

    return frame_of(table)


def _words(error: BaseException) -> str:
    """Return an error as one line."""
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return text or "out of memory"
    return text if isinstance(error, EngineError) else f"{type(error).__name__}: {text}"

"""A worker process of this machine: tasks come as lines on stdin, results go back on stdout.

Every message is a line of JSON. One with ``size`` is followed by as many bytes, the piece of a run.
Ctrl-C is handled by the process that started the worker; when that process ends for any reason,
stdin ends, and so does the worker.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import resource
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from tcphoton.errors import WorkerError
from tcphoton.sweep.store.piece import Key
from tcphoton.sweep.workers.work import Task, perform

if TYPE_CHECKING:
    from typing import BinaryIO

COMMAND = "from tcphoton.sweep.workers.worker import main; main()"
"""The code that a worker's interpreter runs."""
EVERY = 0.25
"""Seconds between two reports of the progress of a run."""
KIB = 1024


def main() -> None:
    """Do tasks until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # All printed output goes to stderr: stdout is for results.
    back = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        _send(back, {"ready": True})
        while True:
            _do(tasks.get(), back)


def _listen(tasks: queue.SimpleQueue[Task]) -> None:
    for line in sys.stdin.buffer:
        key, scenario, keep = json.loads(line)
        tasks.put(Task(Key(*key), scenario, keep))
    os._exit(0)


def _do(task: Task, back: BinaryIO) -> None:
    last = time.monotonic()

    def tick(share: float) -> None:
        nonlocal last
        if time.monotonic() - last > EVERY:
            last = time.monotonic()
            _send(back, {"share": share})

    _forget_peak()
    try:
        done = perform(task, tick)
    except WorkerError as error:
        _send(back, {"unfit": str(error)})
        return
    about = {**done.about, "memory": _peak()}
    _send(back, {"about": about, "error": done.error, "lacks": done.lacks}, done.data)


def _send(back: BinaryIO, message: dict[str, Any], data: bytes | None = None) -> None:
    size = {} if data is None else {"size": len(data)}
    back.write(json.dumps(message | size).encode() + b"\n" + (data or b""))
    back.flush()


def _forget_peak() -> None:
    """Reset the peak of the memory, if the system supports it."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def _peak() -> int:
    """Return the peak memory in bytes since then."""
    with contextlib.suppress(OSError), open("/proc/self/status", "rb") as file:
        for line in file:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * KIB
    unit = 1 if sys.platform == "darwin" else KIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

"""``alone.py VERB COMMAND …``: a command that no other verb of this folder runs beside.

Verbs build into the same folders. A second one waits, and prints which one it waits for. The lock
is the system's: it is gone with the process that has it, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

LOCK = Path(__file__).parents[1] / ".lock"
HELD = "TCPHOTON_LOCKED"
"""Set in what runs under the lock, which may call verbs itself."""


def main() -> int:
    """Wait for the lock, and run the command."""
    verb, *command = sys.argv[1:]
    if HELD in os.environ:
        return subprocess.call(command)
    with LOCK.open("a+") as lock:
        acquire(lock.fileno(), verb)
        lock.truncate(0)
        lock.write(f"make {verb} (process {os.getpid()}, since {time.strftime('%H:%M:%S')})")
        lock.flush()
        # Ctrl-C reaches the command, too: its exit code is ours.
        process = subprocess.Popen(command, env=os.environ | {HELD: verb})
        signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


def acquire(lock: int, verb: str) -> None:
    """Take the lock; say who has it, at once and every minute."""
    waited = 0
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waited % 60 == 0:
                holder = LOCK.read_text("utf-8") or "another verb"
                print(f"make {verb} waits for {holder}: both build here.", flush=True)
            time.sleep(1)
            waited += 1
        else:
            return


if __name__ == "__main__":
    sys.exit(main())

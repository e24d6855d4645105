"""Waiting for what a program says or does, never for a time.

The limits are there so that a test which waits in vain ends with a message: a machine that is busy
with other things does not reach them, and nothing is measured by them.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


PATIENCE = 200
"""Seconds to wait for what a busy machine does late."""


def wait_until(
    holds: Callable[[], object], what: str, process: subprocess.Popen[str] | None = None
) -> None:
    """Wait until something holds; fail where a process that is to bring it about has ended."""
    until = time.monotonic() + PATIENCE
    while not holds():
        if process is not None and process.poll() is not None and not holds():
            raise AssertionError(f"ended before {what}: {process.communicate()}")
        assert time.monotonic() < until, f"waited {PATIENCE} s in vain until {what}"
        time.sleep(0.01)


def kept_in(out: Path) -> list[Path]:
    """Return the files of finished runs; one that was killed may leave half a file beside them."""
    return [file for file in (out / "points").glob("*.parquet") if not file.name.startswith(".")]


def core_seconds(number: int) -> float:
    """Return the seconds of a core that a process has taken, 0 for one that is gone."""
    stat = Path(f"/proc/{number}/stat")
    if Path("/proc/self/stat").exists():
        try:
            fields = stat.read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    words = ["ps", "-o", "time=", "-p", str(number)]
    told = subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
    taken = 0.0
    for part in told.replace("-", ":").split(":") if told else []:
        taken = 60 * taken + float(part)
    return taken

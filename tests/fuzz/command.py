"""The command of tcphoton as a process that is watched."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Said", "begun", "said", "workers_of"]

ESCAPES = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]")
"""Bytes that a terminal takes for orders, or for the end of a line."""


class Said(NamedTuple):
    """What a command said: its exit code (`None`: it was killed as it took too long)."""

    code: int | None
    stdout: bytes
    stderr: bytes

    @property
    def escapes(self) -> bool:
        """Whether there is something in it that a terminal obeys."""
        return bool(ESCAPES.search(self.stdout + self.stderr))


def begun(*arguments: object, folder: Path) -> subprocess.Popen[bytes]:
    """Start a command in a folder, as the leader of its processes."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "tcphoton", *map(str, arguments)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def said(process: subprocess.Popen[bytes]) -> Said:
    """Return what a command says, killed with all its processes where it hangs."""
    try:
        stdout, stderr = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        return Said(None, stdout, stderr)
    return Said(process.returncode, stdout, stderr)


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the process numbers of the children of a command."""
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    try:
        with open(path, encoding="ascii") as file:
            return [int(number) for number in file.read().split()]
    except OSError:
        return []

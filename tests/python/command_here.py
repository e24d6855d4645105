"""The command in the test's own process: what a process of its own would say, without its start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from types import ModuleType

import pytest

from tcphoton.__main__ import main

Command = Callable[..., subprocess.CompletedProcess[str]]
"""What `call` is, where it is a fixture."""


def call(
    *arguments: object, code: int | None = None, together: bool = False
) -> subprocess.CompletedProcess[str]:
    """Do a command, and return its exit code, which is to be `code`, and what it says.

    Its streams are files, so that they have numbers, and no terminal. What it changes for its
    whole process is as before when it has ended: the words, the streams, how warnings are shown.
    Where they are written `together`, what it says on stderr stands in stdout.
    """
    words = ["tcphoton", *map(str, arguments)]
    ended: object = 0
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
        open(os.devnull, encoding="utf-8") as stdin,
        tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as stdout,
        tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as stderr,
    ):
        if together:
            os.dup2(stdout.fileno(), stderr.fileno())
        # The command may turn its streams away from the files, as where a disk is full.
        kept = [os.dup(stream.fileno()) for stream in (stdout, stderr)]
        patch.setattr(sys, "argv", words)
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stdout", stdout)
        patch.setattr(sys, "stderr", stderr)
        # A usage says the name of the program that runs, and that is not pytest.
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        try:
            main()
        except SystemExit as left:
            ended = left.code or 0
        for stream in (stdout, stderr):
            stream.flush()
        out, err = map(_read, kept)
    assert isinstance(ended, int), ended
    assert code in {None, ended}, f"{words} ended with {ended}, not {code}:\n{out}{err}"
    return subprocess.CompletedProcess(words, ended, out, "" if together else err)


def assert_clean_failure(done: subprocess.CompletedProcess[str], code: int) -> None:
    """See that a command said what is wrong, in words."""
    assert done.returncode == code, done.stderr
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr
    assert "panicked" not in done.stderr


def _read(number: int) -> str:
    """Return all that a file has, and close it."""
    with open(number, "rb") as file:
        file.seek(0)
        return file.read().decode("utf-8")

"""What the tests of the Python side share."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import tcphoton as tp
from tcphoton.sweep.store.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tcphoton.sweep.store.cache import Timing
    from tcphoton.sweep.store.piece import Key

SMALL = """
title = "Two hosts"
[run]
duration = "2 s"
warmup = "500 ms"
[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100 Mb/s", delay = "1 ms" }
[topology.bottleneck]
rate = "10 Mb/s"
delay = "5 ms"
queue = { kind = "drop-tail", packets = 20 }
loss = { kind = "bernoulli", p = 0.01 }
[[traffic]]
from = "left-*"
to = "right-*"
start = { kind = "uniform", from = "0 s", to = "100 ms" }
transport = { kind = "tcp", preset = "sack", segment = "1460 B" }
source = { kind = "bulk" }
"""


def pytest_configure() -> None:
    """Let Ctrl-C stop again what the tests start: `make test &` of a script has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in which browser pages were opened, where they were asked to be."""
    import browser

    outcomes = (
        getattr(each, "nodeid", "")
        for name in ("passed", "failed", "skipped")
        for each in terminalreporter.stats.get(name, [])
    )
    if any("test_report_browser" in each for each in outcomes):
        terminalreporter.write_line(f"Pages were opened in: {browser.version()}.")


@pytest.fixture
def small() -> tp.Scenario:
    """A scenario that runs in a moment."""
    return tp.Scenario.from_text(SMALL, "small.toml")


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    """Its file."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL, "utf-8")
    return path


@pytest.fixture
def tcphoton() -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command, as a process of its own."""

    def command(*arguments: object, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tcphoton", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return command


def count_runs(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, int]]:
    """Count the runs that workers do from now on, by scenario and seed."""
    counted: Counter[tuple[str, int]] = Counter()
    store = Cache.store

    def counting(cache: Cache, key: Key, data: bytes, timing: Timing) -> None:
        store(cache, key, data, timing)
        counted[key.digest, key.seed] += 1

    monkeypatch.setattr(Cache, "store", counting)
    return counted

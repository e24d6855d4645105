"""What the tests of the Python side share."""

from __future__ import annotations

import fcntl
import os
import signal
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import hypothesis
import pytest

import command_here
import shares
import tcphoton as tp
from inline_workers import PROCESSES, Here
from small import SMALL
from tcphoton.sweep.runs import How
from tcphoton.sweep.store.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from tcphoton.sweep.store.cache import Timing
    from tcphoton.sweep.store.piece import Key
    from tcphoton.sweep.workers.work import Executor


def pytest_configure() -> None:
    """Refuse a wrong share at once, and let Ctrl-C stop again what the tests start.

    `make test &` of a script has it ignored.
    """
    shares.share()
    # How long a case takes depends on what else the machine does.
    slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile("calm", deadline=None, suppress_health_check=slow)
    hypothesis.settings.load_profile("calm")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked `verify` unless all is tried; what is sampled is part of it then."""
    whole = shares.all_of_it()
    cases: dict[str, list[str]] = defaultdict(list)
    least = {}
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if whole and sampled:
            item.add_marker("verify")
        elif sampled and "least" in sampled.kwargs:
            test = item.nodeid.partition("[")[0]
            cases[test].append(item.nodeid)
            least[test] = sampled.kwargs["least"]
    out = {name for test, names in cases.items() for name in shares.left_out(names, least[test])}
    if not whole:
        out |= {item.nodeid for item in items if item.get_closest_marker("verify")}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in out])
    items[:] = [item for item in items if item.nodeid not in out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out for which reason, and in which browser pages were opened."""
    import browser

    reasons: Counter[str] = Counter()
    for each in terminalreporter.stats.get("skipped", []):
        # The place and the line stand before the reason.
        if isinstance(each.longrepr, tuple | list):
            reasons[str(each.longrepr[2]).removeprefix("Skipped: ")] += 1
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")
    outcomes = (
        getattr(each, "nodeid", "")
        for name in ("passed", "failed")
        for each in terminalreporter.stats.get(name, [])
    )
    names = ("test_report_browser", "test_player_page", "test_studio", "test_live", "test_front")
    if browser.find() and any(name in each for each in outcomes for name in names):
        terminalreporter.write_line(f"Pages were opened in: {browser.version()}.")


@pytest.fixture(scope="session")
def browser_of_all() -> Iterator[Browser]:
    """A browser, one for all tests of a process."""
    import browser

    with browser.started() as started:
        yield started


@pytest.fixture
def running(browser_of_all: Browser) -> Iterator[Browser]:
    """A browser in which nothing is open: pages that a test leaves open are closed after it.

    They may move, and take the time of the tests that follow.
    """
    yield browser_of_all
    for context in browser_of_all.contexts:
        context.close()


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """Let the sweeps of a module and of its fixtures run here, without the start of workers.

    Those that ask for a cluster run there.
    """

    def executor(how: How, cache: Cache) -> Executor:
        return Here() if how.cluster is None else PROCESSES(how, cache)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(How, "executor", executor)
        yield


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the sweeps of a test worker processes, as they have everywhere else."""
    monkeypatch.setattr(How, "executor", PROCESSES)


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
def tcphoton() -> command_here.Command:
    """The command, in this process; a test that is about processes starts one itself."""
    return command_here.call


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that the first of all processes of a test session makes for the others."""
    home = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        home = home.parent
    with (home / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = home / f"{name}.made"
        if not made.exists():
            make(home / name)
            made.touch()
    return home / name


def count_runs(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, int]]:
    """Count the runs that workers do from now on, by scenario and seed."""
    counted: Counter[tuple[str, int]] = Counter()
    store = Cache.store

    def counting(cache: Cache, key: Key, data: bytes, timing: Timing) -> None:
        store(cache, key, data, timing)
        counted[key.digest, key.seed] += 1

    monkeypatch.setattr(Cache, "store", counting)
    return counted

"""Worker processes: the same results on any number, none lost with a worker or its parent."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tcphoton as tp
from inline_workers import Here, work_here
from tcphoton.common import memory
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.store.piece import Key, decode
from tcphoton.sweep.sweep import Sweep
from tcphoton.sweep.workers import local
from tcphoton.sweep.workers.local import Local
from tcphoton.sweep.workers.work import Done, Task
from tcphoton.sweep.workers.worker import COMMAND
from waiting import PATIENCE, core_seconds, kept_in, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("processes")]

LOSS = "topology.bottleneck.loss.p"
ROOT = Path(tp.__file__).parents[1]
MIB = 2**20
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")


def tasks(scenario: tp.Scenario, seeds: int) -> list[Task]:
    checked = scenario.checked()
    revision = tp._core.results_revision()
    keys = [Key(checked.digest, seed, revision) for seed in range(1, seeds + 1)]
    return [Task(key, scenario.to_toml(), ["flows"]) for key in keys]


def finish(executor: Local | Here, wanted: list[Task]) -> dict[Key, Done]:
    """Do all tasks."""
    found: dict[Key, Done] = {}
    waiting = list(wanted)

    def through() -> bool:
        while waiting and executor.room():
            executor.submit(waiting.pop(0))
        found.update((done.key, done) for done in executor.collect(0.05))
        return len(found) == len(wanted)

    wait_until(through, "all tasks are done")
    return found


@pytest.fixture
def started() -> Iterator[Callable[..., Local]]:
    """Make workers that end with the test."""
    made: list[Local] = []

    def make(workers: int, **options: object) -> Local:
        made.append(Local(workers, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for each in made:
        each.stop()


def children(pid: int) -> list[int]:
    """Return the worker processes of a process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            words = (folder / "cmdline").read_bytes()
            if int(parent) == pid and b"tcphoton.sweep.workers.worker" in words:
                found.append(int(folder.name))
    return found


def gone(pid: int) -> bool:
    """Tell whether a process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_results_are_the_same_bytes_on_any_number_of_workers(
    small: tp.Scenario, started: Callable[..., Local]
) -> None:
    wanted = tasks(small, 4)
    here = finish(Here(), wanted)
    for workers in (1, 3):
        found = finish(started(workers), wanted)
        assert {key: done.data for key, done in found.items()} == {
            key: done.data for key, done in here.items()
        }
        numbers = {done.about["worker"] for done in found.values()}
        assert numbers <= set(range(1, workers + 1))


@LINUX
def test_a_killed_workers_run_is_done_by_another(
    small: tp.Scenario, started: Callable[..., Local], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Half a second of a core: a worker says after each slice how far it is, not every quarter.
    often = "; main.__globals__['EVERY'] = 0.0; main()"
    monkeypatch.setattr(local, "COMMAND", COMMAND.replace("; main()", often))
    wanted = tasks(small.with_({"run.duration": "1500 s"}), 2)
    executor = started(2)
    executor.submit(wanted[0])
    executor.submit(wanted[1])
    while not any(pace.share > 0 for pace in executor.at_work().values()):
        assert executor.collect(0.05) == []
    os.kill(children(os.getpid())[0], signal.SIGKILL)
    found: dict[Key, Done] = {}
    while len(found) < 2:
        found |= {done.key: done for done in executor.collect(0.1)}
    here = finish(Here(), wanted)
    assert all(found[key].data == here[key].data for key in here)


DEADLY = """
import os, signal, sys

if "tcphoton.sweep.workers.worker" in " ".join(sys.orig_argv):
    import tcphoton.sweep.workers.work as work

    perform = work.perform

    def deadly(task, tick=None):
        if task.key.seed == 2:
            sys.stderr.write("out of\\nluck")
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return perform(task, tick)

    work.perform = deadly
"""


def test_a_run_that_kills_its_workers_is_a_row_with_an_error(
    small: tp.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Sweep(small, {LOSS: [0.01]}, seeds=4).run()
    (tmp_path / "sitecustomize.py").write_text(DEADLY, "utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    table = Sweep(small, {LOSS: [0.01]}, seeds=4).run()
    assert table["error"].to_list() == [
        None, "its worker died 3 times: signal 9: out of luck", None, None,
    ]  # fmt: skip
    assert table.select(whole.columns).filter(stop="end").equals(whole.remove(seed=2))


def test_a_worker_that_cannot_start_is_one_message(
    small: tp.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "COMMAND", "import no_such_module")
    with pytest.raises(tp.WorkerError, match=r"cannot start: exit code 1: .*no_such"):
        Sweep(small, {}, seeds=1).run()


@LINUX
def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    program = (
        "import tcphoton as tp\n"
        "scenario = tp.example('mm1').with_({'run.duration': '2000 h'})\n"
        "tp.Sweep(scenario, {}, seeds=4).run(workers=2)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], env={**os.environ}, text=True)
    wait_until(lambda: len(children(process.pid)) == 2, "there are two workers", process)
    workers = children(process.pid)
    # To start takes less than a second of a core; the runs take minutes.
    wait_until(lambda: min(map(core_seconds, workers)) > 1, "both are at work", process)
    process.kill()
    process.wait()
    wait_until(lambda: all(map(gone, workers)), "the workers are gone")


# Ctrl-C.


def at_work(out: Path, scenario: Path, durations: str, seeds: int) -> subprocess.Popen[str]:
    """Begin a sweep on two workers and wait until both are at work and a run is kept."""
    file = scenario.with_name("sweep.toml")
    file.write_text(
        f'scenario = "{scenario.name}"\nseeds = {seeds}\nover."run.duration" = [{durations}]\n',
        "utf-8",
    )
    words = ["sweep", str(file), "--out", str(out), "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "tcphoton", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    wait_until(
        lambda: kept_in(out) and len(children(process.pid)) == 2,
        "a run is kept and two workers are there",
        process,
    )
    return process


def heard(process: subprocess.Popen[str]) -> str:
    """Return the line that says that Ctrl-C was heard; progress may have been told before it."""
    assert process.stderr is not None
    line = process.stderr.readline()
    while re.match(r"\d+ of \d+ runs, ", line):
        line = process.stderr.readline()
    assert line.startswith("finishing "), line
    return line.rstrip("\n")


@LINUX
@pytest.mark.timeout(4 * PATIENCE)
def test_ctrl_c_finishes_what_has_begun_and_says_so(small_file: Path, tmp_path: Path) -> None:
    # The workers have runs of seconds when they are told, not two that end in a moment.
    out = tmp_path / "out"
    with at_work(out, small_file, '"1 s", "6000 s"', 30) as process:
        process.send_signal(signal.SIGINT)
        said = heard(process)
        begun = len(kept_in(out))
        assert said.endswith(": Ctrl-C again stops immediately")
        running = int(said.split()[1])
        assert process.stderr is not None
        assert process.stdout is not None
        *again, ended = process.stderr.read().splitlines()
        assert (process.wait(timeout=PATIENCE), process.stdout.read()) == (130, "")
    # It says so again while that takes long, and nothing else.
    assert all(line.startswith("finishing ") for line in again), again
    kept = sweep_folder.read(out)
    # Of what was at work when it said so, some may have been kept before they were counted here.
    assert 1 <= running <= 2
    assert begun <= kept.table.height <= begun + running
    assert ended.startswith(f"interrupted: {kept.table.height} runs are kept in {out}; ")
    assert kept.missing == 60 - kept.table.height > 0


@LINUX
@pytest.mark.timeout(4 * PATIENCE)
def test_a_second_ctrl_c_stops_at_once(small_file: Path, tmp_path: Path) -> None:
    # The last two runs take hours; the workers have them when the others are kept.
    out = tmp_path / "out"
    process = at_work(out, small_file, '"1 s", "2000 h"', 2)
    wait_until(lambda: len(kept_in(out)) == 2, "the short runs are kept", process)
    workers = children(process.pid)
    process.send_signal(signal.SIGINT)
    assert heard(process).startswith("finishing 2 runs")
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 130
    wait_until(lambda: all(map(gone, workers)), "the workers are gone")
    process.communicate()
    assert sweep_folder.read(out).table.height == 2


def test_ctrl_c_without_anybody_who_shows_progress_is_told(
    small: tp.Scenario, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pressed(_: Task) -> str:
        signal.raise_signal(signal.SIGINT)
        return ""

    here = work_here(monkeypatch, pressed)
    with pytest.raises(KeyboardInterrupt):
        Sweep(small, {LOSS: [0.01, 0.05]}, seeds=3).run()
    assert sum(here.begun.values()) == 1
    assert capsys.readouterr().err == ""  # nothing was left at work to wait for
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# Memory.


def test_runs_that_do_not_fit_into_memory_wait(
    small: tp.Scenario, started: Callable[..., Local]
) -> None:
    wanted = tasks(small, 4)
    scarce = started(3, memory_of={wanted[0].key.digest: 600 * MIB}, left=lambda: 900 * MIB)
    ample = started(3, memory_of={wanted[0].key.digest: 600 * MIB}, left=lambda: 9000 * MIB)
    for executor, together in ((scarce, 1), (ample, 3)):
        for task in wanted[:3]:
            executor.submit(task)
        assert len(executor.at_work()) == together
        assert executor.room() == 0
        found: list[Done] = []
        while len(found) < 3:
            assert len(executor.at_work()) <= together
            found += executor.collect(0.05)
        assert {done.key for done in found} == {task.key for task in wanted[:3]}


@LINUX
def test_a_run_tells_how_much_memory_it_took(
    small: tp.Scenario, started: Callable[..., Local]
) -> None:
    (task,) = tasks(small, 1)
    executor = started(1)
    done = finish(executor, [task])[task.key]
    assert decode(done.data, task.key, ["flows"]) is not None
    assert 20 * MIB < done.about["memory"] < 1000 * MIB


GIB = 2**30
GROUPS = {
    "machine alone": ({"proc/meminfo": "MemTotal: 9 kB\nMemAvailable: 2097152 kB\n"}, 2 * GIB),
    "version 2": (
        {
            "proc/meminfo": "MemAvailable: 2097152 kB\n",
            "proc/self/cgroup": "0::/job/step\n",
            "sys/fs/cgroup/job/step/memory.max": "max\n",
            "sys/fs/cgroup/job/memory.max": f"{GIB}\n",
            "sys/fs/cgroup/job/memory.current": f"{GIB // 2}\n",
            "sys/fs/cgroup/job/memory.stat": f"anon 5\ninactive_file {GIB // 4}\n",
        },
        3 * GIB // 4,
    ),
    "version 1": (
        {
            "proc/meminfo": "MemAvailable: 2097152 kB\n",
            "proc/self/cgroup": "8:pids:/\n4:memory:/docker/0123\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{GIB}\n",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{GIB}\n",
            "sys/fs/cgroup/memory/memory.stat": "total_inactive_file 4096\n",
        },
        4096,
    ),
    "another system": ({}, None),
}


@pytest.mark.parametrize("name", GROUPS)
def test_the_memory_that_is_left_is_that_of_the_narrowest_group(tmp_path: Path, name: str) -> None:
    files, expected = GROUPS[name]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert memory.available(tmp_path) == expected


@LINUX
def test_this_machine_tells_its_memory() -> None:
    left = memory.available()
    assert left is not None
    assert 10 * MIB < left < 2**50
    assert memory.held(os.getpid()) > 10 * MIB
    assert memory.held(2**22 + 1) == 0

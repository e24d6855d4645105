"""A real Dask scheduler and workers on loopback: the same results, whoever comes, goes and dies."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tcphoton as tp
from tcphoton.analysis.statistics import Until
from tcphoton.errors import LostClusterError
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.sweep import Sweep
from tcphoton.sweep.workers import cluster
from waiting import PATIENCE, kept_in, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from command_here import Command
    from tcphoton.common.progress import Progress

LOSS = "topology.bottleneck.loss.p"
ROOT = Path(tp.__file__).parents[1]
# What Dask measures of its own processes takes more of a core than these runs do.
UNWATCHED = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
}
# The command, which tells of its progress sooner than after ten seconds.
COMMAND = """
from tcphoton.common import progress

progress.LINE_EVERY = 0.1
from tcphoton.__main__ import main

main()
"""
# What libraries below Dask warn of is theirs.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("distributed") is None, reason="needs Dask"),
    pytest.mark.filterwarnings("ignore:::(distributed|dask|tornado|asyncio)"),
    pytest.mark.timeout(4 * PATIENCE),
]


class Cluster:
    """A scheduler and its workers, processes of their own."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self.settings = settings
        self.file = folder / "scheduler.json"
        self.path: list[Path] = [ROOT]
        self.workers: list[subprocess.Popen[bytes]] = []
        words = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        self.scheduler = self._start(*words, "--scheduler-file", str(self.file))
        wait_until(self._begun, "there is a scheduler")

    @property
    def address(self) -> str:
        address = self._address()
        assert address is not None, self.file.read_text()
        return address

    def _address(self) -> str | None:
        for line in self.file.read_text().splitlines():
            if '"address": "tcp' in line:
                return line.split('"')[3]
        return None

    def _begun(self) -> bool:
        assert self.scheduler.poll() is None, (self.folder / "log").read_text("utf-8")
        # The file is there before all of it is written.
        return self.file.exists() and self._address() is not None

    def add(self) -> subprocess.Popen[bytes]:
        """Start a worker of one thread."""
        words = ["worker", self.address, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
        self.workers.append(self._start(*words, "--local-directory", str(self.folder)))
        return self.workers[-1]

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        path = {"PYTHONPATH": ":".join(map(str, self.path))}
        environment = {**os.environ, **UNWATCHED, **self.settings, **path}
        log = (self.folder / "log").open("ab")
        with log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *words],
                env=environment, cwd=self.folder, stdout=log, stderr=log,
            )  # fmt: skip

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def running(folder: Path, workers: int, **settings: str) -> Iterator[Cluster]:
    made = Cluster(folder, settings)
    try:
        for _ in range(workers):
            made.add()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of two workers that no test harms."""
    with running(tmp_path_factory.mktemp("cluster"), 2) as made:
        yield made


@pytest.fixture
def distributed() -> Any:
    """Import Dask in a test: most processes that collect this module run none of its tests."""
    return importlib.import_module("distributed")


@pytest.fixture
def sweep(small: tp.Scenario) -> Sweep:
    return Sweep(small, {LOSS: [0.01, 0.05]}, seeds=4, keep=["flows"])


@pytest.mark.usefixtures("processes")
def test_a_cluster_gives_the_same_bytes_as_this_machine(
    sweep: Sweep, two: Cluster, tmp_path: Path
) -> None:
    seen: list[Progress] = []
    sweep.run(tmp_path / "here", workers=2)
    sweep.run(tmp_path / "there", cluster=two.address, progress=seen.append)
    here, there = (
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.[cp][sa]*")}
        for name in ("here", "there")
    )
    assert here.keys() == there.keys()
    differing = {name for name in here if here[name] != there[name]}
    assert differing == {"timings.csv"}
    assert seen[-1].done == seen[-1].total == 8
    workers = sweep_folder.read(tmp_path / "there", timings=True).table["worker"]
    assert set(workers) <= {1, 2}


def test_a_client_of_the_callers_stays_open(sweep: Sweep, two: Cluster, distributed: Any) -> None:
    whole = sweep.run()
    with distributed.Client(two.address, set_as_default=False) as client:
        for _ in range(2):
            assert sweep.run(cluster=client).equals(whole)
        assert client.status == "running"
        assert sum(client.nthreads().values()) == 2


def test_a_rule_ends_at_the_same_seed_on_a_cluster(small: tp.Scenario, two: Cluster) -> None:
    rule = Until("goodput", relative_half_width=0.1, at_least=3, at_most=12)
    sweep = Sweep(small, {LOSS: [0.005, 0.05]}, seeds=2, until=rule)
    assert sweep.run(cluster=two.address).equals(sweep.run(workers=1))


def test_the_command_runs_on_a_cluster(
    small_file: Path, two: Cluster, tcphoton: Command, tmp_path: Path
) -> None:
    file = small_file.with_name("losses.toml")
    file.write_text(f'scenario = "small.toml"\nseeds = 2\nover."{LOSS}" = [0.01, 0.05]\n', "utf-8")
    done = tcphoton("sweep", file, "--out", tmp_path / "out", "--cluster", two.address)
    assert (done.returncode, done.stderr) == (0, "")
    assert tcphoton("sweep", file, "--out", tmp_path / "here").returncode == 0
    found = [(tmp_path / name / "results.csv").read_bytes() for name in ("out", "here")]
    assert found[0] == found[1]


HALTING = """
import time
import tcphoton.sweep.workers.work as work

perform = work.perform


def halting(task, tick=None):
    return perform(task, tick if task.key.seed == 1 else lambda share: time.sleep(1000))


work.perform = halting
"""


def test_workers_come_go_and_die_and_no_run_is_lost(
    small: tp.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first worker halts in the middle of a run, and is killed there."""
    monkeypatch.setattr(cluster, "LOOK_EVERY", 0.1)
    sweep = Sweep(small.with_({"run.duration": "300 s"}), {LOSS: [0.01, 0.05]}, seeds=3)
    (tmp_path / "sitecustomize.py").write_text(HALTING, "utf-8")
    with running(tmp_path, 0) as made:
        made.path.insert(0, tmp_path)
        made.add()
        made.path.remove(tmp_path)
        killed: list[int] = []

        def progress(now: Progress) -> None:
            if now.done >= 1 and now.running and not killed:
                killed.append(made.workers[0].pid)
                made.workers[0].kill()
                made.add()
                made.add()

        table = sweep.run(tmp_path / "out", cluster=made.address, progress=progress)
    assert killed
    assert "error" not in table.columns
    assert table.equals(sweep.run())
    workers = sweep_folder.read(tmp_path / "out", timings=True).table["worker"]
    assert len(set(workers)) >= 2


DEADLY = """
import os, signal
import tcphoton.sweep.workers.work as work

perform = work.perform


def deadly(task, tick=None):
    if task.key.seed == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return perform(task, tick)


work.perform = deadly
"""


def test_a_run_that_kills_its_workers_is_a_row_with_an_error(
    small: tp.Scenario, tmp_path: Path
) -> None:
    whole = Sweep(small, {}, seeds=3).run()
    (tmp_path / "sitecustomize.py").write_text(DEADLY, "utf-8")
    with running(tmp_path, 0) as made:
        made.path.insert(0, tmp_path)
        for _ in range(3):
            made.add()

        def progress(_: Progress) -> None:
            # A batch system starts what has died anew.
            for worker in [each for each in made.workers if each.poll() is not None]:
                made.workers.remove(worker)
                made.add()

        table = Sweep(small, {}, seeds=3).run(cluster=made.address, progress=progress)
    assert table["error"][1].startswith("its worker died, several times: ")
    assert table["error"].is_null().to_list() == [True, False, True]
    assert table.select(whole.columns).filter(stop="end").equals(whole.remove(seed=2))


def test_a_run_that_waited_behind_one_that_kills_workers_is_done(
    small: tp.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker at a time: the run with seed 3 waits at each that the one with seed 2 kills.

    Dask and we give a run up after two workers and not after more: each takes seconds to start.
    """
    monkeypatch.setattr(cluster, "TRIES", 2)
    twice = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    whole = Sweep(small, {}, seeds=3).run()
    (tmp_path / "sitecustomize.py").write_text(DEADLY, "utf-8")
    with running(tmp_path, 0, **twice) as made:
        made.path.insert(0, tmp_path)

        def progress(_: Progress) -> None:
            if all(worker.poll() is not None for worker in made.workers):
                made.add()

        table = Sweep(small, {}, seeds=3).run(cluster=made.address, progress=progress)
    assert table["error"].is_null().to_list() == [True, False, True]
    assert table.select(whole.columns).filter(stop="end").equals(whole.remove(seed=2))


def test_a_second_ctrl_c_frees_the_workers(
    small_file: Path, two: Cluster, tmp_path: Path, distributed: Any
) -> None:
    """Two short runs end; of three that would last minutes, two are at work and one waits."""
    file, out = small_file.with_name("sweep.toml"), tmp_path / "out"
    lengths = ["1 s", "2 s", "200000 s", "200001 s", "200002 s"]
    file.write_text(
        f'scenario = "small.toml"\nseeds = 1\nover."run.duration" = {lengths}\n', "utf-8"
    )
    words = ["sweep", str(file), "--out", str(out), "--cluster", two.address]
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stderr is not None
            while not process.stderr.readline().startswith("2 of 5 runs, 2 running"):
                assert process.poll() is None
            process.send_signal(signal.SIGINT)
            # Another line of progress may have come in between.
            while (line := process.stderr.readline()).startswith("2 of 5 runs, 2 running"):
                pass
            assert line.startswith("finishing 2 runs")
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=PATIENCE) == 130
        finally:
            process.kill()
    # The workers are free again: they do other things.
    with distributed.Client(two.address, set_as_default=False) as client:
        assert client.submit(sum, [1, 2]).result(timeout=PATIENCE) == 3
    assert sweep_folder.read(out).table.height == 2


def test_no_cluster_is_one_message(
    small_file: Path, tcphoton: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "WAIT", 1)
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        with pytest.raises(tp.WorkerError, match=f"no cluster at {address}"):
            Sweep(tp.Scenario.load(small_file), {}, seeds=1).run(cluster=address)
    file = small_file.with_name("one.toml")
    file.write_text('scenario = "small.toml"\nseeds = 1\n', "utf-8")
    out = small_file.with_name("out")
    done = tcphoton("sweep", file, "--out", out, "--cluster", "tcp://127.0.0.1:1", code=2)
    assert done.stderr.splitlines()[-1].startswith("error: no cluster at tcp://127.0.0.1:1: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "address", ["nowhere", "127.0.0.1", "http://127.0.0.1:8786", "tcp://127.0.0.1", "tcp://h:x"]
)
def test_what_is_no_address_is_one_line(
    small_file: Path, tcphoton: Command, tmp_path: Path, address: str
) -> None:
    file = small_file.with_name("one.toml")
    file.write_text('scenario = "small.toml"\nseeds = 1\n', "utf-8")
    done = tcphoton("sweep", file, "--out", tmp_path / "out", "--cluster", address)
    said = f"error: no cluster at {address}: not an address; accepted tcp://HOST:PORT\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_what_listens_and_never_answers_is_no_cluster(
    small: tp.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "WAIT", 0.5)
    monkeypatch.setattr(cluster, "CLOSE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(tp.WorkerError, match=f"no cluster at {address}: "):
            Sweep(small, {}, seeds=1).run(cluster=address)


def test_a_client_that_finds_no_scheduler_leaves_nothing_behind(
    small: tp.Scenario, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "WAIT", 1)
    with pytest.raises(tp.WorkerError, match="no cluster at tcp:"):
        Sweep(small, {}, seeds=1).run(cluster="tcp://127.0.0.1:1")
    gc.collect()
    assert capfd.readouterr().err == ""


def test_a_cluster_without_workers_is_said_once(
    small: tp.Scenario,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cluster, "IDLE", 0.0)
    monkeypatch.setattr(cluster, "LOOK_EVERY", 0.0)
    calls = 0
    with running(tmp_path, 0) as made:

        def progress(_: Progress) -> None:
            nonlocal calls
            calls += 1
            if calls == 3:
                made.add()

        Sweep(small, {}, seeds=1).run(cluster=made.address, progress=progress)
        assert capfd.readouterr().err == f"waiting for workers at {made.address}\n"


def test_each_wait_for_workers_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "IDLE", 0.0)
    dask = cluster.Dask.__new__(cluster.Dask)
    dask._address, dask._idle_since, dask._said = "tcp://here:1", None, False
    for dask.workers in (0, 0, 2, 1, 0, 0):
        dask._tell_of_workers()
    assert capsys.readouterr().err == 2 * "waiting for workers at tcp://here:1\n"


def test_a_command_whose_scheduler_dies_says_one_line(small_file: Path, tmp_path: Path) -> None:
    file, out = small_file.with_name("sweep.toml"), tmp_path / "out"
    file.write_text(
        'scenario = "small.toml"\nseeds = 1\nover."run.duration" = ["1 s", "2 s", "200000 s"]\n',
        "utf-8",
    )
    with running(tmp_path, 1) as made:
        address = made.address
        words = ["sweep", str(file), "--out", str(out), "--cluster", address]
        with subprocess.Popen(
            [sys.executable, "-m", "tcphoton", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            wait_until(lambda: len(kept_in(out)) == 2, "the short runs are kept", process)
            made.scheduler.kill()
            stdout, stderr = process.communicate(timeout=PATIENCE)
    assert (process.returncode, stdout) == (1, "")
    # What was said of progress before depends on the machine's speed.
    lines = [line for line in stderr.splitlines() if " runs, " not in line]
    assert len(lines) == 1
    assert lines[0].startswith(f"error: the scheduler at {address} is gone")


def test_a_cluster_needs_dask(small: tp.Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(tp.WorkerError, match=r"pip install 'tcphoton\[cluster\]'"):
        Sweep(small, {}, seeds=1).run(cluster="tcp://127.0.0.1:1")


def test_a_scheduler_that_dies_is_one_message_and_nothing_is_lost(
    small: tp.Scenario, tmp_path: Path
) -> None:
    sweep = Sweep(small.with_({"run.duration": "100 s"}), {LOSS: [0.01, 0.05]}, seeds=6)
    out = tmp_path / "out"
    with running(tmp_path, 1) as made:

        def progress(now: Progress) -> None:
            if now.done >= 2:
                made.scheduler.kill()

        with pytest.raises(LostClusterError, match=f"the scheduler at {made.address} is gone"):
            sweep.run(out, cluster=made.address, progress=progress)
    before = sweep_folder.read(out).table.height
    assert 2 <= before < 12
    assert sweep.run(out).equals(sweep.run())


def test_a_connection_that_breaks_before_the_client_knows_why_is_a_lost_cluster(
    distributed: Any,
) -> None:
    class Client:
        """One that finds out while it is asked."""

        asked = 0

        @property
        def status(self) -> str:
            self.asked += 1
            return "running" if self.asked < 4 else "connecting"

    class Future:
        def result(self, timeout: float) -> None:
            raise distributed.comm.CommClosedError("reset by peer")

    key: Any = ("digest", 1)
    made: Any = cluster.Dask.__new__(cluster.Dask)
    made._dask, made._client, made._address = distributed, Client(), "tcp://gone"
    made._futures = {key: Future()}
    with pytest.raises(LostClusterError, match="tcp://gone is gone"):
        made._result(key)

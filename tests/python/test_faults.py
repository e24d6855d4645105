"""Faults at the one function that writes: places stay whole, and a second call goes on."""

from __future__ import annotations

import errno
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

import tcphoton as tp
from inline_workers import PROCESSES, work_here
from tcphoton.common import open_folder as folders
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.runs import How
from tcphoton.sweep.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import polars as pl

    from tcphoton.common.open_folder import OpenFolder
    from tcphoton.sweep.workers.work import Task

pytestmark = pytest.mark.slow

LOSS = "topology.bottleneck.loss.p"


@pytest.fixture
def sweep(small: tp.Scenario) -> Sweep:
    return Sweep(small, {LOSS: [0.01, 0.05]}, seeds=2, keep=["flows"])


@pytest.fixture
def whole(sweep: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Return the files of an undisturbed sweep."""
    work_here(monkeypatch, lambda _: "")
    sweep.run(tmp_path / "undisturbed")
    return contents(tmp_path / "undisturbed")


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files but the one on how long runs took."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if path.name != "timings.csv"
    }


def failing(at: int, number: int, part: int) -> Callable[[OpenFolder, str, bytes], None]:
    """Return a writer that fails at its nth call, with some bytes of the file written."""
    write, calls = folders._write, 0

    def faulty(place: OpenFolder, name: str, data: bytes) -> None:
        nonlocal calls
        calls += 1
        if calls == at:
            (place.path / name).write_bytes(data[: len(data) * part // 2])
            raise OSError(number, os.strerror(number))
        write(place, name, data)

    return faulty


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("at", range(1, 8))
def test_a_full_disk_at_any_write_leaves_a_whole_folder(
    sweep: Sweep,
    whole: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    at: int,
    number: int,
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(folders, "_write", failing(at, number, at % 3))
        with pytest.raises(tp.OutputError, match=os.strerror(number)):
            sweep.run(out)
    left = contents(out)
    assert not [name for name in left if folders.SCRATCH in name]
    assert {name: whole[name] for name in left} == left
    if at > 1:
        assert sweep_folder.read(out).table.height == min(at - 2, 4)
    here = work_here(monkeypatch, lambda _: "")
    sweep.run(out)
    assert sum(here.begun.values()) == 4 - max(0, min(at - 2, 4))
    assert contents(out) == whole


def test_every_write_was_tried(sweep: Sweep, tmp_path: Path, whole: dict[str, bytes]) -> None:
    # One for what is asked, one a run, two for the results.
    assert len(whole) == 1 + 4 + 2
    sweep.run(tmp_path / "out")


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_a_folder_that_is_read_only_is_told_before_any_run(
    sweep: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def read_only(place: OpenFolder, name: str, data: bytes) -> None:
        del place, name, data
        raise OSError(number, os.strerror(number))

    here = work_here(monkeypatch, lambda _: "")
    monkeypatch.setattr(folders, "_write", read_only)
    with pytest.raises(tp.OutputError, match="cannot be written"):
        sweep.run(tmp_path / "out")
    assert not here.begun
    assert contents(tmp_path) == {}


def test_a_failed_run_that_cannot_be_noted_ends_the_sweep(
    sweep: Sweep, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_here(monkeypatch, lambda task: "made up" if task.key.seed == 2 else "")
    with monkeypatch.context() as patch:
        patch.setattr(folders, "_write", failing(4, errno.ENOSPC, 1))
        with pytest.raises(tp.OutputError):
            sweep.run(tmp_path / "out")
    assert contents(tmp_path / "out").keys() <= whole.keys()


def test_two_sweeps_at_once_on_one_folder_write_the_same(
    sweep: Sweep, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(How, "executor", PROCESSES)  # workers of their own
    out = tmp_path / "out"
    tables: list[pl.DataFrame] = []
    threads = [threading.Thread(target=lambda: tables.append(sweep.run(out))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tables) == 3
    assert all(table.equals(tables[0]) for table in tables)
    assert contents(out) == whole


def test_what_another_call_has_done_meanwhile_is_not_done_again(
    sweep: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"

    def another(task: Task) -> str:
        del task
        if sum(here.begun.values()) == 1:
            inner = work_here(monkeypatch, lambda _: "")
            sweep.run(out)
            assert sum(inner.begun.values()) == 4
        return ""

    here = work_here(monkeypatch, another)
    sweep.run(out)
    assert sum(here.begun.values()) == 1


@pytest.mark.parametrize("hours", [-30, 30])
def test_a_clock_that_is_set_changes_nothing(
    sweep: Sweep,
    whole: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hours: int,
) -> None:
    out, clock = tmp_path / "out", time.time
    work_here(monkeypatch, lambda task: "later" if task.key.seed == 2 else "")
    sweep.run(out)
    monkeypatch.setattr(time, "time", lambda: clock() + 3600 * hours)
    here = work_here(monkeypatch, lambda _: "")
    sweep.run(out)
    assert sum(here.begun.values()) == 2
    assert contents(out) == whole


def test_a_scratch_file_that_another_machine_takes_for_a_relic_is_written_again(
    sweep: Sweep, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, seen = folders._write, set[str]()

    def cleared(place: OpenFolder, name: str, data: bytes) -> None:
        write(place, name, data)
        if place.path.name == "points" and name.partition("-")[2][17:] not in seen:
            seen.add(name.partition("-")[2][17:])
            (place.path / name).unlink()

    monkeypatch.setattr(folders, "_write", cleared)
    sweep.run(tmp_path / "out")
    assert len(seen) == 4
    assert contents(tmp_path / "out") == whole


def test_what_a_killed_call_left_is_cleared_away_once_it_is_old(
    sweep: Sweep, whole: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    sweep.run(out)
    old, new = (out / "points" / f"{folders.SCRATCH}{name}" for name in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    sweep.run(out)
    assert (old.exists(), new.exists()) == (False, True)
    new.unlink()
    assert contents(out) == whole


def test_a_scenario_that_has_changed_since_takes_none_of_the_old_runs(
    small: tp.Scenario, sweep: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    work_here(monkeypatch, lambda task: "made up" if task.key.seed == 2 else "")
    sweep.run(out)
    # A change of the engine's meaning by one microsecond, and one of words alone.
    changed = small.with_({"topology.bottleneck.delay": "5001 us"})
    words = tp.Scenario.from_text(small.to_toml().replace("[run]", "# same\n[run]\n"))
    here = work_here(monkeypatch, lambda _: "")
    table = Sweep(changed, sweep.over, seeds=2, keep=["flows"]).run(out)
    assert sum(here.begun.values()) == 4
    assert table.equals(Sweep(changed, sweep.over, seeds=2, keep=["flows"]).run())
    here = work_here(monkeypatch, lambda _: "")
    Sweep(words, sweep.over, seeds=2, keep=["flows"]).run(out, retry=False)
    assert not here.begun

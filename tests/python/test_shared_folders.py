"""Folders that several calls write to, or that go away: results belong to what was asked."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from inline_workers import work_here
from tcphoton.common import open_folder
from tcphoton.common.open_folder import OpenFolder
from tcphoton.errors import OutputError
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.sweep import Sweep, run_all
from waiting import PATIENCE, kept_in, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tcphoton.common.progress import Progress
    from tcphoton.sweep.workers.work import Task

pytestmark = pytest.mark.slow

LOSS = "topology.bottleneck.loss.p"


@pytest.fixture
def one(small: tp.Scenario) -> Sweep:
    return Sweep(small, {LOSS: [0.01, 0.05]}, seeds=2, title="one")


@pytest.fixture
def other(small: tp.Scenario) -> Sweep:
    return Sweep(small, {LOSS: [0.05, 0.2]}, seeds=1, title="other")


def during(monkeypatch: pytest.MonkeyPatch, at: int, act: Callable[[], object]) -> None:
    """Let something happen while the nth run of a sweep is at work."""
    done = 0

    def fault(_: Task) -> str:
        nonlocal done
        done += 1
        if done == at:
            act()
            work_here(monkeypatch, lambda _: "")
        return ""

    work_here(monkeypatch, fault)


def losses(folder: Path) -> set[float]:
    """Return the losses of the rows of results, which both files have."""
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        found = {float(row[LOSS]) for row in csv.DictReader(file)}
    assert found == set(pl.read_parquet(folder / "results.parquet")[LOSS])
    return found


def asked(folder: Path) -> set[float]:
    (values,) = sweep_folder.asked_of(folder).axes[0].values()
    return set(values)


# Two sweeps.


def test_a_sweep_writes_no_results_beside_what_another_one_has_asked(
    one: Sweep, other: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    during(monkeypatch, 2, lambda: (work_here(monkeypatch, lambda _: ""), other.run(out)))
    with pytest.raises(OutputError, match="another sweep was started in it meanwhile; runs are"):
        one.run(out)
    assert losses(out) == asked(out) == {0.05, 0.2}
    here = work_here(monkeypatch, lambda _: "")
    table = one.run(out)
    assert not here.begun  # all were kept
    assert losses(out) == asked(out) == {0.01, 0.05}
    assert table.equals(one.run())


def test_a_sweep_that_is_stopped_leaves_no_results_of_the_one_beside_it(
    one: Sweep, other: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"

    def stopped(_: Progress) -> None:
        raise KeyboardInterrupt

    def begun() -> None:
        with pytest.raises(KeyboardInterrupt):
            other.run(out, progress=stopped)

    during(monkeypatch, 2, begun)
    with pytest.raises(OutputError, match="another sweep was started"):
        one.run(out)
    assert asked(out) == {0.05, 0.2}
    assert not (out / "results.csv").exists()
    assert not (out / "results.parquet").exists()
    assert sweep_folder.read(out).missing == 1  # they share a point


def test_one_sweep_after_another_shares_runs_and_no_results(
    one: Sweep, other: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one.run(tmp_path)
    identity = pl.read_parquet_metadata(tmp_path / "results.parquet")[sweep_folder.IDENTITY]

    def stopped(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        other.run(tmp_path, progress=stopped)
    assert asked(tmp_path) == {0.05, 0.2}
    assert not (tmp_path / "results.csv").exists()
    here = work_here(monkeypatch, lambda _: "")
    other.run(tmp_path)
    assert sum(here.begun.values()) == 1
    assert losses(tmp_path) == {0.05, 0.2}
    metadata = pl.read_parquet_metadata(tmp_path / "results.parquet")
    assert metadata[sweep_folder.IDENTITY] != identity
    one.run(tmp_path)
    metadata = pl.read_parquet_metadata(tmp_path / "results.parquet")
    assert metadata[sweep_folder.IDENTITY] == identity


def test_what_comes_together_waits_for_who_writes(
    one: Sweep, other: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one.run(tmp_path)
    begun, waits = (
        threading.Thread(target=other.run, args=(tmp_path,), daemon=True),
        threading.Event(),
    )
    locked = open_folder._locked

    def tried(file: int) -> bool:
        got = locked(file)
        if not got:
            waits.set()
        return got

    monkeypatch.setattr(open_folder, "_locked", tried)
    with OpenFolder.at(tmp_path).lock():
        begun.start()
        assert waits.wait(PATIENCE)
        assert losses(tmp_path) == asked(tmp_path) == {0.01, 0.05}
    begun.join(PATIENCE)
    assert not begun.is_alive()
    assert losses(tmp_path) == asked(tmp_path) == {0.05, 0.2}
    monkeypatch.setattr(open_folder, "PATIENCE", 0.1)
    with (
        OpenFolder.at(tmp_path).lock(),
        pytest.raises(OutputError, match="another call is writing to it"),
    ):
        one.run(tmp_path)


@pytest.mark.usefixtures("processes")
def test_two_different_sweeps_at_once_leave_the_results_of_what_was_asked_last(
    small_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    files = {}
    for name, values in (("one", [0.01, 0.05]), ("other", [0.05, 0.2])):
        files[name] = small_file.with_name(f"{name}.toml")
        files[name].write_text(
            f'title = "{name}"\nscenario = "small.toml"\nseeds = 3\nover."{LOSS}" = {values}\n'
        )
    commands = {
        name: subprocess.Popen(
            [sys.executable, "-m", "tcphoton", "sweep", file, "--out", out, "--workers", "1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        for name, file in files.items()
    }
    said = {name: process.communicate(timeout=PATIENCE) for name, process in commands.items()}
    last = json.loads((out / "sweep.json").read_text("utf-8"))["title"]
    (first,) = set(commands) - {last}
    assert commands[last].returncode == 0, said
    assert losses(out) == asked(out)
    # The first one either was through before the last one began, or says that it was not.
    assert commands[first].returncode in {0, 2}, said
    if commands[first].returncode:
        assert said[first][1].count("another sweep was started in it meanwhile") == 1
    assert len(list((out / "points").glob("[!.]*"))) == 9


# A folder that goes away.


def test_a_folder_that_is_moved_is_told_with_where_its_runs_are(
    one: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, moved = tmp_path / "out", tmp_path / "moved"
    during(monkeypatch, 2, lambda: out.rename(moved))
    with pytest.raises(OutputError) as told:
        one.run(out)
    assert str(told.value) == (
        f"{out}: was moved while it was written to; all that it held is kept in {moved}"
    )
    assert not out.exists()
    assert sweep_folder.read(moved).table.height == 2
    here = work_here(monkeypatch, lambda _: "")
    assert one.run(moved).equals(one.run())
    assert sum(here.begun.values()) == 2 + 4


def test_a_folder_that_is_moved_and_made_anew_is_not_taken_for_it(
    one: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, moved = tmp_path / "out", tmp_path / "moved"

    def moved_and_made() -> None:
        out.rename(moved)
        out.mkdir()

    during(monkeypatch, 1, moved_and_made)
    with pytest.raises(OutputError, match=f"all that it held is kept in {moved}"):
        run_all({"": one}, out)
    assert list(out.iterdir()) == []
    assert len(list((moved / "points").iterdir())) == 1


@pytest.mark.parametrize("what", ["", "points"])
def test_a_folder_that_is_deleted_is_told(
    one: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    out = tmp_path / "out"
    during(monkeypatch, 3, lambda: shutil.rmtree(out / what))
    with pytest.raises(OutputError, match="was deleted while it was written to, with all that it"):
        one.run(out)
    assert out.exists() == bool(what)
    assert not (out / "points").exists()


def test_a_folder_that_goes_after_the_last_run_is_told(one: Sweep, tmp_path: Path) -> None:
    out, moved = tmp_path / "out", tmp_path / "moved"

    def progress(now: Progress) -> None:
        if now.done == now.total and out.exists():
            out.rename(moved)

    with pytest.raises(OutputError, match="was moved"):
        one.run(out, progress=progress)
    assert not out.exists()
    assert sweep_folder.read(moved).missing == 0


def test_the_command_of_a_folder_that_goes_fails_with_one_line(
    small_file: Path, tmp_path: Path
) -> None:
    file, out, moved = small_file.with_name("s.toml"), tmp_path / "out", tmp_path / "moved"
    file.write_text('scenario = "small.toml"\nseeds = 400\n', "utf-8")
    words = ["sweep", str(file), "--out", str(out), "--workers", "1"]
    words = [sys.executable, "-m", "tcphoton", *words]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(kept_in(out)) >= 3, "some runs are kept", process)
    out.rename(moved)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert (process.returncode, stdout) == (2, "")
    assert stderr.splitlines()[-1].startswith(f"error: {out}: was moved while it was written to; ")
    assert str(moved) in stderr
    assert sweep_folder.read(moved).table.height >= 3
    assert not out.exists()


def test_rows_of_flows_are_not_parted_from_their_report(small: tp.Scenario, tmp_path: Path) -> None:
    out, moved = tmp_path / "out", tmp_path / "moved"

    def progress(*_: Any) -> None:
        if out.exists():
            out.rename(moved)

    with pytest.raises(OutputError, match="was moved"):
        tp.run(small.with_({"run.duration": "500 s"}), progress=progress, flows_to=out)


def test_a_program_may_change_its_folder_during_a_sweep(
    one: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    during(monkeypatch, 2, lambda: monkeypatch.chdir(tmp_path / "elsewhere"))
    table = one.run("out")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert sweep_folder.read(tmp_path / "out").table.height == table.height
    assert (tmp_path / "out" / "results.csv").exists()

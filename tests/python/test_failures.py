"""Runs that fail: rows with their error and the command that does them alone, and never the end."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from conftest import count_runs
from inline_workers import work_here
from tcphoton import _core
from tcphoton.analysis.statistics import Until
from tcphoton.runs import measures
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.store.cache import Cache
from tcphoton.sweep.sweep import Sweep, run_all

if TYPE_CHECKING:
    from command_here import Command
    from tcphoton.sweep.workers import work

pytestmark = pytest.mark.slow

LOSS = "topology.bottleneck.loss.p"
SEEDS = [1, 2, 3]
ROOT = Path(tp.__file__).parents[1]


@pytest.fixture
def sweep(small: tp.Scenario) -> Sweep:
    return Sweep(small, {LOSS: [0.01, 0.05]}, seeds=SEEDS)


def second(task: work.Task) -> str:
    return "a made-up error" if task.key.seed == 2 else ""


def never(_: work.Task) -> str:
    return ""


def test_a_run_that_fails_is_a_row_and_the_others_are_as_ever(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = sweep.run()
    work_here(monkeypatch, second)
    table = sweep.run(tmp_path)
    assert table.select(LOSS, "seed").equals(whole.select(LOSS, "seed"))
    assert table.columns == [*whole.columns, "error", "replay"]
    bad = table.filter(seed=2)
    assert bad["error"].to_list() == ["a made-up error"] * 2
    assert bad["stop"].to_list() == ["failed"] * 2
    assert bad["goodput"].null_count() == 2
    good = table.filter(pl.col("seed") != 2).drop("error", "replay")
    assert good.equals(whole.filter(pl.col("seed") != 2))
    kept = sweep_folder.read(tmp_path)
    assert (kept.failed, kept.missing) == (2, 0)
    assert kept.table.equals(table)
    assert measures.csv_text(kept.table) == (tmp_path / "results.csv").read_text("utf-8")


def test_the_command_of_a_failed_run_does_that_run(
    small_file: Path, tcphoton: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scenario = tp.Scenario.load(small_file).with_({"run.warmup": "100 ms"})
    loss = [{"kind": "bernoulli", "p": 0.2}]
    over: dict[str, list[Any]] = {LOSS: [0.01, 0.05], "topology.bottleneck.loss": loss}
    sweep = Sweep(scenario, over, seeds=[2], set_={"run.duration": "1 s"})
    whole = sweep.run()
    work_here(monkeypatch, second)
    replays = sweep.run(tmp_path / "out")["replay"].to_list()
    for replay, row in zip(replays, whole.rows(named=True), strict=True):
        program, *words = shlex.split(replay)
        assert program == "tcphoton"
        done = tcphoton(*words, "--json", code=0)
        found = measures.row(json.loads(done.stdout))
        assert (found["goodput"], found["events"]) == (row["goodput"], row["events"])


def test_a_second_call_tries_failed_runs_again_unless_it_is_told_not_to(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = sweep.run()
    work_here(monkeypatch, second)
    first = sweep.run(tmp_path)
    assert len(Cache(tmp_path).failures()) == 2
    here = work_here(monkeypatch, never)
    assert sweep.run(tmp_path, retry=False).equals(first)
    assert not here.begun
    assert sweep.run(tmp_path).equals(whole)
    assert sum(here.begun.values()) == 2
    assert Cache(tmp_path).failures() == {}
    assert (tmp_path / "results.csv").read_text("utf-8") == measures.csv_text(whole)


def test_a_shared_run_that_fails_is_tried_once_a_call(
    small: tp.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = work_here(monkeypatch, second)
    sweeps = {name: Sweep(small, {LOSS: [0.01]}, seeds=2, title=name) for name in "ab"}
    for table in run_all(sweeps, None).values():
        assert table["error"].to_list() == [None, "a made-up error"]
    assert set(here.begun.values()) == {1}


def panic() -> BaseException:
    made: BaseException = pl.exceptions.PanicException("a panic of a library")
    return made


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (tp.EngineError("the arena leaks"), "the arena leaks"),
        (MemoryError(), "out of memory"),
        (panic(), "PanicException: a panic of a library"),
        (ValueError("of two\nlines"), "ValueError: of two lines"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_a_run_raises_is_its_error(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch, error: BaseException, words: str
) -> None:
    class Broken:
        digest = sweep.checked().digests()[0]

        def run(self, *_: object) -> None:
            raise error

    work_here(monkeypatch, never)
    monkeypatch.setattr(_core, "load", lambda *_: Broken())
    table = sweep.run()
    assert table["error"].to_list()[:3] == [words] * 3
    # The others are found to be other scenarios than what was asked for.
    assert "reads a different scenario" in table["error"][3]


def test_what_derive_raises_is_the_error_of_a_row_that_has_its_measures(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = sweep.run()

    def derive(record: Any, _: Any) -> dict[str, float]:
        return {"share": 1 / (record["seed"] - 2)}

    deriving = Sweep(sweep.scenario, sweep.over, seeds=SEEDS, derive=derive)
    table = deriving.run(tmp_path)
    assert table.select(whole.columns).equals(whole)
    assert table["share"].to_list() == [-1.0, None, 1.0] * 2
    error = "derive: ZeroDivisionError: division by zero"
    assert table["error"].to_list() == [None, error, None] * 2
    # The runs are whole: once derive is right, nothing is run again.
    deriving.derive = lambda *_: {"share": 1.0}
    counted = count_runs(monkeypatch)
    again = deriving.run(tmp_path)
    assert again["share"].to_list() == [1.0] * 6
    assert "error" not in again.columns
    assert not counted


@pytest.mark.parametrize("name", ["error", "replay"])
def test_no_measure_can_look_like_a_failure(sweep: Sweep, name: str) -> None:
    with pytest.raises(ValueError, match="is a column already"):
        Sweep(sweep.scenario, {}, seeds=1, derive=lambda *_: {name: 1.0}).run()


def test_a_rule_goes_by_the_seeds_that_have_a_result(
    small: tp.Scenario, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rule = Until("goodput", relative_half_width=0.1, at_least=3, at_most=12)
    sweep = Sweep(small, {LOSS: [0.05]}, seeds=2, until=rule)
    work_here(monkeypatch, second)
    table = sweep.run(tmp_path)
    values = table["goodput"].to_list()
    assert values[1] is None
    assert rule.is_enough(values)
    assert not any(rule.is_enough(values[:count]) for count in range(3, len(values)))
    assert sweep_folder.read(tmp_path).table.equals(table)


def test_a_rule_gives_up_where_as_many_seeds_failed_as_it_begins_with(
    small: tp.Scenario, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rule = Until("goodput", relative_half_width=0.1, at_least=3, at_most=50)
    sweep = Sweep(small, {LOSS: [0.05]}, seeds=2, until=rule)
    here = work_here(monkeypatch, lambda _: "always")
    assert sweep.run(tmp_path)["error"].to_list() == ["always"] * 3
    assert sum(here.begun.values()) == 3
    assert sweep_folder.read(tmp_path).missing == 0


# The command.

FAULT = """
import tcphoton.sweep.workers.work as work

perform = work.perform


def faulty(task, tick=None):
    if task.key.seed == 2:
        return work.Done(task.key, error="a made-up error")
    return perform(task, tick)


work.perform = faulty
"""


@pytest.mark.usefixtures("processes")
def test_a_sweep_with_failed_runs_ends_with_a_message_and_where_to_look(
    small_file: Path, tcphoton: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = small_file.with_name("losses.toml")
    file.write_text(f'scenario = "small.toml"\nseeds = 3\nover."{LOSS}" = [0.01, 0.05]\n', "utf-8")
    out = tmp_path / "out"
    (tmp_path / "sitecustomize.py").write_text(FAULT, "utf-8")
    with monkeypatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
        done = tcphoton("sweep", file, "--out", out)
    assert done.returncode == 1
    message = f"error: 2 of 6 runs failed: tcphoton results {out} --failed\n"
    assert done.stderr == message
    assert [line.split()[1] for line in done.stdout.splitlines()[2:4]] == ["2", "2"]
    shown = tcphoton("results", out, "--failed", code=0)
    lines = shown.stdout.splitlines()
    assert len(lines) == 4
    assert lines[0] == f"{LOSS} = 0.01, seed 2: a made-up error"
    assert lines[1].startswith(f"  tcphoton run {small_file} --seed 2 --set ")
    assert tcphoton("results", out, "--failed", "--where", "loss.p=0.05").stdout == "".join(
        f"{line}\n" for line in lines[2:]
    )
    assert "2 runs failed: --failed shows them" in tcphoton("results", out).stderr
    assert tcphoton("sweep", file, "--out", out, "--no-retry").stderr == message
    assert tcphoton("sweep", file, "--out", out).returncode == 0
    none = tcphoton("results", out, "--failed")
    assert (none.stdout, none.returncode) == ("", 0)
    assert tcphoton("results", tmp_path / "nowhere", "--failed").returncode == 2


def test_only_failures_of_what_was_asked_last_are_listed(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch, tcphoton: Command, tmp_path: Path
) -> None:
    work_here(monkeypatch, second)
    sweep.run(tmp_path)
    Sweep(sweep.scenario, {LOSS: [0.05, 0.2]}, seeds=2).run(tmp_path)
    assert len(Cache(tmp_path).failures()) == 3
    lines = tcphoton("results", tmp_path, "--failed").stdout.splitlines()
    assert lines[::2] == [f"{LOSS} = {loss}, seed 2: a made-up error" for loss in (0.05, 0.2)]


def test_failures_of_several_sweeps_are_listed_without_keys(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch, tcphoton: Command, tmp_path: Path
) -> None:
    work_here(monkeypatch, second)
    run_all({"a": sweep}, tmp_path)
    lines = tcphoton("results", tmp_path, "--failed").stdout.splitlines()
    assert len(lines) == 4
    assert lines[0].endswith(", seed 2: a made-up error")
    done = tcphoton("results", tmp_path, "--failed", "--where", "seed=2", code=2)
    assert "no keys for --where" in done.stderr

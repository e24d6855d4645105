"""The verbs of sweeps: files, exit codes, messages, Ctrl-C and worse."""

from __future__ import annotations

import csv
import os
import re
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

import shares
from command_here import assert_clean_failure
from tcphoton.scenario.examples import sweeps
from waiting import PATIENCE, kept_in, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from command_here import Command

SWEEP = """
title = "Two losses"
scenario = "small.toml"
seeds = 2

[over]
"topology.bottleneck.loss.p" = [0.01, 0.05]
"""
LONG = SWEEP.replace("seeds = 2", "seeds = 400").replace(
    "[over]", 'set.run.duration = "60 s"\n[over]'
)


@pytest.fixture
def sweep_file(small_file: Path) -> Path:
    path = small_file.with_name("losses.toml")
    path.write_text(SWEEP, "utf-8")
    return path


@pytest.fixture
def long_file(small_file: Path) -> Path:
    """A sweep of half a minute: it does not end before somebody hears that it has begun."""
    path = small_file.with_name("long.toml")
    path.write_text(LONG, "utf-8")
    return path


def begin(file: Path, out: Path) -> subprocess.Popen[str]:
    """Begin a sweep and wait until it has kept some runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tcphoton", "sweep", str(file), "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    wait_until(lambda: len(kept_in(out)) >= 3, "some runs are kept", process)
    return process


def test_sweep_prints_a_table_and_writes_a_folder(
    tcphoton: Command, sweep_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new folder" / "results"
    done = tcphoton("sweep", sweep_file, "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Two losses"
    assert lines[1].split()[:3] == ["loss.p", "seeds", "goodput"]
    assert len(lines) == 7
    assert lines[-3].startswith("[1] the measured time has")
    assert lines[-2].startswith("[2] intervals from 2 runs")
    assert lines[-1] == f"4 runs · {out}"
    assert "\x1b" not in done.stdout
    assert sorted(file.name for file in out.iterdir()) == [
        "points", "results.csv", "results.parquet", "sweep.json", "timings.csv",
    ]  # fmt: skip
    again = tcphoton("sweep", sweep_file, "--out", out)
    assert again.stdout.splitlines()[-1] == f"4 runs (4 of them already finished) · {out}"
    assert again.stdout.splitlines()[:-1] == lines[:-1]


def test_a_sweep_without_a_folder_gets_one_of_its_name(
    tcphoton: Command, sweep_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = tcphoton("sweep", sweep_file.name, "--seeds", 1, code=0)
    assert done.stdout.splitlines()[-1] == "2 runs · results/losses"
    assert pl.read_parquet(tmp_path / "results" / "losses" / "results.parquet").height == 2


def test_paths_may_have_spaces(tcphoton: Command, small_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a b" / "c d"
    folder.mkdir(parents=True)
    (tmp_path / "a b" / "e f.toml").write_bytes(small_file.read_bytes())
    file = folder / "g h.toml"
    file.write_text(SWEEP.replace("small.toml", "../e f.toml"), "utf-8")
    assert tcphoton("check", file).returncode == 0
    tcphoton("sweep", file, "--out", tmp_path / "i j", "--workers", 1, code=0)
    assert tcphoton("results", tmp_path / "i j", "--csv").returncode == 0


@pytest.mark.usefixtures("processes")
def test_results_are_the_same_bytes_from_two_folders(
    tcphoton: Command, sweep_file: Path, tmp_path: Path
) -> None:
    printed = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        tcphoton("sweep", sweep_file, "--out", out, "--workers", workers)
        printed.append(tcphoton("results", out, "--csv").stdout)
        assert printed[-1] == (out / "results.csv").read_text("utf-8")
    assert printed[0] == printed[1]
    lines = printed[0].splitlines()
    assert lines[0].startswith("topology.bottleneck.loss.p,seed,")
    assert [line.split(",")[:2] for line in lines[1:]] == [
        ["0.01", "1"], ["0.01", "2"], ["0.05", "1"], ["0.05", "2"],
    ]  # fmt: skip
    for word in (str(tmp_path), os.uname().nodename, "wall", "worker"):
        assert f",{word}" not in printed[0]


@pytest.mark.usefixtures("processes")
def test_timings_are_added_on_demand(tcphoton: Command, sweep_file: Path, tmp_path: Path) -> None:
    tcphoton("sweep", sweep_file, "--out", tmp_path / "out")
    plain = tcphoton("results", tmp_path / "out", "--csv").stdout.splitlines()
    timed = tcphoton("results", tmp_path / "out", "--csv", "--timings").stdout.splitlines()
    assert timed[0] == plain[0] + ",wall,cpu,worker,finished,host,memory"
    assert all(long.startswith(short) for long, short in zip(timed, plain, strict=True))
    assert "wall" in tcphoton("results", tmp_path / "out", "--timings").stdout
    some = ("results", tmp_path / "out", "--timings", "--measure", "goodput")
    head = "topology.bottleneck.loss.p,seed,goodput,wall,cpu,worker,finished,host,memory"
    assert tcphoton(*some, "--csv").stdout.splitlines()[0] == head
    assert tcphoton(*some).stdout.splitlines()[1].split() == [
        "loss.p", "seeds", "goodput", "wall", "cpu",
    ]  # fmt: skip


def test_results_of_one_run_are_one_row(
    tcphoton: Command, small_file: Path, tmp_path: Path
) -> None:
    tcphoton("run", small_file, "--seed", 3, "--out", tmp_path / "out")
    (row,) = csv.DictReader(tcphoton("results", tmp_path / "out", "--csv").stdout.splitlines())
    assert row["seed"] == "3"


@pytest.mark.parametrize("verb", ["sweep", "check"])
def test_all_mistakes_are_told_with_their_lines(
    tcphoton: Command, sweep_file: Path, verb: str
) -> None:
    sweep_file.write_text(SWEEP.replace("loss.p", "los.p") + '"run.warmup" = ["1 s", 2]\n', "utf-8")
    done = tcphoton(verb, sweep_file)
    assert_clean_failure(done, 2)
    first, second = done.stderr.splitlines()
    assert first.startswith(f"{sweep_file}:7: over.topology.bottleneck.los: unknown key")
    assert 'did you mean "loss"?' in first
    assert second.startswith(f"{sweep_file}:8: over.run.warmup: a number without a unit; found 2")


def test_a_scenario_that_is_missing_or_has_mistakes_is_told(
    tcphoton: Command, sweep_file: Path, small_file: Path
) -> None:
    small_file.write_text("[run]\nduration = 1\n" + small_file.read_text("utf-8").split("]", 2)[2])
    assert_clean_failure(tcphoton("sweep", sweep_file), 2)
    small_file.unlink()
    done = tcphoton("check", sweep_file)
    assert_clean_failure(done, 2)
    assert done.stderr == f'{sweep_file}:3: scenario: no such file; found "small.toml"\n'


def test_a_sweep_is_no_scenario_and_a_scenario_no_sweep(
    tcphoton: Command, sweep_file: Path, small_file: Path
) -> None:
    done = tcphoton("run", sweep_file)
    assert_clean_failure(done, 2)
    assert "a sweep, not a scenario" in done.stderr
    done = tcphoton("sweep", small_file)
    assert_clean_failure(done, 2)
    assert "a scenario, not a sweep" in done.stderr


def test_check_accepts_both_kinds(tcphoton: Command, sweep_file: Path, small_file: Path) -> None:
    done = tcphoton("check", small_file, sweep_file)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{small_file}: ok\n{sweep_file}: ok, 2 points\n"


@pytest.mark.sampled
def test_check_answers_for_a_grid_that_is_too_large_to_look_at(
    tcphoton: Command, sweep_file: Path
) -> None:
    counts = ", ".join(str(count) for count in range(1, 100_001))
    text = SWEEP.replace("[over]", f"[over]\ntraffic.0.count = [{counts}]")
    sweep_file.write_text(text, "utf-8")
    with shares.core_seconds_below(4):
        done = tcphoton("check", sweep_file)
    assert done.returncode == 0
    assert "ok, the first " in done.stdout
    assert_clean_failure(tcphoton("sweep", sweep_file, "--seeds", 9999), 2)


@pytest.mark.parametrize("option", [("--workers", "0"), ("--seeds", "0"), ("--seeds", "x")])
def test_a_wrong_option_is_one_message(
    tcphoton: Command, sweep_file: Path, option: tuple[str, str]
) -> None:
    assert_clean_failure(tcphoton("sweep", sweep_file, *option), 2)


def test_results_lists_the_folders_in_a_folder(
    tcphoton: Command, sweep_file: Path, small_file: Path, tmp_path: Path
) -> None:
    tcphoton("sweep", sweep_file, "--out", tmp_path / "of" / "sweep", "--seeds", 1)
    tcphoton("run", small_file, "--out", tmp_path / "of" / "run")
    done = tcphoton("results", tmp_path / "of")
    assert done.stdout == "run    Two hosts\nsweep  Two losses\n"
    several = f"error: {tmp_path / 'of'}: holds several results: run, sweep; give the folder of one"
    for option in (["--csv"], ["--where", "seed=1"], ["--timings"], ["--failed"]):
        done = tcphoton("results", tmp_path / "of", *option)
        assert_clean_failure(done, 2)
        assert done.stderr == f"{several}\n"


def test_a_folder_without_results_is_one_message(tcphoton: Command, tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("", "utf-8")
    for name, problem in (
        ("", "no results: no sweep.json, no report.json"),
        ("missing", "no such folder"),
        ("a file", "a file; give the folder of its results"),
    ):
        done = tcphoton("results", tmp_path / name)
        assert_clean_failure(done, 2)
        assert done.stderr == f"error: {tmp_path / name}: {problem}\n"


def test_a_file_in_the_way_is_one_message(
    tcphoton: Command, sweep_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    done = tcphoton("sweep", sweep_file, "--out", tmp_path / "file")
    assert_clean_failure(done, 2)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_one_message(
    tcphoton: Command, sweep_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    assert_clean_failure(tcphoton("sweep", sweep_file, "--out", tmp_path / "out"), 2)


def test_runs_that_stop_early_are_told(tcphoton: Command, sweep_file: Path, tmp_path: Path) -> None:
    text = SWEEP.replace("[over]", "[over]\nrun.max-events = [100, 1_000_000]")
    sweep_file.write_text(text, "utf-8")
    done = tcphoton("sweep", sweep_file, "--out", tmp_path / "out")
    assert_clean_failure(done, 1)
    out = tmp_path / "out"
    assert done.stderr == f"error: 4 of 8 runs stopped early: tcphoton results {out} --failed\n"
    assert pl.read_csv(out / "results.csv")["stop"].n_unique() == 2
    assert tcphoton("results", out).stderr == "4 runs stopped early: --failed shows them\n"
    shown = tcphoton("results", out, "--failed", "--where", "loss.p=0.05").stdout.splitlines()
    assert [line for line in shown if line.startswith("run.")] == [
        f"run.max-events = 100, topology.bottleneck.loss.p = 0.05, seed {seed}: event budget spent"
        for seed in (1, 2)
    ]
    program, *words = shlex.split(shown[1])
    assert program == "tcphoton"
    alone = tcphoton(*words, code=1)
    assert alone.stderr.startswith("error: event budget spent at ")


def test_points_that_a_rule_gave_up_are_told(
    tcphoton: Command, sweep_file: Path, tmp_path: Path
) -> None:
    rule = 'measure = "loss"\nrelative-half-width = 0.001\nat-most = 5'
    sweep_file.write_text(f"{SWEEP}\n[until]\n{rule}\n", "utf-8")
    told = "2 of 2 points reached at-most without a narrow interval\n"
    for words in (("sweep", sweep_file, "--out"), ("results",), ("results", "--csv")):
        assert tcphoton(*words, tmp_path / "out").stderr == told


@pytest.mark.timeout(4 * PATIENCE)
def test_ctrl_c_keeps_what_has_finished(tcphoton: Command, long_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = begin(long_file, out)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    kept = len(list((out / "points").iterdir()))
    assert 3 <= kept < 800
    assert stdout == ""
    # On a machine that is busy with other things there may be progress before, and more than once.
    told = [line for line in stderr.splitlines() if not re.match(r"\d+ of 800 runs, ", line)]
    assert len(told) >= 2
    assert all(line.startswith("finishing ") for line in told[:-1])
    assert told[-1].startswith(f"interrupted: {kept} runs are kept in {out}; ")
    partial = tcphoton("results", out, "--csv", code=0)
    assert len(partial.stdout.splitlines()) == 1 + kept
    assert partial.stderr.startswith(f"{800 - kept} runs are missing")


@pytest.mark.usefixtures("processes")
def test_a_killed_sweep_goes_on_where_it_was(
    tcphoton: Command, long_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    process = begin(long_file, out)
    process.kill()
    process.communicate(timeout=PATIENCE)
    kept = {file.name: file.stat().st_mtime_ns for file in kept_in(out)}
    assert 3 <= len(kept) < 800
    for name in kept:
        assert pl.read_parquet(out / "points" / name).height == 1
    tcphoton("sweep", long_file, "--out", out, "--seeds", 4, code=0)
    later = {file.name: file.stat().st_mtime_ns for file in kept_in(out)}
    assert kept.items() <= later.items()
    assert tcphoton("sweep", long_file, "--out", tmp_path / "new", "--seeds", 4).returncode == 0
    assert (out / "results.csv").read_bytes() == (tmp_path / "new" / "results.csv").read_bytes()


def test_a_full_disk_is_one_message_and_keeps_what_has_finished(
    tcphoton: Command, sweep_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert tcphoton("sweep", sweep_file, "--out", out, "--seeds", 1).returncode == 0
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600));"
        "from tcphoton.cli.app import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, "sweep", str(sweep_file), "--out", str(out)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert_clean_failure(done, 2)
    assert len(list((out / "points").iterdir())) == 2
    assert tcphoton("sweep", sweep_file, "--out", out).returncode == 0


@pytest.mark.parametrize("name", sweeps())
def test_an_example_is_written_with_its_scenario(
    tcphoton: Command, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "mine.toml"
    assert tcphoton("example", name, "--out", file).returncode == 0
    done = tcphoton("check", file, code=0)
    assert "points" in done.stdout
    assert len(list(tmp_path.iterdir())) == 2
    assert name in tcphoton("example").stdout
    assert 'scenario = "../' in tcphoton("example", name).stdout
    assert_clean_failure(tcphoton("example", name, "--out", file), 2)


def finished(tcphoton: Command, home: Path, name: str, *words: object) -> pl.DataFrame:
    """Run an example sweep into a folder, with a run and more at each of its points."""
    file, out = home / "mine.toml", home / "out"
    tcphoton("example", name, "--out", file)
    tcphoton("sweep", file, "--out", out, *words, code=0)
    table = pl.read_csv(out / "results.csv")
    axes = table.columns[: table.columns.index("seed")]
    points = table.select(axes).unique().height
    assert 24 <= points <= 60
    assert table.height == points * table["seed"].n_unique()
    return table


@pytest.mark.slow
@pytest.mark.parametrize("name", sweeps())
def test_an_example_sweep_has_a_run_at_every_point(
    tcphoton: Command, tmp_path: Path, name: str
) -> None:
    duration = {"sweeps/dumbbell-presets": "1 s", "sweeps/hybrid-ports": "2 ms"}.get(name, "50 ms")
    short = ("--set", f'run.duration="{duration}"', "--set", 'run.warmup="0 s"')
    table = finished(tcphoton, tmp_path, name, "--seeds", 1, *short)
    assert (table["events"] > 0).all()


@pytest.mark.usefixtures("processes")
@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", sweeps())
def test_an_example_sweep_takes_a_minute_or_so(
    tcphoton: Command, tmp_path: Path, name: str
) -> None:
    table = finished(tcphoton, tmp_path, name)
    assert table["seed"].n_unique() > 1
    assert pl.read_csv(tmp_path / "out" / "timings.csv")["cpu"].sum() < 2 * 90


@pytest.mark.parametrize(
    ("measure", "problem"),
    [
        ('measure = "godput"', "no measure 'godput'; did you mean 'goodput'?"),
        ('measure = [\n"loss",\n"godput"]', "no measure 'godput'; did you mean 'goodput'?"),
        ('measure = ["stop", "events"]', "'stop' is not a number"),
        ('measure = "nonsense_entirely"', "no measure 'nonsense_entirely'"),
    ],
)
def test_a_rule_that_goes_by_no_measure_is_told_with_its_line_before_a_run(
    tcphoton: Command, sweep_file: Path, tmp_path: Path, measure: str, problem: str
) -> None:
    sweep_file.write_text(f"{SWEEP}\n[until]\n{measure}\n", "utf-8")
    done = tcphoton("sweep", sweep_file, "--out", tmp_path / "out", "--workers", 1)
    assert_clean_failure(done, 2)
    assert tcphoton("check", sweep_file).stderr == done.stderr
    (line,) = done.stderr.splitlines()
    number = 10 + measure.count("\n")
    accepted = "; accepted a measure such as goodput, "
    assert line.startswith(f"{sweep_file}:{number}: until.measure: {problem}{accepted}")
    assert len(line) < len(str(sweep_file)) + 200
    assert not (tmp_path / "out").exists()


def test_a_text_has_no_mean(tcphoton: Command, sweep_file: Path, tmp_path: Path) -> None:
    tcphoton("sweep", sweep_file, "--out", tmp_path / "out", "--seeds", 1)
    done = tcphoton("results", tmp_path / "out", "--measure", "stop")
    assert_clean_failure(done, 2)
    problem = "not a number, so it has no mean: --csv prints it"
    assert done.stderr == f"error: --measure stop: {problem}\n"
    rows = tcphoton("results", tmp_path / "out", "--measure", "stop", "--csv").stdout
    assert rows.splitlines()[1] == "0.01,1,end"


def test_what_points_have_without_effect_is_told_once(
    tcphoton: Command, sweep_file: Path, tmp_path: Path
) -> None:
    small = sweep_file.with_name("small.toml")
    small.write_text(small.read_text("utf-8") + "\n[record]\ninterval = '3 ms'\n", "utf-8")
    warning = "warning: record.interval: has no effect"
    for verb in (["check"], ["sweep", "--out", str(tmp_path / "out")]):
        done = tcphoton(*verb, sweep_file, code=0)
        assert done.stderr.count(warning) == 1, done.stderr


def test_a_sweep_that_memory_has_no_room_for_is_refused_before_it_begins(
    tcphoton: Command, sweep_file: Path, tmp_path: Path
) -> None:
    text = SWEEP.replace("[over]", "set.traffic.0.count = 1000000\nset.topology.pairs = 10\n[over]")
    sweep_file.write_text(text, "utf-8")
    out = tmp_path / "out"
    for verb in (["check"], ["sweep", "--out", str(out)]):
        done = tcphoton(*verb, sweep_file)
        assert_clean_failure(done, 2)
        assert "needs more memory than is available" in done.stderr
    assert not out.exists()
    assert tcphoton("check", "--force", sweep_file).returncode == 0


def test_a_folder_keeps_each_study_that_it_was_asked_for(
    tcphoton: Command, sweep_file: Path, small_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    first = tcphoton("sweep", sweep_file, "--out", out)
    assert "study" not in first.stderr
    whole = tcphoton("results", out, "--csv").stdout
    text = small_file.read_text("utf-8")
    small_file.write_text(re.sub('duration = "(\\d+)', 'duration = "1\\1', text), "utf-8")
    for verb in ("results", "plot", "report"):
        assert f"{small_file} has changed since: " in tcphoton(verb, out).stderr
    second = tcphoton("sweep", sweep_file, "--out", out)
    assert f"study 2 of 2 in {out}" in second.stderr
    assert ": differs from study 1 in scenario\n" in second.stderr
    listed = tcphoton("results", out, "--studies", code=0)
    lines = [line.split() for line in listed.stdout.splitlines()]
    assert [line[0] for line in lines[2:]] == ["1", "2"]
    assert "scenario" in listed.stdout.splitlines()[2]
    assert "yes" in lines[3]
    assert tcphoton("results", out, "--csv", "--study", "1").stdout == whole
    assert tcphoton("results", out, "--csv").stdout != whole
    # The first one again: nothing is run, and it is shown.
    small_file.write_text(text, "utf-8")
    again = tcphoton("sweep", sweep_file, "--out", out)
    assert "already finished" in again.stdout
    assert f"study 1 of 2 in {out}" in again.stderr
    assert tcphoton("results", out, "--csv").stdout == whole
    wrong = tcphoton("results", out, "--study", "3", code=2)
    assert wrong.stderr == f"error: {out}: no study 3; available: 1 to 2\n"
    tcphoton("report", out, code=0)
    assert "1 of 2 of this folder" in (out / "report.html").read_text("utf-8")

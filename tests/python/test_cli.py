"""The command line: exit codes, messages, and results that are whole or absent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tcphoton as tp
from command_here import assert_clean_failure
from waiting import PATIENCE, core_seconds, wait_until

if TYPE_CHECKING:
    from command_here import Command


def test_run_prints_a_summary_and_nothing_on_stderr(tcphoton: Command, small_file: Path) -> None:
    done = tcphoton("run", small_file, code=0)
    assert "Two hosts" in done.stdout
    assert "digest" in done.stdout
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


def test_run_json_prints_the_record(tcphoton: Command, small_file: Path) -> None:
    done = tcphoton("run", small_file, "--json", "--seed", 5)
    record = json.loads(done.stdout)
    assert record["seed"] == 5
    assert {"digest", "events", "parameters", "versions", "timing", "tables"} <= set(record)


def test_run_out_writes_a_folder_that_loads(
    tcphoton: Command, small_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "results"
    done = tcphoton("run", small_file, "--out", out, code=0)
    assert sorted(file.name for file in out.iterdir()) == [
        "flows.parquet", "links.parquet", "report.json", "series.parquet", "traffic.parquet",
    ]  # fmt: skip
    report = tp.Report.load(out)
    assert report.flows.height == 2
    assert report.digest in done.stdout


def test_run_streams_flows_into_the_folder_of_its_report(
    tcphoton: Command, small_file: Path, tmp_path: Path
) -> None:
    done = tcphoton("run", small_file, "--out", tmp_path, "--stream-flows", code=0)
    assert (tmp_path / "flows-00001.parquet").is_file()
    record = tp.Report.load(tmp_path).record
    assert record["streamed-flows"] == {"files": 1, "rows": 0}
    done = tcphoton("run", small_file, "--stream-flows")
    assert_clean_failure(done, 2)
    assert "--out" in done.stderr


def test_settings_change_the_run(tcphoton: Command, small_file: Path) -> None:
    arguments = ("--json", "--set", "run.duration=1 s", "--set", "traffic.0.count=3")
    record = json.loads(tcphoton("run", small_file, *arguments).stdout)
    given = {entry["key"]: entry for entry in record["parameters"]}
    assert given["run.duration"]["origin"] == "set"
    assert given["traffic.0.count"]["value"] == 3


def test_all_mistakes_are_told_at_once_with_their_lines(tcphoton: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('[run]\nduration = 5\n\n[topolgy]\nkind = "line"\n', "utf-8")
    for verb in ("run", "check", "show"):
        done = tcphoton(verb, bad)
        assert_clean_failure(done, 2)
        assert f"{bad}:2: run.duration: " in done.stderr
        assert f"{bad}:4: topolgy: " in done.stderr
        assert done.stdout == ""


@pytest.mark.parametrize("setting", ["run.duration=-1 s", "run.sed=1", "run.duration", "=1"])
def test_a_wrong_setting_is_one_message(tcphoton: Command, small_file: Path, setting: str) -> None:
    done = tcphoton("run", small_file, "--set", setting)
    assert_clean_failure(done, 2)
    assert "--set" in done.stderr


@pytest.mark.parametrize("seed", ["-1", "x", str(2**53 + 1)])
def test_a_wrong_seed_is_one_message(tcphoton: Command, small_file: Path, seed: str) -> None:
    assert_clean_failure(tcphoton("run", small_file, "--seed", seed), 2)


def test_check_answers_for_any_input(tcphoton: Command, tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(bytes(range(256)) * 100)
    large = tmp_path / "large.toml"
    large.write_bytes(b"# nothing\n" * 2_000_000)
    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "[" * 100_000, "utf-8")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    inputs = [binary, large, deep, pipe, tmp_path, tmp_path / "missing", Path("/dev/zero")]
    for path in inputs:
        done = tcphoton("check", path)
        assert_clean_failure(done, 2)
        assert str(path) in done.stderr


def test_check_says_ok(tcphoton: Command, small_file: Path) -> None:
    done = tcphoton("check", small_file)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{small_file}: ok\n", "")


def test_the_limit_of_a_file_is_the_engines(tcphoton: Command, tmp_path: Path) -> None:
    largest = tmp_path / "largest.toml"
    for size, found in ((2_000_000, "missing key"), (2_000_001, "at most 2 MB")):
        largest.write_bytes(b"#" * size)
        done = tcphoton("check", largest)
        assert_clean_failure(done, 2)
        assert found in done.stderr


def test_a_run_that_stops_early_is_written_and_exits_with_1(
    tcphoton: Command, small_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = tcphoton("run", small_file, "--set", "run.max-events=100", "--out", out)
    assert_clean_failure(done, 1)
    assert "error: event budget spent at " in done.stderr
    assert "digest" in done.stdout
    assert "inf" not in done.stdout
    assert tp.Report.load(out).record["stop"] == "event budget spent"


def test_a_run_does_not_go_where_a_sweep_would_hide_it(
    tcphoton: Command, small_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "sweep.json").write_text("{}", "utf-8")
    for options in ([], ["--stream-flows"]):
        done = tcphoton("run", small_file, "--out", tmp_path, *options)
        assert_clean_failure(done, 2)
        assert f"{tmp_path}: holds a sweep, which would hide the run" in done.stderr
    assert not (tmp_path / "report.json").exists()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["sweep", "sweep.toml", "--out", ""], "--out"),
        (["sweep", "sweep.toml", "--out="], "--out"),
        (["report", ""], "report"),
        (["results", "folder", "--parquet", ""], "--parquet"),
    ],
)
def test_an_empty_word_is_no_path(tcphoton: Command, words: list[str], name: str) -> None:
    done = tcphoton(*words, code=2)
    assert done.stderr == f"error: {name}: an empty argument; leave it out, or give a value\n"


def test_ctrl_c_while_libraries_are_loaded_is_no_traceback() -> None:
    program = """
import sys


class Pressed:
    def find_spec(self, name, *_):
        if name == "typer":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Pressed())
from tcphoton.__main__ import main

main()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_an_ascii_locale_is_no_traceback(small_file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tcphoton", "run", str(small_file)],
        env={"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "·" in done.stdout


def test_a_file_in_the_way_is_one_message(
    tcphoton: Command, small_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    for out in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere")):
        done = tcphoton("run", small_file, "--out", out)
        assert_clean_failure(done, 2)
        assert len(done.stderr.splitlines()) == 1
    assert (tmp_path / "file").read_text("utf-8") == "mine"


def limited(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command where no file may grow beyond 600 bytes, as on a full disk."""
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600));"
        "from tcphoton.cli.app import main; main()"
    )
    command = [sys.executable, "-B", "-c", program, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=False
    )


def test_a_full_disk_leaves_nothing_behind(small_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    done = limited("run", small_file, "--out", out)
    assert_clean_failure(done, 2)
    assert not (tmp_path / "a").exists()


def test_a_full_disk_keeps_the_earlier_report(
    tcphoton: Command, small_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert tcphoton("run", small_file, "--out", out).returncode == 0
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    assert_clean_failure(limited("run", small_file, "--out", out, "--seed", 9), 2)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


def test_ctrl_c_ends_a_run_with_130_and_leaves_nothing(small_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "tcphoton", "run", str(small_file), "--out", str(out)]
    with subprocess.Popen(
        [*command, "--set", "run.duration=2000 h"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        # To start takes less than two seconds of a core; the run takes days.
        wait_until(lambda: core_seconds(process.pid) > 2, "the run is at work", process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert (stdout, stderr) == ("", "interrupted\n")
    assert not out.exists()


def test_a_reader_that_leaves_is_no_traceback(small_file: Path) -> None:
    command = [sys.executable, "-m", "tcphoton", "run", str(small_file), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=PATIENCE) == 1


def test_a_full_stdout_is_one_message(small_file: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tcphoton", "run", str(small_file), "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
    assert_clean_failure(done, 2)
    assert len(done.stderr.splitlines()) == 1


def test_examples_are_listed_printed_and_written(tcphoton: Command, tmp_path: Path) -> None:
    listed = tcphoton("example").stdout
    assert "mm1 " in listed
    text = tcphoton("example", "mm1").stdout
    out = tmp_path / "mine.toml"
    assert tcphoton("example", "mm1", "--out", out).returncode == 0
    assert out.read_text("utf-8") == text
    assert_clean_failure(tcphoton("example", "mm1", "--out", out), 2)
    assert_clean_failure(tcphoton("example", "mm2"), 2)


def test_schema_is_json_and_the_reference_names_every_key(tcphoton: Command) -> None:
    schema = json.loads(tcphoton("schema").stdout)
    reference = tcphoton("schema", "--reference").stdout
    for key in schema["properties"]:
        assert key in reference


def test_show_prints_text_and_json(tcphoton: Command, small_file: Path) -> None:
    assert tcphoton("show", small_file).stdout
    assert isinstance(json.loads(tcphoton("show", small_file, "--json").stdout), dict)


def test_bench_refuses_an_unknown_workload(tcphoton: Command) -> None:
    assert_clean_failure(tcphoton("bench", "nothing"), 2)


def test_version_and_usage(tcphoton: Command) -> None:
    assert tcphoton("--version").stdout == f"tcphoton {tp.__version__}\n"
    assert tcphoton("nonsense").returncode == 2
    assert tcphoton("run").returncode == 2


def test_light_verbs_load_no_heavy_library() -> None:
    program = (
        "import sys, tcphoton.cli.app, tcphoton.scenario.examples;"
        "print({'polars', 'altair', 'scipy', 'numpy', 'vl_convert', 'networkx'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"

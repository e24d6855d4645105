"""Congestion controls as programs: their errors, and what becomes of a run that fails."""

from __future__ import annotations

import pickle
import re
from typing import TYPE_CHECKING

import pytest

import tcphoton as tp

if TYPE_CHECKING:
    from pathlib import Path

    from command_here import Command

KEY = "traffic.0.transport.congestion"


def with_program(source: str, **parameters: float) -> tp.Scenario:
    rule = {"kind": "program", "source": source, "parameters": parameters}
    return tp.example("dumbbell").with_({KEY: rule, "run.duration": "2 s", "run.warmup": "0 s"})


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def on_ack(acked):\n    window.cwmd += 1", "line 2, column 5: window has no such field"),
        ("def on_akc(acked): pass", "line 1, column 1: no hook"),
        ("def on_ack(acked): window.cwnd = acked.may_grow", "line 1, column 20: wrong type"),
        ("x = y", "line 1, column 5: unknown variable"),
        ("import os", "line 1, column 8: is not expected here"),
    ],
)
def test_what_is_wrong_with_a_program_is_one_error_of_its_key(source: str, words: str) -> None:
    (mistake,) = with_program(source).check()
    assert mistake.key == f"{KEY}.source"
    assert mistake.problem.startswith(words)
    assert mistake.accepted


def test_a_parameter_has_a_range_and_a_name() -> None:
    source = "share = parameter(0.5, 0, 1)\ndef on_loss(c): window.reduce(c, share)"
    assert with_program(source, share=0.9).check() == []
    problems = [mistake.problem for mistake in with_program(source, share=2, shape=1).check()]
    assert problems == ["unknown parameter", "share is out of range"]


def test_a_program_without_a_text_is_warned_of() -> None:
    (warning,) = tp.example("dumbbell").with_({KEY: "program"}).warnings()
    assert warning.warning
    assert "does what Reno does" in warning.problem


def test_a_parameter_is_an_axis_of_a_sweep() -> None:
    source = "share = parameter(0.5, 0, 1)\ndef on_loss(c): window.reduce(c, share)"
    base = with_program(source)
    digests = {base.with_({f"{KEY}.parameters.share": share}).digest for share in (0.5, 0.6, 0.7)}
    assert len(digests) == 3


def test_a_run_whose_program_fails_is_an_error_with_its_place() -> None:
    failing = with_program("def on_ack(acked):\n    while True: pass")
    with pytest.raises(tp.ProgramError, match=r"source: line 2: a call takes more") as caught:
        tp.run(failing)
    assert re.search(r"; flow \d+ at .*s of the run$", str(caught.value))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_command_says_so_in_one_line_with_exit_code_1(
    tmp_path: Path, tcphoton: Command
) -> None:
    file = tmp_path / "failing.toml"
    file.write_text(with_program("def on_loss(c): window.cwnd = 0 / 0").to_toml())
    done = tcphoton("run", file, code=1)
    assert done.stderr.splitlines()[-1].startswith(
        f"error: {KEY}.source: line 1: window.cwnd would"
    )
    assert tcphoton("trace", file, "--format", "csv", "--out", tmp_path / "out").returncode == 1


def test_a_sweep_keeps_the_failure_as_an_error_of_its_row() -> None:
    source = "limit = parameter(1)\ndef on_ack(acked): window.cwnd = limit - 10000"
    table = tp.Sweep(
        with_program(source, limit=20000), {f"{KEY}.parameters.limit": [1.0, 20000.0]}, seeds=1
    ).run()
    failed, right = table["error"].to_list()
    assert "window.cwnd would be -9999" in failed
    assert right is None


def test_a_program_may_be_a_file_in_the_folder_of_the_scenario(tmp_path: Path) -> None:
    source = "# A gentle one.\ndef on_loss(c):\n    window.reduce(c, 0.9)\n"
    (tmp_path / "my.program").write_text(source)
    plain = tp.example("dumbbell").with_({"run.duration": "1 s", "run.warmup": "0 s"})
    word = 'preset = "sack"'
    text = plain.text.replace(word, 'congestion = { kind = "program", file = "my.program" }')
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(text)
    named = tp.Scenario.load(scenario)
    inside = named.with_({KEY: {"kind": "program", "source": source}})
    assert named.digest == inside.digest
    (tmp_path / "my.program").write_text(source + "\ndef on_ack(a):\n    window.cwmd = 1\n")
    (mistake,) = tp.Scenario.load(scenario).check()
    assert mistake.file.endswith("my.program")
    assert mistake.line == 6
    (tmp_path / "my.program").write_bytes(b"\xff")
    (mistake,) = tp.Scenario.load(scenario).check()
    assert "my.program: cannot be read" in mistake.problem

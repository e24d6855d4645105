"""A profile that is not built in: a file of values on top of one that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tcphoton as tp

if TYPE_CHECKING:
    from pathlib import Path

OWN = """\
# The hosts of a laboratory.
extends = "linux"
interface-queue = 30

[tcp]
initial-window = "20 segments"
min-rto = "50 ms"
"""
SHORT = {"run.duration": "2 s", "run.warmup": "0 s"}


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    (tmp_path / "own.toml").write_text(OWN)
    text = tp.example("dumbbell").text
    kept = [line for line in text.splitlines() if not line.startswith("profile")]
    path = tmp_path / "scenario.toml"
    path.write_text("\n".join(['profile = { file = "own.toml" }', *kept]))
    return path


def test_a_file_says_what_the_same_options_in_the_scenario_say(scenario: Path) -> None:
    own = tp.run(tp.Scenario.load(scenario).with_(SHORT))
    linux = tp.example("dumbbell").with_(SHORT | {"profile": "linux"})
    same = linux.with_(
        {
            "traffic.0.transport.initial-window": "20 segments",
            "traffic.0.transport.min-rto": "50 ms",
            "topology.access.queue": {"kind": "drop-tail", "packets": 30},
        }
    )
    assert tp.run(same).digest == own.digest
    assert tp.run(linux).digest != own.digest


def test_the_report_says_that_its_values_are_the_profiles(scenario: Path) -> None:
    parameters = tp.run(tp.Scenario.load(scenario).with_(SHORT)).parameters
    found = {row["key"]: (row["value"], row["origin"]) for row in parameters.iter_rows(named=True)}
    assert found["traffic.0.transport.min-rto"] == ("50 ms", "profile")
    assert found["traffic.0.transport.max-rto"] == ("120 s", "profile"), "of the one it extends"


def test_the_name_of_the_file_affects_nothing(scenario: Path) -> None:
    text = scenario.read_text().replace(
        '{ file = "own.toml" }',
        '{ values = { extends = "linux", interface-queue = 30, '
        'tcp = { initial-window = "20 segments", min-rto = "50 ms" } } }',
    )
    assert tp.Scenario.from_text(text).digest == tp.Scenario.load(scenario).digest


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"linux"', '"linx"', 'own.toml:2: profile.values.extends: unknown value'),
        ('min-rto = "50 ms"', 'min-rto = "500 s"', "own.toml:7: profile.values.tcp.min-rto: out"),
        ("min-rto", "min-rt", 'own.toml:7: profile.values.tcp.min-rt: unknown key'),
        ("[tcp]", "[tcp", "own.toml:5: not TOML: Expected ']'"),
        ("[tcp]", "recoveries = []\n[tcp]", "own.toml:5: profile.values.recoveries: unknown key"),
    ],
)  # fmt: skip
def test_an_error_is_on_its_line_of_the_file_and_said_once(
    scenario: Path, old: str, new: str, message: str
) -> None:
    (scenario.parent / "own.toml").write_text(OWN.replace(old, new))
    mistakes = tp.Scenario.load(scenario).check()
    assert len(mistakes) == 1
    assert str(mistakes[0]).startswith(f"{scenario.parent}/{message}")


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ('{ file = "none.toml" }', "profile.file: "),
        ("{}", "profile: no values; found a table without them"),
        ('{ file = "own.toml", values = {} }', "profile.values: also given: values"),
    ],
)
def test_a_table_needs_the_values_of_a_file(scenario: Path, profile: str, message: str) -> None:
    text = scenario.read_text().replace('{ file = "own.toml" }', profile)
    scenario.write_text(text)
    [mistake] = tp.Scenario.load(scenario).check()
    assert str(mistake).startswith(f"{scenario}:1: {message}")


def test_a_sweep_compares_profiles(scenario: Path) -> None:
    sweep = scenario.parent / "sweep.toml"
    sweep.write_text(
        'scenario = "scenario.toml"\nseeds = 1\n[over]\n'
        'profile = ["modern", "linux", { file = "own.toml" }]\n'
    )
    points = tp.Sweep.load(sweep).points
    assert len(points) == 3

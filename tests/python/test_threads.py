"""One run on several threads: the command, what it says beforehand, and what it takes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import fingerprints
import tcphoton as tp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

SHORT = {"run.duration": "3 s", "run.warmup": "1 s"}
"""Of a network that is divided."""


def divided(settings: Mapping[str, str | int] = SHORT) -> tp.Scenario:
    """Return routers in a row, ten times as fast as in the example, which is not worth dividing."""
    return tp.example("parking-lot").with_({"topology.link.rate": "100 Mb/s", **settings})


def threads(scenario: tp.Scenario, number: int | str) -> str:
    """Return what becomes of a number of threads."""
    return str(scenario.with_({"run.threads": number}).show()["threads"])


def on_four(row: fingerprints.Row) -> tp.Scenario:
    return fingerprints.scenario(row).with_({"run.threads": 4})


def test_fingerprints_are_the_same_on_four_threads() -> None:
    """All that are divided are asked in one test: which these are takes a second to find out."""
    are_divided = [
        row for row in fingerprints.read() if not on_four(row).show()["threads"].startswith("1")
    ]
    assert len(are_divided) >= 15
    others = [
        row for row in are_divided if tp.run(on_four(row), int(row["seed"])).digest != row["digest"]
    ]
    assert others == []


def test_reports_of_one_and_several_threads_are_the_same() -> None:
    one, two = (tp.run(divided(SHORT | {"run.threads": n})) for n in (1, 3))
    assert one.record["scenario-digest"] == two.record["scenario-digest"]
    for name, table in one.tables.items():
        assert table.equals(two.tables[name]), name


def test_show_says_why_one_thread_is_taken() -> None:
    assert "threads" not in divided().show()
    assert threads(divided(), 2).startswith("2, which exchange every")
    slow = "too little happens in 5 ms, the delay between its parts"
    assert threads(tp.example("parking-lot"), 2) == f"1 instead of 2: {slow}"
    idle = "flows begin when others end, or between hosts that have none then"
    assert threads(tp.example("ops-mesh"), 2) == f"1 instead of 2: {idle}"
    assert "until" not in threads(tp.example("mm1"), 64)
    assert threads(tp.example("mm1"), 64).startswith("1 instead of 64: it has no links")


def test_auto_is_a_number_of_threads() -> None:
    assert threads(divided(), "auto")[0].isdigit()


def test_the_command_says_how_many_threads_it_takes(
    tcphoton: Callable[..., Any], small_file: Path
) -> None:
    done = tcphoton("run", small_file, "--threads", "8")
    assert "threads: " in done.stderr
    wrong = tcphoton("run", small_file, "--threads", "many", code=2)
    assert "run.threads: unknown value" in wrong.stderr


def test_a_forecast_knows_of_threads() -> None:
    alone = tp.forecast(divided())
    several = tp.forecast(divided(SHORT | {"run.threads": 4}))
    assert alone.share_of_one == 1
    assert several.share_of_one == pytest.approx(0.25, abs=0.05)
    assert "on several" in str(several)
    assert several.memory > alone.memory


def test_a_sweep_has_one_thread_for_each_run() -> None:
    asked = tp.Sweep(divided(SHORT | {"run.threads": 4}), seeds=1)
    canonical = json.loads(asked.checked().point(0).canonical())
    assert "threads" not in canonical["run"]
    plain = tp.Sweep(divided(), seeds=1)
    assert asked.checked().point(0).digest == plain.checked().point(0).digest

"""What the scenarios of a sweep say before any run is told by the command and on the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import made_up_folders
import tcphoton as tp
from command_here import call
from small import SMALL
from tcphoton.sweep import designs
from tcphoton.sweep.labels import Labels
from tcphoton.sweep.precheck import Remarks

if TYPE_CHECKING:
    from pathlib import Path

PRESET = "traffic.0.transport.preset"
QUEUE = "topology.bottleneck.queue"


def remarks_of(sweep: tp.Sweep) -> Remarks:
    checked = sweep.checked()
    definition = json.loads(checked.definition())
    remarks = Remarks(designs.axes_of(definition), Labels.of(definition))
    remarks.look(lambda at, _: checked.point(at), 60.0)
    return remarks


@pytest.fixture
def small() -> tp.Scenario:
    return tp.Scenario.from_text(SMALL, "small.toml")


def test_what_a_preset_sets_besides_is_told(small: tp.Scenario) -> None:
    labels = {PRESET: {"name": "TCP", "values": ["NewReno", "CUBIC, RACK"]}}
    over: dict[str, list[Any]] = {"run.duration": ["1 s", "2 s"], PRESET: ["newreno", "cubic"]}
    (told,) = remarks_of(tp.Sweep(small, over, seeds=1, labels=labels)).changes()
    assert told.startswith("TCP sets ")
    assert 'traffic.0.transport.recovery (newreno at NewReno, rack at "CUBIC, RACK")' in told
    # With the recovery fixed only the rule for the window is left.
    fixed = tp.Sweep(small.with_({"traffic.0.transport.recovery": "rack"}), over, seeds=1)
    (told,) = remarks_of(fixed).changes()
    assert "recovery" not in told
    assert "traffic.0.transport.congestion (reno at newreno, cubic at cubic)" in told


def test_an_axis_that_changes_its_own_key_alone_is_no_remark(small: tp.Scenario) -> None:
    over: dict[str, list[Any]] = {
        "topology.bottleneck.queue.packets": [5, 40],
        "topology.bottleneck.delay": ["1 ms", "2 ms"],
        "routing.spread": ["flow", "packet"],
    }
    assert remarks_of(tp.Sweep(small, over, seeds=1)).changes() == []


def test_a_warning_names_the_values_at_which_it_holds(small: tp.Scenario) -> None:
    marks = {"kind": "ecn-threshold", "packets": 40, "mark-above": 10}
    over: dict[str, list[Any]] = {
        QUEUE: [{"kind": "drop-tail", "packets": 40}, marks],
        PRESET: ["newreno", "dctcp"],
    }
    found = remarks_of(tp.Sweep(small, over, seeds=1)).warnings()
    (told,) = (each for each in found if each.key == f"over.{QUEUE}.mark-above")
    assert told.problem.startswith(
        "has no effect: no flow has explicit congestion notification; at "
    )
    assert told.problem.endswith(f"mark-above = 10 }}, {PRESET} = newreno")
    assert ": warning: " in str(told)
    everywhere = tp.Sweep(small.with_({QUEUE: marks}), {"run.duration": ["1 s", "2 s"]}, seeds=1)
    assert all("; at " not in each.problem for each in remarks_of(everywhere).warnings())


def test_the_command_and_the_page_tell_it(small: tp.Scenario, tmp_path: Path) -> None:
    folder = made_up_folders.sweep(tmp_path / "out", small, {PRESET: ["newreno", "cubic"]})
    page = tp.report.page([folder])
    assert "preset sets traffic.0.transport.recovery (newreno at newreno, rack at cubic)" in page
    (tmp_path / "small.toml").write_text(SMALL, "utf-8")
    file = tmp_path / "sweep.toml"
    text = f'title = "two"\nscenario = "small.toml"\n[over]\n"{PRESET}" = ["newreno", "cubic"]\n'
    file.write_text(text, "utf-8")
    done = call("check", file, code=0)
    assert "preset sets traffic.0.transport.recovery" in done.stderr

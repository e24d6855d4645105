"""Rare losses as users see them: in a report, in the terminal, as measures of a sweep."""

from __future__ import annotations

from io import StringIO

import pytest

import tcphoton as tp
from tcphoton.runs.measures import row
from tcphoton.runs.summary import print_report

QUEUE = tp.example("mm1").with_(
    {
        "topology.links.0.queue.packets": 7,
        "traffic.0.source.rate": "5 Mb/s",
        "traffic.0.source.packet": "1000 B",
        "run.duration": "15 s",
        "splitting.link": "a -> b",
        "splitting.levels": [2, 3, 4, 5, 6],
    }
)


@pytest.fixture(scope="module")
def report() -> tp.Report:
    return tp.run(QUEUE)


def test_a_loss_is_a_measure_with_its_interval(report: tp.Report) -> None:
    found = row(report.record)
    assert "splitting.link" not in found
    low, loss, high = (found[f"splitting.{name}"] for name in ("loss-low", "loss", "loss-high"))
    # The closed form of M/D/1 with room for eight.
    assert low < 5.006_8e-5 < high
    assert low < loss < high < 2 * low


def test_the_terminal_shows_it_for_its_link(report: tp.Report) -> None:
    shown = StringIO()
    print_report(report, shown)
    (line,) = (line for line in shown.getvalue().splitlines() if line.startswith("lost at"))
    assert line.startswith("lost at a -> b: ")
    assert "e-05 (95 %: " in line


def test_no_loss_is_not_told_as_one() -> None:
    short = tp.run(QUEUE.with_({"run.duration": "10 ms", "run.warmup": "0 s"}))
    assert short.record["splitting"]["loss-low"] is None
    shown = StringIO()
    print_report(short, shown)
    assert "lost at a -> b: no loss was met" in shown.getvalue()


def test_runs_without_it_are_the_same_runs(report: tp.Report) -> None:
    plain = {key: value for key, value in QUEUE.to_dict().items() if key != "splitting"}
    without = tp.run(tp.Scenario.from_dict(plain))
    assert without.digest == report.digest
    assert "splitting" not in without.tables
    assert without.links.equals(report.links)

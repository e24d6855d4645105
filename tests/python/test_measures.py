"""What a sweep keeps of a run, against the run's own tables."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

import tcphoton as tp
from tcphoton.analysis import statistics
from tcphoton.runs import measures


@pytest.fixture(scope="module")
def report() -> tp.Report:
    """A run with three entries of traffic."""
    scenario = tp.example("dumbbell").with_({"run.duration": "4 s", "run.warmup": "0 s"})
    entry = scenario.to_dict()["traffic"][0]
    others = [
        entry | {"count": 2, "transport": {**entry["transport"], "preset": preset}}
        for preset in ("tahoe", "cubic")
    ]
    return tp.run(scenario.with_({"traffic": [entry, *others]}))


@pytest.fixture(scope="module")
def row(report: tp.Report) -> dict[str, Any]:
    return measures.row(report.record)


def test_counts_and_rates_are_summed(report: tp.Report, row: dict[str, Any]) -> None:
    for name in ("packets-sent", "retransmissions", "timeouts"):
        assert row[name] == report.flows[name].sum()
        assert isinstance(row[name], int)
    delivered = report.flows["delivered"].sum()
    assert row["goodput"] == pytest.approx(delivered * 8 / report.record["measured"])
    assert row["flows"] == report.flows.height


def test_the_loss_is_that_of_all_packets(report: tp.Report, row: dict[str, Any]) -> None:
    lost, sent = (report.flows[f"packets-{name}"].to_list() for name in ("lost", "sent"))
    assert row["loss"] == pytest.approx(sum(lost) / sum(sent))


def test_the_mean_delay_is_that_of_all_packets(report: tp.Report, row: dict[str, Any]) -> None:
    flows = report.flows.drop_nulls("delay-mean")
    pairs = flows.select("packets-delivered", "delay-mean").rows()
    mean = sum(packets * delay for packets, delay in pairs) / sum(packets for packets, _ in pairs)
    # The weights of a row are packets sent and not lost: those on the way at the end count, too.
    assert row["delay-mean"] == pytest.approx(mean, rel=0.01)


def test_the_mean_completion_time_is_that_of_all_completed_flows() -> None:
    entries = [
        {"traffic": 0, "completed": 3, "completion-mean": 2.0, "makespan": 5.0},
        {"traffic": 1, "completed": 1, "completion-mean": 6.0, "makespan": 7.0},
        {"traffic": 2, "completed": 0, "completion-mean": None, "makespan": None},
    ]
    found = measures.row({"traffic": entries})
    assert found["completion-mean"] == 3.0
    # When each entry began is not known, so neither is how long all of them took.
    assert "makespan" not in found
    assert found["traffic.1.makespan"] == 7.0
    assert measures.unit_of("traffic.1.batch-throughput") == "b/s"


def test_the_fairness_is_that_of_all_flows(report: tp.Report, row: dict[str, Any]) -> None:
    assert row["jain"] == pytest.approx(statistics.jain(report.flows["delivered"]))


def test_quantiles_of_several_entries_have_no_total(row: dict[str, Any]) -> None:
    assert "delay-p99" not in row
    assert row["traffic.2.delay-p99"] > 0


def test_what_no_entry_has_is_none() -> None:
    entries = [
        {"traffic": at, "goodput": 0.0, "packets-sent": 0, "loss": None, "delay-mean": None}
        for at in range(2)
    ]
    found = measures.row({"traffic": entries})
    assert found["goodput"] == 0
    assert (found["loss"], found["delay-mean"]) == (None, None)


def test_a_table_of_no_rows_has_its_columns() -> None:
    table = measures.frame({"a": [1], "b": ["x"]}, [])
    assert table.columns == ["a", "b", "seed"]
    assert measures.csv_text(table) == "a,b,seed\n"


@pytest.mark.parametrize("value", [0.1, 1e-300, 5e-324, 1 / 3, 1e22, -0.0, 123456789.0])
def test_floats_are_printed_in_their_shortest_form(value: float) -> None:
    text = measures.csv_text(pl.DataFrame({"x": [value]})).splitlines()[1]
    assert float(text) == value
    assert math.copysign(1, float(text)) == math.copysign(1, value)
    assert text == repr(value)

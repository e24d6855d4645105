"""Circuits on a schedule, as a user of the package sees them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from command_here import call
from tcphoton.figures import circuits

if TYPE_CHECKING:
    from tcphoton.traces.trace import Trace

EXAMPLE = Path(__file__).parents[2] / "examples" / "rotor.toml"
UNTIL = 700e-6
"""The first round of the example, in seconds."""


@cache
def rotor() -> tp.Scenario:
    sources = {"source": {"kind": "bulk", "size": "1 MB"}, "transport": {"kind": "tcp"}}
    ends = {"from": "h*", "to": "h*", "pattern": "permutation"}
    changes = {"core.forwarding": "rotor-lb", "traffic": [{**ends, **sources}]}
    return tp.example("rotor").with_(changes)


@cache
def traced() -> Trace:
    return tp.trace(rotor(), stop="1 ms")


def schedule() -> list[dict[str, str]]:
    rows: list[dict[str, str]] = rotor().show()["schedule"]
    return rows


def layers() -> list[pl.DataFrame]:
    """Return the rows of the figure's layers: slots, slots with a circuit, packets."""
    chart: Any = circuits.draw(schedule(), traced().rows(), "leaf-0", until=UNTIL)
    return [layer.data for layer in chart.layer]


def test_the_table_of_a_round_has_every_slot_of_every_switch() -> None:
    rows = schedule()
    assert [row["switch"] for row in rows] == ["spine-0"] * 7 + ["spine-1"] * 7
    assert rows[1] == {
        "switch": "spine-0",
        "opens": "110 us",
        "closes": "200 us",
        "joins": "leaf-0 -> leaf-3, leaf-1 -> leaf-4, leaf-2 -> leaf-5, leaf-3 -> leaf-6, …",
    }


def test_a_rack_meets_every_other_in_each_round_of_the_figure() -> None:
    slots, _, _ = layers()
    met = slots.group_by("rack").len()
    assert dict(met.iter_rows()) == {f"leaf-{at}": 2 for at in range(1, 8)}
    assert slots.filter(pl.col("dark") - pl.col("from") != 10.0).is_empty()


def test_packets_of_the_figure_are_between_dark_times_and_take_all_three_ways() -> None:
    slots, _, packets = layers()
    assert set(packets["way"]) == set(circuits.WAYS)
    # The rack is half a microsecond away from the switch.
    there = packets.with_columns(start=pl.col("start") + 0.5, end=pl.col("end") + 0.5)
    for packet in there.filter(pl.col("end") < UNTIL * 1e6).iter_rows(named=True):
        at = slots.filter(pl.col("switch") == packet["switch"])
        slot = at.filter(
            (pl.col("from") <= packet["start"]) & (pl.col("from") + 100 > packet["end"])
        )
        assert slot.height == 1, packet
        assert slot["dark"][0] <= packet["start"] + 1e-6, packet


def test_a_figure_has_a_row_for_each_channel_of_a_switch() -> None:
    one = {"topology.spines": 1, "core.channels": 2}
    scenario = rotor().with_(one)
    rows = tp.trace(scenario, stop="1 ms").rows()
    chart: Any = circuits.draw(scenario.show()["schedule"], rows, "leaf-0", until=UNTIL)
    renamed = {"spine-0": "spine-0:0", "spine-1": "spine-0:1"}
    for layer, other in zip(chart.layer, layers(), strict=True):
        assert layer.data.equals(other.with_columns(pl.col("switch").replace(renamed)))


def test_only_a_rack_that_the_schedule_names_first_has_a_figure() -> None:
    assert "schedule" not in tp.example("leaf-spine").show()
    with pytest.raises(ValueError, match="'leaf-0', not 'leaf-3'"):
        circuits.draw(schedule(), traced().rows(), "leaf-3", until=UNTIL)


def test_sums_of_racks_and_circuits_are_measures_of_sweeps() -> None:
    report = tp.run(rotor())
    record = report.record
    assert record["racks"]["sent-on"] == report.tables["racks"]["sent-on"].sum()
    assert record["circuits"]["lost-dark"] == 0
    sent = record["racks"]["sent-on"] + record["racks"]["sent-over"]
    assert 0 <= sent - record["circuits"]["packets-through"] < 100


def test_the_summary_says_what_racks_sent_and_what_was_lost() -> None:
    done = call("run", EXAMPLE, "--set", "core.skew=2 us", code=0)
    shown = done.stdout
    found = re.search(
        r"packets on circuits: ([\d,]+) to their rack, 0 by way of another one, after [\d.]+ µs on "
        r"average; lost: 0 in full queues, ([\d,]+) in the dark",
        " ".join(shown.split()),
    )
    assert found, shown
    report = tp.run(tp.Scenario.load(EXAMPLE).with_({"core.skew": "2 us"}))
    sent, lost = (int(number.replace(",", "")) for number in found.groups())
    assert sent == report.record["racks"]["sent-on"]
    assert lost == report.record["circuits"]["lost-dark"] > 0


def test_matchings_may_be_in_a_file(tmp_path: Path) -> None:
    core: dict[str, Any] = {"schedule": "explicit", "slot": "50 us", "reconfiguration": "5 us"}
    racks = {"topology.leaves": 3, "run.duration": "5 ms"}
    inline = [[[1, 2, 0], [2, 0, 1]], [[2, 0, 1]]]
    file = tmp_path / "rounds.txt"
    file.write_text("# the first switch\n1 2 0\n2, 0, 1\n\n2 0 1\n")
    given = {"matchings": inline}, {"file": str(file)}
    runs = [
        tp.run(tp.example("rotor").with_({**racks, "core": {"kind": "circuit", **core, **keys}}))
        for keys in given
    ]
    assert runs[0].record["digest"] == runs[1].record["digest"]
    for text, message in {
        "1 2 0\n2 0 x\n": f"{file}:2: not the number of a rack; found x; accepted in each line",
        "1 2 0\n\n2 0 0\n": f"{file}:3: core.matchings.1.0: not a matching",
        "\n": f"core.file: {file}: no slot",
    }.items():
        file.write_text(text)
        with pytest.raises(tp.ScenarioError) as error:
            tp.run(
                tp.example("rotor").with_(
                    {**racks, "core": {"kind": "circuit", **core, "file": str(file)}}
                )
            )
        assert message in str(error.value)

"""Graphs and demands of REPETITA: what each number is, and what is no line of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tcphoton as tp

if TYPE_CHECKING:
    from pathlib import Path

    from command_here import Command

GRAPH = """NODES 3
label x y
0_New_York -74.00597 40.71427
Port+Royal,+SC 0.0 0.0
2 12.5 41.9

EDGES 5
label src dest weight bw delay
edge_0 0 1 10 9953280 1913
edge_1 1 0 10 9953280 1913
edge_2 1 2 7 155.52 0.5
edge_3 2 1 7 155520 552
edge_4 2 2 1 1 1
"""
DEMANDS = """DEMANDS 4
label src dest bw
demand_0 0 1 193388
demand_1 2 0 84913.5
demand_2 0 1 12
demand_3 1 1 5
"""
SCENARIO = """
[run]
duration = "10 ms"
[topology]
kind = "file"
file = "a.graph"
link = {}
capacity-unit = "1 kb/s"
hosts = 1
access = { rate = "100 Gb/s", delay = "1 us" }
[[traffic]]
from = "host-*"
to = "host-*"
matrix = { file = "a.demands" }
transport = { kind = "udp", header = "0 B" }
source = { kind = "poisson-packets", rate = "1 kb/s", packet = "1000 B" }
"""


def written(folder: Path, graph: str = GRAPH, demands: str = DEMANDS) -> Path:
    (folder / "a.graph").write_text(graph)
    (folder / "a.demands").write_text(demands)
    (folder / "a.toml").write_text(SCENARIO)
    return folder / "a.toml"


def test_capacities_and_demands_are_in_kb_a_second_and_delays_in_microseconds(
    tmp_path: Path,
) -> None:
    shown = tp.Scenario.load(written(tmp_path)).show()
    links = {each["link"]: each for each in shown["links"]}
    assert links["0_New_York -> Port-Royal-SC"]["rate"] == "9.95328 Gb/s"
    assert links["2 -> Port-Royal-SC"]["rate"] == "155.52 Mb/s"
    # Two from 0 to 1, which add up; one from 2 by 1 to 0; that from 1 to itself is left out.
    load = {name: each["load"] for name, each in links.items() if each["load"]}
    assert load["0_New_York -> Port-Royal-SC"] == pytest.approx(193_400 / 9_953_280)
    assert load["2 -> Port-Royal-SC"] == pytest.approx(84_913.5 / 155_520)
    assert load["Port-Royal-SC -> 0_New_York"] == pytest.approx(84_913.5 / 9_953_280)
    assert "Port-Royal-SC -> 2" not in load
    assert "not used: weight of links (5)" in shown["notes"]


def test_links_that_differ_in_their_directions_lead_one_way(tmp_path: Path) -> None:
    written(tmp_path)
    links = tp.topologies.read(tmp_path / "a.graph", electronic=True)["links"]
    found = [(each["from"], each["to"], each["delay"], each.get("one-way")) for each in links[:3]]
    assert found == [
        ("0_New_York", "Port-Royal-SC", "1.913 ms", None),
        ("Port-Royal-SC", "2", "500 ns", True),
        ("2", "Port-Royal-SC", "552 us", True),
    ]


def test_what_is_left_out_is_a_warning(tmp_path: Path, tcphoton: Command) -> None:
    told = tcphoton("check", written(tmp_path)).stderr
    key = "traffic.0.matrix.demands.2"
    assert f"a.demands:6: warning: {key}: left out: a demand from a place to itself" in told


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (
            "graph",
            ("NODES 3", "NODES 4"),
            "a.graph:1: another number of NODES than there are lines",
        ),
        ("graph", ("label x y", "label y x"), "a.graph:2: not a line of REPETITA; found label y x"),
        ("graph", (" 155520 552", " 155520 552 1"), "a.graph:12: not a line of REPETITA"),
        ("graph", ("1 7 155520", "4 7 155520"), "a.graph:12: a link to an unknown node; found '4'"),
        (
            "graph",
            ("155520 552", "fast 552"),
            "a.graph:12: not the bw of a link; found fast; accepted numb",
        ),
        (
            "graph",
            ("155520 552", "155520 x"),
            "a.graph:12: not the delay of a link; found x; accepted numb",
        ),
        ("graph", ("155520 552", "155520 -5"), "a.graph:12: topology.graph.6.delay: below zero"),
        (
            "graph",
            ("\nEDGES 5\n", "\n"),
            "a.graph:7: not a line of REPETITA; found label src dest weight",
        ),
        (
            "demands",
            ("DEMANDS 4", "DEMANDS 3"),
            "a.demands:1: another number of DEMANDS than there are lines",
        ),
        (
            "demands",
            ("2 0", "3 0"),
            "demands:4: traffic.0.matrix.demands.1.from: no place has this name; fou",
        ),
        (
            "demands",
            ("2 0", "Rome 0"),
            "a.demands:4: not a place of DEMANDS; found Rome; accepted a number",
        ),
        ("demands", ("84913.5", "-1"), "a.demands:4: a demand below zero; found -1"),
        (
            "demands",
            ("84913.5", "many"),
            "a.demands:4: not a demand; found many; accepted a number from 0",
        ),
    ],
)
def test_what_is_no_graph_and_what_are_no_demands_name_their_lines(
    tmp_path: Path, file: str, change: tuple[str, str], message: str
) -> None:
    texts = {"graph": GRAPH, "demands": DEMANDS}
    texts[file] = texts[file].replace(*change)
    with pytest.raises(tp.ScenarioError) as raised:
        tp.Scenario.load(written(tmp_path, **texts)).show()
    assert message in str(raised.value)

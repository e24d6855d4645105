"""Topologies of htsim: what their numbers leave of a network, and numbers that leave none."""

from __future__ import annotations

import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import tcphoton as tp

if TYPE_CHECKING:
    from pathlib import Path

    from command_here import Command


def tier(at: int, **numbers: int) -> str:
    return f"Tier {at}\n" + "".join(f"{name} {number}\n" for name, number in numbers.items())


def links(rate: int, delay: int, down: int, **more: int) -> dict[str, int]:
    """Return the numbers of a tier with so many ports down."""
    return {
        "Downlink_speed_Gbps": rate,
        "Radix_Down": down,
        "Downlink_Latency_ns": delay,
        "Switch_Latency_ns": 0,
        **more,
    }


LEAVES = (
    "# four leaves of three hosts\nNodes 12\nTiers 2\nPodsize 12\n\n"
    + tier(0, **links(100, 500, 3, Radix_Up=4))
    + tier(1, **links(50, 1000, 8, Bundle=2))
)
FAT = (
    "Nodes 16\nTiers 3\nPodsize 4\n"
    + tier(0, **links(100, 1000, 2, Radix_Up=2, Oversubscribed=1))
    + tier(1, **links(100, 1000, 2, Radix_Up=2))
    + tier(2, **links(100, 1000, 4))
)
THIN = (
    "Nodes 24\nTiers 3\nPodsize 12\n"
    + tier(0, **links(100, 1000, 4, Radix_Up=2, Oversubscribed=2))
    + tier(1, **links(100, 2000, 3, Radix_Up=4, Queue_Down=90000))
    + tier(2, **links(40, 3000, 4, Bundle=2))
)
"""Two pods of three switches of four hosts, two switches above, and two above each of them."""


def read(folder: Path, text: str) -> dict[str, Any]:
    (folder / "a.topo").write_text(text)
    return tp.topologies.read(folder / "a.topo")


def test_two_tiers_are_leaves_and_spines(tmp_path: Path) -> None:
    assert read(tmp_path, LEAVES) == {
        "kind": "leaf-spine", "leaves": 4, "spines": 2, "hosts": 3,
        "link": {"rate": "50 Gb/s", "delay": "1000 ns", "lightpaths": 2},
        "access": {"rate": "100 Gb/s", "delay": "500 ns"},
    }  # fmt: skip


def test_three_equal_tiers_are_a_fat_tree(tmp_path: Path) -> None:
    link = {"rate": "100 Gb/s", "delay": "1000 ns"}
    assert read(tmp_path, FAT.replace("Nodes", "nodes")) == {
        "kind": "fat-tree", "k": 4, "link": link,
    }  # fmt: skip


def test_three_other_tiers_are_explicit(tmp_path: Path) -> None:
    found = read(tmp_path, THIN)
    kinds = Counter(node["kind"] for node in found["nodes"])
    assert kinds == {"host": 6, "router": 6 + 4 + 4}
    ends = Counter(end for link in found["links"] for end in (link["from"], link["to"]))
    assert ends["edge-1-2"] == 1 + 2
    assert ends["agg-1-1"] == 3 + 2
    assert ends["core-3"] == 2
    up = [link for link in found["links"] if link["from"] == "agg-1-1"]
    assert [(link["to"], link["rate"], link["delay"], link["lightpaths"]) for link in up] == [
        ("core-1", "40 Gb/s", "3000 ns", 2), ("core-3", "40 Gb/s", "3000 ns", 2),
    ]  # fmt: skip
    traffic = {"from": "h0-0", "to": "h5-3", "transport": {"kind": "tcp"}}
    traffic["source"] = {"kind": "bulk"}
    scenario = {"run": {"duration": "1 ms"}, "topology": found, "traffic": [traffic]}
    path = tp.Scenario.from_dict(scenario).show()["traffic"][0]["paths"][0]
    assert (path["links"], path["propagation-rtt"]) == (6, "24 us")


def test_what_is_printed_is_a_topology(tmp_path: Path, tcphoton: Command) -> None:
    for text in (LEAVES, FAT, THIN):
        topology = read(tmp_path, text)
        printed = tcphoton("topology", tmp_path / "a.topo").stdout
        assert tomllib.loads(printed) == {"topology": topology}
        assert ("# not used: queue_down 90000 of tier 1" in printed) == (text == THIN)


def test_a_topology_that_names_one_is_told_what_says_the_same(tmp_path: Path) -> None:
    link = {"rate": "1 Gb/s"}
    for text, told in ((LEAVES, 'kind = "leaf-spine", leaves = 4, spines = 2'),
                       (THIN, "the nodes and links that `tcphoton topology` prints")):  # fmt: skip
        (tmp_path / "a.topo").write_text(text)
        topology = {"kind": "file", "file": str(tmp_path / "a.topo"), "link": link, "hosts": 1}
        (mistake,) = (
            each
            for each in tp.Scenario.from_dict({"topology": topology}).check()
            if "a.topo" in str(each)
        )
        assert "a topology of htsim, which is more than places and links" in str(mistake)
        assert told in str(mistake)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LEAVES.replace("Radix_Down 3", "Radix_Down 5"), "hosts that do not fill their pods; foun"),
        (LEAVES.replace("Radix_Up 4", "Radix_Up 3"),
         ":11: radix_up of tier 0 contradicts what the other numbers leave; found radix_up 3"),
        (LEAVES.replace("Radix_Down 8", "Radix_Down 4"), ":14: radix_down of tier 1 con"),
        (THIN.replace("Oversubscribed 2", "Oversubscribed 3"), "found oversubscribed 3; accepted"),
        (THIN.replace("Radix_Down 4\nDownlink_Latency_ns 3", "Radix_Down 2\nDownlink_Latency_ns 3"),
         "radix_down of tier 2 contradicts what the other numbers leave; found radix_down 2"),
        (LEAVES.replace("Podsize 12", "Podsize 6"), "hosts that do not fill their pods"),
        (LEAVES.replace("Radix_Up 4\n", ""), ":6: no radix_up in tier 0; accepted a number from 1"),
        (LEAVES.replace("Latency_ns 0", "Latency_ns 7"),
         ":10: a latency of switches, which routers do not have here; found 7"),
        (LEAVES + "Radix_Up 2\n", ":18: radix_up in the highest tier"),
        (LEAVES + "Bundle 2\n", ":18: not a line of a topology of htsim; found Bundle 2; accepted"),
        (LEAVES + "Colour 2\n", ":18: not a line of a topology of htsim; found Colour 2"),
        (LEAVES.replace("Tiers 2", "Tiers 3"), "not the tiers of a fat tree; found tiers 3 and ti"),
        (LEAVES.replace("Podsize 12", ""), "no podsize; accepted podsize and a number from 1"),
    ],
)  # fmt: skip
def test_numbers_that_leave_no_network_are_an_error(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(tp.ScenarioError) as raised:
        read(tmp_path, text)
    assert message in str(raised.value)


def test_options_that_do_not_apply_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.topo").write_text(LEAVES)
    with pytest.raises(tp.ScenarioError, match="found rate, hosts; accepted none"):
        tp.topologies.read(tmp_path / "a.topo", rate="1 Gb/s", hosts=2)

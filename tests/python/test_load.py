"""Loads in place of rates: closed forms, what a run carries, and clear errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from tcphoton import _core
from tcphoton.sweep.sweep import Sweep

if TYPE_CHECKING:
    from pathlib import Path

DUMBBELL = """
title = "Datagrams over a dumbbell"

[run]
duration = "20 s"
warmup = "1 s"

[topology]
kind = "dumbbell"
pairs = 3
access = { rate = "1 Gb/s", delay = "1 ms" }
bottleneck = { rate = "20 Mb/s", delay = "10 ms" }

[[traffic]]
from = "left-*"
to = "right-*"
load = 0.6
source = { kind = "cbr", packet = "972 B" }
transport = { kind = "udp" }
"""

FAT_TREE = """
title = "Files in a fat tree"

[run]
duration = "10 ms"

[topology]
kind = "fat-tree"
k = 4
link = { rate = "10 Gb/s", delay = "1 us" }

[[traffic]]
from = "*"
to = "*"
pattern = "uniform"
load = { share = 0.5, of = "access" }
source = { kind = "transfers", size = "20 kB" }
transport = { kind = "tcp", preset = "cubic" }
"""


def scenario(text: str, changes: dict[str, Any] | None = None) -> tp.Scenario:
    return tp.Scenario.from_text(text).with_(changes or {})


def source(given: tp.Scenario) -> dict[str, Any]:
    """Return the parameters of the source, as they are shown."""
    entries = given.show()["parameters"]
    head = "traffic.0.source."
    return {
        each["key"].removeprefix(head): each["value"]
        for each in entries
        if each["key"].startswith(head)
    }


def wrong(text: str, changes: dict[str, Any] | None = None) -> str:
    with pytest.raises(tp.ScenarioError) as found:
        tp.run(scenario(text, changes))
    (mistake,) = found.value.mistakes
    return str(mistake)


def test_a_load_of_a_dumbbell_is_that_of_its_bottleneck() -> None:
    # Three flows share 0.6 * 20 Mb/s.
    assert source(scenario(DUMBBELL))["rate"] == "4 Mb/s"
    by_name = scenario(DUMBBELL, {"traffic.0.load": {"share": 0.6, "of": "bottleneck"}})
    assert source(by_name)["rate"] == "4 Mb/s"
    access = scenario(DUMBBELL, {"traffic.0.load": {"share": 0.6, "of": "access"}})
    assert source(access)["rate"] == "600 Mb/s"
    assert source(scenario(DUMBBELL, {"traffic.0.count": 2}))["rate"] == "2 Mb/s"


def test_a_run_carries_the_load_with_its_headers() -> None:
    links = tp.run(scenario(DUMBBELL)).links
    used = links.filter(pl.col("link") == "left -> right")["utilization"].item()
    assert used == pytest.approx(0.6 * 1000 / 972, rel=1e-3)


@pytest.mark.parametrize(
    ("given", "key", "expected"),
    [
        ({"kind": "poisson-packets", "packet": "1000 B"}, "rate", "4 Mb/s"),
        ({"kind": "poisson-writes"}, "rate", "4 Mb/s"),
        ({"kind": "bernoulli", "slot": "1 ms", "packet": "1000 B"}, "probability", 0.5),
        (
            {"kind": "transfers", "size": {"kind": "exponential", "mean": "100 kB"}},
            "per-second",
            5.0,
        ),
        (
            {
                "kind": "on-off",
                "peak": "1 Mb/s",
                "components": 10,
                "on": "10 kB",
                "packet": "1000 B",
            },
            "rate",
            "4 Mb/s",
        ),
    ],
)
def test_every_source_with_a_mean_rate_has_a_load(
    given: dict[str, Any], key: str, expected: object
) -> None:
    transport = (
        {"kind": "tcp"} if given["kind"] in ("poisson-writes", "transfers") else {"kind": "udp"}
    )
    changed = scenario(DUMBBELL, {"traffic.0.source": given, "traffic.0.transport": transport})
    assert source(changed)[key] == (
        pytest.approx(expected) if isinstance(expected, float) else expected
    )


def test_loads_of_a_fat_tree_follow_from_its_symmetry() -> None:
    # 16 hosts with 10 Gb/s, each sends half of that in files of 160 kb.
    per_second = 0.5 * 16 * 10e9 / 160e3
    assert source(scenario(FAT_TREE))["per-second"] == pytest.approx(per_second)
    # One half sends 8 of 15 files to the other half, over as much as its 8 hosts can send.
    cut = {"traffic.0.load": {"share": 0.5, "of": "bisection"}}
    across = 0.5 * 80e9 / (0.5 * 8 / 15) / 160e3
    assert source(scenario(FAT_TREE, cut))["per-second"] == pytest.approx(across)


def test_equal_cost_paths_share_the_load_equally() -> None:
    links = {each["link"]: each["load"] for each in scenario(FAT_TREE).show()["links"]}
    assert len(links) == 96
    hosts = [load for link, load in links.items() if "host" in link or link.startswith("h")]
    assert hosts
    assert all(load == pytest.approx(0.5) for load in hosts)
    # Of 15 partners 14 are behind another switch, and 12 in another pod.
    rest = sorted({round(load, 9) for link, load in links.items()} - {0.5})
    assert rest == pytest.approx([0.5 * 12 / 15, 0.5 * 14 / 15])


def test_a_permutation_counts_on_average() -> None:
    changes = {
        "traffic.0.pattern": "permutation",
        "traffic.0.source": {"kind": "cbr", "packet": "1 kB"},
    }
    changes["traffic.0.transport"] = {"kind": "udp"}
    assert source(scenario(FAT_TREE, changes))["rate"] == "5 Gb/s"


def test_an_optical_load_is_that_of_all_data_channels() -> None:
    example = tp.example("obs-three-nodes")
    given = example.to_dict()
    for at, entry in enumerate(given["traffic"]):
        entry["source"] = {"kind": "poisson-packets", "packet": "1000 B"}
        entry["transport"] = {"kind": "udp"}
        entry["load"] = {"share": 0.1 * (at + 1), "of": "optical"}
    shown = tp.Scenario.from_dict(given).show()["links"]
    loads = {each["link"]: each["load"] for each in shown if each["channels"]}
    assert max(loads.values()) >= 0.3 - 1e-9
    assert all(each["channels"] is None or each["channels"] >= 1 for each in shown)


def test_a_load_is_an_axis(tmp_path: Path) -> None:
    short = {"run.duration": "2 s", "run.warmup": "1 s"}
    sweep = Sweep(scenario(DUMBBELL, short), {"traffic.0.load": [0.3, 0.6]}, seeds=1)
    table = sweep.run(tmp_path / "out", workers=1)
    assert table["traffic.0.load"].to_list() == [0.3, 0.6]
    assert table["goodput"].to_list() == pytest.approx([6e6, 12e6], rel=0.02)


def test_a_printed_scenario_may_have_both() -> None:
    both = scenario(DUMBBELL, {"traffic.0.source.rate": "4 Mb/s"})
    assert not both.check()
    assert both.show()["scenario-digest"] == scenario(DUMBBELL).show()["scenario-digest"]


def test_mistakes_are_clear() -> None:
    found = wrong(DUMBBELL, {"traffic.0.source.rate": "5 Mb/s"})
    assert "traffic.0.source.rate: the load of traffic.0.load gives another" in found
    assert 'accepted "4 Mb/s"' in found
    found = wrong(
        DUMBBELL, {"traffic.0.source": {"kind": "bulk"}, "traffic.0.transport": {"kind": "tcp"}}
    )
    assert "traffic.0.load: a source without a mean rate has no load" in found
    found = wrong(DUMBBELL, {"traffic.0.load": {"share": 0.6, "of": "optical"}})
    assert "sends nothing over an optical link" in found
    pareto = {"kind": "transfers", "size": {"kind": "pareto", "shape": 0.9, "min": "1 kB"}}
    found = wrong(DUMBBELL, {"traffic.0.source": pareto, "traffic.0.transport": {"kind": "tcp"}})
    assert "the mean size is infinite" in found
    slots = {"kind": "bernoulli", "slot": "1 s", "packet": "1000 B"}
    found = wrong(DUMBBELL, {"traffic.0.source": slots})
    assert "probability" in found
    found = wrong(DUMBBELL.replace("load = 0.6\n", ""))
    assert "rate" in found


def test_an_editor_does_not_miss_the_rate() -> None:
    kinds = json.loads(_core.schema())["$defs"]["Source"]["oneOf"]
    required = {key for kind in kinds for key in kind["required"]}
    assert "packet" in required
    assert required.isdisjoint({"rate", "per-second", "probability"})
    assert "missing" in wrong(DUMBBELL.replace("load = 0.6\n", ""))

"""What is run for the sync paper: its grids and figures, and what is known by hand."""

from __future__ import annotations

import math
import re

import polars as pl
import pytest

import tcphoton as tp
from made_up_runs import seeds_of
from tcphoton import papers
from tcphoton.analysis.synchronization import most_packets
from tcphoton.common import quantities
from tcphoton.papers import reproduce
from tcphoton.papers.sync.measures import derive

PAPER = papers.load("sync")
SCALES = reproduce.SCALES
OVER_TIME = [name for name in PAPER.artefacts if PAPER.kept(name)]
MEASURED = [name for name in PAPER.artefacts if name not in OVER_TIME]
MANY = 20
"""Packets of a flow within a timeout of which one more or less decides nothing."""


def test_scales_differ_in_points_seeds_and_lengths_alone() -> None:
    settings = {
        key
        for grid in PAPER.plan["grids"].values()
        for scale in SCALES
        for product in grid.get(scale, [])
        for key in product.get("set", {})
    }
    assert settings == {"run.duration", "run.warmup", "record.fecs"}


def test_full_has_the_papers_lengths() -> None:
    figured = [name for name in PAPER.artefacts if re.fullmatch(r"fig(\d|1[0-3])", name)]
    for runs in PAPER.runs(figured, "full"):
        long = runs.grid in {"timeouts", "losses", "starts"}
        assert runs.sweep.set_["run.duration"] == ("2000 s" if long else "600 s")
        assert seeds_of(runs) >= 10


# What is known by hand.


def test_the_mean_of_a_file_is_4_megabytes_whatever_its_bound() -> None:
    default = PAPER.scenario("nsf.toml").to_dict()["traffic"][0]["source"]["size"]
    variants = PAPER.plan["variants"]["assumptions-nsf"]
    laws = [(default["max"], default["shape"])]
    for name in ("up to 40 MB", "up to 400 MB"):
        prefix = "traffic.0.source.size"
        laws.append((variants[name][f"{prefix}.max"], variants[name][f"{prefix}.shape"]))
    for bound, shape in laws:
        low, high = 40e3, quantities.number(bound)
        assert bounded_pareto_mean(low, high, shape) == pytest.approx(4e6, rel=0.01)


def bounded_pareto_mean(low: float, high: float, a: float) -> float:
    share = 1 - (low / high) ** a
    scale = float(a * low**a / share)
    return scale * float(high ** (1 - a) - low ** (1 - a)) / (1 - a)


def test_a_link_of_each_source_has_its_part_of_100_megabits() -> None:
    for name, keys in PAPER.plan["variants"]["flows"].items():
        flows = keys["topology.nodes.0.count"]
        assert name == f"{flows} flows"
        rate = quantities.number(keys["topology.links.0.rate"])
        assert flows * rate == pytest.approx(100e6, rel=1e-6)
    base = PAPER.scenario("access.toml").to_dict()["topology"]
    at_15 = PAPER.plan["variants"]["flows"]["15 flows"]
    assert base["nodes"][0]["count"] == at_15["topology.nodes.0.count"]
    assert base["links"][0]["rate"] == at_15["topology.links.0.rate"]


@pytest.mark.parametrize(("timeout", "size"), [(1, 1500), (3, 1500), (5, 1500), (3, 1040)])
def test_a_burst_of_one_queue_holds_what_its_link_brings(timeout: int, size: int) -> None:
    report = tp.run(
        PAPER.scenario("one-queue.toml").with_(
            {
                "run.duration": "20 s",
                "run.warmup": "0 s",
                "traffic.0.start.to": "1 s",
                "traffic.0.transport.segment": f"{size - 40} B",
                "assembly.timeout": f"{timeout} ms",
                "record.bursts": 100_000,
            }
        )
    )
    most = most_packets(timeout * 1e-3, size, 100e6)
    data = report.bursts.filter(pl.col("ingress") == "E0")
    assert data.get_column("packets").max() == most
    assert data.get_column("bytes").max() == most * size
    flows = report.tables["burst-flows"].get_column("flows").max()
    assert isinstance(flows, int)
    assert flows <= min(most, 15)


def test_no_burst_of_1_ms_of_one_queue_is_in_the_two_top_classes() -> None:
    changed = {"run.duration": "60 s", "assembly.timeout": "1 ms", "traffic.0.start.to": "0 s"}
    report = tp.run(PAPER.scenario("one-queue.toml").with_(changed))
    found = derive(report.record, report.tables)
    assert (found["flows-80"], found["flows-100"]) == (0, 0)
    assert found["flows-20"] is not None
    assert found["flows-20"] > 0


def test_flows_that_start_together_fill_every_burst_where_each_has_a_link() -> None:
    changed = {"run.duration": "60 s", "assembly.timeout": "1 ms", "traffic.0.start.to": "0 s"}
    report = tp.run(PAPER.scenario("access.toml").with_({**changed, "assembly.loss": 0.0}))
    found = derive(report.record, report.tables)
    assert found["flows-all"] == 100


def test_a_window_is_never_above_the_largest_and_without_losses_reaches_it() -> None:
    changed = {"run.duration": "80 s", "run.warmup": "70 s", "assembly.loss": 0.0}
    report = tp.run(PAPER.scenario("access.toml").with_(changed))
    samples = report.tables["synchronization"]
    largest = 15 * 128 * 1460
    assert samples.get_column("cwnd-max").max() == largest
    assert samples.get_column("cwnd").max() == largest
    found = derive(report.record, report.tables)
    assert found["window-mean"] == 1
    assert found["throughput-mean"] == pytest.approx(8 * largest / 0.4 / 1e6)
    assert found["index"] is None
    # What is sent in a round trip of 400 ms and the waits for bursts, both ways, but for what is on
    # its way at the end of the ten seconds: half a round trip's.
    (goodput,) = report.traffic.get_column("goodput")
    measured = 10.0
    assert 8 * largest / 0.41 * (1 - 0.205 / measured) < goodput
    assert goodput < 8 * largest / 0.4 * (1 - 0.2 / measured)


@pytest.mark.slow
def test_the_network_of_table_2_is_in_the_state_that_the_paper_states() -> None:
    changed = {"run.duration": "16 s", "run.warmup": "12 s"}
    report = tp.run(PAPER.scenario("nsf.toml").with_(changed))
    found = derive(report.record, report.tables)
    active, throughput = found["active-flows"], found["span-mean"]
    assert active is not None
    assert throughput is not None
    assert math.isclose(active, 2000, rel_tol=0.1)
    assert 25 < throughput < 60
    assert report.fecs.height == 56


def test_no_timeout_is_a_multiple_of_the_time_of_a_packet() -> None:
    """There a packet would come exactly at the timeout, or just before or behind it.

    Of links of 100 Mb/s a flow has some 25 packets within a timeout, and a tie moves one of them.
    """
    seen = set()
    for runs in PAPER.runs(PAPER.artefacts, "full"):
        for point in runs.sweep.points:
            full = runs.sweep.scenario.with_({**runs.sweep.set_, **point}).to_dict()
            topology = full["topology"]
            link = topology["links"][0] if "links" in topology else topology["access"]
            timeout = quantities.number(full["assembly"]["timeout"])
            segment = quantities.number(full["traffic"][0]["transport"]["segment"])
            packets = timeout * quantities.number(link["rate"]) / (8 * (segment + 40))
            seen.add(round(packets, 3))
            assert abs(packets - round(packets)) > 2e-3 or packets > MANY, (runs.name, point)
    assert len({each for each in seen if each < MANY}) > 5

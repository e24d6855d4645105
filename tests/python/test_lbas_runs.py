"""What is run for the lbas paper: its grids and figures."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import polars as pl
import pytest

import made_up_lbas
import tcphoton as tp
from made_up_runs import seeds_of
from tcphoton import figures, papers
from tcphoton.common import quantities
from tcphoton.papers import reproduce
from tcphoton.papers.lbas import beyond
from tcphoton.papers.lbas.inet import means_of_three
from tcphoton.papers.lbas.measures import (
    ALL,
    CELL,
    GOODPUT,
    HOST_QUEUE,
    HOST_QUEUES,
    POLICIES,
    PUBLISHED,
    RATES,
    TABLES,
    VARIANT,
    cell,
    goodput_of,
)

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.slow

PAPER = papers.load("lbas")
SCALES = reproduce.SCALES
CELLS = {cell(*each): each for each in ALL}


@pytest.mark.parametrize("each", ALL, ids=str)
def test_a_cell_is_the_generator_at_its_degree_and_load(each: tuple[int, int]) -> None:
    """What the plan writes out is what `tcphoton.topologies.at_load` makes of b_D and ρ."""
    degree, load = each
    scenario = PAPER.scenario("scenario.toml")
    given = scenario.with_(PAPER.plan["cells"]["loads"][cell(*each)])
    made = tp.topologies.at_load(scenario, load / 100, lightpaths=degree)
    rates = [
        [quantities.number(traffic["source"]["rate"]) for traffic in one.to_dict()["traffic"][:2]]
        for one in (given, made)
    ]
    assert rates[0] == rates[1]
    assert given.to_dict()["topology"] == made.to_dict()["topology"]
    assert [way["load"] for way in made.show()["bundles"]] == pytest.approx([load / 100] * 2)


@pytest.mark.parametrize(("access", "artefact"), TABLES.items())
def test_a_table_stands_beside_the_published_one(
    access: int, artefact: str, tmp_path: Path
) -> None:
    """Each of the 30 cells has ours and, in italics, the paper's number."""
    table = made_up_lbas.table(PAPER, artefact, "full", noise=0)
    (file,) = figures.save(PAPER.figures[artefact](table), tmp_path / artefact, ["svg"])
    drawn = file.read_text("utf-8")
    for policy in POLICIES:
        for each in ALL:
            published = goodput_of(access, policy, *each)
            assert f">{published:g}</text>" in drawn
            assert f">{published:.3g} ± " in drawn
    assert f"files of {PUBLISHED['', f'file at {access} Mb/s']:g} MB" in drawn


def test_a_cell_that_was_cut_off_has_a_dagger(tmp_path: Path) -> None:
    table = made_up_lbas.table(PAPER, "table2", "full")

    def drawn(table: pl.DataFrame) -> str:
        (file,) = figures.save(PAPER.figures["table2"](table), tmp_path / "table2", ["svg"])
        return file.read_text("utf-8")

    assert "†" not in drawn(table)
    one = (pl.col(VARIANT) == "RR") & (pl.col(CELL) == cell(2, 80)) & (pl.col("seed") == 1)
    some = drawn(table.with_columns(whole=pl.when(one).then(0).otherwise("whole")))
    assert some.count(" †</text>") == 1
    assert "†: some runs cut off at 60 s" in some


def test_shorter_files_are_said_so(tmp_path: Path) -> None:
    table = made_up_lbas.table(PAPER, "table2", "quick")
    (file,) = figures.save(PAPER.figures["table2"](table), tmp_path / "table2", ["svg"])
    assert "files of 20 MB, the paper's have 250 MB" in file.read_text("utf-8").replace(
        "&apos;", "'"
    )


def test_full_has_all_90_cells_with_three_seeds_each_and_the_papers_files() -> None:
    found = set()
    for access, artefact in TABLES.items():
        for runs in PAPER.runs([artefact], "full"):
            assert seeds_of(runs) == 3
            (point,) = runs.sweep.points
            assert quantities.number(point["traffic.2.source.size"]) == (
                1e6 * PUBLISHED["", f"file at {access} Mb/s"]
            )
            assert quantities.number(point["run.duration"]) == 60
            assert runs.common["topology.tcp-rate"] == RATES[access]
            found.add((access, runs.variant, runs.common["cell"]))
    assert found == {
        (access, policy, name) for access in TABLES for policy in POLICIES for name in CELLS
    }
    assert len(found) == 90


def test_every_other_tcp_has_the_same_90_cells() -> None:
    found = {
        (point["traffic.2.transport.preset"], runs.common["topology.tcp-rate"], runs.variant,
         runs.common["cell"])
        for runs in PAPER.runs(["transports"], "full")
        for point in runs.sweep.points
    }  # fmt: skip
    assert len(found) == 3 * 90


def test_the_tables_come_first_and_a_seed_of_all_before_the_next() -> None:
    """The pool goes by the seed before the sweep, and by the sweeps in the order of the plan."""
    names = [runs.grid for runs in PAPER.runs(PAPER.at("full"), "full")]
    tables = [name for name in names if name.startswith("table")]
    assert names[: len(tables)] == tables


# What is known by hand.


@pytest.mark.parametrize("access", TABLES)
def test_a_connection_alone_is_below_what_headers_leave(access: int) -> None:
    """It loses the start: the least with the shortest RTT, and little of a slow link."""
    least, most = (beyond.alone(access, rtt) for rtt in (0.025, 0.015))
    assert least < most < beyond.headers(access)
    share = most / beyond.headers(access)
    assert (share > 0.98) == (access == 10)


def test_headers_leave_1460_of_1507_bytes() -> None:
    assert beyond.headers(10) == pytest.approx(9.688, abs=5e-4)


def test_made_up_goodputs_are_the_papers() -> None:
    table = made_up_lbas.table(PAPER, "table1", "full", noise=0)
    assert table.height == 90
    assert table.get_column(GOODPUT).max() == 9.7


def test_a_connection_alone_takes_as_long_as_in_the_engine() -> None:
    """At U = 10 to the picosecond; a hundred frames at the host lose a little, but only there."""
    queues = {name: tomllib.loads(f"q = {text}")["q"] for name, text in HOST_QUEUES.items()}
    for access, name, least, most in (
        (10, "no limit", 1 - 1e-9, 1 + 1e-9),
        (100, "no limit", 0.9999, 1 + 1e-9),
        (100, "100 frames", 0.98, 0.985),
        (1000, "no limit", 0.999, 1 + 1e-9),
        (1000, "100 frames", 0.999, 1 + 1e-9),
    ):
        keys = PAPER.plan["cells"]["alone"][f"U = {access} Mb/s"]
        one_rtt = {"topology.rtt.min": "20 ms", "topology.rtt.max": "20 ms"}
        lone = PAPER.scenario("alone.toml").with_({HOST_QUEUE: queues[name]})
        record = tp.run(lone.with_({**keys, **one_rtt})).record
        found = record["traffic"][0]["goodput"] / 2e6
        assert least < found / beyond.alone(access, 0.02) < most, (access, name)


def test_the_hosts_queue_of_the_scenarios_is_the_one_without_a_limit() -> None:
    ours = tomllib.loads(f"q = {HOST_QUEUES['no limit']}")["q"]
    for file in ("scenario.toml", "alone.toml"):
        scenario = PAPER.scenario(file).to_dict()
        assert scenario["topology"]["tcp-queue"] == ours
        assert scenario["profile"] == "inet-2.1"


def test_a_hundred_frames_is_what_the_profile_has() -> None:
    """Leaving the key out is the same run."""
    short = {"run.duration": "2 s", "traffic.0.source.size": "25 MB"}
    text = PAPER.scenario("alone.toml").text
    (line,) = [each for each in text.splitlines() if each.startswith("tcp-queue")]
    left_out = tp.Scenario(text.replace(line, "")).with_(short)
    frames = tomllib.loads(f"q = {HOST_QUEUES['100 frames']}")["q"]
    given = tp.Scenario(text).with_({HOST_QUEUE: frames}).with_(short)
    assert tp.run(left_out).record["traffic"] == tp.run(given).record["traffic"]


def test_both_queues_of_a_host_are_run_in_all_cells_of_the_higher_rates() -> None:
    found = {
        (
            runs.common["topology.tcp-rate"],
            runs.variant,
            runs.common["cell"],
            str(point[HOST_QUEUE]),
        )
        for runs in PAPER.runs(["host-queue"], "full")
        for point in runs.sweep.points
    }
    assert len(found) == 2 * 2 * 30


def test_a_run_that_several_artefacts_have_is_made_once() -> None:
    """What the tables have is what sensitivities and other TCPs begin with, said in other words."""
    tables = digests(["table1", "table2", "table3"])
    same: dict[str, dict[str, object]] = {
        "iterations": {"core.scheduler": {"kind": "islip", "iterations": 1}},
        "ssthresh": {"traffic.2.transport.initial-ssthresh": "65535 B"},
        "transports": {"traffic.2.transport.preset": "newreno"},
        "host-queue": {HOST_QUEUE: tomllib.loads(f"q = {HOST_QUEUES['no limit']}")["q"]},
    }
    for artefact, wanted in same.items():
        there = digests([artefact], wanted)
        assert there, artefact
        assert there <= tables, artefact
    assumed = {
        digest
        for runs in PAPER.runs(["assumptions"], "full")
        if runs.common["cell"] == "as assumed"
        for digest in runs.sweep.checked().digests()
    }
    assert assumed <= tables


def digests(artefacts: list[str], wanted: dict[str, object] | None = None) -> set[str]:
    """Return the digests of some artefacts' points that have what is wanted."""
    return {
        digest
        for runs in PAPER.runs(artefacts, "full")
        for point, digest in zip(runs.sweep.points, runs.sweep.checked().digests(), strict=True)
        if (wanted or {}).items() <= point.items()
    }


def test_means_of_three_runs_are_those_of_all_draws() -> None:
    """One run of four is fast: three draws have none with (3/4)³ = 42 %, only it with 1/64."""
    low, high = means_of_three([10, 10, 10, 310])
    assert (low, high) == (10, 210)
    assert means_of_three([0, 3]) == (0, 3)

"""Slowdowns: a lone file has 1 by a closed form, no file has less, and sizes are told apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from tcphoton.errors import nearest
from tcphoton.scenario import examples

if TYPE_CHECKING:
    from command_here import Command

pytestmark = pytest.mark.slow

LONE = """
title = "One file"

[run]
duration = "100 s"

[topology]
kind = "dumbbell"
pairs = 1
access = { rate = "100 Mb/s", delay = "1 ms", queue = { kind = "drop-tail", packets = 100000 } }
bottleneck = { rate = "10 Mb/s", delay = "10 ms", queue = { kind = "drop-tail", packets = 100000 } }

[[traffic]]
from = "left-*"
to = "right-*"
source = { kind = "bulk", size = "1 MB" }

[traffic.transport]
kind = "tcp"
preset = "sack"
segment = "1000 B"
handshake = false
initial-window = "65000 segments"
receive-window = "unlimited"
ack-every = 1
"""


def lone(**settings: Any) -> tp.Report:
    changes = {key.replace("_", "."): value for key, value in settings.items()}
    return tp.run(tp.Scenario.from_text(LONE).with_(changes))


@pytest.mark.parametrize("size", [1, 999, 1000, 123_456, 1_000_000])
def test_a_lone_file_whose_window_is_open_has_a_slowdown_of_1(size: int) -> None:
    report = lone(**{"traffic.0.source.size": f"{size} B"})
    row = report.traffic.row(0, named=True)
    assert row["completed"] == 1
    assert row["slowdown-mean"] == pytest.approx(1.0, rel=1e-9)
    assert report.flows.get_column("slowdown").to_list() == [row["slowdown-mean"]]


def test_an_acknowledgment_may_wait_behind_another() -> None:
    # That of the last octet, which follows 1000 B closely: no more than one waits.
    report = lone(**{"traffic.0.source.size": "1001 B"})
    assert 1.0 <= report.traffic["slowdown-mean"][0] < 1.002


def test_the_completion_time_of_that_file_is_that_of_the_closed_form() -> None:
    report = lone()
    header = report.parameters.filter(pl.col("key").str.ends_with("transport.header"))
    octets = float(header.get_column("value")[0].split()[0])
    packet, ack = 8 * (1000 + octets), 8 * octets
    there = packet / 100e6 + 1000 * packet / 10e6 + packet / 100e6 + 12e-3
    back = ack / 100e6 + ack / 10e6 + ack / 100e6 + 12e-3
    assert report.traffic["completion-mean"][0] == pytest.approx(there + back, rel=1e-9)


def test_a_connection_that_is_opened_and_starts_slowly_has_more() -> None:
    transport = "traffic.0.transport."
    opened = lone(**{transport + "handshake": True}).traffic.row(0, named=True)
    ideal = lone().traffic["completion-mean"][0]
    # SYN and SYN-ACK: a round trip of two packets of the size of acknowledgments.
    assert opened["completion-mean"] > ideal + 24e-3
    assert opened["slowdown-mean"] == pytest.approx(opened["completion-mean"] / ideal, rel=1e-9)
    slow = lone(**{transport + "initial-window": "2 segments"}).traffic["slowdown-mean"][0]
    assert slow > opened["slowdown-mean"]


@pytest.mark.sampled(least=4)
@pytest.mark.parametrize("name", sorted(examples.examples()))
def test_no_file_is_faster_than_in_an_idle_network(name: str) -> None:
    report = tp.run(tp.example(name))
    assert (report.flows["slowdown"].drop_nulls() >= 1.0).all()


LEAVES = """
[run]
duration = "1 s"

[topology]
kind = "leaf-spine"
leaves = 2
spines = {spines}
hosts = 1
link = {{ rate = "{rate}", delay = "1 us" }}
access = {{ rate = "10 Gb/s", delay = "1 us" }}
{rest}
[[traffic]]
from = "h0-0"
to = "h1-0"
transport = {{ kind = "message" }}
source = {{ kind = "bulk", size = "10 MB" }}
"""
CIRCUITS = """
packet-spines = { count = 1, link = { rate = "10 Mb/s", delay = "1 us" } }
[core]
kind = "circuit"
slot = "100 us"
reconfiguration = "0 s"
without-circuit = "packet-switches"
"""
FULL, LAST, ANSWER = (8.0 * octets for octets in (4160, 10_000_000 % 4096 + 64, 64))
"""The bits of a full packet, of the last one and of an answer."""


@pytest.mark.parametrize(
    ("rate", "spines", "rest"),
    [("1 Gb/s", 4, ""), ("10 Gb/s", 1, CIRCUITS)],
    ids=["sprayed over four spines", "circuits beside a slow packet switch"],
)
def test_the_idle_network_has_all_ways_of_a_packet(rate: str, spines: int, rest: str) -> None:
    text = LEAVES.format(rate=rate, spines=spines, rest=rest)
    row = tp.run(tp.Scenario.from_text(text)).traffic.row(0, named=True)
    # 2,441 full packets leave the host; the links behind it are as fast, or slower four at a time.
    least = 2441 * FULL / min(10e9, spines * float(rate.split(maxsplit=1)[0]) * 1e9)
    assert row["completion-mean"] / (1.01 * row["slowdown-mean"]) < least + 100e-6
    assert row["completion-mean"] / row["slowdown-mean"] > least + ANSWER / 10e9 + 8e-6 - LAST / 1e9
    assert 1.0 <= row["slowdown-mean"] < 1.01


def test_sizes_are_told_apart_and_add_up() -> None:
    report = tp.run(tp.example("fat-tree"))
    sizes, flows = report.tables["sizes"], report.flows
    ended = flows.filter(pl.col("end").is_not_null())
    for row in sizes.iter_rows(named=True):
        within = ended.filter(
            pl.col("size").is_between(row["size-from"], row["size-below"], "left")
        )
        times = within.get_column("end") - within.get_column("start")
        assert row["completed"] == within.height
        assert row["completion-mean"] == pytest.approx(times.mean(), rel=1e-9)
        assert row["slowdown-mean"] == pytest.approx(within["slowdown"].mean(), rel=1e-9)
        p99 = within["slowdown"].quantile(0.99, "higher")
        assert row["slowdown-p99"] == pytest.approx(p99, rel=0.03)
    assert sizes["flows"].sum() == report.traffic["flows"].sum()
    assert sizes.height > 1


def test_a_run_prints_them(tcphoton: Command) -> None:
    file = Path(__file__).parents[2] / "examples" / "fat-tree.toml"
    ran = tcphoton("run", str(file), code=0)
    head, *rows = ran.stdout.partition("completion by size of file\n")[2].splitlines()[:4]
    assert head.split()[:4] == ["traffic", "size-from", "size-below", "flows"]
    assert [row.split()[1:3] for row in rows[:2]] == [["10", "kB"], ["100", "kB"]]


def test_streams_and_datagrams_have_no_sizes() -> None:
    assert "sizes" not in tp.run(tp.example("mm1")).tables
    assert tp.run(tp.example("mm1")).traffic["slowdown-mean"].to_list() == [None]


def test_other_words_of_the_field_find_it() -> None:
    names = ["slowdown-mean", "slowdown-p99", "goodput"]
    assert nearest("fct-slowdown", names) == names[:2]

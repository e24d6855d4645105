"""Traces for the Perfetto viewer: tracks have names, slices do not overlap, nothing is missing."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from tcphoton.traces.perfetto import perfetto

if TYPE_CHECKING:
    from tcphoton.traces.trace import Trace

pytestmark = pytest.mark.slow

#: Spans in which every kind of track and loss is there.
PARTS: dict[str, dict[str, Any]] = {
    "dumbbell": {"start": "1 s", "stop": "1100 ms", "nodes": ["right"]},
    "link-failure": {"start": "4900 ms", "stop": "7100 ms"},
    "lightpath-bundle": {"stop": "15 ms", "nodes": ["left-core"]},
    "hybrid-fat-tree": {"stop": "100 us", "nodes": ["core-0"]},
    "obs-burst-life": {"stop": "3 ms"},
    "ops-mesh": {"stop": "10 ms"},
}
Event = dict[str, Any]


@pytest.fixture(scope="module", params=PARTS)
def both(request: pytest.FixtureRequest) -> tuple[Trace, list[Event]]:
    """A trace, and the events of its file."""
    traced = tp.trace(tp.example(request.param), **PARTS[request.param], counters=True)
    read = json.loads(perfetto(traced))
    assert read["displayTimeUnit"] == "ns"
    return traced, read["traceEvents"]


def nano(micro: float) -> int:
    return round(micro * 1000)


def test_slices_of_a_track_follow_each_other(both: tuple[Trace, list[Event]]) -> None:
    _, events = both
    tracks = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            start = nano(event["ts"])
            tracks[event["pid"], event["tid"]].append((start, start + nano(event["dur"])))
    assert tracks
    for slices in tracks.values():
        slices.sort()
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(slices))


def test_waits_of_a_row_begin_and_end_in_turn(both: tuple[Trace, list[Event]]) -> None:
    _, events = both
    rows = defaultdict(list)
    for event in events:
        if event["ph"] in "be":
            rows[event["cat"], event["id"], event["pid"]].append(event)
    for found in rows.values():
        assert [event["ph"] for event in found] == ["b", "e"] * (len(found) // 2)
        times = [nano(event["ts"]) for event in found]
        assert times == sorted(times)


def test_every_packet_burst_and_loss_is_there(both: tuple[Trace, list[Event]]) -> None:
    traced, events = both
    hops = traced.hops
    electronic = pl.col("burst").is_null()
    left = hops.filter(electronic & pl.col("start").is_not_null())
    left = left.filter(pl.col("end").is_not_null() | pl.col("lost").is_not_null())
    wires = [event for event in events if event["ph"] == "X" and event["tid"] == 1]
    assert len(wires) == left.height
    known = [round(row * 1e-3) for row in left["start"].to_list()]
    assert all(abs(nano(e["ts"]) - k) <= 1 for e, k in zip(wires, known, strict=True))
    bursts = [event for event in events if event["ph"] == "X" and event["tid"] >= 10]
    granted = 0
    if not traced.reservations.is_empty():
        granted = traced.reservations.filter(pl.col("outcome") == "granted").height
        assert granted > 0
    assert len(bursts) == granted
    lost = [event for event in events if event["ph"] == "i"]
    assert len(lost) == hops["lost"].is_not_null().sum()
    waited = hops.filter(electronic & (pl.col("start") > pl.col("offered")))
    assert sum(event["ph"] == "b" for event in events) >= waited.height


def test_every_track_and_counter_has_a_name(both: tuple[Trace, list[Event]]) -> None:
    traced, events = both
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    threads = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    links = traced.links["link"].to_list()
    for event in events:
        if event["ph"] in "Xi":
            assert (event["pid"], event["tid"]) in threads
            assert processes[event["pid"]] == links[event["pid"] - 2]
    counters = [event for event in events if event["ph"] == "C"]
    assert len(counters) == traced.series.height > 0
    queues = [event for event in counters if event["name"] == "queue"]
    assert all(set(event["args"]) == {"packets"} for event in queues)


def test_channels_are_tracks_even_where_no_burst_is() -> None:
    traced = tp.trace(tp.example("obs-burst-life"), stop="1 ms")
    events = json.loads(perfetto(traced))["traceEvents"]
    names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    data = traced.channels.filter(pl.col("kind") == "data")["channel"]
    assert {f"channel {at}" for at in data} <= names

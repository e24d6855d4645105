"""Captures, read by Scapy: checksums, options, times and names are those of the run."""

from __future__ import annotations

import struct
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.utils import RawPcapNgReader

import tcphoton as tp
from tcphoton.traces import headers
from tcphoton.traces.captures import SNAP, pcapng

if TYPE_CHECKING:
    from tcphoton.traces.trace import Trace

pytestmark = pytest.mark.slow

LOSSY = {"run.duration": "3 s", "run.warmup": "0 s", "topology.bottleneck.loss.p": 0.03}


class Read(NamedTuple):
    """A packet of a capture."""

    octets: bytes
    interface: str
    nanosecond: int
    size: int
    comment: str


def read(data: bytes) -> list[Read]:
    packets = []
    # Scapy's types know its other format alone.
    reader: Any = RawPcapNgReader
    for octets, about in reader(BytesIO(data)):
        assert about.linktype == 101
        assert about.tsresol == 10**9
        packets.append(
            Read(
                octets,
                about.ifname.decode(),
                (about.tshigh << 32) + about.tslow,
                about.wirelen,
                b"; ".join(about.comments or []).decode(),
            )
        )
    return packets


def captured(scenario: tp.Scenario, **asked: Any) -> tuple[Trace, pl.DataFrame, list[Read]]:
    """A trace, its rows that were on a wire, and what is read of its capture, packets in full."""
    traced = tp.trace(scenario, **asked)
    rows = traced.rows().filter(pl.col("start").is_not_null())
    rows = rows.sort("start", maintain_order=True)
    packets = read(pcapng(traced, snap=65_535))
    assert len(packets) == rows.height > 0
    return traced, rows, packets


@pytest.fixture(scope="module")
def lossy() -> tuple[Trace, pl.DataFrame, list[Read]]:
    """SACK over a path that loses packets, seen at the sender."""
    scenario = tp.example("tcp-lossy-path").with_(
        {**LOSSY, "traffic.0.transport.preset": "sack", "traffic.0.transport.handshake": True}
    )
    return captured(scenario, nodes=["left-0"])


def correct(octets: bytes) -> bool:
    """Whether Scapy computes the checksums that are there."""
    given = IP(octets)
    again = IP(octets)
    del again.chksum
    layer = TCP if TCP in given else UDP
    del again[layer].chksum
    again = IP(bytes(again))
    return bool(given.chksum == again.chksum and given[layer].chksum == again[layer].chksum)


def test_checksums_times_names_and_sizes_are_right(
    lossy: tuple[Trace, pl.DataFrame, list[Read]],
) -> None:
    _, rows, packets = lossy
    assert {packet.interface for packet in packets} == {"left-0 -> left", "left -> left-0"}
    for row, packet in zip(rows.iter_rows(named=True), packets, strict=True):
        assert correct(packet.octets)
        assert packet.interface == row["link"]
        assert packet.nanosecond == round(row["start"] * 1e12) // 1000
        ip = IP(packet.octets)
        assert ip.len == len(packet.octets)
        assert packet.size == max(ip.len, row["bytes"])
        assert ip.id == row["number"] % 2**16
        assert ip.ttl == 65 - row["hop"]
        assert len(ip[TCP].payload) == row["data"]
        assert ("sent again" in packet.comment) == bool(row["resent"])


def test_numbers_flags_and_options_are_those_of_the_segments(
    lossy: tuple[Trace, pl.DataFrame, list[Read]],
) -> None:
    traced, rows, packets = lossy
    isn = [headers.initial_sequence(0, way) for way in (0, 1)]
    config = traced.flows.row(0, named=True)
    sacks = 0
    for row, packet in zip(rows.iter_rows(named=True), packets, strict=True):
        ours, theirs = isn[row["backward"]], isn[1 - row["backward"]]
        segment = IP(packet.octets)[TCP]
        options = dict(segment.options)
        syn = "SYN" in row["flags"]
        assert segment.seq == (ours + (0 if syn else 1 + row["seq"])) % 2**32
        assert ("A" in segment.flags) == ("ACK" in row["flags"])
        if "ACK" in row["flags"]:
            assert segment.ack == (theirs + 1 + row["ack"]) % 2**32
        assert ("MSS" in options) == ("SAckOK" in options) == ("WScale" in options) == syn
        if syn:
            assert options["MSS"] == config["segment"]
        if config["timestamps"]:
            echo = 0 if row["echo"] is None else 1 + round(row["echo"] * 1e12) // 10**6
            assert options["Timestamp"] == (1 + round(row["sent"] * 1e12) // 10**6, echo)
        edges = [
            (theirs + 1 + row[f"sack-{end}-{at}"]) % 2**32
            for at in range(1, 5)
            for end in ("from", "to")
            if row[f"sack-from-{at}"] is not None
        ]
        assert list(options.get("SAck", ())) == edges[: 2 * (3 if config["timestamps"] else 4)]
        sacks += bool(edges)
    assert sacks > 10


def test_what_is_kept_is_cut_and_the_size_is_told() -> None:
    traced = tp.trace(tp.example("dumbbell"), stop="300 ms", flows=[0])
    packets = read(pcapng(traced))
    assert max(len(packet.octets) for packet in packets) == SNAP
    assert max(packet.size for packet in packets) == traced.packets["bytes"].max() == 1512
    whole = read(pcapng(traced, snap=65_535))
    assert [packet.octets for packet in packets] == [each.octets[:SNAP] for each in whole]


def test_marks_are_there_from_the_queue_on_that_met_congestion() -> None:
    scenario = tp.example("ecn").with_({"run.duration": "2 s", "run.warmup": "0 s"})
    _, rows, packets = captured(scenario, stop="700 ms", nodes=["right"])
    codes = [IP(packet.octets).tos & 3 for packet in packets]
    marked, capable = rows["marked"].to_list(), rows["ecn"].to_list()
    assert codes == [3 if m else 2 * c for m, c in zip(marked, capable, strict=True)]
    assert {0, 2, 3} == set(codes)
    flags = [IP(packet.octets)[TCP].flags for packet in packets]
    assert any("E" in each for each in flags)
    assert any("C" in each for each in flags)


def test_packets_that_are_lost_on_the_wire_are_there_and_what_a_queue_refuses_is_counted() -> None:
    scenario = tp.example("tcp-lossy-path").with_(LOSSY)
    traced = tp.trace(scenario)
    packets = read(pcapng(traced))
    lost = [packet for packet in packets if "lost: dropped-loss" in packet.comment]
    assert len(lost) == traced.hops["cause"].is_not_null().sum() > 0
    full = tp.trace(tp.example("dumbbell"), start="1 s", stop="1200 ms", nodes=["right"])
    refused = full.hops.filter(pl.col("cause") == "dropped-queue").height
    assert refused > 0
    data = pcapng(full)
    assert len(read(data)) == full.hops["start"].is_not_null().sum()
    assert sum(drops(data)) == refused
    assert sum(statistics(data)) == refused


def blocks(data: bytes) -> list[tuple[int, bytes]]:
    found, at = [], 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        assert size % 4 == 0
        assert struct.unpack_from("<I", data, at + size - 4) == (size,)
        found.append((kind, data[at + 8 : at + size - 4]))
        at += size
    return found


def options(data: bytes) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    while True:
        code, size = struct.unpack_from("<HH", data)
        if code == 0:
            assert len(data) == 4
            return found
        found[code] = data[4 : 4 + size]
        data = data[4 + size + -size % 4 :]


def drops(data: bytes) -> list[int]:
    """What packets say was dropped before them."""
    counts = []
    for kind, body in blocks(data):
        if kind == 6:
            kept = struct.unpack_from("<I", body, 12)[0]
            about = options(body[20 + kept + -kept % 4 :])
            assert len(about[5]) == 8
            counts.append(int.from_bytes(about.get(4, b"\0"), "little"))
    return counts


def statistics(data: bytes) -> list[int]:
    return [
        int.from_bytes(options(body[12:])[5], "little") for kind, body in blocks(data) if kind == 5
    ]


def test_ends_have_names() -> None:
    data = pcapng(tp.trace(tp.example("mm1"), stop="1 s"))
    body = next(body for kind, body in blocks(data) if kind == 4)
    assert b"\n\0\0\x01a\0" in body


def test_datagrams_fit_their_sizes() -> None:
    _, rows, packets = captured(tp.example("mm1"), stop="500 ms")
    for row, packet in zip(rows.iter_rows(named=True), packets, strict=True):
        assert correct(packet.octets)
        assert IP(packet.octets)[UDP].len == row["data"] + 8
        assert packet.size == max(row["bytes"], row["data"] + 28)


def test_stop_and_wait_says_its_numbers_in_its_payload() -> None:
    scenario = tp.example("fat-tree").with_(
        {
            "run.duration": "1 ms",
            "run.warmup": "0 s",
            "traffic.0.transport": {"kind": "stop-and-wait"},
            "traffic.0.source": {"kind": "bulk", "size": "100 kB"},
            "traffic.0.start": {"kind": "uniform", "from": "0 s", "to": "10 us"},
        }
    )
    _, rows, packets = captured(scenario, flows=[0])
    for row, packet in zip(rows.iter_rows(named=True), packets, strict=True):
        assert correct(packet.octets)
        assert packet.size == len(packet.octets) == row["bytes"]
        payload = bytes(IP(packet.octets)[UDP].payload)
        assert struct.unpack_from("!4sB3xQQ", payload)[::2][:1] == (b"SAW1",)
        assert struct.unpack_from("!8xQQ", payload) == (row["seq"], row["ack"])


def test_messages_say_their_numbers_in_their_payload() -> None:
    scenario = tp.example("fat-tree").with_(
        {
            "run.duration": "1 ms",
            "run.warmup": "0 s",
            "topology.link.queue": {"kind": "trimming", "packets": 4},
            "traffic.0.transport": {"kind": "message"},
            "traffic.0.source": {"kind": "bulk", "size": "100 kB"},
            "traffic.0.start": {"kind": "uniform", "from": "0 s", "to": "10 us"},
        }
    )
    _, rows, packets = captured(scenario, flows=[0])
    for row, packet in zip(rows.iter_rows(named=True), packets, strict=True):
        assert correct(packet.octets)
        payload = bytes(IP(packet.octets)[UDP].payload)
        assert struct.unpack_from("!4sB3xQQ", payload)[::2] == (b"MSG1", row["seq"])
        assert struct.unpack_from("!16xQ", payload) == (row["ack"],)


def test_packets_of_bursts_name_their_burst() -> None:
    scenario = tp.example("obs-burst-life").with_({"run.duration": "12 ms", "run.warmup": "0 s"})
    _, rows, packets = captured(scenario, flows=[0])
    for row, packet in zip(rows.iter_rows(named=True), packets, strict=True):
        burst = f"burst {row['burst']} on data channel {row['channel']}"
        assert (burst in packet.comment) == (row["burst"] is not None)


#: A segment and its flow, as the tables have them.
FLOW = {
    "flow": 3, "from-node": 0, "to-node": 1, "transport": "tcp", "segment": 1460,
    "receive-window": 2**20, "timestamps": 1, "window-scaling": 1, "sack": 1, "ecn": 1,
}  # fmt: skip
PACKET = {
    "number": 70_000, "flow": 3, "backward": 0, "sent": 0, "bytes": 1512, "data": 1460, "seq": 0,
    "ack": 0, "window": 2**20, "flags": 16, "echo": None, "ecn": 1, "resent": 0,
    **{f"sack-{end}-{at}": None for at in range(1, 5) for end in ("from", "to")},
}  # fmt: skip


def built(**changes: Any) -> Any:
    packet = {**PACKET, **changes}
    whole = headers.datagram(packet, FLOW)
    head = headers.ip_header(packet, FLOW, whole, 1, 0)
    return (head + whole.octets).ljust(20 + whole.size, b"\0")


@pytest.mark.parametrize("seq", [0, 2**32 - 1, 2**32, 5 * 2**32 + 17])
def test_numbers_wrap_at_32_bits(seq: int) -> None:
    octets = built(seq=seq, ack=seq + 9)
    assert correct(octets)
    segment = IP(octets)[TCP]
    assert segment.seq == (headers.initial_sequence(3, 0) + 1 + seq) % 2**32
    assert segment.ack == (headers.initial_sequence(3, 1) + 1 + seq + 9) % 2**32


def test_blocks_wrap_and_only_those_that_fit_are_there() -> None:
    top = 2**32 - headers.initial_sequence(3, 0) - 1
    edges = {f"sack-from-{at}": top - 10 + 20 * at for at in range(1, 5)}
    edges |= {f"sack-to-{at}": top - 5 + 20 * at for at in range(1, 5)}
    octets = built(backward=1, data=0, **edges)
    assert correct(octets)
    found = dict(IP(octets)[TCP].options)["SAck"]
    assert found == (10, 15, 30, 35, 50, 55)


def test_windows_are_scaled_but_for_a_syns() -> None:
    assert headers.shift(FLOW) == 5
    assert IP(built(flags=16))[TCP].window == 2**15
    assert IP(built(flags=2, data=0))[TCP].window == 65_535
    assert IP(built(flags=16, window=None))[TCP].window == 65_535
    assert dict(IP(built(flags=2, data=0))[TCP].options)["WScale"] == 5


def test_a_syn_asks_for_ecn_and_is_answered() -> None:
    assert IP(built(flags=2, data=0))[TCP].flags == "SEC"
    assert IP(built(flags=18, data=0, backward=1))[TCP].flags == "SAE"


def test_what_is_larger_than_a_packet_may_be_has_no_length() -> None:
    whole = headers.datagram({**PACKET, "data": 65_535}, FLOW)
    head = headers.ip_header(PACKET, FLOW, whole, 1, 0)
    assert IP(head).len == 0
    large = {**PACKET, "data": 10**6, "bytes": 10**6 + 28}
    assert headers.datagram(large, {**FLOW, "transport": "udp"}).size == 65_515


def test_a_node_beyond_the_addresses_is_an_error() -> None:
    assert headers.address(2**24 - 3) == 0x0AFFFFFE
    with pytest.raises(tp.OutputError, match="no address"):
        headers.address(2**24 - 2)

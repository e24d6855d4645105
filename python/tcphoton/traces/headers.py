"""The headers that packets of a trace would have in a real network.

The engine has sizes, sequence numbers and flags, but no addresses and no octets. The rest is
generated here, the same for the same flow regardless of what else is recorded:

- node number n (from 0, in the order of the topology) has the address 10.0.0.0 + n + 1;
- flow number n has the source port 60100 + n mod 5000 and the sink port 50000 + (n div 5000) mod
  4000, ports for which Wireshark knows no protocol;
- the octets of data are zeros; initial sequence numbers are those of `initial_sequence`;
- timestamps (RFC 7323) count microseconds, from 1 at the start of the run;
- the identification of IPv4 is the packet's number (its last 16 bits), its time to live 64 less the
  links passed.

Stop-and-wait is sent as UDP with its own payload: the letters ``SAW1``, an octet of flags (those
of TCP's header), three zeros, the first octet of data and the octet acknowledged as 64-bit numbers
from 0; then the data.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Datagram", "address", "checksum", "datagram", "initial_sequence", "ip_header", "ports"]

Row = dict[str, Any]
WRAP = 2**32
TCP, UDP = 6, 17
IP_OCTETS, TCP_OCTETS, UDP_OCTETS = 20, 20, 8
LARGEST = 65_535
"""The largest packet of IPv4 in octets."""
NODES = 2**24 - 2
FLOWS_A_PORT, SINK_PORTS = 5_000, 4_000
SYN, FIN, ACK, ECE, CWR = 2, 1, 16, 64, 128
LARGEST_SHIFT = 14
"""RFC 7323 section 2.3."""
OPTIONS = 40
"""Octets that the options of a TCP header may take."""
MAGIC = {"stop-and-wait": b"SAW1", "message": b"MSG1"}
"""How the payload of a transport without headers of its own begins."""


class Datagram(NamedTuple):
    """The parts of a packet that are the same on all of its links."""

    protocol: int
    octets: bytes
    """Its transport's header and the beginning of its payload; zeros follow."""
    size: int
    """Octets of header and payload together."""


def address(node: int) -> int:
    """Return the address of a node as a number.

    Examples
    --------
    >>> f"{address(0):#x} {address(255):#x}"
    '0xa000001 0xa000100'
    """
    if node >= NODES:
        raise OutputError(f"node {node} has no address in 10.0.0.0/8: use the format csv")
    return 0x0A000000 + node + 1


def ports(flow: int) -> tuple[int, int]:
    """Return the ports of the source and of the sink of a flow.

    Examples
    --------
    >>> ports(0), ports(5001)
    ((60100, 50000), (60101, 50001))
    """
    return 60_100 + flow % FLOWS_A_PORT, 50_000 + flow // FLOWS_A_PORT % SINK_PORTS


def initial_sequence(flow: int, backward: int) -> int:
    """Return the initial sequence number of an end of a flow; they are spread over the range.

    Examples
    --------
    >>> initial_sequence(0, 0), initial_sequence(0, 1)
    (2654435761, 1013904226)
    """
    return 2_654_435_761 * (2 * flow + backward + 1) % WRAP


def checksum(octets: bytes, more: int = 0) -> int:
    """Return the Internet checksum (RFC 1071) of octets and a partial sum.

    Examples
    --------
    >>> hex(checksum(bytes.fromhex("0001f203f4f5f6f7")))
    '0x220d'
    """
    if len(octets) % 2:
        octets += b"\0"
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets)) + more
    while total > 0xFFFF:  # noqa: PLR2004
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - int(total)


def ends(packet: Row, flow: Row) -> tuple[int, int, int, int]:
    """Return source address, sink address, source port and sink port of a packet."""
    source, sink = address(flow["from-node"]), address(flow["to-node"])
    up, down = ports(flow["flow"])
    return (sink, source, down, up) if packet["backward"] else (source, sink, up, down)


def datagram(packet: Row, flow: Row) -> Datagram:
    """Return the TCP segment or the UDP datagram of a row of packets."""
    if flow["transport"] == "tcp":
        return _segment(packet, flow)
    if flow["transport"] == "udp":
        return _udp(packet, flow, b"", packet["data"])
    start = MAGIC[flow["transport"]] + struct.pack(
        "!B3xQQ", packet["flags"], packet["seq"], packet["ack"]
    )
    room = packet["bytes"] - IP_OCTETS - UDP_OCTETS
    return _udp(packet, flow, start, max(room, len(start)))


def ip_header(packet: Row, flow: Row, datagram: Datagram, hop: int, marked: int) -> bytes:
    """Return the IPv4 header on a link, the ``hop``-th of the packet's path.

    A packet larger than IPv4 permits has the total length 0, as in captures of hosts with
    segmentation offload.
    """
    source, sink, _, _ = ends(packet, flow)
    total = IP_OCTETS + datagram.size
    ecn = 3 if marked else 2 * packet["ecn"]
    head = struct.pack(
        "!BBHHHBBHII",
        0x45,
        ecn,
        total if total <= LARGEST else 0,
        packet["number"] % 2**16,
        0x4000,
        max(65 - hop, 1),
        datagram.protocol,
        0,
        source,
        sink,
    )
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:]


def _udp(packet: Row, flow: Row, start: bytes, payload: int) -> Datagram:
    source, sink, from_port, to_port = ends(packet, flow)
    size = min(UDP_OCTETS + payload, LARGEST - IP_OCTETS)
    head = struct.pack("!HHHH", from_port, to_port, size, 0)
    # A sum of zero is sent as its complement: zero means no checksum (RFC 768).
    sum_ = checksum(head + start, _pseudo(source, sink, UDP, size)) or 0xFFFF
    return Datagram(UDP, head[:6] + struct.pack("!H", sum_) + start, size)


def _segment(packet: Row, flow: Row) -> Datagram:
    source, sink, from_port, to_port = ends(packet, flow)
    backward, flags = packet["backward"], packet["flags"]
    ours = initial_sequence(flow["flow"], backward)
    theirs = initial_sequence(flow["flow"], 1 - backward)
    # The engine numbers octets of data from 0; a SYN is the number before them.
    seq = ours if flags & SYN else ours + 1 + packet["seq"]
    ack = theirs + 1 + packet["ack"] if flags & ACK else 0
    if flags & SYN and flow["ecn"]:
        flags |= ECE if flags & ACK else ECE | CWR
    options = b"".join(_options(packet, flow, theirs))
    head = struct.pack(
        "!HHIIBBHHH",
        from_port,
        to_port,
        seq % WRAP,
        ack % WRAP,
        (TCP_OCTETS + len(options)) // 4 << 4,
        flags,
        _window(packet, flow),
        0,
        0,
    )
    size = len(head) + len(options) + packet["data"]
    sum_ = checksum(head + options, _pseudo(source, sink, TCP, size))
    return Datagram(TCP, head[:16] + struct.pack("!H", sum_) + head[18:] + options, size)


def _options(packet: Row, flow: Row, theirs: int) -> Iterator[bytes]:
    """Yield the options of a segment (RFC 9293, RFC 7323, RFC 2018), each of whole words."""
    room = OPTIONS
    if packet["flags"] & SYN:
        yield struct.pack("!BBH", 2, 4, min(flow["segment"], LARGEST))
        if flow["window-scaling"]:
            yield struct.pack("!BBBB", 1, 3, 3, shift(flow))
        if flow["sack"]:
            yield struct.pack("!BBBB", 1, 1, 4, 2)
    if flow["timestamps"]:
        room -= 12
        echo = 0 if packet["echo"] is None else _stamp(packet["echo"])
        yield struct.pack("!BBBBII", 1, 1, 8, 10, _stamp(packet["sent"]), echo)
    blocks = list(_blocks(packet))[: (room - 4) // 8]
    if blocks:
        edges = [(theirs + 1 + octet) % WRAP for block in blocks for octet in block]
        yield struct.pack(f"!BBBB{len(edges)}I", 1, 1, 5, 2 + 4 * len(edges), *edges)


def _blocks(packet: Row) -> Iterator[tuple[int, int]]:
    for at in range(1, 5):
        start = packet[f"sack-from-{at}"]
        if start is None:
            return
        yield start, packet[f"sack-to-{at}"]


def _stamp(instant: int) -> int:
    """Return the microsecond of an instant in ps, starting at 1: zero means that there is none."""
    return (1 + instant // 10**6) % WRAP


def shift(flow: Mapping[str, Any]) -> int:
    """Return the window scale of a flow, the minimum for its receive window.

    Examples
    --------
    >>> [shift({"window-scaling": 1, "receive-window": each}) for each in (65_535, 65_536, None)]
    [0, 1, 14]
    """
    if not flow["window-scaling"]:
        return 0
    window: int | None = flow["receive-window"]
    if window is None:
        return LARGEST_SHIFT
    return min(max(window.bit_length() - 16, 0), LARGEST_SHIFT)


def _window(packet: Row, flow: Row) -> int:
    """Return the window field: the maximum if unlimited; that of a SYN is not scaled."""
    scale = 0 if packet["flags"] & SYN else shift(flow)
    window: int | None = packet["window"]
    return LARGEST if window is None else min(window >> scale, LARGEST)


def _pseudo(source: int, sink: int, protocol: int, size: int) -> int:
    """Return the sum of the pseudo-header (RFC 9293 section 3.1)."""
    return (source >> 16) + (source & 0xFFFF) + (sink >> 16) + (sink & 0xFFFF) + protocol + size

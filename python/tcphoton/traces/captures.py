"""A trace as a capture: each direction of a link is an interface with the packets on its wire.

The time of a packet is the instant at which its first bit leaves. A packet dropped by a queue was
never on a wire: it is counted, at the next packet and in the statistics of the interface.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton import _core
from tcphoton.traces import pcapng as blocks
from tcphoton.traces.headers import IP_OCTETS, Datagram, address, datagram, ip_header

if TYPE_CHECKING:
    from tcphoton.traces.trace import Trace

__all__ = ["SNAP", "pcapng"]

SNAP = 128
"""Octets that are kept of a packet: all headers, and zeros for data."""


def pcapng(trace: Trace, snap: int = SNAP) -> bytes:
    """Return a trace in the format pcapng.

    Parameters
    ----------
    trace
        The recorded trace.
    snap
        Octets that are kept of a packet.

    Examples
    --------
    >>> import tcphoton as tp
    >>> pcapng(tp.trace(tp.example("mm1"), stop="1 s"))[:4].hex()
    '0a0d0d0a'
    """
    flows = {flow["flow"]: flow for flow in trace.flows.iter_rows(named=True)}
    made: dict[int, Datagram] = {}
    links = trace.hops.get_column("link").unique().sort().to_list()
    number = {link: at for at, link in enumerate(links)}
    known = trace.links.select("link", "rate").rows()
    parts = [blocks.section(f"tcphoton {_core.__version__}", f"{trace.title}, seed {trace.seed}")]
    parts += [blocks.interface(known[link][0], int(known[link][1]), snap) for link in links]
    hosts = {(flow[f"{end}-node"], flow[end]) for flow in flows.values() for end in ("from", "to")}
    parts.append(blocks.names((address(node), name) for node, name in sorted(hosts)))
    waiting: Counter[int] = Counter()
    refused: Counter[int] = Counter()
    for row in _in_order(trace).iter_rows(named=True):
        link = row["link"]
        if row["start"] is None:
            waiting[link] += 1
            refused[link] += 1
            continue
        flow = flows[row["flow"]]
        whole = made.get(row["packet"])
        if whole is None:
            whole = made[row["packet"]] = datagram(row, flow)
        head = ip_header(row, flow, whole, row["hop"], row["marked"])
        size = IP_OCTETS + whole.size
        parts.append(
            blocks.packet(
                number[link],
                row["start"] // 1000,
                (head + whole.octets)[:snap].ljust(min(size, snap), b"\0"),
                max(size, row["bytes"]),
                row["number"],
                dropped=waiting.pop(link, 0),
                comment=_comment(row, size),
            )
        )
    offered = Counter(trace.hops.get_column("link").to_list())
    end = trace.end // 1000
    parts += [blocks.statistics(number[link], end, offered[link], refused[link]) for link in links]
    return b"".join(parts)


def _in_order(trace: Trace) -> pl.DataFrame:
    """Return the packets that were on a wire or dropped, sorted by that instant.

    Packets that are still waiting, or waited when their link failed permanently, are neither.
    """
    at = pl.coalesce("start", "lost")
    return trace.joined().filter(at.is_not_null()).sort(at, maintain_order=True)


def _comment(row: dict[str, Any], size: int) -> str:
    """Return the information that the headers do not have."""
    said = []
    if row["resent"]:
        said.append("sent again")
    if row["lost"] is not None:
        said.append(f"lost: {row['cause']}")
    if row["burst"] is not None:
        said.append(f"burst {row['burst']} on data channel {row['channel']}")
    if size > row["bytes"]:
        said.append(f"{row['bytes']} B on the wire of the simulation")
    return "; ".join(said)

"""What the paper varies, what it measures, the names of both, and what is derived of a run.

The *goodput* of a cell is the mean over its two TCP connections of the data that their sinks have
in order, over the time since the start, at the instant at which the first sink has its file or at
60 s.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.papers.published import published

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PUBLISHED = published("lbas")
GRID, VARIANT, CELL = "grid", "variant", "cell"
SIZE = "traffic.2.source.size"
ACCESS = "topology.tcp-rate"
HOST_QUEUE = "topology.tcp-queue"
HOST_QUEUES = {
    "no limit": '{ kind = "drop-tail", packets = 1000000 }',
    "100 frames": '{ kind = "drop-tail", packets = 100 }',
}
"""The queue of a TCP host's own interface: this paper's, and that of the profile."""


SCHEDULER, SSTHRESH = "core.scheduler", "traffic.2.transport.initial-ssthresh"
TRIED: dict[str, dict[str, tuple[str, str]]] = {
    "iterations": {
        "iSLIP with 1 iteration": (SCHEDULER, '{ kind = "islip", iterations = 1 }'),
        "iSLIP with 4 iterations": (SCHEDULER, '{ kind = "islip", iterations = 4 }'),
        "PIM with 1 iteration": (SCHEDULER, '{ kind = "pim", iterations = 1 }'),
        "maximum size": (SCHEDULER, '{ kind = "maximum-size" }'),
    },
    "ssthresh": {
        "ssthresh 65,535 B": (SSTHRESH, "65535 B"),
        "ssthresh unlimited": (SSTHRESH, "unlimited"),
    },
    "host-queue": {
        f"{name} at the host": (HOST_QUEUE, value) for name, value in HOST_QUEUES.items()
    },
    "assumptions": {
        "as assumed": (CELL, "as assumed"),
        "input buffer of 64 kB": (CELL, "input buffer of 64 kB"),
        "7 B of framing a packet": (CELL, "7 B of framing a packet"),
        "one RTT": (CELL, "one RTT"),
        "buffers of 1 MB": (CELL, "buffers of 1 MB"),
    },
}
"""What is tried instead, by artefact and name: a key and its value."""

NOT, IDEAL, EJSQ, RR, JSVOQ, RANDOM = (
    "Not LB+AS", "ideal-JSQ", "e-JSQ", "RR", "JSVOQ", "Random",
)  # fmt: skip
POLICIES = (NOT, IDEAL, EJSQ, RR, JSVOQ)
"""The rows of the paper's tables."""
DEGREES = (2, 3, 4)
LOADS = (50, 80)
"""Percent of the lightpaths that the self-similar sources fill."""
ALL = tuple((degree, load) for load in LOADS for degree in DEGREES)
"""The columns of the paper's tables."""
TABLES = {10: "table1", 100: "table2", 1000: "table3"}
"""The artefact of each access rate U in Mb/s."""
RATES = {10: "10 Mb/s", 100: "100 Mb/s", 1000: "1 Gb/s"}

GOODPUT = "cell-goodput"
"""Mb/s."""
BUNDLE_WAIT, BUNDLE_QUEUE = "bundle-wait", "bundle-queue"
"""Mean queuing time (ms) and mean length (packets) of the output ports of the bundle."""
PORTS_WAIT, PORTS_QUEUE = "ports-wait", "ports-queue"
"""The same of all output ports of the core nodes."""
VOQ_P99, VOQ_LARGEST, VOQ_MEAN = (f"line-cards.voq-{what}" for what in ("p99", "max", "mean"))
"""Bytes of a VOQ with the packet that joins it, at the input line card that has most; and the mean
that packets find."""
FILE = 500e6
"""Bytes of the file for which the paper counts fast retransmits."""
FAST, SPURIOUS = "fast-a-file", "spurious-a-file"
"""Fast retransmits, and those that nothing was lost for, for each `FILE` that was delivered."""
REORDERED, REORDERED_3 = "reordered-share", "reordered-3-share"
"""Percent of the data packets of the two connections that came late, and by three or more."""
EXTENT = "extent-mean"
SECONDS, WHOLE = "seconds", "whole"
"""Simulated seconds of a run, and whether a sink has its file (1) or not (0)."""

BUNDLE = r"^(left|right)-core -> (left|right)-core"
PORTS = r"^(left|right)-core -> "

Found = dict[str, "float | int | None"]


def cell(degree: int, load: int) -> str:
    """Return the name of a column of the paper's tables.

    Examples
    --------
    >>> cell(2, 50)
    'b_D = 2, 50 %'
    """
    return f"b_D = {degree}, {load} %"


def point(policy: str, degree: int, load: int, access: int | None = None) -> dict[str, Any]:
    """Return a cell of a table, or with the access rate one of all tables."""
    at = {VARIANT: policy, CELL: cell(degree, load)}
    return at if access is None else {**at, ACCESS: RATES[access]}


def goodput_of(access: int, policy: str, degree: int, load: int) -> float:
    """Return the published goodput of a cell in Mb/s.

    Examples
    --------
    >>> goodput_of(100, "e-JSQ", 4, 80)
    40.6
    """
    return PUBLISHED["", f"goodput at {access} Mb/s with {policy}, {load} % on {degree}"]


def derive(record: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> Found:
    """Return further measures of a run; see the names above for what they are."""
    tcp = record["traffic"][-1]
    found = _of_goodput(record, tcp)
    if "links" in tables:
        found |= _of_ports(tables["links"], BUNDLE, BUNDLE_WAIT, BUNDLE_QUEUE)
        found |= _of_ports(tables["links"], PORTS, PORTS_WAIT, PORTS_QUEUE)
    return {name: _finite(value) for name, value in found.items()}


def _of_goodput(record: Mapping[str, Any], tcp: Mapping[str, Any]) -> Found:
    files = tcp["goodput"] / 8 * record["measured"] / FILE
    found: Found = {
        GOODPUT: tcp["goodput"] / tcp["flows"] / 1e6,
        SECONDS: record["simulated"],
        WHOLE: int(bool(tcp.get("files-complete"))),
    }
    for name, column in ((FAST, "fast-retransmits"), (SPURIOUS, "spurious-fast-retransmits")):
        if tcp.get(column) is not None:
            found[name] = tcp[column] / files if files else None
    for name, column in ((REORDERED, "reorder-ratio"), (REORDERED_3, "reorder-3")):
        if tcp.get(column) is not None:
            found[name] = 100 * tcp[column]
    if tcp.get("reorder-extent-mean") is not None:
        found[EXTENT] = tcp["reorder-extent-mean"]
    return found


def _of_ports(links: pl.DataFrame, names: str, wait: str, queue: str) -> Found:
    """Return the mean wait of a packet over all ports, and the mean length of a port's queue."""
    ports = links.filter(pl.col("link").cast(pl.String).str.contains(names))
    if ports.is_empty():
        return {}
    taken = ports.get_column("packets-in").to_list()
    waits = [each or 0.0 for each in ports.get_column("wait-mean")]
    total = sum(taken)
    mean = math.fsum(n * each for n, each in zip(taken, waits, strict=True)) / total if total else 0
    return {wait: 1e3 * mean, queue: _mean(ports.get_column("queue-mean"))}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return math.fsum(known) / len(known) if known else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None

"""A trace in the trace-event format for ui.perfetto.dev: tracks, slices and counters.

Each direction of a link is a process. A slice on its track *wire* is a transmitted packet, from the
first bit to the last; each data channel of an optical link is a track whose slices are bursts.
Waiting times overlap, so *waiting* has as many rows as packets wait simultaneously. A lost packet
is an instant. Counters are sampled values: queues with their links, windows in a separate process.
"""

from __future__ import annotations

import heapq
import json
from itertools import chain
from typing import TYPE_CHECKING, Any

from tcphoton.runs.measures import SERIES_UNITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton.traces.trace import Trace

__all__ = ["perfetto"]

Event = dict[str, Any]
Row = dict[str, Any]
FLOWS = 1
"""The process with the values of flows; links follow."""
FIRST_LINK = 2
WIRE, LOST, FIRST_CHANNEL = 1, 2, 10


def perfetto(trace: Trace) -> bytes:
    """Return a trace as JSON in the trace-event format, times in microseconds to the nanosecond.

    Examples
    --------
    >>> import tcphoton as tp
    >>> text = perfetto(tp.trace(tp.example("mm1"), stop="1 s"))
    >>> sorted({event["ph"] for event in json.loads(text)["traceEvents"]})
    ['M', 'X', 'b', 'e']
    """
    events = chain(_tracks(trace), _packets(trace), _bursts(trace), _counters(trace))
    lines = ",\n".join(json.dumps(event, ensure_ascii=False) for event in events)
    about = json.dumps({"title": trace.title, "seed": trace.seed}, ensure_ascii=False)
    text = f'{{"displayTimeUnit": "ns", "otherData": {about}, "traceEvents": [\n{lines}\n]}}\n'
    return text.encode()


def _micro(picoseconds: int) -> float:
    """Return an instant in whole nanoseconds, so that adjacent slices stay adjacent."""
    return picoseconds // 1000 / 1000


def _pico(seconds: float) -> int:
    return round(seconds * 1e12)


def _name(process: int, name: str, thread: int | None = None, order: int = 0) -> Iterator[Event]:
    what = "process" if thread is None else "thread"
    where = {"ph": "M", "pid": process} | ({} if thread is None else {"tid": thread})
    yield where | {"name": f"{what}_name", "args": {"name": name}}
    yield where | {"name": f"{what}_sort_index", "args": {"sort_index": order}}


def _tracks(trace: Trace) -> Iterator[Event]:
    """Name the links on which something happened, and their tracks."""
    yield from _name(FLOWS, "flows")
    names = trace.links.get_column("link").to_list()
    used = set(trace.hops.get_column("link").to_list())
    optical: dict[str, int] = {}
    if not trace.channels.is_empty():
        for link, kind in trace.channels.select("link", "kind").iter_rows():
            optical[link] = optical.get(link, 0) + (kind == "data")
    for link in sorted(used):
        process = FIRST_LINK + link
        yield from _name(process, names[link], order=link + 1)
        yield from _name(process, "lost", LOST, order=LOST)
        channels = optical.get(names[link], 0)
        for channel in range(channels):
            at = FIRST_CHANNEL + channel
            yield from _name(process, f"channel {channel}", at, order=at)
        if not channels:
            yield from _name(process, "wire", WIRE, order=WIRE)


def _packets(trace: Trace) -> Iterator[Event]:
    """Return slices of packets on their wires and in queues, and instants of lost ones."""
    lanes: dict[int, _Lanes] = {}
    for row in trace.joined().iter_rows(named=True):
        process = FIRST_LINK + row["link"]
        name = _title(row)
        about = {key: row[key] for key in ("number", "flow", "bytes", "seq", "ack")}
        end = row["end"] if row["end"] is not None else row["lost"]
        leaves = row["burst"] is None and row["start"] is not None and end is not None
        if leaves:
            yield _slice((process, WIRE), name, (row["start"], end), about)
        # A packet that waited until its link failed, and still waits, has no end.
        until = row["start"] if row["start"] is not None else row["lost"]
        if row["burst"] is None and until is not None and until > row["offered"]:
            lane = lanes.setdefault(row["link"], _Lanes()).take(row["offered"], until)
            where = {"cat": "waiting", "id": f"{process}.{lane}", "pid": process, "tid": WIRE}
            begins = {"ph": "b", "ts": _micro(row["offered"]), "name": "waiting"}
            yield where | begins | {"args": {"packet": name} | about}
            yield where | {"ph": "e", "ts": _micro(until), "name": "waiting"}
        if row["lost"] is not None:
            instant = {"ph": "i", "s": "t", "pid": process, "tid": LOST, "ts": _micro(row["lost"])}
            yield instant | {"name": f"{name}: {row['cause']}", "args": about}


class _Lanes:
    """Rows for waits that overlap: as many as packets wait simultaneously."""

    def __init__(self) -> None:
        self.free: list[int] = []
        self.busy: list[tuple[int, int]] = []
        self.made = 0

    def take(self, start: int, end: int) -> int:
        """Return a row that is free at ``start``; calls are in the order of time."""
        while self.busy and self.busy[0][0] <= start:
            heapq.heappush(self.free, heapq.heappop(self.busy)[1])
        if not self.free:
            self.free.append(self.made)
            self.made += 1
        lane = heapq.heappop(self.free)
        heapq.heappush(self.busy, (end, lane))
        return lane


def _bursts(trace: Trace) -> Iterator[Event]:
    """Return slices of bursts on their channels."""
    if trace.reservations.is_empty():
        return
    processes = {name: FIRST_LINK + at for at, name in enumerate(trace.links.get_column("link"))}
    used = set(trace.hops.get_column("link").to_list())
    made = {burst["burst"]: burst for burst in trace.bursts.iter_rows(named=True)}
    carried = set(trace.hops.get_column("burst").drop_nulls().to_list())
    for row in trace.reservations.iter_rows(named=True):
        process = processes[row["link"]]
        if process - FIRST_LINK not in used:
            continue
        burst = made[row["burst"]]
        about = {"burst": row["burst"], "packets": burst["packets"], "bytes": burst["bytes"]}
        name = f"burst {row['burst']}"
        if row["outcome"] == "granted" and row["burst"] in carried:
            track = (process, FIRST_CHANNEL + int(row["channel"]))
            span = (_pico(row["start"]), _pico(row["end"]))
            more = {"header": row["header-sent"], "asked": row["asked"]}
            yield _slice(track, name, span, about | more)


def _counters(trace: Trace) -> Iterator[Event]:
    processes = {name: FIRST_LINK + at for at, name in enumerate(trace.links.get_column("link"))}
    for time, what, subject, value in trace.series.iter_rows():
        unit = SERIES_UNITS[what]
        process, name = processes.get(subject, FLOWS), what
        if process == FLOWS:
            name = f"{what} of {subject}"
        yield {
            "ph": "C",
            "pid": process,
            "ts": _micro(_pico(time)),
            "name": name,
            "args": {unit: value},
        }


def _slice(track: tuple[int, int], name: str, span: tuple[int, int], about: Row) -> Event:
    process, thread = track
    start, end = _micro(span[0]), _micro(span[1])
    where = {"ph": "X", "pid": process, "tid": thread, "ts": start}
    return where | {"dur": round(end - start, 3), "name": name, "args": about}


def _title(packet: Row) -> str:
    kind = "data" if packet["data"] else "ack" if packet["backward"] else "control"
    again = " again" if packet["resent"] else ""
    return f"flow {packet['flow']} {kind} {packet['seq' if packet['data'] else 'ack']}{again}"

"""Traces: a run whose packets and bursts are recorded individually, within limits.

Instants in the tables of a `Trace` are whole picoseconds, as in the engine; `rows` gives them in
seconds, as in all other tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.common import display
from tcphoton.errors import Mistake, ScenarioError
from tcphoton.runs.results import frame_of
from tcphoton.runs.run import seed_for
from tcphoton.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tcphoton import _core

__all__ = ["LIMIT", "Trace", "trace"]

LIMIT = 1_000_000
"""Default maximum of rows of a trace: about 200 MB."""
NONE = 2**64 - 1
"""The engine's value for a missing entry."""
SEARCHED = 1_000_000
"""Number of events in which the first packet is searched for a message."""
UNLIMITED = 2**32 - 1
"""The window of an end without a limit."""
INSTANTS = ("offered", "start", "end", "arrived", "lost", "sent", "echo")
FLAGS = {1: "FIN", 2: "SYN", 16: "ACK", 64: "ECE", 128: "CWR"}


@dataclass(frozen=True)
class Trace:
    """The recorded packets of a run.

    Attributes
    ----------
    title, seed
        The title and the seed of the run.
    hops : polars.DataFrame
        One row for each link that a packet was offered to, in the order of time: `packet` and
        `link` are rows of the tables of these names, `hop` counts the packet's links from 1.
        Instants: `offered` to the link's queue, first bit left (`start`), last bit left (`end`),
        processed at the far end (`arrived`), `lost` with its `cause`; null if that did not happen.
        `marked` is 1 from the queue on that marked congestion; `channel` and `burst` are those of
        an optical link.
    packets, flows, nodes, links, series : polars.DataFrame
        One row per packet and per flow in `hops`, node, direction of a link, sampled value. `links`
        is that of a report, with the numbers of the nodes at its ends, its propagation delay in ps
        and its number of data channels.
    channels, bursts, reservations : polars.DataFrame
        Of an optical network, as in a report; without columns in other networks.
    start, stop
        The span of time in ps: packets offered to a link from `start` on and before `stop`.
    cut
        Where the limit on rows was reached: packets offered later are missing, and possibly some
        of this instant. There may be fewer rows than the limit if packets join queues
        retroactively.
    stopped
        The simulated second at which ``run.max-events`` was reached, before the end of the trace.
    """

    title: str
    seed: int
    hops: pl.DataFrame
    packets: pl.DataFrame
    flows: pl.DataFrame
    nodes: pl.DataFrame
    links: pl.DataFrame
    series: pl.DataFrame
    channels: pl.DataFrame
    bursts: pl.DataFrame
    reservations: pl.DataFrame
    start: int
    stop: int
    cut: int | None
    stopped: float | None = None

    @property
    def end(self) -> int:
        """The instant in ps up to which no packet is missing: `cut`, or `stop`."""
        return self.stop if self.cut is None else self.cut

    def _repr_html_(self) -> str:
        """Play the trace in a notebook."""
        return display.in_html("trace", self)

    def rows(self) -> pl.DataFrame:
        """Return one row for each link that a packet was offered to, with all its columns.

        Times are in seconds.

        Examples
        --------
        >>> import tcphoton as tp
        >>> traced = tp.trace(tp.example("mm1"), stop="1 s", nodes=["a"])
        >>> traced.rows().select("link", "hop").row(0)
        ('a -> b', 1)
        """
        links = self.links.get_column("link")
        flags = pl.concat_str(
            [
                pl.when((pl.col("flags") & bit) > 0).then(pl.lit(f"{name} ")).otherwise(pl.lit(""))
                for bit, name in FLAGS.items()
            ]
        ).str.strip_chars_end()
        first = ["flow", "number", "backward", "link", "hop"]
        rest = [
            name
            for name in (*self.hops.columns, *self.packets.columns)
            if name not in {*first, "packet"}
        ]
        joined = self.joined().with_columns(links.gather(self.hops["link"]).alias("link"))
        return joined.select(*first, *rest).with_columns(
            flags.alias("flags"), *(pl.col(name) / 1e12 for name in INSTANTS)
        )

    def joined(self) -> pl.DataFrame:
        """Return `hops` joined with the columns of `packets`; instants in picoseconds."""
        packets = self.packets.select(pl.all().gather(self.hops["packet"]))
        return pl.concat([self.hops, packets], how="horizontal")


def trace(
    scenario: Scenario,
    seed: int | None = None,
    *,
    start: str | None = None,
    stop: str | None = None,
    flows: Sequence[int] = (),
    nodes: Sequence[str] = (),
    limit: int = LIMIT,
    counters: bool = False,
    progress: Callable[[float, float, int], Any] | None = None,
) -> Trace:
    """Simulate a scenario and record its packets and bursts individually.

    It is the same run as that of `tcphoton.run`; it ends early if nothing more is to be recorded.

    Parameters
    ----------
    scenario, seed
        What to simulate, as for `tcphoton.run`.
    start, stop
        Only packets offered to a link from ``start`` on and before ``stop``, times such as
        ``"10 ms"``; default: the whole run.
    flows
        Only these flows, by their number in the order of creation.
    nodes
        Only links that begin or end at one of these nodes.
    limit
        The maximum number of rows of `hops`; `Trace.cut` says where it was reached. It also limits
        bursts and sampled values.
    counters
        Sample congestion windows and queues a thousand times in the span, unless the scenario has
        its own series.
    progress
        As for `tcphoton.run`.

    Raises
    ------
    ScenarioError
        The scenario has errors, a flow or node does not exist, the span is not within the run, or
        nothing was offered to any of the links.

    Examples
    --------
    >>> import tcphoton as tp
    >>> traced = tp.trace(tp.example("mm1"), stop="1 s")
    >>> traced.hops.filter(pl.col("start") < pl.col("offered")).height
    0
    """
    if not 1 <= limit <= 2**31:
        raise ScenarioError([Mistake.at(f"--limit {limit}", "out of range", accepted="1 to 2^31")])
    Scenario.expect(scenario)
    checked = scenario.checked()
    seed = seed_for(checked, seed)
    tell = _Last(progress)
    found = checked.trace(
        seed,
        start=start,
        stop=stop,
        flows=[_flow(flow) for flow in flows],
        nodes=list(nodes),
        limit=limit,
        counters=counters,
        progress=tell,
    )
    tables = {table.name: _frame(table) for table in found.tables}
    if tables["hops"].is_empty():
        options = [("--from", start), ("--to", stop)]
        asked_for = " ".join(f"{option} {time}" for option, time in options if time is not None)
        problem = "no packet of this trace was offered to any link"
        later = None if stop is None else _first(checked, seed, start, flows, nodes)
        accepted = "" if later is None else f"a later --to: the first is offered at {later:.12g} s"
        raise ScenarioError([Mistake.at(asked_for or scenario.file, problem, accepted=accepted)])
    end = (found.stop if found.cut is None else found.cut) / 1e12
    none = pl.DataFrame()
    asked = tables.get("reservations", none)
    return Trace(
        title=str(scenario.to_dict().get("title", "")),
        seed=seed,
        hops=tables["hops"],
        packets=tables["packets"],
        flows=tables["flows"],
        nodes=tables["nodes"],
        links=tables["links"],
        series=tables["series"].filter(pl.col("time") < end),
        channels=tables.get("channels", none),
        bursts=tables.get("bursts", none),
        reservations=asked if asked.is_empty() else asked.filter(pl.col("asked") < end),
        start=found.start,
        stop=found.stop,
        cut=found.cut,
        stopped=tell.stopped(scenario, found),
    )


class _Last:
    """Keeps the last reported progress of a run, and passes it on."""

    def __init__(self, progress: Callable[[float, float, int], Any] | None) -> None:
        self.progress = progress
        self.now = 0.0
        self.events = 0

    def __call__(self, now: float, end: float, events: int) -> None:
        self.now, self.events = now, events
        if self.progress is not None:
            self.progress(now, end, events)

    def stopped(self, scenario: Scenario, found: _core.Trace) -> float | None:
        """Return the second at which the event budget was reached before the end of the trace."""
        budget = scenario.to_dict()["run"].get("max-events")
        spent = budget is not None and self.events >= budget
        early = found.cut is None and round(self.now * 1e12) < found.stop
        return self.now if spent and early else None


def _first(
    checked: _core.Checked,
    seed: int,
    start: str | None,
    flows: Sequence[int],
    nodes: Sequence[str],
) -> float | None:
    """Return the second of the first packet from `start` on, if a limited search finds one."""

    def tell(now: float, end: float, events: int) -> None:
        del now, end
        if events > SEARCHED:
            raise _SearchOverError

    try:
        found = checked.trace(
            seed, start=start, flows=list(flows), nodes=list(nodes), limit=1_000, progress=tell
        )
    except _SearchOverError:
        return None
    hops = next(_frame(table) for table in found.tables if table.name == "hops")
    return None if hops.is_empty() else hops["offered"][0] / 1e12


class _SearchOverError(Exception):
    """A search has seen enough."""


def _flow(number: int) -> int:
    if not 0 <= number < NONE:
        mistake = Mistake.at(f"--flow {number}", "no flow has this number", accepted="0, 1, 2, …")
        raise ScenarioError([mistake])
    return number


def _frame(table: _core.Table) -> pl.DataFrame:
    """Convert a table, with nulls for missing values."""
    frame = frame_of(table)
    if table.name in {"hops", "packets", "flows"}:
        whole = pl.col(pl.UInt64)
        frame = frame.with_columns(pl.when(whole != NONE).then(whole).name.keep())
    if table.name == "packets":
        limited = pl.col("window")
        frame = frame.with_columns(pl.when(limited != UNLIMITED).then(limited))
    if table.name == "hops":
        frame = frame.with_columns(pl.when(pl.col("cause") != "").then(pl.col("cause")))
    return frame

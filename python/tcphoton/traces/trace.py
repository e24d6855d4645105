"""Traces: a run whose packets and bursts are recorded one by one, within bounds.

Instants in the tables of a `Trace` are whole picoseconds, which is what the engine counts; `rows`
gives them in seconds, as every other table has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.errors import Mistake, ScenarioError
from tcphoton.runs.results import frame_of
from tcphoton.runs.run import seed_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tcphoton import _core
    from tcphoton.scenario.scenario import Scenario

__all__ = ["LIMIT", "Trace", "trace"]

LIMIT = 1_000_000
"""Rows of a trace unless it is said otherwise: some 200 MB."""
NONE = 2**64 - 1
"""What the engine hands over for what is not there."""
SEARCHED = 1_000_000
"""Events in which the first packet is searched for that a message names."""
UNLIMITED = 2**32 - 1
"""The window of an end that sets no limit."""
INSTANTS = ("offered", "start", "end", "arrived", "lost", "sent", "echo")
FLAGS = {1: "FIN", 2: "SYN", 16: "ACK", 64: "ECE", 128: "CWR"}


@dataclass(frozen=True)
class Trace:
    """What a recorded run did.

    Attributes
    ----------
    title, seed
        What was run.
    hops : polars.DataFrame
        One row for each link that a packet was offered to, in the order of time: `packet` and
        `link` are rows of the tables of these names, `hop` counts the packet's links from 1.
        Instants: `offered` to the link's queue, first bit left (`start`), last bit left (`end`),
        the far end acted on it (`arrived`), `lost` with its `cause`; nothing where that did not
        happen. `marked` is 1 from the queue on that met congestion; `channel` and `burst` are
        those of an optical link.
    packets, flows, links, series : polars.DataFrame
        One row a packet and a flow of these, a direction of a link, a sampled value.
    channels, bursts, reservations : polars.DataFrame
        Of an optical network, as in a report; without columns elsewhere.
    start, stop
        The span of time in ps: packets offered to a link from `start` on and before `stop`.
    cut
        Where the limit on rows was reached: what was offered later is not there, and perhaps not
        all of this instant. Where packets join queues in arrears there may be fewer rows than that.
    stopped
        The simulated second at which ``run.max-events`` was spent, before the end of the trace.
    """

    title: str
    seed: int
    hops: pl.DataFrame
    packets: pl.DataFrame
    flows: pl.DataFrame
    links: pl.DataFrame
    series: pl.DataFrame
    channels: pl.DataFrame
    bursts: pl.DataFrame
    reservations: pl.DataFrame
    start: int
    stop: int
    cut: int | None
    stopped: float | None = None

    def rows(self) -> pl.DataFrame:
        """Return one row for each link that a packet was offered to, with all that is known of it.

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
        """Return `hops` with the columns of `packets` beside; instants in picoseconds."""
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
    """Simulate a scenario and record its packets and bursts one by one.

    It is the run that `tcphoton.run` makes; it ends early where nothing more is to be recorded.

    Parameters
    ----------
    scenario, seed
        What to simulate, as for `tcphoton.run`.
    start, stop
        Only what is offered to a link from ``start`` on and before ``stop``, times such as
        ``"10 ms"``; the whole run unless given.
    flows
        Only these flows, by their number in the order of creation.
    nodes
        Only links that begin or end at one of these nodes.
    limit
        The most rows of `hops`; `Trace.cut` says where it was reached. Bursts and sampled values
        are bounded by it too.
    counters
        Sample congestion windows and queues a thousand times in the span, unless the scenario has
        series of its own.
    progress
        As for `tcphoton.run`.

    Raises
    ------
    ScenarioError
        The scenario has mistakes, a flow or node is not there, the span is not within the run, or
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
    """Keeps how far a run had come when it was told last, and passes that on."""

    def __init__(self, progress: Callable[[float, float, int], Any] | None) -> None:
        self.progress = progress
        self.now = 0.0
        self.events = 0

    def __call__(self, now: float, end: float, events: int) -> None:
        self.now, self.events = now, events
        if self.progress is not None:
            self.progress(now, end, events)

    def stopped(self, scenario: Scenario, found: _core.Trace) -> float | None:
        """Return the second at which the event budget was spent before the end of the trace."""
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
    """Return the second of the first packet from `start` on, where a search of events finds one."""

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
    """Take over a table, with nothing where there is nothing."""
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

"""Recorded single bursts of a run: which of them filled a void, and the life of one.

The tables are `bursts` and `reservations` (``[record] bursts``). The instants of a life are those
of a clock at each node that is zero when light sent at the burst's release arrives there: the
propagation delays are removed, so a header reaches the next node at the instant at which it leaves.
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import polars as pl

from tcphoton.common import quantities

if TYPE_CHECKING:
    from tcphoton.runs.results import Report

__all__ = ["Hop", "Life", "fillings", "first_filling", "granted", "life", "micro"]

FILLING: dict[str, Any] = {
    "burst": pl.UInt64, "link": pl.String, "channel": pl.Float64, "start": pl.Float64,
    "end": pl.Float64, "fibre-delay": pl.Float64, "void-start": pl.Float64,
    "void-end": pl.Float64, "before": pl.UInt64, "behind": pl.UInt64,
}  # fmt: skip


def fillings(report: Report) -> pl.DataFrame:
    """Return the reservations that fill a void: when they are made, a later one exists already.

    Parameters
    ----------
    report
        A report of a scenario with ``[record] bursts``.

    Returns
    -------
    polars.DataFrame
        One row per such reservation, in the order in which they were made: `burst`, `link`,
        `channel`, `start`, `end`, `fibre-delay`; the void from `void-start` to `void-end` at that
        time, and the bursts `before` and `behind` it, null if there was none before.

    Examples
    --------
    >>> import tcphoton as tp
    >>> found = fillings(tp.run(tp.example("obs-burst-life")))
    >>> found.filter(pl.col("void-start") > pl.col("start")).height
    0
    """
    channels: dict[tuple[str, float], list[tuple[float, float, int]]] = {}
    found = []
    for row in granted(report).iter_rows(named=True):
        channel = channels.setdefault((row["link"], row["channel"]), [])
        at = bisect(channel, (row["start"],))
        if at < len(channel):
            before = channel[at - 1] if at else (None, None, None)
            own = {key: row[key] for key in FILLING if key in row}
            void = {"void-start": before[1], "void-end": channel[at][0]}
            found.append(own | void | {"before": before[2], "behind": channel[at][2]})
        channel.insert(at, (row["start"], row["end"], row["burst"]))
    return pl.DataFrame(found, schema=FILLING)


def granted(report: Report) -> pl.DataFrame:
    """Return the reservations in the order in which they were made.

    Raises
    ------
    ValueError
        No burst was recorded.
    """
    if report.reservations.is_empty():
        raise ValueError("the report has no bursts: set `bursts` under `[record]`")
    return report.reservations.filter(pl.col("outcome") == "granted")


def first_filling(report: Report) -> int:
    """Return the first burst that was delivered and filled a void.

    Raises
    ------
    ValueError
        There is none.
    """
    delivered = report.bursts.filter(pl.col("outcome") == "delivered").get_column("burst")
    found = fillings(report).filter(pl.col("burst").is_in(delivered.implode()))
    if found.is_empty():
        raise ValueError("no recorded burst filled a void: name the one to be drawn")
    return int(found.get_column("burst")[0])


@dataclass(frozen=True)
class Hop:
    """A node that the burst came to and the link that it requested; instants in µs."""

    link: str
    row: dict[str, Any]
    """Its row of the table `reservations`."""
    void: dict[str, Any] | None
    """The void that it filled, a row of `fillings`."""
    channels: int
    """Data channels of the link."""
    zero: float
    """The second at which the node's clock is zero."""
    arrived: float | None
    """The header has arrived; null at the ingress edge."""
    asked: float
    sent: float | None
    came: float | None
    """The burst's first bit has arrived; null at the ingress edge."""
    start: float | None
    end: float | None
    stored: bool
    """A core node forwards a burst only when its last bit has arrived."""

    @property
    def node(self) -> str:
        """The node where the link begins."""
        return self.link.split(" -> ")[0]

    @property
    def delays(self) -> dict[str, float]:
        """How long the burst's first bit was at the node, by cause, in µs."""
        if self.came is None or self.start is None or self.end is None:
            return {}
        line = self.row["fibre-delay"] * 1e6
        length = self.end - self.start if self.stored else 0.0
        rest = self.start - self.came - line - length
        parts = {"input delay": rest, "storing": length, "delay line": line}
        return {cause: round(delay, 6) for cause, delay in parts.items() if delay > 0}


@dataclass(frozen=True)
class Life:
    """What happened to a burst; instants in µs."""

    burst: dict[str, Any]
    """Its row of the table `bursts`."""
    hops: list[Hop]
    opened: float
    delivered: float | None

    @property
    def number(self) -> int:
        """Its number in the order of release."""
        return int(self.burst["burst"])


def life(report: Report, number: int) -> Life:
    """Return the life of a recorded burst.

    Raises
    ------
    ValueError
        The burst was not recorded, or requested no channel, or is an optical packet: it has no
        separate header.

    Examples
    --------
    >>> import tcphoton as tp
    >>> report = tp.run(tp.example("obs-burst-life"))
    >>> [(hop.link, hop.asked) for hop in life(report, first_filling(report)).hops]
    [('E0 -> C1', 0.0), ('C1 -> C2', 10.0512), ('C2 -> E3', 20.1024)]
    """
    recorded = report.bursts.filter(pl.col("burst") == number).to_dicts()
    asked = report.reservations.filter(pl.col("burst") == number).to_dicts()
    if not recorded or not asked:
        raise ValueError(
            f"burst {number} {'requested no channel' if recorded else 'is not recorded'}"
        )
    known = dict(report.parameters.select("key", "value").iter_rows())
    if known["core.kind"] == "packet":
        raise ValueError(f"burst {number} is an optical packet: it has no separate header")
    processing = quantities.number(known["control.processing"])
    delays = _delays(known)
    data = report.channels.filter(pl.col("kind") == "data")
    channels = dict(data.group_by("link").len().iter_rows())
    voids = fillings(report).filter(pl.col("burst") == number).to_dicts()
    zero = released = recorded[0]["released"]
    hops: list[Hop] = []
    for row in asked:
        hops.append(
            Hop(
                link=row["link"],
                row=row,
                void=next((void for void in voids if void["link"] == row["link"]), None),
                channels=channels[row["link"]],
                zero=zero,
                arrived=micro(row["asked"] - processing, zero) if hops else None,
                asked=micro(row["asked"], zero),
                sent=micro(row["header-sent"], zero),
                # Light that leaves at an instant of one clock arrives at the same instant of the
                # next clock.
                came=hops[-1].start if hops else None,
                start=micro(row["start"], zero),
                end=micro(row["end"], zero),
                stored=known["core.forwarding"] == "store-and-forward",
            )
        )
        zero += delays[row["link"]]
    opened, delivered = recorded[0]["opened"], recorded[0]["delivered"]
    return Life(recorded[0], hops, micro(opened, released), micro(delivered, zero))


def _delays(known: dict[str, str]) -> dict[str, float]:
    """Return the propagation delay of every link named in the scenario, in seconds."""
    delays: dict[str, float] = {}
    for key, value in known.items():
        if key.startswith("topology.links.") and key.endswith(".delay"):
            link = key.removesuffix("delay")
            ends = known[f"{link}from"], known[f"{link}to"]
            delay = quantities.number(value)
            delays |= {" -> ".join(ends): delay, " -> ".join(reversed(ends)): delay}
    return delays


@overload
def micro(instant: float, zero: float) -> float: ...
@overload
def micro(instant: None, zero: float) -> None: ...
@overload
def micro(instant: float | None, zero: float) -> float | None: ...
def micro(instant: float | None, zero: float) -> float | None:
    """Return an instant in µs relative to another one, to a picosecond, the engine's resolution.

    Examples
    --------
    >>> micro(0.0100512, 0.01)
    51.2
    """
    return None if instant is None else round((instant - zero) * 1e6, 6)

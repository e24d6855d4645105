"""What the paper measures, from the tables of its runs.

A session's *throughput* is its goodput: data that the receiver has in order, over the simulated
time. A figure's value is the mean of the sessions of equal rate (section IV.A of the paper).
*Delay* is the mean over data packets, from the first bit on the wire of the copy that arrives until
its last bit has come: the waits in the sender's socket and in its interface are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tcphoton.analysis.controls import RAW
from tcphoton.papers.published import published

LOSS, SIZE, TIMEOUT = "assembly.loss", "assembly.max-size", "assembly.timeout"
SMALLEST, LARGEST = "20 kB", "300 kB"
PUBLISHED = published("obs")


@dataclass(frozen=True)
class Session:
    """Like sessions: an entry of a scenario's traffic.

    Attributes
    ----------
    name
        The rate of their sources as text.
    entry, count
        The number of the entry, and of the sessions in it.
    rate
        The rate of each source, in Mb/s.
    """

    name: str
    entry: int
    count: int
    rate: float

    def measures(self, table: pl.DataFrame, before: str = "") -> pl.DataFrame:
        """Add what figures and rules are about, with something before the names.

        These are ``throughput`` (Mb/s per session), ``share`` (percent of the source's rate),
        ``delay`` and ``delay-first`` (ms; the latter counts from the first transmission). Those
        that end in ``-raw`` are of a run as it is, with its surpluses.
        """
        goodput, raw = (
            pl.col(f"traffic.{self.entry}.{name}") / self.count / 1e6
            for name in ("goodput", f"goodput{RAW}")
        )
        added = {
            "throughput": goodput,
            f"throughput{RAW}": raw,
            "share": 100 * goodput / self.rate,
            "delay": 1e3 * pl.col(f"traffic.{self.entry}.delay-wire-mean"),
            f"delay{RAW}": 1e3 * pl.col(f"traffic.{self.entry}.delay-wire-mean{RAW}"),
            "delay-first": 1e3 * pl.col(f"traffic.{self.entry}.delay-first-mean"),
        }
        known = set(table.columns)
        there = {
            f"{before}{name}": term
            for name, term in added.items()
            if known >= {*term.meta.root_names()}
        }
        return table.with_columns(**there)


SESSIONS = {
    rate: Session(f"{rate} Mb/s", entry, 2, PUBLISHED["obs.1", f"{rate} Mb/s"])
    for entry, rate in enumerate((1000, 400, 200))
}
"""The three-node network's, by their rates."""
EIGHT = Session("1000 Mb/s", 0, 30, 1000.0)
"""The eight-node network's."""


def measured(table: pl.DataFrame) -> pl.DataFrame:
    """Add the measures of all sessions, each after the session: ``400.delay``, ``eight.share``."""
    for name, session in (*SESSIONS.items(), ("eight", EIGHT)):
        table = session.measures(table, f"{name}.")
    return table

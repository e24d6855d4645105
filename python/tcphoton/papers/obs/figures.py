"""The figures of the paper, from the tables of its artefacts.

Bands are 95 % intervals. A published number that belongs to a point is a ring there; other ones
stand above the figure. A curve without published numbers has none: nothing is read off a printed
figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton import figures
from tcphoton.analysis.statistics import mean_interval
from tcphoton.common import quantities
from tcphoton.papers.charts import beside, ringed, said, sensitivity
from tcphoton.papers.obs.measures import (
    EIGHT,
    LOSS,
    PUBLISHED,
    SESSIONS,
    SIZE,
    TIMEOUT,
    Session,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tcphoton.papers.ledger import Claim

TITLES = {
    "size": "maximum burst size",
    "timeout": "burst timeout",
    "rate": "rate of each source",
    "throughput": "throughput of a session",
    "delay": "mean delay of a packet",
    "power": "throughput / delay",
    "lost": "bursts lost by contention",
}
UNITS = {
    "size": "kB", "timeout": "ms", "rate": "Mb/s", "throughput": "Mb/s", "delay": "ms",
    "power": "Mb/s per ms", "lost": "%",
}  # fmt: skip
ABOUT = {"obs.3": "throughput falls", "obs.4": "throughput grows"}
"""What the parts of some claims leave unsaid, for a separate panel."""
SHORT = {"store-and-forward": "stored"}


def _lines(table: pl.DataFrame, x: str, y: str, by: str, **options: Any) -> Any:
    return figures.lines(
        table, x=x, y=y, by=by, interval="band", titles=TITLES, units=UNITS, **options
    )


def _prepared(table: pl.DataFrame, session: Session) -> pl.DataFrame:
    """Add the measures of a session, and what figures have across and as groups."""

    def numbers(key: str, unit: float) -> list[float]:
        return [quantities.number(text) / unit for text in table.get_column(key)]

    measured = session.measures(table).with_columns(
        size=pl.Series(numbers(SIZE, 1e3)),
        timeout=pl.Series(numbers(TIMEOUT, 1e-3)).round(9),
        p=pl.Series([f"p = {p:g}" for p in table.get_column(LOSS)]),
    )
    # No interval of a session's throughput is possible above the rate of its source.
    measured = measured.with_columns(pl.lit(float(session.rate)).alias("throughput-bound"))
    return measured.with_columns(power=pl.col("throughput") / pl.col("delay"))


def _against_size(
    session: Session, value: str, published: str = ""
) -> Callable[[pl.DataFrame], Any]:
    """Draw a curve for each drop probability over the burst size, with a timeout of 1 ms."""

    def figure(table: pl.DataFrame) -> Any:
        rows = _prepared(table, session).filter(pl.col(TIMEOUT) == "1 ms").sort(LOSS, "size")
        return said(_lines(rows, "size", value, "p"), published)

    return figure


def fig2a(table: pl.DataFrame) -> Any:
    """Draw figure 2(a), with what the text says of 260 kB."""
    published = "○ −10 %, −50 % at 260 kB for p = 0.001, 0.003"
    chart = _against_size(SESSIONS[1000], "throughput", published)(table)
    rate = SESSIONS[1000].rate
    for p in (0.001, 0.003):
        value = rate * (1 - PUBLISHED["obs.3", f"p = {p}"] / 100)
        chart = ringed(
            chart, "size", "throughput", {PUBLISHED["obs.3", "maximum burst size"]: value}
        )
    return chart


def _figure_3(session: Session) -> Callable[[pl.DataFrame], Any]:
    """Draw a curve for each timeout over the burst size."""

    def figure(table: pl.DataFrame) -> Any:
        rows = _prepared(table, session).sort("timeout", "size")
        rows = rows.with_columns(timeout=pl.format("timeout {}", pl.col(TIMEOUT)))
        chart = _lines(rows, "size", "delay", "timeout")
        return said(chart, "1 ms: maximum at 200 kB; 5 ms adds 10 % at most")

    return figure


def _figure_6(value: str, sign: int) -> Callable[[pl.DataFrame], Any]:
    """Draw a curve for each drop probability over the timeout, with the published change."""
    percent = sign * PUBLISHED["obs.9", value]

    def figure(table: pl.DataFrame) -> Any:
        rows = _prepared(table, EIGHT).sort(LOSS, "timeout")
        chart = _lines(rows, "timeout", value, "p")
        chart = said(chart, f"○ {percent:+.0f} % from 1 to 8 ms at p = 0.001".replace("-", "−"))
        start = rows.filter(pl.col("p") == "p = 0.001", pl.col(TIMEOUT) == "1 ms")
        ours = mean_interval(start.get_column(value).drop_nulls()).mean
        return ringed(chart, "timeout", value, {8.0: ours * (1 + percent / 100)})

    return figure


def forwarding(table: pl.DataFrame) -> Any:
    """Draw the delay of the 1000 Mb/s sessions, cut through and stored at every core node."""
    three = table.filter(pl.col("grid") == "forwarding-three")
    rows = _prepared(three, SESSIONS[1000]).sort("timeout", "variant", "size")
    rows = rows.with_columns(way=pl.format("{}, {}", pl.col("variant").replace(SHORT), TIMEOUT))
    return _lines(rows, "size", "delay", "way")


def contention(table: pl.DataFrame) -> Any:
    """Draw the bursts lost by contention and the throughput over the sources' rate."""
    key = "traffic.0.source.rate"
    rates = [quantities.number(text) / 1e6 for text in table.get_column(key)]
    lost = pl.col("bursts.lost-contention") / pl.col("bursts.released")
    rows = EIGHT.measures(table).with_columns(rate=pl.Series(rates), lost=100 * lost)
    return beside(_lines(rows, "rate", value, "variant") for value in ("lost", "throughput"))


def tcp(table: pl.DataFrame) -> Any:
    """Draw the throughput of 1000 Mb/s sessions with each TCP, one panel per drop probability."""
    rows = _prepared(table, SESSIONS[1000])
    panels = []
    for (p,), group in rows.sort(LOSS, maintain_order=True).group_by(LOSS, maintain_order=True):
        panels.append(_lines(group, "size", "throughput", "variant").properties(title=f"p = {p:g}"))
    return beside(panels)


FIGURES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "fig2a": fig2a,
    "fig2b": _against_size(SESSIONS[200], "throughput", "the source's rate at p = 0"),
    "fig2-400": _against_size(
        SESSIONS[400], "throughput", "+167 % from 20 to 120 kB at a low p (not named)"
    ),
    "power": _against_size(SESSIONS[1000], "power"),
    "fig3a": _figure_3(SESSIONS[1000]),
    "fig3b": _figure_3(SESSIONS[200]),
    "fig5a": _against_size(EIGHT, "throughput"),
    "fig5b": _against_size(EIGHT, "delay"),
    "fig6a": _figure_6("throughput", -1),
    "fig6b": _figure_6("delay", +1),
    "forwarding": forwarding,
    "contention": contention,
    "tcp": tcp,
}


def of_claims(claims: Sequence[Claim]) -> dict[str, Callable[[pl.DataFrame], Any]]:
    """Return the figures of what claims give under other assumptions."""
    artefacts = ("window", "length", "assumptions")
    return {name: sensitivity(claims, name, ABOUT) for name in artefacts}

"""The operations of a graph over time: a row for each host.

A bar is a send, on the row of its sender from its start until its last data are there, or a
computation. A line leads from the start of a send to its end on the row of its receiver.
"""

from __future__ import annotations

import re

import altair as alt
import polars as pl

from tcphoton.figures.style import COLOURS, GREY, PAGE, POINTS

__all__ = ["draw"]

ROW = 20
"""Points of a host."""
LABELS = 60
"""Points for the names of the hosts, on the left."""
MOST = 4_000
"""Operations that one figure can show."""
WAYS = ("send", "computation")
PAINTS = (COLOURS[6], COLOURS[5])
TITLE = "time (µs)"


def draw(
    operations: pl.DataFrame, *, until: float | None = None, width: float = PAGE
) -> alt.LayerChart:
    """Draw the operations of a run.

    Parameters
    ----------
    operations
        The table ``operations`` of a report: `tcphoton.Report.tables`, or rows of it.
    until
        The end of the drawing, in seconds; by default that of the last operation.
    width
        Inches of the figure.

    Raises
    ------
    ValueError
        No operation has ended, or there are too many.
    """
    rows = operations.drop_nulls(["start", "end"])
    if until is not None:
        rows = rows.filter(pl.col("start") < until)
    if not 0 < rows.height <= MOST:
        raise ValueError(f"{rows.height:,} operations that have ended; 1 to {MOST:,} are drawn")
    send, computation = (pl.lit(way) for way in WAYS)
    micro = [(pl.col(name) * 1e6).alias(name) for name in ("start", "end")]
    way = pl.when(pl.col("to") == "").then(computation).otherwise(send)
    drawn = rows.select("host", "to", *micro, way=way)
    hosts = sorted({*drawn["host"], *drawn["to"]} - {""}, key=_in_order)
    first = 0.0 if until is not None else min(drawn["start"])
    last = until * 1e6 if until is not None else max(drawn["end"])
    scale = alt.Scale(domain=(first, last), nice=False)
    across = alt.X("start:Q", title=TITLE, scale=scale)
    down = alt.Y("host:N", sort=hosts, title=None, scale=alt.Scale(domain=hosts))
    paint = alt.Scale(domain=WAYS, range=PAINTS)
    colour = alt.Color("way:N", title=None, scale=paint, legend=alt.Legend(columns=len(WAYS)))
    bars = alt.Chart(drawn).mark_bar(
        size=ROW * 0.7, stroke="white", strokeWidth=0.6, clip=True, opacity=0.9
    )
    lines = alt.Chart(drawn.filter(pl.col("to") != "")).mark_rule(
        color=GREY, strokeWidth=0.5, opacity=0.7, clip=True
    )
    chart = alt.layer(
        bars.encode(x=across, x2="end:Q", y=down, color=colour),
        lines.encode(x=alt.X("start:Q"), x2="end:Q", y=down, y2="to:N"),
    ).properties(width=round(width * POINTS) - LABELS, height=ROW * len(hosts))
    assert isinstance(chart, alt.LayerChart)
    return chart


def _in_order(host: str) -> list[str | tuple[int, str]]:
    """Return what brings h2 before h10."""
    parts = re.split(r"(\d+)", host)
    return [(int(part), part) if at % 2 else part for at, part in enumerate(parts)]

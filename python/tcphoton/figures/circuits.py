"""The slots of circuit switches, what a rack sends in them, and what windows do meanwhile.

One row for each circuit switch. Grey is the time in which the switch is dark; above the rest stands
the rack to which the circuit leads from the rack that is shown. Below are the packets that it sends
there, each as long as it takes: those that have arrived then, those that the other rack passes on,
and those that it passes on itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton.common import quantities
from tcphoton.figures.style import COLOURS, GREY, PAGE, POINTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcphoton.runs.results import Report

__all__ = ["draw", "windows"]

FIRST_HOP = 2
"""The hop of a packet of its own that leaves a rack; the first one is that of its host."""
ROW = 44
"""Points of a switch."""
LABELS = 60
"""Points for the names of the switches, on the left."""
TITLE = "time (µs)"
WAYS = (
    "its own, to their rack",
    "its own, to a rack that passes them on",
    "of another rack, passed on",
)
PAINTS = (COLOURS[1], COLOURS[5], COLOURS[3])


def draw(
    schedule: list[dict[str, str]],
    rows: pl.DataFrame,
    rack: str,
    *,
    until: float,
    width: float = PAGE,
) -> alt.LayerChart:
    """Draw the circuits of a rack from the start of a run, and its packets on them.

    Parameters
    ----------
    schedule
        The slots of a round: ``scenario.show()["schedule"]`` of a network with circuit switches.
    rows
        Packets of a run of it: `tcphoton.Trace.rows`.
    rack
        The first rack of the network.
    until
        The end of the drawing, in seconds.
    width
        Inches of the figure.

    Raises
    ------
    ValueError
        The schedule does not name the rack first.
    """
    slots = _slots(schedule, rack, until)
    packets = _packets(rows, rack, until)
    switches = slots["switch"].unique(maintain_order=True).to_list()
    across = alt.X("from:Q", title=TITLE, scale=alt.Scale(domain=(0, until * 1e6), nice=False))
    down = alt.Y("switch:N", sort=switches, title=None, scale=alt.Scale(domain=switches))
    dark = alt.Chart(slots).mark_bar(color="#cccccc", size=ROW * 0.8)
    lit = alt.Chart(slots.filter(pl.col("rack") != ""))
    sent = alt.Chart(packets).mark_bar(size=ROW * 0.34, yOffset=ROW * 0.17)
    scale = alt.Scale(domain=WAYS, range=PAINTS)
    colour = alt.Color("way:N", title=None, scale=scale, legend=alt.Legend(columns=len(WAYS)))
    chart = alt.layer(
        dark.encode(x=across, x2="dark:Q", y=down),
        lit.mark_text(color=GREY, fontSize=7, yOffset=-ROW * 0.24).encode(
            x=alt.X("middle:Q"), y=down, text="rack:N"
        ),
        sent.encode(x=alt.X("start:Q"), x2="end:Q", y=down, color=colour),
    ).properties(width=round(width * POINTS) - LABELS, height=ROW * len(switches))
    assert isinstance(chart, alt.LayerChart)
    return chart


def windows(
    reports: Mapping[str, Report],
    schedule: list[dict[str, str]],
    racks: tuple[str, str],
    *,
    between: tuple[float, float],
    width: float = PAGE,
) -> alt.VConcatChart:
    """Draw the congestion window of the first flow of several runs, one below the other.

    Grey are the times in which a circuit leads from the first rack to the second one.

    Parameters
    ----------
    reports
        Reports with ``[record] series = ["cwnd"]``, by the names under which they are shown.
    schedule
        The slots of a round: ``scenario.show()["schedule"]`` of their network.
    racks
        The first rack of the network, and another one.
    between
        The beginning and the end of the drawing, in seconds.
    width
        Inches of the figure.
    """
    low, high = (1e3 * edge for edge in between)
    slots = _slots(schedule, racks[0], between[1]).filter(pl.col("rack") == racks[1])
    opens, closes = pl.col("dark") * 1e-3, (2 * pl.col("middle") - pl.col("dark")) * 1e-3
    days = slots.select(opens=opens.clip(low), closes=closes).filter(pl.col("closes") > low)
    rows = []
    for name, report in reports.items():
        series = report.series.filter(pl.col("what") == "cwnd")
        first = series.filter(pl.col("subject") == series["subject"][0])
        points = first.select(time=pl.col("time") * 1e3, window=pl.col("value") * 1e-3)
        shown = points.filter(pl.col("time").is_between(low, high))
        scale, last = alt.Scale(domain=(low, high), nice=False), name == list(reports)[-1]
        title, axis = "time (ms)" if last else None, alt.Axis(tickCount=8)
        across = alt.X("time:Q", title=title, scale=scale, axis=axis)
        lit = alt.Chart(days).mark_rect(color=GREY, opacity=0.25)
        line = alt.Chart(shown).mark_line(interpolate="step-after", color=COLOURS[1], strokeWidth=1)
        chart = alt.layer(
            lit.encode(x=alt.X("opens:Q", scale=scale), x2="closes:Q"),
            line.encode(x=across, y=alt.Y("window:Q", title="cwnd (kB)")),
        )
        rows.append(chart.properties(title=name, width=round(width * POINTS) - LABELS, height=70))
    return alt.vconcat(*rows, spacing=8)


def _slots(schedule: list[dict[str, str]], rack: str, until: float) -> pl.DataFrame:
    """Return the slots of all switches up to an instant, in microseconds."""
    rounds: dict[str, list[tuple[float, float, str]]] = {}
    for row in schedule:
        first = row["joins"].split(", ")[0].split(" -> ")
        if first[0] not in (rack, ""):
            raise ValueError(f"the first rack is {first[0]!r}, not {rack!r}")
        opens, closes = (quantities.number(row[key]) * 1e6 for key in ("opens", "closes"))
        rounds.setdefault(row["switch"], []).append((opens, closes, first[-1]))
    rows: list[dict[str, Any]] = []
    for switch, slots in rounds.items():
        length = _slot(slots)
        for number in range(-len(slots), int(until * 1e6 / length) + 1):
            _, _, to = slots[number % len(slots)]
            opens, closes = (edge + number * length for edge in slots[0][:2])
            begins, ends = max(closes - length, 0.0), min(closes, until * 1e6)
            if begins < ends:
                lit = min(max(opens, 0.0), ends)
                span = {"from": begins, "dark": lit, "middle": (lit + ends) / 2}
                rows.append({"switch": switch, "rack": to, **span})
    return pl.DataFrame(rows)


def _slot(slots: list[tuple[float, float, str]]) -> float:
    """Return the length of a slot: from one end of light to the next."""
    return slots[1][1] - slots[0][1] if len(slots) > 1 else slots[0][1]


def _packets(rows: pl.DataFrame, rack: str, until: float) -> pl.DataFrame:
    """Return what the rack sends to circuit switches, each with its way."""
    hops = rows.filter(pl.col("start").is_not_null())
    # A channel of a link has its number behind a colon, as it has in the name of a switch.
    ends = pl.col("link").str.extract_groups("^(?<node>.*) -> (?<next>[^:]*)(?<channel>:.*|)$")
    hops = hops.with_columns(ends.struct.unnest())
    key = ["flow", "number", "backward"]
    sent = hops.filter((pl.col("node") == rack) & (pl.col("start") < until))
    switch = (pl.col("node") + pl.col("channel")).alias("switch")
    then = hops.select(*key, switch, rack="next", hop=pl.col("hop") - 1)
    last = hops.sort("hop").group_by(key).agg(home=pl.col("node").last())
    found = sent.with_columns(switch=pl.col("next") + pl.col("channel"))
    found = found.join(then, on=[*key, "switch", "hop"])
    direct, over, passed = (pl.lit(way) for way in WAYS)
    first = pl.when(pl.col("rack") == pl.col("home")).then(direct).otherwise(over)
    way = pl.when(pl.col("hop") > FIRST_HOP).then(passed).otherwise(first)
    micro = [(pl.col(name) * 1e6).alias(name) for name in ("start", "end")]
    drawn = found.join(last, on=key).select("switch", *micro, way=way)
    return drawn.sort("switch", "start")

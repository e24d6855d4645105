"""The life of one burst in an optical burst-switched network, drawn from what a run recorded.

The drawing shows space and time. From top to bottom: the nodes and links of the burst's path; a
link has one row for its control channels and one for each data channel. From left to right: the
time since the burst's release. The propagation delay is removed, so microseconds at a node can be
seen next to milliseconds of fibre: the clock of each row is zero when light sent at the release
arrives there.

Everything drawn is in the tables `bursts` and `reservations` (``[record] bursts``) or a parameter
of the scenario.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton.analysis import burst_trace
from tcphoton.analysis.burst_trace import fillings, micro
from tcphoton.common import quantities
from tcphoton.figures.style import COLOURS, GREY, PAGE, POINTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tcphoton.analysis.burst_trace import Hop, Life
    from tcphoton.runs.results import Report

__all__ = ["draw", "fillings"]

ROW = 15
"""Points of a row."""
GAP, CORE = 0.3, 1.6
"""Between a link and a node, and the height of a core node, in rows."""
BELOW = 0.85
"""Room for the length of a void, in rows."""
LABELS = 80
"""Points for the names of the rows, on the left."""
BEFORE, MARGIN, BEHIND = 0.25, 0.06, 0.18
"""Maximum time shown of the assembly, before it, and after the end, relative to the time from
the release to the end."""
SIZE = 7
"""Points of text."""
LETTER = 3.3
"""Width of a letter in points, to check whether a text fits."""
BLUE, SKY, ORANGE, YELLOW = COLOURS[1], COLOURS[6], COLOURS[5], COLOURS[7]
TITLE = "time since the release, less the light's travel time from the ingress edge (µs)"

Shape = dict[str, Any]


def draw(report: Report, burst: int | None = None, *, width: float = PAGE) -> alt.LayerChart:
    """Draw a burst's life: its header, its offset, its reservations and the neighbouring ones.

    Parameters
    ----------
    report
        A report of a scenario with ``[record] bursts``.
    burst
        The burst's number in the order of release; default: the first delivered burst that filled a
        void.
    width
        Inches of the figure.

    Raises
    ------
    ValueError
        The burst was not recorded or requested no channel, or none is found.

    Examples
    --------
    >>> import tcphoton as tp
    >>> chart = draw(tp.run(tp.example("obs-burst-life")))
    >>> tp.figures.save(chart, "burst-life", ["svg"])  # doctest: +SKIP
    """
    made = burst_trace.granted(report)
    life = burst_trace.life(report, burst_trace.first_filling(report) if burst is None else burst)
    picture = _Picture(life, round(width * POINTS) - LABELS)
    for hop in life.hops:
        picture.node(hop)
        picture.link(hop, made)
    picture.egress()
    return picture.chart()


@dataclass
class _Picture:
    """The shapes of a drawing, from the top downwards."""

    life: Life
    points: int
    at: float = 0.0
    """Rows that are already used."""
    block_bottom: float = 0.0
    """The lower end of the burst's block on the previous link."""
    length: float = 0.0
    """The duration of the burst in µs."""
    control_bottom: float = 0.0
    node_span: tuple[float, float] = (0.0, 0.0)
    shapes: dict[str, list[Shape]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ends = [end for hop in self.life.hops for end in (hop.asked, hop.end) if end is not None]
        last = max(*ends, self.life.delivered or 0.0)
        self.low = max(self.life.opened, -BEFORE * last) - MARGIN * last
        self.high = last * (1 + BEHIND)

    def add(self, kind: str, **shape: Any) -> None:
        """Add a shape, cut to the time that is shown."""
        if "x2" in shape:
            whole = shape["x"] >= self.low and shape["x2"] <= self.high
            shape["x"], shape["x2"] = max(shape["x"], self.low), min(shape["x2"], self.high)
            # The rest of a shape that is cut at the frame is shown as a dot.
            if not whole and shape["x2"] - shape["x"] < (self.high - self.low) / self.points:
                return
        self.shapes.setdefault(kind, []).append(shape)

    def row(self, name: str, kind: str, height: float = 1.0) -> tuple[float, float]:
        """Start a row and return its top and its bottom."""
        top, bottom = self.at, self.at + height
        self.at = bottom
        self.add(kind, x=self.low, x2=self.high, y=top, y2=bottom)
        self.add("name", x=0, y=(top + bottom) / 2, text=name)
        return top + 0.1, bottom - 0.1

    def node(self, hop: Hop) -> None:
        """Draw a node: the assembly, or the header's processing and the burst's delays."""
        self.at += GAP
        burst = self.life.burst
        if hop.arrived is None:
            top, bottom = self.row(hop.node, "node")
            self.add("assembly", x=self.life.opened, x2=0.0, y=top, y2=bottom)
            cause = {"size": "full", "timer": "its timer expired"}[burst["cause"]]
            size = quantities.text(burst["bytes"], "B")
            text = f"released: {cause} ({burst['packets']} packets, {size})"
            self.add("right-note", x=0.0, y=(top + bottom) / 2, text=text)
            return
        top, bottom = self.node_span = self.row(hop.node, "node", CORE)
        middle = (top + bottom) / 2
        self.add("way", x=hop.arrived, y=self.control_bottom, y2=top)
        self.add("arrow", x=hop.arrived, y=top)
        text = f"processing {_text(hop.asked - hop.arrived)}"
        if not self._block("processing", hop.arrived, hop.asked, (top, bottom), text):
            self.add("left-note", x=hop.arrived, y=middle, text=text)
        if hop.came is None:
            return
        if hop.start is None or hop.end is None:
            self._trail(hop.came, hop.came, hop.came + self.length, bottom)
            text = hop.row["outcome"].replace("-", ": ")
            self.add("right-note", x=hop.came + self.length, y=middle, text=text)
            return
        parts = [f"{cause} {_text(delay)}" for cause, delay in hop.delays.items()]
        left = self._has_room(hop.asked, hop.came, max(parts, key=len))
        for part, text in enumerate(parts):
            y = middle + (part - (len(parts) - 1) / 2) * CORE / 2
            if left:
                self.add("left-note", x=hop.came, y=y, text=text)
            else:
                self.add("right-note", x=hop.end, y=y, text=text)

    def link(self, hop: Hop, made: pl.DataFrame) -> None:
        """Draw a link: headers and the burst's offset, and the reservations of its channels."""
        self.at += GAP
        span = self.row(f"{hop.link.replace('->', '→')} control", "wire")
        others = [
            row | {key: micro(row[key], hop.zero) for key in ("header-sent", "start", "end")}
            for row in made.filter(
                (pl.col("link") == hop.link) & (pl.col("burst") != self.life.number)
            ).to_dicts()
        ]
        self._headers(hop, others, span)
        for channel in range(hop.channels):
            span = self.row(f"channel {channel}", "wire")
            self._void(hop, channel, span)
            for other in others:
                if other["channel"] == channel:
                    self._block("other", other["start"], other["end"], span, str(other["burst"]))
            if channel == hop.row["channel"] and hop.start is not None and hop.end is not None:
                self._trail(hop.came, hop.start, hop.end, span[0])
                number = str(self.life.number)
                self._block("burst", hop.start, hop.end, span, number)
                self.block_bottom, self.length = span[1], hop.end - hop.start

    def egress(self) -> None:
        """Draw the burst's arrival at its egress edge."""
        last, delivered = self.life.hops[-1], self.life.delivered
        if delivered is None or last.start is None or last.end is None:
            return
        self.at += GAP
        top, bottom = self.row(last.link.split(" -> ")[1], "node")
        self.node_span = (self.at - 1 - GAP, top)
        start = delivered - (last.end - last.start)
        self._trail(last.start, start, delivered, top)
        self._block("burst", start, delivered, (top, bottom), str(self.life.number))
        self.add("right-note", x=delivered, y=(top + bottom) / 2, text="last bit in")

    def _headers(
        self, hop: Hop, others: Iterable[dict[str, Any]], span: tuple[float, float]
    ) -> None:
        top, bottom = span
        middle = (top + bottom) / 2
        for other in others:
            sent = other["header-sent"]
            if sent is None or not self.low <= sent <= self.high:
                continue
            marked = hop.void is not None and other["burst"] == hop.void["behind"]
            kind = "marked-header" if marked else "other-header"
            self.add(kind, x=sent, y=top, y2=bottom)
            if marked:
                self.add("left", x=sent, y=middle, text=f"header of {other['burst']}")
        if hop.sent is None or hop.start is None:
            return
        self.add("header", x=hop.sent, y=top, y2=bottom)
        if hop.came is None:
            self.add("left", x=hop.sent, y=middle, text="header")
        self.control_bottom = bottom
        self._dimension(hop.sent, hop.start, middle, "offset ")

    def _void(self, hop: Hop, channel: int, span: tuple[float, float]) -> None:
        if hop.void is None or channel != hop.row["channel"]:
            return
        low, high = (micro(hop.void[end], hop.zero) for end in ("void-start", "void-end"))
        if low is None or high is None:
            return
        self.add("void", x=low, x2=high, y=span[0], y2=span[1])
        self._dimension(low, high, span[1] + 0.1 + BELOW / 2, "void ")
        self.at += BELOW

    def _dimension(self, low: float, high: float, y: float, text: str) -> None:
        """Draw a line between two instants, with the time between them."""
        text += _text(high - low)
        for x in (low, high):
            if self.low <= x <= self.high:
                self.add("end", x=x, y=y - 0.2, y2=y + 0.2)
        low, high = max(low, self.low), min(high, self.high)
        middle, half = (low + high) / 2, self._width(text) / 2
        if high - low > 2 * half:
            self.add("dimension", x=low, x2=middle - half, y=y)
            self.add("dimension", x=middle + half, x2=high, y=y)
            self.add("length", x=middle, y=y, text=text)
        else:
            self.add("dimension", x=low, x2=high, y=y)
            self.add("right-note", x=high, y=y, text=text)

    def _block(
        self, kind: str, low: float, high: float, span: tuple[float, float], text: str
    ) -> bool:
        """Draw a block with a text if there is room, and return whether there was."""
        self.add(kind, x=low, x2=high, y=span[0], y2=span[1])
        low, high = max(low, self.low), min(high, self.high)
        room = self._has_room(low, high, text)
        if room:
            self.add(f"{kind}-text", x=(low + high) / 2, y=sum(span) / 2, text=text)
        return room

    def _has_room(self, low: float, high: float, text: str) -> bool:
        return high - low > self._width(text)

    def _width(self, text: str) -> float:
        return LETTER * len(text) * (self.high - self.low) / self.points

    def _trail(self, came: float | None, start: float, end: float, block_top: float) -> None:
        """Draw the burst's path from its previous block across the node to its next block."""
        if came is None:
            return
        node_top, node_bottom = self.node_span
        ways = ((self.block_bottom, came), (node_top, came), (node_bottom, start))
        for y, x in (*ways, (block_top, start)):
            self.add("trail", x=x, x2=x + end - start, y=y, trail=self.at)

    def chart(self) -> alt.LayerChart:
        """Return all shapes in layers."""
        layers = [self._layer(kind, mark) for kind, mark in STYLES if kind in self.shapes]
        chart = alt.layer(*layers).properties(width=self.points, height=round(self.at * ROW))
        assert isinstance(chart, alt.LayerChart)
        return chart

    def _layer(self, kind: str, mark: dict[str, Any]) -> alt.Chart:
        shapes = self.shapes[kind]
        axis = alt.Axis(grid=True, tickCount=10)
        across = alt.Scale(domain=(self.low, self.high), nice=False, zero=False)
        down = alt.Scale(domain=(0, self.at), reverse=True, nice=False)
        encoding: dict[str, Any] = {
            "x": alt.X("x:Q", title=TITLE, scale=across, axis=axis),
            "y": alt.Y("y:Q", axis=None, scale=down),
        }
        if kind == "name":
            encoding["x"] = alt.value(-6)
        encoding |= {key: f"{key}" for key in ("x2", "y2") if key in shapes[0]}
        encoding |= {"text": "text:N"} if "text" in shapes[0] else {}
        encoding |= {"detail": "trail:Q"} if "trail" in shapes[0] else {}
        base = alt.Chart(pl.DataFrame(shapes), mark=alt.MarkDef(**mark))
        return base.encode(**encoding)


def _text(micro: float) -> str:
    return quantities.text(micro / 1e6, "s")


SMALL = {"type": "text", "fontSize": SIZE}
THIN = {"type": "rule", "color": "black", "strokeWidth": 0.6}
HALO = {"stroke": "white", "strokeWidth": 3, "strokeJoin": "round"}
LEFT, RIGHT = {"align": "right", "dx": -4}, {"align": "left", "dx": 4}
STYLES: list[tuple[str, dict[str, Any]]] = [
    ("node", {"type": "rect", "color": "#eeeeee"}),
    ("wire", {"type": "rect", "color": "white", "stroke": "#bbbbbb", "strokeWidth": 0.4}),
    ("void", {"type": "rect", "color": YELLOW, "stroke": GREY, "strokeWidth": 0.6}),
    ("trail", {"type": "area", "orient": "horizontal", "color": SKY, "opacity": 0.4}),
    ("way", {"type": "rule", "color": "black", "strokeWidth": 0.8}),
    ("arrow", {"type": "point", "shape": "triangle-down", "size": 18, "color": "black", "dy": -3}),
    ("other", {"type": "rect", "color": "#cccccc", "stroke": GREY, "strokeWidth": 0.6}),
    ("other-text", SMALL),
    ("other-header", {"type": "rule", "color": "#aaaaaa", "strokeWidth": 1}),
    ("marked-header", {"type": "rule", "color": "black", "strokeWidth": 1}),
    ("assembly", {"type": "rect", "color": SKY, "stroke": GREY, "strokeWidth": 0.6}),
    ("burst", {"type": "rect", "color": BLUE, "stroke": "black", "strokeWidth": 0.6}),
    ("burst-text", {**SMALL, "color": "white", "fontWeight": "bold"}),
    ("processing", {"type": "rect", "color": ORANGE, "stroke": GREY, "strokeWidth": 0.6}),
    ("processing-text", SMALL),
    ("header", {"type": "rule", "color": "black", "strokeWidth": 2}),
    ("dimension", THIN),
    ("end", THIN),
    ("length", {**SMALL, **HALO}),
    ("length", SMALL),
    ("left", {**SMALL, **LEFT, **HALO}),
    ("left", {**SMALL, **LEFT}),
    ("left-note", {**SMALL, **LEFT}),
    ("right-note", {**SMALL, **RIGHT}),
    ("name", {"type": "text", "fontSize": SIZE + 1, "align": "right"}),
]
"""How each kind of shape is drawn, from the bottom layer to the top one."""

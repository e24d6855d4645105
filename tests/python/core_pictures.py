"""The pictures of the page "Which core model do I need?": four cores, the same two arrivals.

Each is a node, with what is optical in white and what is electronic in grey, beside a clock: two
packets (bursts) A and B come at the same instants in all four and want the same output. Times are
drawn, not simulated, and follow the rules that the page states. `make bless` writes the files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from tcphoton.style import COLOURS, FONT, GREY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WIDTH, ROW, TOP = 740, 25, 16
"""Points of a picture, of a row of its clock, and above the first row."""
BEGIN, LEFT, STEP = -5, 372, 10.4
"""The first instant of the clock, where it is, and the points of a unit of time."""
END = 29.5
SIZE = 11
LENGTH = 8
"""How long a packet is; the electronic fabric of a CIOQ switch is four times as fast."""
SPEEDUP = 4
CAME = {"A": 2, "B": 5}
"""When the first bit of each is at the node."""
FILL = {"A": COLOURS[1], "B": COLOURS[5]}
INK = {"A": "white", "B": "black"}
DASH = {"A": "none", "B": "7 3"}
ELECTRONIC, PALE = "#d4d4d4", "#bbbbbb"


@dataclass
class Picture:
    """What is drawn so far, as SVG."""

    rows: int
    shapes: list[str] = field(default_factory=list)

    def put(self, tag: str, inside: str = "", /, **attributes: object) -> None:
        """Add an element; an underscore in the name of an attribute is a hyphen."""
        given = "".join(
            f' {name.rstrip("_").replace("_", "-")}="{_short(value)}"'
            for name, value in attributes.items()
        )
        end = f">{escape(inside)}</{tag}>" if inside else "/>"
        self.shapes.append(f"<{tag}{given}{end}")

    def text(self, x: float, y: float, text: str, anchor: str = "start", **more: object) -> None:
        """Write a text that is centred on its height."""
        self.put("text", text, x=x, y=y + SIZE * 0.35, text_anchor=anchor, **more)

    def way(self, path: str, name: str = "", **more: object) -> None:
        """Draw a line along a path: that of a packet, or a thin one."""
        style: dict[str, object] = {"fill": "none", "stroke": GREY, "stroke_width": 1}
        if name:
            style |= {"stroke": FILL[name], "stroke_width": 3.2, "stroke_dasharray": DASH[name]}
        self.put("path", d=path, **(style | more))

    def box(self, x: float, y: float, width: float, height: float, **more: object) -> None:
        """Draw a box: white, which is optical, unless told otherwise."""
        style = {"fill": "white", "stroke": GREY, "rx": 3} | more
        self.put("rect", x=x, y=y, width=width, height=height, **style)

    def token(self, x: float, y: float, name: str) -> None:
        """Put a packet's name on its way."""
        self.put("circle", cx=x, cy=y, r=8.5, fill=FILL[name], stroke="black")
        self.text(x, y, name, "middle", fill=INK[name], font_weight="bold")

    def row(self, at: int, name: str, *, electronic: bool = False) -> None:
        """Draw a row of the clock with its name."""
        middle = centre(at)
        fill = ELECTRONIC if electronic else "white"
        width = (END - BEGIN) * STEP
        self.box(LEFT, middle - 10, width, 20, fill=fill, stroke=PALE, stroke_width=0.6, rx=0)
        self.text(LEFT - 6, middle, name, "end")

    def block(self, at: int, name: str, start: float, length: float = LENGTH) -> None:
        """Draw a packet in a row of the clock."""
        y, width = centre(at) - 8, length * STEP
        self.box(clock(start), y, width, 16, fill=FILL[name], stroke="black", rx=0)
        self.text(
            clock(start) + width / 2, centre(at), name, "middle", fill=INK[name], font_weight="bold"
        )

    def waits(self, at: int, name: str, start: float, end: float) -> None:
        """Draw for how long a packet is stored: its colour, hatched."""
        style = {"fill": f"url(#wait-{name})", "stroke": "black", "rx": 0}
        self.box(clock(start), centre(at) - 8, (end - start) * STEP, 16, **style)
        middle = clock((start + end) / 2)
        self.put("circle", cx=middle, cy=centre(at), r=7, fill="white")
        self.text(middle, centre(at), name, "middle", font_weight="bold")

    def cells(self, at: int, name: str, start: float) -> None:
        """Draw a packet cut into cells that pass a faster fabric."""
        width = STEP * LENGTH / SPEEDUP / 4
        for cell in range(4):
            x = clock(start) + cell * width
            self.box(x, centre(at) - 8, width, 16, fill=FILL[name], stroke="black", rx=0)
        beside = clock(start) - 8 if name == "A" else clock(start) + 4 * width + 8
        self.text(beside, centre(at), name, "middle", font_weight="bold")

    def note(self, at: int, start: float, *lines: str) -> None:
        """Write a note of one line or two into a row of the clock."""
        for line, text in enumerate(lines):
            y = centre(at) + (line - (len(lines) - 1) / 2) * 10
            self.text(clock(start), y, text, font_size=10)

    def decided(self, at: int, instant: float) -> None:
        """Mark the instant at which B's fate is decided."""
        x, y = clock(instant), centre(at) - 12
        self.put("path", d=f"M{_short(x - 5)} {y - 7}h10l-5 8z", fill="black")
        self.text(x + 8, y - 3, "B is decided on", font_size=10)

    def svg(self) -> str:
        """Return the picture with its clock's axis."""
        foot = centre(self.rows - 1) + 18
        for name, came in CAME.items():
            line = f"M{clock(came)} {TOP}V{foot}"
            self.shapes.insert(0, f'<path d="{line}" stroke="{PALE}" stroke-dasharray="2 3"/>')
            anchor, aside = ("end", 3) if name == "A" else ("start", -3)
            self.text(clock(came) + aside, foot + 9, f"{name} comes", anchor, font_size=10)
        self.way(f"M{LEFT} {foot}H{_short(clock(END))}m-6 -3l6 3l-6 3")
        self.text(clock(END), foot + 9, "time", "end", font_size=10)
        height = foot + 20
        hatches = "".join(
            f'<pattern id="wait-{name}" width="6" height="6" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><rect width="6" height="6" fill="white"/>'
            f'<rect width="2.5" height="6" fill="{colour}"/></pattern>'
            for name, colour in FILL.items()
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" font-family="{FONT}" font-size="{SIZE}">'
        )
        page = f'<rect width="{WIDTH}" height="{height}" fill="white"/>'
        return "\n".join([head, f"<defs>{hatches}</defs>{page}", *self.shapes, "</svg>"]) + "\n"


def centre(row: int) -> int:
    """Return the height of a row's middle."""
    return TOP + ROW * row + ROW // 2 + 4


def clock(instant: float) -> float:
    """Return where an instant stands."""
    return LEFT + (instant - BEGIN) * STEP


def _short(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def obs() -> str:
    """Draw burst switching: a header goes ahead and reserves."""
    picture = Picture(rows=5)
    picture.box(84, 12, 96, 34, fill=ELECTRONIC)
    picture.text(132, 23, "reads headers,", "middle", font_size=10)
    picture.text(132, 35, "reserves", "middle", font_size=10)
    picture.box(84, 62, 96, 84)
    picture.text(132, 138, "optical switch", "middle", font_size=10)
    picture.way("M132 46V62m-3 -6l3 6l3 -6")
    for y, name in ((80, "A"), (112, "B")):
        picture.way(f"M14 {y - 8}H46C72 {y - 8} 60 29 84 29", stroke_dasharray="2 2")
        picture.text(4, y, "1" if name == "A" else "2", "middle")
    picture.way("M14 80H250", "A")
    picture.way("M14 112H96C136 112 128 92 168 92H250", "B")
    picture.put("path", d="M132 92l10 10l-10 10l-10 -10z", fill="white", stroke=GREY)
    picture.text(132, 102, "λ", "middle")
    picture.token(28, 80, "A")
    picture.token(28, 112, "B")
    picture.text(196, 66, "channel 1", font_size=10)
    picture.text(196, 105, "channel 2", font_size=10)
    for at, name in enumerate(("headers", "input 1", "input 2", "output, channel 1", "channel 2")):
        picture.row(at, name, electronic=at == 0)
    for name, at, ahead in (("A", 3, -2), ("B", 4, 1)):
        sent = clock(ahead - 1)
        picture.put("rect", x=sent - 2, y=centre(0) - 8, width=4, height=16, fill=FILL[name])
        picture.text(sent - 5, centre(0), name, "end", font_weight="bold")
        line = f"M{_short(clock(ahead))} {centre(0)}V{centre(at)}H{_short(clock(CAME[name]) - 2)}"
        picture.way(line + "m-6 -3l6 3l-6 3")
    picture.block(1, "A", CAME["A"])
    picture.block(2, "B", CAME["B"])
    picture.block(3, "A", CAME["A"])
    picture.block(4, "B", CAME["B"])
    picture.decided(0, 1)
    picture.note(3, 10.6, "reserved before A comes")
    picture.note(4, 13.6, "free then: B changes its", "wavelength; else delay, or loss")
    return picture.svg()


def ops() -> str:
    """Draw packet switching: the first bit asks, and a loser goes another way."""
    picture = Picture(rows=4)
    picture.box(84, 24, 96, 110)
    picture.text(132, 36, "optical switch", "middle", font_size=10)
    picture.way("M14 62H250", "A")
    picture.way("M96 108C140 108 130 72 166 69", stroke_dasharray="2 2")
    picture.way("M164 64l9 9m0 -9l-9 9", stroke="black", stroke_width=2)
    picture.way("M14 108H250", "B")
    for y, number in ((62, "1"), (108, "2")):
        picture.text(4, y, number, "middle")
        picture.text(258, y, number, "middle")
    picture.token(48, 62, "A")
    picture.token(48, 108, "B")
    picture.text(187, 80, "wanted, busy", font_size=10)
    picture.text(187, 122, "a longer way", font_size=10)
    for at, name in enumerate(("input 1", "input 2", "output 1 (wanted)", "output 2")):
        picture.row(at, name)
    picture.block(0, "A", CAME["A"])
    picture.block(1, "B", CAME["B"])
    picture.block(2, "A", CAME["A"])
    picture.block(3, "B", CAME["B"])
    picture.decided(0, CAME["B"])
    picture.note(2, 10.6, "held from A's first bit on")
    picture.note(3, 13.6, "deflected; or another wave-", "length, a delay line, or loss")
    return picture.svg()


def hybrid() -> str:
    """Draw the hybrid switch: a loser goes into an electronic buffer and out again."""
    picture = Picture(rows=6)
    picture.box(84, 20, 96, 84)
    picture.text(132, 32, "optical switch", "middle", font_size=10)
    picture.box(84, 128, 96, 34, fill=ELECTRONIC)
    picture.text(132, 145, "shared buffer", "middle", font_size=10)
    picture.way("M14 54H250", "A")
    picture.way("M14 84H92C108 84 106 92 106 128", "B")
    picture.way("M158 128V96C158 66 158 61 176 61H250", "B")
    for x, mark in ((106, "m-4 -7l4 7l4 -7"), (158, "m-4 7l4 -7l4 7")):
        picture.way(f"M{x} {127 if x == 106 else 105}{mark}", stroke_width=1.6)
    picture.text(4, 54, "1", "middle")
    picture.text(4, 84, "2", "middle")
    picture.text(258, 57, "1", "middle")
    picture.token(48, 54, "A")
    picture.token(48, 84, "B")
    picture.token(226, 61, "B")
    picture.text(98, 116, "port in", "end", font_size=10)
    picture.text(166, 116, "port out", font_size=10)
    names = ("input 1", "input 2", "port in", "buffer", "port out", "output 1")
    for at, name in enumerate(names):
        picture.row(at, name, electronic=name in {"port in", "buffer", "port out"})
    stored = CAME["B"] + LENGTH
    picture.block(0, "A", CAME["A"])
    picture.block(1, "B", CAME["B"])
    picture.block(2, "B", CAME["B"])
    picture.waits(3, "B", CAME["B"], stored + LENGTH)
    picture.block(4, "B", stored)
    picture.block(5, "A", CAME["A"])
    picture.block(5, "B", stored)
    picture.decided(0, CAME["B"])
    picture.note(2, 13.6, "none free: B is lost")
    picture.note(5, 21.4, "output free and", "B stored whole")
    return picture.svg()


def cioq() -> str:
    """Draw the CIOQ switch with a bundle: cells, queues before and behind a fast fabric."""
    picture = Picture(rows=6)
    for y in (34, 94):
        picture.box(40, y, 50, 44, fill=ELECTRONIC)
        picture.box(176, y, 44, 44, fill=ELECTRONIC)
        for slot in range(3):
            picture.box(46 + 13 * slot, y + 14, 13, 16, fill="white", rx=0)
            picture.box(179 + 13 * slot, y + 14, 13, 16, fill="white", rx=0)
    picture.box(108, 26, 50, 120, fill=ELECTRONIC)
    picture.text(133, 42, "fabric", "middle", font_size=10)
    picture.text(133, 136, f"{SPEEDUP} × rate", "middle", font_size=10)
    picture.way("M14 56H254", "A")
    picture.way("M14 116H100C138 116 128 63 166 63H254", "B")
    picture.way("M166 116H254", stroke_dasharray="2 2")
    picture.text(65, 26, "queue a port", "middle", font_size=10)
    picture.text(198, 26, "queue", "middle", font_size=10)
    picture.put("ellipse", cx=240, cy=87, rx=7, ry=44, fill="none", stroke="black")
    picture.text(240, 142, "bundle", "middle", font_size=10)
    for y, number in ((56, "1"), (116, "2")):
        picture.text(4, y, number, "middle")
        picture.text(262, y, number, "middle")
    picture.token(25, 56, "A")
    picture.token(25, 116, "B")
    names = (
        "input 1",
        "input 2",
        "cells in the fabric",
        "queue of output 1",
        "output 1",
        "output 2",
    )
    for at, name in enumerate(names):
        picture.row(at, name, electronic=at in {2, 3})
    through = {name: came + LENGTH + LENGTH / SPEEDUP for name, came in CAME.items()}
    for at, name in enumerate(CAME):
        picture.block(at, name, CAME[name])
        picture.cells(2, name, CAME[name] + LENGTH)
    free = through["A"] + LENGTH
    picture.waits(3, "B", through["B"], free)
    picture.block(4, "A", through["A"])
    picture.block(4, "B", free)
    ghost = {"fill": "none", "stroke": "black", "stroke_dasharray": "3 2", "rx": 0}
    picture.box(clock(through["B"]), centre(5) - 8, LENGTH * STEP, 16, **ghost)
    middle = clock(through["B"] + LENGTH / 2)
    picture.text(middle, centre(5), "B", "middle", font_weight="bold")
    picture.note(5, through["B"] + LENGTH + 0.4, "if the policy", "chose this")
    picture.decided(0, CAME["B"] + LENGTH)
    return picture.svg()


PICTURES: dict[str, Callable[[], str]] = {
    "core-obs.svg": obs,
    "core-ops.svg": ops,
    "core-hybrid.svg": hybrid,
    "core-cioq.svg": cioq,
}


def write(folder: Path) -> None:
    """Write all pictures."""
    for name, draw in PICTURES.items():
        (folder / name).write_text(draw(), "utf-8")

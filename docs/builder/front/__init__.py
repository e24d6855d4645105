"""The front page: what tcphoton is, a network that moves, and the way to the studio."""

from __future__ import annotations

import base64
from pathlib import Path

import jinja2

import tcphoton as tp
from builder.paper_pages import PaperPage
from tcphoton import papers
from tcphoton.papers.rules import HOLDS
from tcphoton.traces.recording import recording
from tcphoton.web.modules import joined
from tcphoton.web.page import digest_of, styles

__all__ = ["front_page", "social_image"]

HERE = Path(__file__).parent
TAGLINE = (
    "TCP and newer transports over optical and electronic networks, simulated packet by packet."
)
REPOSITORY = "https://github.com/tcphoton/tcphoton"
EXAMPLE, FROM, TO = "obs-three-nodes", "1 s", "1020 ms"
"""What moves on the page: the three-node network once its windows are open."""


def front_page() -> str:
    """Return the front page, one file; it links to the studio beside it."""
    script = f"\n{joined('player/page')}"
    policy = (
        f"default-src 'none'; script-src '{digest_of(script)}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    traced = tp.trace(tp.example(EXAMPLE), start=FROM, stop=TO, limit=60_000, counters=True)
    network = (
        f"{traced.title}: {traced.packets.height:,} packets of {FROM} to {TO} of a run. Bursts are "
        "coloured by direction; their headers run ahead on a channel of their own."
    )
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), autoescape=True, undefined=jinja2.StrictUndefined
    )
    text = environment.get_template("page.html").render(
        tagline=TAGLINE,
        policy=policy,
        icon=_icon(),
        style=f"{(HERE / 'front.css').read_text('utf-8')}\n{styles()}",
        recording=base64.b64encode(recording(traced)).decode(),
        network=network,
        repository=REPOSITORY,
        papers=[_paper(name) for name in papers.papers()],
        version=tp.__version__,
        script=script,
    )
    return f"{text.strip()}\n"


def social_image() -> bytes:
    """Return the picture that a link to the page shows, as PNG."""
    import vl_convert

    mark = (HERE / "mark.svg").read_text("utf-8").partition("\n")[2].rpartition("</svg>")[0]
    font = 'font-family="Liberation Sans, Arial, sans-serif" fill="#e8eaee"'
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630">'
        '<rect width="1200" height="630" fill="#14171c"/>'
        f'<g transform="translate(90 165) scale(4.6)">{mark}</g>'
        f'<text x="430" y="300" font-size="110" font-weight="bold" {font}>tcphoton</text>'
        f'<text x="434" y="370" font-size="40" {font}>TCP over optical networks,</text>'
        f'<text x="434" y="422" font-size="40" {font}>packet by packet</text></svg>'
    )
    return bytes(vl_convert.svg_to_png(svg))


def _icon() -> str:
    data = base64.b64encode((HERE / "mark.svg").read_bytes()).decode()
    return f"data:image/svg+xml;base64,{data}"


def _paper(name: str) -> dict[str, object]:
    page = PaperPage.of(name)
    return {
        "name": name,
        "title": page.paper.title,
        "source": page.paper.source,
        "hold": page.verdicts.get(HOLDS, 0),
        "all": sum(page.verdicts.values()),
    }

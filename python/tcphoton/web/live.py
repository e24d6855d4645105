"""Figures that are run where they are read: the scripts, and a block of HTML for each figure."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from tcphoton.web.modules import engine, joined
from tcphoton.web.page import embedded

if TYPE_CHECKING:
    from collections.abc import Mapping

SCRIPT = "tcphoton-live.js"
"""The script that a page names; it loads the others when a figure is run."""


def scripts(vega: str) -> dict[str, str] | None:
    """Return the scripts by their names, which lie beside each other; nothing without an engine.

    Parameters
    ----------
    vega
        The script that draws figures.
    """
    code = engine()
    if code is None:
        return None
    given = embedded({"code": code, "worker": joined("worker")})
    return {
        SCRIPT: _apart(joined("live/live")),
        "tcphoton-engine.js": f"globalThis.tcphotonEngine = {given};\n",
        "tcphoton-vega.js": _apart(vega),
    }


def _apart(script: str) -> str:
    """Return a script whose names are not those of the page's other scripts."""
    return f"(() => {{\n{script}\n}})();\n"


def block(title: str, about: str, data: Mapping[str, Any]) -> str:
    """Return a figure in HTML, hidden where there is no script or no WebAssembly."""
    return (
        f'<div class="live" hidden><p><b>{html.escape(title)}.</b> {html.escape(about)}</p>'
        '<button type="button">Run it here</button><div class="live-place"></div>'
        f'<script type="application/json">{embedded(data)}</script></div>\n'
    )

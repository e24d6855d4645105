"""How values show themselves in a notebook: whoever draws them says so here, and they ask here.

Scenarios, reports and sweeps know nothing of the drawings that `tcphoton.report` makes of them. A
value that nobody draws is shown as its text.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

__all__ = ["in_html", "register"]

Drawer = Callable[[Any], str]
"""Makes HTML of a value."""

_DRAWERS: dict[str, Drawer] = {}


def register(kind: str, drawer: Drawer) -> None:
    """Let values of a kind (``"scenario"``) be drawn so."""
    _DRAWERS[kind] = drawer


def in_html(kind: str, value: object) -> str:
    """Return a value of a kind in HTML: as it is drawn, or its text where nobody draws such values.

    Examples
    --------
    >>> in_html("made-up kind", "1 < 2")
    '<pre>&#x27;1 &lt; 2&#x27;</pre>'
    """
    drawer = _DRAWERS.get(kind)
    return f"<pre>{html.escape(repr(value))}</pre>" if drawer is None else drawer(value)

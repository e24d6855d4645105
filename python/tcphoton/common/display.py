"""How values are shown in notebooks: a registry of functions that draw them.

Scenarios, reports and sweeps do not depend on `tcphoton.report`, which draws them. A value without
a registered function is shown as text.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

Drawer = Callable[[Any], str]
"""Makes HTML of a value."""

_DRAWERS: dict[str, Drawer] = {}


def register(kind: str, drawer: Drawer) -> None:
    """Register a function that draws values of a kind (``"scenario"``)."""
    _DRAWERS[kind] = drawer


def in_html(kind: str, value: object) -> str:
    """Return a value of a kind as HTML: drawn by its function, or as text if there is none.

    Examples
    --------
    >>> in_html("made-up kind", "1 < 2")
    '<pre>&#x27;1 &lt; 2&#x27;</pre>'
    """
    drawer = _DRAWERS.get(kind)
    return f"<pre>{html.escape(repr(value))}</pre>" if drawer is None else drawer(value)

"""The player in a notebook, as a widget where anywidget is installed, and in HTML everywhere.

A notebook keeps both: what has no widgets, such as nbconvert and GitHub's preview of a converted
page, shows the HTML, a frame with the player's page in it.
"""

from __future__ import annotations

import html
from functools import cache
from typing import TYPE_CHECKING, Any

from tcphoton.traces.files import player
from tcphoton.traces.recording import recording
from tcphoton.web.modules import joined
from tcphoton.web.page import styles

if TYPE_CHECKING:
    from tcphoton.traces.trace import Trace

__all__ = ["of_trace"]

MOST_ROWS = 200_000
"""Rows of a trace that is played in a notebook: some megabytes, which the notebook keeps."""
HEIGHT = 640
"""Pixels of the frame."""


def of_trace(trace: Trace) -> dict[str, Any]:
    """Return a trace by the types of its displays.

    Examples
    --------
    >>> import tcphoton as tp
    >>> shown = of_trace(tp.trace(tp.example("mm1"), stop="1 s"))
    >>> shown["text/html"][:7], shown["text/plain"][:5]
    ('<iframe', 'Trace')
    """
    plain = (
        f"Trace of {trace.packets.height:,} packets in {trace.hops.height:,} rows, seed "
        f"{trace.seed}"
    )
    if trace.hops.height > MOST_ROWS:
        much = f"{plain}: too many to be played here; `tcphoton trace --format player` makes a page"
        return {"text/plain": much, "text/html": f"<p>{html.escape(much)}</p>"}
    page = html.escape(player(trace).decode())
    frame = (
        f'<iframe sandbox="allow-scripts" title="{html.escape(plain)}" width="100%" '
        f'height="{HEIGHT}" style="border: 0" srcdoc="{page}"></iframe>'
    )
    return {"text/plain": plain, "text/html": frame, **_widget(recording(trace))}


def _widget(data: bytes) -> dict[str, Any]:
    """Return the widget's display, nothing where it cannot be made."""
    kind = _kind()
    if kind is None:
        return {}
    shown = kind(recording=data)._repr_mimebundle_()
    bundle: dict[str, Any] = shown[0] if isinstance(shown, tuple) else shown or {}
    return {name: value for name, value in bundle.items() if name.startswith("application/")}


@cache
def _kind() -> Any:
    """Return the class of widgets, nothing without anywidget."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None

    class PlayerWidget(anywidget.AnyWidget):
        """A recording that is played."""

        _esm = f"{joined('player/widget')}\nexport default {{ render }};\n"
        _css = styles()
        recording = traitlets.Bytes().tag(sync=True)

    return PlayerWidget

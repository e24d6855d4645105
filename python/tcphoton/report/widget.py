"""The player in a notebook: a frame with the player's page in it, and a widget for those who ask.

A trace shows itself by the frame, which is HTML: it is there without a kernel and without a
network, and nbconvert keeps it. A widget is neither: what converts a notebook with its state asks a
network for the scripts of widgets. So it is made on demand, where anywidget is installed.
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

__all__ = ["of_trace", "widget_of"]

MOST_ROWS = 200_000
"""Rows of a trace that is played in a notebook: some megabytes, which the notebook keeps."""
HEIGHT = 640
"""Pixels of the frame."""


def of_trace(trace: Trace) -> str:
    """Return a frame of HTML that plays a trace.

    Examples
    --------
    >>> import tcphoton as tp
    >>> of_trace(tp.trace(tp.example("mm1"), stop="1 s"))[:7]
    '<iframe'
    """
    about = f"{trace.packets.height:,} packets in {trace.hops.height:,} rows, seed {trace.seed}"
    if trace.hops.height > MOST_ROWS:
        much = f"{about}: too many to be played here; `tcphoton trace --format player` makes a page"
        return f"<p>{html.escape(much)}</p>"
    page = html.escape(player(trace).decode())
    return (
        f'<iframe sandbox="allow-scripts" title="{html.escape(about)}" width="100%" '
        f'height="{HEIGHT}" style="border: 0" srcdoc="{page}"></iframe>'
    )


def widget_of(trace: Trace) -> Any:
    """Return a trace as a widget.

    Raises
    ------
    ImportError
        anywidget is not installed.
    """
    return _kind()(recording=recording(trace))


@cache
def _kind() -> Any:
    """Return the class of widgets."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        problem = "a widget needs anywidget: pip install 'tcphoton[notebook]'"
        raise ImportError(problem) from None

    class PlayerWidget(anywidget.AnyWidget):
        """A recording that is played."""

        _esm = f"{joined('player/widget')}\nexport default {{ render }};\n"
        _css = styles()
        recording = traitlets.Bytes().tag(sync=True)

    return PlayerWidget

"""The formats in which a trace is written."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from tcphoton import _core
from tcphoton.traces import captures, perfetto
from tcphoton.traces.recording import recording
from tcphoton.web.page import player_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from tcphoton.traces.trace import Trace

__all__ = ["WRITERS", "csv", "player"]

PICOSECONDS = 12
"""Decimal places of a time."""


def csv(trace: Trace) -> bytes:
    """Return the rows of a trace as comma-separated values, times in seconds to the picosecond.

    Examples
    --------
    >>> import tcphoton as tp
    >>> text = csv(tp.trace(tp.example("mm1"), stop="1 s")).decode()
    >>> text.splitlines()[0][:34]
    'flow,number,backward,link,hop,offe'
    """
    data = BytesIO()
    trace.rows().write_csv(data, float_precision=PICOSECONDS)
    return data.getvalue()


def player(trace: Trace) -> bytes:
    """Return a page that plays a trace: one file, without a network, in any browser.

    Examples
    --------
    >>> import tcphoton as tp
    >>> page = player(tp.trace(tp.example("mm1"), stop="1 s"))
    >>> page[:15]
    b'<!doctype html>'
    """
    title = trace.title or "A run"
    about = (
        f"{trace.packets.height:,} packets in {trace.hops.height:,} rows, from "
        f"{trace.start / 1e12:.12g} s to {trace.end / 1e12:.12g} s of the run with seed "
        f"{trace.seed}; tcphoton {_core.__version__}."
    )
    return player_page(recording(trace), title, about).encode()


WRITERS: dict[str, Callable[[Trace], bytes]] = {
    "pcapng": captures.pcapng,
    "perfetto": perfetto.perfetto,
    "csv": csv,
    "player": player,
}
"""The function that returns the bytes of a file, by format."""

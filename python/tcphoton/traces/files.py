"""The formats in which a trace is written."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from tcphoton.traces import captures, perfetto

if TYPE_CHECKING:
    from collections.abc import Callable

    from tcphoton.traces.trace import Trace

__all__ = ["WRITERS", "csv"]

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


WRITERS: dict[str, Callable[[Trace], bytes]] = {
    "pcapng": captures.pcapng,
    "perfetto": perfetto.perfetto,
    "csv": csv,
}
"""The function that returns the bytes of a file, by format."""

"""A trace as a file for the player: columns of numbers, compressed.

The file is compressed by gzip. Inside: a line that says what it is, the length of the head as four
bytes, the head in JSON (title, seed, span, tables with their columns), then the columns. A column
is one double per row: a number, NaN where there is none, or where the head says so its difference
to the last one of the column; a text as its place among the texts that the head has. Of all
doubles of a column the first bytes stand first, then the second ones, and so on: so they compress
well. A number of the engine above 2^53, such as a picosecond after more than two hours, is rounded.
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    import numpy.typing as npt

    from tcphoton.traces.trace import Trace

__all__ = ["recording"]

MAGIC = b"tcphoton player 1\n"
TABLES = {
    "nodes": ("node", "kind"),
    "links": ("link", "from-node", "to-node", "rate", "delay", "channels"),
    "flows": ("flow", "from", "to", "transport"),
    "packets": ("number", "flow", "backward", "bytes", "data", "seq", "ack", "resent"),
    "hops": (
        "packet", "link", "hop", "offered", "start", "end", "arrived", "lost", "cause", "marked",
        "channel", "burst",
    ),
    "series": ("time", "what", "subject", "value"),
    "bursts": (
        "burst", "ingress", "egress", "packets", "bytes", "opened", "released", "cause", "outcome",
        "delivered",
    ),
    "reservations": (
        "burst", "link", "asked", "header-sent", "channel", "start", "end", "fibre-delay",
        "converted", "deflected", "outcome",
    ),
}  # fmt: skip
"""The columns that the player shows; a trace need not have all of them."""


def recording(trace: Trace) -> bytes:
    r"""Return a trace as the player's file.

    Examples
    --------
    >>> import tcphoton as tp
    >>> made = recording(tp.trace(tp.example("mm1"), stop="1 s"))
    >>> gzip.decompress(made)[: len(MAGIC)]
    b'tcphoton player 1\n'
    """
    tables, columns = [], []
    for name, wanted in TABLES.items():
        frame: pl.DataFrame = getattr(trace, name)
        described = []
        for column in (frame.get_column(each) for each in wanted if each in frame.columns):
            about, values = _column(column)
            described.append(about)
            columns.append(values)
        if described:
            tables.append({"name": name, "rows": frame.height, "columns": described})
    head = {
        "title": trace.title,
        "seed": str(trace.seed),
        "start": trace.start,
        "stop": trace.stop,
        "cut": trace.cut,
        "tables": tables,
    }
    text = json.dumps(head, ensure_ascii=False).encode()
    parts = [MAGIC, len(text).to_bytes(4, "little"), text, *map(_shuffled, columns)]
    # No name and no time, so that the same trace gives the same file.
    # Level 9 would take seven times as long for a file that is a fiftieth smaller.
    return gzip.compress(b"".join(parts), 7, mtime=0)


def _column(column: pl.Series) -> tuple[dict[str, Any], npt.NDArray[np.float64]]:
    """Return what the head says of a column, and its doubles."""
    about = {"name": column.name, "unit": "", "doc": ""}
    if column.dtype == pl.String:
        levels = column.fill_null("").unique(maintain_order=True)
        codes = {text: code for code, text in enumerate(levels)}
        places = column.fill_null("").replace_strict(codes, return_dtype=pl.Float64)
        return about | {"levels": levels.to_list(), "differences": False}, _doubles(places)
    values = _doubles(column.cast(pl.Float64).fill_null(float("nan")))
    known = ~np.isnan(values)
    differences = np.diff(values[known], prepend=0.0)
    # Whole numbers come out of their differences as they were; other numbers need not.
    exact = bool(np.array_equal(np.cumsum(differences), values[known]))
    if exact:
        values[known] = differences
    return about | {"levels": None, "differences": exact}, values


def _doubles(column: pl.Series) -> npt.NDArray[np.float64]:
    return np.array(column.to_numpy(), dtype=float)


def _shuffled(values: npt.NDArray[np.float64]) -> bytes:
    data = np.ascontiguousarray(values.astype("<f8"))
    return data.view(np.uint8).reshape(-1, 8).T.tobytes()

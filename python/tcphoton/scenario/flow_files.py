r"""Lists of flows: tables in CSV and Parquet, a flow in each row.

>>> print(content("trace.csv", b"start,from,to,size\n0.25,a,b,30000\n1.5 ms,b,a,6 kB\n"))
[
{ start = "0.25 s", from = "a", to = "b", size = "30000 B" },
{ start = "1.5 ms", from = "b", to = "a", size = "6 kB" },
]
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from tcphoton.common import toml
from tcphoton.scenario import csv_rows
from tcphoton.scenario.csv_rows import NUMBER
from tcphoton.scenario.topology_graph import fail

__all__ = ["content"]

COLUMNS = ("start", "from", "to", "size")
INSTANT = Decimal("1e-12")
"""The finest step of time in seconds."""


def content(file: str, data: bytes) -> str:
    """Return a list of flows as the value of the key ``flows``.

    Rows without a start are left out: a run's own table has such rows for flows that never began.

    Raises
    ------
    ScenarioError
        It is no table with these columns, no row has a start, or one has no size.
    """
    lines, empty = csv_rows.Lines(), True
    for line, (start, sender, receiver, size) in csv_rows.rows(file, data, COLUMNS):
        if not start:
            continue
        if not size:
            accepted = "the bytes of a file; an endless flow has none"
            fail(file, "a flow without a size", line=line, accepted=accepted)
        flow = {"start": _seconds(start), "from": sender, "to": receiver, "size": _bytes(size)}
        lines.put(line, f"{toml.inline(flow)},")
        empty = False
    if empty:
        fail(file, "no flow", accepted="rows with a start")
    return lines.text()


def _seconds(text: str) -> str:
    """Return a start with its unit; a plain number is in seconds, to a picosecond."""
    if not NUMBER.fullmatch(text):
        return text
    number = Decimal(text)
    if number and number.as_tuple().exponent < INSTANT.as_tuple().exponent:  # type: ignore[operator]
        number = number.quantize(INSTANT, ROUND_HALF_EVEN)
    return f"{number:f} s"


def _bytes(text: str) -> str:
    """Return a size with its unit; a plain number is in bytes."""
    if not NUMBER.fullmatch(text):
        return text
    number = Decimal(text)
    whole = number == number.to_integral_value()
    return f"{number.to_integral_value() if whole else number:f} B"

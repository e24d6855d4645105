r"""Lists of flows: tables in CSV and Parquet, a flow in each row.

>>> print(content("trace.csv", b"start,from,to,size\n0.25,a,b,30000\n1.5 ms,b,a,6 kB\n"))
[
{ start = "0.25 s", from = "a", to = "b", size = "30000 B" },
{ start = "1.5 ms", from = "b", to = "a", size = "6 kB" },
]
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal

from tcphoton.common import toml
from tcphoton.scenario import table_rows
from tcphoton.scenario.table_rows import NUMBER
from tcphoton.scenario.topology_graph import fail

COLUMNS = ("start", "from", "to", "size")
INSTANT = Decimal("1e-12")
"""The finest step of time in seconds."""
LONGEST = 100
MOST_DIGITS = 100
EXACT = Context(prec=300)
"""Digits enough for every number of at most `LONGEST` characters and `MOST_DIGITS` places."""


def content(file: str, data: bytes) -> str:
    """Return a list of flows as the value of the key ``flows``.

    Rows without a start are left out: a run's own table has such rows for flows that never began.

    Raises
    ------
    ScenarioError
        It is no table with these columns, no row has a start, or one has no size.
    """
    lines, empty = table_rows.Lines(), True
    for line, (start, sender, receiver, size) in table_rows.rows(file, data, COLUMNS):
        if not start:
            continue
        if not size:
            accepted = "the bytes of a file; an endless flow has none"
            fail(file, "a flow without a size", line=line, accepted=accepted)
        flow = {"start": seconds(start), "from": sender, "to": receiver, "size": octets(size)}
        lines.put(line, f"{toml.inline(flow)},")
        empty = False
    if empty:
        fail(file, "no flow", accepted="rows with a start")
    return lines.text()


def seconds(text: str) -> str:
    """Return a time with its unit; a plain number is in seconds, to a picosecond."""
    number = _number(text)
    if number is None:
        return f"{text} s" if NUMBER.fullmatch(text) else text
    return f"{number.quantize(INSTANT, ROUND_HALF_EVEN, EXACT).normalize(EXACT):f} s"


def octets(text: str) -> str:
    """Return a size with its unit; a plain number is in bytes."""
    number = _number(text)
    if number is None:
        return f"{text} B" if NUMBER.fullmatch(text) else text
    return f"{number.normalize(EXACT):f} B"


def _number(text: str) -> Decimal | None:
    """Return a number without a unit; none if it is none, or far from every start and size."""
    if not NUMBER.fullmatch(text) or len(text) > LONGEST:
        return None
    number = Decimal(text)
    return number if -MOST_DIGITS < number.adjusted() < MOST_DIGITS else None

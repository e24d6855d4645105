r"""Traffic matrices: tables in CSV and Parquet, and the demands of SNDlib and of REPETITA.

>>> print(content("list.csv", b"from,to,demand\nOslo,Rome,2\n"))
[
{ from = "Oslo", to = "Rome", demand = 2.0 },
]
>>> print(content("square.csv", b",Oslo,Rome\nOslo,0,2\nRome,1.5,0\n"))
[
{ from = "Oslo", to = "Oslo", demand = 0.0 },{ from = "Oslo", to = "Rome", demand = 2.0 },
{ from = "Rome", to = "Oslo", demand = 1.5 },{ from = "Rome", to = "Rome", demand = 0.0 },
]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcphoton.common import toml
from tcphoton.scenario import topology_files
from tcphoton.scenario.parquet_rows import is_parquet
from tcphoton.scenario.table_rows import NUMBER, Lines, lines_of, text_of
from tcphoton.scenario.topology_graph import fail
from tcphoton.scenario.topology_repetita import are_repetita_demands, repetita_demands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COLUMNS = ("from", "to", "demand")
ACCEPTED = (
    "a header with from, to and demand, or with the places that receive; or demands of SNDlib or "
    "REPETITA"
)

Demand = tuple[int, str, str, str]
"""The line of a demand, its places, and its number as a text."""


def content(file: str, data: bytes) -> str:
    """Return a matrix as the value of the key ``demands``.

    Raises
    ------
    ScenarioError
        It is no matrix, or a demand is not a number.
    """
    lines = Lines()
    for line, start, end, value in _demands(file, data):
        demand = {"from": start, "to": end, "demand": _number(file, line, value)}
        lines.put(line, f"{toml.inline(demand)},")
    return lines.text()


def _number(file: str, line: int, value: str) -> float:
    if not NUMBER.fullmatch(value):
        fail(file, "not a demand", line=line, found=value, accepted="a number from 0")
    return float(value)


def _demands(file: str, data: bytes) -> Iterable[Demand]:
    if is_parquet(data):
        return _of_table(file, lines_of(file, data))
    text = text_of(file, data)
    if topology_files.is_sndlib(text):
        return _summed(file, topology_files.demands_of(file, text))
    if are_repetita_demands(text):
        return _summed(file, repetita_demands(file, text))
    return _of_table(file, lines_of(file, data))


def _summed(file: str, demands: list[Demand]) -> list[Demand]:
    """Return one demand for each pair of places: these formats may have several, to be added."""
    sums: dict[tuple[str, str], Demand] = {}
    for line, start, end, value in demands:
        if _number(file, line, value) < 0:
            fail(file, "a demand below zero", line=line, found=value, accepted="a number from 0")
        first, _, _, known = sums.get((start, end), (line, start, end, "0"))
        sums[start, end] = first, start, end, repr(float(known) + float(value))
    return list(sums.values())


def _of_table(file: str, rows: Iterator[tuple[int, list[str]]]) -> Iterator[Demand]:
    line, header = next(rows, (1, []))
    if len(header) < 2:  # noqa: PLR2004
        fail(file, "no matrix", line=line, found=", ".join(header), accepted=ACCEPTED)
    at = [header.index(name) for name in COLUMNS if name in header]
    square = len(at) < len(COLUMNS)
    least = len(header) if square else max(at) + 1
    for line, row in rows:
        if len(row) < least or (square and len(row) > least):
            found, problem = ",".join(row), "too few columns"
            if len(row) > least:
                problem = "more columns than the header"
            fail(file, problem, line=line, found=found, accepted=f"{least} columns")
        if square:
            for end, value in zip(header[1:], row[1:], strict=True):
                yield line, row[0], end, value
        else:
            start, end, value = (row[place] for place in at)
            yield line, start, end, value

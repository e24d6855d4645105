"""Tables, row by row with their lines, and values whose parts keep these lines."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from tcphoton.scenario.parquet_rows import is_parquet, parquet_rows
from tcphoton.scenario.topology_graph import fail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NUMBER = re.compile(r"[+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?+\d++)?+")
"""A number without a unit."""


def rows(
    file: str, data: bytes, columns: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[int, list[str]]]:
    """Give the rows of a table below its header, each with its line: the values of some columns.

    The table is in CSV or Parquet. Empty lines, and lines that begin with ``#``, are left out; so
    are further columns. Values of `optional` columns follow, empty if there is no such column.

    Raises
    ------
    ScenarioError
        The file is damaged, or has no such columns, or a row lacks one.
    """
    accepted = f"a header and rows with the columns {', '.join(columns)}"
    places: list[int] | None = None
    more: list[int | None] = []
    width = 0
    for line, row in lines_of(file, data, accepted):
        if places is None:
            absent = [name for name in columns if name not in row]
            if absent:
                problem = f"no column {absent[0]}"
                if len(absent) == len(columns) and any(cell[:1].isdecimal() for cell in row):
                    problem = f"no header such as {','.join(columns)}"
                fail(file, problem, line=line, found=", ".join(row), accepted=accepted)
            there = [*columns, *(name for name in optional if name in row)]
            places, width = [row.index(name) for name in there], len(row)
            more = [there.index(name) if name in there else None for name in optional]
        elif len(row) <= max(places):
            fail(file, "too few columns", line=line, found=",".join(row), accepted=accepted)
        elif len(row) > width:
            problem = "more columns than the header"
            fail(file, problem, line=line, found=",".join(row), accepted=f"{width} columns")
        else:
            values = [row[place] for place in places]
            found = ["" if place is None else values[place] for place in more]
            yield line, [*values[: len(columns)], *found]


def lines_of(
    file: str, data: bytes, accepted: str = "a table in CSV"
) -> Iterator[tuple[int, list[str]]]:
    """Give the rows of a table in CSV or Parquet, its header first, each with its line.

    Empty lines, and lines that begin with ``#``, are left out of CSV.

    Raises
    ------
    ScenarioError
        The file is damaged, or has no row; `accepted` is what is.
    """
    return parquet_rows(file, data) if is_parquet(data) else _csv_rows(file, data, accepted)


def _csv_rows(file: str, data: bytes, accepted: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(text_of(file, data).splitlines(), skipinitialspace=True, strict=True)
    empty = True
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            fail(file, f"not CSV: {error}", line=reader.line_num, accepted=accepted)
        if row is None:
            break
        row = [value.strip() for value in row]
        if any(row) and not row[0].startswith("#"):
            empty = False
            yield reader.line_num, row
    if empty:
        fail(file, "an empty table", accepted=accepted)


def text_of(file: str, data: bytes) -> str:
    """Return the text of a file, which is UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        fail(file, "not UTF-8 text", line=line)


class Lines:
    """A list in TOML whose items stand on given lines; its brackets are on others' lines."""

    def __init__(self) -> None:
        self._lines: list[str] = ["["]

    def put(self, line: int, item: str) -> None:
        """Put an item on a line, counted from 1; lines increase."""
        self._lines += [""] * (line - len(self._lines))
        self._lines[line - 1] += item

    def text(self) -> str:
        """Return the list."""
        return "\n".join(self._lines) + "\n]"

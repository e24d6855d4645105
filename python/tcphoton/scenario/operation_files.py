r"""Graphs of operations: tables in CSV and Parquet, an operation in each row.

>>> table = b"host,to,size,compute,after\na,b,6 kB,,\nb,,,0.5,0\nb,a,100,,0 1\n"
>>> print(content("graph.csv", table))
[
{ host = "a", to = "b", size = "6 kB" },
{ host = "b", compute = "0.5 s", after = [0] },
{ host = "b", to = "a", size = "100 B", after = [0, 1] },
]
"""

from __future__ import annotations

import re

from tcphoton.common import toml
from tcphoton.scenario import table_rows
from tcphoton.scenario.flow_files import octets, seconds
from tcphoton.scenario.topology_graph import fail

REQUIRED = ("host", "to", "size", "compute", "after")
OPTIONAL = ("after-start", "cpu")
NUMBER = re.compile(r"\d{1,9}")


def content(file: str, data: bytes) -> str:
    """Return a graph as the value of the key ``operations``.

    Raises
    ------
    ScenarioError
        It is no table with these columns, or has no rows.
    """
    lines, empty = table_rows.Lines(), True
    for line, row in table_rows.rows(file, data, REQUIRED, OPTIONAL):
        host, to, size, compute, after, start, cpu = row
        operation: dict[str, object] = {"host": host}
        operation |= {"to": to} if to else {}
        operation |= {"size": octets(size)} if size else {}
        operation |= {"compute": seconds(compute)} if compute else {}
        operation |= {"cpu": _number(file, line, cpu)} if cpu else {}
        operation |= {"after": _numbers(file, line, after)} if after else {}
        operation |= {"after-start": _numbers(file, line, start)} if start else {}
        lines.put(line, f"{toml.inline(operation)},")
        empty = False
    if empty:
        fail(file, "no operation", accepted="rows with a host")
    return lines.text()


def _numbers(file: str, line: int, text: str) -> list[int]:
    """Return whole numbers with spaces between them."""
    return [_number(file, line, word) for word in text.split()]


def _number(file: str, line: int, word: str) -> int:
    if not NUMBER.fullmatch(word):
        accepted = "whole numbers, with spaces between those of operations"
        fail(
            file, "not the number of an operation or cpu", line=line, found=word, accepted=accepted
        )
    return int(word)

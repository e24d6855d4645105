r"""Lists of flows in the forms of other simulators, read and written.

Their hosts are numbers, in an order that is known to the simulator alone; here the caller gives
their names. A table has the columns that a source of the kind ``flows`` reads: ``start`` in
seconds, ``from``, ``to``, ``size`` in bytes.

- ``.htsim``, of Opera's simulator (TritonNetworking/opera-sim): in each line the numbers of both
  hosts, the bytes, and the start in nanoseconds.
- ``.cm``, the connection matrices of htsim (Broadcom/csg-htsim, ultraethernet/uet-htsim):
  ``3->17 id 1 start 0 size 2000000``, with the start in picoseconds, below the numbers of nodes and
  of connections. One whose triggers start connections is a graph: `tcphoton.graphs.read_htsim`.

>>> import tempfile
>>> from pathlib import Path
>>> import tcphoton as tp
>>> with tempfile.TemporaryDirectory() as folder:
...     file = Path(folder) / "two.htsim"
...     _ = file.write_text("0 2 560 182729\n2 1 400000 221013\n")
...     flows = tp.flow_lists.read(file, ["a", "b", "c"])
...     tp.flow_lists.write(Path(folder) / "two.cm", flows, ["a", "b", "c"])
...     print((Path(folder) / "two.cm").read_text(), end="")
Nodes 3
Connections 2
0->2 id 1 start 182729000 size 560
2->1 id 2 start 221013000 size 400000
>>> flows.rows()
[(0.000182729, 'a', 'c', 560), (0.000221013, 'c', 'b', 400000)]
"""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tcphoton.scenario.connection_matrix import LARGEST, lines_of, matrix_of
from tcphoton.scenario.topology_graph import fail

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

__all__ = ["read", "write"]

Flow = tuple[int, int, int, Decimal]
"""The numbers of both hosts, the bytes, and the start in seconds."""
SCHEMA = {"start": pl.Float64, "from": pl.String, "to": pl.String, "size": pl.Int64}
OPERA = re.compile(r"(\d+)\s+(\d+)\s+(\d+)\s+(\d+)")
FORMS = (".htsim", ".cm")


def read(path: str | os.PathLike[str], hosts: Sequence[str]) -> pl.DataFrame:
    """Return the flows of a file, in its order.

    Parameters
    ----------
    path
        A file whose name ends with ``.htsim`` or ``.cm``.
    hosts
        The name of each host, by its number from 0.

    Raises
    ------
    ScenarioError
        A line is no flow, or a number is not that of a host.
    ValueError
        The name of the file has another ending.
    OSError
        The file cannot be read.
    """
    file = Path(path)
    flows = _opera if _form(file) == ".htsim" else _matrix
    rows = []
    for line, (sender, receiver, size, start) in flows(str(file), file.read_bytes()):
        for number in (sender, receiver):
            if number >= len(hosts):
                accepted = f"0 to {len(hosts) - 1}, the numbers of {len(hosts)} hosts"
                fail(str(file), "no such host", line=line, found=str(number), accepted=accepted)
        if not 0 < size <= LARGEST:
            fail(str(file), "no size of a flow", line=line, found=str(size), accepted="1 B or more")
        rows.append((float(start), hosts[sender], hosts[receiver], size))
    if not rows:
        fail(str(file), "no flow", accepted="a flow in each line")
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def write(path: str | os.PathLike[str], flows: pl.DataFrame, hosts: Sequence[str]) -> None:
    """Write flows to a file.

    Parameters
    ----------
    path
        A file whose name ends with ``.htsim`` or ``.cm``.
    flows
        The flows: a table with the columns of `read`, as the table ``flows`` of a report has them.
        Rows without a start, or without a size, are left out.
    hosts
        The name of each host, by its number from 0.

    Raises
    ------
    ValueError
        A flow has a host without a number, or the name of the file has another ending.
    OSError
        The file cannot be written.
    """
    file, number_of = Path(path), {name: number for number, name in enumerate(hosts)}
    form = _form(file)
    columns = flows.select("start", "from", "to", "size").drop_nulls()
    lines = []
    for at, (start, sender, receiver, size) in enumerate(columns.iter_rows(), 1):
        unknown = [name for name in (sender, receiver) if name not in number_of]
        if unknown:
            raise ValueError(f"the host {unknown[0]!r} has no number among those given")
        ends = number_of[sender], number_of[receiver]
        if form == ".htsim":
            lines.append(f"{ends[0]} {ends[1]} {int(size)} {round(start * 1e9)}\n")
        else:
            instant = round(start * 1e12)
            lines.append(f"{ends[0]}->{ends[1]} id {at} start {instant} size {int(size)}\n")
    head = f"Nodes {len(hosts)}\nConnections {len(lines)}\n" if form == ".cm" else ""
    file.write_text(head + "".join(lines), "utf-8")


def _form(file: Path) -> str:
    """Return the form of a file, by the ending of its name."""
    if file.suffix not in FORMS:
        raise ValueError(f"{file.name}: an unknown form of flows; accepted {', '.join(FORMS)}")
    return file.suffix


def _opera(file: str, data: bytes) -> Iterator[tuple[int, Flow]]:
    accepted = "four whole numbers: source, destination, bytes, start in nanoseconds"
    for line, text in lines_of(file, data):
        found = OPERA.fullmatch(text)
        if found is None:
            fail(file, "not a flow", line=line, found=text, accepted=accepted)
        sender, receiver, size, start = map(int, found.groups())
        yield line, (sender, receiver, size, Decimal(start).scaleb(-9))


def _matrix(file: str, data: bytes) -> Iterator[tuple[int, Flow]]:
    for each in matrix_of(file, data).connections:
        if each.start is None or (each.sent, each.received) != (None, None):
            what = "that a trigger starts" if each.start is None else "that sets off a trigger"
            accepted = "a start alone; tp.graphs.read_htsim reads triggers, as operations that wait"
            problem = f"a connection {what}"
            fail(file, problem, line=each.line, accepted=accepted)
        yield each.line, (*each.ends, each.size, Decimal(each.start).scaleb(-12))

r"""Graphs of operations in the forms of other simulators.

Their ranks are numbers; here the caller gives the names of hosts. A table has the columns that a
source of the kind ``graph`` reads.

>>> import tempfile
>>> from pathlib import Path
>>> import tcphoton as tp
>>> schedule = '''
... num_ranks 2
... rank 0 {
... l1: calc 500
... l2: send 1000b to 1 tag 7
... l2 requires l1
... }
... rank 1 {
... l1: recv 1000b from 0 tag 7
... }
... '''
>>> with tempfile.TemporaryDirectory() as folder:
...     file = Path(folder) / "two.goal"
...     _ = file.write_text(schedule)
...     for row in tp.graphs.read_goal(file, ["a", "b"]).rows():
...         print(*row)
a None None 5e-07 None None None
a None None 0.0 0 None None
a b 1000 None 1 None None
b None None 0.0 2 None None
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton.common import quantities
from tcphoton.scenario import chakra, goal, htsim_triggers
from tcphoton.scenario.connection_matrix import matrix_of

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import polars as pl

__all__ = ["read_chakra", "read_goal", "read_htsim"]


def read_goal(
    path: str | os.PathLike[str],
    hosts: Sequence[str],
    *,
    overhead: str = "0 s",
    eager: str = "65535 B",
) -> pl.DataFrame:
    """Return a schedule in GOAL, the language of LogGOPSim, as a graph.

    A send and a receipt are a computation of the `overhead` on the processor (``cpu``) that is
    named, before the send and after the receipt; ``calc`` counts nanoseconds. Receipts take the
    sends of their source and tag in the order of the file. ``irequires`` waits for a start. The
    first rank's processors are those of the first host.

    Parameters
    ----------
    path
        The schedule as a text, which LogGOPSim's ``txt2bin`` reads.
    hosts
        The name of the host of each rank, from 0.
    overhead
        The time ``o`` of LogGOPSim, its option of this name.
    eager
        Its option ``S``: sends of at most this size are over for their sender when they start,
        others when all data are acknowledged.

    Raises
    ------
    ScenarioError
        A line is no statement, or one that is not supported: a receipt from any source or with any
        tag (-1), an interface (``nic``) other than 0.
    OSError
        The file cannot be read.
    """
    file = Path(path)
    seconds, size = quantities.number(overhead), round(quantities.number(eager))
    return goal.operations(str(file), file.read_bytes(), hosts, seconds, size)


def read_chakra(
    folder: str | os.PathLike[str],
    hosts: Sequence[str],
    *,
    algorithms: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Return execution traces of Chakra as a graph.

    Nodes wait for their control and data dependencies. Those that compute take their duration, on
    the processor 1 for operations on the CPU and 0 for others, one after the other on each.
    Receipts take the sends of their source and tag in the order of the files. Collective
    operations, which are matched by their order in each process group (``pg_name``), become sends.

    Parameters
    ----------
    folder
        Where there is a file for each rank, with its number from 0 at the end of its name:
        messages of et_def.proto (``trace.0.et``), or what Chakra's jsonizer makes of them
        (``trace.0.json``).
    hosts
        The name of the host of each rank, from 0.
    algorithms
        The algorithm of collective operations, other than these: ``ring-all-reduce`` for
        ``ALL_REDUCE``, ``ring-all-gather`` for ``ALL_GATHER``, ``ring-reduce-scatter`` for
        ``REDUCE_SCATTER``, ``all-to-all`` for ``ALL_TO_ALL``.

    Raises
    ------
    ScenarioError
        A file is no trace, or has nodes that are not supported; all their kinds are named.
    OSError
        A file cannot be read.
    """
    files = chakra.ranks_of(Path(folder))
    traces = [(str(file), file.read_bytes()) for file in files]
    return chakra.operations(traces, hosts, algorithms or {})


def read_htsim(path: str | os.PathLike[str], hosts: Sequence[str]) -> pl.DataFrame:
    """Return a connection matrix of htsim (``.cm``), whose triggers start connections, as a graph.

    Each connection is a send. One with a start waits for a computation of that length, on the
    processor 1 of its host; one that a trigger starts waits for what sets that off: all data
    acknowledged (``send_done_trigger``) or there (``recv_done_trigger``) of a connection, or of as
    many as a barrier counts. Computations of no length, on the processor 0, tell other hosts of
    acknowledgments, and the sender of the arrival.

    Parameters
    ----------
    path
        The file.
    hosts
        The name of each host, by its number from 0.

    Raises
    ------
    ScenarioError
        A line is no connection or trigger, or which connection a trigger starts depends on the run:
        a ``multishot`` one that several connections under way set off.
    OSError
        The file cannot be read.
    """
    file = Path(path)
    return htsim_triggers.operations(matrix_of(str(file), file.read_bytes()), hosts)

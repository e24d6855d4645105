"""Connections of htsim that wait for each other, as operations."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from tcphoton.scenario.operation_list import Operations
from tcphoton.scenario.topology_graph import fail

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from tcphoton.scenario.connection_matrix import Matrix, Trigger

TOLD, DELAYED = 0, 1
"""The processors of computations that tell a host of an end, and of those that wait for a start."""


class End(NamedTuple):
    """The end of a connection, by its number: all is acknowledged, or all is there."""

    connection: int
    sent: bool


def operations(matrix: Matrix, hosts: Sequence[str]) -> pl.DataFrame:
    """Return a matrix as the table of a source of the kind ``graph``."""
    for each in matrix.connections:
        for number in each.ends:
            if number >= len(hosts):
                accepted = f"0 to {len(hosts) - 1}, the numbers of {len(hosts)} hosts"
                found = str(number)
                fail(matrix.file, "no such host", line=each.line, found=found, accepted=accepted)
    if not matrix.connections:
        fail(matrix.file, "no connection", accepted="a connection in each line")
    graph = _Graph(matrix, hosts)
    graph.delay()
    for at, ends in _waits(matrix).items():
        graph.wait(at, ends)
    return graph.list.table()


class _Graph:
    """The operations of a matrix: a send for each connection, and what it waits for."""

    def __init__(self, matrix: Matrix, hosts: Sequence[str]) -> None:
        """Begin with the sends, whose numbers are those of the connections."""
        self.list = Operations(hosts)
        self._connections = matrix.connections
        self._told: dict[End, int] = {}
        for each in matrix.connections:
            self.list.send(*each.ends, each.size)

    def delay(self) -> None:
        """Let connections wait for their starts: computations of their host, one after another."""
        at: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, each in enumerate(self._connections):
            if each.start:
                at[each.ends[0]][each.start].append(number)
        for host, starts in at.items():
            before, last = list[int](), 0
            for start in sorted(starts):
                seconds = (start - last) / 10**12
                before, last = [self.list.compute(host, seconds, before, DELAYED)], start
                for number in starts[start]:
                    self.list.wait(number, before)

    def wait(self, number: int, ends: list[End]) -> None:
        """Let a connection wait for ends of others."""
        host = self._connections[number].ends[0]
        self.list.wait(number, [self._known(end, host) for end in ends])

    def _known(self, end: End, host: int) -> int:
        """Return what a host waits for to start at the end of a connection.

        A sender that waits for its send waits for the acknowledgments, other hosts for the data.
        """
        sender, receiver = self._connections[end.connection].ends
        if end.sent == (host == sender):
            return end.connection
        if end not in self._told:
            at = sender if end.sent else receiver
            self._told[end] = self.list.compute(at, 0.0, [end.connection], TOLD)
        return self._told[end]


def _waits(matrix: Matrix) -> dict[int, list[End]]:
    """Return for whose ends connections wait, by their numbers."""
    fired: dict[int, list[End]] = defaultdict(list)
    started: dict[int, list[int]] = defaultdict(list)
    for at, each in enumerate(matrix.connections):
        for number, sent in ((each.sent, True), (each.received, False)):
            if number is not None:
                fired[number].append(End(at, sent))
        if each.trigger is not None:
            started[each.trigger].append(at)
        for number in (each.trigger, each.sent, each.received):
            if number is not None and number not in matrix.triggers:
                problem, accepted = "no such trigger", "the id of a trigger of this file"
                found = str(number)
                fail(matrix.file, problem, line=each.line, found=found, accepted=accepted)
    waits: dict[int, list[End]] = {}
    for number, waiting in started.items():
        trigger, ends = matrix.triggers[number], fired[number]
        if trigger.kind == "multishot":
            waits |= _one_by_one(matrix.file, trigger, ends, waiting)
            continue
        needed = trigger.times if trigger.kind == "barrier" else 1
        if len(ends) != needed:
            problem = f"a {trigger.kind} trigger that another number of connections sets off"
            accepted = f"{needed}, with send_done_trigger or recv_done_trigger"
            found = str(len(ends))
            fail(matrix.file, problem, line=trigger.line, found=found, accepted=accepted)
        waits |= dict.fromkeys(waiting, ends)
    return waits


def _one_by_one(
    file: str, trigger: Trigger, ends: list[End], waiting: list[int]
) -> dict[int, list[End]]:
    """Return for whom the connections of a multishot trigger wait: each time it starts the next.

    It is known which one that is where each is set off by the one before.
    """
    by_connection = {end.connection: end for end in ends}
    first = [end for end in ends if end.connection not in waiting]
    chain = [*first, *(by_connection.get(at) for at in waiting[:-1])]
    if len(first) != 1 or None in chain or len(by_connection) != len(ends):
        problem = "a multishot trigger of which the run decides which connection it starts next"
        accepted = "one connection under way that sets it off, or a oneshot trigger for each"
        found = f"set off by {len(ends)}, {len(first)} of which it does not start"
        fail(file, problem, line=trigger.line, found=found, accepted=accepted)
    return {at: [end] for at, end in zip(waiting, chain, strict=True) if end is not None}

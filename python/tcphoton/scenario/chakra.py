"""Execution traces of Chakra, a file for each rank, as operations."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING

from tcphoton import _core
from tcphoton.scenario import chakra_nodes
from tcphoton.scenario.operation_list import Operations
from tcphoton.scenario.topology_graph import fail

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from tcphoton.scenario.chakra_nodes import Node

RANK = re.compile(r"(?:.*\D)?(\d+)")
COLLECTIVES = (
    "ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL",
    "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER",
)  # fmt: skip
"""Collective operations by their numbers (``CollectiveCommType``)."""
ALGORITHMS = {
    "ALL_REDUCE": "ring-all-reduce",
    "ALL_GATHER": "ring-all-gather",
    "ALL_TO_ALL": "all-to-all",
    "REDUCE_SCATTER": "ring-reduce-scatter",
    "REDUCE_SCATTER_BLOCK": "ring-reduce-scatter",
}
"""How a collective operation is done, if it is not said."""
CPU, NOTHING = 1, 255
"""The processors of operations on the CPU, and of those that take no time; that of the GPU is 0."""


def ranks_of(folder: Path) -> list[Path]:
    """Return the traces of a folder in the order of their ranks, the numbers in their names.

    Raises
    ------
    ScenarioError
        There are none, or not one for each rank.
    """
    files: dict[int, Path] = {}
    for file in sorted(folder.iterdir()):
        found = RANK.fullmatch(file.stem)
        if file.suffix in chakra_nodes.FORMS and found:
            if int(found[1]) in files:
                fail(
                    str(folder),
                    "two traces of a rank",
                    found=f"{files[int(found[1])].name}, {file.name}",
                )
            files[int(found[1])] = file
    if not files or max(files) != len(files) - 1:
        found_ = ", ".join(map(str, sorted(files)[:20])) or "none"
        accepted = "a file for each rank from 0, such as trace.0.et or trace.0.json"
        fail(str(folder), "not a trace of each rank", found=f"ranks {found_}", accepted=accepted)
    return [files[rank] for rank in range(len(files))]


def operations(
    traces: Sequence[tuple[str, bytes]], hosts: Sequence[str], algorithms: Mapping[str, str]
) -> pl.DataFrame:
    """Return traces, by rank, as the table of a source of the kind ``graph``."""
    ranks = [chakra_nodes.nodes(file, data) for file, data in traces]
    for (file, _), nodes in zip(traces, ranks, strict=True):
        _supported(file, nodes)
    if len(traces) > len(hosts):
        fail(traces[-1][0], "more ranks than hosts", accepted=f"at most {len(hosts)}")
    graph = _Graph([file for file, _ in traces], hosts, ALGORITHMS | dict(algorithms))
    for rank, nodes in enumerate(ranks):
        for node in nodes:
            graph.add(rank, node)
    graph.match()
    for rank, nodes in enumerate(ranks):
        for node in nodes:
            graph.let_wait(rank, node)
    return graph.list.table()


def _supported(file: str, nodes: Sequence[Node]) -> None:
    """Refuse nodes that no operation stands for, all at once."""
    wrong: Counter[str] = Counter()
    for node in nodes:
        if node.kind == "COMM_COLL_NODE":
            kind = _collective(node)
            if kind not in ALGORITHMS:
                wrong[f"COMM_COLL_NODE {kind}"] += 1
            dims = node.said.get("involved_dim")
            if isinstance(dims, list) and not all(dims):
                wrong["COMM_COLL_NODE in some dimensions"] += 1
        elif node.kind == "COMP_NODE" and not node.micros and node.said.get("num_ops"):
            wrong["COMP_NODE without a duration"] += 1
        elif node.kind not in ("METADATA_NODE", "COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE"):
            wrong[node.kind] += 1
    if wrong:
        found = ", ".join(f"{count} {kind}" for kind, count in sorted(wrong.items()))
        accepted = (
            "METADATA_NODE, COMP_NODE with a duration, COMM_SEND_NODE, COMM_RECV_NODE, "
            f"COMM_COLL_NODE of {', '.join(ALGORITHMS)}"
        )
        fail(file, f"nodes that are not supported: {found}", accepted=accepted)


def _collective(node: Node) -> str:
    kind = node.said.get("comm_type", 0)
    if isinstance(kind, int):
        return COLLECTIVES[kind] if 0 <= kind < len(COLLECTIVES) else str(kind)
    return str(kind)


class _Graph:
    """The operations of all ranks."""

    def __init__(
        self, files: Sequence[str], hosts: Sequence[str], algorithms: Mapping[str, str]
    ) -> None:
        self.list = Operations(hosts)
        self.files, self.algorithms = files, algorithms
        # By rank and node: the operation with which it starts, and the one with which it is over.
        self.first: dict[tuple[int, int], int] = {}
        self.last: dict[tuple[int, int], int] = {}
        self.sends: dict[tuple[int, int, int], deque[int]] = defaultdict(deque)
        self.receipts: list[tuple[int, tuple[int, int, int], Node, int]] = []
        # By group: of each rank its collective operations in their order.
        self.groups: dict[str, dict[int, list[Node]]] = defaultdict(lambda: defaultdict(list))

    def add(self, rank: int, node: Node) -> None:
        """Add what a node does."""
        key, said = (rank, node.id), node.said
        if key in self.first:
            fail(self.files[rank], "two nodes with one id", found=str(node.id))
        if node.kind == "COMP_NODE":
            cpu = CPU if said.get("is_cpu_op", True) else 0
            first = last = self.list.compute(rank, round(node.micros * 1e-6, 12), cpu=cpu)
        else:
            first = last = self.list.compute(rank, 0.0, cpu=NOTHING)
        if node.kind == "COMM_SEND_NODE":
            to = self._other(rank, node, "comm_dst")
            last = self.list.send(rank, to, max(int(said.get("comm_size", 0)), 1), [first])
            self.sends[rank, to, int(said.get("comm_tag", 0))].append(last)
        elif node.kind == "COMM_RECV_NODE":
            pair = (self._other(rank, node, "comm_src"), rank, int(said.get("comm_tag", 0)))
            self.receipts.append((rank, pair, node, first))
        elif node.kind == "COMM_COLL_NODE":
            last = self.list.compute(rank, 0.0, [first], cpu=NOTHING)
            self.groups[str(said.get("pg_name", ""))][rank].append(node)
        self.first[key], self.last[key] = first, last

    def _other(self, rank: int, node: Node, name: str) -> int:
        other = int(node.said.get(name, -1))
        if not 0 <= other < len(self.files) or other == rank:
            accepted = f"another of the ranks 0 to {len(self.files) - 1}"
            found = f"{name} {other} of node {node.id}"
            fail(self.files[rank], "no other rank", found=found, accepted=accepted)
        return other

    def match(self) -> None:
        """Let receipts wait for their sends, and expand collective operations."""
        for rank, pair, node, number in self.receipts:
            if not self.sends[pair]:
                found = f"node {node.id}, from {pair[0]} tag {pair[2]}"
                fail(self.files[rank], "a receipt without a send", found=found)
            self.list.wait(number, [self.sends[pair].popleft()])
        for (rank, other, tag), left in self.sends.items():
            if left:
                found = f"{len(left)} to {other} tag {tag}"
                fail(self.files[rank], "sends without a receipt", found=found)
        for name, by_rank in self.groups.items():
            ranks = sorted(by_rank)
            counts = {len(nodes) for nodes in by_rank.values()}
            if len(counts) > 1:
                found = ", ".join(f"{len(by_rank[rank])} of rank {rank}" for rank in ranks[:8])
                problem = f"not as many collective operations of each rank in the group {name!r}"
                fail(self.files[ranks[0]], problem, found=found)
            for nodes in zip(*(by_rank[rank] for rank in ranks), strict=True):
                self._expand(ranks, nodes)

    def _expand(self, ranks: Sequence[int], nodes: Sequence[Node]) -> None:
        """Do a collective operation: a rank begins when it comes to it, and ends with its data."""
        said = {(_collective(node), int(node.said.get("comm_size", 0))) for node in nodes}
        if len(said) > 1:
            found = ", ".join(f"{kind} of {size} B" for kind, size in sorted(said))
            problem = "a collective operation that is another one for another rank"
            fail(self.files[ranks[0]], f"{problem}, node {nodes[0].id}", found=found)
        kind, size = said.pop()
        sends = _core.collective(self.algorithms[kind], max(size, len(ranks)), len(ranks))
        if sends is None:
            found = f"{self.algorithms[kind]} of {len(ranks)} ranks, node {nodes[0].id}"
            fail(self.files[ranks[0]], "no such collective operation", found=found)
        begin = len(self.list)
        for host, to, size_, waits in sends:
            enters = self.first[ranks[host], nodes[host].id]
            after = [enters, *(begin + earlier for earlier in waits)]
            send = self.list.send(ranks[host], ranks[to], size_, after)
            self.list.wait(self.last[ranks[to], nodes[to].id], [send])
            self.list.wait(self.last[ranks[host], nodes[host].id], [send], start=True)

    def let_wait(self, rank: int, node: Node) -> None:
        """Let a node wait for those on which it depends."""
        for earlier in node.waits:
            if (rank, earlier) not in self.last:
                found = f"{earlier}, for which node {node.id} waits"
                fail(self.files[rank], "no such node", found=found)
        self.list.wait(self.first[rank, node.id], [self.last[rank, each] for each in node.waits])

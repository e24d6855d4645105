"""Schedules in GOAL, the language of LogGOPSim, as operations."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from typing import TYPE_CHECKING, NamedTuple

from tcphoton.scenario.operation_list import Operations
from tcphoton.scenario.table_rows import text_of
from tcphoton.scenario.topology_graph import fail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

RANKS = re.compile(r"num_ranks\s+(\d+)")
RANK = re.compile(r"rank\s+(\d+)\s*\{")
ENDS = (
    r"(?P<bytes>\d+)\s*b\s+{way}\s+(?P<other>-1|\d+)(?P<more>(?:\s+(?:tag|cpu|nic)\s+(?:-1|\d+))*)"
)
LABEL = r"(?:(?P<label>[A-Za-z]\w*)\s*:\s*)?"
SEND = re.compile(LABEL + r"send\s+" + ENDS.format(way="to"))
RECEIVE = re.compile(LABEL + r"recv\s+" + ENDS.format(way="from"))
COMPUTE = re.compile(LABEL + r"calc\s+(?P<time>\d+)(?P<more>(?:\s+(?:cpu|nic)\s+\d+)*)")
REQUIRES = re.compile(r"([A-Za-z]\w*)\s+(i?requires)\s+([A-Za-z]\w*)")
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
ACCEPTED = (
    'such as "num_ranks 2", "rank 0 {", "l1: send 10b to 1 tag 0", "l2: recv 10b from 1 tag 0", '
    '"l3: calc 1000 cpu 1", "l3 requires l2", "l3 irequires l1", "}"'
)


class Task(NamedTuple):
    """What a rank does: a send or a receipt with the other rank and the tag, or a computation."""

    line: int
    kind: str
    rank: int
    amount: int
    other: int
    tag: int
    cpu: int


class Schedule:
    """The tasks of all ranks, and for whom they wait."""

    def __init__(self, file: str) -> None:
        """Begin with none."""
        self.file = file
        self.ranks = 0
        self.tasks: list[Task] = []
        self.waits: list[tuple[int, int, bool]] = []
        self._rank: int | None = None
        self._labels: dict[str, int] = {}
        self._named: list[tuple[int, str, str, bool]] = []

    def read(self, line: int, text: str) -> None:
        """Read a statement."""
        if found := RANKS.fullmatch(text):
            self.ranks = int(found[1])
        elif found := RANK.fullmatch(text):
            self._rank = int(found[1])
            if self._rank >= self.ranks:
                accepted = f"0 to {self.ranks - 1}, the ranks of num_ranks"
                fail(self.file, "no such rank", line=line, found=found[1], accepted=accepted)
        elif text == "}" and self._rank is not None:
            self._end()
        elif self._rank is not None and (found := REQUIRES.fullmatch(text)):
            self._named.append((line, found[1], found[3], found[2] == "irequires"))
        elif self._rank is not None and (found := self._task(text)):
            self._add(line, text, found)
        else:
            fail(self.file, "not a statement of GOAL", line=line, found=text, accepted=ACCEPTED)

    @staticmethod
    def _task(text: str) -> re.Match[str] | None:
        each = (form.fullmatch(text) for form in (SEND, RECEIVE, COMPUTE))
        return next((found for found in each if found), None)

    def _add(self, line: int, text: str, found: re.Match[str]) -> None:
        assert self._rank is not None
        words = found["more"].split()
        said = {name: int(number) for name, number in zip(words[::2], words[1::2], strict=True)}
        parts = found.groupdict()
        kind = {SEND: "send", RECEIVE: "recv", COMPUTE: "calc"}[found.re]
        amount, other = int(parts.get("time") or parts["bytes"]), int(parts.get("other", 0))
        if -1 in (other, said.get("tag")):
            problem = "a receipt from any source or with any tag, which is not supported"
            fail(self.file, problem, line=line, found=text, accepted="a rank and a tag")
        if said.get("nic"):
            problem = "another network interface, which is not supported"
            fail(self.file, problem, line=line, found=text, accepted="nic 0: a host has one link")
        if kind != "calc" and (other >= self.ranks or other == self._rank):
            problem = "no other rank"
            accepted = f"another of the ranks 0 to {self.ranks - 1}"
            fail(self.file, problem, line=line, found=str(other), accepted=accepted)
        if found["label"]:
            if found["label"] in self._labels:
                fail(self.file, "a label that is there already", line=line, found=found["label"])
            self._labels[found["label"]] = len(self.tasks)
        cpu, tag = said.get("cpu", 0), said.get("tag", 0)
        self.tasks.append(Task(line, kind, self._rank, amount, other, tag, cpu))

    def _end(self) -> None:
        """End a rank: its labels are known."""
        for line, *names, start in self._named:
            for name in names:
                if name not in self._labels:
                    fail(self.file, "no such label in the rank", line=line, found=name)
            later, earlier = (self._labels[name] for name in names)
            self.waits.append((later, earlier, start))
        self._rank, self._labels, self._named = None, {}, []

    def is_open(self) -> bool:
        """Tell whether a rank has not ended."""
        return self._rank is not None


def operations(
    file: str, data: bytes, hosts: Sequence[str], overhead: float, eager: int
) -> pl.DataFrame:
    """Return a schedule as the table of a source of the kind ``graph``."""
    schedule = Schedule(file)
    for line, text in _statements(text_of(file, data)):
        schedule.read(line, text)
    if schedule.is_open():
        fail(file, "the last rank has no end", accepted='"}" in a line')
    if schedule.ranks > len(hosts):
        found = f"num_ranks {schedule.ranks}"
        fail(file, "more ranks than hosts", found=found, accepted=f"at most {len(hosts)}")
    if not schedule.tasks:
        fail(file, "no operation", accepted=ACCEPTED)
    list_ = Operations(hosts)
    # By task: what computes for it, and what is over when it is.
    first, last = _placed(schedule, list_, overhead, eager)
    waits: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for later, earlier, start in schedule.waits:
        waits[later].append((earlier, start))
    for later, earlier, start in schedule.waits:
        for each, at_start in _started(schedule, waits, earlier) if start else [(earlier, False)]:
            number = first[each] if at_start else last[each]
            list_.wait(first[later], [number], start=at_start)
    return list_.table()


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Give the lines that have a statement, without comments."""
    plain = COMMENTS.sub(lambda found: "\n" * found[0].count("\n"), text)
    for line, statement in enumerate(plain.splitlines(), 1):
        if statement.strip():
            yield line, statement.strip()


def _placed(
    schedule: Schedule, list_: Operations, overhead: float, eager: int
) -> tuple[list[int], list[int]]:
    """Add the operations of all tasks; a receipt waits for its send, the first for the first."""
    sends: dict[tuple[int, int, int], deque[int]] = defaultdict(deque)
    first, last = [], []
    for task in schedule.tasks:
        seconds = task.amount * 1e-9 if task.kind == "calc" else overhead
        number = list_.compute(task.rank, round(seconds, 12), cpu=task.cpu)
        first.append(number)
        if task.kind == "send":
            send = list_.send(task.rank, task.other, max(task.amount, 1), [number])
            sends[task.rank, task.other, task.tag].append(send)
            number = number if task.amount <= eager else send
        last.append(number)
    for task, number in zip(schedule.tasks, first, strict=True):
        if task.kind == "recv":
            waiting = sends[task.other, task.rank, task.tag]
            if not waiting:
                found = f"from {task.other} tag {task.tag}"
                fail(schedule.file, "a receipt without a send", line=task.line, found=found)
            list_.wait(number, [waiting.popleft()])
    for (rank, other, tag), left in sends.items():
        if left:
            found = f"{len(left)} from {rank} to {other} tag {tag}"
            fail(schedule.file, "sends without a receipt", found=found)
    return first, last


def _started(
    schedule: Schedule, waits: dict[int, list[tuple[int, bool]]], task: int
) -> Iterator[tuple[int, bool]]:
    """Give what has to be over, or started, for a task to start: a receipt starts when posted."""
    seen, left = {task}, [task]
    while left:
        each = left.pop()
        if schedule.tasks[each].kind != "recv":
            yield each, True
            continue
        for earlier, start in waits[each]:
            if not start:
                yield earlier, False
            elif earlier not in seen:
                seen.add(earlier)
                left.append(earlier)

"""Connection matrices of htsim (Broadcom/csg-htsim, ultraethernet/uet-htsim), as it reads them.

Below the numbers of nodes, connections and triggers there is a line for each connection, with the
word for each of its properties before the value, and one for each trigger.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from tcphoton.scenario.table_rows import NUMBER, text_of
from tcphoton.scenario.topology_graph import fail

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDS = re.compile(r"(\d+)->(\d+)")
HEADS = {"Nodes": "", "Connections": "connections", "Triggers": "triggers", "Failures": "failures"}
"""The numbers above the connections, and what they count."""
PROPERTIES = ("id", "start", "size", "trigger", "send_done_trigger", "recv_done_trigger")
UNSUPPORTED = {
    "msg": "a message over a connection with others, which is not supported: each has its own",
    "prio": "a priority among what a host receives, which is not supported",
    "addon": "a connection that others are added to, which is not supported",
}
"""Words that change what a connection does, and that neither flows nor operations have."""
CONNECTION = "a connection such as 3->17 id 1 start 0 size 2000000"
KINDS = ("oneshot", "multishot", "barrier")
LARGEST = 2**63 - 1
"""The most bytes of a flow."""


class Connection(NamedTuple):
    """A connection: its hosts by their numbers, its bytes, when it starts, what it sets off."""

    line: int
    ends: tuple[int, int]
    size: int
    start: int | None
    """In picoseconds; ``None`` if a trigger starts it."""
    trigger: int | None
    """The trigger that starts it."""
    sent: int | None
    """The trigger that is set off when all is acknowledged."""
    received: int | None
    """The trigger that is set off when all is there."""


class Trigger(NamedTuple):
    """A trigger: of which kind it is, and how often a barrier is to be set off."""

    line: int
    kind: str
    times: int


class Matrix(NamedTuple):
    """What a file has: its connections in order, and its triggers by their numbers."""

    file: str
    connections: list[Connection]
    triggers: dict[int, Trigger]


def lines_of(file: str, data: bytes) -> Iterator[tuple[int, str]]:
    """Give the lines of a file with their numbers, without empty ones and comments."""
    for line, text in enumerate(text_of(file, data).splitlines(), 1):
        if text.strip() and not text.startswith("#"):
            yield line, text.strip()


def matrix_of(file: str, data: bytes) -> Matrix:
    """Return the connections and the triggers of a file.

    Raises
    ------
    ScenarioError
        A line is neither a connection nor a trigger, or says what is not supported.
    """
    matrix = Matrix(file, [], {})
    said: dict[str, tuple[int, int]] = {}
    for line, text in lines_of(file, data):
        first, *words = text.split()
        if ends := ENDS.fullmatch(first):
            pair = int(ends[1]), int(ends[2])
            matrix.connections.append(_connection(file, line, text, pair, words))
        elif first == "trigger":
            number, trigger = _trigger(file, line, text, words)
            if number in matrix.triggers:
                problem = "a second trigger with this number"
                fail(file, problem, line=line, found=str(number), accepted="one line for each")
            matrix.triggers[number] = trigger
        elif first in HEADS and len(words) == 1 and words[0].isdecimal():
            said[first] = line, int(words[0])
        elif first == "failure":
            problem = "a link that has failed, which is not supported in a list of flows"
            accepted = "[[changes]] of the scenario, with a link that goes down"
            fail(file, problem, line=line, found=text, accepted=accepted)
        else:
            fail(file, "not a connection", line=line, found=text, accepted=CONNECTION)
    counts = {"Connections": len(matrix.connections), "Triggers": len(matrix.triggers)}
    for head, (line, count) in said.items():
        there = counts.get(head, 0)
        if head != "Nodes" and count != there:
            problem = f"another number of {HEADS[head]} than there are"
            fail(file, problem, line=line, found=f"{head} {count}", accepted=f"{head} {there}")
    return matrix


def _connection(
    file: str, line: int, text: str, ends: tuple[int, int], words: list[str]
) -> Connection:
    def wrong(problem: str, accepted: str = CONNECTION) -> NoReturn:
        fail(file, problem, line=line, found=text, accepted=accepted)

    said: dict[str, str] = {}
    left = iter(words)
    for word in left:
        if word in UNSUPPORTED:
            wrong(UNSUPPORTED[word], f"connections without {word}")
        if word not in PROPERTIES:
            wrong(f'not a connection: an unknown word "{word}"', f"one of {', '.join(PROPERTIES)}")
        value = next(left, "")
        if word in said or not NUMBER.fullmatch(value):
            wrong(f"not a connection: not one number after {word}")
        said[word] = value
    number = {word: _whole(said[word]) for word in said}
    if "start" in said and number["start"] is None:
        wrong("not a start in whole picoseconds", "a number such as 12500000 for 12.5 us")
    if unfit := next((word for word in said if number[word] is None), None):
        wrong(f"not a connection: no whole number after {unfit}")
    if ("start" in said) == ("trigger" in said):
        both = "both an instant and a trigger start" if "start" in said else "nothing starts"
        wrong(f"a connection that {both}", "one of start and trigger")
    size = number.get("size")
    if size is None:
        wrong("a connection without a size")
    if size == 0:
        accepted = "1 B or more here, or a source of the kind bulk in the scenario"
        wrong("a connection of 0 B, which never ends in htsim", accepted)
    if size > LARGEST:
        wrong("too large", f"at most {LARGEST} B")
    triggers = [number.get(word) for word in PROPERTIES[3:]]
    return Connection(line, ends, size, number.get("start"), *triggers)


def _whole(text: str) -> int | None:
    """Return a number from 0 if it is a whole one: htsim writes them with six places."""
    number = Decimal(text)
    if number.adjusted() > len(str(LARGEST)) or number < 0 or number != int(number):
        return None
    return int(number)


def _trigger(file: str, line: int, text: str, words: list[str]) -> tuple[int, Trigger]:
    number, count, kinds = 0, 0, list[str]()
    left = iter(words)
    for word in left:
        if word in KINDS:
            kinds.append(word)
            continue
        value = next(left, "")
        if word not in ("id", "count") or not value.isdecimal():
            kinds = []
            break
        number, count = (int(value), count) if word == "id" else (number, int(value))
    if not number or len(kinds) != 1:
        accepted = "a trigger such as trigger id 1 oneshot; trigger id 2 barrier count 4; multishot"
        fail(file, "not a trigger", line=line, found=text, accepted=accepted)
    return number, Trigger(line, kinds[0], count)

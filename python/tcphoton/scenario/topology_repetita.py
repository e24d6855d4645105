"""The formats of REPETITA (svissicchio/Repetita): graphs (``.graph``) and their demands.

Sections of lines: a title with the number of its rows, the names of the columns, a row for each
place, link or demand, and an empty line. Places are known by their numbers, from 0 in the order of
the file. Capacities and demands are in kb/s, delays in microseconds, and links lead one way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tcphoton.scenario.table_rows import NUMBER
from tcphoton.scenario.topology_graph import Edge, Graph, Place, capacity_of, fail

if TYPE_CHECKING:
    from collections.abc import Iterator

TITLE = re.compile(r"(NODES|EDGES|DEMANDS)(?:[ \t]+(\d+))?")
COLUMNS = {
    "NODES": ("label", "x", "y"),
    "EDGES": ("label", "src", "dest", "weight", "bw", "delay"),
    "DEMANDS": ("label", "src", "dest", "bw"),
}


class Row(NamedTuple):
    """A row of a section."""

    line: int
    section: str
    values: list[str]


def is_repetita(text: str) -> bool:
    """Tell whether a text begins like a graph."""
    return _begins(text, "NODES")


def are_repetita_demands(text: str) -> bool:
    """Tell whether a text begins like demands."""
    return _begins(text, "DEMANDS")


def _begins(text: str, section: str) -> bool:
    first = text.lstrip("\ufeff \t\r\n").partition("\n")[0]
    found = TITLE.fullmatch(first.strip())
    return found is not None and found[1] == section


def read_repetita(file: str, text: str) -> Graph:
    """Return a graph, whose places are called as in its lines and known by their numbers.

    Raises
    ------
    ScenarioError
        A line is none of its section, or a section has another number of them than it says.
    """
    graph = Graph(file)
    for line, section, values in _rows(file, text):
        if section == "NODES":
            graph.add_place(str(len(graph.places)), Place(values[0], None, line))
            graph.unused["x and y of nodes"] += 1
        elif section == "EDGES":
            _, start, end, _, rate, delay = values
            for number, what in ((rate, "bw"), (delay, "delay")):
                if not NUMBER.fullmatch(number):
                    fail(file, f"not the {what} of a link", line=line, found=number, accepted=KB_US)
            capacity, delay = capacity_of({"capacity": rate}), f"{delay} us"
            edge = Edge((start, end), one_way=True, line=line, capacity=capacity, delay=delay)
            graph.add_edge(edge)
            graph.unused["weight of links"] += 1
        else:
            graph.unused["demands"] += 1
    return graph


KB_US = "numbers: bw in kb/s, delay in microseconds"


def repetita_demands(file: str, text: str) -> list[tuple[int, str, str, str]]:
    """Return demands, each with its line, its ends as ``#0`` for the first place, and its value.

    Raises
    ------
    ScenarioError
        A line is no demand, or there is another number of them than the file says.
    """
    found = []
    for line, section, (_, start, end, value) in _rows(file, text, "DEMANDS"):
        for number in (start, end):
            if not number.isdecimal():
                accepted = "a number from 0, in the order of the graph's nodes"
                fail(file, f"not a place of {section}", line=line, found=number, accepted=accepted)
        found.append((line, f"#{int(start)}", f"#{int(end)}", value))
    return found


def _rows(file: str, text: str, only: str = "") -> Iterator[Row]:
    """Give the rows of all sections, or of the only one that there may be."""
    section, said, count, named = "", (0, ""), 0, False
    for line, whole in enumerate([*text.lstrip("\ufeff").splitlines(), ""], 1):
        values = whole.split()
        title = TITLE.fullmatch(whole.strip())
        if title and not section and only in ("", title[1]):
            section, said, count, named = title[1], (line, title[2] or ""), 0, False
        elif not values:
            if section and said[1] and int(said[1]) != count:
                problem = f"another number of {section} than there are lines"
                fail(file, problem, line=said[0], found=said[1], accepted=str(count))
            section = ""
        elif not section or not named or len(values) != len(COLUMNS[section]):
            named = bool(section) and not named and tuple(values) == COLUMNS[section]
            if not named:
                accepted = " ".join(COLUMNS[section]) if section else "NODES, EDGES or DEMANDS"
                fail(file, "not a line of REPETITA", line=line, found=whole, accepted=accepted)
        else:
            count += 1
            yield Row(line, section, values)

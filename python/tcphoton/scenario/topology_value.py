r"""Graphs of files as values in TOML, each part on the line on which the file has it.

>>> text = b"NODES (\n Oslo ( 10.7 59.9 )\n Rome\n)\nLINKS (\n A ( Oslo Rome ) 40\n)\n"
>>> print(content("two.txt", text))
[
{ kind = "place", name = "Oslo", longitude = 10.7, latitude = 59.9 },
{ kind = "place", name = "Rome" },
<BLANKLINE>
<BLANKLINE>
{ kind = "link", from = "Oslo", to = "Rome", capacity = 40.0 },
]
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tcphoton.common import toml
from tcphoton.scenario.table_rows import Lines, text_of
from tcphoton.scenario.topology_files import graph_of

if TYPE_CHECKING:
    from tcphoton.scenario.topology_graph import Edge, Graph, Place

LONGEST_NAME = 48
"""A name has at most 64 characters, minus those added before and after that of a place."""

LONGEST_LABEL = 1000
"""Maximum characters of a label used for a name: sorting combining marks takes quadratic time."""

MOST_UNUSED = 30
"""Maximum number of things in a file that are named as not used."""

MM = Decimal("0.000001")


def content(file: str, data: bytes) -> str:
    """Return the graph of a file as the value of the key ``graph``.

    Raises
    ------
    ScenarioError
        It has none of the formats, or is not a graph.
    """
    return value_of(graph_of(file, text_of(file, data)))


def value_of(graph: Graph) -> str:
    """Return a graph as a value in TOML."""
    names = _names(graph)
    parts = [(place.line, _place(names[at], place)) for at, place in graph.places.items()]
    parts += [(edge.line, _link(edge, names)) for edge in graph.edges]
    lines = Lines()
    last = 1
    for last, part in sorted(parts, key=lambda each: each[0]):
        lines.put(last, f"{toml.inline(part)},")
    for what, count in graph.unused.most_common(MOST_UNUSED):
        lines.put(last, f"{toml.inline({'kind': 'unused', 'what': f'{what} ({count:,})'})},")
    return lines.text()


def _place(name: str, place: Place) -> dict[str, Any]:
    part: dict[str, Any] = {"kind": "place", "name": name}
    label = place.name[:LONGEST_LABEL]
    if label != name:
        part["label"] = label
    if place.coordinates is not None:
        part["longitude"], part["latitude"] = map(float, place.coordinates)
    return part


def _link(edge: Edge, names: dict[str, str]) -> dict[str, Any]:
    start, end = (names[at] for at in edge.ends)
    part: dict[str, Any] = {"kind": "link", "from": start, "to": end}
    if edge.km is not None:
        part["length"] = f"{Decimal(str(edge.km)).quantize(MM).normalize():f} km"
    if edge.delay is not None:
        part["delay"] = edge.delay
    if edge.capacity is not None:
        part["capacity"] = edge.capacity
    if edge.one_way:
        part["one-way"] = True
    return part


class _Names:
    """Unique names; the numbers appended to them increase, so no number is tried twice."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._last: dict[str, int] = {}

    def unused(self, name: str) -> str:
        """Return a name, with a number appended if it is taken, and reserve it."""
        free, number = name, self._last.get(name, 1)
        while free in self._used:
            number += 1
            free = f"{name}_{number}"
        self._last[name] = number
        self._used.add(free)
        return free


def _names(graph: Graph) -> dict[str, str]:
    """Return a unique name for each place: letters, digits, ``-``, ``_`` and ``.``."""
    used = _Names()
    names: dict[str, str] = {}
    for identifier, place in graph.places.items():
        plain = unicodedata.normalize("NFKC", place.name[:LONGEST_LABEL])
        legal = re.sub(r"[^\w.-]+", "-", plain).strip("-")[:LONGEST_NAME] or "node"
        names[identifier] = used.unused(legal)
    return names

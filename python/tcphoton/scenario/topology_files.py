"""Readers of graph files: GraphML, GML, and the two formats of SNDlib.

Each reader returns places with their coordinates and links with their length, if the file has
them. Anything that a reader does not understand is an error with the file and the line. The time of
every reader is linear in the length of the file: no character is scanned twice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tcphoton import _core
from tcphoton.scenario.topology_gml import is_gml, read_gml
from tcphoton.scenario.topology_graph import (
    FORMATS,
    Edge,
    Graph,
    Place,
    capacity_of,
    fail,
    geographical,
)
from tcphoton.scenario.topology_xml import read_xml

if TYPE_CHECKING:
    import os

__all__ = ["graph_of", "read_graph"]

HEAD = re.compile(r"^[^\S\n]*+(?:\?SNDlib|NODES[^\S\n]*+\()", re.MULTILINE)
SECTION = re.compile(r"([A-Z_]++)\s*+\(")
PART = re.compile(r"[()]|[^\s()]++")
NUMBER = re.compile(r"[+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?+\d++)?+")


def read_graph(path: str | os.PathLike[str]) -> Graph:
    """Read a file in any of the formats.

    Raises
    ------
    ScenarioError
        The file cannot be read, or has none of the formats.
    """
    return graph_of(*_core.read(path))


def graph_of(file: str, text: str) -> Graph:
    """Return the graph of a text in any of the formats; `file` is its name for messages.

    Raises
    ------
    ScenarioError
        It has none of the formats.
    """
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        graph = read_xml(file, text)
    elif HEAD.search(text):
        graph = _native(file, text)
    elif is_gml(text):
        graph = read_gml(file, text)
    else:
        fail(file, "not a topology", accepted=FORMATS)
    if len(graph.places) < 2:  # noqa: PLR2004
        fail(file, "too few nodes", found=str(len(graph.places)), accepted="at least 2")
    if not graph.edges:
        fail(file, "no links", accepted="at least 1")
    return graph


def _native(file: str, text: str) -> Graph:
    """Read SNDlib's native format: sections of lines in brackets; ``#`` starts a comment."""
    graph = Graph(file)
    section = ""
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.partition("#")[0].strip()
        if line == ")":
            section = ""
        elif not section and (match := SECTION.fullmatch(line)):
            section = match[1]
        elif line and section == "NODES":
            _native_node(graph, number, line)
        elif line and section == "LINKS":
            _native_link(graph, number, line)
        elif line and section and section != "META":
            graph.unused[section] += 1
    return graph


def _native_node(graph: Graph, number: int, line: str) -> None:
    coordinates = None
    match PART.findall(line):
        case [name]:
            pass
        case [name, "(", x, y, ")"] | [name, "(", x, y, ")", "(", *_] if NUMBER.fullmatch(
            x
        ) and NUMBER.fullmatch(y):
            coordinates = geographical(x, y)
        case _:
            form = "NAME ( LONGITUDE LATITUDE )"
            fail(graph.file, "not a node", line=number, found=line, accepted=form)
    graph.add_place(name, Place(name, coordinates, number))


def _native_link(graph: Graph, number: int, line: str) -> None:
    match PART.findall(line):
        case [_, "(", start, end, ")", *more]:
            capacity = capacity_of({"capacity": more[0]}) if more else None
            graph.add_edge(Edge((start, end), line=number, capacity=capacity))
            if len(more) > 1:
                graph.unused["costs and modules of links"] += 1
        case _:
            form = "NAME ( FROM TO ) …"
            fail(graph.file, "not a link", line=number, found=line, accepted=form)

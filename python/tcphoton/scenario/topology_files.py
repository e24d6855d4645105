"""Readers of graph files: GraphML, GML, the two formats of SNDlib, and that of REPETITA.

Each reader returns places with their coordinates and links with their length, if the file has
them. Anything that a reader does not understand is an error with the file and the line. The time of
every reader is linear in the length of the file: no character is scanned twice.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tcphoton import _core
from tcphoton.common import toml
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
from tcphoton.scenario.topology_htsim import is_topo, topology_of
from tcphoton.scenario.topology_repetita import is_repetita, read_repetita
from tcphoton.scenario.topology_xml import read_xml, xml_demands

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

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
    elif is_repetita(text):
        graph = read_repetita(file, text)
    elif is_topo(text):
        topology, _ = topology_of(file, text)
        accepted = f'in place of kind = "file": {toml.inline(topology)}'
        if topology["kind"] == "explicit":
            accepted = "the nodes and links that `tcphoton topology` prints of it"
        fail(file, "a topology of htsim, which is more than places and links", accepted=accepted)
    elif is_gml(text):
        graph = read_gml(file, text)
    else:
        fail(file, "not a topology", accepted=FORMATS)
    if len(graph.places) < 2:  # noqa: PLR2004
        fail(file, "too few nodes", found=str(len(graph.places)), accepted="at least 2")
    if not graph.edges:
        fail(file, "no links", accepted="at least 1")
    return graph


def is_sndlib(text: str) -> bool:
    """Tell whether a text begins like a network of SNDlib, which may have demands."""
    return text.lstrip("\ufeff \t\r\n").startswith("<") or HEAD.search(text) is not None


def demands_of(file: str, text: str) -> list[tuple[int, str, str, str]]:
    """Return the demands of a network of SNDlib, each with its line, its ends and its value.

    Raises
    ------
    ScenarioError
        It has none.
    """
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        found = xml_demands(file, text)
    else:
        parts = (each for each in _sections(text) if each[1] == "DEMANDS")
        found = [_native_demand(file, number, line) for number, _, line in parts]
    if not found:
        fail(file, "no demands", accepted="a section of demands")
    return found


def _native_demand(file: str, number: int, line: str) -> tuple[int, str, str, str]:
    found = PART.findall(line)
    if len(found) < 7 or (found[1], found[4]) != ("(", ")"):  # noqa: PLR2004
        form = "NAME ( FROM TO ) UNIT VALUE …"
        fail(file, "not a demand", line=number, found=line, accepted=form)
    return number, found[2], found[3], found[6]


def _native(file: str, text: str) -> Graph:
    """Read SNDlib's native format: sections of lines in brackets; ``#`` starts a comment."""
    graph, drawn = Graph(file), False
    for number, section, line in _sections(text):
        if section == "NODES":
            drawn = not _native_node(graph, number, line) or drawn
        elif section == "LINKS":
            _native_link(graph, number, line)
        elif section != "META":
            graph.unused[section] += 1
    if drawn:
        places = graph.places.items()
        graph.places = {name: replace(place, coordinates=None) for name, place in places}
    return graph


def _sections(text: str) -> Iterator[tuple[int, str, str]]:
    """Give the lines in sections, each with its number and its section."""
    section = ""
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.partition("#")[0].strip()
        if line == ")":
            section = ""
        elif not section and (match := SECTION.fullmatch(line)):
            section = match[1]
        elif line and section:
            yield number, section, line


def _native_node(graph: Graph, number: int, line: str) -> bool:
    """Read a node; tell whether its coordinates can be degrees: else all are of a drawing."""
    coordinates, possible = None, True
    match PART.findall(line):
        case [name]:
            pass
        case [name, "(", x, y, ")"] | [name, "(", x, y, ")", "(", *_] if NUMBER.fullmatch(
            x
        ) and NUMBER.fullmatch(y):
            coordinates = geographical(x, y)
            possible = coordinates is not None
        case _:
            form = "NAME ( LONGITUDE LATITUDE )"
            fail(graph.file, "not a node", line=number, found=line, accepted=form)
    graph.add_place(name, Place(name, coordinates, number))
    return possible


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

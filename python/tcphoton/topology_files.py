"""Graphs as files keep them: GraphML, GML, and the two formats of SNDlib.

Each reader gives places with their coordinates and links with their length, as far as the file has
them. What a reader cannot make sense of is a mistake with the file and, where known, the line.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn
from xml.etree import ElementTree

from tcphoton import _core
from tcphoton.errors import Mistake, ScenarioError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    import networkx as nx

__all__ = ["Edge", "Graph", "Place", "read_graph"]

FORMATS = "GraphML, GML, or SNDlib in its native or its XML format"
LENGTHS = {"length", "distance", "dist", "km", "lengthkm", "distancekm", "distkm"}
LONGITUDES = {"longitude", "lon", "lng", "long"}
LATITUDES = {"latitude", "lat"}
LONGEST_KM = 1_000_000
"""More than anything on Earth, and little enough for every delay to be one."""

KM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?:km)?")
NATIVE = re.compile(r"^\s*(?:\?SNDlib|NODES\s*\()", re.MULTILINE)
GML = re.compile(r"^\s*graph\s*\[", re.MULTILINE | re.IGNORECASE)
SECTION = re.compile(r"([A-Z_]+)\s*\(")
NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
NODE = re.compile(rf"(\S+)\s*(?:\(\s*{NUMBER}\s+{NUMBER}\s*\)\s*(?:\(.*)?)?")
LINK = re.compile(r"(\S+)\s*\(\s*(\S+)\s+(\S+)\s*\).*")
LINE_OF_GML = re.compile(r"\((\d+), \d+\)")


@dataclass(frozen=True)
class Place:
    """A node: its name in the file, and longitude and latitude in degrees where it has them."""

    name: str
    coordinates: tuple[float, float] | None = None


@dataclass(frozen=True)
class Edge:
    """A link between two places, by their identifiers, with its length in km where it has one."""

    ends: tuple[str, str]
    km: float | None = None
    one_way: bool = False


@dataclass
class Graph:
    """What a file says: places by their identifiers, and links between these."""

    file: str
    places: dict[str, Place] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)


def read_graph(path: str | os.PathLike[str]) -> Graph:
    """Read a file in whichever of the formats it is.

    Raises
    ------
    ScenarioError
        The file cannot be read, or is none of them.
    """
    file, text = _core.read(path)
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        graph = _xml(file, text)
    elif NATIVE.search(text):
        graph = _native(file, text)
    elif GML.search(text):
        graph = _gml(file, text)
    else:
        fail(file, "not a topology", accepted=FORMATS)
    if len(graph.places) < 2:  # noqa: PLR2004
        fail(file, "too few nodes", found=str(len(graph.places)), accepted="at least 2")
    if not graph.edges:
        fail(file, "no links")
    return graph


def fail(
    file: str, problem: str, *, line: int | None = None, found: str = "", accepted: str = ""
) -> NoReturn:
    """Raise one mistake of a file."""
    raise ScenarioError([Mistake.at(file, problem, line=line, found=found, accepted=accepted)])


def _xml(file: str, text: str) -> Graph:
    try:
        root = ElementTree.fromstring(text.lstrip("\ufeff \t\r\n"))
    except (ElementTree.ParseError, ValueError) as error:
        line = error.position[0] if isinstance(error, ElementTree.ParseError) else None
        fail(file, f"not XML: {error}", line=line)
    kind = root.tag.rpartition("}")[2]
    if kind == "graphml":
        return _graphml(file, text.lstrip("\ufeff \t\r\n"))
    if kind == "network":
        return _sndlib_xml(file, root)
    fail(file, "not a topology", found=f"<{kind}>", accepted=FORMATS)


def _graphml(file: str, text: str) -> Graph:
    import networkx as nx

    try:
        with warnings.catch_warnings(action="ignore"):
            graph = nx.parse_graphml(text, force_multigraph=True)
    except Exception as error:  # networkx lets through whatever its parts raise
        fail(file, f"not GraphML: {_said(error)}")
    return _of_networkx(file, graph)


def _gml(file: str, text: str) -> Graph:
    import networkx as nx

    # Links side by side are found in files that do not announce them.
    text = GML.sub(lambda head: f"{head[0]} multigraph 1 ", text.lstrip("\ufeff"), count=1)
    try:
        with warnings.catch_warnings(action="ignore"):
            graph = nx.parse_gml(text, label="id")
    except Exception as error:  # as above
        where = LINE_OF_GML.search(str(error))
        line = int(where[1]) if where else None
        fail(file, f"not GML: {_said(error)}", line=line)
    return _of_networkx(file, graph)


def _said(error: Exception) -> str:
    """Return what a library says, or the name of its error where it says nothing."""
    return str(error) or type(error).__name__


def _of_networkx(file: str, read: nx.Graph[Any]) -> Graph:
    graph = Graph(file)
    for node, values in read.nodes(data=True):
        coordinates = _coordinates(graph.file, str(node), values)
        graph.places[str(node)] = Place(str(values.get("label", node)), coordinates)
    for start, end, values in read.edges(data=True):
        ends = (str(start), str(end))
        graph.edges.append(Edge(ends, _km(file, ends, values), read.is_directed()))
    return graph


def _value(values: Mapping[str, object], names: Iterable[str]) -> object | None:
    """Return the value under one of some names, whatever their case and signs."""
    for key, value in values.items():
        if re.sub(r"[^a-z]", "", str(key).lower()) in names and value is not None and value != "":
            return value
    return None


def _coordinates(file: str, node: str, values: Mapping[str, object]) -> tuple[float, float] | None:
    found = [_value(values, names) for names in (LONGITUDES, LATITUDES)]
    if None in found:
        return None
    try:
        longitude, latitude = (float(str(value)) for value in found)
    except ValueError:
        longitude = latitude = math.nan
    if not (abs(longitude) <= 180 and abs(latitude) <= 90):  # noqa: PLR2004
        fail(
            file,
            f"the coordinates of node {node!r} are none",
            found=f"longitude {found[0]}, latitude {found[1]}",
            accepted="-180 to 180 and -90 to 90 degrees",
        )
    return longitude, latitude


def _km(file: str, ends: tuple[str, str], values: Mapping[str, object]) -> float | None:
    value = _value(values, LENGTHS)
    if value is None:
        return None
    match = KM.fullmatch(str(value).strip())
    km = float(match[1]) if match else math.nan
    if not 0 <= km <= LONGEST_KM:
        fail(
            file,
            f"the length of the link from {ends[0]!r} to {ends[1]!r} is none",
            found=str(value),
            accepted=f"a number of km, 0 to {LONGEST_KM}",
        )
    return km


def _native(file: str, text: str) -> Graph:
    """Read SNDlib's native format: sections of lines in brackets, ``#`` before a comment."""
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
    return graph


def _native_node(graph: Graph, number: int, line: str) -> None:
    match = NODE.fullmatch(line)
    if not match:
        form = "NAME ( LONGITUDE LATITUDE )"
        fail(graph.file, "not a node", line=number, found=line, accepted=form)
    name, x, y = match.groups()
    if name in graph.places:
        fail(graph.file, f"another node is called {name!r} too", line=number)
    graph.places[name] = Place(name, _geographical(x, y))


def _native_link(graph: Graph, number: int, line: str) -> None:
    match = LINK.fullmatch(line)
    if not match:
        form = "NAME ( FROM TO ) …"
        fail(graph.file, "not a link", line=number, found=line, accepted=form)
    ends = (match[2], match[3])
    for end in ends:
        if end not in graph.places:
            fail(graph.file, "no node is called so", line=number, found=end)
    graph.edges.append(Edge(ends))


def _geographical(x: str | None, y: str | None) -> tuple[float, float] | None:
    """Return coordinates that may be degrees; others are those of a drawing."""
    if x is None or y is None:
        return None
    try:
        longitude, latitude = float(x), float(y)
    except ValueError:
        return None
    possible = abs(longitude) <= 180 and abs(latitude) <= 90  # noqa: PLR2004
    return (longitude, latitude) if possible else None


def _sndlib_xml(file: str, root: ElementTree.Element) -> Graph:
    graph = Graph(file)
    nodes = root.find("./{*}networkStructure/{*}nodes")
    drawn = nodes is not None and nodes.get("coordinatesType", "geographical") != "geographical"
    for node in root.iterfind("./{*}networkStructure/{*}nodes/{*}node"):
        name = node.get("id", "")
        if not name or name in graph.places:
            fail(file, "a node without an id of its own", found=repr(name))
        x, y = (node.findtext(f"./{{*}}coordinates/{{*}}{axis}") for axis in "xy")
        graph.places[name] = Place(name, None if drawn else _geographical(x, y))
    for link in root.iterfind("./{*}networkStructure/{*}links/{*}link"):
        start, end = ((link.findtext(f"./{{*}}{at}") or "").strip() for at in ("source", "target"))
        for place in (start, end):
            if place not in graph.places:
                problem = f"the link {link.get('id', '')!r} ends at no node"
                fail(file, problem, found=repr(place))
        graph.edges.append(Edge((start, end)))
    return graph

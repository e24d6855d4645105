"""Graphs in XML: GraphML, and the XML format of SNDlib.

Both are read as trees whose elements know their lines. A document type is refused: an entity, or a
default of an attribute, that a file declares can expand to gigabytes, and no writer of graphs needs
them. The time to read a file is linear in its size.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from tcphoton.scenario.topology_graph import (
    FORMATS,
    Edge,
    Graph,
    Place,
    capacity_of,
    coordinates_of,
    fail,
    geographical,
    length_of,
    quoted,
    unused_of,
    used_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

USED = ("source", "target", "preInstalledModule")
"""What is read of a link of SNDlib."""


class Tree(NamedTuple):
    """A file as elements, and the line in which each begins."""

    file: str
    root: Element
    lines: dict[Element, int]


class Defaults(NamedTuple):
    """What GraphML says of all nodes, or of all edges, that do not say otherwise."""

    used: dict[str, str]
    """The values by their names: one for each name that a network may use."""
    unused: list[str]


class Keys(NamedTuple):
    """What GraphML declares of values: their names by their ids, and their defaults."""

    names: dict[str, str]
    of_nodes: Defaults
    of_edges: Defaults


def read_xml(file: str, text: str) -> Graph:
    """Read a graph in GraphML or in SNDlib's XML format.

    Raises
    ------
    ScenarioError
        It is not XML, or neither of these formats.
    """
    tree = _tree(file, text.lstrip("\ufeff \t\r\n"))
    kind = _tag(tree.root)
    if kind == "graphml":
        return _graphml(tree)
    if kind != "network":
        line, found = tree.lines[tree.root], f"<{kind}>"
        fail(file, "not a topology", line=line, found=found, accepted=FORMATS)
    return _sndlib(tree)


def _tree(file: str, text: str) -> Tree:
    """Return the elements of a text in XML."""
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    builder = TreeBuilder()
    lines: dict[Element, int] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        tag = f"{{{name}" if "}" in name else name
        lines[builder.start(tag, attributes)] = parser.CurrentLineNumber

    def end(name: str) -> None:
        builder.end(f"{{{name}" if "}" in name else name)

    def refuse(name: str, *_: object) -> NoReturn:
        line, accepted = parser.CurrentLineNumber, "XML without a document type"
        fail(file, "a document type", line=line, found=f"<!DOCTYPE {name}", accepted=accepted)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        fail(file, f"not XML: {error}", line=error.lineno)
    return Tree(file, builder.close(), lines)


def _graphml(tree: Tree) -> Graph:
    """Read GraphML (U. Brandes et al. 2002), with the node labels of yEd."""
    graphs = tree.root.findall("./{*}graph")
    if len(graphs) != 1:
        line = tree.lines[graphs[1] if graphs else tree.root]
        found = f"{len(graphs)} graphs"
        fail(tree.file, "not a graph", line=line, found=found, accepted="one <graph>")
    for each in graphs[0].iterfind(".//{*}hyperedge"):
        accepted = "edges with two ends"
        fail(tree.file, "a hyperedge", line=tree.lines[each], accepted=accepted)
    keys = _keys(tree)
    graph = Graph(tree.file)
    for node in graphs[0].iterfind(".//{*}node"):
        values, line = _values(tree, keys.names, node), tree.lines[node]
        graph.unused.update(unused_of("nodes", values))
        values = keys.of_nodes.used | values
        identifier = node.get("id", "")
        where = coordinates_of(tree.file, identifier, values, line)
        graph.add_place(identifier, Place(values.get("label") or identifier, where, line))
    directed = "true" if graphs[0].get("edgedefault") == "directed" else "false"
    for edge in graphs[0].iterfind(".//{*}edge"):
        values, line = _values(tree, keys.names, edge), tree.lines[edge]
        graph.unused.update(unused_of("links", values))
        values = keys.of_edges.used | values
        ends = (edge.get("source", ""), edge.get("target", ""))
        km = length_of(tree.file, ends, values, line)
        one_way = edge.get("directed", directed) == "true"
        graph.add_edge(Edge(ends, km, one_way, line, capacity_of(values)))
    # Each has a default, or a value in its place, which is counted already.
    graph.unused |= Counter(dict.fromkeys(keys.of_nodes.unused, len(graph.places)))
    graph.unused |= Counter(dict.fromkeys(keys.of_edges.unused, len(graph.edges)))
    return graph


def _keys(tree: Tree) -> Keys:
    names: dict[str, str] = {}
    declared: list[tuple[str, str, str | None]] = []
    for key in tree.root.iterfind("./{*}key"):
        name = key.get("attr.name") or key.get("yfiles.type") or ""
        names[key.get("id", "")] = name
        declared.append((key.get("for", "all"), name, key.findtext("./{*}default")))

    def defaults(subject: str, subjects: str) -> Defaults:
        given = {
            name: default
            for of, name, default in declared
            if default is not None and of in (subject, "all")
        }
        return Defaults(used_of(subjects, given), list(unused_of(subjects, given)))

    return Keys(names, defaults("node", "nodes"), defaults("edge", "links"))


def _values(tree: Tree, names: dict[str, str], of: Element) -> dict[str, str]:
    """Return the values of a node or an edge by their names, without defaults."""
    values = {}
    for data in of.iterfind("./{*}data"):
        name = names.get(data.get("key", ""))
        if name is None:
            found = quoted(data.get("key", ""))
            accepted = "the id of a <key> of this file"
            fail(tree.file, "no such key", line=tree.lines[data], found=found, accepted=accepted)
        label = data.find("./*/{*}NodeLabel")
        if label is not None:
            values["label"] = label.text or ""
        elif not len(data):
            values[name] = data.text or ""
    return values


def _sndlib(tree: Tree) -> Graph:
    graph = Graph(tree.file)
    nodes = tree.root.find("./{*}networkStructure/{*}nodes")
    drawn = nodes is not None and nodes.get("coordinatesType", "geographical") != "geographical"
    for node in tree.root.iterfind("./{*}networkStructure/{*}nodes/{*}node"):
        x, y = (node.findtext(f"./{{*}}coordinates/{{*}}{axis}") for axis in "xy")
        name = node.get("id", "")
        where = None if drawn else geographical(x, y)
        graph.add_place(name, Place(name, where, tree.lines[node]))
    for link in tree.root.iterfind("./{*}networkStructure/{*}links/{*}link"):
        start, end = _ends(link)
        capacity = link.findtext("./{*}preInstalledModule/{*}capacity") or ""
        line = tree.lines[link]
        graph.add_edge(Edge((start, end), line=line, capacity=capacity_of({"capacity": capacity})))
        names = (_tag(each) for each in link)
        graph.unused.update(f"{name} of links" for name in names if name not in USED)
    for section in tree.root:
        if _tag(section) not in ("meta", "networkStructure"):
            graph.unused.update({_tag(section): len(section)})
    return graph


def xml_demands(file: str, text: str) -> list[tuple[int, str, str, str]]:
    """Return the demands of a network in SNDlib's XML format, each with its line, ends and value.

    Raises
    ------
    ScenarioError
        It is not XML.
    """
    tree = _tree(file, text.lstrip("\ufeff \t\r\n"))
    found = []
    for demand in tree.root.iterfind("./{*}demands/{*}demand"):
        start, end = _ends(demand)
        value = (demand.findtext("./{*}demandValue") or "").strip()
        found.append((tree.lines[demand], start, end, value))
    return found


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _ends(link: Element) -> Iterator[str]:
    return ((link.findtext(f"./{{*}}{at}") or "").strip() for at in ("source", "target"))

"""Graphs from files: places, names, delays, and the networks that they become."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shares
import tcphoton as tp
from tcphoton.common import toml
from tcphoton.scenario.topologies import Options, load, read
from tcphoton.scenario.topology_files import read_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from command_here import Command

DATA = Path(__file__).parents[1] / "data"
ABILENE = DATA / "abilene.txt"
CITIES = DATA / "three-cities.gml"
NSFNET = DATA / "nsfnet.graphml"

SENDS = tp.Scenario.from_text(
    """
[run]
duration = "200 ms"
[topology]
kind = "nsfnet"
edges = ["WA", "NY", "TX"]
link = { rate = "10 Gb/s", channels = 4 }
add-channels = 8
hosts = 2
access = { rate = "1 Gb/s", delay = "1 ms" }
[routing]
metric = "delay"
[assembly]
max-size = "20 kB"
timeout = "1 ms"
[[traffic]]
from = "host-WA-*"
to = "host-NY-*"
transport = { kind = "udp" }
source = { kind = "cbr", rate = "10 Mb/s", packet = "1000 B" }
[[traffic]]
from = "host-TX-0"
to = "host-WA-1"
transport = { kind = "tcp", preset = "sack" }
source = { kind = "bulk" }
"""
)


def kinds(topology: dict[str, Any]) -> dict[str, int]:
    """Return how many nodes there are of each kind, counted ones as one."""
    found: dict[str, int] = {}
    for node in topology["nodes"]:
        found[node["kind"]] = found.get(node["kind"], 0) + 1
    return found


def delays(topology: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(link["from"], link["to"]): link["delay"] for link in topology["links"]}


def km(delay: str) -> float:
    """Return the length for a delay of 5 us a km."""
    number, unit = delay.split()
    return float(number) * {"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}[unit] / 5


def message(path: Path, **options: Any) -> str:
    with pytest.raises(tp.ScenarioError) as caught:
        read(path, **options)
    (mistake,) = caught.value.mistakes
    assert "\n" not in str(mistake)
    return str(mistake).removeprefix(str(path))


def written(folder: Path, text: str, name: str = "graph") -> Path:
    file = folder / name
    file.write_text(text, "utf-8")
    return file


# Abilene: 12 nodes and 15 links. What a module costs on a link is its length in km.


def test_abilene_has_its_counts_and_names() -> None:
    topology = read(ABILENE, edges=["NYCMng", "LOSAng"], hosts=3)
    assert kinds(topology) == {"core": 12, "edge": 2, "host": 2}
    assert len(topology["links"]) == 15 + 2 + 2
    names = [node["name"] for node in topology["nodes"]]
    assert names[:2] == ["ATLAM5", "ATLAng"]
    assert names[12:] == ["edge-NYCMng", "host-NYCMng", "edge-LOSAng", "host-LOSAng"]
    assert topology["nodes"][-1]["count"] == 3


def test_lengths_of_abilene_are_those_that_its_costs_state() -> None:
    found = delays(read(ABILENE))
    lines = [line.split() for line in ABILENE.read_text("utf-8").splitlines() if "40000" in line]
    assert len(lines) == 15
    for line in lines:
        assert km(found[line[2], line[3]]) == pytest.approx(float(line[-2]), rel=0.01)


def great_circle(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the km between two places by the law of cosines, not the engine's formula."""
    (long_a, lat_a), (long_b, lat_b) = ([math.radians(x) for x in place] for place in (a, b))
    across = math.cos(lat_a) * math.cos(lat_b) * math.cos(long_b - long_a)
    return 6371.0088 * math.acos(min(1.0, max(-1.0, math.sin(lat_a) * math.sin(lat_b) + across)))


def test_the_great_circle_is_that_of_another_formula() -> None:
    places = {place.name: place.coordinates for place in read_graph(ABILENE).places.values()}
    for (start, end), delay in delays(read(ABILENE, electronic=True, hosts=1)).items():
        if not start.startswith("host-"):
            a, b = places[start], places[end]
            assert a is not None
            assert b is not None
            assert km(delay) == pytest.approx(great_circle(a, b), abs=1e-3)


def test_the_twin_by_hand() -> None:
    # A quarter of the equator, and a degree of a meridian: 2 π 6371.0088 / 4 and / 360.
    assert great_circle((0, 0), (90, 0)) == pytest.approx(10007.557, abs=1e-3)
    assert great_circle((7, 50), (7, 51)) == pytest.approx(111.19508, abs=1e-5)
    assert great_circle((-180, 10), (180, 10)) == pytest.approx(0, abs=1e-3)


# The NSF network from a file is the one that is built in.


def test_a_length_in_km_becomes_its_delay() -> None:
    found = delays(read(NSFNET))
    assert len(found) == 21 + 14
    assert found["WA", "IL"] == "17.04 ms"
    assert found["NE", "CO"] == "4.35 ms"
    assert found["edge-WA", "WA"] == "0 s"
    assert delays(read(NSFNET, delay_per_km="4.9 us"))["WA", "IL"] == "16.6992 ms"
    assert set(delays(read(NSFNET, delay="3 ms")).values()) == {"3 ms", "0 s"}


def test_the_imported_nsf_network_does_what_the_built_in_one_does() -> None:
    options = {"edges": ["WA", "NY", "TX"], "hosts": 2, "channels": 4, "add_channels": 8}
    imported = SENDS.with_({"topology": read(NSFNET, **options)})
    ours, theirs = (tp.run(scenario, seed=3) for scenario in (imported, SENDS))
    columns = ["from", "to", "packets-sent", "delivered", "delay-mean"]
    assert ours.flows.select(columns).equals(theirs.flows.select(columns))
    assert ours.flows.get_column("delivered").min() > 0  # type: ignore[operator]
    assert ours.record["bursts"] == theirs.record["bursts"]
    # Over IL and PA it is 4692 km, to and from the hosts 2 ms; a burst waits for 1 ms at most.
    delay = ours.flows.get_column("delay-mean")[0]
    assert 4692 * 5e-6 + 2e-3 < delay < 4692 * 5e-6 + 2e-3 + 1.1e-3


def test_an_electronic_network_runs() -> None:
    topology = read(ABILENE, electronic=True, hosts=1, edges=["STTLng", "ATLAM5"])
    assert kinds(topology) == {"router": 12, "host": 2}
    assert not any("channels" in link for link in topology["links"])
    scenario = tp.Scenario.from_dict(
        {
            "run": {"duration": "200 ms"},
            "topology": topology,
            "traffic": [
                {
                    "from": "host-STTLng-0",
                    "to": "host-ATLAM5-0",
                    "transport": {"kind": "udp"},
                    "source": {"kind": "cbr", "rate": "1 Mb/s", "packet": "1000 B"},
                }
            ],
        }
    )
    assert tp.run(scenario, seed=1).flows.get_column("delivered")[0] > 0


# GML as the Topology Zoo has it: labels that repeat, links side by side.


def test_names_are_made_legal_and_unique() -> None:
    imported = load(CITIES, Options())
    names = [node["name"] for node in imported.topology["nodes"]]
    assert names[:3] == ["Zürich-HB", "Wien", "Wien_2"]
    assert set(delays(imported.topology)) >= {("Zürich-HB", "Wien"), ("Wien", "Wien_2")}
    assert imported.notes[1:] == [
        "2 links: the great circle between coordinates, 5 us per km",
        "1 link: left out: parallel to another link; the shortest is kept",
        "not used: LinkLabel of links (2)",
    ]
    assert read(CITIES, edges=["Zürich HB", "Wien_2"])["nodes"][3]["name"] == "edge-Zürich-HB"


def test_names_of_edge_routers_are_unique_too(tmp_path: Path) -> None:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_edge("A", "edge-A", length=1)
    nx.write_graphml(graph, tmp_path / "a.graphml")
    names = [node["name"] for node in read(tmp_path / "a.graphml")["nodes"]]
    assert names == ["A", "edge-A", "edge-A_2", "edge-edge-A"]


def test_of_links_side_by_side_the_shortest_is_kept(tmp_path: Path) -> None:
    graph: nx.MultiGraph[str] = nx.MultiGraph()
    for length in (30, 10, 20):
        graph.add_edge("A", "B", length=length)
    graph.add_edge("A", "A", length=1)
    nx.write_graphml(graph, tmp_path / "a.graphml")
    topology = read(tmp_path / "a.graphml", electronic=True, hosts=1)
    assert delays(topology) == {
        ("A", "B"): "50 us",
        ("host-A", "A"): "1 ms",
        ("host-B", "B"): "1 ms",
    }


def test_links_side_by_side_need_no_announcement(tmp_path: Path) -> None:
    edges = "".join(f" edge [ source 0 target 1 dist {km} ]" for km in (7, 5))
    file = written(tmp_path, f"graph [ node [ id 0 ] node [ id 1 ]{edges} ]")
    assert delays(read(file))["0", "1"] == "25 us"


def test_one_way_links_stay_one_way(tmp_path: Path) -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    for start, end, length in (("A", "B", 10), ("B", "A", 10), ("B", "C", 10), ("C", "B", 20)):
        graph.add_edge(start, end, length=f"{length} km")
    nx.write_gml(graph, tmp_path / "a.gml")
    links = read(tmp_path / "a.gml", electronic=True, hosts=1)["links"][:3]
    assert [(link["from"], link["to"], link.get("one-way", False)) for link in links] == [
        ("A", "B", False), ("B", "C", True), ("C", "B", True),
    ]  # fmt: skip


XML = """<?xml version="1.0" encoding="ISO-8859-1"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0"><networkStructure>
<nodes coordinatesType="TYPE">
 <node id="Bonn"><coordinates><x>7.10</x><y>50.73</y></coordinates></node>
 <node id="Ulm"><coordinates><x>9.99</x><y>48.40</y></coordinates></node>
</nodes>
<links><link id="L1"><source>Bonn</source><target>Ulm</target></link></links>
</networkStructure></network>
"""


def test_the_two_formats_of_sndlib_give_the_same(tmp_path: Path) -> None:
    native = "NODES (\n Bonn (7.10 50.73)\n Ulm ( 9.99 48.40 ) () ()\n)\n"
    native += "LINKS (\n L1 ( Bonn Ulm ) 0\n)\n"
    xml = read(written(tmp_path, XML.replace("TYPE", "geographical"), "a.xml"))
    assert xml == read(written(tmp_path, native, "a.txt"))
    assert km(delays(xml)["Bonn", "Ulm"]) == pytest.approx(333, abs=2)
    drawn = written(tmp_path, XML.replace("TYPE", "pixel"))
    assert "no longitude and latitude of 'Bonn'" in message(drawn)


def test_coordinates_beyond_degrees_make_all_of_a_file_those_of_a_drawing(tmp_path: Path) -> None:
    native = "NODES (\n Bonn (7.10 50.73)\n Ulm ( 9.99 48.40 )\n Rom ( 9.99 348.40 )\n)\n"
    native += "LINKS (\n L1 ( Bonn Ulm ) 0\n L2 ( Ulm Rom ) 0\n)\n"
    assert "no link of the file has a length" in message(written(tmp_path, native, "a.txt"))
    # They are not taken for the middle of neighbours either.
    with pytest.raises(tp.ScenarioError, match="no link of the file has a length"):
        read(written(tmp_path, native, "a.txt"), missing_length="neighbours")


NAMES = st.text("abcXYZ 019-_.äß/'&<\u00b2", min_size=1, max_size=60)


@settings(max_examples=40)
@given(
    names=st.lists(NAMES, min_size=2, max_size=8, unique=True),
    data=st.data(),
    directed=st.booleans(),
)
def test_graphml_and_gml_of_a_graph_give_the_same_topology(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], data: st.DataObject, directed: bool
) -> None:
    folder = tmp_path_factory.mktemp("graphs")
    graph: nx.Graph[str] = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(names)
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names))
    lengths = st.one_of(st.integers(0, 10**6), st.floats(0, 10**6, allow_subnormal=False))
    graph.add_edge(names[0], names[1], length=data.draw(lengths))
    for start, end in data.draw(st.lists(ends, max_size=12)):
        graph.add_edge(start, end, length=data.draw(lengths))
    nx.write_graphml(graph, folder / "a.graphml")
    nx.write_gml(graph, folder / "a.gml")
    topology = read(folder / "a.graphml", hosts=1)
    assert topology == read(folder / "a.gml", hosts=1)
    mistakes = tp.Scenario.from_dict({"topology": topology}).check()
    assert [str(each) for each in mistakes if each.key.startswith("topology")] == []


# What is wrong is one line that names the file.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "",
            ": not a topology; accepted GraphML, GML, SNDlib in its native or its XML format, or a",
        ),
        ("<graphml>", ":1: not XML: no element found: line 1, column 9"),
        ("<svg/>", ":1: not a topology; found <svg>; accepted GraphML, GML, SNDlib"),
        ("<graphml/>", ":1: not a graph; found 0 graphs; accepted one <graph>"),
        (
            "graph [\n node [ id 0 ]\n node [ id !",
            ":3: not GML; found !; accepted a key, followed by a",
        ),
        ("graph [ node [ id 0 ] node [ id 0 ] ]", ":1: another node is also called '0'"),
        ("graph [ node [ id 0 ] node [ id 00 ] ]", ":1: another node is also called '0'"),
        ("graph [\n node [ label 0 ]\n]", ":2: not GML: no id of this node; accepted id with a"),
        ("graph [\n node [ id 0 id 1 ]\n]", ":2: not GML: not one id of this node; accepted"),
        ("graph [\n node [ id [ a 1 ] ]\n]", ":2: not GML: not one id of this node; accepted"),
        ("graph [\n node 5\n]", ":1: not GML; found node 5; accepted node [ … ]"),
        ("graph [ ]\ngraph [ ]", ":2: not a graph; found 2 graphs; accepted graph [ … ]"),
        ("graph [\n node [\n id 0", ":2: not GML: a bracket that is not closed; accepted ]"),
        ("graph [\n a", ":2: not GML: no value after a; accepted a key, followed by a number"),
        (
            "graph [\n node [ id 0 ]\n node [ id 1 ]\n edge [ source 0 target 2 ]\n]",
            ":4: a link to an unknown node; found '2'; accepted the id of a node of this file",
        ),
        ('<graphml><graph><node id="a"/>\n<node/>', ":2: not XML: no element found"),
        ("<graphml><graph>\n<node/></graph></graphml>", ":2: a node without an id; accepted"),
        (
            '<graphml><graph>\n<node id="a"><data key="k"/></node></graph></graphml>',
            ":2: no such key; found 'k'; accepted the id of a <key> of this file",
        ),
        (
            '<graphml><graph><node id="a"/><node id="b"/>\n<edge source="a"/></graph></graphml>',
            ":2: a link to an unknown node; found ''; accepted the id of a node of this file",
        ),
        ("<graphml><graph>\n<hyperedge/></graph></graphml>", ":2: a hyperedge; accepted edges"),
        ("graph [ node [ id 0 ] ]", ": too few nodes; found 1; accepted at least 2"),
        ("graph [ node [ id 0 ] node [ id 1 ] ]", ": no links"),
        (
            "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 length -3 ] ]",
            ":1: the length of the link from '0' to '1' is invalid; found -3; accepted a number of",
        ),
        (
            "graph [ node [ id 0 longitude 5 latitude 99 ] ]",
            ":1: the coordinates of node '0' are invalid; found longitude 5, latitude 99; accepted",
        ),
        (
            "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]",
            ":1: the link from '0' to '1' has no length; found no length, and no longitude and"
            " latitude of '0'; accepted length, distance or dist in km, coordinates in degrees",
        ),
        ("NODES (\n A ( 1 2\n)", ":2: not a node; found A ( 1 2; accepted NAME ( LONGITUDE"),
        ("NODES (\n A ( 1 2 )\n A\n)", ":3: another node is also called 'A'"),
        ("NODES (\n A\n B\n)\nLINKS (\n L A B\n)", ":6: not a link; found L A B; accepted NAME ("),
        ("NODES (\n A\n B\n)\nLINKS (\n L ( A C )\n)", ":6: a link to an unknown node; found 'C'"),
        (XML.replace("<target>Ulm", "<target>Ulf"), ":7: a link to an unknown node; found 'Ulf'"),
        (XML.replace('id="Ulm"', 'id="Bonn"'), ":5: another node is also called 'Bonn'"),
    ],
)
def test_a_bad_file_is_one_mistake(tmp_path: Path, text: str, expected: str) -> None:
    found = message(written(tmp_path, text))
    assert found[: len(expected)] == expected


# Files that are there to take long: each took minutes, or memory, with patterns that look back.

LONG = 1_000_000 if shares.all_of_it() else 300_000
MANY = 30_000 if shares.all_of_it() else 9_000
TWO = "node [ id 0 ] node [ id 1 ]"
BETWEEN = "edge [ source 0 target 1 length 1 ]"
BOMB = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))


def at_once(test: Callable[..., None]) -> Callable[..., None]:
    """Limit the seconds of a test where all is tried; what looks back takes minutes anywhere."""
    for mark in (pytest.mark.usefixtures("at_most_20_seconds_of_a_core"), pytest.mark.sampled):
        test = mark(test)
    return test


@pytest.fixture
def at_most_20_seconds_of_a_core() -> Iterator[None]:
    with shares.core_seconds_below(20):
        yield


def in_graphml(inside: str) -> str:
    return f"<graphml><graph>{inside}</graph></graphml>"


@at_once
@pytest.mark.parametrize(
    "text",
    [
        "\n" * LONG,
        "\t\n" * (LONG // 2),
        "1" * LONG,
        '"' * LONG,
        "[" * LONG,
        "(" * LONG,
        "<" * LONG,
        "\0" * LONG,
        "NODES" + "\n" * LONG,
        "graph" + "\n" * LONG,
        "graph\n" * (LONG // 6),
        f"NODES (\n A ( {'1' * LONG} 2 x )\n)",
        f"NODES (\n A ( 1 {'1' * LONG}\n)",
        f"NODES (\n A ( {'1.' * (LONG // 2)} 2 x )\n)",
        f"NODES (\n {'A(' * (LONG // 2)}\n)",
        f"NODES (\n A ( 1{' ' * LONG}x\n)",
        f"NODES (\nA\nB\n)\nLINKS (\n {'L(' * (LONG // 2)}\n)",
        f"NODES (\nA\nB\n)\nLINKS (\n L{' ' * LONG}( A C )\n)",
        "graph [\n" + "\n" * LONG + TWO + "]",
        "graph [\n" + " a [" * (LONG // 6) + " ]" * (LONG // 6) + TWO + "]",
        "graph [\n" + " a [" * (LONG // 3),
        f"graph [\n{TWO} {BETWEEN} a " + '"' * LONG + " !",
        f"graph [\n{TWO} {BETWEEN} a {'#' * LONG}",
        f"graph [\n node [ id {'1' * LONG} ] {BETWEEN} ]",
        f'graph [\n{TWO} edge [ source 0 target 1 length "{"1" * LONG}x" ] ]',
        f"graph [\n{TWO} edge [ source 0 target 1 length 1e{'1' * LONG} ] ]",
        f"<!DOCTYPE network [<!ENTITY a0 'lol'>{BOMB}]><network>&a9;</network>",
        "<network>" * (LONG // 30) + "</network>" * (LONG // 30),
        in_graphml("<graph>" * (LONG // 20) + "</graph>" * (LONG // 20)),
        in_graphml('<node id="a"><data key="k">' * (LONG // 50) + "</data></node>" * (LONG // 50)),
        "<network " + " ".join(f"a{n}='1'" for n in range(LONG // 10)) + "/>",
    ],
    ids=range(31),
)
def test_a_file_that_is_there_to_take_long_is_one_short_mistake(tmp_path: Path, text: str) -> None:
    found = message(written(tmp_path, text))
    assert found.startswith(":")
    assert len(found) < 400
    assert "\n" not in found


@at_once
def test_labels_may_be_as_long_as_a_file(tmp_path: Path) -> None:
    marks = "a" + "\u0301" * (LONG // 4) + "\u0327" * (LONG // 4)
    for label in ("a" * LONG, marks, "&" * LONG, "&#" * (LONG // 2)):
        nodes = f'node [ id 0 label "{label}" ] node [ id 1 ]'
        name = read(written(tmp_path, f"graph [\n{nodes} {BETWEEN} ]"))["nodes"][0]["name"]
        assert 0 < len(name) <= 48


@at_once
def test_one_label_of_many_nodes_becomes_as_many_names(tmp_path: Path) -> None:
    # Names are tried once each: beside the nodes of one label others have the names made of it.
    count = 2 * MANY // 3
    nodes = "".join(f'node[id {n} label "a{f"_{n}" if n % 3 == 0 else ""}"]' for n in range(count))
    nodes = read(written(tmp_path, f"graph [\n{nodes} {BETWEEN} ]"))["nodes"]
    assert len({node["name"] for node in nodes}) == 2 * count
    assert [node["name"] for node in nodes[:5]] == ["a_0", "a", "a_2", "a_3", "a_4"]


@at_once
def test_as_many_nodes_as_a_file_holds_are_read(tmp_path: Path) -> None:
    count = MANY
    nodes = "".join(f"n{n} ( 1 2 )\n" for n in range(count))
    links = "".join(f"l ( n{n} n{n + 1} )\n" for n in range(0, count - 1, 2))
    file = written(tmp_path, f"NODES (\n{nodes})\nLINKS (\n{links})")
    assert len(read(file)["links"]) == count // 2 + count
    found = message(file, edges=["n1", "m1"])
    assert found.startswith("edges: no place has this name")
    assert found.endswith(f" and {count - 20} more")
    assert len(found) < 400


@pytest.mark.parametrize("text", [b"NODES (\n \xe9\n)", b"<network>\n\xff</network>", b"\n\xff"])
def test_a_file_that_is_not_utf_8_is_one_mistake(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "net").write_bytes(text)
    assert message(tmp_path / "net") == ":2: not UTF-8 text"


def test_document_types_are_refused_whatever_they_hold(tmp_path: Path) -> None:
    """Entities, and defaults of attributes of each of many elements, expand to gigabytes."""
    for inside in (
        "[<!ENTITY b 'x'>]", "[<!ENTITY b SYSTEM 'file:///etc/hostname'>]", "SYSTEM 'a.dtd'", "",
        "[<!ATTLIST node a CDATA 'x' b CDATA 'y'>]",
    ):  # fmt: skip
        file = written(tmp_path, f"\n<!DOCTYPE a {inside}><network>&b;</network>")
        expected = ":1: a document type; found <!DOCTYPE a; accepted XML without a document type"
        assert message(file) == expected
    assert message(written(tmp_path, "<network>\n&b;</network>")).startswith(":2: not XML: ")


@at_once
def test_as_many_defaults_as_a_file_holds_are_read_once(tmp_path: Path) -> None:
    count = MANY // 3
    keys = "".join(
        f'<key id="k{n}" for="all" attr.name="n{n}"><default>x</default></key>'
        for n in range(count)
    )
    nodes = "".join(f'<node id="{n}"/>' for n in range(count))
    edges = "".join(f'<edge source="{n}" target="{n + 1}"/>' for n in range(count - 1))
    text = f'<graphml>{keys}<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>'
    graph = read_graph(written(tmp_path, text))
    assert graph.unused["n0 of nodes"] == count
    assert graph.unused["n1 of links"] == count - 1


def test_a_default_that_no_network_uses_counts_once_for_each_that_has_it_or_another(
    tmp_path: Path,
) -> None:
    text = """<graphml><key id="k" for="node" attr.name="owner"><default>SBB</default></key>
      <graph edgedefault="undirected">
        <node id="0"><data key="k">BLS</data></node><node id="1"/><edge source="0" target="1"/>
      </graph></graphml>"""
    assert read_graph(written(tmp_path, text)).unused == {"owner of nodes": 2}


PLACES = "".join(
    f'node [ id {n} label "{name}" {where} ]'
    for n, (name, where) in enumerate([
        ("Oslo", "Longitude 10.7 Latitude 59.9"), ("Bergen", "Longitude 5.3 Latitude 60.4"),
        ("Upstream", ""), ("Lonely", ""),
    ])
)  # fmt: skip


def test_networks_of_the_topology_zoo_are_read_whatever_they_lack(
    tmp_path: Path, tcphoton: Command
) -> None:
    """Places without coordinates, parallel links and several parts: each has an option."""
    links = "edge [ source 0 target 1 ] edge [ source 1 target 0 ] edge [ source 1 target 2 ]"
    file = written(tmp_path, f"graph [\n{PLACES}\n{links} ]")
    refused = tcphoton("topology", file, "--electronic", code=2)
    assert "the link from 'Bergen' to 'Upstream' has no length" in refused.stderr
    assert "missing-length" in refused.stderr
    words = ["--missing-length", "median", "--parallel", "sum", "--largest-part"]
    done = tcphoton("topology", file, "--electronic", *words, code=0)
    assert "# 1 of 4 places left out: not in the largest part" in done.stdout
    found = tomllib.loads(done.stdout)["topology"]
    names = [node["name"] for node in found["nodes"] if node["kind"] == "router"]
    assert names == ["Oslo", "Bergen", "Upstream"]
    ends = {(each["from"], each["to"]): each for each in found["links"]}
    assert ends["Oslo", "Bergen"]["rate"] == "20 Gb/s"
    assert ends["Bergen", "Upstream"]["delay"] == ends["Oslo", "Bergen"]["delay"]


def test_parts_and_parallel_links_of_a_scenarios_file_are_told(
    tmp_path: Path, tcphoton: Command
) -> None:
    links = "edge [ source 0 target 1 ] edge [ source 0 target 1 ]"
    written(tmp_path, f"graph [\n{PLACES}\n{links} ]")
    traffic = {"from": "host-*", "to": "host-*", "pattern": "uniform",
               "transport": {"kind": "tcp"},
               "source": {"kind": "transfers", "per-second": 9.0, "size": "9 kB"}}  # fmt: skip
    topology: dict[str, Any] = {
        "kind": "file", "file": "graph", "link": {"rate": "1 Gb/s"}, "hosts": 1,
        "access": {"rate": "1 Gb/s", "delay": "1 ms"},
    }  # fmt: skip
    scenario = tmp_path / "a.toml"

    def told(**more: Any) -> str:
        data = {"run": {"duration": "1 s"}, "topology": topology | more, "traffic": [traffic]}
        scenario.write_text(toml.dumps(data))
        return tcphoton("check", scenario).stderr

    parts = "a graph of 3 parts, the largest with 2 of 4 places; accepted largest-part = true"
    assert parts in told()
    assert "1 link is parallel to others and left out" in told(**{"largest-part": True})
    assert told(**{"largest-part": True, "parallel": "bundle"}) == ""


def test_defaults_stand_for_what_is_not_said_of_a_node_or_an_edge(tmp_path: Path) -> None:
    text = """<graphml>
      <key id="a" for="node" attr.name="Latitude"><default>50</default></key>
      <key id="o" for="node" attr.name="Longitude"><default/></key>
      <key id="p" for="node" attr.name="lon"><default>7</default></key>
      <key id="l" for="all" attr.name="label"><default>here</default></key>
      <key id="k" for="edge" attr.name="Length"><default>9</default></key>
      <graph edgedefault="undirected">
        <node id="0"><data key="a">51</data></node><node id="1"><data key="l">there</data></node>
        <edge source="0" target="1"/><edge source="1" target="0"><data key="k">3</data></edge>
      </graph></graphml>"""
    graph = read_graph(written(tmp_path, text))
    places = [(place.name, place.coordinates) for place in graph.places.values()]
    assert places == [("here", (7, 51)), ("there", (7, 50))]
    assert [edge.km for edge in graph.edges] == [9, 3]


# The readers against those of networkx, which know the formats and not how long a file may be.


@settings(max_examples=30)
@given(
    names=st.lists(st.text("abXYZ 01-_.äß/'&<\u00b2#[]()", min_size=1), min_size=2, unique=True),
    data=st.data(),
    directed=st.booleans(),
)
def test_both_readers_find_what_networkx_finds(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], data: st.DataObject, directed: bool
) -> None:
    folder = tmp_path_factory.mktemp("graphs")
    graph: nx.MultiGraph[str] = nx.MultiDiGraph() if directed else nx.MultiGraph()
    graph.add_nodes_from(names, kind=1.5, other="a\nb")
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names))
    for start, end in data.draw(st.lists(ends, min_size=1, max_size=12)):
        graph.add_edge(start, end, length=data.draw(st.integers(0, 10**6)))
    nx.write_graphml(graph, folder / "a.graphml")
    nx.write_gml(graph, folder / "a.gml")
    for name in ("a.graphml", "a.gml"):
        ours = read_graph(folder / name)
        called = {at: place.name for at, place in ours.places.items()}
        found = [(*(called[end] for end in edge.ends), edge.km) for edge in ours.edges]
        assert list(called.values()) == names
        assert found == list(graph.edges(data="length"))
        assert {edge.one_way for edge in ours.edges} == {directed}


def test_graphml_has_defaults_directions_and_the_labels_of_yed(tmp_path: Path) -> None:
    text = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://yworks">
    <key id="d0" for="node" yfiles.type="nodegraphics"/>
    <key id="d1" for="edge" attr.name="length"><default>10</default></key>
    <graph edgedefault="directed">
    <node id="n0">
    <data key="d0"><y:ShapeNode><y:NodeLabel>Ulm</y:NodeLabel></y:ShapeNode></data>
    </node>
    <node id="n1" yfiles.foldertype="group"><graph><node id="n2"/></graph></node>
    <edge source="n0" target="n1"/>
    <edge source="n0" target="n2" directed="false"><data key="d1">20 km</data></edge>
    </graph></graphml>"""
    links = read(written(tmp_path, text), electronic=True, hosts=1)["links"][:2]
    assert [(each["from"], each["to"], each["delay"], each.get("one-way")) for each in links] == [
        ("Ulm", "n1", "50 us", True), ("Ulm", "n2", "100 us", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"edges": ["Wein", "Wien_2"]}, 'edges: no place has this name (did you mean "Wien"?)'),
        ({"edges": ["Wien_2", "Wien_2"]}, 'edges: named twice; found "Wien_2"'),
        ({"edges": ["Wien_2"]}, "edges: too few; found 1; accepted at least 2"),
        ({"rate": "10"}, 'rate: a number without a unit; found "10"; accepted a rate such as'),
        ({"delay": "3 km"}, 'delay: unknown unit "km"; found "3 km"; accepted a time such as'),
        (
            {"electronic": True, "hosts": 0},
            "hosts: an electronic network has hosts; found 0; accepted at least 1",
        ),
        ({"channels": 0}, "channels: too small; found 0; accepted a whole number from 1"),
    ],
)
def test_an_option_that_fits_no_network_is_refused(options: dict[str, Any], expected: str) -> None:
    assert message(CITIES, **options).startswith(expected)


def test_a_file_without_lengths_takes_a_delay_for_all(tmp_path: Path) -> None:
    text = "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"
    assert delays(read(written(tmp_path, text), delay="2 ms"))["0", "1"] == "2 ms"


# The verb.


def test_the_verb_prints_what_read_returns(tcphoton: Command, tmp_path: Path) -> None:
    options = ("--edges", "STTLng, ATLAM5", "--hosts", 2, "--access-rate", "100 Mb/s")
    done = tcphoton("topology", ABILENE, *options, "--channels", 2, "--rate", "1 Gb/s", code=0)
    expected = read(
        ABILENE,
        edges=["STTLng", "ATLAM5"], hosts=2, access_rate="100 Mb/s", channels=2, rate="1 Gb/s",
    )  # fmt: skip
    assert tomllib.loads(done.stdout) == {"topology": expected}
    assert done.stdout.startswith(f"# 12 places and 15 links from {ABILENE}\n# 15 links: the great")
    out = tmp_path / "abilene.toml"
    assert tcphoton("topology", ABILENE, "--out", out).returncode == 0
    assert tomllib.loads(out.read_text("utf-8"))["topology"] == read(ABILENE)
    again = tcphoton("topology", ABILENE, "--out", out, code=2)
    assert f"{out}: exists already" in again.stderr


@pytest.mark.parametrize("name", ["absent.gml", ".", "bad.gml"])
def test_the_verb_says_what_is_wrong(tcphoton: Command, tmp_path: Path, name: str) -> None:
    written(tmp_path, "graph [ node [ id 0 ] ]", "bad.gml")
    done = tcphoton("topology", tmp_path / name, code=2)
    assert done.stdout == ""
    assert done.stderr.startswith(str(tmp_path / name))
    assert done.stderr.count("\n") == 1


def test_a_bundle_has_the_load_it_is_asked_for() -> None:
    scenario = tp.example("lightpath-bundle")
    loaded = tp.topologies.at_load(scenario, 0.35, lightpaths=5, k=3)
    there, back = loaded.show()["bundles"]
    assert (there["lightpaths"], there["load"]) == (5, pytest.approx(0.35))
    assert back["load"] == 0
    assert loaded.to_dict()["traffic"][1] == scenario.to_dict()["traffic"][1]


def test_a_load_of_anything_else_is_refused() -> None:
    with pytest.raises(ValueError, match="not a dumbbell"):
        tp.topologies.at_load(tp.example("dumbbell"), 0.5)
    alone = tp.example("lightpath-bundle").with_({"traffic.0.from": "left-source-0"})
    with pytest.raises(ValueError, match="no traffic from left-source"):
        tp.topologies.at_load(alone, 0.5)

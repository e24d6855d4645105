"""Networks whose graph is in a file that the scenario names."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import pytest

import tcphoton as tp
from tcphoton.report.folder import page
from tcphoton.scenario.topologies import read

if TYPE_CHECKING:
    from command_here import Command

DATA = Path(__file__).parents[1] / "data"
TCP = {"transport": {"kind": "tcp"}, "source": {"kind": "bulk"}}
ACCESS = {"rate": "1 Gb/s", "delay": "1 ms"}
SMALL = """NODES (
  Bern ( 7.44 46.95 )
  Ulm ( 9.99 48.40 )
  Wien ( 16.37 48.21 )
)
LINKS (
  L1 ( Bern Ulm ) 155.00 0.00 0.00 0.00 ( 622.00 10.00 )
  L2 ( Ulm Wien ) 622.00 0.00 0.00 0.00 ( 622.00 10.00 )
)
DEMANDS (
  D1 ( Bern Wien ) 1 220.00 UNLIMITED
)
"""


def scenario(file: Path | str, start: str, end: str, **topology: Any) -> tp.Scenario:
    """Return a scenario with one flow between hosts, or edges, of two places."""
    optical = "channels" in topology["link"]
    more = {"assembly": {"timeout": "1 ms", "max-size": "20 kB"}} if optical else {}
    return tp.Scenario.from_dict(
        {
            "run": {"duration": "200 ms"},
            "topology": {"kind": "file", "file": str(file), **topology},
            "traffic": [{"from": start, "to": end, **TCP}],
            **more,
        }
    )


def small(folder: Path, text: str = SMALL, **topology: Any) -> tp.Scenario:
    (folder / "small.txt").write_text(text)
    given = {"link": {"rate": "100 Mb/s"}, "hosts": 1, "access": ACCESS, **topology}
    return scenario(folder / "small.txt", "host-Bern-0", "host-Wien-0", **given)


def rates(network: tp.Scenario) -> dict[str, float]:
    table = tp.run(network).links
    return dict(table.select("link", "rate").iter_rows())


def test_published_networks_have_their_counts() -> None:
    abilene = scenario(
        DATA / "abilene.txt",
        "host-NYCMng-0", "host-LOSAng-0",
        link={"rate": "10 Gb/s"}, hosts=1, access=ACCESS,
    ).show()  # fmt: skip
    assert (abilene["routers"], abilene["hosts"]) == (12, 12)
    assert abilene["one-way-links"] == 2 * (15 + 12)
    nsfnet = scenario(
        DATA / "nsfnet.graphml", "edge-WA", "edge-NY", link={"rate": "10 Gb/s", "channels": 4}
    ).show()
    assert (nsfnet["routers"], nsfnet["edge-routers"]) == (28, 14)
    assert nsfnet["one-way-links"] == 2 * (21 + 14)


@pytest.mark.parametrize("name", ["abilene.txt", "nsfnet.graphml", "three-cities.gml"])
@pytest.mark.parametrize("electronic", [True, False])
def test_the_network_is_that_of_the_command(name: str, electronic: bool) -> None:
    options: dict[str, Any] = {"electronic": electronic, "hosts": 2, "rate": "622 Mb/s"}
    link: dict[str, Any] = {"rate": "622 Mb/s"}
    more: dict[str, Any] = {}
    if not electronic:
        options |= {"channels": 3, "add_channels": 5}
        link["channels"] = more["add-channels"] = 3
        more["add-channels"] = 5
    written = read(DATA / name, **options)
    hosts = [node["name"] for node in written["nodes"] if node["kind"] == "host"]
    ends = (f"{hosts[0]}-*", f"{hosts[1]}-*")
    named = scenario(DATA / name, *ends, link=link, hosts=2, access=ACCESS, **more)
    explicit = named.with_({"topology": written})
    for each in ("hosts", "routers", "one-way-links"):
        assert named.show()[each] == explicit.show()[each]
    mine, theirs = tp.run(named, seed=2), tp.run(explicit, seed=2)
    assert mine.links.equals(theirs.links)
    assert mine.digest == theirs.digest
    assert mine.flows.get_column("delivered").min() > 0  # type: ignore[operator]


def test_places_may_be_hybrid_switches() -> None:
    network = scenario(
        DATA / "abilene.txt",
        "host-NYCMng-0", "host-LOSAng-0",
        link={"rate": "1 Gb/s"}, hosts=1, access=ACCESS,
    )  # fmt: skip
    hybrid = network.with_({"core": {"kind": "hybrid", "electronic-ports": 1}})
    assert hybrid.show()["hybrid-switches"] == 12
    assert tp.run(hybrid).flows.get_column("delivered")[0] > 0


def test_the_digest_is_of_the_graph_and_not_of_its_name(tmp_path: Path) -> None:
    network = small(tmp_path)
    (tmp_path / "other.txt").write_text("# the same\n" + SMALL)
    assert network.with_({"topology.file": str(tmp_path / "other.txt")}).digest == network.digest
    moved = small(tmp_path, SMALL.replace("48.21", "48.22"))
    assert moved.digest != network.digest
    (tmp_path / "small.txt").unlink()
    again = pickle.loads(pickle.dumps(network))
    assert again.digest == network.digest
    assert tp.run(again).digest == tp.run(network).digest


def test_capacities_are_used_if_they_have_a_unit(tmp_path: Path) -> None:
    unused = small(tmp_path)
    assert rates(unused)["Bern -> Ulm"] == rates(unused)["Ulm -> Wien"] == 100e6
    assert unused.show()["notes"] == [
        "3 places and 2 links",
        "2 links: the great circle between coordinates, 5 us per km",
        "not used: 2 capacities of links, without capacity-unit",
        "not used: costs and modules of links (2)",
        "not used: DEMANDS (1)",
    ]
    used = small(tmp_path, link={}, **{"capacity-unit": "1 Mb/s"})
    found = rates(used)
    assert (found["Bern -> Ulm"], found["Wien -> Ulm"]) == (155e6, 622e6)
    assert found["host-Bern-0 -> Bern"] == 1e9
    assert "2 capacities used, in units of 1 Mb/s" in used.show()["notes"]
    assert used.warnings() == []
    (warning,) = used.with_({"topology.link.rate": "1 Gb/s"}).warnings()
    assert "topology.link.rate: has no effect: every link of the file has a cap" in str(warning)


def test_capacities_of_graphml_and_gml_and_xml_are_read(tmp_path: Path) -> None:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_node("Bern", Country="CH")
    graph.add_edge("Bern", "Wien", length=10, LinkSpeedRaw=2.5e9, LinkType="fibre")
    nx.write_graphml(graph, tmp_path / "a.graphml")
    nx.write_gml(graph, tmp_path / "a.gml")
    (tmp_path / "a.xml").write_text(
        "<network><networkStructure><nodes>"
        "<node id='Bern'><coordinates><x>7</x><y>47</y></coordinates></node>"
        "<node id='Wien'><coordinates><x>16</x><y>48</y></coordinates></node></nodes><links>"
        "<link id='L'><source>Bern</source><target>Wien</target><preInstalledModule>"
        "<capacity>2500000000</capacity><cost>1</cost></preInstalledModule><setupCost>1</setupCost>"
        "</link></links></networkStructure><demands><demand/><demand/></demands></network>"
    )
    for name, rest in (
        ("a.graphml", {"Country of nodes (1)", "LinkType of links (1)"}),
        ("a.gml", {"Country of nodes (1)", "LinkType of links (1)"}),
        ("a.xml", {"demands (2)", "setupCost of links (1)"}),
    ):
        more = {"link": {}, "capacity-unit": "1 b/s", "hosts": 1, "access": ACCESS}
        network = scenario(tmp_path / name, "host-Bern-0", "host-Wien-0", **more)
        assert rates(network)["Bern -> Wien"] == 2.5e9
        notes = [note for note in network.show()["notes"] if note.startswith("not used: ")]
        assert {note.removeprefix("not used: ") for note in notes} == rest


def test_a_mistake_names_the_file_and_its_line(tmp_path: Path, tcphoton: Command) -> None:
    def only(text: str, **topology: Any) -> str:
        (mistake,) = small(tmp_path, text, **topology).check()
        return str(mistake).replace(str(tmp_path), "")

    drawn = SMALL.replace("( 9.99 48.40 )", "")
    assert only(drawn.replace("( Ulm Wien )", "( Ulm Ulf )")).startswith(
        "/small.txt:8: a link to an unknown node; found 'Ulf'"
    )
    assert ":6: topology.file: /small.txt: not a topology; found " in only("")
    first, second = small(tmp_path, drawn).check()
    assert str(first).startswith(f"{tmp_path}/small.txt:7: topology.graph.3: the link from 'Bern'")
    assert str(second).startswith(f"{tmp_path}/small.txt:8: topology.graph.4: the link from 'Ulm'")
    assert only(SMALL, edges=["Bern", "Wein"]).startswith(
        '<dict>:10: topology.edges.1: no place has this name (did you mean "Wien"?); found "Wein"'
    )
    assert only(SMALL.replace("155.00", "1e17"), **{"capacity-unit": "1 Mb/s"}).startswith(
        "/small.txt:7: topology.graph.3.capacity: not the rate of a link; found"
    )
    island = SMALL.replace("  L1 ( Bern Ulm )", "  L1 ( Wien Ulm )")
    assert "no path leads from" in only(island)
    (tmp_path / "a.toml").write_text(small(tmp_path, "graph [").to_toml())
    done = tcphoton("check", tmp_path / "a.toml", code=2)
    assert done.stderr.count("\n") == 1


def test_a_sweep_varies_options_and_files_and_keeps_what_it_read(tmp_path: Path) -> None:
    cbr = {"kind": "cbr", "rate": "1 Mb/s", "packet": "1 kB"}
    udp = {"traffic.0.transport": {"kind": "udp"}, "traffic.0.source": cbr}
    base = small(tmp_path).with_(udp)
    (tmp_path / "long.txt").write_text(SMALL.replace("16.37", "23.32"))
    over = {
        "topology.link.rate": ["50 Mb/s", "100 Mb/s"],
        "topology.file": [str(tmp_path / name) for name in ("small.txt", "long.txt")],
    }
    sweep = tp.Sweep(base, over, seeds=1)
    assert len(set(sweep.checked().digests())) == 4
    for name in ("small.txt", "long.txt"):
        (tmp_path / name).unlink()
    table = sweep.run(tmp_path / "out")
    assert table.height == 4
    delays = table.get_column("delay-mean").to_list()
    assert delays[1] > delays[0]
    # What is kept is complete.
    assert "topology.graph.2.longitude" in page(tmp_path / "out")


BOTH = """
[run]
duration = "20 ms"
[topology]
kind = "file"
file = "small.txt"
hosts = 1
link = { rate = "1 Gb/s" }
access = { rate = "10 Gb/s", delay = "1 us" }
[[traffic]]
from = "host-*"
to = "host-*"
matrix = { file = "small.txt" }
load = 0.5
transport = { kind = "udp" }
source = { kind = "poisson-packets", packet = "1500 B" }
"""


def test_one_file_may_be_the_topology_and_the_matrix(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text(SMALL)
    (tmp_path / "copy.txt").write_text(SMALL)
    file = tmp_path / "both.toml"
    file.write_text(BOTH)
    with_a_copy = BOTH.replace('{ file = "small.txt" }', '{ file = "copy.txt" }')
    (tmp_path / "two.toml").write_text(with_a_copy)
    both, two = (tp.Scenario.load(tmp_path / name) for name in ("both.toml", "two.toml"))
    assert tp.run(both).digest == tp.run(two).digest
    assert pickle.loads(pickle.dumps(both)).digest == two.digest


def test_a_sweep_keeps_one_file_as_both(tmp_path: Path, tcphoton: Command) -> None:
    (tmp_path / "small.txt").write_text(SMALL)
    (tmp_path / "both.toml").write_text(BOTH)
    study, out = tmp_path / "study.toml", tmp_path / "out"
    over = 'scenario = "both.toml"\nseeds = 2\n[over]\n"traffic.0.load" = [0.2, 0.4]\n'
    study.write_text(over)
    assert tcphoton("sweep", study, "--out", out).returncode == 0
    (tmp_path / "small.txt").unlink()
    written = page(out)
    assert "demands = [" in written
    assert "graph = [" in written

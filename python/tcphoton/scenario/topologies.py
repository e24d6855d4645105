r"""Topologies from files: published graphs are converted to networks for simulation.

Also lightpath bundles with traffic for a given load (`at_load`).

>>> import tempfile
>>> from pathlib import Path
>>> import tcphoton as tp
>>> with tempfile.TemporaryDirectory() as folder:
...     file = Path(folder) / "two.txt"
...     _ = file.write_text("NODES (\n Oslo ( 10.7 59.9 )\n Rome ( 12.5 41.9 )\n)\n"
...                         "LINKS (\n A ( Oslo Rome ) 0\n)\n")
...     topology = tp.topologies.read(file, hosts=2)
>>> [node["name"] for node in topology["nodes"]]
['Oslo', 'Rome', 'edge-Oslo', 'host-Oslo', 'edge-Rome', 'host-Rome']
>>> topology["links"][0]["delay"]
'10.026527 ms'
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from tcphoton import _core
from tcphoton.common import arguments, quantities, toml
from tcphoton.common.terminal import visible
from tcphoton.errors import Mistake, ScenarioError
from tcphoton.scenario.topology_files import graph_of
from tcphoton.scenario.topology_htsim import is_topo, topology_of
from tcphoton.scenario.topology_value import value_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from tcphoton.scenario.scenario import Scenario

__all__ = ["Imported", "Options", "at_load", "load", "read"]

NOTHING = {"0 ps": "0 s"}
"""How no delay is shown."""


@dataclass(frozen=True)
class Options:
    """Properties of a network that files do not have.

    Attributes
    ----------
    edges
        The places that have an edge router, or hosts in an electronic network; default: all of
        them.
    electronic
        Whether places are routers; otherwise they are core routers of an optical burst-switched
        network.
    rate, channels, add_channels
        Of a link between places: bits per second (of a data channel) and data channels; data
        channels between an edge router and its core router, default: `channels`.
    hosts, access_rate, access_delay
        Hosts per place, default: 1 in an electronic network, else none; and their links.
    delay_per_km, delay
        The delay per km; or a delay of every link, regardless of its length.
    missing_length
        The delay of links without a length and without coordinates: a time, ``"median"`` or
        ``"neighbours"``.
    parallel
        What several links between two places are: ``"first"``, ``"sum"`` or ``"bundle"``.
    largest_part
        Whether only the largest part of the graph is read.
    """

    edges: Sequence[str] | None = None
    electronic: bool = False
    rate: str = "10 Gb/s"
    channels: int = 8
    add_channels: int | None = None
    hosts: int | None = None
    access_rate: str = "1 Gb/s"
    access_delay: str = "1 ms"
    delay_per_km: str = "5 us"
    delay: str | None = None
    missing_length: str | None = None
    parallel: str | None = None
    largest_part: bool = False

    def topology(self, file: str) -> dict[str, Any]:
        """Return them as the section ``topology`` of a scenario that names a file."""
        link: dict[str, Any] = {"rate": self.rate}
        link |= {"delay": self.delay} if self.delay else {"delay-per-km": self.delay_per_km}
        hosts = int(self.electronic) if self.hosts is None else self.hosts
        found: dict[str, Any] = {"kind": "file", "file": file, "link": link, "hosts": hosts}
        more = {"missing-length": self.missing_length, "parallel": self.parallel}
        found |= {key: value for key, value in more.items() if value is not None}
        found |= {"largest-part": True} if self.largest_part else {}
        if not self.electronic:
            link["channels"] = self.channels
            if self.add_channels is not None:
                found["add-channels"] = self.add_channels
        if self.edges is not None:
            found["edges"] = list(self.edges)
        if hosts:
            found["access"] = {"rate": self.access_rate, "delay": self.access_delay}
        return found


@dataclass(frozen=True)
class Imported:
    """A topology that was read, with notes for its user."""

    topology: dict[str, Any]
    notes: list[str]

    def to_toml(self) -> str:
        """Return the section of a scenario, one line per node and link."""
        lines = [f"# {visible(' '.join(note.split()))}\n" for note in self.notes]
        lines.append("[topology]\n")
        for key, value in self.topology.items():
            shown = toml.inline(value)
            if isinstance(value, list):
                shown = "[\n" + "".join(f"  {toml.inline(item)},\n" for item in value) + "]"
            lines.append(f"{key} = {shown}\n")
        return "".join(lines)


def read(path: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
    """Return the topology in a file for the key ``topology`` of a scenario.

    Parameters
    ----------
    path
        A file in GraphML, GML, SNDlib's native or XML format, or of REPETITA; or a topology of
        htsim (``.topo``), which becomes leaves and spines, a fat tree, or explicit.
    options
        The properties that the file does not have: see `Options`; of htsim none.

    Raises
    ------
    ScenarioError
        The file cannot be read or lacks something, or an option is wrong.
    """
    return load(path, Options(**options)).topology


def load(path: str | os.PathLike[str], options: Options) -> Imported:
    """Return the topology in a file, with notes on its conversion.

    Raises
    ------
    ScenarioError
        As for `read`.
    """
    name, text = _core.read(arguments.path("path", path))
    if is_topo(text):
        return _of_htsim(name, text, options)
    graph = graph_of(name, text)
    section = options.topology(graph.file)
    file = ("scenario", graph.file, graph.file, value_of(graph), None, "graph")
    try:
        found = json.loads(_core.explicit(toml.dumps({"topology": section}), [file]))
    except ScenarioError as error:
        raise ScenarioError(_of_options(each) for each in error.mistakes) from None
    links = [
        {key: NOTHING.get(value, value) for key, value in link.items() if value}
        for link in found["links"]
    ]
    topology = {"kind": "explicit", "nodes": found["nodes"], "links": links}
    what, *notes = found["notes"]
    return Imported(topology, [f"{what} from {graph.file}", *notes])


def _of_htsim(file: str, text: str, options: Options) -> Imported:
    topology, notes = topology_of(file, text)
    default = replace(Options(), electronic=options.electronic)
    if options != default:
        given = [each.name.replace("_", "-") for each in fields(Options)
                 if getattr(options, each.name) != getattr(default, each.name)]  # fmt: skip
        problem = "an option that does not apply to a topology of htsim, which has its own links"
        raise ScenarioError([Mistake.at(file, problem, found=", ".join(given), accepted="none")])
    return Imported(topology, [f"a {topology['kind']} network from {file}", *notes])


def _of_options(mistake: Mistake) -> Mistake:
    """Return a mistake with the name of an option in place of a scenario's key."""
    key = re.sub(r"^topology\.(link\.)?|\.\d+$", "", mistake.key).replace(".", "-")
    return Mistake.at(
        mistake.file,
        mistake.problem,
        line=mistake.line if mistake.file else None,
        key="" if mistake.file else key,
        found=mistake.found,
        accepted=mistake.accepted,
    )


def at_load(
    scenario: Scenario, load: float, *, lightpaths: int | None = None, k: int | None = None
) -> Scenario:
    """Return a ``lightpath-bundle`` whose sources load the lightpaths of each direction by a share.

    Each of the N² sources of a side, N = ``k`` times ``lightpaths``, gets ``load`` times the rate
    of all lightpaths, divided by N² (Izquierdo-Zaragoza and Pavón-Mariño 2013, section III; there
    ``load`` is ρ, ``lightpaths`` b_D, ``k`` K, and the topology's key ``tcp-rate`` U).

    Parameters
    ----------
    scenario
        A scenario with traffic from ``left-source-*``, ``right-source-*`` or both.
    load
        Without unit, more than 0; the load of TCP is added to it.
    lightpaths, k
        Values other than those of the scenario.

    Raises
    ------
    ValueError
        The scenario has another topology, or no traffic from such sources.

    Examples
    --------
    >>> import tcphoton as tp
    >>> busy = tp.topologies.at_load(tp.example("lightpath-bundle"), 0.8, lightpaths=4)
    >>> busy.show()["bundles"][0]["load"]
    0.8
    """
    given = scenario.to_dict()
    topology = given["topology"]
    if topology["kind"] != "lightpath-bundle":
        raise ValueError(f"the load needs a lightpath-bundle, not a {topology['kind']}")
    lightpaths = topology["lightpaths"] if lightpaths is None else lightpaths
    k = topology["k"] if k is None else k
    rate = load * lightpaths * quantities.number(topology["link"]["rate"]) / (k * lightpaths) ** 2
    settings = {
        f"traffic.{at}.source.rate": f"{round(rate)} b/s"
        for at, traffic in enumerate(given["traffic"])
        if traffic["from"] in ("left-source-*", "right-source-*")
    }
    if not settings:
        raise ValueError("no traffic from left-source-* or right-source-*")
    return scenario.with_({"topology.lightpaths": lightpaths, "topology.k": k, **settings})

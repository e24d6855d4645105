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

import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tcphoton.common import arguments, quantities, toml
from tcphoton.common.terminal import visible
from tcphoton.errors import Mistake, ScenarioError, hint
from tcphoton.scenario.topology_files import read_graph
from tcphoton.scenario.topology_graph import Edge, Graph, fail, quoted

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from tcphoton.scenario.scenario import Scenario

__all__ = ["Imported", "Options", "at_load", "great_circle", "load", "read"]

EARTH_KM = 6371.0088
"""The mean radius of the Earth (IUGG 1980)."""

LONGEST_NAME = 48
"""A name has at most 64 characters, minus those added before and after that of a place."""

LONGEST_LABEL = 1000
"""Maximum characters of a label used for a name: sorting combining marks takes quadratic time."""

MOST_NAMED = 20
"""Maximum number of places in a message."""

UNITS = ((10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"), (1, "ps"))
NS = 1000
LOOP = "left out: from a place to itself"
PARALLEL = "left out: parallel to another link; the shortest is kept"


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
        Hosts per place, and their links.
    delay_per_km, delay
        The delay per km; or a delay of every link, regardless of its length.
    """

    edges: Sequence[str] | None = None
    electronic: bool = False
    rate: str = "10 Gb/s"
    channels: int = 8
    add_channels: int | None = None
    hosts: int = 0
    access_rate: str = "1 Gb/s"
    access_delay: str = "1 ms"
    delay_per_km: str = "5 us"
    delay: str | None = None

    def check(self) -> None:
        """Raise an error of an option that no network can have."""
        times = {"access-delay": self.access_delay, "delay-per-km": self.delay_per_km}
        if self.delay is not None:
            times["delay"] = self.delay
        for key, value in times.items():
            _quantity(key, value, "s", 'a time such as "2 ms"')
        for key, value in {"rate": self.rate, "access-rate": self.access_rate}.items():
            _quantity(key, value, "b/s", 'a rate such as "10 Gb/s"')
        least = 1 if self.electronic else 0
        numbers = {"channels": (self.channels, 1), "hosts": (self.hosts, least)}
        if self.add_channels is not None:
            numbers["add-channels"] = (self.add_channels, 1)
        for key, (number, smallest) in numbers.items():
            if number < smallest:
                _refuse(key, "too small", str(number), f"at least {smallest}")


@dataclass(frozen=True)
class Imported:
    """A topology that was read, with notes for its user."""

    topology: dict[str, Any]
    notes: list[str]

    def to_toml(self) -> str:
        """Return the section of a scenario, one line per node and link."""
        lines = [f"# {visible(' '.join(note.split()))}\n" for note in self.notes]
        lines += ["[topology]\n", 'kind = "explicit"\n']
        for key in ("nodes", "links"):
            items = "".join(f"  {toml.inline(item)},\n" for item in self.topology[key])
            lines.append(f"{key} = [\n{items}]\n")
        return "".join(lines)


def read(path: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
    """Return the topology in a file for the key ``topology`` of a scenario.

    Parameters
    ----------
    path
        A file in GraphML, GML, or SNDlib's native or XML format.
    options
        The properties that the file does not have: see `Options`.

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
    options.check()
    graph = read_graph(arguments.path("path", path))
    names = _names(graph)
    edges = _edges(graph, names, options)
    links, notes = _links(graph, names, options)
    kind = "router" if options.electronic else "core"
    nodes: list[dict[str, Any]] = [{"name": name, "kind": kind} for name in names.values()]
    used = _Names(names.values())
    for name in edges:
        _attach(name, options, used, nodes, links)
    what = f"{len(graph.places)} places and {len(graph.edges)} links from {graph.file}"
    topology = {"kind": "explicit", "nodes": nodes, "links": links}
    return Imported(topology, [what, *notes])


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


def great_circle(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the km between two places with longitude and latitude in degrees.

    The haversine formula on a sphere (R. W. Sinnott 1984).

    Examples
    --------
    >>> round(great_circle((0.0, 0.0), (90.0, 0.0)), 1)
    10007.6
    """
    (long_a, lat_a), (long_b, lat_b) = ([math.radians(x) for x in place] for place in (a, b))
    square = (
        math.sin((lat_b - lat_a) / 2) ** 2
        + math.cos(lat_a) * math.cos(lat_b) * math.sin((long_b - long_a) / 2) ** 2
    )
    return 2 * EARTH_KM * math.asin(math.sqrt(min(1.0, square)))


class _Names:
    """Unique names; the numbers appended to them increase, so no number is tried twice."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used)
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


def _edges(graph: Graph, names: dict[str, str], options: Options) -> list[str]:
    """Return the names of the places with an edge router, or with hosts."""
    if options.edges is None:
        return list(names.values())
    known = {graph.places[at].name: name for at, name in reversed(names.items())}
    known |= {name: name for name in names.values()}
    chosen: dict[str, None] = {}
    for asked in options.edges:
        if asked not in known:
            problem = f"no node has this name{hint(asked, known)}"
            _refuse("edges", problem, asked, _few(list(known)))
        if known[asked] in chosen:
            _refuse("edges", "named twice", asked, "each place once")
        chosen[known[asked]] = None
    least = 1 if options.electronic else 2
    if len(chosen) < least:
        _refuse("edges", "too few", str(len(chosen)), f"at least {least}")
    return list(chosen)


def _few(names: Sequence[str]) -> str:
    """Return names as one text, of many only the first."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _links(
    graph: Graph, names: dict[str, str], options: Options
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the links between places, and notes on the links of the file."""
    ways: dict[tuple[str, str], int] = {}
    made: dict[str, int] = {}
    for edge in graph.edges:
        start, end = (names[at] for at in edge.ends)
        delay, how = (0, LOOP) if start == end else _delay(graph, edge, options)
        both = [(start, end)] if edge.one_way else [(start, end), (end, start)]
        if start == end:
            both = []
        if both and all(way in ways for way in both):
            how = PARALLEL
        made[how] = made.get(how, 0) + 1
        for way in both:
            ways[way] = min(delay, ways.get(way, delay))
    notes = [f"{count} link{'s' if count > 1 else ''}: {how}" for how, count in made.items()]
    return _of_ways(ways, options), notes


def _of_ways(ways: Mapping[tuple[str, str], int], options: Options) -> list[dict[str, Any]]:
    """Return links for delays in ps: one two-way link if both directions are equal."""
    links: list[dict[str, Any]] = []
    done: set[tuple[str, str]] = set()
    for (start, end), delay in ways.items():
        if (start, end) in done:
            continue
        link: dict[str, Any] = {"from": start, "to": end, "rate": options.rate}
        link["delay"] = _time(delay)
        if ways.get((end, start)) == delay:
            done.add((end, start))
        else:
            link["one-way"] = True
        if not options.electronic:
            link["channels"] = options.channels
        links.append(link)
    return links


def _delay(graph: Graph, edge: Edge, options: Options) -> tuple[int, str]:
    """Return the delay of a link in ps and its source."""
    if options.delay is not None:
        return _ps(options.delay), f"a delay of {options.delay}, as given"
    per_km = options.delay_per_km
    if edge.km is not None:
        return round(Fraction(str(edge.km)) * _ps(per_km)), f"a length in km, {per_km} per km"
    places = [graph.places[end] for end in edge.ends]
    a, b = (place.coordinates for place in places)
    if a is None or b is None:
        lacking = next(place.name for place in places if place.coordinates is None)
        fail(
            graph.file,
            f"the link from {quoted(places[0].name)} to {quoted(places[1].name)} has no length",
            line=edge.line,
            found=f"no length, and no longitude and latitude of {quoted(lacking)}",
            accepted="length, distance or dist in km, coordinates in degrees, or --delay for all",
        )
    exact = round(great_circle(a, b) * _ps(per_km))
    return round(exact / NS) * NS, f"the great circle between coordinates, {per_km} per km"


def _attach(
    name: str,
    options: Options,
    used: _Names,
    nodes: list[dict[str, Any]],
    links: list[dict[str, Any]],
) -> None:
    """Add an edge router and hosts to a place."""
    router = name
    if not options.electronic:
        router = used.unused(f"edge-{name}")
        nodes.append({"name": router, "kind": "edge"})
        channels = options.add_channels or options.channels
        fibre = {"from": router, "to": name, "rate": options.rate, "delay": "0 s"}
        links.append(fibre | {"channels": channels})
    if options.hosts:
        host = used.unused(f"host-{name}")
        nodes.append({"name": host, "kind": "host", "count": options.hosts})
        rate, delay = options.access_rate, options.access_delay
        links.append({"from": host, "to": router, "rate": rate, "delay": delay})


def _quantity(key: str, value: str, unit: str, accepted: str) -> None:
    try:
        right = quantities.number(value) >= 0 and quantities.base_unit(value) == unit
    except (ValueError, OverflowError):
        right = False
    if not right:
        _refuse(key, "not accepted", value, accepted)


def _refuse(key: str, problem: str, found: str, accepted: str) -> None:
    """Raise an error of an option."""
    raise ScenarioError([Mistake.at("", problem, key=key, found=found, accepted=accepted)])


def _ps(text: str) -> int:
    return round(Fraction(str(quantities.number(text))) * 10**12)


def _time(ps: int) -> str:
    """Return a time in the largest unit in which it is at least one, with all digits."""
    size, unit = next((pair for pair in UNITS if ps >= pair[0]), UNITS[0])
    return f"{(Decimal(ps) / size).normalize():f} {unit}"

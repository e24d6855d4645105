"""Made-up scenarios: values of the schema, with names that belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzz.language import language, quantity_text

if TYPE_CHECKING:
    from fuzz.draw import Draw

__all__ = ["ends", "links_of", "scenario"]

Table = dict[str, Any]
FAMILIES = (
    (4.0, "plain"),
    (3.0, "burst"),
    (3.0, "packet"),
    (1.5, "hybrid"),
    (1.5, "cioq"),
    (1.5, "output-queued"),
    (1.0, "ideal"),
    (1.5, "circuit"),
    (1.0, "lightpath"),
)
"""What the nodes of an explicit network are, with a weight."""
SHAPES = (
    (5.0, "explicit"),
    (1.5, "dumbbell"),
    (1.0, "line"),
    (1.0, "star"),
    (1.0, "fat-tree"),
    (1.0, "nsfnet"),
    (1.0, "lightpath-bundle"),
    (1.0, "leaf-spine"),
    (1.0, "file"),
)
OPTICAL = ("channels", "control-channels", "control-rate")
SOURCES = {
    "tcp": (
        "bulk", "bulk", "poisson-writes", "transfers", "transfers", "shuffle", "incast", "cbr",
        "flows", "collective",
    ),
    "udp": ("cbr", "poisson-packets", "on-off", "mmpp"),
    "stop-and-wait": ("bulk", "transfers", "shuffle", "incast", "flows", "collective"),
    "message": (
        "bulk", "poisson-writes", "transfers", "shuffle", "incast", "cbr", "flows", "collective",
    ),
}  # fmt: skip


HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07", "\uffff", "\ufffe\x7f", "\u202e\u2028", "\x85", "a" * 3000,
    "<b>&\"'", "../../x", "{{7*7}}", "\U0001f600", "%s%n",
)  # fmt: skip
"""Texts that a terminal, XML, a file system or a template may obey."""


def scenario(draw: Draw) -> Table:
    """Return a scenario of which `check` may or may not think well."""
    speak = language()
    shape = draw.weighted(SHAPES)
    family = draw.weighted(FAMILIES)
    if shape == "explicit":
        topology = _explicit(draw, family)
    else:
        topology = speak.kind("Topology", shape, draw, 0.3)
        _shrink(topology, draw)
    tree: Table = {}
    if draw.chance(0.15):
        tree["title"] = draw.pick(("made up", *HOSTILE))
    if draw.chance(0.3):
        tree["profile"] = speak.value(speak.named("Profile"), draw)
    tree |= {"run": speak.table(speak.named("RunSpec"), draw, 0.3, ("max-events",))}
    tree["topology"] = topology
    if draw.chance(0.25):
        tree["routing"] = speak.table(speak.named("RoutingSpec"), draw, 0.5)
    tree |= _switches(draw, topology, family)
    tree["traffic"] = [_traffic(draw, topology) for _ in range(draw.between(1, 4))]
    if draw.chance(0.2):
        tree["changes"] = [_change(draw, topology) for _ in range(draw.between(1, 4))]
    if draw.chance(0.08):
        tree["splitting"] = speak.table(speak.named("SplittingSpec"), draw, 0.4)
        tree["splitting"]["link"] = draw.pick(links_of(topology, draw))
    if draw.chance(0.4):
        tree["record"] = speak.table(speak.named("RecordSpec"), draw, 0.4, ("fecs",))
        if "assembly" in tree and shape == "explicit" and draw.chance(0.5):
            tree["record"] |= {"throughput-span": "1 ms", "fecs": ["n0 -> n1"]}
    return tree


def _switches(draw: Draw, topology: Table, family: str) -> Table:
    """Return the tables of the switches, those that belong to the network as a rule."""
    shape = topology["kind"]
    optical = "channels" in topology.get("link", {})
    speak = language()
    if shape == "nsfnet" or (shape == "file" and optical):
        family = draw.pick(["burst", "packet"])
    elif shape == "lightpath-bundle":
        family = draw.pick(["plain", "cioq", "output-queued", "ideal"])
    elif shape == "leaf-spine" and draw.chance(0.5):
        family = "circuit"
    elif (shape != "explicit" and family in {"burst", "packet"}) or (
        family == "circuit" and draw.chance(0.9)
    ):
        family = "plain"
    tables: Table = {}
    if family in {"burst", "packet"}:
        tables["assembly"] = speak.table(speak.named("AssemblySpec"), draw, 0.4)
    if family != "plain":
        tables["core"] = speak.kind("CoreSpec", family, draw, 0.4)
    if family == "circuit" and draw.chance(0.9):
        tables["core"] |= {"slot": "90 us", "reconfiguration": "9 us"}
        for key in ("schedule", "matchings", "guard"):
            tables["core"].pop(key, None)
        if "channels" in tables["core"]:
            tables["core"]["channels"] = draw.between(1, 4)
        if shape == "leaf-spine" and draw.chance(0.5):
            topology["packet-spines"] = {"count": draw.between(1, 2)} | (
                {"link": {"rate": "10 Mb/s", "delay": "1 us"}} if draw.chance(0.5) else {}
            )
            tables["core"]["without-circuit"] = "packet-switches"
    if family == "burst" and draw.chance(0.5):
        tables["control"] = speak.table(speak.named("ControlSpec"), draw, 0.5)
    if draw.chance(0.05) or (family == "hybrid" and draw.chance(0.5)):
        tables["energy"] = speak.table(speak.named("EnergySpec"), draw, 0.5)
    return tables


def _shrink(topology: Table, draw: Draw) -> None:
    """Make the counts of a network of a named shape small."""
    small = {"pairs": 4, "routers": 4, "hosts": 6, "lightpaths": 4, "leaves": 4, "spines": 3}
    for key, most in small.items():
        if isinstance(topology.get(key), int) and draw.chance(0.97):
            topology[key] = draw.between(1, most)
    if topology["kind"] == "fat-tree":
        topology["k"] = draw.weighted([(5, 2), (5, 4), (1, 6)])
    if topology["kind"] == "lightpath-bundle":
        topology["k"] = draw.between(1, 3)
    if topology["kind"] == "nsfnet" and draw.chance(0.7):
        topology["hosts"] = draw.between(1, 2)
    if topology["kind"] == "file":
        _graph(topology, draw)
    for key in ("access", "link", "bottleneck"):
        if isinstance(topology.get(key), dict) and topology["kind"] not in ("nsfnet", "file"):
            _delayed(topology[key], draw)


def _graph(topology: Table, draw: Draw) -> None:
    """Make the graph of a network a tree of places with some links more, and its keys agree."""
    topology.pop("file", None)
    speak = language()
    names = [f"p{at}" for at in range(draw.between(2, 5))]
    parts = [speak.kind("GraphPart", "place", draw, 0.5) | {"name": name} for name in names]
    pairs = [(names[draw.below(at)], name) for at, name in enumerate(names[1:], 1)]
    more = (draw.several(names, 2, 2) for _ in range(draw.below(3)))
    pairs += [(start, end) for start, end in more]
    for start, end in pairs:
        link = speak.kind("GraphPart", "link", draw, 0.5) | {"from": start, "to": end}
        parts.append(link if draw.chance(0.1) else {"length": "30 km"} | link)
    if draw.chance(0.1):
        parts.append(speak.kind("GraphPart", "unused", draw))
    topology["graph"] = parts
    topology.pop("capacity-unit" if draw.chance(0.8) else "edges", None)
    if "edges" in topology:
        topology["edges"] = draw.several(names, 2, len(names))
    link, optical = topology["link"], draw.chance(0.5)
    link.pop("delay" if draw.chance(0.7) else "delay-per-km", None)
    link.setdefault("rate", "100 Mb/s")
    for key in ("queue", "loss", "lightpaths") if optical else OPTICAL:
        link.pop(key, None)
    if optical:
        link["channels"] = draw.between(1, 4)
    else:
        topology.pop("add-channels", None)
    if "access" not in topology or draw.chance(0.9):
        topology["access"] = {"rate": "1 Gb/s", "delay": "10 us"}
    topology["hosts"] = draw.between(1, 2)
    _delayed(topology["access"], draw)


def _delayed(link: Table, draw: Draw) -> None:
    """Give a link a delay, or a length instead of it."""
    has_length = "length" in link and draw.chance(0.95)
    link.pop("delay" if has_length else "length", None)
    if has_length:
        return
    link.pop("delay-per-km", None)
    if "delay" not in link:
        link["delay"] = quantity_text("time", draw.logarithmic(1e-6, 0.02), "s")


def _explicit(draw: Draw, family: str) -> Table:
    """Return nodes and links: a tree of inner nodes with some links more, and hosts behind them."""
    optical = family in {"burst", "packet", "lightpath"}
    inner = [
        {"name": f"n{at}", "kind": _inner_kind(draw, at, family) if optical else "router"}
        for at in range(draw.between(2 if optical else 1, 5))
    ]
    hosts: list[Table] = [{"name": f"h{at}", "kind": "host"} for at in range(draw.between(2, 5))]
    for host in hosts:
        if draw.chance(0.15):
            host["count"] = draw.between(1, 4)
    rate = quantity_text("rate", draw.logarithmic(1e6, 1e10), "b/s")
    links = [
        _link(draw, inner[draw.below(at)], node, family, rate)
        for at, node in enumerate(inner[1:], 1)
    ]
    more = draw.below(3) if len(inner) > 1 else 0
    for one, other in (draw.several(inner, 2, 2) for _ in range(more)):
        links += [_link(draw, one, other, family, rate)]
    behind = [node for node in inner if node["kind"] != "core"] or inner
    links += [_link(draw, host, draw.pick(behind), family, rate) for host in hosts]
    return {"kind": "explicit", "nodes": inner + hosts, "links": links}


def _inner_kind(draw: Draw, at: int, family: str) -> str:
    """Return the kind of an inner node of an optical network: the first two are edges, or racks."""
    if family == "lightpath":
        return "rack" if at < 2 else draw.pick(["core", "rack"])
    return "edge" if at < 2 else draw.weighted([(5, "core"), (3, "edge"), (1, "router")])


def _link(draw: Draw, one: Table, other: Table, family: str, rate: str) -> Table:
    """Return a link between two nodes, optical where both are as a rule."""
    speak = language()
    spec = speak.named("ExplicitLink")
    ends = {one["kind"], other["kind"]}
    is_optical = (ends <= {"edge", "core"} or ends <= {"rack", "core"}) and draw.chance(0.95)
    without = ("queue", "loss", "lightpaths") if is_optical and draw.chance(0.95) else OPTICAL
    link = speak.table(spec, draw, 0.2, without)
    link |= {"from": one["name"], "to": other["name"]}
    if draw.chance(0.97):
        link.pop("one-way", None)
    if is_optical:
        link |= {"channels": draw.between(1, 4), "rate": rate}
    elif family == "hybrid" and draw.chance(0.97):
        link["rate"] = rate
    _delayed(link, draw)
    return link


def _hosts(topology: Table) -> list[str]:
    """Return names of hosts of a network, and patterns for them."""
    match topology["kind"]:
        case "explicit":
            hosts = [node for node in topology["nodes"] if node["kind"] == "host"]
            return [
                f"{node['name']}-{'*' if node['count'] > 1 else 0}"
                if "count" in node
                else node["name"]
                for node in hosts
            ]
        case "dumbbell":
            return ["left-*", "right-*", "left-0", "right-0"]
        case "line":
            return ["a", "b"]
        case "star":
            return ["h*", "h0", "h1"]
        case "nsfnet":
            return ["host-*", "host-WA-0", "host-NY-0", "edge-WA", "edge-CA1", "edge-UT"]
        case "file":
            return [f"host-{name}-0" for name in topology.get("edges", ["p0", "p1"])]
        case "lightpath-bundle":
            return ["tcp-*", "source-*", "sink-*"]
    return ["*"]


def ends(topology: Table, draw: Draw) -> list[str]:
    """Return names and patterns that may send and receive."""
    names = _hosts(topology)
    if topology["kind"] == "explicit" and draw.chance(0.2):
        names = names + [node["name"] for node in topology["nodes"] if node["kind"] == "edge"]
    return names if len(names) > 1 else names * 2


def _traffic(draw: Draw, topology: Table) -> Table:
    """Return an entry of traffic."""
    speak = language()
    names = ends(topology, draw)
    one, other = draw.several(names, 2, 2)
    entry: Table = {"from": one, "to": other}
    if draw.chance(0.2):
        entry["from"] = draw.several(names, 1, 3)
    if draw.chance(0.2):
        entry["to"] = draw.several(names, 1, 3)
    if draw.chance(0.25):
        entry |= {"from": "*", "to": "*", "pattern": draw.pick(["all", "permutation"])}
    transport = draw.weighted([(5, "tcp"), (3, "udp"), (2, "stop-and-wait"), (2, "message")])
    source = draw.pick(SOURCES[transport])
    if source == "transfers" and draw.chance(0.7):
        entry |= {"from": "*", "to": "*", "pattern": draw.pick(["random", "uniform"])}
    if draw.chance(0.2):
        entry["count"] = draw.weighted([(20, draw.between(1, 5)), (1, 3000)])
    if draw.chance(0.2):
        entry["start"] = speak.value(speak.named("Start"), draw)
    # Of a message transport all options, one in three times.
    rich = 0.8 if transport == "message" and draw.chance(0.3) else 0.12
    entry["transport"] = speak.kind("Transport", transport, draw, rich)
    entry["source"] = speak.kind("Source", source, draw, 0.3)
    if draw.chance(0.15):
        entry["reordering"] = True
    if draw.chance(0.1):
        places = _places(topology)
        entry |= {"from": "*", "to": "*", "matrix": {"demands": _demands(draw, places)}}
        entry.pop("pattern", None)
    if source == "flows":
        _list_flows(entry, topology, draw)
    if source == "collective" and draw.chance(0.8):
        entry |= {"from": "*", "to": "*"}
        entry["source"]["repeat"] = draw.between(1, 3)
        for key in ("pattern", "count", "matrix"):
            entry.pop(key, None)
    if source == "on-off":
        entry["source"]["components"] = draw.between(1, 30)
    return entry


def _list_flows(entry: Table, topology: Table, draw: Draw) -> None:
    """Let the flows of an entry be between hosts that exist, mostly, in any order."""
    names = [name for name in ends(topology, draw) if "*" not in name]
    kind = topology["kind"]
    if kind in {"star", "fat-tree"}:
        names = ["h0", "h1"]
    elif kind == "lightpath-bundle":
        names = ["left-tcp-source", "right-tcp-sink"]
    elif len(set(names)) < 2:
        names = ["h0-0", "h1-0"]
    speak = language()
    flows: list[Table] = []
    for _ in range(draw.between(1, 8)):
        one, other = draw.several(sorted(set(names)), 2, 2)
        flow = speak.table(speak.named("ListedFlow"), draw) | {"from": one, "to": other}
        flows.append(
            flow if not flows or draw.chance(0.8) else flow | {"start": flows[-1]["start"]}
        )
    entry["source"] = {"kind": "flows", "flows": flows}
    if draw.chance(0.95):
        entry |= {"from": "*", "to": "*"}
        for key in ("pattern", "count", "matrix"):
            entry.pop(key, None)


def _places(topology: Table) -> list[str]:
    """Return names of routers of a network, or of what may be some."""
    if topology["kind"] == "explicit":
        return [node["name"] for node in topology["nodes"]]
    named = {"file": ["p0", "p1"], "nsfnet": ["WA", "NY", "TX"], "dumbbell": ["left", "right"]}
    return named.get(topology["kind"], ["r0", "r1"])


def _demands(draw: Draw, places: list[str]) -> list[Table]:
    pairs = [
        (one, other) for one in places for other in places if one != other or draw.chance(0.05)
    ]
    chosen = draw.several(pairs, 1, 6) if pairs else []
    return [
        {"from": one, "to": other, "demand": round(draw.logarithmic(0.01, 10), 3)}
        for one, other in chosen
    ]


def _change(draw: Draw, topology: Table) -> Table:
    """Return an entry of changes."""
    speak = language()
    change = speak.table(speak.named("ChangeSpec"), draw)
    change["link"] = draw.pick(links_of(topology, draw))
    return change


def links_of(topology: Table, draw: Draw) -> list[str]:
    """Return names of links of a network, as changes have them."""
    if topology["kind"] == "explicit":
        joint = draw.pick([" - ", " -> "])
        return [f"{link['from']}{joint}{link['to']}" for link in topology["links"]]
    if topology["kind"] == "leaf-spine":
        return ["leaf-0 -> spine-0", "leaf-0 - spine-0", "h0-0 -> leaf-0"]
    return {
        "dumbbell": ["left - right", "left -> right", "left-0 - left"],
        "line": ["r0 - r1", "a - r0", "r0 -> r1"],
        "star": ["h0 - hub"],
        "file": ["p0 - p1", "p0 -> p1", "p1 -> p0"],
        "nsfnet": ["WA - CA1", "WA -> CA2", "edge-WA - WA"],
        "lightpath-bundle": ["left - right:0", "left -> right"],
    }.get(topology["kind"], ["edge-0-0 - host-0-0-0"])

"""Topologies of htsim (``.topo``): leaves and spines, or fat trees of three tiers.

A file has the number of hosts, and for each tier of switches its ports down and up, and the rate
and the delay of its links down. That leaves one way to join them: the switches of a pod are joined
to all of the tier above in the pod, in bundles; those of the second tier that have one place in
their pods are joined to the same switches of the third.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.scenario.topology_graph import fail

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGIN = re.compile(r"(?:\s*+#.*\n)*+\s*+(?:nodes|tiers|podsize)[ \t]", re.IGNORECASE)
TIERS = re.compile(r"^[ \t]*+tiers[ \t]++\d", re.IGNORECASE | re.MULTILINE)
LINE = re.compile(r"([A-Za-z_]+)[ \t]+(\d{1,9})")
HEADS = ("nodes", "tiers", "podsize")
REQUIRED = ("radix_down", "downlink_speed_gbps", "downlink_latency_ns")
QUEUES = ("queue_down", "queue_up")
OTHERS = ("radix_up", "bundle", "oversubscribed", "switch_latency_ns", *QUEUES)
ACCEPTED = f"a number after one of {', '.join((*HEADS, 'tier', *REQUIRED, *OTHERS))}, each once"

Numbers = dict[str, int]
Link = dict[str, Any]


class Tree(NamedTuple):
    """What a file says: how many hosts there are in all and in a pod, and the tiers."""

    hosts: int
    of_pod: int
    tiers: list[Numbers]

    def switches(self) -> list[int]:
        """Return the numbers of switches: of the lowest tiers in a pod, of the third in all."""
        low, middle, *high = self.tiers
        found = [self.of_pod // low["radix_down"], low["radix_up"] // middle["bundle"]]
        return [*found, *(found[1] * middle["radix_up"] // top["bundle"] for top in high)]

    def link(self, at: int) -> Link:
        """Return the links down from a tier, with the keys of a scenario."""
        tier = self.tiers[at]
        rate, delay = tier["downlink_speed_gbps"], tier["downlink_latency_ns"]
        more = {"lightpaths": tier["bundle"]} if tier["bundle"] > 1 else {}
        return {"rate": f"{rate} Gb/s", "delay": f"{delay} ns", **more}


def is_topo(text: str) -> bool:
    """Tell whether a text begins like such a topology, and has the number of tiers."""
    return bool(BEGIN.match(text.lstrip("\ufeff")) and TIERS.search(text))


def topology_of(file: str, text: str) -> tuple[dict[str, Any], list[str]]:
    """Return the topology of a scenario, and notes on what of the file is not used.

    It is of the kind ``leaf-spine`` or ``fat-tree`` where these have such links, else explicit.

    Raises
    ------
    ScenarioError
        A line is not of the format, or numbers contradict each other.
    """
    heads, tiers, lines = _read(file, text)
    _check(file, heads, tiers, lines)
    tree = Tree(heads["nodes"], heads["podsize"], tiers)
    notes = [
        f"not used: {name} {tier[name]} of tier {at}: queues are a key of links"
        for at, tier in enumerate(tiers)
        for name in QUEUES
        if name in tier
    ]
    low = tiers[0]
    k, switches = 2 * low["radix_down"], tree.switches()
    links = [tree.link(at) for at in range(len(tiers))]
    if len(tiers) == 2:  # noqa: PLR2004
        found = {"kind": "leaf-spine", "leaves": switches[0], "spines": switches[1]}
        found |= {"hosts": low["radix_down"], "link": links[1], "access": links[0]}
    elif (
        tree.hosts == k**3 // 4
        and switches == [k // 2, k // 2, (k // 2) ** 2]
        and all(link == links[0] for link in links)
    ):
        found = {"kind": "fat-tree", "k": k, "link": links[0]}
    else:
        found = {"kind": "explicit", **_explicit(tree, links)}
    return found, notes


def _read(file: str, text: str) -> tuple[Numbers, list[Numbers], list[Numbers]]:
    """Return the numbers above the tiers, those of each tier, and the lines of these."""
    heads: Numbers = {}
    tiers: dict[int, Numbers] = {}
    lines: dict[int, Numbers] = {}
    within, at = heads, Numbers()
    for line, whole in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if not whole.strip() or whole.strip().startswith("#"):
            continue
        found = LINE.fullmatch(whole.strip())
        name, number = (found[1].lower(), int(found[2])) if found else ("", 0)
        names = HEADS if within is heads else REQUIRED + OTHERS
        if name == "tier" and number not in tiers:
            within, at = tiers[number], lines[number] = {}, {name: line}
        elif name in names and name not in within:
            within[name], at[name] = number, line
        else:
            problem = "not a line of a topology of htsim"
            fail(file, problem, line=line, found=whole, accepted=ACCEPTED)
    for name in HEADS:
        if not heads.get(name):
            fail(file, f"no {name}", accepted=f"{name} and a number from 1, before the first tier")
    count = heads["tiers"]
    if count not in (2, 3) or set(tiers) != set(range(count)):
        found_tiers = f"tiers {count} and tier {', '.join(map(str, tiers)) or 'none'}"
        fail(file, "not the tiers of a fat tree", found=found_tiers, accepted="2 or 3, from tier 0")
    return heads, [tiers[at] for at in range(count)], [lines[at] for at in range(count)]


def _check(file: str, heads: Numbers, tiers: list[Numbers], lines: list[Numbers]) -> None:
    """Refuse numbers that leave no way to join the switches."""
    top = len(tiers) - 1
    for at, tier in enumerate(tiers):
        tier.setdefault("bundle", 1)
        for name in (*REQUIRED, "bundle", *(["radix_up"] if at < top else [])):
            if not tier.get(name):
                line = lines[at].get(name, lines[at]["tier"])
                fail(file, f"no {name} in tier {at}", line=line, accepted="a number from 1")
        if at == top and "radix_up" in tier:
            line = lines[at]["radix_up"]
            fail(file, "radix_up in the highest tier", line=line, accepted="radix_down alone")
        if tier.get("switch_latency_ns"):
            line, found = lines[at]["switch_latency_ns"], str(tier["switch_latency_ns"])
            problem = "a latency of switches, which routers do not have here"
            accepted = "0, and longer delays of links"
            fail(file, problem, line=line, found=found, accepted=accepted)
    pods = Fraction(heads["nodes"], heads["podsize"])
    leaves = Fraction(heads["podsize"], tiers[0]["radix_down"])
    if pods.denominator > 1 or leaves.denominator > 1 or (top == 1 and pods > 1):
        found = f"nodes {heads['nodes']}, podsize {heads['podsize']}"
        accepted = "whole pods of whole switches of tier 0, and one pod of two tiers"
        fail(file, "hosts that do not fill their pods", found=found, accepted=accepted)
    for at, name, wanted in _wanted(int(pods), int(leaves), tiers):
        if tiers[at].get(name, wanted) != wanted:
            problem = f"{name} of tier {at} contradicts what the other numbers leave"
            found = f"{name} {tiers[at][name]}"
            fail(file, problem, line=lines[at][name], found=found, accepted=str(wanted))


def _wanted(pods: int, leaves: int, tiers: list[Numbers]) -> Iterator[tuple[int, str, Fraction]]:
    """Give the numbers that follow from others: the tier, the name, and which it has to be."""
    yield 0, "bundle", Fraction(1)
    for at, (tier, above) in enumerate(pairwise(tiers)):
        up, bundle = tier["radix_up"], above["bundle"]
        yield at, "radix_up", Fraction(up - up % bundle)
        yield at + 1, "radix_down", Fraction([leaves, pods][at] * bundle)
        down = tier["radix_down"] * tier["downlink_speed_gbps"]
        yield at, "oversubscribed", Fraction(down, up * above["downlink_speed_gbps"])


def _explicit(tree: Tree, links: list[Link]) -> dict[str, Any]:
    """Return the nodes and the links, named as in a fat tree, with hosts as at leaves."""
    leaves, middle, cores = tree.switches()
    nodes: list[dict[str, Any]] = []
    joined: list[dict[str, Any]] = []

    def join(start: str, end: str, link: Link) -> None:
        joined.append({"from": start, "to": end, **link})

    for pod in range(tree.hosts // tree.of_pod):
        for leaf in range(leaves):
            host, edge = f"h{pod * leaves + leaf}", f"edge-{pod}-{leaf}"
            nodes.append({"name": host, "kind": "host", "count": tree.tiers[0]["radix_down"]})
            nodes.append({"name": edge, "kind": "router"})
            join(host, edge, links[0])
            for at in range(middle):
                join(edge, f"agg-{pod}-{at}", links[1])
        for at in range(middle):
            nodes.append({"name": f"agg-{pod}-{at}", "kind": "router"})
            for core in range(at, cores, middle):
                join(f"agg-{pod}-{at}", f"core-{core}", links[2])
    nodes += [{"name": f"core-{at}", "kind": "router"} for at in range(cores)]
    return {"nodes": nodes, "links": joined}

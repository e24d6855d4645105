"""The networks of Opera's simulator, and the transports of its flows, as scenarios have them.

What their sources say: `src/opera/datacenter`, `src/expander/datacenter` and `src/clos/datacenter`,
with the options of each `run.sh`. All links have 10 Gb/s; those between racks have 500 ns, those of
hosts no delay. A flow has a pacer of its own (`NdpPullPacer` in each `main`), so that flows to one
host do not take turns: a window that stays, without credits of the receiver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

RACKS, HOSTS, SWITCHES = 108, 6, 6
EXPANDER = "topologies/expander_N=130_u=7_ecmp.txt"
"""Numbers of hosts, of hosts and links of a rack, and of racks; then the matrix of neighbours."""
BULK = {"kind": "message", "packet": "1436 B", "window": "fixed", "base-rtt": "25 ms",
        "min-rto": "200 ms"}  # fmt: skip
"""Without control: a window that never fills."""
RATE = {"rate": "10 Gb/s"}
INTERFACE = {"kind": "drop-tail", "packets": 1000}


@dataclass(frozen=True)
class Network:
    """Parts of a scenario, hosts by their numbers, and the transport of short flows."""

    parts: dict[str, Any]
    hosts: list[str]
    short: dict[str, Any]


def short(packets: int, **more: str) -> dict[str, Any]:
    """Return NDP: so many packets at once, and one for each that has come or was trimmed."""
    path = f"{packets * 0.8:g} us"  # of 1500 B; a fixed window is 1.5 of it
    ndp = {"kind": "message", "packet": "1436 B", "window": "fixed", "base-rtt": path}
    return {**ndp, "min-rto": "1 ms", **more}


def trimming(packets: int) -> dict[str, Any]:
    """Return a queue that trims; headers that find no room go back to their senders there."""
    return {"kind": "trimming", "packets": packets, "headers": 100000}


def circuits(short_flows: dict[str, str]) -> Network:
    """Return Opera, and RotorNet if no flow is short."""
    topology = {
        "kind": "leaf-spine",
        "leaves": RACKS,
        "spines": SWITCHES,
        "hosts": HOSTS,
        "link": {**RATE, "delay": "250 ns"},
        "access": {**RATE, "delay": "0 s", "queue": trimming(8)},
    }
    core = {
        "kind": "circuit",
        "schedule": "opera",
        "slot": "600 us",
        "reconfiguration": "10 us",
        "forwarding": "rotor-lb",
        "rack-queue": "1 TB",
        "short-flows": short_flows,
    }
    hosts = [f"h{rack}-{host}" for rack in range(RACKS) for host in range(HOSTS)]
    return Network({"topology": topology, "core": core}, hosts, short(20))


def expander(folder: Path) -> Network:
    """Return the static expander: 130 racks of five hosts, each joined to seven others."""
    head, *rows = (folder / EXPANDER).read_text().splitlines()[:131]
    _, hosts, _, racks = map(int, head.split())
    joined = [[at for at, one in enumerate(row.split()) if one == "1"] for row in rows]
    pairs = [
        (f"rack-{one}", f"rack-{other}")
        for one in range(racks)
        for other in joined[one]
        if one < other
    ]
    return routers(racks, hosts, pairs, short(30, spraying="random"))


def clos() -> Network:
    """Return the 3:1 Clos: 12 pods of six racks of nine hosts, three switches in each, 18 above."""
    pods, tors, above, cores = 12, 6, 3, 18
    pairs = []
    for pod in range(pods):
        for place in range(above):
            switch = f"up-{pod * above + place}"
            pairs += [(f"rack-{pod * tors + tor}", switch) for tor in range(tors)]
            pairs += [(switch, f"core-{place * 6 + core}") for core in range(cores // above)]
    return routers(pods * tors, 9, pairs, short(30, spraying="round-robin"))


def routers(
    racks: int, hosts: int, pairs: list[tuple[str, str]], transport: dict[str, Any]
) -> Network:
    """Return electronic switches with queues of 46 packets, which are joined as pairs say."""
    queue = trimming(46)
    links: list[dict[str, Any]] = [
        {"from": one, "to": other, **RATE, "delay": "500 ns", "queue": queue}
        for one, other in pairs
    ]
    for rack in range(racks):
        access = {**RATE, "delay": "0 s", "one-way": True}
        links.append({"from": f"h{rack}", "to": f"rack-{rack}", **access, "queue": INTERFACE})
        links.append({"from": f"rack-{rack}", "to": f"h{rack}", **access, "queue": queue})
    named = sorted({name for pair in pairs for name in pair})
    nodes = [
        *({"name": f"h{rack}", "kind": "host", "count": hosts} for rack in range(racks)),
        *({"name": name, "kind": "router"} for name in named),
    ]
    parts = {"topology": {"kind": "explicit", "nodes": nodes, "links": links}}
    names = [f"h{rack}-{host}" for rack in range(racks) for host in range(hosts)]
    return Network(parts, names, transport)

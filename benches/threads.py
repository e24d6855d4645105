"""How much faster one run is on several threads: ``python benches/threads.py 1 2 4``.

Four networks that have far links between their parts: a line of fat trees, whose flows are few and
busy, a torus with 200,000 flows, which do not fit into caches, the same with files of a web search
that begin and end, and the NSF network with TCP in bursts. Rates are packet-hops per second of the
wall clock, without the set-up. The digests of all runs of a network are compared: exit code 1 if
they differ.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import tcphoton as tp

Json = dict[str, Any]

TREES = 16
"""Fat trees in the line."""
K = 4
"""Ports of their switches."""


def host_link(rate: str, delay: str, packets: int) -> Json:
    """Return a link with a drop-tail queue."""
    return {"rate": rate, "delay": delay, "queue": {"kind": "drop-tail", "packets": packets}}


def bulk(from_: str, to: str, count: int, **transport: object) -> Json:
    """Return an entry of endless TCP flows, one host to each."""
    return {
        "from": from_,
        "to": to,
        "pattern": "permutation",
        "count": count,
        "transport": {"kind": "tcp", **transport},
        "source": {"kind": "bulk"},
    }


def torus(milliseconds: int) -> tp.Scenario:
    """Return 64 routers with 25 hosts each, and 125 flows from each host."""
    flows = bulk("h*", "h*", 125, **{"max-window": "10 segments"})
    start = {"kind": "uniform", "from": "0 s", "to": f"{milliseconds // 5} ms"}
    return tp.Scenario.from_dict({
        "run": {"duration": f"{milliseconds} ms"},
        "topology": {
            "kind": "torus",
            "dimensions": [8, 8],
            "hosts": 25,
            "link": host_link("100 Gb/s", "4 ms", 5000),
            "access": host_link("1 Gb/s", "100 us", 1000),
        },
        "traffic": [flows | {"start": start}],
    })  # fmt: skip


def files(milliseconds: int) -> tp.Scenario:
    """Return the torus with files of a web search between any hosts, 20,000 a second."""
    scenario = torus(milliseconds).to_dict()
    source = {"kind": "transfers", "per-second": 20_000, "size": {"kind": "websearch"}}
    sent = {"pattern": "uniform", "transport": {"kind": "tcp", "preset": "cubic"}}
    scenario["traffic"] = [{"from": "h*", "to": "h*", **sent, "source": source}]
    return tp.Scenario.from_dict(scenario)


def line(milliseconds: int) -> tp.Scenario:
    """Return fat trees in a line, 2 ms apart; most flows stay within a tree."""
    nodes: list[Json] = []
    links: list[Json] = []
    near = host_link("1 Gb/s", "1 us", 100)
    half = K // 2
    for tree in range(TREES):
        cores = [f"t{tree}-c{core}" for core in range(half * half)]
        nodes += [{"name": name, "kind": "router"} for name in cores]
        for pod in range(K):
            upper = [f"t{tree}-a{pod}-{at}" for at in range(half)]
            lower = [f"t{tree}-e{pod}-{at}" for at in range(half)]
            nodes += [{"name": name, "kind": "router"} for name in upper + lower]
            links += [{"from": one, "to": other, **near} for one in lower for other in upper]
            for at, one in enumerate(upper):
                own = cores[at * half : (at + 1) * half]
                links += [{"from": one, "to": other, **near} for other in own]
            for at, one in enumerate(lower):
                hosts = [f"t{tree}-h{pod}-{at}-{host}" for host in range(half)]
                nodes += [{"name": name, "kind": "host"} for name in hosts]
                links += [{"from": name, "to": one, **near} for name in hosts]
        if tree:
            links.append({"from": f"t{tree - 1}-c0", "to": cores[0], **near, "delay": "2 ms"})
    local = {"preset": "sack", "min-rto": "10 ms"}
    within = [bulk(f"t{tree}-h*", f"t{tree}-h*", 4, **local) for tree in range(TREES)]
    return tp.Scenario.from_dict({
        "run": {"duration": f"{milliseconds} ms"},
        "topology": {"kind": "explicit", "nodes": nodes, "links": links},
        "traffic": [*within, bulk("t*-h0-*", "t*-h1-*", 1)],
    })  # fmt: skip


def bursts(milliseconds: int) -> tp.Scenario:
    """Return the burst-switched NSF network with 420 hosts behind its edges, and 2,100 flows."""
    return tp.Scenario.from_dict({
        "run": {"duration": f"{milliseconds} ms"},
        "topology": {
            "kind": "nsfnet",
            "link": {"rate": "10 Gb/s", "channels": 8, "control-channels": 2},
            "hosts": 30,
            "access": host_link("1 Gb/s", "100 us", 1000),
        },
        "assembly": {"max-size": "100 kB", "timeout": "500 us", "offset": "100 us"},
        "core": {"kind": "burst"},
        "traffic": [bulk("host-*", "host-*", 5, **{"max-window": "100 segments"})],
    })  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run each network on each number of threads and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("threads", nargs="*", type=int, default=[1, 2], metavar="N")
    parser.add_argument("--share", type=float, default=1.0, help="of the simulated time")
    options = parser.parse_args(arguments)
    differ = False
    networks = (
        ("line of fat trees", line, 1000),
        ("torus", torus, 250),
        ("files", files, 400),
        ("bursts", bursts, 1000),
    )
    for name, make, milliseconds in networks:
        digests, first = set(), 0.0
        for number in options.threads:
            scenario = make(round(milliseconds * options.share)).with_({"run.threads": number})
            seen: list[float] = []
            report = tp.run(scenario, 1, lambda *_, seen=seen: seen.append(time.perf_counter()))
            hops = int(report.links["packets-out"].sum())
            rate = hops / (seen[-1] - seen[0])
            first = first or rate
            digests.add(report.digest)
            row = f"{name}, {number} threads: {rate / 1e6:.1f} M hops/s, {rate / first:.1f} ×"
            sys.stdout.write(f"{row}, digest {report.digest}\n")
            sys.stdout.flush()
        differ |= len(digests) > 1
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())

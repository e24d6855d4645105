"""Which transport survives which core: runs, kept table and figures of the page beside this folder.

python docs/background/transports-and-cores/study.py FOLDER runs what is missing (seven minutes of
two cores), keeps runs in FOLDER, and rewrites `kept.csv` and the figures.
"""

import sys
from pathlib import Path
from typing import Any

import polars as pl

import tcphoton as tp

HERE = Path(__file__).parent
IMAGES = HERE.parents[1] / "images"
NODES = "ABCDEF"
LINKS = [tuple(pair) for pair in ("AB", "BC", "CD", "DE", "EF", "FA", "AD", "BE")]
HOSTS = 6
RATE = 2e9
"""Of each link and direction in b/s, as one link or as two channels."""
FILE = 500e3
"""Bytes."""
LOADS = [0.1, 0.25, 0.4]
"""Shares of all links' capacity that the data use on shortest paths."""
SEEDS = 5

TRANSPORTS: dict[str, dict[str, Any]] = {
    "CUBIC": {"kind": "tcp", "congestion": "cubic", "recovery": "rack"},
    "NewReno, RACK": {"kind": "tcp", "congestion": "reno", "recovery": "rack"},
    "BBRv3": {"kind": "tcp", "congestion": "bbr3"},
    "Prague": {"kind": "tcp", "congestion": "prague", "recovery": "rack"},
    "message": {"kind": "message"},
    "message, credits": {"kind": "message", "credits": True},
}
"""REPS and NSCC are the defaults of messages."""

PLAIN = {"kind": "drop-tail", "packets": 1000}
MARKING = {"kind": "ecn-threshold", "packets": 1000, "mark-above": 60}


def hops() -> float:
    """Return the mean number of links between the nodes of two hosts, each other host alike."""
    near: dict[str, set[str]] = {node: set() for node in NODES}
    for a, b in LINKS:
        near[a].add(b)
        near[b].add(a)
    total = 0.0
    for start in NODES:
        found, edge, distance = {start: 0}, [start], 0
        while edge:
            distance += 1
            edge = sorted({other for node in edge for other in near[node]} - found.keys())
            found |= dict.fromkeys(edge, distance)
        total += HOSTS * sum(found.values()) / (len(NODES) * HOSTS - 1)
    return total / len(NODES)


def network(kind: str, link: dict[str, Any], between: str = "") -> dict[str, Any]:
    """Return the ring with two chords; ``between`` is the kind of nodes between hosts and core."""
    nodes: list[dict[str, Any]] = [{"name": node, "kind": kind} for node in NODES]
    links: list[dict[str, Any]] = [{"from": a, "to": b, "delay": "1 ms", **link} for a, b in LINKS]
    for node in NODES:
        home = node
        if between:
            home = f"edge-{node}"
            nodes.append({"name": home, "kind": between})
            links.append({"from": home, "to": node, "delay": "10 us", **link})
        nodes.append({"name": f"host-{node}", "kind": "host", "count": HOSTS})
        access = {"rate": "1 Gb/s", "delay": "100 us", "queue": link.get("queue", PLAIN)}
        links.append({"from": f"host-{node}", "to": home, **access})
    return {"topology": {"kind": "explicit", "nodes": nodes, "links": links}}


CHANNELS = {"rate": "1 Gb/s", "channels": 2}
PACKETS = {"assembly": {"policy": "none", "when-busy": "drop"}}
BUNDLE = network("core", {"rate": "1 Gb/s", "lightpaths": 2, "queue": MARKING})
CORES: dict[str, dict[str, Any]] = {
    "electronic": network("router", {"rate": "2 Gb/s", "queue": MARKING}),
    "CIOQ, round-robin": {**BUNDLE, "core": {"kind": "cioq", "anycast": "round-robin"}},
    "CIOQ, e-JSQ": {**BUNDLE, "core": {"kind": "cioq", "anycast": "e-jsq"}},
    "hybrid": {
        **network("core", {"rate": "1 Gb/s", "lightpaths": 2}),
        "core": {"kind": "hybrid", "electronic-ports": 2},
    },
    "OPS, bufferless": {
        **network("edge", CHANNELS),
        **PACKETS,
        "core": {"kind": "packet", "remedies": ["convert"]},
    },
    "OPS, deflection": {
        **network("edge", CHANNELS),
        **PACKETS,
        "core": {
            "kind": "packet",
            "remedies": ["convert", "deflect"],
            "deflection": {
                "kind": "ports",
                "order": "shortest",
                "loops": "no-return",
                "hop-limit": 16,
            },
        },
    },
    "OBS": {
        **network("core", CHANNELS | {"control-channels": 1}, "edge"),
        "assembly": {"timeout": "1 ms", "max-size": "50 kB", "offset": "50 us", "loss": 0.001},
        "core": {"kind": "burst", "conversion": "full"},
    },
}
MEASURES = {
    "goodput": "goodput",
    "jain": "Jain's index",
    "slowdown-p50": "slowdown, median",
    "slowdown-p99": "slowdown, 99 %",
    "reorder-ratio": "reordered",
    "retransmissions": "sent again",
    "timeouts": "timeouts",
    "loss": "lost",
    "unfinished": "unfinished",
}
SHOWN = ["goodput", "slowdown-p50", "slowdown-p99", "reorder-ratio", "loss", "jain"]
"""The panels of each figure."""


def files_per_second() -> list[int]:
    """Return how many files begin at each load."""
    all_links = len(LINKS) * 2 * RATE
    return [round(load * all_links / hops() / (8 * FILE)) for load in LOADS]


def sweep(core: str) -> tp.Sweep:
    """Return the runs over a core."""
    files = files_per_second()
    scenario = tp.Scenario.from_dict(
        {
            "profile": "linux",
            "run": {"duration": "1500 ms", "warmup": "500 ms"},
            **CORES[core],
            "traffic": [
                {
                    "from": "host-*",
                    "to": "host-*",
                    "pattern": "random",
                    "transport": TRANSPORTS["CUBIC"],
                    "source": {
                        "kind": "transfers",
                        "per-second": files[0],
                        "size": f"{FILE:.0f} B",
                    },
                }
            ],
        }
    )
    return tp.Sweep(
        scenario,
        {
            "traffic.0.transport": list(TRANSPORTS.values()),
            "traffic.0.source.per-second": files,
        },
        seeds=SEEDS,
        title=f"Transports over {core}",
        labels={
            "traffic.0.transport": {"name": "transport", "values": list(TRANSPORTS)},
            "traffic.0.source.per-second": "files per second",
        },
    )


def name(core: str) -> str:
    """Return the name of a core's folder and figure."""
    return core.lower().replace(",", "").replace(" ", "-")


def kept(core: str, runs: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each transport and load: means over seeds, and halves of 95 % intervals."""
    rows: list[dict[str, Any]] = []
    for keys, group in runs.group_by(
        "traffic.0.transport", "traffic.0.source.per-second", maintain_order=True
    ):
        at = len(rows)
        row: dict[str, Any] = {
            "core": core,
            "transport": list(TRANSPORTS)[at // len(LOADS)],
            "load": LOADS[at % len(LOADS)],
            "files-per-second": keys[1],
        }
        for measure in MEASURES:
            found = tp.statistics.mean_interval(group[measure].drop_nulls())
            row |= {measure: found.mean, f"{measure}-half": (found.high - found.low) / 2}
        rows.append(row)
    return pl.DataFrame(rows)


def main(out: str) -> None:
    """Run what is missing, and write what is kept."""
    tables = []
    for core in CORES:
        folder = Path(out) / name(core)
        runs = sweep(core).run(folder)
        tables.append(kept(core, runs))
        chart = tp.plot(folder, list(SHOWN), x="files per second", by="transport")
        chart.save(str(IMAGES / f"transports-{name(core)}.svg"))
    pl.concat(tables).write_csv(HERE / "kept.csv", float_precision=6)


if __name__ == "__main__":
    main(sys.argv[1])

"""Every key does something: a change of it moves a run or its outputs, or its author is told.

The keys come from the JSON Schema and so do the values that are tried. In each of some small
scenarios every key that it accepts is changed; a change that does not move the run's digest must be
an error, a warning about that key, an observation only, or in the list of keys without an effect in
that scenario.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

import shares
import tcphoton as tp
from conftest import made_once
from tcphoton import _core
from tcphoton.scenario import examples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Json = dict[str, Any]
EVENTS = 40_000
MOST_BYTES = 600_000_000
MOST_TRIES = 8
SCHEMA: Json = json.loads(_core.schema())
QUANTITIES = {
    "time": ("0 s", "1 us", "10 us", "1 ms", "20 ms", "300 ms", "2 s"),
    "size": ("1 B", "40 B", "500 B", "1000 B", "9 kB", "40 kB", "1 MB", "100 MB"),
    "rate": ("1 Mb/s", "40 Mb/s", "900 Mb/s", "3 Gb/s", "40 Gb/s"),
    "length": ("10 m", "1 km", "300 km"),
    "energy": ("1 nJ/b", "3 pJ/b"),
    "window": ("2 kB", "10 kB", "100 kB", "unlimited"),
    "mean rate": ("1 Mb/s", "40 Mb/s", "900 Mb/s", "3 Gb/s", "40 Gb/s"),
    "missing length": ("median", "neighbours", "3 ms"),
}

OBSERVED = {
    "Scenario.title", "Scenario.energy", "Scenario.record",
    "EnergySpec.buffer", "EnergySpec.electronic", "EnergySpec.eo", "EnergySpec.oe",
    "EnergySpec.optical", "TrafficSpec.reordering", "RecordSpec.acknowledgments",
    "RecordSpec.bursts", "RecordSpec.fecs", "RecordSpec.first-transmission",
    "RecordSpec.interval", "RecordSpec.series",
    "RecordSpec.synchronization", "RecordSpec.throughput-span",
}  # fmt: skip
"""What only looks at a run: a change of it moves a table or the record."""

NAMES = {"ExplicitLink.from", "ExplicitLink.to", "NodeSpec.name", "ChangeSpec.link",
         "TrafficSpec.from", "TrafficSpec.to", "GraphPart<place>.name", "GraphPart<place>.label",
         "GraphPart<link>.from", "GraphPart<link>.to", "Demand.from", "Demand.to"}  # fmt: skip
"""What names a node or a link: no other value can be made of the schema."""

MAY_NOT_MATTER = {
    "RunSpec.duration": "the event budget ends the run before",
    "RunSpec.max-events": "the run ends before",
    "RunSpec.threads": "results are the same on any number of threads",
    "RunSpec.until": "no file is delivered before the end",
    "RunSpec.warmup": "nothing happens before the values that are tried",
    "RunSpec.seed": "the seed is given to the run",
    "Scenario.profile": "what it gives is given, or is not reached",
    "ProfileValues.tcp": "an empty table changes nothing",
    "Scenario.changes": "changes are tried one by one where there are some",
    "RoutingSpec.spread": "no two paths are equal",
    "CoreSpec<hybrid>.paths": "no two paths are equal",
    "RoutingSpec.metric": "the shortest paths are the same",
    "TrafficSpec.pattern": "the pairs are the same",
    "GraphPart<link>.capacity": "the notes of show say that it is not used",
    "GraphPart<place>.label": "it is a name that nothing uses",
    "TrafficSpec.load": "the rate that is given has that load",
}
"""What may move nothing in a given scenario, whatever it is, because of the other values there."""


PROGRAM = """
share = parameter(0.5, 0, 1)

def on_loss(congested):
    window.reduce(congested, share)
"""
ASSEMBLY = """
most = parameter(4, 1, 9)

def assign(packet):
    if packet.known and not packet.lost and queues.flows(packet.queue) < most:
        return packet.queue
    return draw.below(queues.count)
"""
ANYCAST = """
most = parameter(3, 1, 9)
sent = 0

def choose(packet):
    sent += 1
    return packet.hashed if sent % most == 0 else draw.below(lightpaths.count)
"""
OTHER_PROGRAM = PROGRAM.replace("share)", "share / 2)")
OTHER_ASSEMBLY = ASSEMBLY.replace("< most", "> most")
OTHER_ANYCAST = ANYCAST.replace("== 0", "> 0")


def leaves(schema: Json, name: str = "") -> Iterator[tuple[str, Json]]:
    """Give the alternatives of a schema, each with the name of its type."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        yield from leaves(SCHEMA["$defs"][name], name)
        return
    branches = schema.get("oneOf") or schema.get("anyOf")
    if branches:
        for branch in branches:
            yield from leaves(branch, name)
    elif schema.get("type") != "null":
        yield name, schema


def types(leaf: Json) -> set[str]:
    found = leaf.get("type", [])
    return {found} if isinstance(found, str) else set(found)


def words(leaf: Json) -> list[str]:
    listed = [*leaf.get("enum", []), leaf.get("const")]
    return [word for word in listed if isinstance(word, str)]


def values(schema: Json, now: object) -> Iterator[object]:
    """Give values other than the present one that the schema lets through."""
    for _, leaf in leaves(schema):
        kinds = types(leaf)
        if listed := words(leaf):
            yield from (word for word in listed if word != now)
        elif "boolean" in kinds:
            yield from (value for value in (True, False) if value is not now)
        elif "x-quantity" in leaf:
            yield from (text for text in QUANTITIES[leaf["x-quantity"]] if text != now)
        elif kinds & {"integer", "number"}:
            yield from numbers(leaf, now, whole="integer" in kinds)
        elif "array" in kinds and "items" in leaf:
            items = list(values(leaf["items"], None))[:4]
            yield from ([item] for item in items)
            if items:
                yield items
            if isinstance(now, list) and len(now) > 1:
                yield from (now[::-1], now[1:])
        elif "additionalProperties" in leaf and "properties" not in leaf:
            if isinstance(now, dict):
                yield {name: 2 * value for name, value in now.items()}
            yield {}
        elif "object" in kinds:
            yield table(leaf)
        elif "string" in kinds:
            yield from ("another", OTHER_PROGRAM, OTHER_ASSEMBLY, OTHER_ANYCAST)


def numbers(leaf: Json, now: object, *, whole: bool) -> Iterator[float]:
    least, most = leaf.get("minimum", 0), leaf.get("maximum", 2**32 - 1)
    base = now if isinstance(now, int | float) and not isinstance(now, bool) else 3
    tried = (base * 2, base / 2, base + 1, base - 1, 1, 2, 8, 30, 0.5, 0.1, 0.9, 0.02, 1000, least)
    for value in tried:
        number = int(value) if whole else float(value)
        if least <= number <= most and number != now:
            yield number


def table(leaf: Json) -> Json:
    """Return a table with the keys that it must have."""
    made = {}
    for name in leaf.get("required", []):
        schema = leaf["properties"][name]
        made[name] = schema["const"] if "const" in schema else next(values(schema, None), "?")
    return made


def keys(
    schema: Json, now: Any, key: str = "", name: str = "Scenario"
) -> Iterator[tuple[str, str, Json, object]]:
    """Give every key that may stand in a scenario: dotted, by its type, its schema, its value."""
    for of, leaf in leaves(schema, name):
        if "object" not in types(leaf) or not isinstance(now, dict):
            continue
        kind = leaf["properties"].get("kind", {}).get("const")
        if kind is not None and now.get("kind") != kind:
            continue
        full = f"{of}<{kind}>" if kind else of
        for below, inner in leaf["properties"].items():
            if below != "kind":
                yield from one_key(
                    inner, now.get(below), f"{key}.{below}".strip("."), (full, below)
                )


def one_key(
    schema: Json, now: Any, key: str, name: tuple[str, str]
) -> Iterator[tuple[str, str, Json, object]]:
    if isinstance(now, dict) and any("properties" in leaf for _, leaf in leaves(schema)):
        yield from keys(schema, now, key, ".".join(name))
    elif isinstance(now, list) and now and isinstance(now[0], dict):
        items = next(leaf["items"] for _, leaf in leaves(schema) if "items" in leaf)
        for at, item in enumerate(now[:2]):
            yield from keys(items, item, f"{key}.{at}", ".".join(name))
    else:
        yield key, ".".join(name), schema, now


def with_options(tcp: Json) -> Iterator[tuple[str, Json]]:
    """Give the kinds of congestion and recovery that can be told something, told something else."""
    for key in ("congestion", "recovery"):
        for _, leaf in leaves(tcp["properties"][key]):
            options = [one for one in leaf.get("properties", {}) if one != "kind"]
            # A program needs a text, and has a scenario of its own.
            if options and "source" not in options:
                kind, option = leaf["properties"]["kind"]["const"], options[0]
                schema = leaf["properties"][option]
                other = next(values(schema, schema.get("default", True)))
                yield kind, {key: {"kind": kind, option: other}}


def words_of(base: tp.Scenario) -> set[object]:
    """Return the words by which the first flow of a scenario has its congestion and recovery."""
    transport = json.loads(base.checked().canonical())["traffic"][0]["transport"]
    found = (transport.get(key) for key in ("preset", "congestion", "recovery"))
    return {word for word in found if isinstance(word, str)}


QUEUE = {"kind": "drop-tail", "packets": 12}
LINE: Json = {
    "run": {"duration": "3 s"},
    "topology": {
        "kind": "line",
        "routers": 2,
        "link": {
            "rate": "8 Mb/s", "delay": "5 ms", "queue": QUEUE,
            "loss": {"kind": "bernoulli", "p": 0.004},
        },
        "access": {"rate": "100 Mb/s", "delay": "1 ms"},
    },
    "traffic": [
        {"from": "a", "to": "b", "count": 2, "transport": {"kind": "tcp"},
         "source": {"kind": "bulk"}},
        {"from": "b", "to": "a", "transport": {"kind": "tcp"},
         "source": {"kind": "transfers", "per-second": 3.0, "size": "30 kB"}},
    ],
}  # fmt: skip
ECN = {"traffic.0.transport.ecn": True}
GILBERT = {
    "kind": "gilbert-elliott", "good-to-bad": 0.01, "bad-to-good": 0.2, "loss-bad": 0.4,
    "loss-good": 0.001,
}  # fmt: skip
STOP_AND_WAIT = {"kind": "stop-and-wait"}
MESSAGE: Json = {
    "run": {"duration": "3 ms"},
    "topology": {"kind": "fat-tree", "k": 4, "link": {
        "rate": "10 Gb/s", "delay": "1 us", "queue": {"kind": "trimming", "packets": 8},
        "loss": {"kind": "bernoulli", "p": 0.004},
    }},
    "traffic": [
        {
            "from": "h*", "to": "h*", "pattern": "permutation",
            "transport": {"kind": "message", "spraying": {"kind": "reps", "buffer": 4},
                          "window": {"kind": "nscc", "initial": 1.2}},
            "source": {"kind": "bulk", "size": "600 kB"},
        },
        {
            "from": "h*", "to": "h15",
            "transport": {"kind": "message", "window": {"kind": "nscc", "largest": 3}},
            "source": {"kind": "bulk", "size": "200 kB"},
        },
    ],
}  # fmt: skip
HYBRID = {
    "run": {"duration": "20 ms"},
    "topology": {"kind": "dumbbell", "pairs": 3,
                 "access": {"rate": "10 Gb/s", "delay": "1 us"},
                 "bottleneck": {"rate": "10 Gb/s", "delay": "1 us", "queue": QUEUE}},
    "core": {"kind": "hybrid", "electronic-ports": 1},
    "traffic": [{"from": "left-*", "to": "right-*",
                 "transport": {"kind": "tcp", "segment": "8960 B"},
                 "source": {"kind": "transfers", "per-second": 9000.0, "size": "90 kB"}}],
}  # fmt: skip
ROTOR: Json = {
    "run": {"duration": "20 ms"},
    "topology": {"kind": "leaf-spine", "leaves": 3, "spines": 2, "hosts": 2,
                 "link": {"rate": "10 Gb/s", "delay": "1 us"},
                 "access": {"rate": "10 Gb/s", "delay": "1 us"}},
    "core": {"kind": "circuit", "slot": "100 us", "reconfiguration": "10 us",
             "guard": "1 us", "skew": "2 us", "rack-queue": "60 kB", "mark-above": "30 kB"},
    "traffic": [{"from": "h*", "to": "h*", "pattern": "permutation",
                 "transport": {"kind": "tcp", "ecn": True}, "source": {"kind": "bulk"}}],
}  # fmt: skip
RACK: Json = {
    "run": {"duration": "20 ms"},
    "topology": {
        "kind": "explicit",
        "nodes": [{"name": "a", "kind": "host"}, {"name": "b", "kind": "host"},
                  {"name": "r", "kind": "rack"}, {"name": "s", "kind": "rack"},
                  {"name": "c", "kind": "core"}],
        "links": [{"from": start, "to": end, "rate": "10 Gb/s", "delay": "1 us"}
                  for start, end in ("ar", "bs", "rc", "sc")]},
    "core": {"kind": "circuit", "slot": "100 us", "reconfiguration": "10 us"},
    "traffic": [{"from": "a", "to": "b", "transport": {"kind": "tcp"},
                 "source": {"kind": "bulk"}}],
}  # fmt: skip
MESH: Json = {
    "run": {"duration": "20 ms"},
    "topology": {"kind": "ring", "routers": 5, "hosts": 2,
                 "link": {"rate": "10 Gb/s", "delay": "20 us"},
                 "access": {"rate": "10 Gb/s", "delay": "1 us"}},
    "core": {"kind": "lightpath", "channels": 2, "signalling": "1 us", "reconfiguration": "20 us",
             "hold": "10 us", "rack-queue": "30 kB", "mark-above": "9 kB"},
    "traffic": [{"from": "h*", "to": "h*", "pattern": "uniform",
                 "transport": {"kind": "tcp", "ecn": True, "min-rto": "1 ms"},
                 "source": {"kind": "transfers", "per-second": 3000.0, "size": "60 kB"}}],
}  # fmt: skip
FIBRES: Json = {
    **RACK,
    "topology": {**RACK["topology"], "links": [
        {**link, **({"channels": 2} if link["from"] == "r" else {})}
        for link in RACK["topology"]["links"]]},
    "core": {"kind": "lightpath", "channels": 1, "hold": "10 us"},
}  # fmt: skip
SHAPES: Json = {
    "ring": {"routers": 4, "hosts": 2},
    "torus": {"dimensions": [3, 3], "hosts": 1},
    "mesh": {"dimensions": [2, 3], "hosts": 1},
    "full-mesh": {"routers": 3, "hosts": 2},
}
ROADS = {"link": {"rate": "9 Mb/s", "delay": "2 ms", "queue": QUEUE},
         "access": {"rate": "50 Mb/s", "delay": "1 ms", "queue": QUEUE}}  # fmt: skip
REGULAR: Json = {
    "run": {"duration": "2 s"},
    "traffic": [{"from": "h0*", "to": "h1*", "pattern": "all", "transport": {"kind": "tcp"},
                 "source": {"kind": "bulk"}}],
}  # fmt: skip
TOWNS: list[Json] = [
    {"kind": "link", "from": "A", "to": "B", "capacity": 9.0},
    {"kind": "place", "name": "A", "label": "a town", "longitude": 7.4, "latitude": 46.9},
    {"kind": "place", "name": "B", "longitude": 10.0, "latitude": 48.4},
    {"kind": "link", "from": "A", "to": "B", "length": "10 km", "one-way": True},
]
FILE: Json = {
    "run": {"duration": "2 s"},
    "topology": {"kind": "file", "graph": TOWNS, "edges": ["a town", "B"], "hosts": 2,
                 "link": {"rate": "30 Mb/s", "queue": QUEUE}, "capacity-unit": "1 Mb/s",
                 "access": {"rate": "50 Mb/s", "delay": "1 ms", "queue": QUEUE}},
    "traffic": [{"from": "host-A-*", "to": "host-B-*", "transport": {"kind": "tcp"},
                 "source": {"kind": "bulk"}}],
}  # fmt: skip
MATRIX: Json = {
    "traffic": [{"from": "host-*", "to": "host-*", "transport": {"kind": "udp"},
                 "matrix": {"demands": [{"from": "A", "to": "B", "demand": 3.0},
                                        {"from": "B", "to": "A", "demand": 1.0}]},
                 "source": {"kind": "cbr", "rate": "40 Mb/s", "packet": "1 kB"}}],
}  # fmt: skip
OPTICAL: Json = {
    "topology": {
        "kind": "file",
        "graph": TOWNS,
        "hosts": 2,
        "add-channels": 2,
        "link": {"rate": "100 Mb/s", "channels": 1, "control-channels": 1},
        "access": {"rate": "50 Mb/s", "delay": "1 ms"},
    },
    "assembly": {"timeout": "1 ms", "max-size": "20 kB", "offset": "30 us"},
}
FAST = {"rate": "1 Gb/s", "delay": "1 ms"}
REORDERED: Json = {
    "profile": "inet-2.1",
    "run": {"duration": "60 s"},
    "routing": {"spread": "packet"},
    "topology": {
        "kind": "explicit",
        "nodes": [{"name": name, "kind": "host" if name in "ab" else "router"}
                  for name in "arpqsb"],
        "links": [{"from": one, "to": other, **FAST, **({"delay": "3 ms"} if other == "q" else {})}
                  for one, other in ("ar", "rp", "rq", "ps", "qs", "sb")],
    },
    "traffic": [{"from": "a", "to": "b", "count": 3, "source": {"kind": "bulk"}, "transport": {
        "kind": "tcp", "receive-window": "1 MB", "silly-window-avoidance": False,
        "recovery": {"kind": "newreno", "deflation": "wraps", "inflation": "beyond-threshold"},
    }}],
}  # fmt: skip
"""Every second packet takes 2 ms longer, so that a window of INET's NewReno wraps in the end."""


def bases() -> dict[str, tp.Scenario]:
    """Return the scenarios in which keys are changed."""
    line = tp.Scenario.from_dict(LINE)
    web: Json = {
        "traffic.0.pattern": "uniform",
        "traffic.0.source": {
            "kind": "transfers",
            "per-second": 6000.0,
            "size": {"kind": "websearch"},
        },
    }
    short = tp.Scenario.from_dict(ROTOR).with_(
        {
            "topology.leaves": 6,
            "topology.spines": 4,
            "core.schedule": "opera",
            **web,
            "core.short-flows": {"below": "100 kB", "queue": "9 kB", "mark-above": "3 kB"},
        }
    )
    link = "topology.link"
    found = {
        name: tp.example(name)
        for name in examples.examples()
        if name not in {"tcp-synchronization"}
    }
    tcp = next(leaf for _, leaf in leaves(SCHEMA["$defs"]["TrafficSpec"]["properties"]["transport"])
               if leaf["properties"]["kind"]["const"] == "tcp")  # fmt: skip
    presets = [w for _, leaf in leaves(tcp["properties"]["preset"]) for w in words(leaf)]
    for preset in presets:
        both = {f"traffic.{at}.transport.preset": preset for at in (0, 1)}
        found[f"preset {preset}"] = line.with_(both)
    found |= {
        "series": line.with_({"record.series": ["queue", "cwnd"]}),
        "rack": line.with_({"traffic.0.transport.recovery": "rack"}),
        "outage": line.with_({"changes": [
            {"at": "500 ms", "link": "r0 - r1", "set": {"kind": "down"}},
            {"at": "2 s", "link": "r0 - r1", "set": {"kind": "up"}},
        ], "traffic.0.transport.max-rto": "400 ms", "traffic.0.transport.min-rto": "300 ms",
            "traffic.0.transport.initial-rto": "300 ms"}),
        "idle": line.with_({"traffic.0.source":
                            {"kind": "poisson-writes", "rate": "2 Mb/s", "write": "20 kB"},
                            "traffic.0.transport.initial-window": "3 kB"}),
        "own profile": line.with_({"profile": {"values": {
            "extends": "linux", "interface-queue": 6, "udp-header": "8 B", "packet": "700 B",
            "framing": "7 B"}}, "traffic.1": {
                "from": "a", "to": "b", "source": {"kind": "cbr", "packet": "1 kB",
                "rate": "100 kb/s"}, "transport": {"kind": "udp"}}}),
        "stop-and-wait": line.with_({
            "traffic.0.transport": STOP_AND_WAIT, "traffic.1.transport": STOP_AND_WAIT,
            "traffic.0.source": {"kind": "bulk", "size": "300 kB"},
        }),
        "undone": tp.example("fat-tree").with_({
            "routing.spread": "packet", "run.warmup": "0 s", "traffic.0.source": {"kind": "bulk"},
            "traffic.0.transport.recovery": {"kind": "sack", "undo": True}}),
        **{f"undone by echoes, {kind}": tp.example("fat-tree").with_({
            "routing.spread": "packet", "run.warmup": "0 s", "traffic.0.source": {"kind": "bulk"},
            "traffic.0.transport.timestamps": True,
            "traffic.0.transport.recovery": {"kind": kind, "eifel": True, "undo": False}})
           for kind in ("sack", "rack")},
        "delayed": line.with_({
            f"{link}.loss.p": 0.001, f"{link}.queue.packets": 200,
            "traffic.0.transport.recovery": "sack", "traffic.0.transport.f-rto": True,
            "traffic.0.transport.min-rto": "50 ms",
            "changes": [
                {"at": "500 ms", "link": "r0 - r1", "set": {"kind": "rate", "rate": "400 kb/s"}},
                {"at": "800 ms", "link": "r0 - r1", "set": {"kind": "rate", "rate": "8 Mb/s"}},
            ]}),
        "message": tp.Scenario.from_dict(MESSAGE),
        "message with many losses": tp.Scenario.from_dict(MESSAGE).with_({
            "topology.link.loss.p": 0.2, "traffic.0.transport.max-rto": "300 us"}),
        "message with credits": tp.Scenario.from_dict(MESSAGE).with_({
            "traffic.0.transport.window": {"kind": "fixed", "paths": 0.5},
            "traffic.0.transport.credits": True}),
        "red": line.with_({**ECN, f"{link}.queue":
                           {"kind": "red", "packets": 30, "min": 3, "max": 9}}),
        "pie": line.with_({**ECN, f"{link}.queue":
                           {"kind": "pie", "packets": 40, "ecn": True, "max-burst": "20 ms"}}),
        "threshold": line.with_({**ECN, f"{link}.queue":
                                 {"kind": "ecn-threshold", "packets": 30, "mark-above": 3}}),
        "threshold of nobody": line.with_({f"{link}.queue":
                                           {"kind": "ecn-threshold", "packets": 30,
                                            "mark-above": 3}}),
        **{kind: line.with_({"topology.link.rate": "100 Mb/s", "topology.access.rate": "1 Gb/s",
                             "traffic.0.transport.congestion": kind})
           for kind in ("bbr3", "bbr1")},
        "prague": line.with_({
            f"{link}.queue": {"kind": "dualpi2", "packets": 60},
            "traffic.0.transport.congestion": "prague"}),
        **{kind: line.with_({**ECN, f"{link}.queue":
                             {"kind": kind, "packets": 40, "ecn": True, "interval": "30 ms"}})
           for kind in ("codel", "fq-codel")},
        "fair": line.with_({f"{link}.queue": {"kind": "fair", "packets": 30, "quantum": "3 kB"},
                            "traffic.1.from": "a", "traffic.1.to": "b"}),
        **{kind: line.with_({f"{link}.queue": {
               "kind": kind, "packets": 9, "rate": "4 Mb/s", "burst": "20 kB"}})
           for kind in ("shaper", "policer")},
        "spread": tp.example("fat-tree").with_({
            "routing.spread": "packet", "traffic.0.transport.recovery": "rack"}),
        "recorded": tp.example("obs-three-nodes").with_({
            "record.throughput-span": "1 ms", "record.fecs": ["E0 -> E1", "E1 -> E0"],
            "assembly.offset": "200 us", "control.processing": "30 us",
            "core": {"kind": "burst", "conversion": "partial", "converters": 1,
                     "fibre-loop": {"delay": "10 us", "lines": 1, "turns": 2}}}),
        "converters": tp.example("ops-mesh").with_({
            "core": {"kind": "packet", "remedies": ["convert", "delay"], "converters": 1,
                     "fibre-loop": {"delay": "10 us", "lines": 1, "turns": 2}}}),
        "round trips apart": tp.example("nsfnet").with_({
            "run.duration": "2 s", "run.warmup": "0 s", "traffic.0.start.to": "1 s",
            "topology.access-spread": 0.5}),
        "small buffers": tp.example("lightpath-bundle").with_({"core.input-buffer": "3 kB"}),
        "wave front": tp.example("lightpath-bundle").with_({
            "run.duration": "100 ms", "core.scheduler": {"kind": "wavefront"}, "core.speedup": 1}),
        "gilbert": line.with_({f"{link}.loss": GILBERT}),
        "reordered": tp.Scenario.from_dict(REORDERED),
        "program": line.with_({"traffic.0.transport.congestion": {
            "kind": "program", "source": PROGRAM, "parameters": {"share": 0.8}}}),
        "assembly program": tp.example("obs-three-nodes").with_({
            "assembly.policy": "program", "assembly.queues": 3, "assembly.loss": 0.05,
            "assembly.program": {"source": ASSEMBLY, "parameters": {"most": 2}}}),
        **{f"anycast program, {kind}": tp.example("lightpath-bundle").with_({"core": {
               "kind": kind, "anycast": "program", "program": {
                   "source": ANYCAST, "parameters": {"most": 2}}}})
           for kind in ("cioq", "output-queued")},
        "load": line.with_({"traffic.0": {
            "from": "a", "to": "b", "load": {"share": 0.4, "of": "bottleneck"},
            "source": {"kind": "cbr", "packet": "1 kB"}, "transport": {"kind": "udp"}}}),
        "load of all links": line.with_({"traffic.0": {
            "from": "a", "to": "b", "load": 0.4,
            "source": {"kind": "cbr", "packet": "1 kB"}, "transport": {"kind": "udp"}}}),
        "two rates": line.with_({"traffic.0": {
            "from": "a", "to": "b", "transport": {"kind": "udp"},
            "source": {"kind": "mmpp", "rate": "3 Mb/s", "low-rate": 0.1, "high": "20 ms",
                       "low": "60 ms", "packet": "1 kB"}}}),
        "sizes": line.with_({"traffic.1.source.size": {"kind": "table", "points": [
            {"size": "10 kB", "cdf": 0.5}, {"size": "90 kB", "cdf": 1.0}]}}),
        "flows": line.with_({"traffic.1.source": {"kind": "flows", "flows": [
            {"start": "30 ms", "from": "b", "to": "a", "size": "40 kB"},
            {"start": "10 ms", "from": "b", "to": "a", "size": "90 kB"}]}}),
        "graph": line.with_({"traffic.1.source": {"kind": "graph", "repeat": 2, "operations": [
            {"host": "b", "to": "a", "size": "40 kB"},
            {"host": "b", "compute": "9 ms", "cpu": 1, "after-start": [7]},
            {"host": "b", "compute": "7 ms", "after": [0]},
            {"host": "b", "to": "a", "size": "30 kB", "after": [1, 2]},
            {"host": "b", "compute": "8 ms", "after": [3]},
            {"host": "b", "compute": "3 ms", "cpu": 1, "after": [0]},
            {"host": "b", "to": "a", "size": "20 kB", "after-start": [3]},
            {"host": "b", "compute": "5 ms", "cpu": 1}]}}),
        "collective": tp.Scenario.from_dict({**REGULAR, "topology": {
            "kind": "full-mesh", **SHAPES["full-mesh"], **ROADS}, "traffic": [{
                "from": "*", "to": "*", "transport": {"kind": "tcp"}, "source": {
                    "kind": "collective", "algorithm": "tree-all-reduce", "size": "30 kB",
                    "group": 3, "chunks": 2, "repeat": 3, "compute": "2 ms"}}]}),
        **{kind: tp.Scenario.from_dict({**REGULAR, "topology": {"kind": kind, **shape, **ROADS}})
           for kind, shape in SHAPES.items()},
        "file": tp.Scenario.from_dict(FILE),
        "matrix": tp.Scenario.from_dict(FILE | MATRIX),
        "optical file": tp.Scenario.from_dict(FILE | OPTICAL),
        "hybrid": tp.Scenario.from_dict(HYBRID),
        "ideal": tp.Scenario.from_dict(HYBRID | {"core": {"kind": "ideal"}}),
        "rotor": tp.Scenario.from_dict(ROTOR),
        "explicit circuits": tp.Scenario.from_dict(ROTOR).with_({
            "core.schedule": "explicit",
            "core.matchings": [[[1, 2, 0], [2, 0, 1]], [[2, 0, 1], [1, 2, 0]]]}),
        "circuits on demand": tp.Scenario.from_dict(ROTOR).with_({
            "topology.leaves": 5, "core.schedule": "demand", "core.channels": 2, **web,
            "core.demand": {"rule": {"kind": "islip", "iterations": 2}, "epoch": 2,
                            "report": "20 us"}}),
        "electronic beside circuits": tp.Scenario.from_dict(ROTOR).with_({
            "topology.leaves": 5, "core.without-circuit": "packet-switches", **web,
            "core.short-flows": {"below": "100 kB", "over": "packet-switches"},
            "topology.packet-spines": {"count": 2, "link": {
                "rate": "2 Gb/s", "delay": "1 us", "queue": QUEUE}}}),
        "told of circuits": tp.Scenario.from_dict(ROTOR).with_({
            "topology.leaves": 5, "core.without-circuit": "packet-switches",
            "core.rack-queue": "9 kB", "core.mark-above": "8 kB",
            "core.prebuffer": {"queue": "30 kB", "ahead": "20 us"},
            "core.tell-hosts": {"ahead": "5 us"},
            "traffic.0.transport.circuits": {"kind": "retcp", "up": 3.0, "down": 2.0},
            "topology.packet-spines": {"count": 1, "link": {
                "rate": "2 Gb/s", "delay": "1 us", "queue": QUEUE}}}),
        "messages told of circuits": tp.Scenario.from_dict(ROTOR).with_({
            "core.tell-hosts": {}, "core.rack-queue": "4 kB", "core.mark-above": "2 kB",
            "traffic.0.transport": {"kind": "message", "packet": "1436 B", "circuits": "hold"}}),
        "short flows": short,
        "trimmed short flows": short.with_({
            "core.short-flows": {"queue": "9 kB", "trim": "64 B"},
            "traffic.0.transport": {"kind": "message", "packet": "1436 B", "base-rtt": "30 us"}}),
        "behind circuits": tp.Scenario.from_dict(RACK),
        "lightpaths": tp.Scenario.from_dict(MESH),
        "lightpaths asked for again": tp.Scenario.from_dict(MESH).with_({
            "core.retry": "500 us", "core.transceivers": 2, "core.routes": 2,
            "core.conversion": "full"}),
        "lightpaths over fibres": tp.Scenario.from_dict(FIBRES),
        "hybrid threshold": tp.Scenario.from_dict(HYBRID).with_({
            "topology.bottleneck.queue":
                {"kind": "ecn-threshold", "packets": 30, "mark-above": 3}}),
    }  # fmt: skip
    said = {name: words_of(base) for name, base in found.items()}
    for kind, told in with_options(tcp):
        settings = {f"traffic.0.transport.{key}": value for key, value in told.items()}
        having = [name for name, words in said.items() if kind in words] or [kind]
        found |= {name: found.get(name, line).with_(settings) for name in having}
        said |= {name: words_of(found[name]) for name in having}
    return {name: base.with_({"run.max-events": EVENTS}) for name, base in found.items()}


def run(checked: _core.Checked) -> tuple[str, str]:
    """Return the digest of a run, and all of its outputs as a text."""
    outcome = checked.run(1)
    record = json.loads(outcome.json)
    digest = record["digest"]
    for parameters in ("parameters", "scenario-digest"):
        del record[parameters]
    tables = [(table.name, [(c.name, hash(c.data)) for c in table.columns])
              for table in outcome.tables]  # fmt: skip
    return digest, repr((record, tables))


def fate(base: tp.Scenario, key: str, schema: Json, now: object, before: tuple[str, str]) -> str:
    """Return what changes of a key do: moved, seen, told, nothing; untried where there is none."""
    refused = warned = seen = False
    tries = 0
    for value in values(schema, now):
        if "?" in repr(value):
            continue
        try:
            checked = base.with_({key: value}).checked()
        except tp.ScenarioError:
            refused = True
            continue
        if any(touch(warning.key, key) for warning in checked.warnings):
            warned = True
            continue
        if checked.memory() > MOST_BYTES:
            continue
        tries += 1
        digest, outputs = run(checked)
        if digest != before[0]:
            return "moved"
        seen = seen or outputs != before[1]
        if tries == MOST_TRIES:
            break
    if seen:
        return "seen"
    if warned or (refused and not tries):
        return "told"
    return "nothing" if tries else "untried"


def touch(one: str, other: str) -> bool:
    """Tell whether one of two keys stands at or below the other."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


Fates = dict[str, dict[str, list[str]]]
"""For each key, by its type, what changes of it do, and where: scenario and key."""


def fates(name: str, *, all_keys: bool) -> Fates:
    """Return what changes of the keys do in a scenario: of all of them, or of a share."""
    checked = SCENARIOS[name].checked()
    before = run(checked)
    found: Fates = defaultdict(lambda: defaultdict(list))
    for key, of, schema, now in keys(SCHEMA, json.loads(checked.canonical())):
        # Those of a profile are for connections of many scenarios; `Transport<tcp>` has the same.
        if of.startswith("TcpOptions."):
            continue
        place = f"{name}: {key}"
        if all_keys or shares.chosen(place):
            found[of][fate(SCENARIOS[name], key, schema, now, before)].append(place)
    return found


def all_fates(name: str, factory: pytest.TempPathFactory) -> Fates:
    """Return the same of all keys, which the first test that asks for a scenario finds out."""

    def write(file: Path) -> None:
        file.write_text(json.dumps(fates(name, all_keys=True)), "utf-8")

    number = list(SCENARIOS).index(name)
    kept = made_once(factory, f"effects-{number}", write).read_text("utf-8")
    found: Fates = defaultdict(lambda: defaultdict(list))
    for key, what in json.loads(kept).items():
        found[key] |= what
    return found


SCENARIOS = bases()


UNMOVED = {
    "ControlSpec.when-busy": "no control channel is busy when a header comes",
    "CoreSpec<cioq>.input-buffer": "no input buffer fills",
    "CoreSpec<burst>.converters": "converters are never all in use",
}
"""Keys that no scenario here reaches: they are read, as tests of their own show."""

BY_CHANCE = {
    "AssemblySpec.overflow", "AssemblySpec.policy", "AssemblySpec.when-busy",
    "ControlSpec.processing", "CoreSpec<burst>.conversion", "CoreSpec<burst>.fibre-delays",
    "CoreSpec<burst>.scheduling", "TrafficSpec.stop", "Transport<tcp>.receive-window-growth",
    "CoreSpec<packet>.input-delay", "CoreSpec<packet>.remedies",
    "CoreSpec<circuit>.channels", "CoreSpec<circuit>.phases", "ShortFlowsSpec.queue",
    "ShortFlowsSpec.trim",
    "CoreSpec<lightpath>.assignment", "CoreSpec<lightpath>.channels",
    "CoreSpec<lightpath>.conversion", "CoreSpec<lightpath>.rack-queue",
    "CoreSpec<lightpath>.retry", "CoreSpec<lightpath>.routes", "CoreSpec<lightpath>.transceivers",
    "ExplicitLink.lightpaths", "LinkSpec.lightpaths", "QueueSpec<ecn-threshold>.mark-above",
    "QueueSpec<ecn-threshold>.packets",
    "Transport<stop-and-wait>.max-rto", "Transport<stop-and-wait>.rto-backoff",
    "MessageWindow<nscc>.quick-adapt", "Recovery<sack>.undo", "Transport<message>.max-rto",
    "Transport<message>.reordering", "Transport<message>.window", "Source<collective>.compute",
    "Transport<stop-and-wait>.timed-copy", "Transport<tcp>.ack-every",
    "Congestion<bbr1>.quantum", "Congestion<bbr3>.quantum",
    "Congestion<cubic>.law", "Congestion<prague>.gain", "Congestion<prague>.virtual-rtt",
    "Transport<tcp>.ecn-feedback",
    "Congestion<compound>.gamma", "Congestion<compound>.gamma-tuning", "Congestion<dctcp>.gain",
    "Recovery<newreno>.deflation", "Recovery<newreno>.exit", "Recovery<newreno>.inflation",
    "Recovery<newreno>.timer", "Recovery<rack>.undo", "Recovery<rack>.eifel",
    "Recovery<sack>.eifel",
    "Recovery<reno>.repeated-fast-retransmit", "Recovery<sack>.prr", "Transport<tcp>.quick-acks",
    "Transport<tcp>.f-rto", "Transport<tcp>.slow-start",
    "Transport<tcp>.congestion", "Transport<tcp>.dup-acks",
    "Transport<tcp>.ecn", "Transport<tcp>.granularity", "Transport<tcp>.growth",
    "Transport<tcp>.initial-ssthresh", "Transport<tcp>.initial-window",
    "Transport<tcp>.limited-transmit", "Transport<tcp>.max-rto", "Transport<tcp>.max-window",
    "Transport<tcp>.min-rto", "Transport<tcp>.pacing", "Transport<tcp>.receive-window",
    "Transport<tcp>.recovery", "Transport<tcp>.release",
    "Transport<tcp>.sack-blocks", "Transport<tcp>.segment",
    "Transport<tcp>.silly-window-avoidance", "Transport<tcp>.slow-start-after-idle",
    "Transport<tcp>.ssthresh-from",
    "Transport<tcp>.window-scaling", "Transport<tcp>.window-validation",
    "CoreSpec<packet>.converters", "CoreSpec<packet>.fibre-delays", "FibreLoopSpec.delay",
    "FibreLoopSpec.lines", "FibreLoopSpec.turns",
}  # fmt: skip
"""Keys that move some scenarios here, and are read without an effect in others: a limit that is not
reached, an event that does not occur."""


MAY_BE_SILENT = {*UNMOVED, *MAY_NOT_MATTER, *BY_CHANCE, *OBSERVED, *NAMES}
"""What is told of a key that is in none of these may not be nothing, in any scenario."""


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_key_moves_a_run_or_is_told_unless_a_list_says_why_not(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = shares.all_of_it()
    found = all_fates(name, tmp_path_factory) if whole else fates(name, all_keys=False)
    silent = {key: what["nothing"] for key, what in found.items() if what["nothing"]}
    assert set(silent) <= MAY_BE_SILENT, silent
    assert not {key for key in OBSERVED & found.keys() if found[key]["moved"]}


@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_every_key_moves_a_run_or_its_outputs_in_some_scenario(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name in SCENARIOS:
        for key, what in all_fates(name, tmp_path_factory).items():
            for fate_of_it, places in what.items():
                found[key][fate_of_it].update(places)
    shown = {key for key, what in found.items() if what["moved"] or what["seen"]}
    silent = {key: sorted(what["nothing"]) for key, what in found.items() if what["nothing"]}
    never = {key: places for key, places in silent.items() if key not in shown}
    assert set(never) <= set(UNMOVED) | set(MAY_NOT_MATTER), never
    # A key that moves nothing in one scenario alone is there by chance, or a list says why.
    at_times = {key: places for key, places in silent.items() if key in shown}
    assert set(at_times) <= BY_CHANCE | OBSERVED | set(MAY_NOT_MATTER) | NAMES, at_times
    unseen = {key for key in OBSERVED if not found[key]["seen"]}
    # A table with nothing in it is what is left out.
    assert unseen <= {"Scenario.record"}, unseen

"""Made-up scenarios that take memory, and how much memory a run of one takes."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import tcphoton as tp
from fuzz.draw import Draw
from fuzz.mutate import examples, mutated_tree
from fuzz.repair import repair
from fuzz.scenarios import scenario
from tcphoton import _core
from tcphoton.common import toml
from tcphoton.errors import ScenarioError

SHARE = 0.25
"""How far an estimate may be from the peak, as a share of the peak …"""
FLOOR = 4e6
"""… or in bytes: by some of these the same run differs from process to process."""
ROOM = 3 << 30
"""Bytes of addresses that a process may have."""
SECONDS = 20
"""Seconds after which a run is given up."""
LOOKS = 25
"""How often a scenario is mended before it is given up."""

Table = dict[str, Any]
COUNTS = {"pairs": 2000, "hosts": 3000, "routers": 300, "leaves": 40, "spines": 10}
"""The counts of named networks, and the most that one is here."""


class Taken(NamedTuple):
    """What a run was said to take, and what it has taken."""

    estimate: int
    peak: int


def far_off(run: Taken) -> bool:
    """Return whether the estimate is further from the peak than it may be."""
    return abs(run.estimate - run.peak) > max(SHARE * run.peak, FLOOR)


def made_up(seed: int, number: int) -> str:
    """Return a scenario that is accepted.

    Half are made up from the schema and mended, the others are examples in which something is
    changed. Each has an event budget, and in most some counts are large.
    """
    draw = Draw(seed, "memory", number)
    while True:
        tree = scenario(draw) if draw.chance(0.3) else _example(draw)
        if not isinstance(tree.get("run"), dict):
            continue
        tree["run"]["max-events"] = int(draw.logarithmic(1e4, 1e6))
        if draw.chance(0.85):
            _grow(tree, draw)
        for _ in range(LOOKS):
            text = toml.dumps(tree)
            try:
                _core.load("case.toml", text, [])
            except ScenarioError as error:
                try:
                    repair(tree, error.mistakes, draw)
                except (LookupError, AttributeError):
                    break  # What names nothing that is there cannot be mended.
                if not isinstance(tree.get("run"), dict):
                    break
            else:
                return text


def _example(draw: Draw) -> Table:
    return mutated_tree(draw.pick(examples() + examples("good"))[1], draw)


def _grow(tree: Table, draw: Draw) -> None:
    """Make some counts of a scenario large."""
    topology = tree.get("topology")
    if isinstance(topology, dict):
        for key, most in COUNTS.items():
            if isinstance(topology.get(key), int) and draw.chance(0.4):
                topology[key] = int(draw.logarithmic(1, most))
        if topology.get("kind") == "fat-tree":
            topology["k"] = 2 * draw.between(1, 8)
        nodes = topology.get("nodes")
        for node in nodes if isinstance(nodes, list) else ():
            if isinstance(node, dict) and node.get("kind") == "host" and draw.chance(0.15):
                node["count"] = int(draw.logarithmic(1, 500))
        links = [topology.get(key) for key in ("access", "link", "bottleneck")]
        more = topology.get("links")
        for link in links + (more if isinstance(more, list) else []):
            if isinstance(link, dict) and "queue" in link and draw.chance(0.4):
                _fill(link["queue"], draw)
    entries = tree.get("traffic")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and draw.chance(0.3):
            entry["count"] = int(draw.logarithmic(1, 5000))


def _fill(queue: object, draw: Draw) -> None:
    """Make the limit of a queue large, and the queues of flows many."""
    if isinstance(queue, dict):
        queue.pop("bytes", None)
        queue["packets"] = int(draw.logarithmic(100, 1e6))
        if queue.get("kind") == "fq-codel":
            queue["flows"] = int(draw.logarithmic(16, 65536))


def runs(seed: int, cases: int) -> dict[int, Taken]:
    """Return what made-up scenarios take, by number, without those that take too long or too much.

    They are forked from a fresh interpreter, which has not made them up either: in the children of
    one that has done other things before, peaks are some megabytes higher.
    """
    folder = Path(__file__).parent
    paths = os.pathsep.join([str(folder), str(folder.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", "import made_up_memory; made_up_memory.tell()"],
        env=os.environ | {"PYTHONPATH": paths},
        input=json.dumps([made_up(seed, number) for number in range(cases)]),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = enumerate(json.loads(done.stdout.splitlines()[-1]))
    return {number: Taken(*run) for number, run in found if run is not None}


def tell() -> None:
    """Print what the scenarios of a JSON list take, as JSON."""
    found = [taken(text) for text in json.load(sys.stdin)]
    sys.stdout.write(json.dumps(found) + "\n")


def taken(text: str) -> Taken | None:
    """Run a scenario in a process of its own; `None` where it takes too long or too much.

    The process has run another before, so that what any run brings with it is there. The peak is
    that of the pages that it holds, beyond those that it held before: of a `tcphoton.run`, results
    in Python included.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            signal.alarm(SECONDS)
            resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
            os.write(write, json.dumps(_measured(text)).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        answer = told.read()
    os.waitpid(child, 0)
    return Taken(*json.loads(answer)) if answer else None


def _measured(text: str) -> Taken:
    tp.run(tp.example("mm1").with_({"run.duration": "1 s", "run.warmup": "0 s"}))
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    before = _status("VmRSS:")
    made = tp.Scenario.from_text(text, "case.toml")
    estimate = made.checked().memory()
    tp.run(made, force=True)
    return Taken(estimate, _status("VmHWM:") - before)


def _status(key: str) -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(key))

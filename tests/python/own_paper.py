"""A paper of one's own for tests: an M/M/1 queue of which the paper does not say the load."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


LOAD = 8e6
"""b/s, what the paper leaves unsaid."""
RATE, PACKET, WAY = 10e6, 8000.0, 1e-3
DELAY = PACKET / (RATE - LOAD) + WAY
"""Seconds: 1/(mu - lambda) and the propagation, what the paper publishes."""

SCENARIO = """
title = "M/M/1"

[run]
duration = "60 s"
warmup = "5 s"

[topology]
kind = "explicit"
nodes = [{ name = "a", kind = "host" }, { name = "b", kind = "host" }]
links = [{ from = "a", to = "b", rate = "10 Mb/s", delay = "1 ms", queue = { kind = "drop-tail", packets = 100000 } }]

[[traffic]]
from = "a"
to = "b"
transport = { kind = "udp", header = "0 B" }
source = { kind = "poisson-packets", rate = "6 Mb/s", packet = { kind = "exponential", mean = "1000 B" } }
"""  # noqa: E501

SWEEPS = """
title = "A queue"
source = "Nobody, 2026"

[grids.one]
scenario = "scenario.toml"

[[grids.one.quick]]
seeds = 2
over."topology.links.0.rate" = ["10 Mb/s", "20 Mb/s"]

[[grids.one.full]]
seeds = 4
over."topology.links.0.rate" = ["10 Mb/s", "20 Mb/s"]

[artefacts.fig1]
title = "Delay"
grids = ["one"]
plot = { x = "topology.links.0.rate", y = "delay-mean" }
"""

CLAIMS = f"""
[[claims]]
claim = "queue.1"
statement = "The mean delay is {1e3 * DELAY:g} ms."
published = "It takes {1e3 * DELAY:g} ms."

[[claims.parts]]
name = "10 Mb/s"
says = "{1e3 * DELAY:g} ms"
artefact = "fig1"
rule = "about"
measure = "delay-mean"
at = {{ "topology.links.0.rate" = "10 Mb/s" }}
published = {DELAY}
tolerance = 0.15
unit = "s"

[[claims]]
claim = "queue.2"
statement = "A link of twice the rate is faster."
published = "A link of twice the rate is faster."

[[claims.parts]]
name = "20 Mb/s"
says = "faster"
artefact = "fig1"
rule = "less"
measure = "delay-mean"
at = {{ "topology.links.0.rate" = "20 Mb/s" }}
base = {{ "topology.links.0.rate" = "10 Mb/s" }}
"""

READINGS = """
[assumptions.load]
what = "The rate of the source"
keys = ["traffic.0.source.rate"]
from = "5 Mb/s"
to = "9 Mb/s"
default = "6 Mb/s"
source = "possible"
why = "less than the link"

[assumptions.queue]
what = "The size of the queue"
default = "no limit"
[assumptions.queue.values]
"no limit" = { source = "convention", why = "a queue of theory" }
"10,000 packets" = { set = { "topology.links.0.queue.packets" = 10000 }, source = "possible", why = "more than are ever needed" }
"3 packets" = { set = { "topology.links.0.queue.packets" = 3 }, source = "contradicts", why = "No packet is lost." }

[assumptions.delay]
what = "What is called delay"
default = "the mean"
[assumptions.delay.values]
"the mean" = { source = "convention", why = "usual" }
"its median" = { measures = { "delay-mean" = "delay-p50" }, source = "possible", why = "the text says delay alone" }
"half of the mean" = { measures = { "delay-mean" = '"delay-mean" / 2' }, source = "possible", why = "one way of a round trip" }

[searches.all]
what = "The queue"
assumptions = ["load", "queue", "delay"]
fit = ["queue.1"]
predict = ["queue.2"]
scales = ["quick"]
points = 16
waves = 2
discrepancy = 0.02
"""  # noqa: E501


def write(folder: Path, **files: str) -> Path:
    """Write the files of the paper, or others in their place, and return its folder."""
    home = folder / "queue"
    home.mkdir()
    texts = {"scenario": SCENARIO, "sweeps": SWEEPS, "claims": CLAIMS, "readings": READINGS} | files
    for name, text in texts.items():
        if text:
            (home / f"{name}.toml").write_text(text.lstrip(), "utf-8")
    return home

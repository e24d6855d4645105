"""How long the runs of each paper take: no longer than was promised of its scales, on two cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from made_up_runs import seeds_of
from tcphoton import papers
from tcphoton.common import quantities
from tcphoton.papers.lbas.measures import POLICIES, PUBLISHED, TABLES, goodput_of
from tcphoton.papers.obs.measures import LOSS, SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tcphoton.papers import Runs

    Point = Mapping[str, Any]


def whole(runs: Runs, point: Point) -> dict[str, Any]:
    """Return the scenario of a run, as it stands in a file."""
    keys = {**runs.sweep.set_, **point}
    tables = {key: each for key, each in keys.items() if "." not in key}
    rest = {key: each for key, each in keys.items() if key not in tables}
    return runs.sweep.scenario.with_(tables).with_(rest).to_dict()


def keys_of(runs: Runs, point: Point) -> tuple[dict[str, Any], float]:
    """Return the keys that a run changes, and how many seconds it simulates."""
    at = {**runs.sweep.scenario.to_dict()["run"], **runs.sweep.set_, **point}
    return at, quantities.number(at.get("run.duration", at["duration"]))


# For each paper: the seconds of a core that a run takes.


TRANSFERS = {"transfers": 0.035, "shuffle": 0.06, "incast": 0.25}
"""The mean over what full has; a batch is of 500 files."""
FILES = 500


def hybrid(runs: Runs, point: Point) -> float:
    (flows,) = whole(runs, point)["traffic"]
    cost: float = TRANSFERS[flows["source"]["kind"]]
    if flows["source"]["kind"] == "transfers":
        largest = quantities.number(flows["source"]["size"].get("max", "15 MB"))
        cost *= flows["source"]["limit"] / FILES * (largest / 5e6) ** 0.4
    return cost


SECOND = 3.2
"""Seconds of a core that a simulated second of b_D = 4, 80 % and 2.5 Gb/s takes of a CIOQ switch;
of an output-queued one it is half of that."""
SLOWED = 0.4
"""What 100 frames at the host leave of a goodput at U = 1000 Mb/s, at the least."""


def lbas(runs: Runs, point: Point) -> float:
    """A run is as long as the published goodput of its cell, or of a like one, makes it.

    At the high load it is a quarter longer, as first runs had it; a short file is sent before the
    window has grown, so slower.
    """
    scenario = whole(runs, point)
    net, tcp = scenario["topology"], scenario["traffic"][-1]
    line = quantities.number(net["link"]["rate"])
    u = quantities.number(net["tcp-rate"]) / 1e6
    file = 8e-6 * quantities.number(tcp["source"]["size"])
    load = 0.02
    goodput = 0.2 * u
    if len(scenario["traffic"]) > 1:
        rate = quantities.number(scenario["traffic"][0]["source"]["rate"])
        load = rate * 4 * net["lightpaths"] / line
        policy = {"Random": "JSVOQ"}.get(runs.variant, runs.variant)
        policy = policy if policy in POLICIES else "e-JSQ"
        known = min(TABLES, key=lambda each: abs(each - u))
        goodput = goodput_of(known, policy, net["lightpaths"], round(100 * load))
        short = file < 8 * PUBLISHED["", f"file at {known} Mb/s"]
        # The first seconds of a run have long queues at the high load.
        goodput *= 0.8 if load > 0.6 else 1
        if short:
            goodput = min(goodput, 55) if load < 0.6 else 0.25 * goodput
        frames = net["tcp-queue"]["packets"] <= 100
        goodput *= SLOWED if frames and known == 1000 else 1
    length: float = min(quantities.number(scenario["run"]["duration"]), file / goodput)
    cost: float = SECOND * length * net["lightpaths"] / 4 * load / 0.8 * line / 2.5e9
    return cost * (0.5 if scenario["core"]["kind"] == "output-queued" else 1)


def obs(runs: Runs, point: Point) -> float:
    at, length = keys_of(runs, point)
    p = float(at.get(LOSS, 0.001))
    busy = 1.0 if p <= 0.001 else 0.7 if p <= 0.003 else 0.4 if p <= 0.01 else 0.15
    small = 0 < p < 0.01 and quantities.number(at.get(SIZE, "200 kB")) <= 40e3
    length *= quantities.number(at.get("traffic.0.source.rate", "1 Gb/s")) / 1e9
    busy *= 0.6 if small else 1.0
    rate = 0.75 if "eight" in runs.sweep.scenario.file else 0.06
    return rate * length * busy


COSTS = {"ops/scenario.toml": 0.034, "ops/udp.toml": 0.034, "ops/nsf.toml": 0.21}
"""Seconds of a core for a second that is simulated, the mean over what full has, with a margin."""
SMALL_PACKETS = 2.2
"""How much more UDP costs where an optical packet holds one packet or a few."""


def ops(runs: Runs, point: Point) -> float:
    scenario = whole(runs, point)
    cost = COSTS[runs.sweep.scenario.file] * quantities.number(scenario["run"]["duration"])
    is_udp = "udp" in runs.sweep.scenario.file
    return cost * (
        SMALL_PACKETS if is_udp and scenario["assembly"]["policy"] != "mixed-flow" else 1
    )


def sync(runs: Runs, point: Point) -> float:
    at, length = keys_of(runs, point)
    if "nsf" in runs.sweep.scenario.file:
        return 0.25 * length * float(at.get("traffic.0.source.per-second", 50)) / 50
    return 1.1e-3 * length * (2 if at.get("assembly.policy") == "per-flow" else 1)


OF_PAPERS: dict[str, tuple[Callable[[Runs, Point], float], float, dict[str, float]]] = {
    "hybrid": (hybrid, 2, {"quick": 2, "full": 40}),
    "lbas": (lbas, 5, {"quick": 12, "claims": 4 * 60, "full": 8 * 60}),
    "obs": (obs, 1, {"quick": 4, "full": 60, "demo": 1}),
    "ops": (ops, 2, {"quick": 3, "full": 45}),
    "sync": (sync, 2, {"quick": 5, "full": 50}),
}
"""What a run takes, the seconds in which an artefact is drawn, and the minutes of each scale."""


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        pytest.param(name, scale, marks=[pytest.mark.slow] if name in {"lbas", "obs"} else [])
        for name, (_, _, minutes) in OF_PAPERS.items()
        for scale in minutes
    ],
)
def test_a_scale_keeps_its_budget_on_two_cores(name: str, scale: str) -> None:
    seconds, drawing, minutes = OF_PAPERS[name]
    paper = papers.load(name)
    cost: dict[tuple[str, int], float] = {}
    for runs in paper.runs(paper.at(scale), scale):
        # Runs of one digest are one.
        digests = runs.sweep.checked().digests()
        for point, digest in zip(runs.sweep.points, digests, strict=True):
            every = ((digest, seed) for seed in range(seeds_of(runs)))
            cost |= dict.fromkeys(every, seconds(runs, point))
    total = sum(cost.values()) / 2 + drawing * len(paper.at(scale))
    assert total < 60 * minutes[scale]

"""Queues that are drawn anew beside those that are not: what is lost together, by hand.

Of four flows and two queues a static one holds two flows: they are lost together, and the others
independently. Drawn anew in each cycle any two share a queue half of the time. With the probability
of a loss q, both are lost with q/2 + q²/2, which is a correlation of 1/2 whatever q is. The mean of
all pairs is 1/3 and 1/2, and of N flows (N/2 − 1)/(N − 1) and 1/2: with many flows the losses of
all vary alike, so that dynamic queues are no better than static ones, unless bursts leave at other
times than they would have.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import tcphoton as tp

if TYPE_CHECKING:
    from numpy.typing import NDArray

pytestmark = pytest.mark.slow

CYCLES, FLOWS, LOSS = 2000, 4, 0.2
TIMEOUT, EARLIER = 3e-3, 1e-3


def scenario(policy: str, starts: list[float], loss: float) -> tp.Scenario:
    """Return flows of a packet each 10 ms over one optical link, each with a link of its own."""
    count = len(starts)
    access = {"rate": "1 Gb/s", "delay": "1 us"}
    hosts = [{"name": name, "kind": "host", "count": count} for name in "sd"]
    source = {"kind": "cbr", "rate": "800 kb/s", "packet": "1000 B"}
    traffic: list[dict[str, Any]] = [
        {"from": f"s-{at}", "to": f"d-{at}", "start": f"{start} s", "transport": {"kind": "udp"},
         "source": source}
        for at, start in enumerate(starts)
    ]  # fmt: skip
    return tp.Scenario.from_dict({
        "run": {"duration": f"{CYCLES / 100} s"},
        "topology": {
            "kind": "explicit",
            "nodes": [{"name": "E0", "kind": "edge"}, {"name": "E1", "kind": "edge"}, *hosts],
            "links": [
                {"from": "s", "to": "E0", **access},
                {"from": "E0", "to": "E1", "rate": "10 Gb/s", "delay": "1 ms", "channels": 4},
                {"from": "E1", "to": "d", **access},
            ],
        },
        "assembly": {"policy": policy, "queues": 2, "timeout": f"{TIMEOUT} s", "offset": "20 us",
                     "loss": loss},
        "traffic": traffic,
    })  # fmt: skip


def delivered(policy: str, starts: list[float], loss: float) -> pl.DataFrame:
    """Return by flow and cycle of each packet that a burst has delivered when the burst left."""
    traced = tp.trace(scenario(policy, starts, loss), 1)
    assert traced.bursts is not None
    joined = traced.joined().drop_nulls("burst").unique(["number"])
    joined = joined.select("flow", "burst", cycle=pl.col("sent") // 10**10)
    return joined.join(traced.bursts.select("burst", "released"), on="burst").sort("flow", "cycle")


def together(policy: str) -> dict[tuple[int, int], float]:
    """Return the correlation of the losses of each pair of flows."""
    frame = delivered(policy, [0.0] * FLOWS, LOSS)
    arrived = np.zeros((FLOWS, CYCLES))
    arrived[frame.get_column("flow").to_numpy(), frame.get_column("cycle").to_numpy()] = 1
    correlation: NDArray[np.float64] = np.corrcoef(arrived)
    return {pair: float(correlation[pair]) for pair in itertools.combinations(range(FLOWS), 2)}


def test_a_static_queue_loses_its_flows_together_and_no_others() -> None:
    found = sorted(together("static-queues").values())
    assert found[-2:] == pytest.approx([1, 1])
    assert all(abs(each) < 4 / math.sqrt(CYCLES) for each in found[:-2])


def test_any_two_flows_of_two_redrawn_queues_have_half_of_their_losses_together() -> None:
    found = list(together("dynamic-queues").values())
    assert found == pytest.approx([0.5] * 6, abs=4 / math.sqrt(CYCLES))


@pytest.mark.parametrize(
    ("policy", "shares"), [("static-queues", {0, 1}), ("dynamic-queues", {0.5})]
)
def test_redrawing_parts_two_flows_where_another_ones_cycle_is_under_way(
    policy: str, shares: set[float]
) -> None:
    """A and B come together, 1 ms after C.

    A packet in C's queue leaves with it, 3 ms after C has come, another one 3 ms after A and B
    have. So static queues keep A and B together, or apart, and redrawn ones part them every other
    time.
    """
    frame = delivered(policy, [0.0, EARLIER, EARLIER], 0.0).with_columns(
        after=(pl.col("released") - pl.col("cycle") / 100).round(4)
    )
    left = [frame.filter(flow=flow).get_column("after").to_numpy() for flow in range(3)]
    assert set(left[0]) == {TIMEOUT}
    assert {*left[1], *left[2]} <= {TIMEOUT, TIMEOUT + EARLIER}
    apart = float(np.mean(left[1] != left[2]))
    assert min(abs(apart - share) for share in shares) < 4 * 0.5 / math.sqrt(CYCLES)

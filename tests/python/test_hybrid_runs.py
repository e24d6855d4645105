"""What is run for the hybrid paper: its grids, budgets and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tcphoton import papers
from tcphoton.analysis import theory
from tcphoton.common import quantities
from tcphoton.papers import reproduce
from tcphoton.papers.hybrid.measures import LENGTH, THROUGHPUT
from tcphoton.sweep.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton.papers import Runs

PAPER = papers.load("hybrid")
SCALES = reproduce.SCALES


def seeds(runs: Runs) -> int:
    assert isinstance(runs.sweep.seeds, int)
    return runs.sweep.seeds


def test_scales_differ_in_points_and_seeds_alone() -> None:
    for grid in PAPER.plan["grids"].values():
        for scale in SCALES:
            for product in grid[scale]:
                assert set(product) <= {"seeds", "over", "variants"}
        full = [product["over"] for product in grid["full"]]
        for product in grid["quick"]:
            assert any(
                all(
                    set(values) <= set(over.get(key, ())) for key, values in product["over"].items()
                )
                for over in full
            )


def test_full_has_the_papers_seeds() -> None:
    for runs in PAPER.runs(["fig2a", "fig2b", "assumptions"], "full"):
        assert seeds(runs) >= 100
    for runs in PAPER.runs(["long"], "full"):
        assert seeds(runs) >= 10


COSTS = {"transfers": 0.035, "shuffle": 0.06, "incast": 0.25}
"""Seconds of a core for a run, the mean over what full has; a batch is of 500 files."""
FILES = 500


def seconds(runs: Runs) -> Iterator[tuple[str, float]]:
    """Return the core-seconds of every run, by what makes it another one."""
    for point, digest in zip(runs.sweep.points, runs.sweep.checked().digests(), strict=True):
        whole = runs.sweep.scenario.with_({**runs.sweep.set_, **point}).to_dict()
        (flows,) = whole["traffic"]
        cost = COSTS[flows["source"]["kind"]]
        if flows["source"]["kind"] == "transfers":
            largest = quantities.number(flows["source"]["size"].get("max", "15 MB"))
            cost *= flows["source"]["limit"] / FILES * (largest / 5e6) ** 0.4
        for seed in range(seeds(runs)):
            yield f"{digest} {seed}", cost


@pytest.mark.parametrize(("scale", "minutes"), [("quick", 2), ("full", 40)])
def test_a_scale_keeps_its_budget_on_two_cores(scale: str, minutes: float) -> None:
    cost = dict(each for runs in PAPER.runs(PAPER.at(scale), scale) for each in seconds(runs))
    drawing = 2 * len(PAPER.at(scale))
    assert sum(cost.values()) / 2 + drawing < 60 * minutes


# What is known by hand.


@pytest.mark.parametrize("length", ["10 m", "100 m", "1000 m", "10000 m"])
def test_a_lone_large_file_goes_at_the_rate_of_the_cycle(length: str) -> None:
    """10 MB from one server to the pod of another; set-up and release are some cycles more."""
    scenario = PAPER.scenario("scenario.toml").with_(
        {
            LENGTH: length,
            "traffic.0.from": "h0",
            "traffic.0.to": "h127",
            "traffic.0.pattern": "pairs",
            "traffic.0.source": {"kind": "bulk", "size": "10 MB"},
        }
    )
    (row,) = Sweep(scenario, {"run.duration": ["10 s"]}, seeds=1).run().to_dicts()
    alone = theory.stop_and_wait_rate(quantities.number(length))
    assert row[THROUGHPUT] == pytest.approx(alone, rel=0.005)
    assert row["retransmissions"] == 0


def test_a_batch_is_the_same_whatever_carries_it() -> None:
    """Common random numbers: the same files for every switch and transport."""
    (hybrid,) = (runs for runs in PAPER.runs(["fig2a"], "quick") if runs.grid == "ten")
    delivered = set()
    for ports, margin in ((0, 0), (5, 4)):
        keys = {**hybrid.sweep.set_, "core.electronic-ports": ports}
        keys["traffic.0.transport.rto-margin"] = margin
        sweep = Sweep(
            hybrid.sweep.scenario, {"traffic.0.source.per-second": [1e8]}, seeds=1, set_=keys
        )
        (row,) = sweep.run().to_dicts()
        assert row["completed"] == row["flows"] == 500
        delivered.add(round(row[THROUGHPUT] * row["makespan"]))
    assert max(delivered) - min(delivered) <= 8

"""What is run for the hybrid paper: its grids and figures."""

from __future__ import annotations

import pytest

from made_up_runs import seeds_of
from tcphoton import papers
from tcphoton.analysis import theory
from tcphoton.common import quantities
from tcphoton.papers import reproduce
from tcphoton.papers.hybrid.measures import LENGTH, THROUGHPUT
from tcphoton.sweep.sweep import Sweep

PAPER = papers.load("hybrid")
SCALES = reproduce.SCALES


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
        assert seeds_of(runs) >= 100
    for runs in PAPER.runs(["long"], "full"):
        assert seeds_of(runs) >= 10


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

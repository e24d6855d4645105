"""The rules of the ops paper's claims on made-up tables: they hold, differ, or cannot tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl
import pytest

import made_up_ops
import made_up_runs
from tcphoton.analysis.theory import truncated_normal_moments
from tcphoton.common import quantities
from tcphoton.papers import load
from tcphoton.papers.ops.measures import FORMULA, JITTER, MU, PUBLISHED, closed_form, measured
from tcphoton.papers.ops.rules import close_to_1, gains_more, is_that_of, milder, near, straight
from tcphoton.papers.rules import robust

if TYPE_CHECKING:
    from made_up_ops import Point, Row

PAPER = load("ops")
CLAIMS = {claim.claim: claim for claim in PAPER.claims}


@pytest.mark.parametrize("factor", [1.0, 1.3])
def test_the_order_of_jitters_at_small_intervals_is_out_of_reach(factor: float) -> None:
    """Whether per-flow's is lower there, as published, or higher."""
    claim = CLAIMS["ops.7"]

    def change(at: Point, row: Row) -> Row:
        is_it = (at.transport, at.scheme) == ("udp", "per-flow") and at.delta in {0.1, 1.0}
        return {**row, JITTER: row[JITTER] * (factor if is_it else 1)}

    found = made_up_runs.World(PAPER, made_up_ops.table).entry(claim, change)
    assert found["verdict"] == "out of reach"
    beyond = {part.name for part in claim.parts if part.beyond}
    assert beyond == {f"mixed-flow over per-flow, Δ = {delta}" for delta in ("0.1 ms", "1 ms")}
    for part in found["parts"]:
        assert (part["verdict"] == "out of reach") == (part["name"] in beyond)
        if part["name"] in beyond:
            assert (part["ours"] > 0) == (factor == 1)
            assert part["note"] == "contradicts the order of throughputs in ops.5"
    assert found["because"]


# Rules by themselves.


def of_points(*values: float) -> pl.DataFrame:
    """Return y at x = 0, 1, 2 and so on, with noise that no two points share, and z = 10."""
    rows = [
        {"x": x, "seed": seed, "y": y * (1 + 0.001 * ((seed + x) % 3 - 1)), "jain": y, "z": 10.0}
        for x, y in enumerate(values)
        for seed in range(4)
    ]
    return pl.DataFrame(rows)


OWN = {
    "close to 1": (close_to_1({"x": 0}), (0.999, 0.97, 0.985)),
    "near": (near("y", "x", {}, 0), ((10, 10.2, 9.8), (10, 10.2, 15), (10, 10.2, 11.5))),
    "is that of": (is_that_of("y", "z", {"x": 0}), (10.1, 15, 11.5)),
    "gains more": (
        gains_more("y", *({"x": x} for x in (1, 0, 3, 2))),
        ((10, 13, 10, 11), (10, 11, 10, 13), (10, 12, 10, 12)),
    ),
}
"""Rules of the paper's own, with points where they hold, where they differ, and between."""


@pytest.mark.parametrize("name", OWN)
def test_a_rule_holds_differs_or_cannot_tell(name: str) -> None:
    rule, worlds = OWN[name]
    tables = [of_points(*(each if isinstance(each, tuple) else (each,))) for each in worlds]
    assert [rule(table).verdict for table in tables] == ["holds", "differs", "cannot tell"]


def curve(values: list[float]) -> pl.DataFrame:
    rows = [
        {"x": x, "seed": seed, "y": y + 1e-6 * (seed - 2) * x}
        for x, y in enumerate(values)
        for seed in (1, 2, 3)
    ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([1.0, 2.0, 3.0, 4.0], "holds"),
        ([4.0, 3.0, 2.0, 1.0], "holds"),
        ([1.0, 2.1, 3.1, 4.0], "holds"),
        # By 0.2, 0.4 and 0.7 off a line that rises by 3: 10 % is a threshold of ours.
        ([-0.2, 1.2, 2.2, 2.8], "in shape"),
        ([-0.4, 1.4, 2.4, 2.6], "cannot tell"),
        ([-0.7, 1.7, 2.7, 2.3], "differs"),
        ([1.0, 1.0], "cannot tell"),
    ],
)
def test_a_line_is_straight(values: list[float], verdict: str) -> None:
    assert straight("y", "x", {})(curve(values)).verdict == verdict


def test_how_far_a_point_lies_off_its_line_is_told_in_per_cent_of_the_rise() -> None:
    # The line through 0, 0, 3 is -0.5 + 1.5 x: it rises by 3, and the middle lies 1 below it.
    found = straight("y", "x", {})(curve([0.0, 0.0, 3.0]))
    assert found.ours == pytest.approx(-100 / 3, rel=1e-3)
    assert found.note == "1"


@pytest.mark.parametrize(
    ("values", "ours", "verdict"),
    [
        ([10.0, 5.0, 4.0, 3.0], 20.0, "holds"),
        ([10.0, 5.0, 3.0, 1.0], 40.0, "in shape"),
        ([10.0, 5.0, 1.0, -3.0], 80.0, "cannot tell"),
        ([10.0, 5.0, -1.0, -7.0], 120.0, "differs"),
        ([10.0, 5.0, 6.0, 7.0], -20.0, "holds"),
    ],
)
def test_a_mild_fall_is_told_in_per_cent_of_the_sharp_one(
    values: list[float], ours: float, verdict: str
) -> None:
    found = robust(50.0, lambda high: milder("y", "x", {}, 1, high))(curve(values))
    assert found.ours == pytest.approx(ours, rel=1e-3)
    assert found.verdict == verdict
    assert milder("y", "x", {}, 0, 50.0)(curve(values)).verdict == "not covered"


# What is measured.


def test_the_measures_are_shares_of_what_was_sent_and_delivered() -> None:
    table = pl.DataFrame(
        {
            "packets-sent": [1000],
            "reordered": [30],
            "bursts.released": [100],
            "bursts.lost-ingress": [0],
            "bursts.lost-deflected": [8],
            "bursts.lost-contention": [2],
            "bursts.deflected-delivered": [27],
            MU: ["20 ms"],
        }
    )
    (found,) = measured(table).to_dicts()
    assert found["reordered-share"] == pytest.approx(3)
    assert found["optical-loss"] == pytest.approx(10)
    assert found["deflected-share"] == pytest.approx(30)
    assert found["contention"] == pytest.approx(37)
    assert found[FORMULA] == pytest.approx(closed_form(0.3, 0.020, 0.004, 5.64e-8), rel=1e-3)


def test_a_table_without_bursts_has_no_closed_form() -> None:
    (found,) = measured(pl.DataFrame({"goodput": [1.0]})).to_dicts()
    assert found[FORMULA] is None
    assert found["reordered-share"] is None


def test_the_closed_form_is_linear_in_the_mean_without_deviation() -> None:
    for share in (0.1, 0.5, 0.9):
        ratio = closed_form(share, 0.02, 0.0) / closed_form(share, 0.01, 0.0)
        assert ratio == pytest.approx(2)
    cost = truncated_normal_moments(5e-3, 4e-3)
    assert closed_form(1.0, 5e-3, 4e-3) == pytest.approx(cost.deviation)
    assert closed_form(0.0, 5e-3, 4e-3, 1e-8) == pytest.approx(1e-4)
    assert math.isclose(closed_form(0.4, 5e-3, 4e-3), 3.44e-3, rel_tol=0.01)


# The scenarios and the published numbers.


def test_the_scenarios_are_table_1() -> None:
    tcp, udp = (PAPER.scenario(file).to_dict() for file in ("scenario.toml", "udp.toml"))
    for key in ("topology", "assembly", "core", "run"):
        assert tcp[key] == udp[key]

    def of(what: str) -> float:
        return PUBLISHED["", what]

    core, *access = tcp["topology"]["links"]
    assert quantities.number(core["rate"]) == 1e6 * of("core rate")
    assert quantities.number(core["delay"]) == pytest.approx(
        1e-3 * of("delay of the shortest path")
    )
    assert len(access) == 2 * of("source and destination nodes")
    for number, link in enumerate(access):
        assert quantities.number(link["rate"]) == 1e6 * of("access rate")
        delay = 1e-3 * of("delay of access link i") * (number % 10 + 1)
        assert quantities.number(link["delay"]) == pytest.approx(delay)
    cost = tcp["core"]["deflection"]
    assert cost["congestion"] == of("congestion factor")
    assert quantities.number(cost["mean"]) == 1e-3 * of("mean of the deflection cost")
    assert quantities.number(cost["deviation"]) == 1e-3 * of("deviation of the deflection cost")
    assert cost["hold"] == {"from": "1 ms", "to": "100 ms"}
    (flows,) = udp["traffic"]
    assert flows["count"] == of("flows a pair")
    source = flows["source"]
    rate, packet = (quantities.number(source[key]) for key in ("rate", "packet"))
    assert 500 * rate == pytest.approx(1e6 * of("offered UDP load"))
    assert 8 * packet / rate == pytest.approx(1e-3 * of("time between UDP packets"))
    assert {len(tcp["traffic"][0][end]) for end in ("from", "to")} == {10}


def test_the_size_limit_is_what_the_core_sends_in_an_interval() -> None:
    variants = PAPER.plan["variants"]["delta"]
    base = PAPER.scenario("scenario.toml").to_dict()["assembly"]
    pairs = [
        (name, keys["assembly.timeout"], keys["assembly.max-size"])
        for name, keys in variants.items()
    ]
    pairs.append((base["timeout"], base["timeout"], base["max-size"]))
    pairs += [
        (common["assembly.timeout"], common["assembly.timeout"], common["assembly.max-size"])
        for grid in PAPER.plan["grids"].values()
        if "assembly.max-size" in (common := grid.get("set", {}))
    ]
    assert len(pairs) == 7 + 1 + 6
    for name, timeout, size in pairs:
        assert name == timeout
        assert 8 * quantities.number(size) == pytest.approx(622e6 * quantities.number(timeout))

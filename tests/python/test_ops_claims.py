"""The rules of the ops paper's claims on made-up tables: they hold, differ, or cannot tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl
import pytest

import made_up_ops
import made_up_runs
from made_up_runs import both
from tcphoton.analysis.theory import truncated_normal_moments
from tcphoton.common import quantities
from tcphoton.papers import load
from tcphoton.papers.ledger import entry
from tcphoton.papers.ops.measures import (
    FAIRNESS,
    FORMULA,
    JITTER,
    MU,
    PUBLISHED,
    THROUGHPUT,
    closed_form,
    measured,
)
from tcphoton.papers.ops.rules import milder, straight
from tcphoton.papers.rules import robust

if TYPE_CHECKING:
    from made_up_ops import Change, Point, Row

PAPER = load("ops")
CLAIMS = {claim.claim: claim for claim in PAPER.claims}
WORLD = made_up_runs.World(PAPER, made_up_ops.table)
entry_of = WORLD.entry
SCALE = {"scale": "made up"}


def times(value: str, factor: float, **where: object) -> Change:
    """Multiply a measure where a point has these values."""

    def change(at: Point, row: Row) -> Row:
        hit = all(getattr(at, key) == wanted for key, wanted in where.items())
        return {**row, value: row[value] * factor} if hit else row

    return change


def put(value: str, number: float, **where: object) -> Change:
    """Give a measure another value where a point has these values."""

    def change(at: Point, row: Row) -> Row:
        hit = all(getattr(at, key) == wanted for key, wanted in where.items())
        return {**row, value: number} if hit else row

    return change


MIXED, APART, NONE = ({"scheme": name} for name in ("mixed-flow", "per-flow", "none"))
TCP, UDP = ({"transport": name} for name in ("tcp", "udp"))


DIFFERS: dict[str, dict[str, tuple[Change, str]]] = {
    "ops.1": {
        "like none": (times(THROUGHPUT, 0.62, **TCP, **MIXED), "differs"),
        "like per-flow at one Δ": (times(THROUGHPUT, 1.5, **TCP, **APART, delta=5.0), "in part"),
        "like none at one Δ": (
            both(
                times(THROUGHPUT, 0.62, **TCP, **MIXED, delta=2.0),
                times(THROUGHPUT, 0.5, **TCP, **APART),
            ),
            "in part",
        ),
    },
    "ops.2": {
        "never": (times(THROUGHPUT, 0.9, **TCP, **APART, delta=10.0), "in part"),
        "always": (times(THROUGHPUT, 1.2, **TCP, **APART), "in part"),
        "at small Δ only": (
            both(
                times(THROUGHPUT, 0.9, **TCP, **APART, delta=10.0),
                times(THROUGHPUT, 1.2, **TCP, **APART, delta=0.1),
            ),
            "differs",
        ),
    },
    "ops.3": {
        "mixed-flow falls": (times(THROUGHPUT, 0.5, **TCP, **MIXED, delta=10.0), "in part"),
        "per-flow falls": (times(THROUGHPUT, 0.5, **TCP, **APART, delta=10.0), "in part"),
        "both fall": (times(THROUGHPUT, 0.5, **TCP, delta=10.0), "differs"),
    },
    "ops.4": {
        "mixed-flow is fairer": (times(FAIRNESS, 1.2, **TCP, **MIXED), "in part"),
        "per-flow is fairer": (times(FAIRNESS, 1.4, **TCP, **APART, delta=1.0), "in part"),
        "mixed-flow falls": (times(FAIRNESS, 0.9, **TCP, **MIXED, delta=10.0), "in part"),
        "mixed-flow rises a lot": (times(FAIRNESS, 0.8, **TCP, **MIXED, delta=0.1), "in part"),
        "per-flow rises": (times(FAIRNESS, 1.2, **TCP, **APART, delta=10.0), "in part"),
    },
    "ops.5": {
        "none is best": (times(THROUGHPUT, 1.2, **UDP, **NONE), "in part"),
        "per-flow is best": (times(THROUGHPUT, 1.2, **UDP, **APART), "in part"),
        "mixed-flow depends on Δ": (
            times(THROUGHPUT, 0.8, **UDP, **MIXED, delta=0.1),
            "in part",
        ),
        "per-flow depends on Δ": (times(THROUGHPUT, 0.7, **UDP, **APART, delta=10.0), "in part"),
    },
    "ops.6": {
        "mixed-flow is not": (put(FAIRNESS, 0.9, **UDP, **MIXED, delta=2.0), "in part"),
        "none is not": (put(FAIRNESS, 0.9, **UDP, **NONE), "in part"),
        "per-flow rises": (put(FAIRNESS, 1.2, **UDP, **APART, delta=10.0), "in part"),
        "none of it": (
            both(
                put(FAIRNESS, 0.9, **UDP),
                put(FAIRNESS, 1.2, **UDP, **APART, delta=10.0),
            ),
            "differs",
        ),
    },
    "ops.7": {
        "none's is highest": (times(JITTER, 3, **UDP, **NONE), "in part"),
        "mixed-flow's falls": (times(JITTER, 0.7, **UDP, **MIXED, delta=10.0), "in part"),
        "per-flow's falls": (times(JITTER, 0.5, **UDP, **APART, delta=10.0), "in part"),
        "mixed-flow's is higher at 10 ms": (
            times(JITTER, 1.4, **UDP, **MIXED, delta=10.0),
            "in part",
        ),
    },
    "ops.8": {
        "half of the gain": (times(THROUGHPUT, 1.1, **TCP, deflects=False), "in shape"),
        "three times the gain": (times(THROUGHPUT, 0.75, **TCP, deflects=False), "in shape"),
        "a loss": (times(THROUGHPUT, 1.3, **TCP, deflects=False), "in part"),
        "fairer without": (times(FAIRNESS, 1.2, **TCP, deflects=False), "in part"),
        "in order": (put("reordered", -1, **TCP), "in part"),
        "none of it": (
            both(
                times(THROUGHPUT, 1.3, **TCP, deflects=False),
                times(FAIRNESS, 1.2, **TCP, deflects=False),
                put("reordered", -1, **TCP),
            ),
            "differs",
        ),
    },
    "ops.9": {
        "throughput over µ": (times(THROUGHPUT, 0.7, **TCP, mu=20.0), "in part"),
        "fairness over µ": (times(FAIRNESS, 0.7, **TCP, mu=20.0), "in part"),
        "throughput over σ": (times(THROUGHPUT, 0.7, **TCP, sigma=10.0), "in part"),
        "fairness over σ": (times(FAIRNESS, 1.3, **TCP, sigma=10.0), "in part"),
        "a slight rise": (times(THROUGHPUT, 1.05, **TCP, mu=20.0), "in part"),
    },
    "ops.10": {
        "falls with µ": (times(JITTER, 0.1, **UDP, mu=20.0), "in part"),
        "a bend over µ": (times(JITTER, 1.6, **UDP, mu=20.0), "in part"),
        "a bend over σ": (times(JITTER, 1.6, **UDP, sigma=10.0), "in part"),
        "falls with σ": (times(JITTER, 2.5, **UDP, sigma=0.0), "in part"),
    },
    "ops.11": {
        "rises": (times(THROUGHPUT, 2, **UDP, p=1.0), "in part"),
        "a bend": (times(THROUGHPUT, 1.2, **UDP, p=0.0), "in part"),
        "unfair at one p": (put(FAIRNESS, 0.9, **UDP, p=0.6), "in part"),
        "none of it": (
            both(times(THROUGHPUT, 2, **UDP, p=1.0), put(FAIRNESS, 0.9, **UDP, p=0.6)),
            "differs",
        ),
    },
    "ops.12": {
        "no fall of the throughput": (times(THROUGHPUT, 0.77, **TCP, p=0.0), "in part"),
        "no fall of the index": (times(FAIRNESS, 0.85, **TCP, p=0.0), "in part"),
        "no fall beyond": (times(THROUGHPUT, 2, **TCP, p=1.0), "in part"),
        "as steep beyond": (put(THROUGHPUT, -1.2e9, **TCP, p=1.0), "in part"),
        "the index falls beyond": (times(FAIRNESS, 0.8, **TCP, p=1.0), "in part"),
    },
    "ops.13": {"grows": (times(JITTER, 5, **UDP, p=1.0), "differs")},
    "ops.14": {
        "TCP gains more": (times(THROUGHPUT, 0.8, **TCP, deflects=False), "in part"),
        "unfair without": (put(FAIRNESS, 0.9, **UDP, deflects=False), "in part"),
        "unfair with deflection": (put(FAIRNESS, 0.9, **UDP, deflects=True), "in part"),
        "none of it": (
            both(times(THROUGHPUT, 0.8, **TCP, deflects=False), put(FAIRNESS, 0.9, **UDP)),
            "differs",
        ),
    },
    "ops.15": {
        "µ": (times(THROUGHPUT, 0.95, **UDP, mu=20.0), "in part"),
        "σ": (times(THROUGHPUT, 1.05, **UDP, sigma=10.0), "in part"),
        "both": (
            both(
                times(THROUGHPUT, 0.95, **UDP, mu=20.0),
                times(THROUGHPUT, 1.05, **UDP, sigma=10.0),
            ),
            "differs",
        ),
    },
}
BY_A_THRESHOLD: dict[str, dict[str, tuple[Change, str]]] = {
    "ops.1": {
        "30 %": (times(THROUGHPUT, 0.88, **TCP, **MIXED), "in shape"),
        "15 %": (times(THROUGHPUT, 0.75, **TCP, **MIXED), "cannot tell"),
    },
    "ops.2": {
        "4 % at small Δ": (times(THROUGHPUT, 1.075, **TCP, **APART, delta=0.1), "in shape"),
        "8 %": (times(THROUGHPUT, 1.115, **TCP, **APART, delta=0.1), "cannot tell"),
    },
    "ops.5": {
        "8 % by Δ": (times(THROUGHPUT, 0.92, **UDP, **MIXED, delta=0.1), "in shape"),
        "15 %": (times(THROUGHPUT, 0.87, **UDP, **MIXED, delta=0.1), "cannot tell"),
    },
    "ops.9": {
        "8 % by σ": (times(FAIRNESS, 0.92, **TCP, sigma=10.0), "in shape"),
        "15 %": (times(THROUGHPUT, 0.85, **TCP, sigma=10.0), "cannot tell"),
    },
    "ops.10": {
        "a slight bend": (times(JITTER, 1.15, **UDP, mu=20.0), "in shape"),
        "a bend": (times(JITTER, 1.4, **UDP, mu=20.0), "cannot tell"),
    },
    "ops.11": {
        "a slight bend": (times(THROUGHPUT, 1.02, **UDP, p=0.0), "in shape"),
        "a bend": (times(THROUGHPUT, 1.05, **UDP, p=0.0), "cannot tell"),
    },
    "ops.12": {
        "a fall of 15 %": (times(THROUGHPUT, 0.89, **TCP, p=0.0), "in shape"),
        "of 8 %": (put(THROUGHPUT, 5.1e8, **TCP, p=0.0), "cannot tell"),
        "a third as steep beyond": (put(THROUGHPUT, -0.05e9, **TCP, p=1.0), "in shape"),
        "three quarters": (put(THROUGHPUT, -0.5e9, **TCP, p=1.0), "cannot tell"),
        "the index falls by 15 % beyond": (times(FAIRNESS, 0.87, **TCP, p=1.0), "cannot tell"),
    },
    "ops.15": {
        "1.5 % by µ": (times(THROUGHPUT, 0.985, **UDP, mu=20.0), "in shape"),
        "3 %": (times(THROUGHPUT, 0.97, **UDP, mu=20.0), "cannot tell"),
    },
}
"""What half or twice our threshold would judge otherwise."""
STRADDLES: dict[str, tuple[Change, float]] = {
    "ops.1": (times(THROUGHPUT, 0.79, **TCP, **MIXED), 0.05),
    "ops.2": (times(THROUGHPUT, 315 / 335, **TCP, **APART, delta=10.0), 0.02),
    "ops.3": (times(THROUGHPUT, 455 / 500, **TCP, **MIXED, delta=10.0), 0.05),
    "ops.4": (times(FAIRNESS, 0.802 / 0.82, **TCP, **MIXED, delta=10.0), 0.01),
    "ops.5": (times(THROUGHPUT, 560 / 600, **UDP, **MIXED, delta=1.0), 0.01),
    "ops.6": (times(FAIRNESS, 0.99 / 0.999, **UDP, **NONE), 0.01),
    "ops.7": (times(JITTER, 4.6 / 4.0, **UDP, **MIXED, delta=10.0), 0.01),
    "ops.8": (times(THROUGHPUT, 1.19, **TCP, deflects=False), 0.3),
    "ops.9": (times(THROUGHPUT, 0.91, **TCP, sigma=10.0), 0.02),
    "ops.10": (times(JITTER, 1.16, **UDP, mu=20.0), 0.06),
    "ops.11": (times(THROUGHPUT, 0.9835, **UDP, p=1.0), 0.02),
    "ops.12": (times(THROUGHPUT, 0.84, **TCP, p=0.0), 0.03),
    "ops.13": (put(JITTER, 3.5e-3, **UDP), 0.05),
    "ops.14": (times(THROUGHPUT, 0.857, **TCP, deflects=False), 0.02),
    "ops.15": (times(THROUGHPUT, 0.98, **UDP, sigma=10.0), 0.004),
}


def test_every_claim_of_the_sheet_is_there() -> None:
    assert list(CLAIMS) == [f"ops.{number}" for number in range(1, 16)]
    assert set(DIFFERS) == set(STRADDLES) == set(CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS)
def test_tables_unlike_the_papers_differ_and_each_part_in_one_of_them(claim: str) -> None:
    made_up_runs.expect_unlike(entry_of, CLAIMS[claim], DIFFERS[claim])


@pytest.mark.parametrize(
    ("claim", "way"), [(claim, way) for claim, ways in BY_A_THRESHOLD.items() for way in ways]
)
def test_what_another_threshold_would_judge_otherwise_is_not_judged(claim: str, way: str) -> None:
    change, verdict = BY_A_THRESHOLD[claim][way]
    assert made_up_runs.is_by_a_threshold(entry_of(CLAIMS[claim], change), verdict)


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_interval_across_a_bound_cannot_tell(claim: str) -> None:
    change, noise = STRADDLES[claim]
    assert made_up_runs.is_open(entry_of(CLAIMS[claim], change, noise=noise))


@pytest.mark.parametrize("factor", [1.0, 1.3])
def test_the_order_of_jitters_at_small_intervals_is_out_of_reach(factor: float) -> None:
    """Whether per-flow's is lower there, as published, or higher."""
    claim = CLAIMS["ops.7"]
    change = both(
        times(JITTER, factor, **UDP, **APART, delta=0.1),
        times(JITTER, factor, **UDP, **APART, delta=1.0),
    )
    found = entry_of(claim, change)
    assert found["verdict"] == "out of reach"
    beyond = {part.name for part in claim.parts if part.beyond}
    assert beyond == {f"mixed-flow over per-flow, Δ = {delta}" for delta in ("0.1 ms", "1 ms")}
    for part in found["parts"]:
        assert (part["verdict"] == "out of reach") == (part["name"] in beyond)
        if part["name"] in beyond:
            assert (part["ours"] > 0) == (factor == 1)
            assert part["note"] == "contradicts the order of throughputs in ops.5"
    assert found["because"]


@pytest.mark.parametrize("artefact", ["assumptions-tcp", "assumptions-udp"])
def test_every_assumption_is_a_variant(artefact: str) -> None:
    parts = [part for claim in PAPER.claims for part in claim.sensitivity]
    names = [part.name.partition(", ")[0] for part in parts if part.artefact == artefact]
    assert list(dict.fromkeys(names)) == list(PAPER.plan["variants"][artefact])


def test_the_numbers_of_the_sensitivity_are_those_of_the_claim() -> None:
    claim = CLAIMS["ops.8"]
    artefacts = {part.artefact for part in (*claim.parts, *claim.sensitivity)}
    tables = {name: made_up_ops.table(PAPER, name, "full", noise=0) for name in artefacts}
    found = entry(claim, tables, SCALE)
    beside = {part["name"]: part["ours"] for part in found["sensitivity"]}
    ours = {part["name"]: part["ours"] for part in found["parts"]}
    for name in ("throughput", "fairness"):
        assert beside[f"as assumed, {name}"] == pytest.approx(ours[name])


# Rules by themselves.


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

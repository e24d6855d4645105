"""The rules of the hybrid paper's claims on made-up tables: they hold, differ, or cannot tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl
import pytest

import made_up_hybrid
import made_up_runs
from made_up_runs import both
from tcphoton.analysis import theory
from tcphoton.analysis.statistics import Interval
from tcphoton.common import quantities
from tcphoton.papers import load
from tcphoton.papers.comparisons import for_some
from tcphoton.papers.hybrid.beyond import OVER_LARGEST
from tcphoton.papers.hybrid.measures import (
    LENGTHS,
    LOAD,
    MARGIN,
    PORTS,
    PUBLISHED,
    THROUGHPUT,
    named,
    per_second,
)
from tcphoton.papers.hybrid.rules import NOISE, alike, further_apart, highest, reaches
from tcphoton.papers.hybrid.rules import times as is_times
from tcphoton.papers.ledger import entry
from tcphoton.papers.rules import about

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from made_up_hybrid import Change, Point, Row

pytestmark = pytest.mark.slow

PAPER = load("hybrid")
CLAIMS = {claim.claim: claim for claim in PAPER.claims}
WORLD = made_up_runs.World(PAPER, made_up_hybrid.table)
entry_of = WORLD.entry
SCALE = {"scale": "made up"}


def times(factor: float, when: Callable[[Point], bool] = lambda _: True, **where: object) -> Change:
    """Multiply the throughput where a point has these values."""

    def change(at: Point, row: Row) -> Row:
        hit = when(at) and all(getattr(at, key) == wanted for key, wanted in where.items())
        return {**row, THROUGHPUT: row[THROUGHPUT] * factor} if hit else row

    return change


def high(at: Point) -> bool:
    return at.load > 1e7


def low_hybrid(at: Point) -> bool:
    return at.load <= 1e7 and bool(at.ports)


def high_hybrid(at: Point) -> bool:
    return high(at) and bool(at.ports)


DIFFERS: dict[str, dict[str, tuple[Change, str]]] = {
    "hybrid.1": {
        "far above at a low load": (
            times(1.6, load=1e6, length="10 m", ports=5, margin=0),
            "in part",
        ),
        "far below at 10⁷": (times(0.4, load=1e7, length="100 m", ports=2, margin=0), "in part"),
        "far above at low loads": (times(1.6, low_hybrid, margin=0), "in part"),
        "four times": (times(2, high, length="10 m", ports=5, margin=0), "in shape"),
        "alike at high load": (times(1 / 1.4, high, length="10 m", ports=5, margin=0), "in shape"),
        "worse at high load": (times(0.6, load=1e9, length="100 m", ports=2, margin=0), "in part"),
        "worse at high loads": (times(0.4, high_hybrid, margin=0), "in part"),
        "apart, and worse at high loads": (
            times(0.4, lambda at: bool(at.ports), margin=0),
            "differs",
        ),
    },
    "hybrid.2": {
        "40 % at 100 m": (times(1.4 / 1.9, high, length="100 m", ports=5, margin=4), "in part"),
        "40 % at one load": (
            times(1.4 / 2.4, load=3e7, length="10 m", ports=2, margin=4),
            "in part",
        ),
        "less than half of it": (times(0.45, high_hybrid, margin=4), "differs"),
    },
    "hybrid.3": {
        "5 worse than 2": (times(0.7, length="10 m", ports=5, margin=4), "in part"),
        "2 as bad as 0 with p = 1": (
            times(0.6, load=1e8, length="100 m", ports=2, margin=1),
            "in part",
        ),
        "5 worse than 2 at one load": (times(0.5, load=3e8, ports=5), "in part"),
        "2 worse than 0": (times(0.3, ports=2), "in part"),
        "the fewer, the better": (
            lambda at, row: {**row, THROUGHPUT: row[THROUGHPUT] * 0.3 ** (at.ports or 0)},
            "differs",
        ),
    },
    "hybrid.4": {
        "8 is better": (times(1.2, length="10 m", margin=8), "in part"),
        "6 is better at one load": (
            times(1.2, length="100 m", ports=2, margin=6, load=1e6),
            "in part",
        ),
        "6 is better": (times(1.2, margin=6), "differs"),
    },
    "hybrid.5": {
        "twice": (times(2 / 3, high, length="10 m", ports=5, margin=4), "in shape"),
        "five times at one load": (
            times(5 / 3, length="10 m", ports=5, margin=4, load=3e8),
            "in shape",
        ),
        "less at one load": (times(0.3, length="10 m", ports=5, margin=4, load=3e8), "differs"),
        "no more": (times(1 / 3, high, length="10 m", ports=5, margin=4), "differs"),
    },
    "hybrid.6": {
        "20 Gb/s at 1000 m": (times(20 / 16, length="1000 m"), "in part"),
        "2.3 Gb/s at one point": (
            times(2.3 / 1.85, length="10000 m", ports=5, margin=1, load=1e9),
            "in part",
        ),
        "a gain by buffers": (times(1.2, length="1000 m", ports=5, margin=4), "in part"),
        "a loss by p": (times(0.8, length="10000 m", ports=0, margin=4, load=1e5), "in part"),
        "a gain by p": (times(1.3, margin=4), "differs"),
    },
    "hybrid.7": {
        "as far ahead at 10⁷": (times(2.1, length="10 m", ports=5, margin=0, load=1e7), "in part"),
        "behind at one load": (
            times(0.95 / 1.4, length="100 m", ports=5, margin=0, load=3e7),
            "in part",
        ),
        "behind": (times(0.4, high, ports=5, margin=0), "in part"),
        "ahead before": (times(1.5, load=1e6, ports=5, margin=0), "in part"),
        "behind, and ahead before": (
            both(times(0.4, high, ports=5, margin=0), times(1.5, load=1e6, ports=5, margin=0)),
            "differs",
        ),
    },
}
BY_A_THRESHOLD: dict[str, dict[str, tuple[Change, str]]] = {
    "hybrid.1": {
        "15 % above at a low load": (
            times(1.15, load=1e6, length="10 m", ports=5, margin=0),
            "in shape",
        ),
        "30 % above": (times(1.3, load=1e6, length="10 m", ports=5, margin=0), "cannot tell"),
        "30 % below": (times(0.7, load=1e7, length="100 m", ports=2, margin=0), "cannot tell"),
    },
}
"""What half or twice our threshold would judge otherwise."""
STRADDLES: dict[str, tuple[Change, float]] = {
    "hybrid.1": (times(1.25 / 1.01, length="10 m", ports=5, margin=0, load=1e7), 0.1),
    "hybrid.2": (times(1.5 / 1.7, high, length="100 m", ports=2, margin=4), 0.1),
    "hybrid.3": (times(2.4 / 3.0, load=1e8, length="10 m", ports=5, margin=4), 0.1),
    "hybrid.4": (times(1.05, length="10 m", ports=5, margin=8, load=1e8), 0.1),
    "hybrid.5": (times(1.0), 1.0),
    "hybrid.6": (times(0.825, length="1000 m", ports=5, margin=4, load=1e8), 0.02),
    "hybrid.7": (times(1.0 / 1.4, length="100 m", ports=5, margin=0, load=3e7), 0.1),
}


def test_every_claim_of_the_sheet_is_there() -> None:
    assert list(CLAIMS) == [f"hybrid.{number}" for number in range(1, 8)]
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
    assert made_up_runs.is_open(entry_of(CLAIMS[claim], change, noise=noise, seeds=10))


@pytest.mark.parametrize("artefact", ["assumptions", "batch"])
def test_every_assumption_is_a_variant(artefact: str) -> None:
    parts = [part for claim in PAPER.claims for part in claim.sensitivity]
    names = [part.name.partition(", ")[0] for part in parts if part.artefact == artefact]
    assert list(dict.fromkeys(names)) == list(PAPER.plan["variants"][artefact])


def test_the_numbers_of_the_sensitivity_are_those_of_the_claim() -> None:
    claim = CLAIMS["hybrid.5"]
    artefacts = {part.artefact for part in (*claim.parts, *claim.sensitivity)}
    tables = {name: made_up_hybrid.table(PAPER, name, "full", noise=0) for name in artefacts}
    found = entry(claim, tables, SCALE)
    beside = {part["name"]: part["ours"] for part in found["sensitivity"]}
    assert beside["as assumed, 10 m"] == pytest.approx(found["parts"][0]["ours"])
    assert beside["500 files up to 5 MB, 10 m"] == pytest.approx(found["parts"][0]["ours"])


# Rules by themselves.


def curves(values: dict[tuple[int, float], float]) -> pl.DataFrame:
    rows = [
        {"n": n, "x": x, "seed": seed, "y": y * (1 + 0.001 * (seed - 2))}
        for (n, x), y in values.items()
        for seed in (1, 2, 3)
    ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (2.9, "holds"),
        (2.26, "holds"),
        (2.0, "in shape"),
        (4.0, "in shape"),
        (1.1, "in shape"),
        (1.0, "differs"),
        (0.9, "differs"),
    ],
)
def test_about_3_times_is_a_quarter_either_way_and_more_at_all(ours: float, verdict: str) -> None:
    found = is_times("y", {"n": 1}, {"n": 0}, 3)(curves({(0, 0): 10.0, (1, 0): 10 * ours}))
    assert found.ours == pytest.approx(ours)
    assert (found.verdict, found.unit) == (verdict, "times")


def test_a_factor_is_reached_where_the_ratio_is_largest_from_a_value_on() -> None:
    table = curves({(0, 1): 1.0, (0, 2): 1.0, (0, 3): 1.0, (1, 1): 9.0, (1, 2): 1.5, (1, 3): 2.1})
    found = for_some("x", 2, 3, reaches("y", "x", {"n": 1}, {"n": 0}, 2))(table)
    assert found.ours == pytest.approx(2.1)
    assert (found.verdict, found.note) == ("holds", "3")


def points(values: dict[tuple[int, float], float]) -> pl.DataFrame:
    return curves(values).rename({"n": PORTS, "x": LOAD}).with_columns(pl.lit(0).alias(MARGIN))


def test_the_highest_mean_is_held_against_the_bound() -> None:
    table = points({(0, 1): 15e9, (1, 1): 16e9, (1, 10): 14e9})
    for bound, verdict in ((16.5, "holds"), (15.5, "differs"), (16.0, "cannot tell")):
        found = highest("y", {}, bound, with_noise=False)(table)
        assert found.ours == pytest.approx(16)
        assert (found.verdict, found.note) == (verdict, "n_e = 1, p = 0, 10^0/s")
    noisy = highest("y", {}, 15.5, with_noise=True)(table)
    assert noisy.band == (-math.inf, 15.5 * (1 + NOISE))
    assert noisy.verdict == "holds"


def test_points_are_alike_if_each_is_like_the_one_at_its_own_value() -> None:
    values: dict[tuple[int, float], float] = {
        (0, 1): 10.0,
        (0, 10): 20.0,
        (1, 1): 10.5,
        (1, 10): 21.0,
    }
    rule = alike("y", {}, {PORTS: 0}, percent=10)
    assert rule(points(values)).verdict == "holds"
    differs = rule(points({**values, (1, 10): 23.0}))
    assert (differs.verdict, differs.note) == ("differs", "n_e = 1, p = 0, 10^1/s")
    assert differs.ours == pytest.approx(15)


@pytest.mark.parametrize("rate", [1e5, 3e5, 1e6, 1e9])
def test_an_arrival_rate_is_named_by_its_power_of_ten(rate: float) -> None:
    digits, _, power = per_second(rate).removesuffix("/s").rpartition("10^")
    assert float(digits.rstrip("·") or 1) * 10 ** int(power) == rate
    assert named({}) == ""


# The scenario and the published numbers.


def of(what: str) -> float:
    return PUBLISHED["", what]


def test_the_scenario_is_the_papers() -> None:
    scenario = PAPER.scenario("scenario.toml").to_dict()
    tree, core, (flows,) = (scenario[key] for key in ("topology", "core", "traffic"))
    k = tree["k"]
    assert k**3 / 4 == of("servers")
    assert 5 * k**2 / 4 == of("switches")
    assert k == of("azimuths")
    assert quantities.number(tree["link"]["rate"]) == 1e9 * of("rate")
    assert core["electronic-ports"] == of("most electronic ports")
    transport = flows["transport"]
    assert quantities.number(transport["packet"]) == 1e3 * of("data packet")
    assert quantities.number(transport["control"]) == of("control packet")
    assert quantities.number(transport["initial-rto"]) == 1e-3 * of("initial RTO")
    assert quantities.number(transport["max-rto"]) == of("largest RTO")
    assert transport["rto-backoff"] == of("alpha")
    assert transport["rto-weight"] == of("beta")
    assert transport["rto-margin"] == of("largest p")


def test_the_curves_are_the_papers() -> None:
    for grid, length in zip(("ten", "hundred", "thousand", "ten-thousand"), LENGTHS, strict=True):
        plan = PAPER.plan["grids"][grid]
        assert plan["set"] == {"topology.link.length": length}
        for scale in ("full", "quick"):
            # Further products have more seeds at points of the first.
            for product in plan[scale][:1]:
                ports, margins = [*product["over"].values()][:2]
                names = ("fewest", "few", "most")
                assert ports == [of(f"{name} electronic ports") for name in names]
                assert margins == [of(f"{name} p") for name in ("smallest", "middle", "largest")]
    published = ("shortest link", "short link", "long link", "longest link")
    assert [quantities.number(length) for length in LENGTHS] == [of(each) for each in published]


def test_electronic_switches_carry_the_same_batch_over_the_same_tree() -> None:
    hybrid, electronic = (
        PAPER.scenario(file).to_dict() for file in ("scenario.toml", "electronic.toml")
    )
    assert hybrid["traffic"] == electronic["traffic"]
    assert "core" not in electronic
    queue = electronic["topology"]["link"].pop("queue")
    assert hybrid["topology"] == electronic["topology"]
    packet = hybrid["traffic"][0]["transport"]["packet"]
    assert queue["mark-above"] == pytest.approx(65 * 1500 / quantities.number(packet), abs=1)


def test_the_batch_has_the_bounds_of_the_long_links() -> None:
    """The inference behind the batch: its total over its largest file, at the rate of a cycle."""
    source = PAPER.scenario("scenario.toml").to_dict()["traffic"][0]["source"]
    size = source["size"]
    assert size["beyond"] == "redraw"
    largest = quantities.number(size["max"])
    ratio = theory.total_over_largest(source["limit"], size["mu"], size["sigma"], largest)
    assert ratio == OVER_LARGEST
    for length in ("1000 m", "10000 m"):
        bound = PUBLISHED["hybrid.6", f"bound at {length}"]
        alone = 1e-9 * theory.stop_and_wait_rate(quantities.number(length))
        assert ratio * alone == pytest.approx(bound, rel=0.05)
    assert pytest.approx(0.124, rel=1e-2) == NOISE


@pytest.mark.parametrize("variant", PAPER.plan["variants"]["batch"])
def test_every_limited_batch_has_about_the_same_total_over_its_largest(variant: str) -> None:
    source = PAPER.scenario("scenario.toml").to_dict()["traffic"][0]["source"]
    keys = PAPER.plan["variants"]["batch"][variant]
    limit = keys.get("traffic.0.source.limit", source["limit"])
    size = keys.get("traffic.0.source.size", source["size"])
    most = keys.get("traffic.0.source.size.max", size.get("max"))
    ratio = theory.total_over_largest(
        limit, size["mu"], size["sigma"], quantities.number(most) if most else float("inf")
    )
    expected = 7.85 if "without" in variant else 15.8
    assert ratio == pytest.approx(expected, rel=0.02)
    assert variant.startswith(f"{limit} files")
    assert (f"up to {most}" if most else "without a limit") in variant


def pairs(values: Mapping[tuple[str, int], tuple[float, ...]]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"curve": curve, "load": load, "seed": seed, "rate": rate}
            for (curve, load), rates in values.items()
            for seed, rate in enumerate(rates)
        ]
    )


def test_a_factor_is_the_mean_of_a_hundred_runs() -> None:
    """Of three seeds 2.0 to 2.4 times: 3 could be one run of ours, but no mean of a hundred."""
    table = pairs({("a", 1): (2.0, 2.2, 2.4), ("b", 1): (1.0, 1.0, 1.0)})
    at, base = {"curve": "a", "load": 1}, {"curve": "b", "load": 1}
    found = is_times("rate", at, base, 3)(table)
    half = 4.30265 * 0.2 / 3**0.5
    assert found.interval == pytest.approx((2.2 - half, 2.2 + half), abs=1e-4)
    hundred = half * math.sqrt(1 + 3 / 100)
    assert found.one_run == pytest.approx((2.2 - hundred, 2.2 + hundred), abs=1e-4)
    assert found.verdict == "in shape"
    one = about(Interval(2.2, 2.2 - half, 2.2 + half, 3), 3, "times", null=1)
    assert one.verdict == "holds"
    largest = reaches("rate", "load", {"curve": "a"}, {"curve": "b"}, 3)(table)
    assert (largest.verdict, largest.one_run) == (found.verdict, found.one_run)


RATES = {
    ("a", 10): (4.0, 2.0, 6.0), ("b", 10): (2.0, 1.0, 3.0),
    ("a", 20): (6.0, 4.0, 6.0), ("b", 20): (2.0, 1.0, 2.0),
    ("a", 40): (8.0, 12.0, 6.0), ("b", 40): (1.0, 2.0, 1.0),
}  # fmt: skip
"""2 times at 10; 3, 4 and 3 times at 20; 8, 6 and 6 times at 40."""


FURTHER = further_apart("rate", "load", {"curve": "a"}, {"curve": "b"}, 10)


def test_a_ratio_that_grows_beyond_a_point_is_by_hand() -> None:
    found = FURTHER(pairs(RATES))
    grown = [math.sqrt(3 * 8), math.sqrt(4 * 6), math.sqrt(3 * 6)]
    assert found.ours == pytest.approx(100 * (math.prod(grown) ** (1 / 3) / 2 - 1))
    assert (found.verdict, found.unit, found.seeds) == ("holds", "%", 3)
    only = FURTHER(pairs(RATES).filter(pl.col("load") != 20))
    assert only.ours == pytest.approx(100 * ((8 * 6 * 6) ** (1 / 3) / 2 - 1))
    back = {({"a": "b", "b": "a"}[curve], load): rates for (curve, load), rates in RATES.items()}
    assert FURTHER(pairs(back)).verdict == "differs"
    # A seed counts if it is at every point, and nothing does beyond the last.
    short = pairs({**RATES, ("b", 20): (2.0, 1.0)})
    assert FURTHER(short).seeds == 2
    assert FURTHER(short).verdict == "cannot tell"
    assert FURTHER(short.filter(pl.col("load") != 20)) == only
    assert FURTHER(pairs(RATES).filter(pl.col("load") == 10)).verdict == "not covered"
    assert FURTHER(pairs(RATES).filter(pl.col("load") > 10)).verdict == "not covered"


def test_a_ratio_that_grows_at_some_points_only_may_not_grow_together() -> None:
    """Twice as large at 20 and a quarter at 40, against 10; half as large is the mean of both."""
    rates = {(curve, load): (1.0, 1.1, 1.2) for curve in "ab" for load in (10, 20, 40)}
    rates |= {("a", 20): (2.0, 2.2, 2.4), ("a", 40): (0.25, 0.275, 0.31)}
    found = FURTHER(pairs(rates))
    assert found.verdict == "differs"
    assert found.ours == pytest.approx(-29, abs=1)

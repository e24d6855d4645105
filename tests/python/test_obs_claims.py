"""The rules of the obs paper's claims on made-up tables: they hold, differ, or cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import made_up_runs
from made_up import WORLD, row
from tcphoton.papers import load
from tcphoton.papers.ledger import entry
from tcphoton.papers.obs.measures import EIGHT, LOSS, SIZE, TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from made_up import Curve
    from tcphoton.papers.ledger import Claim, Entry
    from tcphoton.papers.rules import Rule

PAPER = load("obs")
CLAIMS = {claim.claim: claim for claim in PAPER.claims}
SIZES = ("20 kB", "120 kB", "200 kB", "260 kB", "300 kB")
LOSSES = (0.0, 0.001, 0.002, 0.003, 0.05, 0.1)
SEEDS = (1, 2, 3, 4)
THREE_NODES = {"fig2a", "fig2b", "fig2-400", "fig3a", "fig3b"}


def points(eight: bool) -> Iterator[tuple[float, str, str]]:
    for p in LOSSES:
        for size in SIZES:
            yield p, size, "1 ms"
            if p == 0.002 and not eight:
                yield p, size, "5 ms"
        if eight:
            yield p, "200 kB", "8 ms"


def table(
    world: dict[str, Curve], *, eight: bool, noise: float, seeds: tuple[int, ...]
) -> pl.DataFrame:
    keys = (LOSS, SIZE, TIMEOUT)
    at = [dict(zip(keys, point, strict=True)) for point in points(eight)]
    return pl.DataFrame(
        [
            {**point, "seed": seed, **row(point, seed, eight=eight, world=world, noise=noise)}
            for point in at
            for seed in seeds
        ]
    )


def entry_of(
    claim: Claim,
    changed: dict[str, Curve] | None = None,
    noise: float = 0.0005,
    seeds: tuple[int, ...] = SEEDS,
) -> Entry:
    world = {**PAPERS, **(changed or {})}
    three, eight = (table(world, eight=each, noise=noise, seeds=seeds) for each in (False, True))
    artefacts = {part.artefact for part in claim.parts}
    tables = {name: three if name in THREE_NODES else eight for name in artefacts}
    found = entry(claim, tables, {"scale": "made up"})
    for part in found["parts"]:
        if part["interval"] is not None:
            low, high = part["interval"]
            assert low - 1e-6 <= part["ours"] <= high + 1e-6
    return found


def moved(name: str, by: Callable[[float, float, float], float]) -> dict[str, Curve]:
    """Return one curve multiplied by a factor of its own."""
    return {name: lambda p, size, timeout: WORLD[name](p, size, timeout) * by(p, size, timeout)}


def added(name: str, by: Callable[[float, float, float], float]) -> dict[str, Curve]:
    """Return one curve with something added to it."""
    return {name: lambda p, size, timeout: PAPERS[name](p, size, timeout) + by(p, size, timeout)}


def flat(name: str, value: float) -> dict[str, Curve]:
    return {name: lambda *_: value}


PAPERS: dict[str, Curve] = {
    **WORLD,
    # At p = 0.003 half is lost at 300 kB, too, and 200 Mb/s gain by size at p = 0.001.
    **moved("share 1000", lambda p, s, _: 49.7 / 54 if (p, s) == (0.003, 300) else 1),
    **moved("share eight", lambda p, *_: 0.9 if p == 0.003 else 1),
    **moved("share 200", lambda p, s, _: 0.95 if p == 0.001 and s < 120 else 1),
}
"""A world in which every claim of the paper holds, whichever threshold of ours one takes."""
SHARES = ("share 1000", "share 200", "share eight")


def at_high(points: float, shares: tuple[str, ...] = SHARES) -> dict[str, Curve]:
    """Return shares with some points more at a high p for the largest bursts."""

    def more(p: float, size: float, _: float) -> float:
        return points if p > 0.01 and size > 250 else 0

    return {name: curve for each in shares for name, curve in added(each, more).items()}


def beyond_200(percent: float) -> dict[str, Curve]:
    """Return a delay that rises so many times as steeply beyond 200 kB as before."""

    def more(_p: float, size: float, _t: float) -> float:
        return percent / 100 * max(0, size - 200) / 250

    return added("delay three", more)


def longer_timeout(name: str, by: float) -> dict[str, Curve]:
    return moved(name, lambda _p, _s, timeout: by if timeout > 1 else 1)


DIFFERS: dict[str, dict[str, tuple[dict[str, Curve], str]]] = {
    "obs.1": {
        "400 Mb/s lose at one size": (
            moved("share 400", lambda p, size, _: 0.9 if (p, size) == (0, 120) else 1),
            "in part",
        ),
        "1000 Mb/s lose": (moved("share 1000", lambda *_: 0.95), "in part"),
        "200 Mb/s gain": (moved("share 200", lambda *_: 1.05), "in part"),
        "none has it": (
            {f"share {rate}": lambda *_: 90.0 for rate in (1000, 400, 200)},
            "differs",
        ),
    },
    "obs.2": {
        "it falls on three nodes": ({"delay three": lambda _p, s, _t: 6 - s / 250}, "in part"),
        "it falls on eight nodes": ({"delay eight": lambda _p, s, _t: 9 - s / 250}, "in part"),
        "it falls": (
            {f"delay {many}": lambda _p, s, _t: 9 - s / 250 for many in ("three", "eight")},
            "differs",
        ),
    },
    "obs.3": {
        "37 % at 0.001": (moved("share 1000", lambda p, *_: 0.7 if p == 0.001 else 1), "in shape"),
        "80 % at 0.003": (moved("share 1000", lambda p, *_: 0.4 if p == 0.003 else 1), "in shape"),
        "both": (moved("share 1000", lambda p, *_: 0.4 if p > 0 else 1), "in shape"),
        "a rise at 0.001": (moved("share 1000", lambda p, *_: 1.3 if p == 0.001 else 1), "in part"),
        "no fall at 0.003": (
            moved("share 1000", lambda p, *_: 99.9 / 49.9 if p == 0.003 else 1),
            "in part",
        ),
        "no fall": (flat("share 1000", 90.0), "differs"),
    },
    "obs.4": {
        "no growth": (flat("share 400", 80.0), "differs"),
        "a fall": ({"share 400": lambda _p, size, _t: 90 - size / 5}, "differs"),
        "60 %": ({"share 400": lambda _p, size, _t: 50 if size < 120 else 80}, "in shape"),
    },
    "obs.5": {
        "a fifth of the rate": (at_high(20), "in part"),
        "as much as at 0.001": (
            {each: lambda p, s, _t: 50.0 + (p > 0.01) * (s > 250) for each in SHARES},
            "in part",
        ),
        "a third of the rate": (at_high(35), "differs"),
    },
    "obs.6": {
        "at the same sizes": (
            {
                name: lambda p, size, _: 97 if size > 250 or p == 0 else 60
                for name in ("share 200", "share 1000")
            },
            "differs",
        ),
        "at the same size at 0.001": (
            {
                **moved("share 200", lambda p, s, _: 0.9 if p == 0.001 and s < 250 else 1),
                **moved("share 1000", lambda p, s, _: 1.2 if p == 0.001 and s > 250 else 1),
            },
            "in part",
        ),
    },
    "obs.7": {
        "three times as steep beyond": (beyond_200(300), "in part"),
        "a fall to 200 kB": ({"delay three": lambda _p, s, _t: 6 - min(s, 200) / 250}, "in part"),
        "30 % more": (longer_timeout("delay three", 1.3), "in part"),
    },
    "obs.8": {
        "a fall": ({"share eight": lambda _p, size, _t: 90 - size / 10}, "differs"),
        "a fall at 0.003": (
            added("share eight", lambda p, s, _: -s / 5 if p == 0.003 else 0),
            "in part",
        ),
    },
    "obs.9": {
        "130 % more delay": (longer_timeout("delay eight", 1.5), "in shape"),
        "60 % less throughput": (longer_timeout("share eight", 0.55), "in shape"),
        "both": (
            {**longer_timeout("delay eight", 1.5), **longer_timeout("share eight", 0.55)},
            "in shape",
        ),
        "more throughput": (longer_timeout("share eight", 1.8), "in part"),
        "no effect on the delay": (longer_timeout("delay eight", 1 / 1.53), "in part"),
        "the other way": (
            {**longer_timeout("delay eight", 0.5), **longer_timeout("share eight", 1.8)},
            "differs",
        ),
    },
    "obs.10": {
        "more for the delay at 0.1": (
            moved("delay eight", lambda p, _s, t: 2.5 if p == 0.1 and t > 1 else 1),
            "in part",
        ),
        "more for the throughput at 0.05": (
            moved("share eight", lambda p, _s, t: 0.5 if p == 0.05 and t > 1 else 1),
            "in part",
        ),
        "more": (
            {
                **moved("delay eight", lambda p, _s, t: 2.5 if p > 0.01 and t > 1 else 1),
                **moved("share eight", lambda p, _s, t: 1.5 if p > 0.01 and t > 1 else 1),
            },
            "differs",
        ),
    },
    "obs.11": {
        "1000 Mb/s lose 30 % at small sizes": (
            moved("share 1000", lambda _p, size, t: 0.7 if size < 100 and t > 1 else 1),
            "in part",
        ),
        "all gain": (
            {
                name: curve
                for rate in (1000, 400, 200)
                for name, curve in longer_timeout(f"share {rate}", 1.3).items()
            },
            "differs",
        ),
    },
    "obs.12": {
        "a fall": ({"delay three": lambda p, size, _: 9 + size / 250 - 20 * p}, "differs"),
        "a fall beyond 0.003": (
            {"delay three": lambda p, size, _: 4 + size / 250 + (40 * p if p < 0.01 else -10 * p)},
            "in part",
        ),
        "a fall up to 0.003": (
            {"delay three": lambda p, size, _: 4 + size / 250 + (20 if p > 0.01 else -40) * p},
            "in part",
        ),
    },
    "obs.13": {
        "a twentieth on eight nodes": (
            moved("share eight", lambda p, *_: 1.9 if p == 0.003 else 1),
            "in part",
        ),
        "a twentieth on three nodes at one size": (
            moved("share 1000", lambda p, s, _: 95 / 54 if (p, s) == (0.003, 300) else 1),
            "in part",
        ),
        "a twentieth": (
            {"share eight": lambda *_: 95.0, "share 1000": lambda *_: 95.0},
            "differs",
        ),
    },
}
BY_A_THRESHOLD: dict[str, dict[str, tuple[dict[str, Curve], str]]] = {
    "obs.5": {
        "4 % of the rate": (at_high(4), "in shape"),
        "7 %": (at_high(7, ("share 1000",)), "cannot tell"),
    },
    "obs.7": {
        "40 % as steep beyond": (beyond_200(40), "in shape"),
        "80 %": (beyond_200(80), "cannot tell"),
    },
    "obs.11": {
        "8 % less throughput": (longer_timeout("share 400", 0.92), "in shape"),
        "15 %": (longer_timeout("share 400", 0.85), "cannot tell"),
    },
    "obs.13": {
        "30 % lost": (moved("share eight", lambda p, *_: 1.4 if p == 0.003 else 1), "in shape"),
        "15 %": (moved("share eight", lambda p, *_: 1.7 if p == 0.003 else 1), "cannot tell"),
    },
}
"""What half or twice our threshold would judge otherwise."""
STRADDLES: dict[str, tuple[dict[str, Curve], float]] = {
    "obs.1": (moved("share 200", lambda *_: 0.983), 0.01),
    "obs.2": ({"delay three": lambda _p, size, _t: 5 + size / 2500}, 0.03),
    "obs.3": ({}, 0.15),
    "obs.4": ({}, 0.3),
    "obs.5": (at_high(5), 0.1),
    "obs.6": ({"share 200": lambda *_: 95.2, "share 1000": lambda *_: 95.3}, 0.02),
    "obs.7": (beyond_200(100), 0.005),
    "obs.8": (flat("share eight", 50.0), 0.02),
    "obs.9": ({}, 0.15),
    "obs.10": (flat("delay eight", 6.0), 0.01),
    "obs.11": (longer_timeout("share 1000", 0.91), 0.01),
    "obs.12": ({"delay three": lambda *_: 6.0}, 0.08),
    "obs.13": (moved("share 1000", lambda p, s, _t: 1.48 if (p, s) == (0.003, 300) else 1), 0.02),
}


def test_every_claim_of_the_sheet_is_there() -> None:
    assert list(CLAIMS) == [f"obs.{number}" for number in range(1, 14)]
    assert set(DIFFERS) == set(STRADDLES) == set(CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_table_like_the_papers_holds(claim: str) -> None:
    assert entry_of(CLAIMS[claim])["verdict"] == "holds"


@pytest.mark.parametrize("claim", CLAIMS)
def test_tables_unlike_the_papers_differ_and_each_part_in_one_of_them(claim: str) -> None:
    made_up_runs.expect_unlike(entry_of, CLAIMS[claim], DIFFERS[claim])


@pytest.mark.parametrize(
    ("claim", "way"), [(claim, way) for claim, ways in BY_A_THRESHOLD.items() for way in ways]
)
def test_what_another_threshold_would_judge_otherwise_is_not_judged(claim: str, way: str) -> None:
    changed, verdict = BY_A_THRESHOLD[claim][way]
    assert made_up_runs.is_by_a_threshold(entry_of(CLAIMS[claim], changed), verdict)


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_interval_across_a_bound_cannot_tell(claim: str) -> None:
    changed, noise = STRADDLES[claim]
    assert made_up_runs.is_open(entry_of(CLAIMS[claim], changed, noise))


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("seeds", [(1,), (1, 2)])
def test_fewer_than_three_seeds_cannot_tell(seeds: tuple[int, ...], claim: str) -> None:
    assert entry_of(CLAIMS[claim], seeds=seeds)["verdict"] == "cannot tell"


BESIDE: dict[str, dict[str, Curve]] = {
    "obs.7": moved("delay three", lambda _p, s, t: 0.9 if t > 1 else 1),
    "obs.12": {"delay eight": lambda p, size, _: 9 + size / 250 - 20 * p},
    "obs.13": {"share 400": lambda *_: 99.0, "share 200": lambda *_: 99.0},
}


@pytest.mark.parametrize("claim", BESIDE)
def test_what_is_shown_beside_decides_nothing(claim: str) -> None:
    found = entry_of(CLAIMS[claim], BESIDE[claim])
    assert found["verdict"] == "holds"
    assert "differs" in {part["verdict"] for part in found["parts"] if not part["counts"]}


def test_the_numbers_of_the_sensitivity_are_those_of_the_claim() -> None:
    three = table(PAPERS, eight=False, noise=0.001, seeds=SEEDS)
    labels = {"grid": "window-three", "variant": "validation"}
    window = three.with_columns(**{key: pl.lit(value) for key, value in labels.items()})
    found = entry(CLAIMS["obs.3"], {"fig2a": three, "window": window}, {"scale": "made up"})
    beside = {part["name"]: part["ours"] for part in found["sensitivity"]}
    assert [beside[f"validation, p = {p}"] for p in (0.001, 0.003)] == [
        part["ours"] for part in found["parts"]
    ]
    assert beside["60 s, p = 0.001"] is None


# Rules by themselves.


def rule_of(claim: str, name: str) -> Rule:
    (found,) = (
        part.rule
        for part in (*CLAIMS[claim].parts, *CLAIMS[claim].sensitivity)
        if part.name == name
    )
    return found


def by_hand(value: str, points: Mapping[tuple[float, str], tuple[float, ...]]) -> pl.DataFrame:
    """Return a table of shares of 1000 Mb/s on eight nodes, or of delays in ms, by the seed."""
    column, scale = {
        "share": (f"traffic.{EIGHT.entry}.goodput", EIGHT.count * EIGHT.rate * 1e4),
        "delay": (f"traffic.{EIGHT.entry}.delay-wire-mean", 1e-3),
    }[value]
    return pl.DataFrame(
        [
            {LOSS: p, SIZE: size, TIMEOUT: "1 ms", "seed": seed, column: scale * each}
            for (p, size), values in points.items()
            for seed, each in enumerate(values)
        ]
    )


@pytest.mark.parametrize(("fall", "verdict"), [(14, "holds"), (16, "in shape"), (6, "holds")])
def test_a_fall_of_ten_per_cent_is_printed_to_tens(fall: float, verdict: str) -> None:
    changed = moved("share 1000", lambda p, *_: (100 - fall) / 90 if p == 0.001 else 1)
    assert entry_of(CLAIMS["obs.3"], changed)["verdict"] == verdict


SHORT, LONG = {SIZE: "200 kB", TIMEOUT: "1 ms"}, {SIZE: "200 kB", TIMEOUT: "8 ms"}
OF_A_RUN: dict[str, tuple[Rule, str, dict[str, object], dict[str, object], float]] = {
    "obs.3": (
        rule_of("obs.3", "p = 0.003"), "traffic.0.goodput",
        {LOSS: 0.003, SIZE: "260 kB", TIMEOUT: "1 ms"},
        {LOSS: 0.0, SIZE: "260 kB", TIMEOUT: "1 ms"}, -50,
    ),
    "obs.4": (
        rule_of("obs.4", "p = 0.001"), "traffic.1.goodput",
        {LOSS: 0.001, SIZE: "120 kB", TIMEOUT: "1 ms"},
        {LOSS: 0.001, SIZE: "20 kB", TIMEOUT: "1 ms"}, 167,
    ),
    "obs.9, throughput": (
        rule_of("obs.9", "fall of the throughput"), "traffic.0.goodput",
        {LOSS: 0.001, **LONG}, {LOSS: 0.001, **SHORT}, -27,
    ),
    "obs.9, delay": (
        rule_of("obs.9", "rise of the delay"), "traffic.0.delay-wire-mean", {LOSS: 0.001, **LONG},
        {LOSS: 0.001, **SHORT}, 53,
    ),
}  # fmt: skip
"""A rule, its measure, the two points that it compares, and the change that the paper prints."""


@pytest.mark.parametrize("name", OF_A_RUN)
def test_a_run_has_the_surpluses_that_are_taken_out_of_our_mean(name: str) -> None:
    """Our means are 1.5 times as much, with hardly any noise; the runs vary by a fifth of it."""
    rule, column, at, base, published = OF_A_RUN[name]
    rows = []
    for seed, off in enumerate((-1.5, -0.5, 0.0, 0.5, 1.5)):
        change, raw = (published * (1.5 + noise * off) / 100 for noise in (0.001, 0.2))
        rows.append({**base, "seed": seed, column: 1e6, f"{column}-raw": 1e6})
        of_seed = {column: 1e6 * (1 + change), f"{column}-raw": 1e6 * (1 + raw)}
        rows.append({**at, "seed": seed, **of_seed})
    table = pl.DataFrame(rows)
    found = rule(table)
    assert found.factor == pytest.approx(1.5)
    assert found.verdict == "holds"
    assert found.one_run is not None
    assert found.one_run[0] < abs(published) < found.one_run[1]
    assert rule(table.drop(f"{column}-raw")).verdict == "in shape"


GAINS = {
    (0.05, "20 kB"): (2.0, 3.0, 4.0),
    (0.05, "300 kB"): (4.0, 6.0, 5.0),
    (0.001, "20 kB"): (50.0, 50.0, 50.0),
    (0.001, "300 kB"): (60.0, 61.0, 59.0),
}
"""Gains of 2, 3 and 1 % of the rate, and of 10, 11 and 9 %."""
LITTLE = rule_of("obs.5", "eight nodes, p = 0.05")
LESS = rule_of("obs.5", "eight nodes, p = 0.05 against 0.001")


def test_what_larger_bursts_add_is_told_in_per_cent_of_the_rate() -> None:
    found = LITTLE(by_hand("share", GAINS))
    assert found.ours == pytest.approx(2)
    assert found.unit == "% of the rate"
    assert found.interval == pytest.approx((2 - 2.4841, 2 + 2.4841), abs=1e-4)
    # Below 5 %, and 2.5 % cannot tell.
    assert (found.verdict, found.note) == ("in shape", "by a threshold of ours")
    for gain, verdict in ((1.0, "holds"), (7.0, "cannot tell"), (12.0, "differs")):
        points = {(0.05, "20 kB"): (3.0,) * 3, (0.05, "300 kB"): (3 + gain,) * 3}
        assert LITTLE(by_hand("share", points)).verdict == verdict
    assert (
        rule_of("obs.5", "eight nodes, p = 0.1")(by_hand("share", GAINS)).verdict == "not covered"
    )


def test_what_larger_bursts_add_is_less_than_at_the_lowest_p() -> None:
    found = LESS(by_hand("share", GAINS))
    assert found.ours == pytest.approx(-8)
    assert found.verdict == "holds"
    swapped = {({0.05: 0.001, 0.001: 0.05}[p], size): each for (p, size), each in GAINS.items()}
    found = LESS(by_hand("share", swapped))
    assert found.ours == pytest.approx(8)
    assert found.verdict == "differs"
    same = {(p, size): GAINS[0.05, size] for p, size in GAINS}
    assert (LESS(by_hand("share", same)).verdict, LESS(by_hand("share", same)).ours) == (
        "cannot tell",
        0,
    )


@pytest.mark.parametrize(
    ("last", "percent", "less", "marginal"),
    [
        # From 20 to 200 kB the delay rises by 1.8 ms: by 0.01 ms per kB.
        ((5.9, 6.0, 6.1), 20, "holds", "holds"),
        ((6.1, 6.2, 6.3), 40, "holds", "in shape"),
        ((6.3, 6.4, 6.5), 60, "holds", "cannot tell"),
        ((6.65, 6.75, 6.85), 95, "holds", "cannot tell"),
        ((6.75, 6.85, 6.95), 105, "differs", "differs"),
        ((6.6, 6.8, 7.0), 100, "cannot tell", "cannot tell"),
        ((5.4, 5.5, 5.6), -30, "holds", "holds"),
    ],
)
def test_a_rise_beyond_200_kb_is_told_in_per_cent_of_the_slope_up_to_there(
    last: tuple[float, ...], percent: float, less: str, marginal: str
) -> None:
    points = {
        (0.002, "20 kB"): (3.9, 4.0, 4.1),
        (0.002, "120 kB"): (9.0, 9.0, 9.0),
        (0.002, "200 kB"): (5.7, 5.8, 5.9),
        (0.002, "300 kB"): last,
        (0.001, "200 kB"): (9.0, 9.0, 9.0),
    }
    table = by_hand("delay", points)
    for name, verdict in (("less from 200 kB", less), ("from 200 kB", marginal)):
        found = rule_of("obs.7", f"1000 Mb/s, {name}")(table)
        assert found.ours == pytest.approx(percent)
        assert found.verdict == verdict
    other = rule_of("obs.7", "store-and-forward, 1000 Mb/s, from 200 kB")
    rows = {"grid": "forwarding-three", "variant": "store-and-forward"}
    assert other(table).verdict == "not covered"
    assert other(table.with_columns(**{key: pl.lit(at) for key, at in rows.items()})).verdict == (
        marginal
    )

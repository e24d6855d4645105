"""The rules of the lbas paper's claims on made-up tables: they agree, differ, or cannot tell."""

from __future__ import annotations

import csv
from importlib import resources
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import made_up_lbas
import made_up_runs
from made_up_lbas import LATE
from tcphoton.common import quantities
from tcphoton.papers import load
from tcphoton.papers.lbas import rules
from tcphoton.papers.lbas.claims.assumed import TRIED
from tcphoton.papers.lbas.claims.queues import BELOW
from tcphoton.papers.lbas.claims.shared import OVER, TENTH
from tcphoton.papers.lbas.claims.tables import BUT_TWO, CLEAR, WITHIN
from tcphoton.papers.lbas.figures import ACCEPTED
from tcphoton.papers.lbas.measures import (
    ALL,
    BUNDLE_QUEUE,
    BUNDLE_WAIT,
    DEGREES,
    EJSQ,
    FAST,
    GOODPUT,
    IDEAL,
    JSVOQ,
    LOADS,
    NOT,
    POLICIES,
    PUBLISHED,
    RANDOM,
    RR,
    TABLES,
    VOQ_P99,
    cell,
    derive,
    goodput_of,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from made_up_lbas import Change, Point, Row

pytestmark = pytest.mark.slow

PAPER = load("lbas")
CLAIMS = {claim.claim: claim for claim in PAPER.claims}
WORLD = made_up_runs.World(PAPER, made_up_lbas.table)
entry_of = WORLD.entry


def times(
    factor: float, value: str = GOODPUT, when: Callable[[Point], bool] = lambda _: True,
    **where: object,
) -> Change:  # fmt: skip
    """Multiply a measure where a cell has these values."""

    def change(at: Point, row: Row) -> Row:
        hit = when(at) and all(getattr(at, key) == wanted for key, wanted in where.items())
        return {**row, value: row[value] * factor} if hit and value in row else row

    return change


def is_now(value: str, number: float, **where: object) -> Change:
    """Set a measure where a cell has these values."""

    def change(at: Point, row: Row) -> Row:
        hit = all(getattr(at, key) == wanted for key, wanted in where.items())
        return {**row, value: number} if hit else row

    return change


def anycast(at: Point) -> bool:
    return at.policy != NOT


DIFFERS: dict[str, dict[str, Change]] = {
    "lbas.1": {
        "JSVOQ loses at a low load": times(0.8, policy=JSVOQ, access=10, load=50, degree=3),
        "Not LB+AS gains at a low load": times(1.2, policy=NOT, access=10, load=50, degree=2),
        "RR loses nothing at a high load": times(1.3, policy=RR, access=10, load=80, degree=4),
        "JSVOQ loses most at a high load": times(0.5, policy=JSVOQ, access=10, load=80, degree=2),
    },
    "lbas.2": {
        "ideal-JSQ worse": times(0.7, policy=IDEAL, access=100, load=50, degree=4),
        "RR loses half": times(1.5, policy=RR, access=100, load=80, degree=4),
        "JSVOQ loses a quarter": times(3, policy=JSVOQ, access=100, load=50, degree=3),
    },
    "lbas.3": {
        "e-JSQ 6 % behind": times(0.94, policy=EJSQ, access=10, load=50, degree=3),
        "e-JSQ 8 % behind at U = 1000": times(0.92, policy=EJSQ, access=1000, load=50, degree=2),
        "RR ahead in a third cell": times(6, policy=RR, access=1000, load=80, degree=3),
        "JSVOQ ahead at U = 100": times(2, policy=JSVOQ, access=100, load=80, degree=4),
        "behind at U = 10": times(0.97, policy=EJSQ, access=10, load=50, degree=2),
    },
    "lbas.4": {
        "a late packet of ideal-JSQ": is_now(LATE, 1, policy=IDEAL, access=10, load=80, degree=4),
        "often": times(3, FAST, policy=EJSQ, access=1000, load=80, degree=4),
    },
    "lbas.5": {
        "twice": times(8, BUNDLE_WAIT, anycast),
        "queues as long": times(50, BUNDLE_QUEUE, anycast),
        "three orders": times(0.005, BUNDLE_QUEUE, anycast),
    },
    "lbas.6": {
        "Random better than both": times(3, policy=RANDOM),
        "better than JSVOQ": times(0.2, policy=JSVOQ, when=lambda at: at.access > 10),
    },
    "lbas.7": {
        "as good at U = 1000": lambda at, row: (
            {**row, GOODPUT: goodput_of(at.access, IDEAL, at.degree, at.load)}
            if (at.policy, at.access) == (EJSQ, 1000)
            else row
        ),
        "better with b_D": times(2.5, policy=EJSQ, degree=4, when=lambda at: at.access > 10),
        "above in one of the seven cells": times(1.2, policy=EJSQ, access=1000, load=50, degree=4),
        "far above where the paper's is hardly below": times(
            1.2, policy=EJSQ, access=100, load=80, degree=2
        ),
    },
    "lbas.8": {
        "four packets": times(2.5, VOQ_P99),
        "at one cell": times(2, VOQ_P99, policy=RR, access=1000, load=80, degree=4),
    },
}
WAYS = [(claim, way) for claim, ways in DIFFERS.items() for way in ways]
STRADDLES: dict[str, tuple[Change, float]] = {
    "lbas.1": (times(0.91, policy=RR, access=10, load=50, degree=3), 0.1),
    "lbas.2": (times(1.03, policy=RR, access=100, load=80, degree=4), 0.05),
    "lbas.3": (times(0.995, policy=EJSQ, access=100, load=50, degree=4), 0.02),
    "lbas.4": (times(12.5 / 7, FAST, policy=EJSQ, access=1000), 0.5),
    "lbas.5": (times(20, BUNDLE_WAIT, lambda at: at.policy in {RR, JSVOQ}), 0.01),
    "lbas.6": (
        lambda at, row: (
            {**row, GOODPUT: goodput_of(at.access, JSVOQ, at.degree, at.load)}
            if at.policy == RANDOM
            else row
        ),
        0.3,
    ),
    "lbas.7": (times(169.3 / 187.7 * 1.2, policy=EJSQ, access=1000, load=50, degree=4), 0.5),
    "lbas.8": (times(4500 / 2400, VOQ_P99, policy=RR, access=1000, load=80, degree=4), 0.2),
}


def test_every_claim_of_the_sheet_is_there() -> None:
    assert list(CLAIMS) == [f"lbas.{number}" for number in range(1, 9)]
    assert set(DIFFERS) == set(STRADDLES) == set(CLAIMS)


@pytest.mark.parametrize(("claim", "way"), WAYS)
def test_a_table_unlike_the_papers_differs(claim: str, way: str) -> None:
    assert entry_of(CLAIMS[claim], DIFFERS[claim][way])["verdict"] == "differs"


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_interval_across_a_bound_cannot_tell(claim: str) -> None:
    change, noise = STRADDLES[claim]
    found = entry_of(CLAIMS[claim], change, noise=noise)
    assert found["verdict"] == "cannot tell"


def test_no_late_packet_is_one_too_many() -> None:
    """One in one run of one cell, whatever the other seeds have."""
    table = WORLD.table("reordering")
    rule = CLAIMS["lbas.4"].parts[0].rule
    assert rule(table).verdict == "agrees"
    nth = pl.int_range(pl.len())
    ideal = table.with_row_index().filter(pl.col("variant") == IDEAL)["index"][7]
    late = pl.when(nth == ideal).then(1).otherwise(pl.col(LATE)).alias(LATE)
    found = rule(table.with_columns(late))
    assert (found.verdict, found.ours) == ("differs", 1)
    assert found.note.startswith("ideal-JSQ, U = ")


def test_every_assumption_is_run() -> None:
    for artefact, ways in TRIED.items():
        table = WORLD.table(artefact)
        for key, value in ways.values():
            assert value in set(table.get_column(key)), (artefact, value)
    assert set(WORLD.table("iterations")["core.scheduler"].drop_nulls()) == {
        value for _, value in TRIED["iterations"].values()
    }
    assert list(PAPER.plan["cells"]["assumptions"]) == list(TRIED["assumptions"])


def test_the_figures_of_the_sensitivity_show_what_each_word_counts_as() -> None:
    parts = [part for claim in PAPER.claims for part in claim.sensitivity]
    assert {part.published for part in parts} == set(ACCEPTED)
    for part in parts:
        found = part.rule(WORLD.table(part.artefact))
        low, high = ACCEPTED[part.published]
        assert found.ours is not None
        assert (low < found.ours < high) == (found.verdict == "agrees"), part.name


# What the bounds of the rules are taken from.


def losses(access: int, policy: str, cells: object = ALL) -> Iterator[float]:
    """Give what a policy loses against ideal-JSQ in the paper's tables, in per cent."""
    assert isinstance(cells, tuple | list)
    for each in cells:
        yield 100 * (1 - goodput_of(access, policy, *each) / goodput_of(access, IDEAL, *each))


LOW = [(degree, LOADS[0]) for degree in DEGREES]
HIGH = [(degree, LOADS[1]) for degree in DEGREES]


def test_the_bounds_are_those_of_the_published_tables() -> None:
    assert max(loss for each in POLICIES for loss in losses(10, each, LOW)) == pytest.approx(
        3.1, abs=0.1
    )
    some = [loss for each in (RR, JSVOQ) for loss in losses(10, each, HIGH)]
    assert (min(some), max(some)) == pytest.approx((14.4, 29.2), abs=0.1)
    naive = [loss for each in (RR, JSVOQ) for loss in losses(100, each)]
    assert OVER < min(naive) == pytest.approx(61.2, abs=0.1)
    near = [*losses(10, EJSQ, LOW), *losses(100, EJSQ, LOW), *losses(1000, EJSQ, LOW[:1])]
    assert max(map(abs, near)) == pytest.approx(3.99, abs=0.01)
    assert round(WITHIN) == 4
    assert min(losses(100, NOT)) > 0


def test_the_exceptions_are_those_of_the_published_tables() -> None:
    ahead = {
        (access, policy, *each)
        for access in TABLES
        for policy in (RR, JSVOQ)
        for each in ALL
        if goodput_of(access, policy, *each) >= goodput_of(access, EJSQ, *each)
    }
    assert ahead == BUT_TWO
    below = [
        (access, *each)
        for access in TABLES
        for each in ALL
        if goodput_of(access, EJSQ, *each) < goodput_of(access, NOT, *each)
    ]
    assert sorted(below) == sorted(BELOW)
    hardly = [
        (access, *each)
        for access in TABLES
        for policy in (RR, JSVOQ)
        for each in ALL
        if 0
        < 100 * (goodput_of(access, EJSQ, *each) / goodput_of(access, policy, *each) - 1)
        < CLEAR
    ]
    assert set(hardly) == {(10, *each) for each in LOW}
    tied = [
        at
        for at in BELOW
        if goodput_of(at[0], EJSQ, *at[1:]) > (1 - TENTH / 100) * goodput_of(at[0], NOT, *at[1:])
    ]
    assert tied == [(100, 2, 80)]


# Rules by themselves.


def curve(values: dict[str, float], spread: float = 0.001) -> pl.DataFrame:
    rows = [
        {"at": at, "seed": seed, "y": y * (1 + spread * (seed - 2))}
        for at, y in values.items()
        for seed in (1, 2, 3)
    ]
    return pl.DataFrame(rows)


def pairs(*names: str) -> list[tuple[dict[str, str], dict[str, str]]]:
    return [({"at": name}, {"at": f"{name}0"}) for name in names]


def test_a_pooled_change_is_the_geometric_mean() -> None:
    table = curve({"a": 2.0, "a0": 1.0, "b": 8.0, "b0": 1.0}, 0)
    found = rules.pooled("y", pairs("a", "b"), 0, 1000)(table)
    assert found.ours == pytest.approx(300)
    assert (found.verdict, found.seeds) == ("agrees", 6)
    assert rules.pooled("y", pairs("a", "b"), 0, 1000)(table.filter(pl.col("seed") == 1)).note == (
        "a single seed"
    )
    # A pair that was not run is left out.
    assert rules.pooled("y", pairs("a", "c"), 0, 1000)(table).ours == pytest.approx(100)


def test_a_change_of_ratios_compares_cells_with_cells() -> None:
    table = curve({"a": 2.0, "a0": 4.0, "b": 8.0, "b0": 4.0}, 0)
    found = rules.pooled_change("y", pairs("a"), pairs("b"), -100, 0)(table)
    assert found.ours == pytest.approx(-75)
    assert found.verdict == "agrees"


def test_most_cells_is_more_than_half_of_them() -> None:
    table = curve({"a": 1.0, "a0": 20.0, "b": 1.0, "b0": 2.0, "c": 1.0, "c0": 50.0})
    found = rules.in_most("y", pairs("a", "b", "c"), 10, 100)(table)
    assert found.ours == pytest.approx(200 / 3)
    assert found.verdict == "agrees"
    assert rules.in_most("y", pairs("a", "b"), 30, 100)(table).verdict == "differs"
    median = rules.middle("y", pairs("a", "b", "c"), 10, 100)(table)
    assert median.ours == pytest.approx(20)


def test_cells_that_were_not_run_are_left_out() -> None:
    table = curve({"a": 1.0})
    cells = {"a": {"at": "a"}, "b": {"at": "b"}}
    assert rules.stays_below("y", cells, 2, "B")(table).verdict == "agrees"
    assert rules.stays_below("y", {"b": {"at": "b"}}, 2, "B")(table).note == "not run"
    assert rules.rare("y", cells, 10, "")(table).verdict == "agrees"
    assert rules.never("z", cells)(table).note == "not run"


# What is derived of a run.


def record(**tcp: object) -> dict[str, Any]:
    entry = {"traffic": 2, "flows": 2, "goodput": 160e6, **tcp}
    return {"traffic": [{"goodput": 1.0}, entry], "measured": 25.0, "simulated": 25.0}


def test_the_goodput_is_the_mean_of_both_connections() -> None:
    found = derive(record(**{"fast-retransmits": 14, "files-complete": 1}), {})
    assert found[GOODPUT] == 80
    # 500 MB came in these 25 s.
    assert found[FAST] == 14
    assert found["whole"] == 1


def test_the_waits_are_those_of_the_bundle_in_both_directions() -> None:
    links = pl.DataFrame(
        {
            "link": [
                "left-core -> right-core:0",
                "right-core -> left-core:1",
                "left-core -> left-agg-0",
                "left-agg-0 -> left-core",
            ],
            "packets-in": [100, 300, 100, 1000],
            "wait-mean": [4e-3, 8e-3, 1e-3, 5.0],
            "queue-mean": [10.0, 30.0, 2.0, 1e6],
        }
    )  # fmt: skip
    found = derive(record(), {"links": links})
    assert found[BUNDLE_WAIT] == pytest.approx(7)
    assert found[BUNDLE_QUEUE] == 20
    assert found["ports-wait"] == pytest.approx((100 * 4 + 300 * 8 + 100 * 1) / 500)
    assert found["ports-queue"] == 14


# The scenario and the published numbers.


def of(what: str) -> float:
    return PUBLISHED["", what]


def test_the_scenario_is_the_papers() -> None:
    scenario = PAPER.scenario("scenario.toml").to_dict()
    net, core = scenario["topology"], scenario["core"]
    assert quantities.number(net["link"]["rate"]) == 1e9 * of("rate")
    assert quantities.number(net["link"]["queue"]["bytes"]) == 1e6 * of("buffer")
    assert quantities.number(core["input-buffer"]) == 1e6 * of("buffer")
    assert net["k"] == of("K")
    ends = [quantities.number(net["rtt"][end]) for end in ("min", "max")]
    assert ends == [1e-3 * of("shortest RTT"), 1e-3 * of("longest RTT")]
    assert core["speedup"] == of("speedup")
    assert quantities.number(core["cell"]) == of("cell")
    assert quantities.number(core["cell-payload"]) == of("payload of a cell")
    there, back, tcp = scenario["traffic"]
    assert there["source"] == back["source"]
    source = there["source"]
    assert source["components"] == of("components")
    assert quantities.number(source["peak"]) == 1e9 * of("peak rate")
    sizes = [quantities.number(size) for size in source["packet"]["sizes"]]
    names = ("small", "middle", "large")
    assert sizes == [of(f"{name} packet") for name in names]
    assert source["packet"]["shares"] == [of(f"share of {name} packets") / 100 for name in names]
    assert source["on"]["shape"] == pytest.approx(3 - 2 * of("Hurst parameter"))
    shape = source["on"]["shape"]
    mean = quantities.number(source["on"]["min"]) * shape / (shape - 1)
    assert mean == pytest.approx(1e6 * of("mean ON"), rel=1e-5)
    assert tcp["transport"] == {
        "kind": "tcp", "preset": "newreno", "initial-ssthresh": "65535 B"
    }  # fmt: skip


@pytest.mark.parametrize(("degree", "load"), ALL)
def test_each_cell_has_the_load_of_its_name(degree: int, load: int) -> None:
    keys = PAPER.plan["cells"]["loads"][cell(degree, load)]
    assert keys["topology.lightpaths"] == degree
    sources = (of("K") * degree) ** 2
    for at in (0, 1):
        rate = quantities.number(keys[f"traffic.{at}.source.rate"])
        assert rate * sources == pytest.approx(load / 100 * 1e9 * of("rate") * degree, rel=1e-8)
    assert load / 100 in {of("low load"), of("high load")}


def test_the_published_tables_are_those_of_the_sheet() -> None:
    """Each row of a table is one sentence: its numbers in order are the cells."""
    rows = csv.DictReader(
        (resources.files("tcphoton.papers") / "lbas" / "published.csv")
        .read_text("utf-8")
        .splitlines()
    )
    cells = [row for row in rows if row["what"].startswith("goodput at ")]
    assert len(cells) == 90
    for access in TABLES:
        for policy in POLICIES:
            here = [row for row in cells if f"at {access} Mb/s with {policy}," in row["what"]]
            assert len({row["sentence"] for row in here}) == 1
            said = here[0]["sentence"].removesuffix(".").split()[-6:]
            assert [row["value"] for row in here] == said
            assert [f"{goodput_of(access, policy, *each):g}" for each in ALL] == [
                f"{float(each):g}" for each in said
            ]
